"""Numbers and dates as exact values that can be put in order, and back as texts.

Both are decimals here: a date is its number of days, and a time is taken by its day. Decimals compare exactly,
whatever the length of the text; no float decides on which side of a cut a value stands.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from typing import Protocol

FIRST_YEAR = 1000
"""Earlier years are not written with four digits everywhere."""
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?\s*", re.ASCII)
_DAY_AND_TIME = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ]([01]\d|2[0-4]):[0-5]\d(:[0-6]\d([.,]\d{1,9})?)? ?(Z|UTC|[+-]\d\d(:?\d\d(:\d\d)?)?)?",
    re.ASCII,
)
"""A day with a time, as ISO 8601, pandas, Polars, DuckDB and Spark write it."""
_SIGN = re.compile(r"%[-_0^#]?(.)", re.DOTALL)
_SIGNS_OF_TIME = frozenset("HIMSfpzZX")
EXACT = Context(prec=2000)
"""For sums of values of any length."""


class Scale(Protocol):
    """How the values of a column are read and written."""

    @property
    def name(self) -> str:
        """What a value is called: number or date."""
        ...

    @property
    def always_whole(self) -> bool:
        """Whether there is nothing between two neighbours, such as days."""
        ...

    @property
    def link(self) -> str:
        """What stands between the two ends of an interval."""
        ...

    def read(self, text: str | None) -> Decimal | None:
        """Return the value of a text; None when it has none."""
        ...

    def write(self, value: Decimal) -> str:
        """Return the shortest text of a value."""
        ...

    def is_plain(self, text: str) -> bool:
        """Whether the text of a value says nothing besides it, such as a time or blanks."""
        ...


@dataclass(frozen=True)
class Numbers:
    """Numbers as everyone writes them: 42, -3.50, 1e3; or with a comma for the decimals, -3,50."""

    decimal: str = "."
    name: str = "number"
    always_whole: bool = False

    @property
    def link(self) -> str:
        """A comma, or a semicolon where commas belong to numbers."""
        return ", " if self.decimal == "." else "; "

    def read(self, text: str | None) -> Decimal | None:
        """Return the number a text stands for.

        >>> Numbers().read("-3.50"), Numbers().read("x"), Numbers(",").read("3,5"), Numbers(",").read("1.500")
        (Decimal('-3.50'), None, Decimal('3.5'), None)
        """
        if text is not None and self.decimal != ".":
            text = None if "." in text else text.replace(self.decimal, ".")
        if text is None or not _NUMBER.fullmatch(text):
            return None
        value = Decimal(text.strip())
        return value if math.isfinite(float(value)) else None

    def write(self, value: Decimal) -> str:
        """Return the number without needless digits.

        >>> Numbers().write(Decimal("40.0")), Numbers().write(Decimal("1E+2"))
        ('40', '100')
        """
        text = f"{value:f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return "0" if text == "-0" else text.replace(".", self.decimal)

    def is_plain(self, text: str) -> bool:
        """Whether there are no blanks around it."""
        return text == text.strip()


@dataclass(frozen=True)
class Dates:
    """Days of the calendar, written as `form` says (2024-01-31 when it says nothing); a time is taken by its day."""

    form: str | None = None
    name: str = "date"
    always_whole: bool = True
    link: str = ", "

    def read(self, text: str | None) -> Decimal | None:
        """Return the number of the day, the one that is written where there is a time zone.

        >>> Dates().read("1970-01-01") == Dates("%d.%m.%Y").read("01.01.1970") == Dates().read("1970-01-01T23:45-08:00")
        True
        """
        if text is None:
            return None
        text = text.strip()
        timed = _DAY_AND_TIME.fullmatch(text) if self.form is None else None
        day = self._day(text if timed is None else timed[1])
        if day is None and self.form is not None and day_form(self.form) != self.form:
            day = _parsed(text, self.form)
        return Decimal(day.toordinal()) if day is not None and day.year >= FIRST_YEAR else None

    def write(self, value: Decimal) -> str:
        """Return the day in the column's own form, without a time."""
        day = date.fromordinal(int(value))
        return day.isoformat() if self.form is None else day.strftime(day_form(self.form))

    def is_plain(self, text: str) -> bool:
        """Whether it is a day without a time, and without blanks around it."""
        return text == text.strip() and self._day(text) is not None

    def _day(self, text: str) -> date | None:
        """Return the day of a text without a time."""
        if self.form is not None:
            return _parsed(text, day_form(self.form))
        try:
            return date.fromisoformat(text)
        except ValueError:
            return None


def _parsed(text: str, form: str) -> date | None:
    try:
        return datetime.strptime(text, form).date()  # noqa: DTZ007 - the day that is written, in whatever zone
    except ValueError:
        return None


def same_number(value: str | None, texts: Iterable[str | None]) -> str | None:
    """Return the shortest of some texts that stands for the same number as a value; None if there is none.

    >>> same_number("0", ["1.0", "0.0", "0.00"]), same_number("a", ["a "]), same_number("2", ["1"])
    ('0.0', None, None)
    """
    number = Numbers().read(value)
    if number is None:
        return None
    same = [text for text in texts if text is not None and Numbers().read(text) == number]
    return min(same, key=lambda text: (len(text), text), default=None)


def share_of_range(value: Decimal, lowest: Decimal, highest: Decimal) -> Fraction:
    """Return where a value stands between two others, from 0 to 1."""
    if highest == lowest:
        return Fraction(0)
    return Fraction(EXACT.subtract(value, lowest)) / Fraction(EXACT.subtract(highest, lowest))


def whole_distances(values: Sequence[Decimal]) -> list[int]:
    """Return how far ascending values are from the first, in whole units of their last digit.

    >>> whole_distances([Decimal("1.5"), Decimal("2"), Decimal("1E+1")])
    [0, 5, 85]
    """
    digits = max(0, *(-int(value.as_tuple().exponent) for value in values))
    wholes = [int(EXACT.scaleb(value, digits)) for value in values]
    return [whole - wholes[0] for whole in wholes]


@cache
def day_form(form: str) -> str:
    """Return the part of a form of dates that tells the day.

    >>> day_form("%d.%m.%Y %H:%M"), day_form("%H:%M, %d %B %Y"), day_form("%d.%m.%Y")
    ('%d.%m.%Y', '%d %B %Y', '%d.%m.%Y')
    """
    signs = [sign for sign in _SIGN.finditer(form) if sign[1] != "%"]
    days = [sign for sign in signs if sign[1] not in _SIGNS_OF_TIME]
    if not days or len(days) == len(signs):
        return form
    return form[days[0].start() : days[-1].end()]


def tells_days(form: str) -> bool:
    """Whether a form of dates tells which day it is; a time may stand before or after it, not within.

    >>> tells_days("%d.%m.%Y"), tells_days("%m/%Y"), tells_days("%Y-%m-%d %H:%M"), tells_days("%d. %H:%M %m.%Y")
    (True, False, True, False)
    """
    day_only = day_form(form)
    if any(sign[1] in _SIGNS_OF_TIME | {"c", "s"} for sign in _SIGN.finditer(day_only)):
        return False
    moments = [
        datetime(1945, 6, 5, 13, 45, tzinfo=UTC),
        datetime(2069, 12, 31, tzinfo=UTC),
        datetime(2024, 1, 12, tzinfo=UTC),
    ]
    for moment in moments:
        day = moment.date()
        if _parsed(day.strftime(day_only), day_only) != day:
            return False
        # A day without a time must not be read as another day with one, nor the other way round.
        timed = moment.strftime(form)
        if day_only != form and (
            _parsed(timed, form) != day or _parsed(timed, day_only) or _parsed(day.strftime(day_only), form)
        ):
            return False
    return True

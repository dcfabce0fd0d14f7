"""Numbers and dates as exact values that can be put in order, and back as texts.

Both are decimals here: a date is its number of days. Decimals compare exactly, whatever the length of the
text; no float decides on which side of a cut a value stands.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Context, Decimal
from fractions import Fraction
from typing import Protocol

FIRST_YEAR = 1000
"""Earlier years are not written with four digits everywhere."""
_NUMBER = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?\s*", re.ASCII)
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

    def read(self, text: str | None) -> Decimal | None:
        """Return the value of a text; None when it has none."""
        ...

    def write(self, value: Decimal) -> str:
        """Return the shortest text of a value."""
        ...


@dataclass(frozen=True)
class Numbers:
    """Numbers as everyone writes them: 42, -3.50, 1e3."""

    name: str = "number"
    always_whole: bool = False

    def read(self, text: str | None) -> Decimal | None:
        """Return the number a text stands for.

        >>> Numbers().read("-3.50"), Numbers().read("x")
        (Decimal('-3.50'), None)
        """
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
        return "0" if text == "-0" else text


@dataclass(frozen=True)
class Dates:
    """Days of the calendar, written as `form` says (2024-01-31 when it says nothing)."""

    form: str | None = None
    name: str = "date"
    always_whole: bool = True

    def read(self, text: str | None) -> Decimal | None:
        """Return the number of the day.

        >>> Dates().read("1970-01-01") == Dates("%d.%m.%Y").read("01.01.1970")
        True
        """
        if text is None:
            return None
        try:
            if self.form is None:
                day = date.fromisoformat(text.strip())
            else:
                day = datetime.strptime(text.strip(), self.form).date()  # noqa: DTZ007 - a day has no time zone
        except ValueError:
            return None
        return Decimal(day.toordinal()) if day.year >= FIRST_YEAR else None

    def write(self, value: Decimal) -> str:
        """Return the day in the column's own form."""
        day = date.fromordinal(int(value))
        return day.isoformat() if self.form is None else day.strftime(self.form)


def share_of_range(value: Decimal, lowest: Decimal, highest: Decimal) -> Fraction:
    """Return where a value stands between two others, from 0 to 1."""
    if highest == lowest:
        return Fraction(0)
    return Fraction(EXACT.subtract(value, lowest)) / Fraction(EXACT.subtract(highest, lowest))


def tells_days(form: str) -> bool:
    """Whether a form of dates tells which day it is, and nothing finer.

    >>> tells_days("%d.%m.%Y"), tells_days("%m/%Y"), tells_days("%Y-%m-%d %H:%M")
    (True, False, False)
    """
    scale = Dates(form)
    if re.search(r"%[-_0^#]?[HIMSfpzZXcs]", form):
        return False
    days = [Decimal(date(year, month, day).toordinal()) for year, month, day in ((1945, 6, 5), (2069, 12, 31))]
    try:
        return all(scale.read(scale.write(day)) == day for day in days)
    except ValueError:
        return False

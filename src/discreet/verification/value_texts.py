"""How the texts of numbers and dates are read, exactly and by code of verification alone."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Protocol

from discreet.policy.columns import Column

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_PLAIN_NUMBER = re.compile(r"(?!-0\Z)-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?", re.ASCII)


_BLANKS = " \t\n\r\f\v"
_TIME = re.compile(
    r"[T ](?:[01]\d|2[0-4]):[0-5]\d(?::[0-6]\d(?:[.,]\d+)?)?\s?(?:Z|UTC|[+-]\d\d(?::?\d\d){0,2})?", re.ASCII
)
"""What may stand behind a day that is written 2024-01-31."""


class TextKind(Protocol):
    """How the texts of numbers or dates are read."""

    @property
    def dashes(self) -> bool:
        """Whether closed ranges may be written [30-39]."""
        ...

    @property
    def separators(self) -> tuple[str, str]:
        """What may stand between the ends of an interval, in any brackets."""
        ...

    def value(self, text: str) -> Fraction | None:
        """Return the value of an original text; None when it has none."""
        ...

    def single(self, text: str) -> Fraction | None:
        """Return the value of a released text that is a value; as an original, but with no blanks around."""
        ...

    def bound(self, text: str) -> Fraction | None:
        """Return the value of an end of a released interval, which is written in one way only."""
        ...


def kind_of(column: Column) -> TextKind:
    """Return how the texts of a column are read, in the table and in the release."""
    if column.type == "number":
        return NumberTexts(comma=column.decimal == ",")
    return DateTexts(column.date_format, column.day_format)


@dataclass(frozen=True)
class NumberTexts:
    """Numbers, as exact fractions."""

    comma: bool = False
    """Whether decimals come after a comma; a point is then in no number."""
    dashes: bool = True

    @property
    def separators(self) -> tuple[str, str]:
        """A comma; a semicolon where commas belong to numbers."""
        return ("; ", ";") if self.comma else (", ", ",")

    def value(self, text: str) -> Fraction | None:
        """Return the value of an original text, blanks around it left out."""
        return self.single(text.strip(_BLANKS))

    def single(self, text: str) -> Fraction | None:
        """Return the value of a released text that is a value."""
        try:
            if text.isascii() and text.isdigit():  # quicker
                return Fraction(int(text))
            text = self._with_point(text)
            whole, _, part = text.partition(".")
            if text.isascii() and whole.isdigit() and part.isdigit():  # quicker
                return Fraction(int(whole + part), 10 ** len(part))
            return Fraction(text) if _NUMBER.fullmatch(text) else None
        except ValueError:  # more digits than can be converted
            return None

    def bound(self, text: str) -> Fraction | None:
        """Return the value of an end, which is written in one way only."""
        return self.single(text) if _PLAIN_NUMBER.fullmatch(self._with_point(text)) else None

    def _with_point(self, text: str) -> str:
        return text.replace(".", "?").replace(",", ".") if self.comma else text


@dataclass(frozen=True)
class DateTexts:
    """Days, by their number; what was written with a time lies on its day."""

    form: str | None
    day_form: str | None
    dashes: bool = False
    separators: tuple[str, str] = (", ", ",")

    def value(self, text: str) -> Fraction | None:
        """Return the value of an original text, blanks around it left out."""
        text = text.strip()
        day = self._day(text)
        if day is None and self.form is not None:
            day = _moment(text, self.form)
        elif day is None and _TIME.fullmatch(text[10:]):
            day = self._day(text[:10])
        return None if day is None else Fraction(day.toordinal())

    def single(self, text: str) -> Fraction | None:
        """Return the value of a released text that is a value."""
        return self.value(text) if text == text.strip() else None

    def bound(self, text: str) -> Fraction | None:
        """Return the value of an end, which is written in one way only."""
        day = self._day(text)
        if day is None or text != (day.isoformat() if self.day_form is None else day.strftime(self.day_form)):
            return None
        return Fraction(day.toordinal())

    def _day(self, text: str) -> date | None:
        if self.day_form is not None:
            return _moment(text, self.day_form)
        try:
            return date.fromisoformat(text)
        except ValueError:
            return None


def _moment(text: str, form: str) -> date | None:
    """Return the day that a text tells, as it is written: a time zone does not move it."""
    try:
        return datetime.strptime(text, form).date()  # noqa: DTZ007
    except ValueError:
        return None

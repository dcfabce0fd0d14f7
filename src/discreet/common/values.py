"""Values as the texts they have in a table."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction


def as_text(value: object) -> object:
    """Return the text that a value of a table has, for a value written in a policy (None: no value)."""
    if value is None or isinstance(value, str):
        return value
    if type(value).__module__ == "numpy" and hasattr(value, "item"):
        value = value.item()
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float, Decimal)):
        return number_text(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        return value.isoformat()
    raise ValueError("write the value as the text it has in the table")


def number_text(value: float | Decimal | Fraction) -> str:
    """Return a number as Python writes it; raise ValueError with the fix for one with thousands of digits."""
    try:
        return str(value)
    except ValueError:
        raise ValueError("the number has too many digits; write a smaller one, or a text in quotes") from None

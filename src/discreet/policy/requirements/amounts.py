"""Amounts that promises about vectors of counts are given: exact fractions of their text, with few digits."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from discreet.common.values import number_text

_AMOUNT = re.compile(r"\s*(?:(\d{1,9})\s*/\s*(\d{1,6})|(\d{1,9}(?:\.\d{0,6})?))\s*")


def read_amount(value: object) -> Fraction:
    """Return the exact amount that a text or number stands for; raise ValueError otherwise.

    >>> read_amount("2.5") == read_amount("5/2") == read_amount(2.5)
    True
    """
    if isinstance(value, Fraction):
        value = str(value)
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
        raise ValueError("write a number such as 2, 2.5 or 5/2")
    match = _AMOUNT.fullmatch(value if isinstance(value, str) else number_text(value))
    if match is None or (match[2] is not None and int(match[2]) == 0):
        raise ValueError("write a number such as 2, 2.5 or 5/2, with at most six decimals")
    return Fraction(match[3]) if match[3] is not None else Fraction(int(match[1]), int(match[2]))


def amount_text(amount: Fraction | int) -> str:
    """Return an amount for people to read: a decimal number if that is exact.

    >>> amount_text(Fraction(5, 2)), amount_text(Fraction(1, 3)), amount_text(4)
    ('2.5', '1/3', '4')
    """
    short = f"{float(amount):.6f}".rstrip("0").rstrip(".")
    return short if Fraction(short) == amount else str(amount)


def _least_values(value: object) -> int | Fraction:
    if value is None or isinstance(value, bool):
        raise ValueError("write a number of at least 1")
    found = read_amount(value)
    if found < 1:
        raise ValueError("write a number of at least 1")
    return int(found) if found.denominator == 1 else found


def _times(value: object) -> Fraction | None:
    found = None if value is None else read_amount(value)
    if found is not None and not found:
        raise ValueError("write a number above 0, such as 2")
    return found


def _plain(amount: Fraction | int | None) -> int | str | None:
    return None if amount is None else int(amount) if amount.denominator == 1 else amount_text(amount)


_SCHEMA = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^\s*(\d+\s*/\s*\d+|\d+(\.\d*)?)\s*$"}]}
LeastValues = Annotated[
    int | Fraction,
    BeforeValidator(_least_values),
    PlainSerializer(_plain),
    WithJsonSchema({**_SCHEMA, "anyOf": [{"type": "number", "minimum": 1}, _SCHEMA["anyOf"][1]]}),
]
"""A least number of values, of at least 1."""
Times = Annotated[
    Fraction,
    BeforeValidator(_times),
    PlainSerializer(_plain),
    WithJsonSchema({"anyOf": [{"type": "number", "exclusiveMinimum": 0}, _SCHEMA["anyOf"][1]]}),
]
"""How many times, above 0."""

"""Shares (thresholds) as exact fractions of the text the owner wrote.

`75%`, `0.75`, `"3/4"` and `Fraction(3, 4)` are the same share. No float ever decides a promise: a float
that arrives from Python stands for its shortest decimal text.
"""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from discreet.common.values import number_text

_NUMBER = r"\d+(?:\.\d*)?|\.\d+"
_FORMS = re.compile(rf"\s*(?:(?P<percent>{_NUMBER})\s*%|(?P<over>\d+)\s*/\s*(?P<under>\d+)|(?P<plain>{_NUMBER}))\s*")

MOST_DIGITS = 200
_EXPONENT = re.compile(r"[eE][+-]?\d{4}")

WRITE = "write a share like 75%, 0.75 or 3/4"


def parse_share(value: object) -> Fraction:
    """Return the exact share that `value` stands for; raise ValueError with the fix otherwise.

    >>> parse_share("75%") == parse_share("0.75") == parse_share("3/4") == parse_share(0.75)
    True
    >>> parse_share("75")
    Traceback (most recent call last):
    ...
    ValueError: 75 is more than everybody; write 75% or 0.75
    """
    if isinstance(value, Fraction):
        found = value
    elif isinstance(value, (str, int, float, Decimal)) and not isinstance(value, bool):
        text = value if isinstance(value, str) else number_text(value)
        if len(text) > MOST_DIGITS or _EXPONENT.search(text):
            raise ValueError(f"too long for a share; {WRITE}")
        found = _from_text(text)
    else:
        raise ValueError(f"not a share; {WRITE}")
    if not 0 <= found <= 1:
        raise ValueError(f"{value} is not between 0 and 1; {WRITE}")
    return found


def _from_text(text: str) -> Fraction:
    match = _FORMS.fullmatch(text)
    if match is None:
        if re.fullmatch(r"\s*\d+(?:\.\d*)?[eE][+-]?\d+\s*", text):  # how Python writes very small floats
            return Fraction(text.strip())
        raise ValueError(f"{text!r} is not a share; {WRITE}")
    if match["percent"] is not None:
        return Fraction(match["percent"]) / 100
    if match["over"] is not None:
        if int(match["under"]) == 0:
            raise ValueError(f"{text!r} divides by zero; {WRITE}")
        return Fraction(int(match["over"]), int(match["under"]))
    plain = Fraction(match["plain"])
    if plain > 1:
        number = match["plain"].rstrip("0").rstrip(".") if "." in match["plain"] else match["plain"]
        if plain <= 100:
            raise ValueError(f"{text.strip()} is more than everybody; write {number}% or {decimal(plain / 100)}")
        raise ValueError(f"{text.strip()} is more than everybody; {WRITE}")
    return plain


def largest_below(share: Fraction, rows: int) -> Fraction:
    """Return the largest fraction with a denominator of at most `rows` that is not above `share`.

    A share of at most `rows` rows is within `share` exactly when it is within this one, so that comparisons
    stay within 64 bits whatever threshold the owner wrote.

    >>> largest_below(Fraction("0.333333333333"), 100)
    Fraction(33, 100)
    """
    if share.denominator <= rows:
        return share
    # The convergents of the continued fraction end in the two neighbours of `share` (as in limit_denominator).
    p0, q0, p1, q1 = 0, 1, 1, 0
    n, d = share.numerator, share.denominator
    while True:
        a = n // d
        if q0 + a * q1 > rows:
            break
        p0, q0, p1, q1 = p1, q1, p0 + a * p1, q0 + a * q1
        n, d = d, n - a * d
    k = (rows - q0) // q1
    return min(Fraction(p0 + k * p1, q0 + k * q1), Fraction(p1, q1))


def decimal(share: Fraction, digits: int = 6) -> str:
    """Return the share as a decimal number of at most `digits` places, for people to read."""
    return f"{float(share):.{digits}f}".rstrip("0").rstrip(".") or "0"


def short_percent(share: float | Fraction) -> str:
    """Return a share as a percentage for a table; what is not exactly 0 or 1 is never shown as such.

    >>> [short_percent(x) for x in (0, 0.0004, 0.125, 0.5, 0.99999, 1)]
    ['0%', '<0.1%', '12.5%', '50%', '>99.9%', '100%']
    """
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{float(share) * 100:.1f}".removesuffix(".0") + "%"


def percent(share: Fraction) -> str:
    """Return the share as a percentage for people to read; a rounded one says so.

    >>> percent(Fraction(3, 4)), percent(Fraction(5, 24)), percent(Fraction(1, 100000))
    ('75%', '~20.83%', '0.001%')
    """
    exact = share * 100
    for places in range(5):
        if (exact * 10**places).denominator == 1:
            return f"{float(exact):.{places}f}%"
    return f"~{float(exact):.2f}%"


SHARE_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {
            "type": "string",
            "pattern": r"^\s*((100(\.0*)?|\d{1,2}(\.\d*)?|\.\d+)\s*%"
            r"|\d+\s*/\s*\d+|0(\.\d*)?|1(\.0*)?|\.\d+)\s*$",
        },
        {"type": "number", "minimum": 0, "maximum": 1},
    ],
    "description": "an exact share: 75%, 0.75 or 3/4",
}
"""How a policy file may write a share, as JSON Schema."""
Share = Annotated[
    Fraction,
    BeforeValidator(parse_share),
    PlainSerializer(str, return_type=str),
    WithJsonSchema(SHARE_SCHEMA),
]

"""How many other values are hidden beside confidential ones: decoys, as a policy writes them."""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated

from pydantic import BeforeValidator, PlainSerializer, WithJsonSchema

from discreet.common.shares import parse_share

WRITE = "write the share of other values among the hidden cells, such as 50%, or (against rules) true or false"


_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
"""A policy file is read as texts."""


def _as_decoys(value: object) -> bool | Fraction:
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in _WORDS:
        return _WORDS[value.lower()]
    try:
        share = parse_share(value)
    except ValueError:
        raise ValueError(WRITE) from None
    if not 0 < share < 1:
        raise ValueError(f"more than nobody and less than everybody; {WRITE}")
    return share


Decoys = Annotated[
    bool | Fraction,
    BeforeValidator(_as_decoys),
    PlainSerializer(lambda decoys: decoys if isinstance(decoys, bool) else str(decoys)),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "boolean"},
                {
                    "type": "string",
                    "pattern": r"^\s*(\d{1,2}(\.\d*)?\s*%|\.\d+\s*%|\d+\s*/\s*\d+|0?\.\d+)\s*$",
                },
                {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
            ],
            "description": "a share such as 50%, or true or false",
        }
    ),
]

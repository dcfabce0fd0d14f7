"""Tables of numbers in a policy: what it costs to take one value for another, as exact fractions.

Written as a CSV file (the first line names the values that are taken, each other line begins with the true one) or
as the numbers themselves: {true: {taken: 2.5}}. A pair that nobody mentions costs 1, a value taken for itself 0.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, InstanceOf, PlainSerializer, ValidationInfo, WithJsonSchema

from discreet.common.shares import decimal
from discreet.common.text_file import read_text
from discreet.common.values import as_text, number_text
from discreet.errors import InputError
from discreet.policy.part import Frozen

_NUMBER = re.compile(r"\s*(?:\d+(?:\.\d*)?|\.\d+)\s*")
_RATIO = re.compile(r"\s*\d+\s*/\s*0*[1-9]\d*\s*")
MOST_DIGITS = 100
SEPARATORS = ",;\t|"


def parse_amount(value: object) -> Fraction:
    """Return the exact number, 0 or more, that a value stands for; raise ValueError with the fix otherwise.

    >>> parse_amount("2.5"), parse_amount("1/3")
    (Fraction(5, 2), Fraction(1, 3))
    >>> parse_amount(1e-7) == parse_amount("0.0000001")
    True
    """
    if isinstance(value, (str, int, float, Decimal, Fraction)) and not isinstance(value, bool):
        text = value if isinstance(value, str) else number_text(value)
        if isinstance(value, (float, Decimal)) and math.isfinite(value) and abs(Decimal(text).adjusted()) < MOST_DIGITS:
            text = f"{Decimal(text):f}"
        number = len(text) <= MOST_DIGITS and _NUMBER.fullmatch(text)
        if number or (len(text) <= 2 * MOST_DIGITS + 1 and _RATIO.fullmatch(text)):
            return Fraction(text.replace(" ", ""))
    raise ValueError("write a number that is not negative, such as 2.5")


def write_amount(amount: Fraction) -> str:
    """Return the number as a text that `parse_amount` reads."""
    short = decimal(amount, 12)
    return short if Fraction(short) == amount else str(amount)


class Matrix(Frozen):
    """What it costs to take a value (first) for another (second)."""

    def __reduce__(self) -> tuple[type[Matrix], tuple[dict[str, Any]]]:
        return Matrix, (dict(self),)

    def cost(self, true: str | None, taken: str | None) -> Fraction:
        """Return what it costs to take one value for another."""
        told: Fraction | None = self.get(true, {}).get(taken) if true is not None else None
        return Fraction(true != taken) if told is None else told

    def values_named(self) -> set[str]:
        """Return every value that occurs."""
        return {*self, *(taken for line in self.values() for taken in line)}

    def written(self) -> dict[str, dict[str, str]]:
        """Return plain data."""
        return {true: {taken: write_amount(cost) for taken, cost in line.items()} for true, line in self.items()}


def as_matrix(value: object, info: ValidationInfo) -> object:
    """Accept the numbers themselves, or the file that holds them."""
    if isinstance(value, (str, Path)):
        try:
            return read_matrix(Path((info.context or {}).get("folder", Path())) / value)
        except InputError as error:
            raise ValueError(str(error)) from None
    if value is None or isinstance(value, Matrix):
        return value
    if not isinstance(value, Mapping):
        raise ValueError("write {TRUE: {TAKEN: 2.5}}, or the name of a CSV file")
    lines: dict[str, Frozen] = {}
    for true, line in value.items():
        if not isinstance(line, Mapping):
            raise ValueError("write {TRUE: {TAKEN: 2.5}}, or the name of a CSV file")
        lines[_name(true)] = Frozen({_name(taken): parse_amount(cost) for taken, cost in line.items()})
    if not lines:
        raise ValueError("is empty; write {TRUE: {TAKEN: 2.5}}, or leave it out")
    return _checked(Matrix(lines))


def read_matrix(path: Path) -> Matrix:
    """Return the numbers in a CSV file; raise `InputError` with the line of the first mistake."""
    try:
        return _checked(Matrix(_lines(read_text(path, "costs"))))
    except ValueError as error:
        raise InputError(f"{path}: {error}") from None


def _lines(text: str) -> dict[str, Frozen]:
    top = text.split("\n", maxsplit=1)[0]
    separator = max(SEPARATORS, key=top.count)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True))
    except csv.Error as error:
        raise ValueError(f"not CSV ({error})") from None
    numbered = [(number, row) for number, row in enumerate(rows, start=1) if row]
    if len(numbered) < 2 or len(numbered[0][1]) < 2:
        raise ValueError("has no numbers; the first line names the values taken, each other one begins with the true")
    taken = numbered[0][1][1:]
    if len(set(taken)) < len(taken):
        raise ValueError("line 1: names a value twice")
    lines: dict[str, Frozen] = {}
    for number, row in numbered[1:]:
        if len(row) != len(taken) + 1:
            raise ValueError(f"line {number}: has {len(row)} cells, the first line has {len(taken) + 1}")
        if row[0] in lines:
            raise ValueError(f"line {number}: stands there twice")
        lines[row[0]] = Frozen(_amounts(taken, row[1:], number))
    return lines


def _amounts(taken: Sequence[str], cells: Sequence[str], number: int) -> Iterator[tuple[str, Fraction]]:
    for name, cell in zip(taken, cells, strict=True):
        try:
            yield name, parse_amount(cell)
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from None


def _checked(matrix: Matrix) -> Matrix:
    if any(matrix.cost(value, value) for value in matrix):
        raise ValueError("what is taken for itself costs nothing: write 0 there")
    if not any(cost for line in matrix.values() for cost in line.values()):
        raise ValueError("all numbers are 0: then nothing matters")
    return matrix


def _name(value: object) -> str:
    text = as_text(value)
    if not isinstance(text, str):
        raise ValueError("write the value as the text it has in the table")
    return text


Amounts = Annotated[
    InstanceOf[Matrix] | None,
    BeforeValidator(as_matrix),
    PlainSerializer(lambda matrix: None if matrix is None else matrix.written()),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "description": "a CSV file, relative to the policy"},
                {
                    "type": "object",
                    "minProperties": 1,
                    "additionalProperties": {
                        "type": "object",
                        "additionalProperties": {"type": ["number", "string"], "minimum": 0},
                    },
                },
            ]
        }
    ),
]
Weight = Annotated[
    Fraction,
    BeforeValidator(parse_amount),
    PlainSerializer(write_amount, return_type=str),
    WithJsonSchema({"anyOf": [{"type": "number", "minimum": 0}, {"type": "string", "pattern": r"^[\d./\s]+$"}]}),
]

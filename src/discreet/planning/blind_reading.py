"""How blind protection reads the columns of a table: the elements of each, in order, and that of every cell.

An element is a text, a class of numbers or dates, missing, or other: whatever nobody in the rest has. Elements are made
from the rest alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from types import EllipsisType
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from discreet.columns.scale import Scale
from discreet.encoded import Encoded
from discreet.method.cells.blind_columns import BlindColumn, Codes

CLASSES = 10
"""Numbers and dates are read in at most so many classes."""
OTHER = ...
Element: TypeAlias = str | int | EllipsisType | None
"""A text, the number of a class, None for missing, `OTHER`."""
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class ReadColumn:
    """The elements of a column, and that of each row."""

    elements: tuple[Element, ...]
    codes: Codes
    """Of all rows."""
    blind: BlindColumn
    """The same for the rest, as methods want it."""
    cuts: tuple[Decimal, ...] | None = None
    """Where classes begin, but for the first; None where texts are elements."""


@dataclass(frozen=True)
class BlindReading:
    """How the texts of a column are read."""

    is_missing: Callable[[str | None], bool]
    marker: str
    scale: Scale | None = None
    parents: Mapping[str, str] | None = None
    """The label above each label of a taxonomy."""

    def column(self, encoded: Encoded, rest: Flags) -> ReadColumn:
        """Return the column as it is read."""
        missing = [self.is_missing(text) for text in encoded.domain]
        there = np.bincount(encoded.codes[rest], minlength=len(encoded.domain)) > 0
        lacking = [None] if bool((there & np.array(missing, dtype=np.bool_)).any()) else []
        cuts: tuple[Decimal, ...] | None = None
        found: list[Element]
        if self.scale is None:
            texts = [text for text, gone in zip(encoded.domain, missing, strict=True) if not gone]
            seen = [
                text
                for text, is_there, gone in zip(encoded.domain, there, missing, strict=True)
                if is_there and not gone
            ]
            elements: list[Element] = [*sorted(text for text in seen if text is not None), *lacking, OTHER]
            of: dict[Element, int] = {element: place for place, element in enumerate(elements)}
            found = [None if gone else text for text, gone in zip(encoded.domain, missing, strict=True)]
            del texts
        else:
            numbers = [
                None if gone else self.scale.read(text) for text, gone in zip(encoded.domain, missing, strict=True)
            ]
            counts = np.bincount(encoded.codes[rest], minlength=len(encoded.domain)).tolist()
            cuts = class_cuts(
                [(number, rows) for number, rows in zip(numbers, counts, strict=True) if number is not None and rows]
            )
            some = any(number is not None and rows for number, rows in zip(numbers, counts, strict=True))
            elements = [*range(len(cuts) + 1 if some else 0), *lacking, OTHER]
            of = {element: place for place, element in enumerate(elements)}
            found = [
                None if gone else OTHER if number is None else bisect_right(cuts, number)
                for number, gone in zip(numbers, missing, strict=True)
            ]
        last = len(elements) - 1
        place_of = np.array([of.get(element, last) for element in found], dtype=np.int32)
        codes = place_of[encoded.codes] if len(place_of) else np.zeros(0, dtype=np.int32)
        marked = -1
        if self.marker in encoded.domain and there[encoded.domain.index(self.marker)]:
            marked = int(place_of[encoded.domain.index(self.marker)])
            marked = -1 if marked == last else marked
        values = tuple(
            place
            for place, element in enumerate(elements)
            if element is not None and element is not OTHER and element != self.marker
        )
        blind = BlindColumn(codes[rest], len(elements), marked, values, tuple(self._above(elements, of)))
        return ReadColumn(tuple(elements), codes, blind, cuts)

    def _above(self, elements: Sequence[Element], of: Mapping[Element, int]) -> list[tuple[int, int]]:
        """Return each element with those above it."""
        found = []
        for place, element in enumerate(elements):
            label = (self.parents or {}).get(element) if isinstance(element, str) else None
            while label is not None:
                if label in of:
                    found.append((place, of[label]))
                label = (self.parents or {}).get(label)
        return found


def class_cuts(numbers: Sequence[tuple[Decimal, int]]) -> tuple[Decimal, ...]:
    """Return where the classes of numbers begin, but for the first, given how many rows have each.

    >>> class_cuts([(Decimal(n), 1) for n in range(20)])[:3]
    (Decimal('2'), Decimal('4'), Decimal('6'))
    """
    rows_of: dict[Decimal, int] = {}
    for number, rows in numbers:
        rows_of[number] = rows_of.get(number, 0) + rows
    ascending = sorted(rows_of)
    if len(ascending) <= CLASSES:
        return tuple(ascending[1:])
    ends = np.cumsum([rows_of[number] for number in ascending])
    total = int(ends[-1])
    wanted = [
        ascending[int(np.searchsorted(ends, part * total // CLASSES, side="right"))] for part in range(1, CLASSES)
    ]
    return tuple(sorted({number for number in wanted if number != ascending[0]}))

"""Columns as blind protection reads them: every cell is one of a few elements (a value, a class, missing, other)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class BlindColumn:
    """A column as it is read: the element of each row of the rest."""

    codes: Codes
    elements: int
    """How many there are; the last is `other`."""
    marked: int = -1
    """The element that reads like a hidden cell, if the rest has it."""
    values: tuple[int, ...] = ()
    """As a secret: the elements that are values."""
    above: tuple[tuple[int, int], ...] = ()
    """Pairs of an element and one above it in a taxonomy."""

    @cached_property
    def agreeing(self) -> list[list[int]]:
        """For each element those of rows that agree with it."""
        found = [[element] for element in range(self.elements)]
        for below, element in self.above:
            found[element].append(below)
        return found


def by_element(column: BlindColumn, values: Codes, number: int) -> Ints:
    """Count rows by element and value; those of unknown value (-1) are left out."""
    known = values >= 0
    cells = column.codes[known].astype(np.int64) * number + values[known]
    return np.bincount(cells, minlength=column.elements * number).reshape(column.elements, number).astype(np.int64)


def summed(column: BlindColumn, having: Ints) -> Ints:
    """Return for each element the rows that agree with it."""
    if not column.above:
        return having
    return np.array([having[covered].sum(axis=0) for covered in column.agreeing], dtype=np.int64)

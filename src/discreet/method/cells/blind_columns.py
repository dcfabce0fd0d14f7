"""Columns as blind protection reads them: every cell is one of a few elements (a value, a class, missing, other)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from discreet.method.cells.blind_judging_kernels import tally

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


def by_element(columns: Sequence[BlindColumn], values: Codes, number: int, parts: Sequence[Ints]) -> list[list[Ints]]:
    """Count some parts of the rows by element of each column and value; those of unknown value (-1) are left out."""
    first = np.cumsum([0, *(column.elements for column in columns)])
    narrow = np.dtype(np.int32 if int(first[-1]) * number < 2**31 else np.int64).type
    cells = np.array([column.codes for column in columns], dtype=narrow)
    cells += first[:-1, None].astype(narrow)
    cells *= narrow(number)
    found, every = [], np.ones(len(columns), dtype=np.bool_)
    for rows in parts:
        counts = np.zeros(int(first[-1]) * number, dtype=np.int64)
        tally(cells, values, 0, rows, every, counts)
        table = counts.reshape(-1, number)
        found.append([table[start:end] for start, end in pairwise(first.tolist())])
    return found


def summed(column: BlindColumn, having: Ints) -> Ints:
    """Return for each element the rows that agree with it."""
    if not column.above:
        return having
    return np.array([having[covered].sum(axis=0) for covered in column.agreeing], dtype=np.int64)

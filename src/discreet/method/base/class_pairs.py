"""Rows of classes where there are thousands of them: for each row (or value) its classes only, with how many rows.

Most rows look like no more than a few others, so nearly all numbers in a table of all classes would be 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints

MOST_FIELDS = 64
"""Classes that are counted in a table of all classes; more of them in pairs."""


class ClassPairs(NamedTuple):
    """Pairs of a class and how many rows are of it; those of one row (or value) stand together."""

    at: Ints
    """Where the pairs of each row begin, and where the last ones end."""
    classes: npt.NDArray[np.int32]
    counts: Ints
    size: int
    """How many classes there are; their numbers are below it."""

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return len(self.at) - 1

    def of_all(self) -> Ints:
        """Return how many rows there are of each class."""
        found = np.zeros(self.size, dtype=np.int64)
        np.add.at(found, self.classes, self.counts)
        return found

    def of_rows(self, rows: Ints) -> ClassPairs:
        """Return the pairs of some rows."""
        lengths = np.diff(self.at)[rows]
        at = np.append(0, np.cumsum(lengths))
        places = np.repeat(self.at[rows] - at[:-1], lengths) + np.arange(at[-1])
        return self._replace(at=at, classes=self.classes[places], counts=self.counts[places])

    def with_more(self, rows: int) -> ClassPairs:
        """Return the same with so many rows behind that are of no class."""
        return self._replace(at=np.append(self.at, np.full(rows, self.at[-1])))

    def table(self) -> Ints:
        """Return the rows of each class (second axis) of each row."""
        found = np.zeros((self.rows, self.size), dtype=np.int64)
        np.add.at(found, (np.repeat(np.arange(self.rows), np.diff(self.at)), self.classes), self.counts)
        return found

    def added(self, each: Ints) -> Ints:
        """Return for each row the sum of what is said of each class, times its rows."""
        summed = np.append(0, np.cumsum(self.counts * each[self.classes]))
        return np.asarray(summed[self.at[1:]] - summed[self.at[:-1]])


def pairs_of(row: Ints, classes: npt.NDArray[np.integer[Any]], counts: Ints, rows: int, size: int) -> ClassPairs:
    """Return the pairs of so many rows, from any number of counts with a row and a class each; ordered by class."""
    key = row.astype(np.int64) * size + classes
    order = np.argsort(key, kind="stable")
    key = key[order]
    begins = np.flatnonzero(np.append(True, key[1:] != key[:-1])) if len(key) else order
    summed = np.add.reduceat(counts[order], begins) if len(key) else counts[:0].astype(np.int64)
    kept = summed != 0
    key, summed = key[begins][kept], summed[kept]
    at = np.searchsorted(key, np.arange(rows + 1, dtype=np.int64) * size)
    return ClassPairs(at.astype(np.int64), (key % max(size, 1)).astype(np.int32), summed, size)


def joined(many: Sequence[ClassPairs]) -> ClassPairs:
    """Return the pairs of several targets as those of one, whose classes are all of theirs in turn."""
    if len(many) == 1:
        return many[0]
    size, rows = sum(pairs.size for pairs in many), many[0].rows
    firsts = np.cumsum([0, *(pairs.size for pairs in many)])
    row = np.concatenate([np.repeat(np.arange(rows), np.diff(pairs.at)) for pairs in many])
    classes = np.concatenate([pairs.classes + first for pairs, first in zip(many, firsts, strict=False)])
    return pairs_of(row, classes, np.concatenate([pairs.counts for pairs in many]), rows, size)

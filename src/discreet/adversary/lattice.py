"""The different rows of a release, counted by which of a row's conditions they share: all subsets at once.

A set of conditions is a number whose bits are the conditions. The rows that share at least those of a set are the sum
over all sets that contain it, for all 2^k sets in k additions of the whole lattice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.adversary.view import View
from discreet.encoded import Ints

Small = npt.NDArray[np.int32]
_MOST = 2**62


def superset_sums(counts: Ints) -> Ints:
    """Return for each set of bits the sum of the counts of all sets that contain it.

    >>> superset_sums(np.array([1, 2, 3, 4])).tolist()
    [10, 6, 7, 4]
    """
    total, step = counts.copy(), 1
    while step < total.shape[-1]:  # lines of counts are each summed up by themselves
        halves = total.reshape(-1, 2, step)
        halves[:, 0] += halves[:, 1]
        step *= 2
    return total


def set_sizes(sets: Ints) -> Ints:
    """Return how many bits each number has."""
    sizes = np.zeros_like(sets)
    left = sets.copy()
    while left.any():
        sizes += left & 1
        left >>= 1
    return sizes


@dataclass(frozen=True)
class Kinds:
    """Rows that are alike, once, with how many there are: first those that tell no value, then value by value."""

    conditions: tuple[Small, ...]
    """The node of each kind, column by column."""
    rows: Ints
    starts: Ints
    """Where the kinds of each value begin (the last: where they end); those before the first tell no value."""

    @cached_property
    def values(self) -> Ints:
        """The values (by their place in the domain) that some row tells."""
        return np.flatnonzero(np.diff(self.starts))

    def agreeing(self, pattern: Sequence[tuple[int, int]]) -> Small:
        """Return for each kind the set of the (column, node) pairs of a pattern that it has."""
        agree: Small = np.zeros(len(self.rows), dtype=np.int32)
        for bit, (column, node) in enumerate(pattern):
            agree |= (self.conditions[column] == node).astype(np.int32) << bit
        return agree

    def counted(self, agree: Small, first: int, stop: int, size: int) -> Ints:
        """Return the rows of some kinds that have at least the conditions of each set."""
        # Sums of whole numbers below 2^53 are exact here.
        found = np.bincount(agree[first:stop], weights=self.rows[first:stop], minlength=size)
        return superset_sums(found.astype(np.int64))

    def counted_of(self, agree: Small, values: Ints, size: int) -> Ints:
        """Return the same for some different values, a line each."""
        if 2 * len(values) < len(self.values):
            ends = [(int(self.starts[value]), int(self.starts[value + 1])) for value in values.tolist()]
            return np.array([self.counted(agree, *pair, size) for pair in ends], dtype=np.int64).reshape(-1, size)
        line = np.full(len(self.starts), -1, dtype=np.int64)
        line[values] = np.arange(len(values))
        first, stop = int(self.starts[0]), int(self.starts[-1])
        lines = line[self._told]
        asked = lines >= 0
        rows, key = self.rows[first:stop][asked], lines[asked] * size + agree[first:stop][asked]
        found = np.bincount(key, weights=rows, minlength=len(values) * size)
        return superset_sums(found.astype(np.int64).reshape(len(values), size))

    @cached_property
    def _told(self) -> Ints:
        """The value of each kind that tells one."""
        return np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))


def kinds_of(view: View) -> Kinds:
    """Return the different rows of a release; a value that is told only roughly is not told."""
    tree = view.classes.tree
    told = tree.leaf_of[view.classes.nodes] + 1  # 0 where it is not told
    told[view.classes.nodes == 0] = 0
    columns = [told, *(seen.nodes for seen in view.predictors)]
    sizes = [len(tree.domain) + 1, *(len(seen.tree.parent) for seen in view.predictors)]
    key, span = columns[0].astype(np.int64), sizes[0]
    for column, size in zip(columns[1:], sizes[1:], strict=True):
        if span * size >= _MOST:
            different, key = np.unique(key, return_inverse=True)
            key, span = key.reshape(-1), len(different)
        key = key * size + column
        span *= size
    _, first, rows = np.unique(key, return_index=True, return_counts=True)
    return Kinds(
        tuple(seen.nodes[first].astype(np.int32) for seen in view.predictors),
        rows.astype(np.int64),
        np.searchsorted(told[first], np.arange(1, len(tree.domain) + 2)),
    )

"""How many more rows those left out need to keep the promises themselves: they are groups like any other."""

from __future__ import annotations

import math
from collections.abc import Hashable
from functools import cached_property

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints, keys
from discreet.method.base.problem import CutProblem

MOST_KEPT = 10_000
"""Counts of groups whose lack is remembered."""


class Lacking:
    """Looks up what groups of rows left out lack; remembers it."""

    def __init__(self, problem: CutProblem) -> None:
        self.problem = problem
        self._known: list[dict[Hashable, int]] = [{} for _ in problem.tables]

    @cached_property
    def _sums(self) -> list[tuple[int, Ints]]:
        """For each table the sum of its rows, and of its hits."""
        return [(int(table.sizes.sum()), table.hits.sum(axis=1)) for table in self.problem.tables]

    def of_rows(self, left_out: npt.NDArray[np.bool_]) -> int:
        """Return how many more rows these need, as the table has them: by the table in which they need most."""
        rows = np.flatnonzero(left_out)
        return max((self._of_table(place, rows) for place in range(len(self.problem.tables))), default=0)

    def of_one(self, size: int, hits: Ints) -> int:
        """Return the same for one group with so many rows and hits, where there is one table that parts no rows."""
        known = self._known[0]
        counted = size, *hits.tolist()
        if counted not in known:
            self._make_room(0, 1)
            known[counted] = self._lacks(0, size, hits)
        return known[counted]

    def _of_table(self, place: int, rows: npt.NDArray[np.int64]) -> int:
        """Return the same for one table: of groups that columns which never change tell apart, the most."""
        table, known = self.problem.tables[place], self._known[place]
        fixed = table.fixed[rows]
        there = np.flatnonzero(np.bincount(fixed)) if len(rows) else rows
        lines = [np.bincount(fixed, weights=line[rows])[there].astype(np.int64) for line in (table.sizes, *table.hits)]
        size, hits = self._sums[place]
        bounds = [size + 1, *(hits + 1).tolist()]  # groups with equal counts lack alike
        key, bound = keys(lines, bounds, len(there))
        _, first = np.unique(key, return_index=True)
        told: list[Hashable] = key[first].tolist()
        if bound < math.prod(bounds):  # too many for one key: numbered among these groups alone
            told = list(zip(*(line[first].tolist() for line in lines), strict=True))
        if not known.keys() >= set(told):
            self._make_room(place, len(told))
            for counted, at in zip(told, first.tolist(), strict=True):
                if counted not in known:
                    here = np.array([line[at] for line in lines[1:]], dtype=np.int64)
                    known[counted] = self._lacks(place, int(lines[0][at]), here)
        return max(0, max(map(known.__getitem__, told), default=0))

    def _make_room(self, place: int, more: int) -> None:
        """Forget everything of a table where so many more would be too many."""
        if len(self._known[place]) + more > MOST_KEPT:
            self._known[place].clear()

    def _lacks(self, place: int, size: int, here: Ints) -> int:
        """Return how many more rows a group with these counts needs to keep the promises of its table."""
        table, (everyone, all_tallies) = self.problem.tables[place], self._sums[place]
        needs = (
            limit.lacking_by_lot(size, limit.own(here), everyone, limit.own(all_tallies), self.problem.total)
            for limit in table.limits
        )
        return max(0, max(needs, default=0))

"""Many sets of known columns, each with the least rows of a group: which rows a cut leaves out, for all sets together.

Guarantee: the rows left out are those that `Evaluator` finds set by set; this is only quicker, because each set is
counted by the few combinations that it has, and only those sets are grouped anew of which a column is cut otherwise
than the last time.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.base.limits import GroupLimit
from discreet.method.base.problem import CutProblem
from discreet.method.cuts.many_kernels import combinations, put_together, too_few

FEWEST = 4
"""Sets of columns from which on it is worth it."""
MOST_GROUPS = 2**22
"""Groups that a set may have at most: each has a place."""
MOST_ROWS = 60_000_000
"""Rows times sets that are kept at most: each may take some 76 bytes."""


class ColumnSets(NamedTuple):
    """What never changes of the sets."""

    columns: Ints
    begin: Ints
    codes: npt.NDArray[np.int32]
    counts: Ints
    of: npt.NDArray[np.int32]
    start: Ints
    members: npt.NDArray[np.int32]


class Combined(NamedTuple):
    """The combinations of all sets, put into groups by a cut."""

    of: npt.NDArray[np.int32]
    number: Ints
    next: npt.NDArray[np.int32]
    rows: Ints


class ManySets:
    """The sets of a problem, ready to be counted."""

    def __init__(self, problem: CutProblem) -> None:
        tables = problem.tables
        rows, known = len(problem.sizes), len(tables[0].columns)
        sizes = np.array([column.space.size for column in problem.columns], dtype=np.int64)
        self.room = np.zeros(max(prod(sorted(sizes.tolist())[-known:]), rows), dtype=np.int64)
        columns = np.array([table.columns for table in tables], dtype=np.int64).reshape(len(tables), known)
        of = np.empty((len(tables), rows), dtype=np.int32)
        members = np.empty((len(tables), rows), dtype=np.int32)
        first, counted = np.empty(rows, dtype=np.int64), np.empty(rows, dtype=np.int64)
        codes, counts, begins = [], [], [0]
        for place, names in enumerate(columns):
            many = combinations(
                problem.codes, names, sizes, problem.sizes, begins[-1], of[place], members[place], first, counted,
                self.room,
            )  # fmt: skip
            codes.append(problem.codes[names[:, np.newaxis], first[:many]].astype(np.int32))
            counts.append(counted[:many].copy())
            begins.append(begins[-1] + int(many))
        joined = np.ascontiguousarray(np.concatenate(codes, axis=1))
        start = np.concatenate([[0], np.cumsum(np.bincount(of.ravel(), minlength=begins[-1]))])
        rows_of = np.concatenate(counts)
        self.sets = ColumnSets(
            columns, np.array(begins), joined, rows_of, np.ascontiguousarray(of.T), start, members.ravel()
        )
        self.least = np.array([_least(table.limits, problem.total) for table in tables], dtype=np.int64)
        of_each, following = (np.zeros(begins[-1], dtype=np.int32) for _ in range(2))
        self.groups = Combined(of_each, np.zeros(begins[-1], dtype=np.int64), following, np.zeros_like(rows_of))
        self.waiting = np.zeros(begins[-1], dtype=np.int64)
        self._last: Ints | None = None
        """The parts by which the combinations are in groups now."""

    def left_out(self, part: Ints, offsets: Ints, widths: Ints, sizes: Ints) -> npt.NDArray[np.bool_]:
        """Return the rows that a cut leaves out."""
        put_together(self.sets, self._anew(part, offsets), part, offsets, widths, self.groups, self.room)
        self._last = part.copy()
        gone = np.zeros(len(sizes), dtype=np.bool_)
        too_few(self.sets, self.least, sizes, self.groups, self.groups.rows.copy(), self.waiting, gone)
        return gone

    def _anew(self, part: Ints, offsets: Ints) -> npt.NDArray[np.bool_]:
        """Return the sets with a column whose parts are not those of the last time."""
        if self._last is None:
            return np.ones(len(self.least), dtype=np.bool_)
        changed = np.add.reduceat(part != self._last, offsets[:-1]) > 0
        found: npt.NDArray[np.bool_] = np.logical_or.reduce(changed[self.sets.columns], axis=1)
        return found

    def short(self, gone: int) -> int:
        """Return how many more rows those left out need to be a group."""
        return max(int(self.least.max()) - gone, 0) if gone else 0


def _least(limits: Sequence[GroupLimit], total: int) -> int:
    """Return how many rows the groups of a set need."""
    return max(min(limit.needs_rows, total + 1) for limit in limits)


def serves(problem: CutProblem) -> bool:
    """Whether only rows count, in many sets of equally many columns, which nothing fixed splits."""
    tables = problem.tables
    if len(tables) < FEWEST or len({len(table.columns) for table in tables}) != 1 or not tables[0].columns:
        return False
    largest = prod(sorted(column.space.size for column in problem.columns)[-len(tables[0].columns) :])
    if largest > MOST_GROUPS or len(problem.sizes) * len(tables) > MOST_ROWS:
        return False
    return all(
        not table.fixed.any()
        and np.array_equal(table.sizes, problem.sizes)
        and table.limits
        and all(limit.measure == "rows" and limit.at_most for limit in table.limits)
        for table in tables
    )

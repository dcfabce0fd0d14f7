"""What local recoding groups: the rows of a problem as items, part by part.

Promises that share no column are parts of their own. Rows that a promise's fixed columns tell apart are never
grouped together.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass

import numpy as np

from discreet.encoded import Ints, keys, regroup
from discreet.method.base.limits import lines_of, stacked
from discreet.method.base.measure_kernels import MEASURE, ROWS
from discreet.method.base.problem import CutProblem, GroupTable
from discreet.method.base.space import Flags
from discreet.method.local.goals import with_goals
from discreet.method.local.group_kernels import GroupedItems, GroupLimits
from discreet.method.local.shapes import SET, LabelShape, Level, Shapes, levels_of, shapes_of


@dataclass(frozen=True)
class ItemPart:
    """Some columns with the promises that know them, ready for the kernels."""

    columns: tuple[int, ...]
    shape: tuple[LabelShape, ...]
    shapes: Shapes
    item_of: Ints
    """The item of each collapsed row."""
    items: GroupedItems
    sizes: Ints
    limits: GroupLimits
    least: int
    """Rows that every group needs."""
    apart: Ints
    """A number from 0 of each item: only items with the same number may be grouped together."""
    fixed: int
    """How many such numbers there are."""
    forbidden: int
    """A loss that only such groups have that mix what must be told apart."""
    codes: tuple[Ints, ...]
    """The code in its space of each code that the items have, by column."""
    levels: list[list[Level]]
    """The levels of each column, and of what is told apart, the finest first."""
    tables: tuple[GroupTable, ...]

    @property
    def told_by_levels(self) -> bool:
        """Whether labels of groups are those of cells: there are no numbers or sets, whose labels may be tighter."""
        return all(each.kind != SET and not len(each.space.places) for each in self.shape)

    @property
    def counts_rows(self) -> bool:
        """Whether all limits are on numbers of rows."""
        return bool((self.limits.lines[:, MEASURE] == ROWS).all())

    @property
    def cells(self) -> Ints:
        """The cells of all codes at all levels, the coarsest first, column after column."""
        return np.concatenate([cell for each in self.levels[: len(self.columns)] for cell, _ in each[::-1]])

    @property
    def cell_levels(self) -> Ints:
        """How many levels each column has."""
        return np.array([len(each) for each in self.levels[: len(self.columns)]], dtype=np.int64)

    @property
    def cell_offset(self) -> Ints:
        """Where the cells of each column begin, and where those of the last one end."""
        lengths = [sum(len(cell) for cell, _ in each) for each in self.levels[: len(self.columns)]]
        return np.cumsum([0, *lengths], dtype=np.int64)

    def labels(self, first: Ints, last: Ints, hidden: Flags) -> tuple[Ints, Ints, dict[int, Flags], Ints]:
        """Return the codes that the labels of groups stand for, as ranges and as sets, and what they lose."""
        low, high = np.empty((len(hidden), len(self.columns)), dtype=np.int64), first[:, : len(self.columns)].copy()
        losses = np.empty_like(low)
        sets: dict[int, Flags] = {}
        for c, (shape, codes) in enumerate(zip(self.shape, self.codes, strict=True)):
            size = shape.space.size
            if shape.kind == SET:
                has = np.zeros((len(hidden), size), dtype=np.bool_)
                has[:, codes] = (first[:, c, None] >> np.arange(len(codes))) & 1
                has[hidden] = True
                sets[self.columns[c]] = has
                low[:, c] = has.argmax(axis=1)
                high[:, c] = size - has[:, ::-1].argmax(axis=1)
                losses[:, c] = shape.figures()[last[:, c]]
            else:
                low[:, c], high[:, c] = shape.ranges(first[:, c], last[:, c])
                losses[:, c] = shape.losses(first[:, c], last[:, c])
            low[hidden, c], high[hidden, c] = 0, size
            losses[hidden, c] = shape.units.suppressed
        return low, high, sets, losses

    def hidden_with(self, of: Ints, hidden: Flags, losses: Ints) -> tuple[Flags, tuple[int, ...]]:
        """Return the groups that are hidden so that hidden rows keep every promise, and promises they cannot keep.

        One group after the other is hidden with the rows that a table tells apart from others, that with the most loss
        first.
        """
        hidden = hidden.copy()
        group = of[self.item_of]
        a_row = np.zeros(len(hidden), dtype=np.int64)
        a_row[group] = np.arange(len(group))
        apart = [_apart(table, group, hidden, losses) for table in self.tables]
        while True:
            changed, broken = False, set()
            for each in (each for values in apart for each in values.values()):
                if wrong := each.wrong():
                    more = each.next(hidden)
                    if more < 0:
                        broken.update(wrong)
                        continue
                    hidden[more] = changed = True
                    for table, values in zip(self.tables, apart, strict=True):
                        values[int(table.fixed[a_row[more]])].hide(more)
            if not changed:
                return hidden, tuple(sorted(broken))


def _apart(table: GroupTable, group: Ints, hidden: Flags, losses: Ints) -> dict[int, _Apart]:
    """Return the rows of a table by what tells them apart from others."""
    order = np.lexsort((group, table.fixed))
    values, starts = np.unique(table.fixed[order], return_index=True)
    rows = np.split(order, starts[1:])
    return {value: _Apart(table, one, group, hidden, losses) for value, one in zip(values.tolist(), rows, strict=True)}


class _Apart:
    """The rows that a table tells apart from others by a value of its fixed columns: what of them is hidden."""

    def __init__(self, table: GroupTable, rows: Ints, group: Ints, hidden: Flags, losses: Ints) -> None:
        """Begin with what is hidden; `rows` are in the order of their groups."""
        self.limits = table.limits
        self.groups, starts = np.unique(group[rows], return_index=True)
        figures = np.concatenate([table.sizes[None], table.hits])[:, rows]
        self.figures = np.add.reduceat(figures, starts, axis=1).astype(np.int64)
        """Rows and tallies of each group (second axis)."""
        self.sums = self.figures[:, hidden[self.groups]].sum(axis=1)
        self.some = bool(hidden[self.groups].any())
        self.order = np.argsort(-losses[self.groups], kind="stable")
        self.at = 0

    def wrong(self) -> list[int]:
        """Return the promises (by number) that the hidden rows break, if there are any."""
        if not self.some:
            return []
        sizes, tallies = self.sums[:1], self.sums[1:, None]
        return [limit.promise for limit in self.limits if limit.figures(sizes, tallies)[0] > limit.at_most]

    def next(self, hidden: Flags) -> int:
        """Return the group that loses most of those that are not hidden; -1 for none."""
        while self.at < len(self.order) and hidden[self.groups[self.order[self.at]]]:
            self.at += 1
        return int(self.groups[self.order[self.at]]) if self.at < len(self.order) else -1

    def hide(self, group: int) -> None:
        """Count the rows of a group that has been hidden."""
        self.sums += self.figures[:, np.searchsorted(self.groups, group)]
        self.some = True


def breaks(table: GroupTable, rows: Flags) -> list[int]:
    """Return the promises (by number) that rows break when they look alike."""
    sizes, tallies = table.sizes[rows].sum(keepdims=True), table.hits[:, rows].sum(axis=1, keepdims=True)
    return [limit.promise for limit in table.limits if limit.figures(sizes, tallies)[0] > limit.at_most]


def always_broken(problem: CutProblem) -> list[int]:
    """Return the promises (by number) that are broken whatever is hidden, of those that know no changeable column."""
    found: set[int] = set()
    for table in problem.tables:
        if not table.columns:
            found.update(*(breaks(table, table.fixed == value) for value in np.unique(table.fixed).tolist()))
    return sorted(found)


def parts_of(problem: CutProblem, shapes: Sequence[LabelShape], worth: Sequence[int] = ()) -> list[ItemPart]:
    """Return the parts: sets of columns that no promise knows together with others.

    `worth` is what a unit of each target costs.
    """
    together = [set(table.columns) for table in problem.tables if table.columns]
    parts: list[set[int]] = []
    for columns in together:
        joined = set(columns).union(*(part for part in parts if part & columns))
        parts = [part for part in parts if not part & columns] + [joined]
    return [_part(problem, shapes, _ordered(problem, shapes, columns), worth) for columns in sorted(parts, key=min)]


def _ordered(problem: CutProblem, shapes: Sequence[LabelShape], columns: Set[int]) -> tuple[int, ...]:
    """Return columns so that those in which two rows have most to lose together come first: fewer are looked at."""
    rows = len(problem.sizes)
    some = np.linspace(0, max(rows - 1, 0), min(rows, 1000)).astype(np.int64)
    other = np.roll(some, len(some) // 2)

    def lost(c: int) -> float:
        one, two = problem.codes[c][some].astype(np.int64), problem.codes[c][other].astype(np.int64)
        if shapes[c].kind == SET:
            return float((one != two).sum() * shapes[c].figures()[min(2, shapes[c].space.size)])
        return float(shapes[c].losses(np.minimum(one, two), np.maximum(one, two)).sum())

    return tuple(sorted(columns, key=lambda c: (-lost(c), c)))


def _part(
    problem: CutProblem, shapes: Sequence[LabelShape], columns: tuple[int, ...], worth: Sequence[int]
) -> ItemPart:
    tables = tuple(table for table in problem.tables if table.columns and table.columns[0] in columns)
    shape = tuple(shapes[c] for c in columns)
    rows = len(problem.sizes)
    widths = [int(table.fixed.max(initial=0)) + 1 for table in tables]
    fixed, _ = keys([table.fixed.astype(np.uint64) for table in tables], widths, rows)
    apart = np.unique(fixed, return_inverse=True)[1].astype(np.int64)
    many = int(apart.max(initial=-1)) + 1
    key, _ = keys(
        [apart.astype(np.uint64), *(problem.codes[c].astype(np.uint64) for c in columns)],
        [many, *(each.space.size for each in shape)],
        rows,
    )
    order, starts, item_of = regroup(key)
    whole = sum(each.units.suppressed for each in shape)
    forbidden = 4 * max(whole, 1)
    codes, occurring = _codes(problem, shape, columns, order[starts])
    if many > 1:
        codes = np.concatenate([codes, apart[order[starts]][:, None]], axis=1)
    figures, limits, least = _limits(problem, tables, order, starts)
    figures, goals = with_goals(problem, columns, worth, figures, order, starts, whole)
    return ItemPart(
        columns, shape, shapes_of(shape, many if many > 1 else 0, forbidden), item_of,
        GroupedItems(np.ascontiguousarray(codes.astype(np.int32)), figures, goals), np.ascontiguousarray(figures[:, 0]),
        limits, least, apart[order[starts]], many, forbidden, occurring,
        _levels(problem, shape, columns, occurring, many), tables,
    )  # fmt: skip


def _codes(
    problem: CutProblem, shape: Sequence[LabelShape], columns: Sequence[int], at: Ints
) -> tuple[Ints, tuple[Ints, ...]]:
    """Return the codes of the items, those of sets counted among the occurring ones only, and what they stand for."""
    codes = np.empty((len(at), len(columns)), dtype=np.int64)
    stand_for = []
    for place, (c, each) in enumerate(zip(columns, shape, strict=True)):
        found = np.arange(each.space.size, dtype=np.int64)
        codes[:, place] = problem.codes[c][at]
        if each.kind == SET:
            found, codes[:, place] = np.unique(codes[:, place], return_inverse=True)
        stand_for.append(found)
    return codes, tuple(stand_for)


def _levels(
    problem: CutProblem, shape: Sequence[LabelShape], columns: Sequence[int], occurring: Sequence[Ints], apart: int
) -> list[list[Level]]:
    """Return the levels of each column by the codes of the items, and one that tells apart what must be."""
    levels = []
    for c, each, codes in zip(columns, shape, occurring, strict=True):
        found = levels_of(each, problem.columns[c].rows)
        levels.append([(cell[codes], loss[codes]) for cell, loss in found])
    if apart > 1:
        levels.append([(np.arange(apart, dtype=np.int64), np.zeros(apart, dtype=np.int64))])
    return levels


def _limits(
    problem: CutProblem, tables: Sequence[GroupTable], order: Ints, starts: Ints
) -> tuple[Ints, GroupLimits, int]:
    """Return the figures of the items, the limits on them, and how many rows a group needs at least."""
    figures = [problem.sizes]
    rows: list[int] = []
    lines = []
    least = 1
    for table in tables:
        known = 0
        if not np.array_equal(table.sizes, problem.sizes):
            known = len(figures)
            figures.append(table.sizes)
        lines.append(lines_of(table.limits, problem.total, first=len(figures)))
        figures += list(table.hits)
        for limit in table.limits:
            rows.append(known)
            if known == 0:
                least = max(least, min(limit.needs_rows, problem.total + 1))
    sums = [np.add.reduceat(each[order], starts) if len(starts) else each[:0] for each in figures]
    kept = GroupLimits(np.array(rows, dtype=np.int64), stacked(lines))
    return np.ascontiguousarray(np.stack(sums, axis=1).astype(np.int64)), kept, least

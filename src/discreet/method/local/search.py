"""Local recoding: groups of rows that look alike, each with the tightest labels that cover it.

Guarantee: every group of rows with equal labels keeps every promise, and each label covers the values of its rows;
rows that are hidden altogether are such a group too. It says nothing about how far the least loss is.

Peeling: level vectors are looked at in ascending loss; a cell in which the rows still left keep every promise is
released, so dense and fine cells are served first. What is left over joins other groups, or takes in rows that others
can spare, or is merged with whole groups until every promise holds. Groups by the prices of rows (`pricing`) are tried
in place of these, and made better by opening and closing whole cells (`cell_moves`). Where there are none, or few rows,
or labels that may be tighter than those of cells, cells that were nearly missed are released where that pays, groups
are dissolved or split and rows are moved while all lose less; last, cells are released in which enough rows lose less
than in their groups.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np

from discreet.common.compiled import need_all
from discreet.encoded import Ints
from discreet.method.base.loss import Units
from discreet.method.base.problem import CutProblem
from discreet.method.local.goals import judged_of_all, left_out_cost
from discreet.method.local.group_kernels import NEVER
from discreet.method.local.group_room import broken_groups, cost_of, total_cost, total_loss, with_rest
from discreet.method.local.grouping import Local, LocalGrouping, PartFound
from discreet.method.local.hearing import Hearing
from discreet.method.local.improving import Improving
from discreet.method.local.items import ItemPart, always_broken, parts_of
from discreet.method.local.lattice import by_block, few_levels
from discreet.method.local.peeling import Peeling, PeelingWatch, most_members
from discreet.method.local.settling import Settled, Settling
from discreet.method.local.shapes import Labels, Level, shape_of, units_of
from discreet.method.local.sweeping import swept
from discreet.method.local.ways import best_way

MOST_LOOKS = 30_000_000
"""Pairs of a row and a group that are looked at in each step that makes groups better."""
MOST_MISSED = 200_000
"""Near misses that are remembered."""
_NONE_MISSED = np.empty((0, 5), dtype=np.int64)


def search(
    problem: CutProblem,
    *,
    weights: Sequence[Fraction] | None = None,
    labels: Sequence[Labels] | None = None,
    remove: bool = False,
    most_gone: int | None = None,
    looks: int = MOST_LOOKS,
    units: Units | None = None,
    worth: Sequence[int] = (),
    carry_on: Callable[[PeelingWatch], bool] = lambda _: True,
) -> Local:
    """Return groups that keep every promise, with little loss.

    `worth` says what a unit that a group costs a target of the problem counts beside a unit of loss; of `units`
    there are by default as many as can be.

    `labels` says for each column which labels it may have. With `remove` rows that fit nowhere may be left out, where
    all promises have columns in common.
    At most `most_gone` rows are hidden or removed, if that can be. `carry_on` hears how far the search is and ends
    it, with a safe result, by saying no; but not while more rows than that would be.
    """
    columns = problem.columns
    kinds: Sequence[Labels] = labels or ["tight"] * len(columns)
    if units is None:
        units = units_of(columns, kinds, weights or [Fraction(1)] * len(columns), problem.total)
    if worth:
        need_all()
    shapes = [shape_of(*each) for each in zip(columns, units.columns, kinds, strict=True)]
    most = problem.total if most_gone is None else most_gone
    parts = parts_of(problem, shapes, worth)
    # Rows that leave would be missed by promises on other columns.
    remove = remove and len(parts) == 1 and all(table.columns for table in problem.tables)
    found = [_LocalSearch(part, Hearing(part, carry_on, most), looks).run(remove=remove) for part in parts]
    gone = np.ones(len(problem.sizes), dtype=np.bool_)
    for one in found:
        gone &= one.gone[one.grouping.group]
    return Local(
        tuple(one.grouping for one in found),
        sum(one.lost for one in found),
        sum(one.judged for one in found),
        int(problem.sizes[gone].sum()) if found else 0,
        tuple(sorted({*always_broken(problem), *(number for one in found for number in one.broken)})),
        units,
    )


class _LocalSearch:
    """The search over one part."""

    def __init__(self, part: ItemPart, hearing: Hearing, looks: int) -> None:
        self.part = part
        self.hearing = hearing
        self.looks = looks
        self.rows = len(part.items.codes)
        self.ends = False
        """Whether groups that break a limit are left to be hidden."""

    def run(self, *, remove: bool) -> PartFound:
        """Group, care for what is left over, make better, and give every group its labels."""
        part, hearing = self.part, self.hearing
        of, count, levels, missed = self._peeled()
        if not hearing.going:
            of, count = swept(part, of, count)
        improving = Improving(part, with_rest(part, of, count), hearing, self.looks, levels, missed)
        improving.split(range(count, count + part.fixed))
        self.groups, stuck, removed = improving.groups, list[int](), list[int]()
        broken = broken_groups(part, self.groups)
        for place, g in enumerate(broken):
            removable = remove and int(self.groups.figures[g, 0]) <= hearing.most
            fate = self._settle(g, [*stuck, *broken[place:]], removable=removable)
            if fate == "stuck":
                stuck.append(g)
            elif fate == "removed":
                removed.append(g)
                hearing.most -= int(self.groups.figures[g, 0])
        for g in removed:  # nobody joins them, and they are not looked at again
            self.groups.head[g] = -1
            improving.missed = _NONE_MISSED
        improving.groups = self.groups
        improving.groups = best_way(improving, improve=not stuck, last=not stuck and not removed)
        improving.unite()
        self.groups = improving.groups
        return self._finished(stuck, removed)

    # Peeling

    def _peeled(self) -> tuple[Ints, int, list[list[Level]], Ints]:
        """Return the group of each item (-1: left over), how many there are, the levels, and cells nearly missed."""
        part = self.part
        of = np.full(self.rows, -1, dtype=np.int64)
        count = np.zeros(2, dtype=np.int64)
        if not self.rows:
            return of, 0, [], _NONE_MISSED
        levels = few_levels(part.levels, self.rows)
        missed = np.empty((min(MOST_MISSED, most_members(part, levels)) if levels else 0, 4), dtype=np.int64)

        def carry_on(watch: PeelingWatch) -> bool:
            return self.hearing.goes_on(watch) or int(part.sizes[of < 0].sum()) > self.hearing.most

        Peeling(part, levels or part.levels, bounded=not levels).run(carry_on, of, count, missed)
        return of, int(count[0]), levels, by_block(missed[: count[1]], levels, self.rows)

    # What is left over

    def _settle(self, g: int, still: Sequence[int], *, removable: bool) -> str:
        """Make a group that breaks a limit keep all, in the cheapest of some ways; say what became of it.

        When it is to end, groups that are `still` broken are stuck, if not too many rows are hidden with them.
        """
        before, hurries = self.groups, True

        def go_on() -> bool:
            nonlocal hurries
            if hurries and not self.hearing.goes_on(PeelingWatch(1.0, total_loss(before))):
                hurries, self.ends = False, self._may_hide(still)
            return not self.ends

        found = Settled(before, NEVER) if self.ends else Settling(self.part, go_on).settle(before, g)
        self.groups = found.groups
        if removable:
            others = total_cost(before) - cost_of(before, g)
            if others + self._left_out(before.figures[g]) <= found.cost:
                self.groups = before
                return "removed"
        return "settled" if found.cost < NEVER else "stuck"

    def _may_hide(self, still: Sequence[int]) -> bool:
        """Whether few enough rows are hidden if these groups are, with others as need be."""
        numbers, of = np.unique(self.groups.of, return_inverse=True)
        hidden = self.hearing.hidden(self.groups)[numbers] | np.isin(numbers, still)
        hidden, _ = self.part.hidden_with(of, hidden, self.groups.losses[numbers, -1])
        return int(self.groups.figures[numbers[hidden], 0].sum()) <= self.hearing.most

    def _left_out(self, figures: Ints) -> int:
        """Return what rows with these figures cost when they are removed."""
        return self.hearing.whole * int(figures[0]) + left_out_cost(self.part.items.goals, figures)

    # The answer

    def _finished(self, stuck: Sequence[int], removed: Sequence[int]) -> PartFound:
        """Return the groups with their labels; those that are stuck are hidden, with others as need be."""
        part, groups = self.part, self.groups
        numbers, of = np.unique(groups.of, return_inverse=True)
        hidden = self.hearing.hidden(self.groups)[numbers] | np.isin(numbers, stuck)
        gone = np.isin(numbers, removed)
        broken: tuple[int, ...] = ()
        if stuck:
            hidden, broken = part.hidden_with(of, hidden, groups.losses[numbers, -1])
            gone &= ~hidden  # rows that the hidden ones need beside them stay, hidden
        rows = groups.figures[numbers, 0]
        judged = (
            judged_of_all(part.items.goals, groups.figures[numbers], hidden, gone)
            if len(part.items.goals.weights)
            else 0
        )
        first, stop, sets, losses = part.labels(groups.first[numbers], groups.last[numbers], hidden)
        losses[gone] = part.shapes.whole[: len(part.columns)]
        of = np.where(gone[of], -1, of)[part.item_of]
        grouping = LocalGrouping(part.columns, of, first, stop, sets, hidden, losses)
        lost = int((rows * losses.sum(axis=1)).sum())
        return PartFound(grouping, lost, judged, np.append(hidden | gone, True), broken)

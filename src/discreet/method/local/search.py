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

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from discreet.common.compiled import need_all
from discreet.encoded import Ints
from discreet.method.base.loss import Units
from discreet.method.base.problem import CutProblem
from discreet.method.base.space import Flags
from discreet.method.local import gains, group_kernels, move_kernels, split_kernels
from discreet.method.local.cell_moves import by_cell_moves
from discreet.method.local.goals import judged_of_all, left_out_cost, unite
from discreet.method.local.group_kernels import NEVER, ItemGroups
from discreet.method.local.group_room import broken_groups, collected, copied, undo_room, with_rest
from discreet.method.local.grouping import Local, LocalGrouping, PartFound
from discreet.method.local.items import ItemPart, always_broken, parts_of
from discreet.method.local.lattice import LevelBlock, block_of, few_levels, two_blocks
from discreet.method.local.peeling import Peeling, PeelingWatch, most_members
from discreet.method.local.price_kernels import PricedCells
from discreet.method.local.pricing import FEW_PRICED, MOST_PRICED, priced
from discreet.method.local.settling import Settled, Settling, looks_at_once
from discreet.method.local.shapes import Labels, Level, shape_of, units_of
from discreet.method.local.sweeping import swept

MOST_LOOKS = 30_000_000
"""Pairs of a row and a group that are looked at in each step that makes groups better."""
MANY_ITEMS, MOST_TIMES = 200_000, 5
"""Where something is to be predicted, there is more to be gained: so many times as many pairs are looked at as fewer
items go into the first number, at most the second."""
MOST_MISSED = 200_000
"""Near misses that are remembered."""
ROUNDS = 4
LESS = 99
"""Hundredths of what groups of peeling lose: if those by prices lose less, the others are given up without a try."""


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
    found = [_LocalSearch(part, carry_on, looks).run(remove=remove, most=most) for part in parts]
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

    def __init__(self, part: ItemPart, carry_on: Callable[[PeelingWatch], bool], looks: int) -> None:
        self.part = part
        self.tell = carry_on
        self.going = True
        self.ends = False
        """Whether groups that break a limit are left to be hidden."""
        self.looks = looks * 8 // max(len(part.columns), 8)
        self.at_once = looks_at_once(part)
        self.rows = len(part.items.codes)
        self.predicts = len(part.items.goals.weights) > 0
        if self.predicts:
            self.looks *= min(max(MANY_ITEMS // max(self.rows, 1), 1), MOST_TIMES)
        self.whole = int(part.shapes.whole[: len(part.columns)].sum())
        self.most = int(part.sizes.sum())
        self.blocks: tuple[LevelBlock, LevelBlock] | None = None
        self.levels: list[list[Level]] = []
        self.missed = np.empty((0, 5), dtype=np.int64)

    def run(self, *, remove: bool, most: int) -> PartFound:
        """Group, care for what is left over, make better, and give every group its labels."""
        self.most = most
        of, count = self._peel()
        if not self.going:
            of, count = swept(self.part, of, count)
        self.groups, stuck, removed = with_rest(self.part, of, count), list[int](), list[int]()
        self._split(range(count, count + self.part.fixed))
        broken = broken_groups(self.part, self.groups)
        for place, g in enumerate(broken):
            removable = remove and int(self.groups.figures[g, 0]) <= self.most
            fate = self._settle(g, [*stuck, *broken[place:]], removable=removable)
            if fate == "stuck":
                stuck.append(g)
            elif fate == "removed":
                removed.append(g)
                self.most -= int(self.groups.figures[g, 0])
        for g in removed:  # nobody joins them, and they are not looked at again
            self.groups.head[g] = -1
            self.missed = self.missed[:0]
        last = not stuck and not removed
        ways, done = self._by_prices() if last else ([self.groups], False)
        both = len(ways) > 1 and self.rows <= FEW_PRICED
        made = [self._better(each, improve=not (stuck or done), last=both) for each in ways]
        self.groups = min(made, key=lambda found: found[:2])[2]
        if last and not both and not done:
            self._better(self.groups, improve=False, last=True)
        self._unite()
        return self._finished(stuck, removed)

    # Peeling

    def _peel(self) -> tuple[Ints, int]:
        """Return the group of each item (-1: left over) and how many groups there are."""
        part = self.part
        of = np.full(self.rows, -1, dtype=np.int64)
        count = np.zeros(2, dtype=np.int64)
        if not self.rows:
            return of, 0
        levels = few_levels(part.levels, self.rows)
        self.levels = levels
        if levels:
            left, right, _ = two_blocks(levels, self.rows)
            codes = part.items.codes.T
            self.blocks = (
                block_of(codes[left], [levels[c] for c in left]),
                block_of(codes[right], [levels[c] for c in right]),
            )
        missed = np.empty((min(MOST_MISSED, most_members(part, levels)) if levels else 0, 4), dtype=np.int64)

        def carry_on(watch: PeelingWatch) -> bool:
            return self._go_on(watch) or int(part.sizes[of < 0].sum()) > self.most

        Peeling(part, levels or part.levels, bounded=not levels).run(carry_on, of, count, missed)
        self.missed = self._by_block(missed[: count[1]], levels)
        return of, int(count[0])

    def _by_block(self, missed: Ints, levels: list[list[Level]]) -> Ints:
        """Return near misses with the two blocks' vectors in place of the numbers of level vectors."""
        if not levels:
            return np.empty((0, 5), dtype=np.int64)
        at = np.unravel_index(missed[:, 1], [len(each) for each in levels])
        blocks = [np.zeros(len(missed), dtype=np.int64) for _ in range(2)]
        for block, chosen in zip(blocks, two_blocks(levels, self.rows)[:2], strict=True):
            for c in chosen:
                block[:] = block * len(levels[c]) + at[c]
        return np.stack([missed[:, 0], *blocks, missed[:, 2], missed[:, 3]], axis=1)

    # What is left over

    def _settle(self, g: int, still: Sequence[int], *, removable: bool) -> str:
        """Make a group that breaks a limit keep all, in the cheapest of some ways; say what became of it.

        When it is to end, groups that are `still` broken are stuck, if not too many rows are hidden with them.
        """
        before, hurries = self.groups, True

        def go_on() -> bool:
            nonlocal hurries
            if hurries and not self._go_on(PeelingWatch(1.0, int(group_kernels.total_loss(before)))):
                hurries, self.ends = False, self._may_hide(still)
            return not self.ends

        found = Settled(before, NEVER) if self.ends else Settling(self.part, go_on).settle(before, g)
        self.groups = found.groups
        if removable:
            others = int(group_kernels.total_cost(before) - group_kernels.cost(before, g))
            if others + self._left_out(before.figures[g]) <= found.cost:
                self.groups = before
                return "removed"
        return "settled" if found.cost < NEVER else "stuck"

    def _may_hide(self, still: Sequence[int]) -> bool:
        """Whether few enough rows are hidden if these groups are, with others as need be."""
        numbers, of = np.unique(self.groups.of, return_inverse=True)
        hidden = self._hidden()[numbers] | np.isin(numbers, still)
        hidden, _ = self.part.hidden_with(of, hidden, self.groups.losses[numbers, -1])
        return int(self.groups.figures[numbers[hidden], 0].sum()) <= self.most

    def _left_out(self, figures: Ints) -> int:
        """Return what rows with these figures cost when they are removed."""
        return self.whole * int(figures[0]) + left_out_cost(self.part.items.goals, figures)

    # Making better

    def _better(self, groups: ItemGroups, *, improve: bool, last: bool) -> tuple[bool, int, ItemGroups]:
        """Return whether groups that are made better hide too many rows, what all cost, and them."""
        self.groups = groups
        if improve:
            self._improve()
        if last and self._going():
            self._reopen_gains()
        self._spare_hidden()
        return self._hides_too_many(), int(group_kernels.total_cost(self.groups)), self.groups

    def _by_prices(self) -> tuple[list[ItemGroups], bool]:
        """Return the groups, after those by the prices of rows where hardly more is lost with these.

        Of many rows whose labels are those of cells the better ones alone, done (second) unless too many are hidden.
        """
        before = self.groups
        usable = self.blocks is not None and not self.predicts and self.part.least > 1 and self.rows <= MOST_PRICED
        by_price = priced(self.part, self.levels, before, self._going) if usable and self._going() else None
        if by_price is None:
            return [before], False
        self.groups, promising = by_price
        if not self.part.told_by_levels:
            self._dissolve()
            self._relocate()
        self._move_cells(promising)
        now, then = (int(group_kernels.total_cost(groups)) for groups in (self.groups, before))
        if self.rows <= FEW_PRICED or not (self.part.told_by_levels and self.part.counts_rows):
            # They mostly get better than those of peeling when all are made better, so a hundredth more is allowed.
            return ([before] if now * 100 >= then * 101 else [self.groups, before]), False
        ways = [self.groups]
        if now * 100 >= then * LESS or self._hides_too_many():
            self.groups = before
            self._move_cells(promising)
            ways.append(self.groups)
        found = min((self._better(each, improve=False, last=False) for each in ways), key=lambda way: way[:2])
        return ([found[2], before], False) if found[0] else ([found[2]], True)

    def _move_cells(self, promising: PricedCells) -> None:
        """Open and close cells, and move rows, while all lose less."""
        self.groups = by_cell_moves(self.part, self.groups, promising, self._going)
        self._relocate()

    def _improve(self) -> None:
        missed = self.missed[np.argsort(-self.missed[:, 3], kind="stable")]
        self._unite()
        lost = int(group_kernels.total_cost(self.groups))
        for _ in range(ROUNDS):
            before = self.groups if self.predicts else None
            self.groups = self.groups if before is None else copied(before)
            self._reopen(missed)
            self._dissolve()
            self._relocate()
            self._split(np.flatnonzero(self.groups.figures[: self.groups.numbers[0], 0] >= 2 * self.part.least))
            self._unite()
            now = int(group_kernels.total_cost(self.groups))
            if before is not None and now > lost:  # groups that were better apart have come to look alike
                self.groups = before
                break
            if (lost - now) * 200 < lost or not self._going():
                break
            lost = now

    def _unite(self) -> None:
        """Make groups that look alike one, where it counts for more than their loss which rows are together."""
        if self.predicts:
            unite(self.part, self.groups, self._hidden())

    def _reopen_gains(self) -> None:
        """Release cells in which enough rows lose less than now, those first in which all gain most."""
        if self.blocks is None or self.predicts or self.rows > gains.MOST_ROWS:
            return
        numbers, of = np.unique(self.groups.of, return_inverse=True)
        self.groups = collected(self.part, of, len(numbers))  # without those that are gone
        found = gains.gains(self.part, self.levels, self.groups.losses[self.groups.of, -1], self.whole * 3 // 10)
        self._reopen(self._by_block(found[np.argsort(-found[:, 4], kind="stable")], self.levels))
        self._dissolve()
        self._relocate()

    def _reopen(self, missed: Ints) -> None:
        if self.blocks is None:
            return
        part, (one, two) = self.part, self.blocks
        order = np.argsort(one.combination, kind="stable")
        start = np.append(0, np.cumsum(np.bincount(one.combination, minlength=one.cells.shape[1])))
        room = len(self.groups.head)
        scratch = [np.zeros(n, dtype=np.int64) for n in (self.rows, self.rows, room, room)]
        undo = undo_room(self.part, self.rows)
        for chunk in self._chunks(missed, 200):
            move_kernels.reopen(
                part.shapes, part.items, part.limits, self.groups, chunk, one.combination, two.combination, start,
                order, one.cells, two.cells, part.least // 2 + 5, undo, *scratch,
            )  # fmt: skip

    def _dissolve(self) -> None:
        part, groups = self.part, self.groups
        order = np.argsort(-groups.losses[: groups.numbers[0], -1], kind="stable")
        undo = undo_room(self.part, self.rows)
        largest = 4 * part.least
        for chunk in self._chunks(order, max(self.at_once // (len(order) * 4 * part.least), 1), share=3):
            move_kernels.dissolve(part.shapes, part.items, part.limits, groups, chunk, 0, largest, undo)

    def _relocate(self) -> None:
        part, groups = self.part, self.groups
        order = np.argsort(-groups.losses[groups.of, -1], kind="stable")
        order = order[groups.head[groups.of[order]] >= 0]
        spare = int(groups.numbers[0])
        if spare >= len(groups.head):
            return
        for chunk in self._chunks(order, max(self.at_once // max(spare, 1), 1)):
            move_kernels.relocate(part.shapes, part.items, part.limits, groups, chunk, spare)

    def _split(self, order: Sequence[int] | Ints) -> None:
        part = self.part
        members = np.empty(self.rows, dtype=np.int64)
        rank = np.empty(32, dtype=np.int64)
        for chunk in self._chunks(np.asarray(order, dtype=np.int64), 64):
            split_kernels.split_all(
                part.shapes, part.items, part.limits, self.groups, chunk, part.cells, part.cell_offset,
                part.cell_levels, members, rank,
            )  # fmt: skip

    def _chunks(self, order: Ints, size: int, share: int = 1) -> Iterator[Ints]:
        """Yield pieces of the work until it is done, has taken its share of looks or shall end."""
        enough = self.groups.numbers[1] + self.looks // share
        for begin in range(0, len(order), size):
            if self.groups.numbers[1] > enough or not self._going():
                return
            yield order[begin : begin + size]

    def _going(self) -> bool:
        return self._go_on(PeelingWatch(1.0, int(group_kernels.total_loss(self.groups)))) or self._hides_too_many()

    def _go_on(self, watch: PeelingWatch) -> bool:
        self.going = self.going and self.tell(watch)
        return self.going

    # The answer

    def _hidden(self) -> Flags:
        """Return which groups tell nothing."""
        hidden = self.groups.losses[: self.groups.numbers[0], : len(self.part.columns)].sum(axis=1) >= self.whole
        return np.asarray(hidden & (self.groups.head[: self.groups.numbers[0]] >= 0))

    def _hides_too_many(self) -> bool:
        return int(self.groups.figures[self._hidden().nonzero()[0], 0].sum()) > self.most

    def _spare_hidden(self) -> None:
        """Deal hidden rows to other groups when there are too many of them."""
        for g in np.flatnonzero(self._hidden()).tolist():
            if not self._hides_too_many():
                return
            before = self.groups
            self.groups = copied(before)
            if not Settling(self.part, lambda: True).deal(self.groups, g):
                self.groups = before

    def _finished(self, stuck: Sequence[int], removed: Sequence[int]) -> PartFound:
        """Return the groups with their labels; those that are stuck are hidden, with others as need be."""
        part, groups = self.part, self.groups
        numbers, of = np.unique(groups.of, return_inverse=True)
        hidden = self._hidden()[numbers] | np.isin(numbers, stuck)
        gone = np.isin(numbers, removed)
        broken: tuple[int, ...] = ()
        if stuck:
            hidden, broken = part.hidden_with(of, hidden, groups.losses[numbers, -1])
            gone &= ~hidden  # rows that the hidden ones need beside them stay, hidden
        rows = groups.figures[numbers, 0]
        judged = judged_of_all(part.items.goals, groups.figures[numbers], hidden, gone) if self.predicts else 0
        first, stop, sets, losses = part.labels(groups.first[numbers], groups.last[numbers], hidden)
        losses[gone] = part.shapes.whole[: len(part.columns)]
        of = np.where(gone[of], -1, of)[part.item_of]
        grouping = LocalGrouping(part.columns, of, first, stop, sets, hidden, losses)
        lost = int((rows * losses.sum(axis=1)).sum())
        return PartFound(grouping, lost, judged, np.append(hidden | gone, True), broken)

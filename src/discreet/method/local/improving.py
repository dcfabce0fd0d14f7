"""Groups made better: near misses released, groups dissolved, split and moved, while all rows lose less for it.

Every step keeps every promise.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from discreet.encoded import Ints
from discreet.method.local import gains, move_kernels, split_kernels
from discreet.method.local.cell_moves import by_cell_moves
from discreet.method.local.goals import unite
from discreet.method.local.group_kernels import ItemGroups
from discreet.method.local.group_room import collected, copied, total_cost, undo_room
from discreet.method.local.hearing import Hearing
from discreet.method.local.items import ItemPart
from discreet.method.local.lattice import LevelBlock, block_of, by_block, two_blocks
from discreet.method.local.price_kernels import PricedCells
from discreet.method.local.settling import looks_at_once
from discreet.method.local.shapes import Level

MANY_ITEMS, MOST_TIMES = 200_000, 5
"""Where something is to be predicted, there is more to be gained: so many times as many pairs are looked at as fewer
items go into the first number, at most the second."""
ROUNDS = 4


class Improving:
    """The groups of one part, which are made better; what is `missed` were cells that nearly were released."""

    def __init__(
        self, part: ItemPart, groups: ItemGroups, hearing: Hearing, looks: int, levels: list[list[Level]], missed: Ints
    ) -> None:
        self.part = part
        self.groups = groups
        self.hearing = hearing
        self.rows = len(part.items.codes)
        self.at_once = looks_at_once(part)
        self.predicts = len(part.items.goals.weights) > 0
        self.looks = looks * 8 // max(len(part.columns), 8)
        if self.predicts:
            self.looks *= min(max(MANY_ITEMS // max(self.rows, 1), 1), MOST_TIMES)
        self.levels = levels
        self.missed = missed
        self.blocks: tuple[LevelBlock, LevelBlock] | None = None
        if levels:
            left, right, _ = two_blocks(levels, self.rows)
            codes = part.items.codes.T
            self.blocks = (
                block_of(codes[left], [levels[c] for c in left]),
                block_of(codes[right], [levels[c] for c in right]),
            )

    def going(self) -> bool:
        """Whether to go on."""
        return self.hearing.goes_on_with(self.groups)

    def better(
        self, groups: ItemGroups, *, improve: bool, last: bool, promising: PricedCells | None = None
    ) -> tuple[bool, int, ItemGroups]:
        """Return whether groups that are made better hide too many rows, what all cost, and them.

        At `last` cells are released in which enough rows lose less than in their groups, and promising ones opened.
        """
        self.groups = groups
        if improve:
            self.improve()
        if last and self.going():
            self.reopen_gains()
        found = self._spared()
        if last and promising is not None and self.going():
            self.move_cells(promising)
            found = min(found, self._spared(), key=lambda each: each[:2])
        self.groups = found[2]
        return found

    def _spared(self) -> tuple[bool, int, ItemGroups]:
        """Spare hidden rows; return whether still too many are hidden, what all cost, and the groups."""
        self.groups = self.hearing.spare_hidden(self.groups)
        return self.hearing.hides_too_many(self.groups), total_cost(self.groups), self.groups

    def move_cells(self, promising: PricedCells) -> None:
        """Open and close cells, and move rows, while all lose less."""
        self.groups = by_cell_moves(self.part, self.groups, promising, self.going)
        self.relocate()

    def improve(self) -> None:
        """Release cells that were nearly missed, dissolve, split and move, while that gains enough."""
        missed = self.missed[np.argsort(-self.missed[:, 3], kind="stable")]
        self.unite()
        lost = total_cost(self.groups)
        for _ in range(ROUNDS):
            before = self.groups if self.predicts else None
            self.groups = self.groups if before is None else copied(before)
            self._reopen(missed)
            self.dissolve()
            self.relocate()
            self.split(np.flatnonzero(self.groups.figures[: self.groups.numbers[0], 0] >= 2 * self.part.least))
            self.unite()
            now = total_cost(self.groups)
            if before is not None and now > lost:  # groups that were better apart have come to look alike
                self.groups = before
                break
            if (lost - now) * 200 < lost or not self.going():
                break
            lost = now

    def unite(self) -> None:
        """Make groups that look alike one, where it counts for more than their loss which rows are together."""
        if self.predicts:
            unite(self.part, self.groups, self.hearing.hidden(self.groups))

    def reopen_gains(self) -> None:
        """Release cells in which enough rows lose less than now, those first in which all gain most."""
        if self.blocks is None or self.predicts or self.rows > gains.MOST_ROWS:
            return
        numbers, of = np.unique(self.groups.of, return_inverse=True)
        self.groups = collected(self.part, of, len(numbers))  # without those that are gone
        found = gains.gains(
            self.part, self.levels, self.groups.losses[self.groups.of, -1], self.hearing.whole * 3 // 10
        )
        self._reopen(by_block(found[np.argsort(-found[:, 4], kind="stable")], self.levels, self.rows))
        self.dissolve()
        self.relocate()

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

    def dissolve(self) -> None:
        """Deal the rows of whole groups to others where all lose less, those first that lose most."""
        part, groups = self.part, self.groups
        order = np.argsort(-groups.losses[: groups.numbers[0], -1], kind="stable")
        undo = undo_room(self.part, self.rows)
        largest = 4 * part.least
        for chunk in self._chunks(order, max(self.at_once // (len(order) * 4 * part.least), 1), share=3):
            move_kernels.dissolve(part.shapes, part.items, part.limits, groups, chunk, 0, largest, undo)

    def relocate(self) -> None:
        """Move single rows where all lose less, those first that lose most."""
        part, groups = self.part, self.groups
        order = np.argsort(-groups.losses[groups.of, -1], kind="stable")
        order = order[groups.head[groups.of[order]] >= 0]
        spare = int(groups.numbers[0])
        if spare >= len(groups.head):
            return
        for chunk in self._chunks(order, max(self.at_once // max(spare, 1), 1)):
            move_kernels.relocate(part.shapes, part.items, part.limits, groups, chunk, spare)

    def split(self, order: Sequence[int] | Ints) -> None:
        """Split some groups where all lose less."""
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
            if self.groups.numbers[1] > enough or not self.going():
                return
            yield order[begin : begin + size]

"""Groups by the prices of rows: which cells to release, all of them weighed against each other at once.

Peeling takes one cell after the other and cannot know what it spoils for later ones. Here every row has a price, what
its loss may come to, and a cell is worth releasing if the prices of its rows come to more than they lose in it. Prices
rise for rows that no such cell has and fall for rows that several have, until about one has each: they are those of
the linear relaxation of the problem (Lagrangian relaxation, by subgradients): at first among cells in which rows lose
little more than now, then among more of them, but for those that are far from being worth it. Then cells are chosen,
those first that were worth it most of the time, and prices are mended in between. Last, cells are opened and closed
while all lose less for it. Rows that a cell lacks cost little at first and then more and more, so that in the end
hardly any lacks some.

Only the number of rows that a group needs counts for that; groups that break other promises are settled afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from discreet.encoded import Ints
from discreet.method.local import group_kernels
from discreet.method.local.gains import cells_in_which
from discreet.method.local.group_kernels import NEVER, ItemGroups
from discreet.method.local.group_room import broken_groups, with_rest
from discreet.method.local.items import ItemPart
from discreet.method.local.price_kernels import (
    ALWAYS,
    CellsOfItems,
    CellStates,
    PricedCells,
    PricedRows,
    PricingRoom,
    choose,
    list_cells,
    open_and_close,
    raise_prices,
)
from discreet.method.local.settling import Settling
from discreet.method.local.shapes import Level

MOST_PRICED, FEW_PRICED = 100_000, 3_000
"""Different rows in a table for which groups by prices are tried; and so few that both are made better to the end."""
MOST_CELLS = 400_000
"""Cells that are weighed."""
MOST_MEMBERS = 4_000_000
"""Rows of all cells that are weighed, a row counted in each."""
FINENESS = 2**21
"""Prices are whole numbers of parts of the loss of a row that tells nothing: so many, where units of loss are fewer."""
LARGEST = 2**45
"""All rows lose at most so many such parts. Each is in one cell of each level vector, and its price is at most some
four times what it loses: even if all cells of all vectors are worth that, their sum does not run over."""
FEW_TENTHS, MANY_TENTHS = (12, 10), (15, 13, 12, 10)
"""Tenths of its loss now that a row may lose in a cell that is weighed, at first and then; of each the first number
with which there are not too many."""
MORE = 8
"""About as many times as many rows as those first ones have the cells in which rows may lose the most tenths."""
FIRST_ROUNDS, ROUNDS, ROUNDS_BETWEEN = 60, 100, 10
"""Rounds in which prices change: with few cells, with many, and each time that cells were chosen."""
FIRST, BETWEEN = (512, 51), (307, 102)
"""How far prices go, and what a round counts in the share of rounds in which a cell was worth it, in 1024ths."""
AT_ONCE = 10
"""Rounds between two looks at the time."""
FAR, NEAR = 30, 10
"""Hundredths of the loss of a group in a cell: cells that are worth so much less than nothing are weighed no longer,
and are not promising in the end."""
PIECES, FEW_PIECES = 40, 16
"""In how many parts the groups there may be are chosen; fewer where labels may be tighter than those of cells."""
PENALTIES = (5, 8, 15, 30)
"""Tenths of a row's loss in its cell that each row costs which the cell lacks."""
SWEEPS = 30
MOST_SETTLED = 300
"""Groups that break a promise at first and are settled in the best of some ways; if there are more, rows are dealt."""


class Weighed(NamedTuple):
    """What comes of weighing cells: the group of each item (-1: none), how many there are, and promising cells."""

    of: Ints
    many: int
    promising: PricedCells


def priced(
    part: ItemPart, levels: Sequence[Sequence[Level]], before: ItemGroups, carry_on: Callable[[], bool]
) -> tuple[ItemGroups, PricedCells] | None:
    """Return groups by the prices of rows that keep every promise, starting from what rows lose in those before.

    Second come promising cells. None if there are too many cells, none, or the search shall end.
    """
    found = _weighed(part, levels, before.losses[before.of, -1], carry_on)
    if found is None:
        return None
    groups = with_rest(part, found.of, found.many)
    settling = Settling(part, carry_on, merges=False)
    for g in range(found.many, found.many + part.fixed):
        if groups.head[g] >= 0:
            settling.deal(groups, g)
    broken = broken_groups(part, groups)
    for g in broken:
        if not carry_on():
            return None
        if group_kernels.keeps(groups.figures[g], part.limits):  # by what others have dealt to it
            continue
        if len(broken) > MOST_SETTLED and settling.deal(groups, g):
            continue
        settled = settling.settle(groups, g)
        if settled.cost == NEVER:
            return None
        groups = settled.groups
    return groups, found.promising


def _weighed(
    part: ItemPart, levels: Sequence[Sequence[Level]], lost: Ints, carry_on: Callable[[], bool]
) -> Weighed | None:
    """Weigh cells, starting from what items lose now."""
    weighing = _Weighing(part, levels, lost, carry_on)
    tenths: Sequence[int] = MANY_TENTHS
    if part.told_by_levels:
        few = weighing.cells(lost, FEW_TENTHS)
        if few is None:
            return None
        weighing.raise_prices(*weighing.begun(few), FIRST_ROUNDS, FIRST)
        if not carry_on():
            return None
        # Where prices tell more than what is lost now, rows may lose more.
        lost = np.maximum(lost, weighing.lost())
        tenths = tenths[len(few.members) * MORE > MOST_MEMBERS :]
    found = weighing.cells(lost, tenths)
    if found is None:
        return None
    cells, states = weighing.begun(found)
    if part.told_by_levels:
        near = weighing.nearly_worth(cells, states, FAR)
        found, cells, states = some_cells(found, near), some_cells(cells, near), _known(states, near)
    weighing.raise_prices(cells, states, ROUNDS, FIRST)
    promising = some_cells(found, weighing.nearly_worth(cells, states, NEAR))
    near = np.flatnonzero(states.share * 100 > ALWAYS)
    if not len(near) or not carry_on():
        return None
    cells, states = some_cells(cells, near), _known(states, near)
    weighing.choose(cells, states)
    if not carry_on():
        return None
    of, count = _grouped(part, cells, weighing.rows_left_alone(), states.chosen, weighing.scratch)
    return Weighed(of, count, promising)


class _Weighing:
    """The rows whose prices are looked for, and what all cells have in common.

    Prices are whole numbers of parts of a unit of loss, `times` for each `parts` units.
    """

    def __init__(
        self, part: ItemPart, levels: Sequence[Sequence[Level]], lost: Ints, carry_on: Callable[[], bool]
    ) -> None:
        self.part = part
        self.levels = levels
        self.carry_on = carry_on
        self.whole = int(part.shapes.whole[: len(part.columns)].sum())
        total = int(part.sizes.sum())
        self.times = max(min(FINENESS // self.whole, LARGEST // (self.whole * total)), 1)
        self.parts = self.whole * total // LARGEST + 1
        self.begin = self._priced(lost)
        self.rows = PricedRows(part.sizes, self.begin.copy(), 4 * self.begin + self._priced(self.whole) // 20)
        self.goal = int((part.sizes * self.begin).sum()) * 97 // 100
        self.scratch = pricing_room(len(part.sizes))

    def _priced(self, lost: Any) -> Any:
        """Return losses in what prices are reckoned in."""
        return lost * self.times // self.parts

    def lost(self) -> Ints:
        """Return prices as losses."""
        return self.rows.price * self.parts // self.times

    def rows_left_alone(self) -> PricedRows:
        """Return the rows with what it costs to have one in no cell for the time being."""
        return self.rows._replace(most=2 * self.begin + self._priced(self.whole) // 50)

    def cells(self, lost: Ints, tenths: Sequence[int]) -> PricedCells | None:
        """Return the cells with enough rows that lose little enough in them, if there are some and not too many."""
        for each in tenths:
            most = _tenths(lost, each) + self.whole // 50
            found = cells_in_which(self.part, self.levels, most, self.part.least, 1, MOST_CELLS, MOST_MEMBERS)
            if found is not None:
                cells = PricedCells(found.begin, np.ascontiguousarray(found.cells[:, 3]), found.members)
                return _different(cells) if len(cells.loss) else None
        return None

    def begun(self, cells: PricedCells) -> tuple[PricedCells, CellStates]:
        """Return cells with their losses in what prices are reckoned in, and that nothing is known of them."""
        cells = cells._replace(loss=self._priced(cells.loss))
        return cells, cell_states(cells)

    def nearly_worth(self, cells: PricedCells, states: CellStates, hundredths: int) -> Ints:
        """Return the cells that lack at most so much of being worth it, the best first."""
        live = np.arange(len(cells.loss))
        raise_prices(cells, self.rows, states, live, self.part.least, 1, self.goal, 0, True, self.scratch)
        group = self.part.least * cells.loss
        kept = np.flatnonzero(states.worth * 100 >= -hundredths * group)
        found: Ints = kept[np.argsort(-(states.worth / np.maximum(group, 1))[kept], kind="stable")]
        return found

    def raise_prices(
        self,
        cells: PricedCells,
        states: CellStates,
        rounds: int,
        paces: tuple[int, int],
        live: Ints | None = None,
    ) -> None:
        """Change prices for some rounds, or until the search shall end; `live` cells count, by default all."""
        live = np.arange(len(cells.loss)) if live is None else live
        pace, decay = paces
        states.due[live] = 0
        self.scratch.drift[:] = 0
        self.scratch.course[:] = 0, -(1 << 62), 0, pace
        for until in range(AT_ONCE, rounds + AT_ONCE, AT_ONCE):
            if not self.carry_on():
                return
            given = cells, self.rows, states, live, self.part.least, min(until, rounds), self.goal, decay
            raise_prices(*given, False, self.scratch)

    def choose(self, cells: PricedCells, states: CellStates) -> None:
        """Choose cells, some of the groups there may be at a time, those first that were worth it most of the time."""
        part = self.part
        pieces = PIECES if part.told_by_levels else FEW_PIECES
        most = max(int(part.sizes.sum()) // part.least // pieces, 5)
        home = np.full(len(part.sizes), -1, dtype=np.int64)
        live = np.arange(len(cells.loss))
        while True:
            order = live[np.argsort(-states.share[live], kind="stable")]
            order = order[states.share[order] * 10 > ALWAYS]
            if choose(cells, part.sizes, states, order, part.least * 3 // 5, most, home) * 100 < most:
                return
            self.raise_prices(cells, states, ROUNDS_BETWEEN, BETWEEN, live)
            if not self.carry_on():
                return
            states.share[states.chosen == 1] = ALWAYS
            live = np.flatnonzero((states.share * 50 > ALWAYS) | (states.chosen == 1))


def _different(cells: PricedCells) -> PricedCells:
    """Return cells without those that have the same rows as another in which these lose no more."""
    rows = int(cells.members.max()) + 1
    marks = np.random.default_rng(0).integers(0, 2**63, rows, dtype=np.uint64)
    sums = np.add.reduceat(marks[cells.members], cells.begin[:-1])
    order = np.lexsort((cells.loss, sums))
    first = np.append(True, np.diff(sums[order]) != 0)
    return some_cells(cells, np.sort(order[first]))


def _tenths(lost: Ints, tenths: int) -> Ints:
    """Return so many tenths of large numbers."""
    return lost // 10 * tenths + lost % 10 * tenths // 10


def some_cells(cells: PricedCells, chosen: Ints) -> PricedCells:
    """Return some of the cells."""
    lengths = np.diff(cells.begin)[chosen]
    begin = np.append(0, np.cumsum(lengths))
    at = np.repeat(cells.begin[chosen] - begin[:-1], lengths) + np.arange(begin[-1])
    return PricedCells(begin, cells.loss[chosen], cells.members[at])


def _known(states: CellStates, chosen: Ints) -> CellStates:
    """Return what is known of some of the cells."""
    return CellStates(*(each[chosen] for each in states))


def cell_states(cells: PricedCells) -> CellStates:
    """Return that nothing is known of these cells."""
    states = CellStates(*(np.zeros_like(cells.loss) for _ in CellStates._fields))
    return states._replace(edge=cells.loss.copy())


def pricing_room(rows: int) -> PricingRoom:
    """Return room for so many different rows."""
    keys, order, served, drift = (np.zeros(rows, dtype=np.int64) for _ in range(4))
    return PricingRoom(keys, order, served, drift, np.zeros(4, dtype=np.int64))


def cells_of_items(cells: PricedCells, items: int) -> CellsOfItems:
    """Return the cells of each item, those first in which it loses least."""
    begin = np.append(0, np.cumsum(np.bincount(cells.members, minlength=items)))
    found = np.empty(len(cells.members), dtype=np.int64)
    list_cells(cells, np.argsort(cells.loss, kind="stable"), begin[:-1].copy(), found)
    return CellsOfItems(begin, found)


def _grouped(
    part: ItemPart, cells: PricedCells, rows: PricedRows, chosen: Ints, scratch: PricingRoom
) -> tuple[Ints, int]:
    """Put each row into a cell, and open and close cells while all lose less for it."""
    number, items = len(cells.loss), len(part.sizes)
    index = cells_of_items(cells, items)
    home = np.full(items, -1, dtype=np.int64)
    item_of = np.repeat(np.arange(items), np.diff(index.begin))
    open_now = np.flatnonzero(chosen[index.cells] == 1)[::-1]
    home[item_of[open_now]] = index.cells[open_now]  # the last that is written is the first in the row's order
    have = np.zeros(number, dtype=np.int64)
    np.add.at(have, home[home >= 0], part.sizes[home >= 0])
    order = np.argsort(cells.loss, kind="stable")
    for penalty in PENALTIES:
        open_and_close(cells, rows, chosen, index, order, part.least, penalty, SWEEPS, home, have, scratch)
    numbers, of = np.unique(np.append(home, -1), return_inverse=True)
    return of[:-1] - 1, len(numbers) - 1

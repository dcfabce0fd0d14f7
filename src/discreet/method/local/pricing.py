"""Groups by the prices of rows: which cells to release, all of them weighed against each other at once.

Peeling takes one cell after the other and cannot know what it spoils for later ones. Here every row has a price, what
its loss may come to, and a cell is worth releasing if the prices of its rows come to more than they lose in it. Prices
rise for rows that no such cell has and fall for rows that several have, until about one has each: they are those of
the linear relaxation of the problem (Lagrangian relaxation, by subgradients). Then cells are chosen, those first that
were worth it most of the time, and prices are mended in between. Last, cells are opened and closed while all lose less
for it. Rows that a cell lacks cost little at first and then more and more, so that in the end hardly any lacks some.

Only the number of rows that a group needs counts for that; groups that break other promises are settled afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from discreet.encoded import Ints
from discreet.method.local import group_kernels
from discreet.method.local.gains import cells_in_which
from discreet.method.local.group_kernels import NEVER, ItemGroups
from discreet.method.local.group_room import broken_groups, with_rest
from discreet.method.local.items import ItemPart
from discreet.method.local.price_kernels import (
    ALWAYS,
    CellStates,
    PricedCells,
    PricedRows,
    PricingRoom,
    choose,
    open_and_close,
    raise_prices,
)
from discreet.method.local.settling import Settling
from discreet.method.local.shapes import Level

MOST_PRICED, FEW_PRICED = 100_000, 10_000
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
CAPS = (15, 12, 10)
"""Tenths of its loss now that a row may lose in a cell that is weighed; the first with which there are not too many."""
ROUNDS, ROUNDS_BETWEEN = 90, 20
"""Rounds in which prices change: first, and each time that cells were chosen."""
FIRST, BETWEEN = (512, 51), (307, 102)
"""How far prices go, and what a round counts in the share of rounds in which a cell was worth it, in 1024ths."""
PENALTIES = (5, 6, 7, 8, 10, 12, 15, 20, 30)
"""Tenths of a row's loss in its cell that each row costs which the cell lacks."""
SWEEPS = 30
MOST_SETTLED = 300
"""Groups that break a promise at first and are settled in the best of some ways; if there are more, rows are dealt."""


def priced(
    part: ItemPart, levels: Sequence[Sequence[Level]], before: ItemGroups, carry_on: Callable[[], bool]
) -> ItemGroups | None:
    """Return groups by the prices of rows that keep every promise, starting from what rows lose in those before.

    None if there are too many cells, none, or the search shall end.
    """
    found = _found(part, levels, before.losses[before.of, -1], carry_on)
    if found is None:
        return None
    of, count = found
    groups = with_rest(part, of, count)
    settling = Settling(part, carry_on, merges=False)
    for g in range(count, count + part.fixed):
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
    return groups


def _found(
    part: ItemPart, levels: Sequence[Sequence[Level]], lost: Ints, carry_on: Callable[[], bool]
) -> tuple[Ints, int] | None:
    """Return a group for each item (-1: none) and how many groups there are, starting from what items lose now."""
    whole = int(part.shapes.whole[: len(part.columns)].sum())
    cells = _cells(part, levels, lost, whole)
    if cells is None or not len(cells.loss):
        return None
    total = int(part.sizes.sum())
    times = max(min(FINENESS // whole, LARGEST // (whole * total)), 1)
    parts = whole * total // LARGEST + 1
    cells = cells._replace(loss=cells.loss * times // parts)
    lost, whole = lost * times // parts, whole * times // parts
    rows = PricedRows(part.sizes, lost.copy(), 4 * lost + whole // 20)
    states = CellStates(np.zeros_like(cells.loss), np.zeros_like(cells.loss))
    goal = int((part.sizes * lost).sum()) * 97 // 100
    scratch = _room(cells, len(lost))
    everywhere = np.arange(len(cells.loss))
    raise_prices(cells, rows, states, everywhere, part.least, ROUNDS, goal, *FIRST, scratch)
    near = np.flatnonzero(states.share * 100 > ALWAYS)
    cells, states = _of(cells, near), CellStates(states.chosen[near], states.share[near])
    if not len(near) or not carry_on():
        return None
    _choose(part, cells, rows, states, goal, scratch)
    if not carry_on():
        return None
    return _grouped(part, cells, rows._replace(most=2 * lost + whole // 50), states.chosen, scratch)


def _cells(part: ItemPart, levels: Sequence[Sequence[Level]], lost: Ints, whole: int) -> PricedCells | None:
    """Return the cells that have enough rows which lose little enough in them, if they are not too many."""
    for tenths in CAPS:
        found = cells_in_which(
            part, levels, _tenths(lost, tenths) + whole // 50, part.least, 1, MOST_CELLS, MOST_MEMBERS
        )
        if found is not None:
            return PricedCells(found.begin, np.ascontiguousarray(found.cells[:, 3]), found.members)
    return None


def _tenths(lost: Ints, tenths: int) -> Ints:
    """Return so many tenths of large numbers."""
    return lost // 10 * tenths + lost % 10 * tenths // 10


def _of(cells: PricedCells, chosen: Ints) -> PricedCells:
    """Return some of the cells."""
    lengths = np.diff(cells.begin)[chosen]
    begin = np.append(0, np.cumsum(lengths))
    at = np.repeat(cells.begin[chosen] - begin[:-1], lengths) + np.arange(begin[-1])
    return PricedCells(begin, cells.loss[chosen], cells.members[at])


def _room(cells: PricedCells, rows: int) -> PricingRoom:
    keys, order, served = (np.zeros(rows, dtype=np.int64) for _ in range(3))
    return PricingRoom(keys, order, served, np.zeros(len(cells.loss), dtype=np.int64))


def _choose(
    part: ItemPart, cells: PricedCells, rows: PricedRows, states: CellStates, goal: int, scratch: PricingRoom
) -> None:
    """Choose cells, an eighth of the groups there may be at a time, those first that were worth it most of the time."""
    most = max(int(part.sizes.sum()) // part.least // 8, 5)
    home = np.full(len(part.sizes), -1, dtype=np.int64)
    live = np.arange(len(cells.loss))
    while True:
        order = live[np.argsort(-states.share[live], kind="stable")]
        order = order[states.share[order] * 10 > ALWAYS]
        if choose(cells, part.sizes, states, order, part.least * 3 // 5, most, home) * 100 < most:
            return
        raise_prices(cells, rows, states, live, part.least, ROUNDS_BETWEEN, goal, *BETWEEN, scratch)
        states.share[states.chosen == 1] = ALWAYS
        live = np.flatnonzero((states.share * 50 > ALWAYS) | (states.chosen == 1))


def _grouped(
    part: ItemPart, cells: PricedCells, rows: PricedRows, chosen: Ints, scratch: PricingRoom
) -> tuple[Ints, int]:
    """Put each row into a cell, and open and close cells while all lose less for it."""
    number, items = len(cells.loss), len(part.sizes)
    cell_of = np.repeat(np.arange(number), np.diff(cells.begin))
    order = np.lexsort((cell_of, cells.loss[cell_of], cells.members))
    places = cell_of[order]
    place_of = np.append(0, np.cumsum(np.bincount(cells.members, minlength=items)))
    home = np.full(items, -1, dtype=np.int64)
    item_of = cells.members[order].astype(np.int64)
    open_now = np.flatnonzero(chosen[places] == 1)[::-1]
    home[item_of[open_now]] = places[open_now]  # the last that is written is the first in the row's order
    have = np.zeros(number, dtype=np.int64)
    np.add.at(have, home[home >= 0], part.sizes[home >= 0])
    by_loss = np.argsort(cells.loss, kind="stable")
    for penalty in PENALTIES:
        open_and_close(cells, rows, chosen, place_of, places, by_loss, part.least, penalty, SWEEPS, home, have, scratch)
    numbers, of = np.unique(np.append(home, -1), return_inverse=True)
    return of[:-1] - 1, len(numbers) - 1

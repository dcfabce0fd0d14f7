"""Cells opened and closed: whole groups made, dissolved and filled up at once, while all rows lose less for it.

Cells are those that the groups have now, with all rows that their labels cover, and others that are promising. To open
one, all rows come that lose less in it, and those that it lacks where that costs least; each group that then lacks rows
is filled up from its own cell, or its rows are dealt to others. To close one, its rows are dealt. Every step keeps
every promise; it is taken only if all rows together lose less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.local.cell_move_kernels import (
    CELL,
    LAST,
    NEWEST,
    NEXT,
    Homes,
    Marks,
    MovedItems,
    MoveRoom,
    find_boxes,
    move_cells,
)
from discreet.method.local.group_kernels import ItemGroups
from discreet.method.local.group_room import collected
from discreet.method.local.items import ItemPart
from discreet.method.local.price_kernels import CellsOfItems, PricedCells
from discreet.method.local.pricing import cells_of_items, some_cells
from discreet.method.local.shapes import SET

MOST_COVERED = 4_000_000
"""Rows that the labels of all groups cover, a row counted for each; groups without room for them have their own."""
MOST_BOXED = 300_000_000
"""Pairs of a group and a row that may be looked at for that; where there are more, all groups have their own."""
SWEEPS = 10
AT_ONCE = 200_000
"""Rows of cells that are gone through between two looks at the time."""
MOST_MOVES = 4
"""Times as many moves as there are rows are remembered of one step; a step of more is not taken."""


def by_cell_moves(
    part: ItemPart, groups: ItemGroups, promising: PricedCells, carry_on: Callable[[], bool]
) -> ItemGroups:
    """Return groups that keep every promise and lose no more than these, which keep them too.

    Promising cells, as they are, are tried in this order.
    """
    numbers, of = np.unique(groups.of, return_inverse=True)
    groups = collected(part, of, len(numbers))
    own = _own_cells(part, groups, len(numbers), carry_on)
    cells = PricedCells(
        np.concatenate([own.begin, own.begin[-1] + promising.begin[1:]]),
        np.concatenate([own.loss, promising.loss]),
        np.concatenate([own.members, promising.members]),
    )
    moving = _Moving(part, groups, cells, len(own.loss), carry_on)
    moving.steps()
    if part.told_by_levels and carry_on():  # labels tighter than those of cells leave chains little to gain
        moving.chains()
        moving.steps()
    numbers, of = np.unique(moving.homes.links[:, CELL], return_inverse=True)
    return collected(part, of, len(numbers))


class _Moving:
    """Cells, those of the groups first, and in which of them each item is."""

    def __init__(
        self, part: ItemPart, groups: ItemGroups, cells: PricedCells, own: int, carry_on: Callable[[], bool]
    ) -> None:
        self.part = part
        self.cells = cells
        self.carry_on = carry_on
        self.index = cells_of_items(cells, len(groups.of))
        self.homes = _homes(groups.of, groups.figures[:own], cells.loss)
        self.marks = _marks(len(groups.of), len(cells.loss))
        self.scratch = _scratch(len(groups.of))
        self.order = np.append(np.arange(own, len(cells.loss)), np.arange(own))
        self.own = np.repeat(np.arange(own), np.diff(cells.begin)[:own])
        lost = cells.loss[groups.of]
        self.items = MovedItems(part.sizes, lost, lost.copy(), part.items.figures)

    def steps(self) -> None:
        """Open and close cells while all lose less for it."""
        for _ in range(SWEEPS):
            self._put_in_order()
            if not self._moved(chains=False) or not self.carry_on():
                break

    def chains(self) -> None:
        """Open cells for which all lose more, and others that make up for it."""
        self._put_in_order()
        self.marks.usual[:] = self.homes.worth
        self._moved(chains=True)

    def _moved(self, *, chains: bool) -> int:
        """Go through all cells once; return what all lose more."""
        part = self.part
        given = self.cells, self.index, self.items, part.limits, self.homes, self.marks, self.scratch, part.least
        return sum(int(move_cells(*given, some, chains)) for some in self._pieces())

    def _pieces(self) -> Iterator[Ints]:
        """Yield the cells in pieces of about as many members, until all are done or the search shall end."""
        for some in _pieces(self.order, np.diff(self.cells.begin)[self.order]):
            if not self.carry_on():
                return
            yield some

    def _put_in_order(self) -> None:
        """Put the items of the groups' cells in order, those first that lose most; find the cells with rows."""
        price, most = self.items.price, int(self.items.price.max())
        self.items.before[:] = price
        members = self.cells.members[: len(self.own)]
        members[:] = members[np.argsort(self.own * (most + 1) + most - price[members], kind="stable")]
        which = np.flatnonzero(self.homes.head >= 0)
        begun = cells_of_items(some_cells(self.cells, which), len(price))
        self.homes.links[:, NEWEST] = -1
        self.homes.ordered[0] = len(self.own)
        self.homes = self.homes._replace(begun=begun._replace(cells=which[begun.cells]))


def _own_cells(part: ItemPart, groups: ItemGroups, count: int, carry_on: Callable[[], bool]) -> PricedCells:
    """Return the cells of the groups: what their labels lose, and all items that these cover, if there is room."""
    begin, members = _boxed(part, groups, count, carry_on)
    lengths = np.diff(begin)
    if not lengths.all():  # in the place of those for which there was no room: their own items
        missing = lengths == 0
        alone = np.flatnonzero(missing[groups.of])
        number = np.concatenate([np.repeat(np.arange(count), lengths), groups.of[alone]])
        found = np.concatenate([members, alone.astype(np.uint32)])
        members = found[np.argsort(number, kind="stable")]
        begin = np.append(0, np.cumsum(np.bincount(number, minlength=count)))
    return PricedCells(begin, groups.losses[:count, -1].copy(), members)


def _boxed(
    part: ItemPart, groups: ItemGroups, count: int, carry_on: Callable[[], bool]
) -> tuple[Ints, npt.NDArray[np.uint32]]:
    """Return from where on the items stand that the labels of each group cover; none without room or time for them."""
    codes = part.items.codes
    begin = np.zeros(count + 1, dtype=np.int64)
    order = np.argsort(codes[:, 0], kind="stable")
    start = np.append(0, np.cumsum(np.bincount(codes[:, 0], minlength=int(part.shapes.size[0]) + 1)))
    low, high = _covered(part, groups, count)
    is_set = int(part.shapes.kind[0]) == SET
    looks = np.full(count, len(codes)) if is_set else start[high[:, 0] + 1] - start[low[:, 0]]
    pairs = int(looks.sum())
    members = np.empty(min(pairs, MOST_COVERED) if pairs <= MOST_BOXED else 0, dtype=np.uint32)
    for some in _pieces(np.arange(count), looks) if len(members) else []:
        if not carry_on():
            begin[some[0] + 1 :] = begin[some[0]]
            break
        here = slice(some[0], some[-1] + 1)
        here_on = begin[some[0] : some[-1] + 2]
        find_boxes(part.shapes.kind, codes, order, start, low[here], high[here], here_on, members)
    return begin, members[: begin[-1]]


def _covered(part: ItemPart, groups: ItemGroups, count: int) -> tuple[Ints, Ints]:
    """Return the first and the last code that the labels of each group cover; in a column of sets the codes as bits."""
    low, high = groups.first[:count].copy(), groups.last[:count].copy()
    first, stop, sets, _ = part.labels(groups.first[:count], groups.last[:count], np.zeros(count, dtype=np.bool_))
    for c in range(len(part.columns)):
        if part.columns[c] not in sets:
            low[:, c], high[:, c] = first[:, c], stop[:, c] - 1
    return low, high


def _homes(of: Ints, counted: Ints, loss: Ints) -> Homes:
    """Return that each item is in the cell `of` its group.

    `counted` are the figures of the first cells, others have no rows.
    """
    cells = len(loss)
    figures = np.zeros((cells, counted.shape[1]), dtype=np.int64)
    figures[: len(counted)] = counted
    order = np.argsort(of, kind="stable")
    one, other = order[:-1], order[1:]
    alike = of[one] == of[other]
    links, head = np.full((len(of), 4), -1, dtype=np.int64), np.full(cells, -1, dtype=np.int64)
    head[of[order[::-1]]] = order[::-1]
    links[:, CELL] = of
    links[one[alike], NEXT], links[other[alike], LAST] = other[alike], one[alike]
    none, worth = np.zeros(0, dtype=np.int64), np.zeros(cells, dtype=np.int64)
    return Homes(links, head, CellsOfItems(none, none), figures, worth, loss.copy(), np.zeros(1, dtype=np.int64))


def _marks(items: int, cells: int) -> Marks:
    """Return that all cells have changed just now, and none was tried."""
    tried, usual, seen, reached, hope, queue = (np.zeros(cells, dtype=np.int64) for _ in range(6))
    clock, changed = np.full(1, 2, dtype=np.int64), np.ones(cells, dtype=np.int64)
    return Marks(clock, changed, tried, usual, np.zeros(items, dtype=np.int64), seen, reached, hope, queue)


def _scratch(items: int) -> MoveRoom:
    keys, rows = (np.empty(items, dtype=np.int64) for _ in range(2))
    return MoveRoom(np.empty((MOST_MOVES * items + 64, 2), dtype=np.int64), keys, rows)


def _pieces(order: Ints, weights: Ints) -> list[Ints]:
    """Return what is to be gone through in pieces of about the same weight."""
    at = np.cumsum(weights) // AT_ONCE
    return [some for some in np.split(order, np.flatnonzero(np.diff(at)) + 1) if len(some)]

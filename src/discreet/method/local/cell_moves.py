"""Cells opened and closed: whole groups made, dissolved and filled up at once, while all rows lose less for it.

Cells are those that the groups have now, with all rows that their labels cover, and others that are promising. To open
one, all rows come that lose less in it, and those that it lacks where that costs least; each group that then lacks rows
is filled up from its own cell, or its rows are dealt to others. To close one, its rows are dealt. Every step keeps
every promise; it is taken only if all rows together lose less.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import os
import numpy as np

from discreet.encoded import Ints
from discreet.method.local.cell_move_kernels import Homes, MovedItems, MoveRoom, chain_cells, find_boxes, move_cells, weigh_usual
from discreet.method.local.group_kernels import ItemGroups
from discreet.method.local.group_room import collected
from discreet.method.local.items import ItemPart
from discreet.method.local.price_kernels import CellsOfItems, PricedCells
from discreet.method.local.pricing import _of, cells_of_items

CH = []
MOST_COVERED = 4_000_000
"""Rows that the labels of all groups cover, a row counted for each; groups without room for them have their own."""
MOST_BOXED = 300_000_000
"""Pairs of a group and a row that are looked at for that."""
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
    own = _own_cells(part, groups, len(numbers))
    cells = PricedCells(
        np.concatenate([own.begin, own.begin[-1] + promising.begin[1:]]),
        np.concatenate([own.loss, promising.loss]),
        np.concatenate([own.members, promising.members]),
    )
    homes = _homes(part, groups, cells.loss)
    index, scratch = cells_of_items(cells, len(of)), _scratch(len(of), len(cells.loss))
    lost = cells.loss[homes.cell]
    items = MovedItems(part.sizes, lost, lost.copy(), part.items.figures)
    own_cell = np.repeat(np.arange(len(own.loss)), np.diff(own.begin))

    def put_in_order() -> None:
        known = len(own.members)
        items.before[:] = items.price
        mine = cells.members[:known]
        mine[:] = mine[np.argsort(own_cell * (int(lost.max()) + 1) - items.before[mine] + int(lost.max()), kind="stable")]
        homes.clock[1] = known
        return homes._replace(opened=_opened(cells, np.flatnonzero(homes.open), len(of)))

    given = cells, index, items, part.limits, homes, scratch, part.least
    order = np.append(np.arange(len(own.loss), len(cells.loss)), np.arange(len(own.loss)))
    for _ in range(SWEEPS):
        homes = put_in_order()
        given = cells, index, items, part.limits, homes, scratch, part.least
        more = 0
        for some in _pieces(order, np.diff(cells.begin)[order]):
            if not carry_on():
                break
            more += move_cells(*given, some)
        if more == 0 or not carry_on():
            break
    import time
    for h in map(int, filter(None, os.environ.get("H", "").split(","))):
        b=time.process_time()
        homes = put_in_order()
        given = cells, index, items, part.limits, homes, scratch, part.least
        weigh_usual(cells, items, homes, part.least, scratch)
        o=order if not os.environ.get('SORT') else np.argsort(-homes.usual/np.maximum(cells.loss,1) if os.environ['SORT']=='1' else -homes.usual,kind='stable')
        t=chain_cells(*given, o, h); e=time.process_time()-b; b=time.process_time()
        m=move_cells(*given, order); f=time.process_time()-b
        tot=int((items.price*items.sizes).sum()); CH.append((h,round(100*t/tot,3),round(e,2),round(100*m/tot,3),round(f,2)))
    numbers, of = np.unique(homes.cell, return_inverse=True)
    return collected(part, of, len(numbers))


def _own_cells(part: ItemPart, groups: ItemGroups, count: int) -> PricedCells:
    """Return the cells of the groups: what their labels lose, and all items that these cover, if there is room."""
    codes = part.items.codes
    order = np.argsort(codes[:, 0], kind="stable")
    start = np.append(0, np.cumsum(np.bincount(codes[:, 0], minlength=int(part.shapes.size[0]) + 1)))
    begin = np.zeros(count + 1, dtype=np.int64)
    pairs = count * len(codes)
    members = np.empty(min(pairs, MOST_COVERED) if pairs <= MOST_BOXED else 0, dtype=np.uint32)
    low, high = _covered(part, groups, count)
    find_boxes(part.shapes.kind, codes, order, start, low, high, begin, members)
    lengths = np.diff(begin)
    if not lengths.all():  # in the place of those for which there was no room: their own items
        missing = lengths == 0
        alone = np.flatnonzero(missing[groups.of])
        number = np.concatenate([np.repeat(np.arange(count), lengths), groups.of[alone]])
        found = np.concatenate([members[: begin[-1]], alone.astype(np.uint32)])
        members = found[np.argsort(number, kind="stable")]
        begin = np.append(0, np.cumsum(np.bincount(number, minlength=count)))
    return PricedCells(begin, groups.losses[:count, -1].copy(), members[: begin[-1]])


def _covered(part: ItemPart, groups: ItemGroups, count: int) -> tuple[Ints, Ints]:
    """Return the first and the last code that the labels of each group cover; in a column of sets the codes as bits."""
    low, high = groups.first[:count].copy(), groups.last[:count].copy()
    first, stop, sets, _ = part.labels(groups.first[:count], groups.last[:count], np.zeros(count, dtype=np.bool_))
    for c in range(len(part.columns)):
        if c not in sets:
            low[:, c], high[:, c] = first[:, c], stop[:, c] - 1
    return low, high


def _homes(part: ItemPart, groups: ItemGroups, loss: Ints) -> Homes:
    """Return that each item is in the cell of its group, all of which have changed just now."""
    count, cells = int(groups.numbers[0]), len(loss)
    figures = np.zeros((cells, part.items.figures.shape[1]), dtype=np.int64)
    figures[:count] = groups.figures[:count]
    order = np.argsort(groups.of, kind="stable")
    same = np.append(groups.of[order][1:] == groups.of[order][:-1], False)
    head, following, last = np.full(cells, -1), np.full(len(order), -1), np.full(len(order), -1)
    head[groups.of[order[::-1]]] = order[::-1]
    following[order[same]] = order[1:][same[:-1]]
    last[order[1:][same[:-1]]] = order[same]
    return Homes(
        groups.of.copy(),
        head,
        following,
        last,
        CellsOfItems(np.zeros(len(order)+1,dtype=np.int64),np.zeros(0,dtype=np.int64)),
        np.full(len(order), -1),
        figures[:, 0] > 0,
        figures,
        np.ones(cells, dtype=np.int64),
        np.zeros(cells, dtype=np.int64),
        np.zeros(cells, dtype=np.int64),
        np.zeros(cells, dtype=np.int64),
        loss.copy(),
        np.array([2, 0, int(os.environ.get("R") or 0)], dtype=np.int64),
    )


def _opened(cells: PricedCells, which: Ints, items: int) -> CellsOfItems:
    found = cells_of_items(_of(cells, which), items)
    return found._replace(cells=which[found.cells])


def _scratch(items: int, cells: int) -> MoveRoom:
    moves = MOST_MOVES * items + 64
    return MoveRoom(
        *(np.empty(moves, dtype=np.int64) for _ in range(2)),
        *(np.empty(items, dtype=np.int64) for _ in range(4)),
        *(np.zeros(cells, dtype=np.int64) for _ in range(4)),
        np.zeros(items, dtype=np.int64),
    )


def _pieces(order: Ints, weights: Ints) -> Iterator[Ints]:
    """Yield what is to be gone through in pieces of about the same weight."""
    at = np.cumsum(weights) // AT_ONCE
    yield from np.split(order, np.flatnonzero(np.diff(at)) + 1)

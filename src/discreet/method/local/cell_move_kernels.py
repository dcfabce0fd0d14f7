"""The loops that open and close cells of a grouping that keeps every promise, compiled by Numba. Integers only.

Every item is in one cell, and after each loop every cell that has items keeps every limit. The loops of
`group_kernels` are compiled into these: after a change there, this file's code on disk is stale too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.common.compiled import kernel, room
from discreet.encoded import Ints
from discreet.method.local.group_kernels import NEVER, keeps
from discreet.method.local.price_kernels import cheapest_first
from discreet.method.local.shapes import SET


class MovedItems(NamedTuple):
    """What is moved: how many rows each item has, and all its figures (second axis), rows first."""

    sizes: Ints
    figures: Ints


@room
class Homes(NamedTuple):
    """In which cell each item is, and what the items of each cell come to."""

    cell: Ints
    figures: Ints
    """By cell: the figures of its items (second axis), rows first."""
    changed: Ints
    """By cell: when its items changed."""
    tried: Ints
    """By cell: when it was last tried to open or close it."""
    clock: Ints
    """What is changed next gets this number."""


@room
class MoveRoom(NamedTuple):
    """Which items were moved from which cell, and where candidates are put in order."""

    item: Ints
    origin: Ints
    keys: Ints
    order: Ints
    more_keys: Ints
    more: Ints


@kernel
def find_boxes(kind, codes, order, start, low, high, begin, members):  # type: ignore[no-untyped-def]
    """Find the items that the labels of each group cover; `low` and `high` are codes, in a column of sets bits.

    Items stand in `order` by their first code, those of code `x` from `start[x]` on. Writes where those of each group
    begin, and the items if there is room for all of a group; else it has none. O(groups * items whose first code fits).
    """
    used = 0
    for g in range(len(low)):
        first, stop = 0, len(order)
        if kind[0] != SET:
            first, stop = start[low[g, 0]], start[high[g, 0] + 1]
        was = used
        for at in range(first, stop):
            item = order[at]
            inside = True
            for c in range(len(kind)):
                code = codes[item, c]
                if kind[c] == SET:
                    if not (low[g, c] >> code) & 1:
                        inside = False
                        break
                elif code < low[g, c] or code > high[g, c]:
                    inside = False
                    break
            if inside:
                if used == len(members):
                    used = was
                    break
                members[used] = item
                used += 1
        begin[g + 1] = used


@kernel
def rehome(items, loss, homes, scratch, item, cell, moved):  # type: ignore[no-untyped-def]
    """Move an item to a cell and remember it, after `moved` others; return what all lose more. O(figures)."""
    was = homes.cell[item]
    scratch.item[moved], scratch.origin[moved] = item, was
    for f in range(items.figures.shape[1]):
        homes.figures[was, f] -= items.figures[item, f]
        homes.figures[cell, f] += items.figures[item, f]
    homes.cell[item] = cell
    return items.sizes[item] * (loss[cell] - loss[was])


@kernel
def take_back(items, homes, scratch, moved, but):  # type: ignore[no-untyped-def]
    """Take back all moves that are remembered but the first `but`. O(moves * figures)."""
    for z in range(moved - 1, but - 1, -1):
        item, cell, was = scratch.item[z], homes.cell[scratch.item[z]], scratch.origin[z]
        for f in range(items.figures.shape[1]):
            homes.figures[cell, f] -= items.figures[item, f]
            homes.figures[was, f] += items.figures[item, f]
        homes.cell[item] = was


@kernel
def deal(cells, index, items, homes, scratch, cell, moved, bound):  # type: ignore[no-untyped-def]
    """Move the items of a cell to other cells that have some, each where it loses least.

    One of these may still lack rows, which is seen to later. Returns what all lose more, and how many moves are
    remembered then; NEVER where it is not less than `bound`. O(items of the cell * cells of an item).
    """
    more = 0
    for at in range(cells.begin[cell], cells.begin[cell + 1]):
        item = np.int64(cells.members[at])  # of one width everywhere: loops are compiled for it once
        if homes.cell[item] != cell:
            continue
        to = -1
        for z in range(index.begin[item], index.begin[item + 1]):
            if index.cells[z] != cell and homes.figures[index.cells[z], 0] > 0:
                to = index.cells[z]
                break
        if to < 0 or moved == len(scratch.item):
            return NEVER, moved
        more += rehome(items, cells.loss, homes, scratch, item, to, moved)
        moved += 1
        if more >= bound:
            return NEVER, moved
    return more, moved


@kernel
def refill(cells, items, homes, scratch, need, cell, new, moved, bound):  # type: ignore[no-untyped-def]
    """Move items to a cell that lacks rows, the cheapest that other cells can spare; the `new` one spares none.

    Returns as `deal` does. O(items that fit), mostly.
    """
    loss, keys, order = cells.loss, scratch.keys, scratch.order
    more, found = 0, 0
    for at in range(cells.begin[cell], cells.begin[cell + 1]):
        item = cells.members[at]
        was = homes.cell[item]
        key = loss[cell] - loss[was]
        if was == cell or key * items.sizes[item] >= bound:
            continue
        if was != new and homes.figures[was, 0] - items.sizes[item] >= need:
            keys[found], order[found] = key, item
            found += 1
    end = cheapest_first(keys, order, items.sizes, 0, found, need - homes.figures[cell, 0])
    z = 0
    while homes.figures[cell, 0] < need:
        if z == end:  # one of them can no longer be spared
            end = cheapest_first(keys, order, items.sizes, z, found, need - homes.figures[cell, 0])
            if z == end:
                return NEVER, moved
        if moved == len(scratch.item):
            return NEVER, moved
        item = order[z]
        z += 1
        if homes.figures[homes.cell[item], 0] - items.sizes[item] < need:
            continue
        more += rehome(items, loss, homes, scratch, item, cell, moved)
        moved += 1
        if more >= bound:
            return NEVER, moved
    return more, moved


@kernel
def settle(cells, index, items, homes, scratch, need, cell, new, moved, bound):  # type: ignore[no-untyped-def]
    """Refill a cell that lacks rows or deal its items to others, what is cheaper; return as `deal` does.

    O(items of the cell * cells of an item).
    """
    begun = moved
    filled, moved = refill(cells, items, homes, scratch, need, cell, new, begun, bound)
    take_back(items, homes, scratch, moved, begun)
    more, moved = deal(cells, index, items, homes, scratch, cell, begun, min(bound, filled))
    if more < NEVER or filled == NEVER:
        return more, moved
    take_back(items, homes, scratch, moved, begun)
    return refill(cells, items, homes, scratch, need, cell, new, begun, bound)


@kernel
def open_cell(cells, index, items, homes, scratch, need, cell):  # type: ignore[no-untyped-def]  # noqa: C901 - for speed
    """Move all items to a cell that lose less there, and the cheapest others that it needs; settle cells they leave.

    Returns as `deal` does, NEVER where all together lose no less. O(items of the cell and of those that lack some).
    """
    loss, keys, order = cells.loss, scratch.more_keys, scratch.more
    gain, rows, gainers = 0, homes.figures[cell, 0], 0
    for at in range(cells.begin[cell], cells.begin[cell + 1]):
        item = cells.members[at]
        more = loss[cell] - loss[homes.cell[item]]
        if more < 0:
            gain -= more * items.sizes[item]
            rows += items.sizes[item]
            order[gainers] = item
            gainers += 1
    if gainers == 0:
        return NEVER, 0
    found, lacks = gainers, need - rows
    if lacks > 0:  # those that the gain may pay for
        for at in range(cells.begin[cell], cells.begin[cell + 1]):
            item = cells.members[at]
            was = homes.cell[item]
            more = loss[cell] - loss[was]
            if more >= 0 and was != cell and more * items.sizes[item] < gain:
                keys[found], order[found] = more, item
                found += 1
                rows += items.sizes[item]
        if rows < need:
            return NEVER, 0
    end = cheapest_first(keys, order, items.sizes, gainers, found, lacks)
    for z in range(gainers, end):
        gain -= keys[z] * items.sizes[order[z]]
    if gain <= 0 or end > len(scratch.item):
        return NEVER, 0
    more, moved = 0, 0
    while moved < end:
        more += rehome(items, loss, homes, scratch, order[moved], cell, moved)
        moved += 1
    givers = moved
    for z in range(givers):
        was = scratch.origin[z]
        if 0 < homes.figures[was, 0] < need:
            cost, moved = settle(cells, index, items, homes, scratch, need, was, cell, moved, -more)
            if cost == NEVER:
                return NEVER, moved
            more += cost
    return more, moved


@kernel
def accept(items, limits, homes, scratch, more, moved):  # type: ignore[no-untyped-def]
    """Keep moves by which all lose less, if every limit is kept, or take them back; return what all lose more.

    O(moves * (figures + limits)).
    """
    better = more < 0
    for z in range(moved):
        if not better:
            break
        was, now = scratch.origin[z], homes.cell[scratch.item[z]]
        better = keeps(homes.figures[now], limits) and (homes.figures[was, 0] == 0 or keeps(homes.figures[was], limits))
    if not better:
        take_back(items, homes, scratch, moved, 0)
        return 0
    for z in range(moved):
        homes.changed[scratch.origin[z]] = homes.changed[homes.cell[scratch.item[z]]] = homes.clock[0]
    homes.clock[0] += 1
    return more


@kernel
def move_cells(cells, index, items, limits, homes, scratch, need, order):  # type: ignore[no-untyped-def]
    """Close each of some cells, or open it, where all lose less then; return what all lose more.

    Cells are passed over where none of their items' cells has changed since they were last tried. O(items of cells),
    and what trying costs.
    """
    total = 0
    for q in range(len(order)):
        cell = order[q]
        fresh = False
        for at in range(cells.begin[cell], cells.begin[cell + 1]):
            if homes.changed[homes.cell[cells.members[at]]] > homes.tried[cell]:
                fresh = True
                break
        if not fresh:
            continue
        homes.tried[cell] = homes.clock[0] - 1
        if homes.figures[cell, 0] > 0:
            more, moved = deal(cells, index, items, homes, scratch, cell, 0, 0)
            more = accept(items, limits, homes, scratch, more, moved)
            if more < 0:
                total += more
                continue
        more, moved = open_cell(cells, index, items, homes, scratch, need, cell)
        total += accept(items, limits, homes, scratch, more, moved)
    return total

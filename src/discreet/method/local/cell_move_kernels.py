"""The loops that open and close cells of a grouping that keeps every promise, compiled by Numba. Integers only.

Every item is in one cell, and after each loop every cell that has items keeps every limit. The loops of
`group_kernels` and `price_kernels` are compiled into these: after a change there, this file's code on disk is stale
too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.common.compiled import kernel, room
from discreet.encoded import Ints
from discreet.method.local.group_kernels import NEVER, keeps
from discreet.method.local.price_kernels import CellsOfItems, cheapest_first, weigh
from discreet.method.local.shapes import SET

SPARED = 2
"""Times as many rows that others can spare are looked at as a cell lacks, where those come first that cost least."""
CELL, NEXT, LAST, NEWEST = 0, 1, 2, 3
"""What stands where in the links of an item."""
WANTED = 2
"""A step of a chain must make up for one part in so many of what all lose more so far."""


class MovedItems(NamedTuple):
    """What is moved: how many rows each item has, what each of these loses now, and all figures (second axis)."""

    sizes: Ints
    price: Ints
    """What it loses, under the name that `weigh` knows: what another cell may be worth to it."""
    before: Ints
    """What it lost when items of cells were put in order."""
    figures: Ints


@room
class Homes(NamedTuple):
    """In which cell each item is, and what the items of each cell come to."""

    links: Ints
    """By item: its cell, the items after and before it there, and the last cell that was opened since items were put in
    order, or tried to be, and might have it (second axis; -1: none)."""
    head: Ints
    """By cell: one of the items in it (-1: none)."""
    begun: CellsOfItems
    """Which of the cells of each item had rows when items were put in order."""
    figures: Ints
    """By cell: the figures of its items (second axis), rows first."""
    worth: Ints
    """By cell: what all would lose less with it, at most, when that was last looked at."""
    edge: Ints
    """By cell: about what the last of the rows loses that it would need; no more than in it."""
    ordered: Ints
    """How many members of cells, from the first on, are in order."""


@room
class MoveRoom(NamedTuple):
    """Which items were moved from which cell, and where candidates are put in order."""

    moves: Ints
    """The item and the cell (second axis)."""
    keys: Ints
    rows: Ints


@room
class Marks(NamedTuple):
    """When something was done with cells and items, and what is hoped of them."""

    clock: Ints
    """What is changed next, or the next chain of steps, gets this number."""
    changed: Ints
    """By cell: when its items changed."""
    tried: Ints
    """By cell: when it was last tried to open or close it."""
    usual: Ints
    """By cell: about what all would lose less with it before chains of steps, rather more than less."""
    followed: Ints
    """By item: in which chain its other cells were looked at."""
    seen: Ints
    """By cell: in which chain it was tried."""
    reached: Ints
    """By cell: in which chain one of its items came to lose more."""
    hope: Ints
    """By cell: about what all may then lose less with it."""
    queue: Ints
    """Such cells."""


@kernel
def find_boxes(kind, codes, order, start, low, high, begin, members):  # type: ignore[no-untyped-def]
    """Find the items that the labels of each group cover; `low` and `high` are codes, in a column of sets bits.

    Items stand in `order` by their first code, those of code `x` from `start[x]` on; those of the first group from
    `begin` of it on. Writes where those of the next begin, and the items if there is room for all of a group; else it
    has none. O(groups * items whose first code fits).
    """
    used = begin[0]
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
def put(items, loss, homes, item, was, cell):  # type: ignore[no-untyped-def]
    """Move an item from one cell to another. O(figures)."""
    for f in range(items.figures.shape[1]):
        homes.figures[was, f] -= items.figures[item, f]
        homes.figures[cell, f] += items.figures[item, f]
    after, before = homes.links[item, NEXT], homes.links[item, LAST]
    if before >= 0:
        homes.links[before, NEXT] = after
    else:
        homes.head[was] = after
    if after >= 0:
        homes.links[after, LAST] = before
    first = homes.head[cell]
    homes.links[item, NEXT], homes.links[item, LAST] = first, -1
    if first >= 0:
        homes.links[first, LAST] = item
    homes.head[cell] = item
    homes.links[item, CELL] = cell
    items.price[item] = loss[cell]


@kernel
def rehome(items, loss, homes, scratch, item, cell, moved):  # type: ignore[no-untyped-def]
    """Move an item to a cell and remember it, after `moved` others; return what all lose more. O(figures)."""
    was = homes.links[item, CELL]
    scratch.moves[moved, 0], scratch.moves[moved, 1] = item, was
    put(items, loss, homes, item, was, cell)
    return items.sizes[item] * (loss[cell] - loss[was])


@kernel
def take_back(items, loss, homes, scratch, moved, but):  # type: ignore[no-untyped-def]
    """Take back all moves that are remembered but the first `but`. O(moves * figures)."""
    for z in range(moved - 1, but - 1, -1):
        item = scratch.moves[z, 0]
        put(items, loss, homes, item, homes.links[item, CELL], scratch.moves[z, 1])


@kernel
def deal(loss, items, homes, scratch, cell, moved, bound):  # type: ignore[no-untyped-def]
    """Move the items of a cell to other cells that have some, each where it loses least.

    One of these may still lack rows, which is seen to later. Of cells that were opened since items were put in order
    the last alone is thought of. Returns what all lose more, and how many moves are remembered then; NEVER where it is
    not less than `bound`. O(items of the cell * cells of an item that have rows).
    """
    more = 0
    item = homes.head[cell]
    while item >= 0:
        following = homes.links[item, NEXT]
        to = homes.links[item, NEWEST]
        if to >= 0 and (to == cell or homes.head[to] < 0):
            to = -1
        for z in range(homes.begun.begin[item], homes.begun.begin[item + 1]):
            other = homes.begun.cells[z]
            if to >= 0 and loss[to] <= loss[other]:
                break
            if homes.head[other] >= 0 and other != cell:
                to = other
                break
        if to < 0 or moved == len(scratch.moves):
            return NEVER, moved
        more += rehome(items, loss, homes, scratch, item, to, moved)
        moved += 1
        if more >= bound:
            return NEVER, moved
        item = following
    return more, moved


@kernel
def refill(cells, items, homes, scratch, need, cell, moved, bound):  # type: ignore[no-untyped-def]
    """Move items to a cell that lacks rows, the cheapest that other cells can spare.

    Where items are in order, only the first that others can spare are looked at. Returns as `deal` does.
    O(items that fit), mostly.
    """
    loss, keys, order, ordered = cells.loss, scratch.keys, scratch.rows, homes.ordered[0]
    at, stop = cells.begin[cell], cells.begin[cell + 1]
    more, z, end, found, rows = 0, 0, 0, 0, 0
    while homes.figures[cell, 0] < need:
        if z == end:  # none were looked for, or one of them can no longer be spared
            enough = rows + SPARED * (need - homes.figures[cell, 0])
            while at < stop:
                item = np.int64(cells.members[at])  # of one width everywhere: loops are compiled for it once
                if at < ordered and (rows >= enough or loss[cell] - items.before[item] >= bound):
                    break
                at += 1
                was = homes.links[item, CELL]
                key = loss[cell] - items.price[item]
                if was == cell or key * items.sizes[item] >= bound:
                    continue
                if homes.figures[was, 0] - items.sizes[item] >= need:
                    keys[found], order[found] = key, item
                    found += 1
                    rows += items.sizes[item]
            end = cheapest_first(keys, order, items.sizes, z, found, need - homes.figures[cell, 0])
            if z == end:
                return NEVER, moved
        if moved == len(scratch.moves):
            return NEVER, moved
        item = order[z]
        z += 1
        if homes.figures[homes.links[item, CELL], 0] - items.sizes[item] < need:
            continue
        more += rehome(items, loss, homes, scratch, item, cell, moved)
        moved += 1
        if more >= bound:
            return NEVER, moved
    return more, moved


@kernel
def settle(cells, items, homes, scratch, need, cell, moved, bound):  # type: ignore[no-untyped-def]
    """Refill a cell that lacks rows or deal its items to others, what is cheaper; return as `deal` does.

    O(items of the cell * cells of an item).
    """
    loss, begun = cells.loss, moved
    filled, moved = refill(cells, items, homes, scratch, need, cell, begun, bound)
    take_back(items, loss, homes, scratch, moved, begun)
    more, moved = deal(loss, items, homes, scratch, cell, begun, min(bound, filled))
    if more < NEVER or filled == NEVER:
        return more, moved
    take_back(items, loss, homes, scratch, moved, begun)
    return refill(cells, items, homes, scratch, need, cell, begun, bound)


@kernel
def open_cell(cells, items, homes, scratch, need, cell, moved, bound):  # type: ignore[no-untyped-def]  # noqa: C901 - for speed
    """Move all items to a cell that lose less there, and the cheapest others that it needs; settle cells they leave.

    Returns as `deal` does. O(items of the cell and of those that lack some).
    """
    sizes, price = items.sizes, items.price
    weigh(cells, sizes, price, homes.worth, homes.edge, cell, need, False, scratch.keys, scratch.rows)
    if -homes.worth[cell] >= bound:
        return NEVER, moved
    loss, keys, order = cells.loss, scratch.keys, scratch.rows
    more, rows, gainers = 0, homes.figures[cell, 0], 0
    for at in range(cells.begin[cell], cells.begin[cell + 1]):
        item = cells.members[at]
        key = loss[cell] - items.price[item]
        if key < 0:
            more += key * items.sizes[item]
            rows += items.sizes[item]
            order[gainers] = item
            gainers += 1
    if gainers == 0:
        return NEVER, moved
    found, lacks = gainers, need - rows
    if lacks > 0:  # those that the gain may pay for
        for at in range(cells.begin[cell], cells.begin[cell + 1]):
            item = cells.members[at]
            key = loss[cell] - items.price[item]
            if key >= 0 and homes.links[item, CELL] != cell and more + key * items.sizes[item] < bound:
                keys[found], order[found] = key, item
                found += 1
                rows += items.sizes[item]
        if rows < need:
            return NEVER, moved
    end = cheapest_first(keys, order, items.sizes, gainers, found, lacks)
    for z in range(gainers, end):
        more += keys[z] * items.sizes[order[z]]
    if more >= bound or moved + end > len(scratch.moves):
        return NEVER, moved
    if homes.head[cell] < 0:
        for at in range(cells.begin[cell], cells.begin[cell + 1]):
            homes.links[cells.members[at], NEWEST] = cell
    begun, givers = moved, moved + end
    for z in range(end):
        rehome(items, loss, homes, scratch, order[z], cell, moved)
        moved += 1
    for z in range(begun, givers):
        was = scratch.moves[z, 1]
        if 0 < homes.figures[was, 0] < need:
            cost, moved = settle(cells, items, homes, scratch, need, was, moved, bound - more)
            if cost == NEVER:
                return NEVER, moved
            more += cost
    return more, moved


@kernel
def kept(items, loss, limits, homes, scratch, more, begun, moved):  # type: ignore[no-untyped-def]
    """Keep the moves from `begun` on, if they are possible (`more` says) and keep every limit, or take them back.

    Returns how many moves are remembered then. O(moves * (figures + limits)).
    """
    fine = more < NEVER
    for z in range(begun, moved):
        if not fine:
            break
        was, now = scratch.moves[z, 1], homes.links[scratch.moves[z, 0], CELL]
        fine = keeps(homes.figures[now], limits) and (homes.figures[was, 0] == 0 or keeps(homes.figures[was], limits))
    if fine:
        return moved
    take_back(items, loss, homes, scratch, moved, begun)
    return begun


@kernel
def step(cells, items, limits, homes, marks, scratch, need, cell):  # type: ignore[no-untyped-def]
    """Close a cell, or open it, where all lose less then; return what all lose more, and how many moves are remembered.

    It is passed over where none of its items' cells has changed since it was last tried. O(items of the cell), and what
    trying costs.
    """
    fresh = False
    for at in range(cells.begin[cell], cells.begin[cell + 1]):
        if marks.changed[homes.links[cells.members[at], CELL]] > marks.tried[cell]:
            fresh = True
            break
    if not fresh:
        return 0, 0
    marks.tried[cell] = marks.clock[0] - 1
    loss = cells.loss
    if homes.head[cell] >= 0:
        more, moved = deal(loss, items, homes, scratch, cell, 0, 0)
        moved = kept(items, loss, limits, homes, scratch, more, 0, moved)
        if moved > 0:
            return more, moved
    more, moved = open_cell(cells, items, homes, scratch, need, cell, 0, 0)
    return more, kept(items, loss, limits, homes, scratch, more, 0, moved)


@kernel
def reach(loss, index, items, marks, mark, item, was, reached):  # type: ignore[no-untyped-def]
    """Find the cells in which an item would lose less, which has come to lose more than in its cell before.

    Returns how many were found in this chain of steps. O(cells of the item).
    """
    worse = items.sizes[item] * (items.price[item] - loss[was])
    if marks.followed[item] == mark or worse <= 0:
        return reached
    marks.followed[item] = mark
    for z in range(index.begin[item], index.begin[item + 1]):
        cell = index.cells[z]
        if loss[cell] >= items.price[item]:
            break
        if marks.reached[cell] < mark:
            marks.reached[cell], marks.hope[cell] = mark, marks.usual[cell]
            marks.queue[reached] = cell
            reached += 1
        marks.hope[cell] += worse
    return reached


@kernel
def most_hoped(marks, mark, reached, wanted):  # type: ignore[no-untyped-def]
    """Return the cell of those that were reached with which all may lose least, by more than is wanted (-1: none).

    And how many are left of them: those with which they do not are not tried in this chain any more. O(reached).
    """
    best, cell, left = wanted, -1, 0
    for z in range(reached):
        other = marks.queue[z]
        if marks.seen[other] < mark and marks.hope[other] > wanted:
            marks.queue[left] = other
            left += 1
            if marks.hope[other] > best:
                best, cell = marks.hope[other], other
    return cell, left


@kernel
def chain(cells, index, items, limits, homes, marks, scratch, need, first):  # type: ignore[no-untyped-def]
    """Open a closed cell though all lose more then, if other steps make up for it; return what `step` does.

    At most what a group loses in the cell. Cells that rows have left are closed, and others opened in which rows that
    have come to lose more would lose less, those first with which there is most hope. As soon as all lose less than at
    the beginning, the chain is kept. O(items of cells * cells of an item).
    """
    loss = cells.loss
    if homes.head[first] >= 0 or -marks.usual[first] >= loss[first] * need:
        return 0, 0
    more, moved = open_cell(cells, items, homes, scratch, need, first, 0, loss[first] * need)
    moved = kept(items, loss, limits, homes, scratch, more, 0, moved)
    marks.clock[0] += 1
    mark = marks.clock[0]
    marks.seen[first] = mark
    followed, reached = 0, 0
    while moved > 0 and more >= 0:
        if followed < moved:  # where did this item come from, and where else might it be?
            item, cell = scratch.moves[followed, 0], scratch.moves[followed, 1]
            followed += 1
            reached = reach(loss, index, items, marks, mark, item, cell, reached)
            if homes.head[cell] < 0 or marks.seen[cell] == mark:
                continue
            marks.seen[cell] = mark
            less, end = deal(loss, items, homes, scratch, cell, moved, 0)
        else:
            cell, reached = most_hoped(marks, mark, reached, more // WANTED)
            if cell < 0:
                break
            marks.seen[cell] = mark
            less, end = open_cell(cells, items, homes, scratch, need, cell, moved, -(more // WANTED))
        end = kept(items, loss, limits, homes, scratch, less, moved, end)
        if end > moved:
            more, moved = more + less, end
    if moved > 0 and more >= 0:
        take_back(items, loss, homes, scratch, moved, 0)
        moved = 0
    return more, moved


@kernel
def move_cells(cells, index, items, limits, homes, marks, scratch, need, order, chains):  # type: ignore[no-untyped-def]
    """Close or open cells where all lose less then, or begin `chains` with them; return what all lose more.

    O(items of cells), and what trying costs.
    """
    total = 0
    for q in range(len(order)):
        if chains:
            more, moved = chain(cells, index, items, limits, homes, marks, scratch, need, order[q])
        else:
            more, moved = step(cells, items, limits, homes, marks, scratch, need, order[q])
        if moved > 0:
            total += more
            for z in range(moved):
                marks.changed[scratch.moves[z, 1]] = marks.changed[homes.links[scratch.moves[z, 0], CELL]] = (
                    marks.clock[0]
                )
            marks.clock[0] += 1
    return total

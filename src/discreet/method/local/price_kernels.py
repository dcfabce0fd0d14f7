"""The loops that find out what rows are worth and which cells to release for it, compiled by Numba. Integers only.

See `pricing` for what is searched.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.common.compiled import helper, kernel, room
from discreet.encoded import Ints

ALWAYS = 1 << 16
"""The share of rounds in which a cell was worth it, where that was so in all of them."""
MOST_PASSED = 40
"""Rounds for which a cell is passed over at most."""
PASSED = 120
"""Rounds for which a cell is passed over that would have to be worth more by all that its rows lose."""
NEAR_EDGE = 5
"""A cell's rows are looked for within its loss, shifted right by this, around the price of the last one before."""
FEW = 8
"""Rows that are put in order one by one."""
STALE = 5
"""Rounds without a higher bound after which steps get smaller."""
SCALE = 256
"""Parts of one cell too many or too few for a row, in which it is reckoned where prices go."""
MOST_TOO_MANY = 64
"""Cells too many that count for a row: with more of them sums would run over."""
DONE = 2**62
"""Rounds after which there is nothing to change any more."""
FARTHEST = 2**44
"""As far as a bound may be from its goal, in 1024ths, for the length of a step, for the same reason."""


class PricedCells(NamedTuple):
    """Cells: what a row loses in each, and the rows of all, one cell after the other, from `begin` on."""

    begin: Ints
    loss: Ints
    members: npt.NDArray[np.uint32]


class PricedRows(NamedTuple):
    """Different rows: how many there are of each, its price, and what is the most it may be."""

    sizes: Ints
    price: Ints
    most: Ints


class CellStates(NamedTuple):
    """What is known of each cell."""

    chosen: Ints
    """1 where it is chosen."""
    share: Ints
    """In what share of the rounds it was worth it."""
    worth: Ints
    """What it was worth when it was last looked at, or more where that is less than nothing."""
    edge: Ints
    """The price of the cheapest row that it needed when these were last looked for; no more than what it loses."""
    due: Ints
    """The round in which it is looked at again."""


@room
class PricingRoom(NamedTuple):
    """Where rows are put in order, and counted; for as many as there are. And how far rounds are."""

    keys: Ints
    rows: Ints
    served: Ints
    drift: Ints
    """By row: where its price goes."""
    course: Ints
    """Rounds so far, the highest bound, rounds since then, and how far prices go."""


class CellsOfItems(NamedTuple):
    """The cells of row `i`, from `begin[i]` on, those first in which it loses least."""

    begin: Ints
    cells: Ints


@kernel
def pick(keys, rows, begin, stop):  # type: ignore[no-untyped-def]
    """Put the least key of a stretch to its front, with its row. O(stop - begin)."""
    least = begin
    for z in range(begin + 1, stop):
        if keys[z] < keys[least]:
            least = z
    key, row = keys[begin], rows[begin]
    keys[begin], rows[begin] = keys[least], rows[least]
    keys[least], rows[least] = key, row


@kernel
def split_at(keys, rows, begin, stop, pivot):  # type: ignore[no-untyped-def]
    """Put keys below the pivot to the front of a stretch, with their rows; return where they end. O(stop - begin)."""
    end = begin
    for z in range(begin, stop):
        if keys[z] < pivot:
            key, row = keys[end], rows[end]
            keys[end], rows[end] = keys[z], rows[z]
            keys[z], rows[z] = key, row
            end += 1
    return end


@kernel
def cheapest_first(keys, rows, sizes, begin, stop, lacks):  # type: ignore[no-untyped-def]
    """Put the rows with the least keys to the front of a stretch, so many that `lacks` are made up for.

    The last of them has the largest key. Returns where they end, which is `stop` if all are too few. O(stop - begin),
    mostly.
    """
    while lacks > 0 and begin < stop:
        if stop - begin > FEW:  # are those below some key too few?
            pivot = keys[(begin + stop) >> 1]
            end = split_at(keys, rows, begin, stop, pivot)
            more = 0
            for z in range(begin, end):
                more += sizes[rows[z]]
            if more >= lacks:
                stop = end
                continue
            lacks -= more
            begin = end
            if more > 0:
                continue
            end = split_at(keys, rows, begin, stop, pivot + 1)  # all with the least key, who may be many
            while lacks > 0 and begin < end:
                lacks -= sizes[rows[begin]]
                begin += 1
            continue
        pick(keys, rows, begin, stop)
        lacks -= sizes[rows[begin]]
        begin += 1
    return begin


@kernel
def list_cells(cells, order, begin, found):  # type: ignore[no-untyped-def]
    """Write the cells of each row to `found`, from `begin` of the row on, in this order of cells. O(rows of cells).

    `begin` then tells where those of each row end.
    """
    for q in range(len(order)):
        cell = order[q]
        for at in range(cells.begin[cell], cells.begin[cell + 1]):
            i = cells.members[at]
            found[begin[i]] = cell
            begin[i] += 1


@kernel
def above(members, begin, stop, sizes, price, cost, high):  # type: ignore[no-untyped-def]
    """Return how many rows of a cell have a price above `high`, and what these are above its cost. O(stop - begin)."""
    have, worth = 0, 0
    for at in range(begin, stop):
        i = members[at]
        rows = sizes[i] if price[i] > high else 0  # no branch: which rows these are cannot be foreseen
        have += rows
        worth += (price[i] - cost) * rows
    return have, worth


@kernel
def between(members, begin, stop, price, low, high, keys, rows):  # type: ignore[no-untyped-def]
    """List rows of a cell with prices from `low` to `high`, and how far they are below; return how many.

    O(stop - begin).
    """
    found = 0
    for at in range(begin, stop):
        i = members[at]
        keys[found], rows[found] = high - price[i], i
        found += (price[i] >= low) & (price[i] <= high)
    return found


@helper
def weigh(cells, sizes, price, worths, edges, cell, need, exactly, keys, order):  # type: ignore[no-untyped-def]
    """Find the rows with which a cell is worth most, `need` at least: all whose price is above some, and some others.

    Returns that price and how many others there are, in `order`. These are looked for near the price of the last one
    needed before. Where the cell cannot be worth anything they are not, unless it is to be known `exactly`.
    O(rows of the cell), mostly.
    """
    begin, stop, members, cost = cells.begin[cell], cells.begin[cell + 1], cells.members, cells.loss[cell]
    low = edges[cell] - (cost >> NEAR_EDGE)
    high = min(edges[cell] + (cost >> NEAR_EDGE), cost)
    have, worth = above(members, begin, stop, sizes, price, cost, high)
    if have >= need and high < cost:
        low, high = high + 1, cost
        have, worth = above(members, begin, stop, sizes, price, cost, high)
    taken, lacks = 0, need - have
    if lacks > 0 and not exactly and worth <= lacks * (cost - high):
        worth -= lacks * (cost - high)
    elif lacks > 0:
        found = between(members, begin, stop, price, low, high, keys, order)
        taken = cheapest_first(keys, order, sizes, 0, found, lacks)
        if taken == found:  # perhaps there are more below
            found = between(members, begin, stop, price, 0, high, keys, order)
            taken = cheapest_first(keys, order, sizes, 0, found, lacks)
        for z in range(taken):
            worth += (high - keys[z] - cost) * min(sizes[order[z]], lacks)
            lacks -= sizes[order[z]]
        edges[cell] = high - keys[taken - 1] if taken > 0 else 0
        if lacks > 0 and not exactly:  # too few rows, whatever their prices
            worth = min(worth, 0)
    else:
        edges[cell] = cost
    worths[cell] = worth
    return high, taken


@kernel
def raise_prices(cells, rows, states, live, need, until, goal, decay, only_weigh, scratch):  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    """Change the prices of rows so that they come nearer to the highest bound of the loss; return the bound.

    A cell is worth what the prices of its rows are above their loss in it, for the rows with which it is worth most, at
    least `need` of them. The prices of all rows, less what all cells are worth that are worth anything, is a bound:
    whatever cells are released, all rows lose that much. Rows in no cell that is worth it get dearer, others cheaper,
    by so many 1024ths of what takes the bound to `goal` as the course says, shared out; half of the way that they went
    before is kept. A cell that is `chosen` counts though it be worth less than nothing. A cell far from being worth
    anything is passed over for some rounds: the bound is then one of the others. Goes on `until` so many rounds are
    done; or it shall `only_weigh` all cells, be they worth less than nothing. O(rounds * rows of the cells looked at).
    """
    begin, loss, members = cells.begin, cells.loss, cells.members
    sizes, price, most = rows.sizes, rows.price, rows.most
    keys, order, served, drift = scratch.keys, scratch.rows, scratch.served, scratch.drift
    worths, edges, due = states.worth, states.edge, states.due
    number = len(sizes)
    turn, best, stale, pace = scratch.course[0], scratch.course[1], scratch.course[2], scratch.course[3]
    while turn < until:
        bound = 0
        for i in range(number):
            served[i] = 0
            bound += sizes[i] * price[i]
        for q in range(len(live)):
            cell = live[q]
            if due[cell] > turn and not only_weigh:
                continue
            chosen = states.chosen[cell] == 1 or only_weigh
            high, taken = weigh(cells, sizes, price, worths, edges, cell, need, chosen, keys, order)
            worth = worths[cell]
            if only_weigh:
                continue
            if worth > 0 or chosen:
                bound -= worth
                states.share[cell] += ((ALWAYS - states.share[cell]) * decay) >> 10
                for at in range(begin[cell], begin[cell + 1]):
                    i = members[at]
                    served[i] += price[i] > high
                for z in range(taken):
                    served[order[z]] += 1
            else:
                states.share[cell] -= (states.share[cell] * decay) >> 10
                if states.share[cell] * 50 < ALWAYS:
                    due[cell] = turn + 1 + min(-worth * PASSED // (need * max(loss[cell], 1)), MOST_PASSED)
        if only_weigh:
            return bound
        turn += 1
        if bound > best:
            best, stale = bound, 0
        else:
            stale += 1
            if stale == STALE:
                pace, stale = pace * 4 // 5, 0
        wrong = 0
        for i in range(number):
            more = drift[i] + max(1 - served[i], -MOST_TOO_MANY) * SCALE
            drift[i] = more // 2 if more > 0 else -(-more // 2)
            if drift[i] < 0 or price[i] < most[i]:
                wrong += sizes[i] * drift[i] * drift[i]
        if wrong == 0:
            turn = DONE
            break
        step = min(max(goal - bound, goal // 500) // 1024, FARTHEST) * pace * SCALE // wrong
        for i in range(number):
            if drift[i] < 0 or price[i] < most[i]:
                price[i] = min(max(price[i] + step * drift[i], 0), most[i])
    scratch.course[0], scratch.course[1], scratch.course[2], scratch.course[3] = turn, best, stale, pace
    return best


@kernel
def choose(cells, sizes, states, order, least, most, home):  # type: ignore[no-untyped-def]
    """Choose cells in this order, `most` at most, in which `least` rows lose less than at home; return how many.

    `home` is the cell of each row (-1: none yet) among those chosen, that in which it loses least. O(rows of cells)
    """
    begin, loss, members = cells.begin, cells.loss, cells.members
    done = 0
    for q in range(len(order)):
        cell = order[q]
        if done >= most:
            break
        if states.chosen[cell] == 1:
            continue
        gainers = 0
        for at in range(begin[cell], begin[cell + 1]):
            i = members[at]
            if home[i] < 0 or loss[home[i]] > loss[cell]:
                gainers += sizes[i]
        if gainers < least:
            continue
        states.chosen[cell] = 1
        done += 1
        for at in range(begin[cell], begin[cell + 1]):
            i = members[at]
            if home[i] < 0 or loss[home[i]] > loss[cell]:
                home[i] = cell
    return done


@kernel
def moved(cells, rows, home, have, i, cell, need, penalty):  # type: ignore[no-untyped-def]
    """Move a row to a cell (-1: none); return ten times what all lose more, rows that cells lack included. O(1)."""
    loss, size, before = cells.loss, rows.sizes[i], home[i]
    more = 0
    if before >= 0:
        lacked = max(need - have[before], 0)
        have[before] -= size
        lacks = max(need - have[before], 0) if have[before] > 0 else 0
        more += (lacks - lacked) * penalty * loss[before] - 10 * size * loss[before]
    else:
        more -= 10 * size * rows.most[i]
    if cell >= 0:
        lacked = max(need - have[cell], 0) if have[cell] > 0 else 0
        have[cell] += size
        more += (max(need - have[cell], 0) - lacked) * penalty * loss[cell] + 10 * size * loss[cell]
    else:
        more += 10 * size * rows.most[i]
    home[i] = cell
    return more


@kernel
def open_and_close(cells, rows, chosen, index, order, need, penalty, rounds, home, have, scratch):  # type: ignore[no-untyped-def]  # noqa: C901
    """Open and close cells, and fill those that lack rows, while all lose less for it; return how often that was so.

    Each row that a cell lacks costs `penalty` tenths of a row's loss in it; a row that is in none costs its `most`.
    `have` counts the rows that are in each cell. O(rounds * rows of cells * cells of a row).
    """
    begin, loss, members = cells.begin, cells.loss, cells.members
    place_of, places = index.begin, index.cells
    keys, queue = scratch.keys, scratch.rows
    changes = 0
    for _ in range(rounds):
        before = changes
        for q in range(len(order)):
            cell = order[q]
            more = 0
            gone = 0
            if chosen[cell] == 0:
                for at in range(begin[cell], begin[cell + 1]):
                    i = np.int64(members[at])  # of one width everywhere: loops are compiled for it once
                    was = home[i]
                    if loss[cell] < (rows.most[i] if was < 0 else loss[was]):
                        queue[gone], keys[gone] = i, was
                        gone += 1
                        more += moved(cells, rows, home, have, i, cell, need, penalty)
                if gone > 0 and more < 0:
                    chosen[cell] = 1
                    changes += 1
                    continue
            else:
                if have[cell] == 0:
                    chosen[cell] = 0
                    continue
                if have[cell] < need:
                    others = 0
                    for at in range(begin[cell], begin[cell + 1]):
                        i = members[at]
                        was = home[i]
                        if was != cell and (was < 0 or have[was] - rows.sizes[i] >= need):
                            queue[others] = i
                            keys[others] = loss[cell] - (rows.most[i] if was < 0 else loss[was])
                            others += 1
                    z = 0
                    while z < others and have[cell] < need:
                        pick(keys, queue, z, others)
                        i = queue[z]
                        z += 1
                        was = home[i]
                        if was >= 0 and have[was] - rows.sizes[i] < need:
                            continue
                        if moved(cells, rows, home, have, i, cell, need, penalty) < 0:
                            changes += 1
                        else:
                            moved(cells, rows, home, have, i, was, need, penalty)
                for at in range(begin[cell], begin[cell + 1]):
                    i = np.int64(members[at])
                    if home[i] != cell:
                        continue
                    next_one = -1
                    for z in range(place_of[i], place_of[i + 1]):
                        if places[z] != cell and chosen[places[z]] == 1 and have[places[z]] > 0:
                            next_one = places[z]
                            break
                    queue[gone], keys[gone] = i, cell
                    gone += 1
                    more += moved(cells, rows, home, have, i, next_one, need, penalty)
                if more < 0:
                    chosen[cell] = 0
                    changes += 1
                    continue
            for z in range(gone - 1, -1, -1):
                moved(cells, rows, home, have, queue[z], keys[z], need, penalty)
        if changes == before:
            break
    return changes

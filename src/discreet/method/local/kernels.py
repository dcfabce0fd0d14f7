"""The inner loops of local recoding, compiled by Numba and cached. Integers only; see `kernels`.

Rows here are items: collapsed rows, always whole. A group's items are a linked list (`head`, `next`, `before`).
`first` and `last` are a group's smallest and largest code in each column; in a column of sets the codes it has, as
bits, and how many they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.common.compiled import kernel
from discreet.encoded import Ints
from discreet.method.local.shapes import NUMBERS, SET, TABLE, WHOLE

NEVER = 2**60
"""More than any loss."""


class Items(NamedTuple):
    """What is grouped: codes (second axis: columns) and figures (rows; those known of a table; with a property)."""

    codes: npt.NDArray[np.int32]
    figures: Ints


class Limits(NamedTuple):
    """What every group must keep: hits * denominator <= numerator * rows, where hits are 1 if they are no figure."""

    rows: Ints
    """Which figure counts the rows."""
    hits: Ints
    """Which figure counts those with the property; -1 for being one certain person."""
    numerator: Ints
    denominator: Ints


class Groups(NamedTuple):
    """The groups while they change; a group without items is gone."""

    of: Ints
    head: Ints
    next: Ints
    before: Ints
    first: Ints
    last: Ints
    losses: Ints
    """What a row of the group loses in each column, and in all (last)."""
    figures: Ints
    numbers: Ints
    """How many groups there are, with those that are gone; and groups looked at so far."""


@kernel
def keeps(figures, limits):  # type: ignore[no-untyped-def]
    """Whether a group with these figures keeps every limit."""
    for p in range(len(limits.rows)):
        rows = figures[limits.rows[p]]
        hits = 1
        if limits.hits[p] >= 0:
            hits = figures[limits.hits[p]]
        elif rows == 0:
            hits = 0
        if hits * limits.denominator[p] > limits.numerator[p] * rows:
            return False
    return True


@kernel
def range_loss(shapes, c, low, high):  # type: ignore[no-untyped-def]
    """Return what the label of the codes from `low` to `high` loses."""
    kind, base = shapes.kind[c], shapes.offset[c]
    if kind == TABLE:
        return shapes.table[base + low * shapes.size[c] + high]
    if kind == NUMBERS:
        return shapes.table[base + shapes.size[c] + high] - shapes.table[base + low]
    if kind == WHOLE:
        return shapes.whole[c] if low != high else 0
    node = shapes.climb[c] + shapes.table[base + low]
    while shapes.nodes[node, 2] <= high:
        node = shapes.climb[c] + shapes.nodes[node, 0]
    loss = shapes.nodes[node, 3]
    if loss < 0:
        loss = shapes.table[base + 2 * shapes.size[c] + high] - shapes.table[base + shapes.size[c] + low]
    return loss


@kernel
def joined_loss(shapes, groups, g, c, code):  # type: ignore[no-untyped-def]
    """Return what the label of a group loses in a column once it has a further code."""
    first, last = groups.first[g, c], groups.last[g, c]
    if shapes.kind[c] == SET:
        if (first >> code) & 1:
            return groups.losses[g, c]
        return shapes.table[shapes.offset[c] + last + 1]
    if first <= code <= last:
        return groups.losses[g, c]
    return range_loss(shapes, c, min(first, code), max(last, code))


@kernel
def join(shapes, items, groups, g, item):  # type: ignore[no-untyped-def]
    """Widen the labels and figures of a group by an item."""
    total = 0
    columns = len(shapes.kind)
    for c in range(columns):
        code = items.codes[item, c]
        loss = joined_loss(shapes, groups, g, c, code)
        if shapes.kind[c] == SET:
            bit = np.int64(1) << np.int64(code)
            if not groups.first[g, c] & bit:
                groups.first[g, c] |= bit
                groups.last[g, c] += 1
        else:
            groups.first[g, c] = min(groups.first[g, c], code)
            groups.last[g, c] = max(groups.last[g, c], code)
        groups.losses[g, c] = loss
        total += loss
    groups.losses[g, columns] = total
    for f in range(items.figures.shape[1]):
        groups.figures[g, f] += items.figures[item, f]


@kernel
def recount(shapes, items, groups, g):  # type: ignore[no-untyped-def]
    """Give a group the tightest labels and the figures of its items."""
    first, last, following = groups.first[g], groups.last[g], groups.next
    kind, codes = shapes.kind, items.codes
    groups.figures[g] = 0
    item = groups.head[g]
    if item < 0:
        groups.losses[g] = 0
        return
    figures, of_group = items.figures, groups.figures[g]
    for c in range(len(kind)):
        code = np.int64(codes[item, c])
        first[c] = np.int64(1) << code if kind[c] == SET else code
        last[c] = code
    while item >= 0:
        for c in range(len(kind)):
            code = np.int64(codes[item, c])
            if kind[c] == SET:
                first[c] |= np.int64(1) << code
            elif code < first[c]:
                first[c] = code
            elif code > last[c]:
                last[c] = code
        for f in range(len(of_group)):
            of_group[f] += figures[item, f]
        item = following[item]
    label(shapes, groups, g)


@kernel
def label(shapes, groups, g):  # type: ignore[no-untyped-def]
    """Say what the labels of a group lose, from their first and last codes; count the codes of sets."""
    total = 0
    columns = len(shapes.kind)
    for c in range(columns):
        if shapes.kind[c] == SET:
            groups.last[g, c] = bits(groups.first[g, c])
            groups.losses[g, c] = shapes.table[shapes.offset[c] + groups.last[g, c]]
        else:
            groups.losses[g, c] = range_loss(shapes, c, groups.first[g, c], groups.last[g, c])
        total += groups.losses[g, c]
    groups.losses[g, columns] = total


@kernel
def bits(number):  # type: ignore[no-untyped-def]
    """Return how many bits of a number are 1."""
    count = 0
    while number:
        number &= number - 1
        count += 1
    return count


@kernel
def enter(groups, item, g):  # type: ignore[no-untyped-def]
    """Put an item into the list of a group."""
    head = groups.head[g]
    groups.next[item] = head
    groups.before[item] = -1
    if head >= 0:
        groups.before[head] = item
    groups.head[g] = item
    groups.of[item] = g


@kernel
def leave(groups, item):  # type: ignore[no-untyped-def]
    """Take an item out of the list of its group."""
    before, after = groups.before[item], groups.next[item]
    if before >= 0:
        groups.next[before] = after
    else:
        groups.head[groups.of[item]] = after
    if after >= 0:
        groups.before[after] = before


@kernel
def collect(shapes, items, groups):  # type: ignore[no-untyped-def]
    """Make the lists, labels and figures of all groups from the group of each item."""
    for g in range(groups.numbers[0]):
        groups.head[g] = -1
    for item in range(len(groups.of)):
        enter(groups, item, groups.of[item])
    for g in range(groups.numbers[0]):
        recount(shapes, items, groups, g)


@kernel
def cost(groups, g):  # type: ignore[no-untyped-def]
    """Return what all rows of a group lose."""
    return groups.figures[g, 0] * groups.losses[g, groups.losses.shape[1] - 1]


@kernel
def total_cost(groups):  # type: ignore[no-untyped-def]
    """Return what all rows lose."""
    total = 0
    for g in range(groups.numbers[0]):
        total += cost(groups, g)
    return total


@kernel
def fits(items, limits, groups, g, item, sign):  # type: ignore[no-untyped-def]
    """Whether a group keeps every limit with an item more (`sign` 1) or less (-1)."""
    for p in range(len(limits.rows)):
        at = limits.rows[p]
        rows = groups.figures[g, at] + sign * items.figures[item, at]
        hits = 1
        if limits.hits[p] >= 0:
            at = limits.hits[p]
            hits = groups.figures[g, at] + sign * items.figures[item, at]
        elif rows == 0:
            hits = 0
        if hits * limits.denominator[p] > limits.numerator[p] * rows:
            return False
    return True


@kernel
def cheapest(shapes, items, limits, groups, item, but, bound):  # type: ignore[no-untyped-def]  # noqa: C901
    """Return the group that an item joins at the least cost below `bound` (-1: none), and that cost."""
    kind, offset, size, table, whole = shapes.kind, shapes.offset, shapes.size, shapes.table, shapes.whole
    climb, nodes = shapes.climb, shapes.nodes
    first, last, losses, figures, head = groups.first, groups.last, groups.losses, groups.figures, groups.head
    columns = len(kind)
    code = items.codes[item]
    more = items.figures[item, 0]
    best, at = bound, -1
    number = groups.numbers[0]
    groups.numbers[1] += number
    for g in range(number):
        if more * losses[g, columns] >= best or head[g] < 0 or g == but:
            continue
        now = figures[g, 0] * losses[g, columns]
        rows = figures[g, 0] + more
        most = best + now
        loss = 0
        c = 0
        while c < columns:
            x = code[c]
            low, high = first[g, c], last[g, c]
            if kind[c] == SET:
                if (low >> x) & 1:
                    loss += losses[g, c]
                else:
                    loss += table[offset[c] + high + 1]
            elif low <= x <= high:
                loss += losses[g, c]
            else:
                low, high = min(low, x), max(high, x)
                if kind[c] == TABLE:
                    loss += table[offset[c] + low * size[c] + high]
                elif kind[c] == WHOLE:
                    loss += whole[c]
                elif kind[c] == NUMBERS:
                    loss += table[offset[c] + size[c] + high] - table[offset[c] + low]
                else:
                    node = climb[c] + table[offset[c] + low]
                    while nodes[node, 2] <= high:
                        node = climb[c] + nodes[node, 0]
                    if nodes[node, 3] >= 0:
                        loss += nodes[node, 3]
                    else:
                        loss += table[offset[c] + 2 * size[c] + high] - table[offset[c] + size[c] + low]
            if rows * loss >= most:
                break
            c += 1
        if c == columns and fits(items, limits, groups, g, item, 1):
            best, at = rows * loss - now, g
    return at, best


@kernel
def relocate(shapes, items, limits, groups, order, spare):  # type: ignore[no-untyped-def]
    """Move items, in this order, to groups where all lose less; `spare` is a group to try things with.

    Returns how many were moved.
    """
    moved = 0
    columns = len(shapes.kind)
    for item in order:
        g = groups.of[item]
        if groups.losses[g, columns] == 0 or not fits(items, limits, groups, g, item, -1):
            continue
        if groups.figures[g, 0] == items.figures[item, 0]:
            continue
        before = cost(groups, g)
        leave(groups, item)
        groups.head[spare] = groups.head[g]
        recount(shapes, items, groups, spare)
        groups.head[spare] = -1
        to, _ = cheapest(shapes, items, limits, groups, item, g, before - cost(groups, spare))
        if to < 0:
            enter(groups, item, g)
            continue
        _copy(groups, spare, g)
        enter(groups, item, to)
        join(shapes, items, groups, to, item)
        moved += 1
    groups.figures[spare] = 0
    groups.losses[spare] = 0
    return moved


@kernel
def _copy(groups, source, to):  # type: ignore[no-untyped-def]
    """Give a group the labels and figures of another."""
    groups.first[to] = groups.first[source]
    groups.last[to] = groups.last[source]
    groups.losses[to] = groups.losses[source]
    groups.figures[to] = groups.figures[source]


@kernel
def dissolve(shapes, items, limits, groups, order, extra, largest, undo):  # type: ignore[no-untyped-def]
    """Deal the items of whole groups, in this order, to other groups where that costs less than `extra` more.

    Groups of more than `largest` items stay. `undo` are arrays of their length that keep what was before. Returns
    how many groups are gone.
    """
    gone = 0
    for g in order:
        if groups.head[g] < 0:
            continue
        done, _ = deal(shapes, items, limits, groups, g, cost(groups, g) + extra, largest, undo)
        gone += done
    return gone


@kernel
def deal(shapes, items, limits, groups, g, bound, largest, undo):  # type: ignore[no-untyped-def]
    """Deal the items of a group to others if all that costs less than `bound`; return whether, and the cost."""
    n = 0
    item = groups.head[g]
    while item >= 0 and n < largest:
        undo.item[n] = item
        n += 1
        item = groups.next[item]
    if item >= 0:
        return False, 0
    spent = 0
    dealt = 0
    while dealt < n:
        to, more = cheapest(shapes, items, limits, groups, undo.item[dealt], g, bound - spent)
        if to < 0:
            break
        keep(groups, undo, dealt, to)
        join(shapes, items, groups, to, undo.item[dealt])
        spent += more
        dealt += 1
    if dealt < n:
        give_back(groups, undo, dealt)
        return False, 0
    for z in range(n):
        enter(groups, undo.item[z], undo.to[z])
    groups.head[g] = -1
    groups.figures[g] = 0
    groups.losses[g] = 0
    return True, spent


class Undo(NamedTuple):
    """What groups were before items joined them."""

    item: Ints
    to: Ints
    first: Ints
    last: Ints
    losses: Ints
    figures: Ints


@kernel
def keep(groups, undo, at, g):  # type: ignore[no-untyped-def]
    """Remember a group."""
    undo.to[at] = g
    undo.first[at] = groups.first[g]
    undo.last[at] = groups.last[g]
    undo.losses[at] = groups.losses[g]
    undo.figures[at] = groups.figures[g]


@kernel
def give_back(groups, undo, n):  # type: ignore[no-untyped-def]
    """Make the last `n` remembered groups what they were."""
    for z in range(n - 1, -1, -1):
        g = undo.to[z]
        groups.first[g] = undo.first[z]
        groups.last[g] = undo.last[z]
        groups.losses[g] = undo.losses[z]
        groups.figures[g] = undo.figures[z]


@kernel
def reopen(  # type: ignore[no-untyped-def]  # noqa: C901 - one step with its undoing
    shapes, items, limits, groups, missed, left, right, start, by_left, cells_l, cells_r, most_orphans, undo, moved,
    origin, touched, mark,
):  # fmt: skip
    """Release cells that were nearly missed: rows that lose more elsewhere come, and some that others can spare.

    Groups that break a limit without the rows that went are dealt to others, if that is not too much to hope for.
    Only what makes all rows lose less stays. `start` and `by_left` are the rows by their left combinations; the rest
    is scratch. Returns how many cells were released.
    """
    columns = len(shapes.kind)
    released = 0
    for at in range(len(missed)):
        new = groups.numbers[0]
        if new + 1 >= len(groups.head):
            break
        row0, vl, vr, loss = missed[at, 0], missed[at, 1], missed[at, 2], missed[at, 4]
        if loss >= groups.losses[groups.of[row0], columns]:
            continue
        # Those who gain come first, then those who lose least and can be spared.
        n, m = 0, 0
        gain = 0
        cell_l, cell_r = cells_l[vl, left[row0]], cells_r[vr, right[row0]]
        for i in range(cells_l.shape[1]):
            if cells_l[vl, i] != cell_l:
                continue
            for place in range(start[i], start[i + 1]):
                row = by_left[place]
                if cells_r[vr, right[row]] != cell_r:
                    continue
                more = groups.losses[groups.of[row], columns] - loss
                if more > 0:
                    moved[n] = row
                    n += 1
                    gain += more * items.figures[row, 0]
                else:
                    undo.item[m] = row
                    undo.to[m] = -more
                    m += 1
        groups.numbers[1] += n + m
        donors = 0
        before = 0
        groups.figures[new] = 0
        for z in range(n):
            g = groups.of[moved[z]]
            if mark[g] == 0:
                mark[g] = 1
                touched[donors] = g
                donors += 1
                before += cost(groups, g)
            _shift(items, groups, moved[z], g, new)
        full = keeps(groups.figures[new], limits)
        while not full and gain > 0:
            best = -1
            for z in range(m):
                if undo.to[z] >= 0 and (best < 0 or undo.to[z] < undo.to[best]):
                    best = z
            if best < 0:
                break
            row = undo.item[best]
            more = undo.to[best]
            undo.to[best] = -1
            g = groups.of[row]
            if not fits(items, limits, groups, g, row, -1) or groups.figures[g, 0] == items.figures[row, 0]:
                continue
            if mark[g] == 0:
                mark[g] = 1
                touched[donors] = g
                donors += 1
                before += cost(groups, g)
            _shift(items, groups, row, g, new)
            moved[n] = row
            n += 1
            gain -= more * items.figures[row, 0]
            full = keeps(groups.figures[new], limits)
        if not full or gain <= 0:
            for z in range(n):
                _shift(items, groups, moved[z], new, groups.of[moved[z]])
            for z in range(donors):
                mark[touched[z]] = 0
            continue
        for z in range(n):
            origin[z] = groups.of[moved[z]]
            leave(groups, moved[z])
        groups.numbers[0] += 1
        groups.head[new] = -1
        for z in range(n):
            enter(groups, moved[z], new)
        recount(shapes, items, groups, new)
        after = cost(groups, new)
        orphans = 0
        for z in range(donors):
            g = touched[z]
            if keeps(groups.figures[g], limits):
                recount(shapes, items, groups, g)
                after += cost(groups, g)
                continue
            item = groups.head[g]
            while item >= 0:
                undo.item[orphans] = item
                orphans += 1
                item = groups.next[item]
            groups.head[g] = -1
        dealt = 0
        while orphans <= most_orphans and dealt < orphans and after < before:
            to, more = cheapest(shapes, items, limits, groups, undo.item[dealt], -1, before - after)
            if to < 0:
                break
            keep(groups, undo, dealt, to)
            join(shapes, items, groups, to, undo.item[dealt])
            after += more
            dealt += 1
        better = dealt == orphans and after < before
        if better:
            for z in range(orphans):
                enter(groups, undo.item[z], undo.to[z])
            released += 1
        else:
            give_back(groups, undo, dealt)
            for z in range(orphans):
                enter(groups, undo.item[z], groups.of[undo.item[z]])
            for z in range(n):
                enter(groups, moved[z], origin[z])
            groups.head[new] = -1
            groups.numbers[0] -= 1
        for z in range(donors):
            g = touched[z]
            mark[g] = 0
            if not better or groups.head[g] < 0:
                recount(shapes, items, groups, g)
        if not better:
            groups.figures[new] = 0
            groups.losses[new] = 0
    return released


@kernel
def _shift(items, groups, item, source, to):  # type: ignore[no-untyped-def]
    """Count an item in another group."""
    for f in range(items.figures.shape[1]):
        groups.figures[source, f] -= items.figures[item, f]
        groups.figures[to, f] += items.figures[item, f]


@kernel
def split(shapes, items, limits, groups, g, cells, offset, levels, members, rank):  # type: ignore[no-untyped-def]  # noqa: C901
    """Split a group in two as is best: one cell of a column, at the first level that tells rows apart, and the rest.

    `cells` (from `offset[c]` on, `levels[c]` times the codes of a column) are the cells of each code at each level,
    the coarsest first. Returns the new group, or -1.
    """
    one, other = groups.numbers[0], groups.numbers[0] + 1
    if other >= len(groups.head):
        return -1
    n = 0
    item = groups.head[g]
    while item >= 0:
        members[n] = item
        n += 1
        item = groups.next[item]
    best, best_at, best_cell, best_column = cost(groups, g), -1, -1, -1
    for c in range(len(levels)):
        if groups.first[g, c] == groups.last[g, c]:
            continue
        for level in range(levels[c]):
            at = offset[c] + level * shapes.size[c]
            found = 0
            for z in range(n):
                cell = cells[at + items.codes[members[z], c]]
                known = False
                for y in range(found):
                    known |= rank[y] == cell
                if not known and found < len(rank):
                    rank[found] = cell
                    found += 1
            if found < 2:
                continue
            for y in range(found):
                after = _halves(shapes, items, limits, groups, members, n, c, cells, at, rank[y], best)
                if after < best:
                    best, best_at, best_cell = after, at, rank[y]
                    best_column = c
            break
    groups.head[g] = -1
    for z in range(n):
        half = g
        if best_at >= 0 and cells[best_at + items.codes[members[z], best_column]] == best_cell:
            half = one
        enter(groups, members[z], half)
    recount(shapes, items, groups, one)
    recount(shapes, items, groups, other)
    if best_at < 0:
        return -1
    recount(shapes, items, groups, g)
    groups.numbers[0] += 1
    return one


@kernel
def _halves(shapes, items, limits, groups, members, n, c, cells, at, cell, bound):  # type: ignore[no-untyped-def]
    """Return what two halves would lose; `bound` if that is more or one breaks a limit."""
    one, other = groups.numbers[0], groups.numbers[0] + 1
    groups.head[one] = groups.head[other] = -1
    for z in range(n):
        half = one if cells[at + items.codes[members[z], c]] == cell else other
        groups.next[members[z]] = groups.head[half]
        groups.head[half] = members[z]
    recount(shapes, items, groups, one)
    recount(shapes, items, groups, other)
    empty = groups.head[one] < 0 or groups.head[other] < 0
    groups.head[one] = groups.head[other] = -1
    if empty or not keeps(groups.figures[one], limits) or not keeps(groups.figures[other], limits):
        return bound
    return min(bound, cost(groups, one) + cost(groups, other))


@kernel
def split_all(shapes, items, limits, groups, order, cells, offset, levels, members, rank):  # type: ignore[no-untyped-def]
    """Split groups, in this order, and their halves as long as all lose less; return how many splits there were."""
    done = 0
    for g in order:
        since = groups.numbers[0]
        if groups.head[g] >= 0:
            while split(shapes, items, limits, groups, g, cells, offset, levels, members, rank) >= 0:
                done += 1
        h = since
        while h < groups.numbers[0]:
            if split(shapes, items, limits, groups, h, cells, offset, levels, members, rank) >= 0:
                done += 1
            else:
                h += 1
    return done


@kernel
def top_up(shapes, items, limits, groups, g, forbidden, loss):  # type: ignore[no-untyped-def]
    """Move items that others can spare into a group, as cheaply as can be, until it keeps every limit.

    Returns whether it does; no item whose row would lose `forbidden` or more comes. `loss` is scratch.
    """
    columns = len(shapes.kind)
    fresh = True
    while not keeps(groups.figures[g], limits):
        best, at = forbidden, -1
        if fresh:
            for item in range(len(groups.of)):
                loss[item] = 0
                for c in range(columns):
                    loss[item] += joined_loss(shapes, groups, g, c, items.codes[item, c])
        for item in range(len(groups.of)):
            h = groups.of[item]
            if h == g or loss[item] >= forbidden:
                continue
            size = items.figures[item, 0]
            more = (groups.figures[g, 0] + size) * loss[item] - cost(groups, g) - size * groups.losses[h, columns]
            if (at < 0 or more < best) and groups.figures[h, 0] > size and fits(items, limits, groups, h, item, -1):
                best, at = more, item
        if at < 0:
            return False
        h = groups.of[at]
        leave(groups, at)
        recount(shapes, items, groups, h)
        enter(groups, at, g)
        before = groups.losses[g, columns]
        join(shapes, items, groups, g, at)
        fresh = groups.losses[g, columns] != before
    return True


@kernel
def best_merge(shapes, items, limits, groups, g, forbidden):  # type: ignore[no-untyped-def]
    """Return the group to merge with: the cheapest that makes `g` keep every limit, else the one that helps most."""
    columns = len(shapes.kind)
    figures = np.empty(items.figures.shape[1], np.int64)
    best, at = -1, -1
    helps, helper = -1.0, -1
    for h in range(groups.numbers[0]):
        if h == g or groups.head[h] < 0:
            continue
        loss = 0
        for c in range(columns):
            loss += merged_loss(shapes, groups, g, h, c)
        if loss >= forbidden:
            continue
        for f in range(len(figures)):
            figures[f] = groups.figures[g, f] + groups.figures[h, f]
        more = figures[0] * loss - cost(groups, g) - cost(groups, h)
        if keeps(figures, limits):
            if at < 0 or more < best:
                best, at = more, h
        else:
            slack = 0.0
            for p in range(len(limits.rows)):
                if limits.hits[p] >= 0:
                    rows, hits = groups.figures[h, limits.rows[p]], groups.figures[h, limits.hits[p]]
                    slack += (limits.numerator[p] * rows - limits.denominator[p] * hits) / limits.denominator[p]
                else:
                    slack += groups.figures[h, limits.rows[p]]
            if helper < 0 or slack > helps:
                helps, helper = slack, h
    return at if at >= 0 else helper


@kernel
def merged_loss(shapes, groups, g, h, c):  # type: ignore[no-untyped-def]
    """Return what the label of two groups together loses in a column."""
    if shapes.kind[c] == SET:
        return shapes.table[shapes.offset[c] + bits(groups.first[g, c] | groups.first[h, c])]
    return range_loss(shapes, c, min(groups.first[g, c], groups.first[h, c]), max(groups.last[g, c], groups.last[h, c]))


@kernel
def merge(shapes, items, groups, g, h):  # type: ignore[no-untyped-def]
    """Move all items of group `h` to `g`."""
    item = groups.head[h]
    while item >= 0:
        after = groups.next[item]
        leave(groups, item)
        enter(groups, item, g)
        item = after
    recount(shapes, items, groups, g)
    recount(shapes, items, groups, h)

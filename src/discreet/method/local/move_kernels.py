"""Single items moved from group to group where all rows lose less. Integers only.

The loops of `group_kernels` are compiled into these: after a change there, this file's code on disk is stale too.
"""

from __future__ import annotations

from discreet.common.compiled import kernel
from discreet.method.local.goal_kernels import judged_with
from discreet.method.local.group_kernels import (
    clear_line,
    copy_line,
    cost,
    empty,
    enter,
    fits,
    give_back,
    join,
    keep,
    keeps,
    leave,
    recount,
)
from discreet.method.local.shapes import NUMBERS, SET, TABLE, WHOLE


@kernel
def cheapest(shapes, items, limits, groups, item, but, bound):  # type: ignore[no-untyped-def]  # noqa: C901
    """Return the group that an item joins at the least cost below `bound` (-1: none), and that cost.

    O(groups * (columns * depth + limits)), most groups being passed over early.
    """
    kind, offset, size, table, whole = shapes.kind, shapes.offset, shapes.size, shapes.table, shapes.whole
    climb, nodes = shapes.climb, shapes.nodes
    first, last, losses, figures, head = groups.first, groups.last, groups.losses, groups.figures, groups.head
    columns = len(kind)
    code = items.codes[item]
    more = items.figures[item, 0]
    best, at = bound, -1
    number = groups.numbers[0]
    goals = items.goals
    predicts = len(goals.weights) > 0
    groups.numbers[1] += number
    for g in range(number):
        if more * losses[g, columns] >= best or head[g] < 0 or g == but:
            continue
        now = cost(groups, g)
        if predicts:  # what it costs those who predict something is least where the label stays
            judged = judged_with(goals, figures[g], items.figures[item], 0)
            if more * losses[g, columns] + judged - groups.judged[g] >= best:
                continue
            now -= judged
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
        if c < columns:
            continue
        if predicts and loss >= goals.whole[0]:  # nothing would be told any more
            now = cost(groups, g) - judged_with(goals, figures[g], items.figures[item], loss)
            if rows * loss - now >= best:
                continue
        if fits(items, limits, groups, g, item, 1):
            best, at = rows * loss - now, g
    return at, best


@kernel
def relocate(shapes, items, limits, groups, order, spare):  # type: ignore[no-untyped-def]
    """Move items, in this order, to groups where all lose less; `spare` is a group to try things with.

    Returns how many were moved. Cost: for each item `recount` of its group and `cheapest`.
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
    empty(groups, spare)
    return moved


@kernel
def _copy(groups, source, to):  # type: ignore[no-untyped-def]
    """Give a group the labels and figures of another. O(columns + figures)."""
    copy_line(groups.first, to, groups.first, source)
    copy_line(groups.last, to, groups.last, source)
    copy_line(groups.losses, to, groups.losses, source)
    copy_line(groups.figures, to, groups.figures, source)
    groups.judged[to] = groups.judged[source]


@kernel
def dissolve(shapes, items, limits, groups, order, extra, largest, undo):  # type: ignore[no-untyped-def]
    """Deal the items of whole groups, in this order, to other groups where that costs less than `extra` more.

    Groups of more than `largest` items stay. `undo` are arrays of their length that keep what was before. Returns
    how many groups are gone. Cost: as `deal`, for each group.
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
    """Deal the items of a group to others if all that costs less than `bound`; return whether, and the cost.

    Cost: as `cheapest`, for each item of the group.
    """
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
    empty(groups, g)
    return True, spent


@kernel
def reopen(  # type: ignore[no-untyped-def]  # noqa: C901 - one step with its undoing
    shapes, items, limits, groups, missed, left, right, start, by_left, cells_l, cells_r, most_orphans, undo, moved,
    origin, touched, mark,
):  # fmt: skip
    """Release cells that were nearly missed: rows that lose more elsewhere come, and some that others can spare.

    Groups that break a limit without the rows that went are dealt to others, if that is not too much to hope for.
    Only what makes all rows lose less stays. `start` and `by_left` are the rows by their left combinations; the rest
    is scratch. Returns how many cells were released.
    Cost: for each cell O(items), or O(items²) where others spare some, and `recount` and `cheapest` of what changed.
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
        clear_line(groups.figures, new)
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
            empty(groups, new)
    return released


@kernel
def _shift(items, groups, item, source, to):  # type: ignore[no-untyped-def]
    """Count an item in another group. O(figures)."""
    for f in range(items.figures.shape[1]):
        groups.figures[source, f] -= items.figures[item, f]
        groups.figures[to, f] += items.figures[item, f]

"""Whole groups split, filled up and merged until they keep every limit and lose little. Integers only.

The loops of `group_kernels` are compiled into these: after a change there, this file's code on disk is stale too.
"""

from __future__ import annotations

import numpy as np

from discreet.common.compiled import kernel
from discreet.method.base.measure_kernels import DENOMINATOR, FIRST, MEASURE, NUMERATOR, SHARE, figure_of
from discreet.method.local.goal_kernels import judged_group, judged_with
from discreet.method.local.group_kernels import (
    bits,
    cost,
    enter,
    fits,
    join,
    joined_loss,
    keeps,
    leave,
    range_loss,
    recount,
)
from discreet.method.local.shapes import SET


@kernel
def split(shapes, items, limits, groups, g, cells, offset, levels, members, rank):  # type: ignore[no-untyped-def]  # noqa: C901
    """Split a group in two as is best: one cell of a column, at the first level that tells rows apart, and the rest.

    `cells` (from `offset[c]` to `offset[c + 1]`, `levels[c]` times the codes of items) are the cells of each code at
    each level, the coarsest first. Returns the new group, or -1.
    O(columns * levels * items of the group), and `_halves` of each cell of a column.
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
            at = offset[c] + level * ((offset[c + 1] - offset[c]) // levels[c])
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
    """Return what two halves would lose; `bound` if that is more or one breaks a limit.

    O(items of the group * (columns + figures)).
    """
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
    """Split groups, in this order, and their halves as long as all lose less; return how many splits there were.

    Cost: as `split`, for each group and each half.
    """
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
    O(items * (columns * depth + limits)) for each item that comes.
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
            more += judged_with(items.goals, groups.figures[g], items.figures[item], loss[item])
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
    """Return the group to merge with: the cheapest that makes `g` keep every limit, else the one that helps most.

    O(groups * (columns * depth + figures + limits)).
    """
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
        more += judged_group(items.goals, figures, loss)
        if keeps(figures, limits):
            if at < 0 or more < best:
                best, at = more, h
        else:
            slack = 0.0
            lines = limits.lines
            for p in range(len(limits.rows)):
                rows = groups.figures[h, limits.rows[p]]
                if lines[p, MEASURE] == SHARE:
                    hits = groups.figures[h, lines[p, FIRST]]
                    slack += (lines[p, NUMERATOR] * rows - lines[p, DENOMINATOR] * hits) / lines[p, DENOMINATOR]
                else:
                    _, under = figure_of(rows, groups.figures[h], lines, p)
                    slack += under
            if helper < 0 or slack > helps:
                helps, helper = slack, h
    return at if at >= 0 else helper


@kernel
def merged_loss(shapes, groups, g, h, c):  # type: ignore[no-untyped-def]
    """Return what the label of two groups together loses in a column. O(1); in a tree O(depth)."""
    if shapes.kind[c] == SET:
        return shapes.table[shapes.offset[c] + bits(groups.first[g, c] | groups.first[h, c])]
    return range_loss(shapes, c, min(groups.first[g, c], groups.first[h, c]), max(groups.last[g, c], groups.last[h, c]))


@kernel
def merge(shapes, items, groups, g, h):  # type: ignore[no-untyped-def]
    """Move all items of group `h` to `g`. O(items of both groups * (columns + figures))."""
    item = groups.head[h]
    while item >= 0:
        after = groups.next[item]
        leave(groups, item)
        enter(groups, item, g)
        item = after
    recount(shapes, items, groups, g)
    recount(shapes, items, groups, h)

"""The groups of local recoding while they change: their items, labels, figures and limits. Integers only.

Rows here are items: collapsed rows, always whole. A group's items are a linked list (`head`, `next`, `before`).
`first` and `last` are a group's smallest and largest code in each column; in a column of sets the codes it has, as
bits, and how many they are. The loops of `measure_kernels` are compiled into these: after a change there, this file's
code on disk is stale too, and so is that of the files that call these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.common.compiled import kernel, seldom
from discreet.encoded import Ints
from discreet.method.base.measure_kernels import DENOMINATOR, FIRST, MEASURE, NUMERATOR, ROWS, SHARE, passes
from discreet.method.local.goal_kernels import GroupGoals, judged_group
from discreet.method.local.shapes import NUMBERS, SET, TABLE, WHOLE

NEVER = 2**60
"""More than any loss."""


class GroupedItems(NamedTuple):
    """What is grouped: codes (second axis: columns) and figures.

    Figures are rows; those known of a table; those with a property; the sums of targets.
    """

    codes: npt.NDArray[np.int32]
    figures: Ints
    goals: GroupGoals


class GroupLimits(NamedTuple):
    """What every group must keep."""

    rows: Ints
    """Which figure counts the rows, for each limit."""
    lines: Ints
    """The limits as `base.limits` has them; their tallies are figures."""


class ItemGroups(NamedTuple):
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
    judged: Ints
    """What the group costs those who predict something."""
    numbers: Ints
    """How many groups there are, with those that are gone; and groups looked at so far."""


@kernel
def clear_line(lines, at):  # type: ignore[no-untyped-def]
    """Write zeros to a line of a table. O(columns). (To assign a whole line takes Numba long to compile.)"""
    for c in range(lines.shape[1]):
        lines[at, c] = 0


@kernel
def copy_line(to, at, source, line):  # type: ignore[no-untyped-def]
    """Copy a line of one table to another. O(columns)."""
    for c in range(to.shape[1]):
        to[at, c] = source[line, c]


@kernel
def keeps(figures, limits):  # type: ignore[no-untyped-def]
    """Whether a group with these figures keeps every limit. O(limits)."""
    lines = limits.lines
    for p in range(len(limits.rows)):  # noqa: SIM110 - compiled
        if passes(figures[limits.rows[p]], figures, lines, p):
            return False
    return True


@kernel
def find_broken(groups, limits, broken):  # type: ignore[no-untyped-def]
    """Write the groups that have items and break a limit to `broken`; return how many. O(groups * limits)."""
    found = 0
    for g in range(groups.numbers[0]):
        if groups.head[g] >= 0 and not keeps(groups.figures[g], limits):
            broken[found] = g
            found += 1
    return found


@kernel
def range_loss(shapes, c, low, high):  # type: ignore[no-untyped-def]
    """Return what the label of the codes from `low` to `high` loses. O(1); in a tree O(depth)."""
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
    """Return what the label of a group loses in a column once it has a further code. O(1); in a tree O(depth)."""
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
    """Widen the labels and figures of a group by an item. O(columns * depth + figures)."""
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
    groups.judged[g] = judged_group(items.goals, groups.figures[g], total)


@kernel
def recount(shapes, items, groups, g):  # type: ignore[no-untyped-def]
    """Give a group the tightest labels and the figures of its items. O(items of the group * (columns + figures))."""
    first, last, following = groups.first[g], groups.last[g], groups.next
    kind, codes = shapes.kind, items.codes
    clear_line(groups.figures, g)
    item = groups.head[g]
    if item < 0:
        empty(groups, g)
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
    groups.judged[g] = judged_group(items.goals, of_group, groups.losses[g, len(kind)])


@kernel
def empty(groups, g):  # type: ignore[no-untyped-def]
    """Say that a group has no rows, which cost nothing. O(columns + figures)."""
    clear_line(groups.figures, g)
    clear_line(groups.losses, g)
    groups.judged[g] = 0


@kernel
def label(shapes, groups, g):  # type: ignore[no-untyped-def]
    """Say what the labels of a group lose, from their first and last codes; count the codes of sets.

    O(columns * depth).
    """
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
    """Return how many bits of a number are 1. O(bits that are 1)."""
    count = 0
    while number:
        number &= number - 1
        count += 1
    return count


@kernel
def enter(groups, item, g):  # type: ignore[no-untyped-def]
    """Put an item into the list of a group. O(1)."""
    head = groups.head[g]
    groups.next[item] = head
    groups.before[item] = -1
    if head >= 0:
        groups.before[head] = item
    groups.head[g] = item
    groups.of[item] = g


@kernel
def leave(groups, item):  # type: ignore[no-untyped-def]
    """Take an item out of the list of its group. O(1)."""
    before, after = groups.before[item], groups.next[item]
    if before >= 0:
        groups.next[before] = after
    else:
        groups.head[groups.of[item]] = after
    if after >= 0:
        groups.before[after] = before


@kernel
def collect(shapes, items, groups, only):  # type: ignore[no-untyped-def]
    """Make the lists, labels and figures of all groups from the group of each item.

    Or labels and figures of one group `only` (-1: of all), from its list. O(items * (columns + figures)).
    """
    if only >= 0:
        recount(shapes, items, groups, only)
        return
    for g in range(groups.numbers[0]):
        groups.head[g] = -1
    for item in range(len(groups.of)):
        enter(groups, item, groups.of[item])
    for g in range(groups.numbers[0]):
        recount(shapes, items, groups, g)


@kernel
def cost(groups, g):  # type: ignore[no-untyped-def]
    """Return what all rows of a group lose, and what the group costs those who predict something. O(1)."""
    return groups.figures[g, 0] * groups.losses[g, groups.losses.shape[1] - 1] + groups.judged[g]


@kernel
def _not_otherwise(items, limits, groups, g, item, sign, rows, p):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Stand in for `otherwise_broken` in loops whose limits need no vectors. O(1)."""
    if limits.lines[p, MEASURE] > SHARE:
        raise ValueError("a limit needs what the loop was compiled without")
    return True


@seldom(_not_otherwise)
def otherwise_broken(items, limits, groups, g, item, sign, rows, p):  # type: ignore[no-untyped-def]
    """Whether a group breaks a limit that is reckoned from all its tallies, with an item more or less. O(tallies)."""
    tally = np.empty(items.figures.shape[1], np.int64)
    for f in range(len(tally)):
        tally[f] = groups.figures[g, f] + sign * items.figures[item, f]
    lines = limits.lines
    return passes(rows, tally, lines, p)


@kernel
def fits(items, limits, groups, g, item, sign):  # type: ignore[no-untyped-def]
    """Whether a group keeps every limit with an item more (`sign` 1) or less (-1). O(limits * tallies)."""
    lines = limits.lines
    for p in range(len(limits.rows)):
        at = limits.rows[p]
        rows = groups.figures[g, at] + sign * items.figures[item, at]
        above = 1 if rows > 0 else 0
        below = rows
        if lines[p, MEASURE] == SHARE:
            at = lines[p, FIRST]
            above = groups.figures[g, at] + sign * items.figures[item, at]
        elif lines[p, MEASURE] != ROWS:
            if otherwise_broken(items, limits, groups, g, item, sign, rows, p):
                return False
            continue
        if above * lines[p, DENOMINATOR] > lines[p, NUMERATOR] * below:
            return False
    return True


class Undo(NamedTuple):
    """What groups were before items joined them."""

    item: Ints
    to: Ints
    judged: Ints
    first: Ints
    last: Ints
    losses: Ints
    figures: Ints


@kernel
def keep(groups, undo, at, g):  # type: ignore[no-untyped-def]
    """Remember a group. O(columns + figures)."""
    undo.to[at] = g
    copy_line(undo.first, at, groups.first, g)
    copy_line(undo.last, at, groups.last, g)
    copy_line(undo.losses, at, groups.losses, g)
    copy_line(undo.figures, at, groups.figures, g)
    undo.judged[at] = groups.judged[g]


@kernel
def give_back(groups, undo, n):  # type: ignore[no-untyped-def]
    """Make the last `n` remembered groups what they were. O(n * (columns + figures))."""
    for z in range(n - 1, -1, -1):
        g = undo.to[z]
        copy_line(groups.first, g, undo.first, z)
        copy_line(groups.last, g, undo.last, z)
        copy_line(groups.losses, g, undo.losses, z)
        copy_line(groups.figures, g, undo.figures, z)
        groups.judged[g] = undo.judged[z]

"""Groups made around rows that nobody has room for: small groups come to each, the nearest first. Integers and ratios.

The loops of `group_kernels` and `split_kernels` are compiled into these: after a change there, this file's code on
disk is stale too.
"""

from __future__ import annotations

import numpy as np

from discreet.common.compiled import kernel
from discreet.method.base.measure_kernels import DENOMINATOR, FIRST, MEASURE, NUMERATOR, ROWS, SHARE
from discreet.method.local.goal_kernels import judged_group, judged_with
from discreet.method.local.group_kernels import cost, enter, fits, join, joined_loss, keeps, leave, recount
from discreet.method.local.split_kernels import merge, merged_loss


@kernel
def gather(shapes, items, limits, groups, g, seeds, orders, places, reach, forbidden):  # type: ignore[no-untyped-def]
    """Make a group around each of some items of `g`, of whole groups that come to it; what finds none goes back.

    Those come first that cost least for what they help. They are the groups of the `reach` items before and after the
    item in each of the `orders` of all items (second axis); `places` says where each item stands in each. Limits are
    of rows or shares. Returns how many groups were made.
    O(items * orders * reach * (columns * depth + figures + limits)) for each group that comes.
    """
    made = 0
    figures = np.empty(items.figures.shape[1], np.int64)
    for item in seeds:
        new = groups.numbers[0]
        if new + 1 >= len(groups.head):
            break
        groups.numbers[0] += 1
        groups.head[new] = -1
        leave(groups, item)
        enter(groups, item, new)
        recount(shapes, items, groups, new)
        going = True
        while going and not keeps(groups.figures[new], limits):
            h = nearest(shapes, items, limits, groups, g, new, item, orders, places, reach, forbidden, figures)
            going = h >= 0
            if going:
                merge(shapes, items, groups, new, h)
        if going:
            made += 1
        else:
            merge(shapes, items, groups, g, new)
            groups.numbers[0] = new
    recount(shapes, items, groups, g)
    return made


@kernel
def nearest(  # type: ignore[no-untyped-def]
    shapes, items, limits, groups, g, new, item, orders, places, reach, forbidden, figures
):  # fmt: skip
    """Return the group near an item that costs least for what it helps (-1: none helps). `figures` is scratch.

    O(orders * reach * (columns * depth + figures + limits)).
    """
    columns = len(shapes.kind)
    predicts = len(items.goals.weights) > 0
    best, at = 0.0, -1
    for o in range(len(orders)):
        here = places[o, item]
        for place in range(max(here - reach, 0), min(here + reach + 1, orders.shape[1])):
            h = groups.of[orders[o, place]]
            if h in (new, g):
                continue
            help_ = helped(groups, limits, new, h)
            if help_ <= 0.0:
                continue
            loss = 0
            for c in range(columns):
                loss += merged_loss(shapes, groups, new, h, c)
            if loss >= forbidden:
                continue
            more = (groups.figures[new, 0] + groups.figures[h, 0]) * loss - cost(groups, new) - cost(groups, h)
            if predicts:
                for f in range(len(figures)):
                    figures[f] = groups.figures[new, f] + groups.figures[h, f]
                more += judged_group(items.goals, figures, loss)
            if at < 0 or more / help_ < best:
                best, at = more / help_, h
    return at


@kernel
def helped(groups, limits, g, h):  # type: ignore[no-untyped-def]
    """Return what part of all that a group lacks for its limits another one brings, 1 for each limit. O(limits)."""
    found = 0.0
    lines = limits.lines
    for p in range(len(limits.rows)):
        over, under = lines[p, NUMERATOR], lines[p, DENOMINATOR]
        lacks, brings = 0, 0
        if lines[p, MEASURE] == ROWS:
            lacks = under - over * groups.figures[g, limits.rows[p]]
            brings = over * groups.figures[h, limits.rows[p]]
        elif lines[p, MEASURE] == SHARE:
            lacks = under * groups.figures[g, lines[p, FIRST]] - over * groups.figures[g, limits.rows[p]]
            brings = over * groups.figures[h, limits.rows[p]] - under * groups.figures[h, lines[p, FIRST]]
        if lacks > 0:
            found += min(brings, lacks) / lacks
    return found


@kernel
def join_near(shapes, items, limits, groups, g, some, orders, places, reach, forbidden):  # type: ignore[no-untyped-def]
    """Let items of `g` join, one after the other, the group near each in which all lose least and every limit is kept.

    Near are the groups of the `reach` items before and after in each of the `orders`; see `gather`. An item that none
    of them has room for stays. Returns how many have gone.
    O(items * orders * reach * (columns * depth + figures + limits)), and `recount` of `g`.
    """
    gone = 0
    columns = len(shapes.kind)
    for item in some:
        size = items.figures[item, 0]
        best, at = 0, -1
        for o in range(len(orders)):
            here = places[o, item]
            for place in range(max(here - reach, 0), min(here + reach + 1, orders.shape[1])):
                h = groups.of[orders[o, place]]
                if h == g:
                    continue
                loss = 0
                for c in range(columns):
                    loss += joined_loss(shapes, groups, h, c, items.codes[item, c])
                if loss >= forbidden:
                    continue
                more = (groups.figures[h, 0] + size) * loss - cost(groups, h)
                more += judged_with(items.goals, groups.figures[h], items.figures[item], loss)
                if (at < 0 or more < best) and fits(items, limits, groups, h, item, 1):
                    best, at = more, h
        if at >= 0:
            leave(groups, item)
            enter(groups, item, at)
            join(shapes, items, groups, at, item)
            gone += 1
    recount(shapes, items, groups, g)
    return gone


@kernel
def sweep(items, limits, order, apart, least, of, number):  # type: ignore[no-untyped-def]  # noqa: C901 - one loop
    """Make groups of items that stand beside each other in an order: each as soon as it keeps every limit.

    Items with different numbers `apart` are in different groups; each group has `least` rows. What is left before such
    a border goes to the last group, if that keeps all limits with it, and else to none. Groups are written to `of`,
    from `number` on; returns the next number.
    O(items * (figures + limits)).
    """
    figures = np.zeros(items.figures.shape[1], np.int64)
    last = np.zeros(items.figures.shape[1], np.int64)
    begin, known = 0, False
    for at in range(len(order) + 1):
        if at == len(order) or (at > 0 and apart[order[at]] != apart[order[at - 1]]):
            if begin < at and known:
                for f in range(len(figures)):
                    last[f] += figures[f]
                if keeps(last, limits):
                    for z in range(begin, at):
                        of[order[z]] = number - 1
            for f in range(len(figures)):
                figures[f] = 0
            begin, known = at, False
        if at == len(order):
            break
        for f in range(len(figures)):
            figures[f] += items.figures[order[at], f]
        if figures[0] >= least and keeps(figures, limits):
            for z in range(begin, at + 1):
                of[order[z]] = number
            for f in range(len(figures)):
                last[f] = figures[f]
                figures[f] = 0
            number += 1
            begin, known = at + 1, True
    return number

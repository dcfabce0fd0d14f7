"""The inner loop of looking at every cut, compiled by Numba and cached. Whole numbers only; see `every_cut`.

The loops of `evaluation_kernels`, `measure_kernels` and `target_kernels` are compiled into these: after a change there,
this file's code on disk is stale too.
"""

from __future__ import annotations

from discreet.common.compiled import kernel
from discreet.method.cuts.evaluation_kernels import by_group, find_broken, group, lost_by
from discreet.method.cuts.target_kernels import target_cost, target_costs


@kernel
def turn(digits, choices):  # type: ignore[no-untyped-def]
    """Go on to the next cut, the last column first; return the first column whose cut is another. O(columns)."""
    for c in range(len(digits) - 1, -1, -1):
        digits[c] += 1
        if digits[c] < choices.counts[c]:
            return c
        digits[c] = 0
    return 0


@kernel
def write_cut(first, digits, offsets, choices, part, loss, untold, widths):  # type: ignore[no-untyped-def]
    """Write the parts and losses of the codes of a column, and of all columns after it. O(codes)."""
    for c in range(first, len(digits)):
        line = choices.at[c] + digits[c]
        widths[c] = choices.widths[line]
        begin = choices.begins[line]
        for v in range(offsets[c + 1] - offsets[c]):
            part[offsets[c] + v] = choices.parts[begin + v]
            loss[offsets[c] + v] = choices.losses[begin + v]
            untold[offsets[c] + v] = choices.untold[begin + v]


@kernel
def leave_out(few, part, widths, offsets, room):  # type: ignore[no-untyped-def]
    """Write which rows are left out: those of groups that break a promise, until nothing changes.

    After the first round groups do not count of which nothing may be told: rows left out read like theirs.
    O(rows * tables * (columns + tallies)) for each round.
    """
    rows = len(few.sizes)
    for row in range(rows):
        room.left_out[row] = False
    changed = True
    first = True
    while changed:
        changed = False
        for row in range(rows):
            room.more[row] = room.left_out[row]
        for t in range(len(few.known_at) - 1):
            known = few.known[few.known_at[t] : few.known_at[t + 1]]
            groups = group(
                few.codes, known, part, offsets, widths, few.fixed[t], few.bounds[t], room.key, room.ids, room.table,
                room.places,
            )  # fmt: skip
            low = few.hits_at[t]
            high = few.hits_at[t + 1]
            own = few.limits[few.limits_at[t] : few.limits_at[t + 1]]
            if find_broken(
                room.ids, groups, few.told[t], few.hits[low:high], own, room.left_out, room.size, room.counted,
                room.broken,
            ):  # fmt: skip
                for row in range(rows):
                    if room.broken[room.ids[row]] and not room.more[row]:
                        tells = first
                        for c in known:
                            tells = tells or not room.untold[offsets[c] + few.codes[c, row]]
                        room.more[row] = tells
                        changed = changed or tells
        for row in range(rows):
            room.left_out[row] = room.more[row]
        first = False
        changed = changed and len(few.known_at) > 2


@kernel
def aimed_cost(few, part, widths, offsets, shape, weights, own_group, room):  # type: ignore[no-untyped-def]
    """Return what the rows kept and left out cost the targets by their weights.

    O(targets * rows * (columns + fields)).
    """
    cost = 0
    width = few.fields.shape[1]
    for t in range(len(weights)):
        seen = few.seen[few.seen_at[t] : few.seen_at[t + 1]]
        groups = group(
            few.codes, seen, part, offsets, widths, room.nothing, 1, room.key, room.ids, room.table, room.places,
        )  # fmt: skip
        by_group(room.ids, groups, room.start, room.sorted)
        each = target_costs(room.sorted, room.start, groups, few.fields, room.left_out, shape, t, room.tally)
        if own_group[t]:
            each += target_cost(room.tally[width:], shape.kinds, shape.begins, shape.at, shape.params, t)
        else:
            for f in range(shape.begins[t], shape.begins[t + 1]):
                each += shape.gone[f] * room.tally[width + f]
        cost += weights[t] * each
    return cost


@kernel
def next_below(  # type: ignore[no-untyped-def]
    at, end, upper, most_gone, lm, gone_cost, weights, own_group, few, offsets, shape, choices, digits, room,
):  # fmt: skip
    """Look at cuts from one number up to another; return that of the first that costs less than `upper`, or `end`.

    Its cuts of single columns are in `digits`. Rows to be drawn by lot do not count.
    Cost: for each cut `write_cut` and `leave_out`, and `aimed_cost` where it is near.
    """
    write_cut(0, digits, offsets, choices, room.part, room.loss, room.untold, room.widths)
    while at < end:
        leave_out(few, room.part, room.widths, offsets, room)
        lost, gone = lost_by(few.codes, few.sizes, room.loss, offsets, room.left_out)
        cost = lm * lost + gone_cost * gone
        if gone <= most_gone and cost < upper:
            cost += aimed_cost(few, room.part, room.widths, offsets, shape, weights, own_group, room)
            if cost < upper:
                return at
        at += 1
        write_cut(turn(digits, choices), digits, offsets, choices, room.part, room.loss, room.untold, room.widths)
    return at

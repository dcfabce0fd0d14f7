"""What sets of cuts cost at least, row by row: the inner loops, compiled by Numba and cached. Whole numbers only."""

from __future__ import annotations

from discreet.common.compiled import kernel
from discreet.method.cuts.cut_set_kernels import NO


@kernel
def least_losses(frame, node_state, code_state, front, least):  # type: ignore[no-untyped-def]
    """Write what a cell with each code loses at least under any cut that the decisions allow.

    O(codes); in intervals O(codes * those not to be cut beside each).
    """
    for c in range(len(frame.plain)):
        base = frame.code_at[c]
        stop = frame.code_at[c + 1]
        if frame.plain[c]:
            hidden = 0
            for v in range(base, stop):
                hidden += code_state[v] == NO
            for v in range(base, stop):
                least[v] = frame.hidden[base + hidden - 1] if code_state[v] == NO else 0
            continue
        for v in range(base, stop):
            node = front[v]
            least[v] = 0
            if frame.interval[node]:
                low = v
                while low > base + frame.first[node] and code_state[low] == NO:
                    low -= 1
                high = v
                while high + 1 < base + frame.stop[node] and code_state[high + 1] == NO:
                    high += 1
                least[v] = frame.positions[high] - frame.positions[low]
            elif node_state[node] == NO or frame.children[node] == 0:
                least[v] = frame.losses[frame.loss_at[node] + (v - base) * frame.stride[node]]


@kernel
def certain_cost(frame, dead, bases, excess, least, left):  # type: ignore[no-untyped-def]
    """Return what all rows cost at least; `left` is what each costs more if it is left out, 0 for those that are.

    O(rows * columns).
    """
    certain = 0
    for row in range(len(frame.sizes)):
        left[row] = 0
        if dead[row]:
            certain += frame.dropped[row]
            continue
        paid = 0
        for c in range(len(frame.plain)):
            paid += least[frame.code_at[c] + frame.codes[c, row]]
        paid = min(paid, excess[row])
        left[row] = excess[row] - paid
        certain += bases[row] + frame.sizes[row] * paid
    return certain


@kernel
def forced_out(ids, groups, order, sizes, hits, dead, stay, limit, left, size, need):  # type: ignore[no-untyped-def]
    """Return what it costs that no group may be too sure: so many rows with the property are left out at least.

    A group that is too sure is so in some part of it, however it is told apart. `order` has the rows, those first that
    cost least. Rows that are `dead` anyway do not count; where they `stay` in their groups, those with the property are
    among the rows left out. O(rows + groups).
    """
    over, under = limit
    for g in range(groups):
        size[g] = 0
        need[g] = 0
    for row in range(len(ids)):
        if stay or not dead[row]:
            size[ids[row]] += sizes[row]
            need[ids[row]] += hits[row]
    for g in range(groups):
        more = need[g] * under - over * size[g]
        need[g] = -(-more // (under - over)) if more > 0 else 0
    for row in range(len(ids)):
        if stay and dead[row]:
            need[ids[row]] = max(need[ids[row]] - hits[row], 0)
    cost = 0
    for row in order:
        g = ids[row]
        if not dead[row] and need[g] > 0:
            taken = min(need[g], hits[row])
            cost += taken * left[row]
            need[g] -= taken
    return cost

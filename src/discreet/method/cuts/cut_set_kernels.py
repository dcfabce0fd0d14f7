"""Sets of cuts, told by decisions: their coarsest and finest cut, cells of rows, what is certain to be paid.

Whole numbers decide; see `exact` for the ideas. The loops of `target_kernels` are compiled into these: after a change
there, this file's code on disk is stale too.
"""

from __future__ import annotations

from discreet.common.compiled import kernel
from discreet.method.base.targets import COSTS, GUESSED, SQUARES
from discreet.method.cuts.target_kernels import overruled, target_cost

FREE, YES, NO = range(3)
"""What is decided of a node (opened?), a place between numbers (cut?) or a value of a plain column (shown?)."""


@kernel
def coarsest(frame, node_state, code_state, part, front, settled, known):  # type: ignore[no-untyped-def]
    """Write the coarsest cut that the decisions allow: the part of each code (from 1; 0: hidden), and what is settled.

    `front` is the node that a code is told by, -1 in a plain column. A part is `settled` when it cannot get any
    finer and all its rows lose the same; `known` is that loss. O(codes * depth).
    """
    for c in range(len(frame.plain)):
        base = frame.code_at[c]
        size = frame.code_at[c + 1] - base
        if frame.plain[c]:
            still = 0
            free = 0
            for v in range(base, base + size):
                still += code_state[v] != YES
                free += code_state[v] == FREE
            for v in range(base, base + size):
                front[v] = -1
                shown = code_state[v] == YES
                part[v] = v - base + 1 if shown else 0
                settled[v] = shown or free == 0
                known[v] = 0 if shown or free > 0 else frame.hidden[base + still - 1]
            continue
        for node in range(frame.node_at[c], frame.node_at[c + 1]):
            above = frame.parent[node]
            if above >= 0 and (node_state[above] != YES or front[base + frame.first[node]] != above):
                continue
            first = base + frame.first[node]
            stop = base + frame.stop[node]
            leaf = frame.children[node] == 0 and not frame.interval[node]
            for v in range(first, stop):
                front[v] = node
                part[v] = first - base + 1
                settled[v] = (leaf or node_state[node] == NO) and frame.stride[node] == 0
                known[v] = frame.losses[frame.loss_at[node]] if settled[v] else 0
            if frame.interval[node]:
                begin = first
                while begin < stop:
                    end = begin + 1
                    free = 0
                    while end < stop and code_state[end] != YES:
                        free += code_state[end] == FREE
                        end += 1
                    for v in range(begin, end):
                        part[v] = begin - base + 1
                        settled[v] = free == 0
                        known[v] = frame.positions[end - 1] - frame.positions[begin] if free == 0 else 0
                    begin = end


@kernel
def finest(frame, node_state, code_state, front, part):  # type: ignore[no-untyped-def]
    """Write the finest cut that the decisions allow: the part of each code (from 1; 0: hidden). O(codes)."""
    for c in range(len(frame.plain)):
        base = frame.code_at[c]
        for v in range(base, frame.code_at[c + 1]):
            if frame.plain[c]:
                part[v] = 0 if code_state[v] == NO else v - base + 1
                continue
            node = front[v]
            if node_state[node] == NO and not frame.interval[node]:
                part[v] = frame.first[node] + 1
                continue
            node = frame.leaf[v]
            inside = frame.interval[node] and v > base + frame.first[node] and code_state[v] == NO
            part[v] = part[v - 1] if inside else v - base + 1


@kernel
def least_cost(tally, shape, t):  # type: ignore[no-untyped-def]
    """Return what a group costs a target at least, alone or as a part of any other. Cost: as `target_cost`."""
    if shape.kinds[t] == GUESSED:
        return overruled(tally, shape.begins[t], shape.begins[t + 1], shape.params, shape.at[t], True)
    if shape.kinds[t] != COSTS:
        cost = target_cost(tally, shape.kinds, shape.begins, shape.at, shape.params, t)
        return max(cost - 1, 0) if shape.kinds[t] == SQUARES else cost  # the cost of squares is rounded up
    first = shape.begins[t]
    classes = shape.begins[t + 1] - first
    best = -1
    for taken in range(classes):
        cost = 0
        for true in range(classes):
            cost += tally[first + true] * shape.params[shape.at[t] + true * classes + taken]
        if best < 0 or cost < best:
            best = cost
    return max(best, 0)


@kernel
def target_bounds(  # type: ignore[no-untyped-def]
    ids, groups, sizes, fields, shape, weights, own_group, dropped, n_at, out_at, row_at, tally, bases, excess,
):  # fmt: skip
    """Write what rows cost the targets at least, kept or not, and what leaving one out adds; groups are the finest.

    What a group costs in any case is written to its first row.
    O((rows + groups) * fields), and `least_cost` of each group.
    """
    for g in range(groups):
        n_at[g] = 0
        out_at[g] = 0
        for f in range(fields.shape[1]):
            tally[g, f] = 0
    for row in range(len(ids)):
        g = ids[row]
        if n_at[g] == 0:
            row_at[g] = row
        n_at[g] += sizes[row]
        out_at[g] += dropped[row]
        for f in range(fields.shape[1]):
            tally[g, f] += fields[row, f]
        bases[row] = 0
    for g in range(groups):
        kept = 0
        out = out_at[g]
        for t in range(len(weights)):
            cost = weights[t] * least_cost(tally[g], shape, t)
            kept += cost
            if own_group[t]:
                out += cost
        bases[row_at[g]] = min(kept, out)
        out_at[g] = max(out - kept, 0) // n_at[g]
    for row in range(len(ids)):
        excess[row] = out_at[ids[row]]


@kernel
def cells_of(  # type: ignore[no-untyped-def]
    frame, ids, groups, dead, settled, known, bases, excess, cell_of, row_at, n_cell, base_cell, left, is_open,
):  # fmt: skip
    """Number the cells with rows that may be kept; return how many there are, and what is certain to be paid.

    Of each cell: rows, a row of it, `left` (what a row costs at least if it is left out, beyond what is certain)
    and which columns are not settled in it. O(rows * columns + groups).
    """
    columns = len(frame.plain)
    certain = 0
    for g in range(groups):
        cell_of[g] = -1
    cells = 0
    for row in range(len(ids)):
        if dead[row]:
            certain += frame.dropped[row]
            ids[row] = -1
            continue
        g = ids[row]
        q = cell_of[g]
        beside = 0
        for c in range(columns):
            v = frame.code_at[c] + frame.codes[c, row]
            if not frame.main[c] and settled[v]:
                beside += known[v]
        if q < 0:
            q = cells
            cell_of[g] = q
            cells += 1
            row_at[q] = row
            n_cell[q] = 0
            left[q] = excess[row]
            base_cell[q] = beside
        n_cell[q] += frame.sizes[row]
        if excess[row] < left[q]:
            left[q] = excess[row]
        if beside < base_cell[q]:
            base_cell[q] = beside
        certain += bases[row]
        ids[row] = q
    for q in range(cells):
        paid = base_cell[q]
        for c in range(columns):
            v = frame.code_at[c] + frame.codes[c, row_at[q]]
            is_open[q, c] = frame.main[c] and not settled[v]
            if frame.main[c]:
                paid += known[v]
        paid = min(paid, left[q])
        left[q] -= paid
        certain += n_cell[q] * paid
    return cells, certain


@kernel
def list_entries(order, codes, sizes, ids, is_open, c, start, used, code, count):  # type: ignore[no-untyped-def]
    """List for each cell its codes of one column, ascending, with their rows; `order` has the rows by code. O(rows)."""
    for q in range(len(used)):
        used[q] = 0
    for i in range(len(order)):
        row = order[i]
        q = ids[row]
        if q < 0 or not is_open[q, c]:
            continue
        v = codes[row]
        at = start[q] + used[q]
        if used[q] > 0 and code[at - 1] == v:
            count[at - 1] += sizes[row]
        else:
            code[at] = v
            count[at] = sizes[row]
            used[q] += 1

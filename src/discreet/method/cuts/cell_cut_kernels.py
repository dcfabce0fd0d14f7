"""What cuts of the last column cost exactly when all other columns are cut, from the groups that it may split.

Whole numbers only; see `exact_cells` for the ideas and `cell_kernels` for the figures.
"""

from __future__ import annotations

from discreet.common.compiled import kernel
from discreet.method.cuts.cell_kernels import (
    between,
    cell_figures,
    cost_of,
    from_place,
    narrowed,
    own_plain,
    part_figures,
    put_ahead,
)


@kernel
def add_intervals(low, of, rule, scratch, costs):  # type: ignore[no-untyped-def]
    """Add to each interval of numbers what it costs one group; its rows of the node begin at a place.

    O(places² * figures + blocks²).
    """
    at, top, place = scratch.at, scratch.top, scratch.place
    ends = 0
    at[0] = low
    top[0] = 0
    for b in range(of.blocks + 1):
        if place[of.ends[b]] != at[ends]:
            ends += 1
            at[ends] = place[of.ends[b]]
            top[ends] = b
        scratch.rise[b] = 0
    top[ends + 1] = of.blocks + 1
    for begin in range(ends):
        first = from_place(scratch.ahead, at, begin, ends, rule, scratch)
        for stop in range(first, ends + 1):
            cost = scratch.costs[stop - first]
            if cost == 0:
                continue
            n = scratch.ahead[0, at[stop]] - scratch.ahead[0, at[begin]]
            for i in range(top[begin], top[begin + 1]):
                here = of.positions[of.ends[i]]
                for j in range(top[stop], top[stop + 1]):
                    costs[of.part_at[i, j]] += cost + n * (of.positions[of.ends[j] - 1] - here)


@kernel
def add_tree(sums, fines, there, of, rule, scratch, costs):  # type: ignore[no-untyped-def]
    """Add to each part of a tree or of numbers what it costs one group. O((blocks² + nodes) * figures)."""
    put_ahead(sums, there, fines, of.size, scratch)
    for node in range(len(of.above)):
        low = scratch.place[of.first[node]]
        high = scratch.place[of.stop[node]]
        if low == high:
            continue
        if node == of.interval:
            add_intervals(low, of, rule, scratch, costs)
        else:
            costs[node] += between(scratch.ahead, low, high, of.losses[0, node], scratch.t, rule)


@kernel
def group_trees(sums, fines, there, of, rule, scratch, groups):  # type: ignore[no-untyped-def]
    """Put a group that a plain column may split behind those that are there; return whether there was room.

    Cost: `own_plain`.
    """
    g = groups.many[0]
    at = groups.tree_at[g]
    line = groups.line_at[g]
    if g + 2 > len(groups.line_at) or at + (2 << fines) > len(groups.trees) or line + fines > len(groups.codes):
        return False
    own_plain(sums, there, fines, of, rule, scratch, groups.trees[at : at + (2 << fines)])
    for j in range(fines):
        groups.codes[line + j] = there[j]
        for f in range(sums.shape[1]):
            groups.sums[line + j, f] = sums[j, f]
    groups.tree_at[g + 1] = at + (2 << fines)
    groups.line_at[g + 1] = line + fines
    groups.many[0] = g + 1
    return True


@kernel
def groups_of_cut(rows, rows_at, loss, figures, rough_codes, rough, parts, fine_codes, fine, rule, scratch, groups):  # type: ignore[no-untyped-def]
    """Make the groups of cells (rows from `rows_at`) and of the parts of one cut; return whether there was room.

    Cost: for each cell `cell_figures`, for each of its groups `own_plain`.
    """
    groups.many[0] = 0
    groups.tree_at[0] = 0
    groups.line_at[0] = 0
    for q in range(len(rows_at) - 1):
        own = rows[rows_at[q] : rows_at[q + 1]]
        roughs, fines = cell_figures(own, loss[q], figures, rough_codes, fine_codes, scratch.there, scratch.room)
        for p in parts:
            n = part_figures(
                scratch.room, scratch.there, roughs, fines, rough.inside[p], rough.losses[p], scratch.sums
            )  # fmt: skip
            if n == 0 or n < rule.enough:
                continue
            here = narrowed(scratch, fines)
            if not group_trees(scratch.sums, here, scratch.own, fine, rule, scratch, groups):
                return False
    return True


@kernel
def costs_of_parts(rows, rows_at, loss, figures, rough_codes, rough, parts, fine_codes, fine, rule, scratch, costs):  # type: ignore[no-untyped-def]
    """Write what each part of a tree or of numbers costs with each of some parts of another column, all others cut.

    Cost: for each cell `cell_figures`, for each of its groups `add_tree`.
    """
    for i in range(costs.shape[0]):
        for part in range(costs.shape[1]):
            costs[i, part] = 0
    for q in range(len(rows_at) - 1):
        own = rows[rows_at[q] : rows_at[q + 1]]
        roughs, fines = cell_figures(own, loss[q], figures, rough_codes, fine_codes, scratch.there, scratch.room)
        for i in range(len(parts)):
            p = parts[i]
            n = part_figures(
                scratch.room, scratch.there, roughs, fines, rough.inside[p], rough.losses[p], scratch.sums
            )  # fmt: skip
            if n == 0 or n < rule.enough:
                continue
            here = narrowed(scratch, fines)
            add_tree(scratch.sums, here, scratch.own, fine, rule, scratch, costs[i])


@kernel
def plain_leaf(groups, hidden, of, rule, t):  # type: ignore[no-untyped-def]
    """Return what all groups cost when just some values are hidden. O(lines * figures)."""
    many = 0
    for v in range(of.size):
        many += hidden[v]
    loss = of.losses[0, max(many - 1, 0)]
    cost = 0
    whole = groups.whole
    for g in range(groups.many[0]):
        n = 0
        for f in range(len(whole)):
            whole[f] = 0
        for line in range(groups.line_at[g], groups.line_at[g + 1]):
            if hidden[groups.codes[line]]:
                n += 1
                for f in range(len(whole)):
                    whole[f] += groups.sums[line, f]
            else:
                for f in range(len(t)):
                    t[f] = groups.sums[line, f]
                cost += cost_of(t, rule)
        if n:
            whole[1] += whole[0] * loss
            cost += cost_of(whole, rule)
    return cost


@kernel
def best_hidden(groups, of, rule, upper, t, found):  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    """Find which values of a plain column to hide: cuts that cost less than `upper` with all groups as they are.

    With one line in `found` the cheapest; else all, as many as there are lines. Returns how many there are, one more
    than lines if there are more. A set of cuts is left out where the groups, each as suits it best, cost too much.
    Cost: a few groups for each set that is looked at.
    """
    size = of.size
    at, who, node, depth, way, hidden, sums = (
        groups.value_at, groups.who, groups.node, groups.depth, groups.way, groups.hidden, groups.bounds,
    )  # fmt: skip
    for v in range(size + 1):
        at[v] = 0
    lines = groups.line_at[groups.many[0]]
    for line in range(lines):
        at[groups.codes[line] + 1] += 1
    for v in range(size):
        at[v + 1] += at[v]
    for g in range(groups.many[0]):
        node[g] = 1
        depth[g] = 0
        for line in range(groups.line_at[g], groups.line_at[g + 1]):
            v = groups.codes[line]
            who[at[v]] = g
            at[v] += 1
    for v in range(size, 0, -1):
        at[v] = at[v - 1]
    at[0] = 0
    sums[0] = 0
    for g in range(groups.many[0]):
        sums[0] += groups.trees[groups.tree_at[g] + 1]
    count = 0
    v = 0
    way[0] = 0
    if sums[0] >= upper:
        return 0
    while v >= 0:
        if v == size:
            cost = plain_leaf(groups, hidden, of, rule, t)
            if cost < upper:
                if len(found) == 1:
                    upper = cost
                    count = 1
                else:
                    count += 1
                if count <= len(found):
                    for u in range(size):
                        found[count - 1, u] = hidden[u]
                else:
                    return count
            v -= 1
            continue
        if way[v] > 0:  # back from below: undo
            for i in range(at[v], at[v + 1]):
                g = who[i]
                depth[g] -= 1
                half = 1 << depth[g]
                node[g] = half + (node[g] & (half - 1))
        if way[v] == 2:
            v -= 1
            continue
        hide = way[v] if of.pinned[v] == 0 else 1
        way[v] = 2 if of.pinned[v] else way[v] + 1
        cost = sums[v]
        for i in range(at[v], at[v + 1]):
            g = who[i]
            half = 1 << depth[g]
            cost -= groups.trees[groups.tree_at[g] + node[g]]
            node[g] += half + hide * half
            depth[g] += 1
            cost += groups.trees[groups.tree_at[g] + node[g]]
        hidden[v] = hide
        sums[v + 1] = cost
        if cost < upper:
            v += 1
            way[v] = 0
    return count

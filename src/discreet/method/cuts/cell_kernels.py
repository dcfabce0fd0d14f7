"""What cells cost at least when each is cut as suits it best, and what cuts of one column cost with all others cut.

Costs are beside those of leaving all rows out, in whole numbers. Of rows stand in `figures`: how many, what they lose,
what leaving them out costs, the tallies of limits, the fields of targets. See `exact_cells` for the ideas.
"""

from __future__ import annotations

from discreet.common.compiled import kernel
from discreet.method.base.measure_kernels import DENOMINATOR, FIRST, MEASURE, NUMERATOR, ROWS, SHARE, passes
from discreet.method.base.targets import MAJORITY
from discreet.method.cuts.target_kernels import target_cost

BESIDE = 3
"""Figures before the tallies: rows, loss, what leaving out costs."""


@kernel
def cost_of(t, rule):  # type: ignore[no-untyped-def]
    """Return what a group with these sums of figures costs, beside leaving it out. O(limits * tallies + fields)."""
    if t[0] < rule.enough:
        return 0
    first = BESIDE + rule.hits
    counted = t[BESIDE:first]
    for p in range(len(rule.limits)):
        if passes(t[0], counted, rule.limits, p):
            return 0
    cost = t[1] - t[2]
    fields = t[first:]
    shape = rule.shape
    for k in range(len(rule.weights)):
        cost += rule.weights[k] * target_cost(fields, shape.kinds, shape.begins, shape.at, shape.params, k)
    return cost


@kernel
def judge(lines, many, rule, t, most, costs):  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    """Write what each of many groups costs, beside leaving it out; their figures stand in the lines, side by side.

    O(groups * figures); where limits or targets are of seldom kinds, `cost_of` each.
    """
    shape = rule.shape
    simple = True
    for p in range(len(rule.limits)):
        simple = simple and rule.limits[p, MEASURE] <= SHARE
    for k in range(len(rule.weights)):
        simple = simple and shape.kinds[k] == MAJORITY
    if not simple:
        for s in range(many):
            for f in range(len(t)):
                t[f] = lines[f, s]
            costs[s] = cost_of(t, rule)
        return
    for s in range(many):
        costs[s] = lines[1, s] - lines[2, s]
    first = BESIDE + rule.hits
    for k in range(len(rule.weights)):
        weight = rule.weights[k]
        for s in range(many):
            most[s] = 0
        for f in range(first + shape.begins[k], first + shape.begins[k + 1]):
            line = lines[f]
            for s in range(many):
                n = line[s]
                most[s] = n if n > most[s] else most[s]
                costs[s] += weight * n
        for s in range(many):
            costs[s] -= weight * most[s]
    rows = lines[0]
    for p in range(len(rule.limits)):
        over = rule.limits[p, NUMERATOR]
        under = rule.limits[p, DENOMINATOR]
        if rule.limits[p, MEASURE] == ROWS:
            for s in range(many):
                costs[s] = 0 if under > over * rows[s] else costs[s]
        else:
            hits = lines[BESIDE + rule.limits[p, FIRST]]
            for s in range(many):
                costs[s] = 0 if under * hits[s] > over * rows[s] else costs[s]


@kernel
def cheapest_cut(costs, of, best, taken):  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    """Return what the cheapest cut of a column costs, from what each of its parts does; write which it is to `taken`.

    Of a tree `taken` says for each node whether it is opened, and then for each block where the interval that ends
    there begins; of a plain column at first which part is hidden, -1 for none. O(parts * depth).
    """
    if of.plain:
        total = 0
        for v in range(of.singles):
            total += costs[v]
        found = total
        taken[0] = -1
        for h in range(of.singles, len(of.members_at) - 1):
            cost = total + costs[h]
            for at in range(of.members_at[h], of.members_at[h + 1]):
                cost -= costs[of.members[at]]
            if cost < found or (of.must_hide and taken[0] < 0):
                found = cost
                taken[0] = h
        return found
    nodes = len(of.above)
    for node in range(nodes):
        best[node] = 0
    for node in range(nodes - 1, -1, -1):
        below = best[node]
        taken[node] = 0
        if node == of.interval:
            ahead = best[nodes:]
            ahead[0] = 0
            for stop in range(1, of.blocks + 1):
                for begin in range(stop):
                    way = ahead[begin] + costs[of.part_at[begin, stop]]
                    if begin == 0 or way < ahead[stop]:
                        ahead[stop] = way
                        taken[nodes + stop] = begin
            best[node] = ahead[of.blocks]
        else:
            best[node] = costs[node]
            if of.inner[node] and below < costs[node]:
                best[node] = below
                taken[node] = 1
        if of.above[node] >= 0:
            best[of.above[node]] += best[node]
    return best[0]


@kernel
def cheapest_cuts(costs, of, best, taken, own, found):  # type: ignore[no-untyped-def]
    """Write for each part of another column (second axis of `costs`) what the cheapest cut of a column costs.

    Cost: `cheapest_cut` of each.
    """
    for p in range(costs.shape[1]):
        for part in range(costs.shape[0]):
            own[part] = costs[part, p]
        found[p] = cheapest_cut(own, of, best, taken)


@kernel
def costs_of_cuts(costs, at, parts, of, best, taken, own, found):  # type: ignore[no-untyped-def]
    """Write for each cut of a column (its `parts`, from `at`) what the cheapest cut of another column costs with it.

    `costs` has the parts of both. Cost: for each cut, its parts * those of the other, and `cheapest_cut`.
    """
    for cut in range(len(at) - 1):
        for p in range(costs.shape[1]):
            own[p] = 0
        for i in range(at[cut], at[cut + 1]):
            line = costs[parts[i]]
            for p in range(costs.shape[1]):
                own[p] += line[p]
        found[cut] = cheapest_cut(own, of, best, taken)


@kernel
def sums_of_cuts(costs, at, parts, found):  # type: ignore[no-untyped-def]
    """Write for each cut of a column what its parts cost together. O(parts of all cuts)."""
    for cut in range(len(at) - 1):
        cost = 0
        for i in range(at[cut], at[cut + 1]):
            cost += costs[parts[i]]
        found[cut] = cost


@kernel
def cell_figures(rows, loss, figures, rough_codes, fine_codes, there, room):  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    """Sum up the rows of a cell by the codes of two columns: `there` lists those that it has of each, ascending.

    O(rows * figures + codes² * figures); return how many there are.
    """
    for r in range(room.shape[0]):
        there[0, r] = 0
    for v in range(room.shape[1]):
        there[1, v] = 0
    for row in rows:
        there[0, rough_codes[row]] = 1
        there[1, fine_codes[row]] = 1
    roughs = 0
    for r in range(room.shape[0]):
        if there[0, r]:
            there[0, roughs] = r
            roughs += 1
    fines = 0
    for v in range(room.shape[1]):
        if there[1, v]:
            there[1, fines] = v
            fines += 1
    for i in range(roughs):
        for j in range(fines):
            for t in range(room.shape[2]):
                room[there[0, i], there[1, j], t] = 0
    for row in rows:
        sums = room[rough_codes[row], fine_codes[row]]
        for t in range(room.shape[2]):
            sums[t] += figures[row, t]
        sums[1] += figures[row, 0] * loss
    return roughs, fines


@kernel
def part_figures(room, there, roughs, fines, inside, loss, sums):  # type: ignore[no-untyped-def]
    """Sum up one part of the first column, by the codes that the cell has of the second; return how many rows.

    O(codes² * figures).
    """
    rows = 0
    for j in range(fines):
        for t in range(sums.shape[1]):
            sums[j, t] = 0
    for i in range(roughs):
        r = there[0, i]
        if not inside[r]:
            continue
        for j in range(fines):
            line = room[r, there[1, j]]
            n = line[0]
            if n > 0:
                rows += n
                for t in range(sums.shape[1]):
                    sums[j, t] += line[t]
                sums[j, 1] += n * loss[r]
    return rows


@kernel
def narrowed(scratch, fines):  # type: ignore[no-untyped-def]
    """Leave out lines of `sums` that have no rows, list the codes of others; return how many. O(fines * figures)."""
    here = 0
    for j in range(fines):
        if scratch.sums[j, 0] > 0:
            scratch.own[here] = scratch.there[1, j]
            if here < j:
                for f in range(scratch.sums.shape[1]):
                    scratch.sums[here, f] = scratch.sums[j, f]
            here += 1
    return here


@kernel
def put_ahead(sums, there, fines, size, scratch):  # type: ignore[no-untyped-def]
    """Sum up what stands before each place of a group, and find the place of each code. O(fines * figures + codes)."""
    ahead, place = scratch.ahead, scratch.place
    for f in range(sums.shape[1]):
        ahead[f, 0] = 0
        for j in range(fines):
            ahead[f, j + 1] = ahead[f, j] + sums[j, f]
    v = 0
    for j in range(fines):
        while v <= there[j]:
            place[v] = j
            v += 1
    while v <= size:
        place[v] = fines
        v += 1


@kernel
def between(ahead, low, high, loss, t, rule):  # type: ignore[no-untyped-def]
    """Return what the rows between two places cost as a group that loses so much more. O(figures), and `cost_of`."""
    for f in range(len(t)):
        t[f] = ahead[f, high] - ahead[f, low]
    t[1] += t[0] * loss
    return cost_of(t, rule)


@kernel
def from_place(ahead, at, begin, ends, rule, scratch):  # type: ignore[no-untyped-def]
    """Write what the rows from one of some places up to each further one cost; return from where on they are enough.

    Losses of the interval are in `rise` of each further place. Cost: `judge`.
    """
    low = at[begin]
    stop = begin + 1
    need = ahead[0, low] + rule.enough
    while stop <= ends and ahead[0, at[stop]] < need:
        stop += 1
    many = ends + 1 - stop
    for f in range(len(scratch.t)):
        line = scratch.lines[f]
        before = ahead[f, low]
        for s in range(many):
            line[s] = ahead[f, at[stop + s]] - before
    for s in range(many):
        scratch.lines[1, s] += scratch.lines[0, s] * scratch.rise[stop + s]
    judge(scratch.lines, many, rule, scratch.t, scratch.most, scratch.costs)
    return stop


@kernel
def own_interval(there, low, high, of, rule, scratch):  # type: ignore[no-untyped-def]
    """Return what the cheapest intervals of the codes between two places cost. O(places² * figures)."""
    at, path, rise, top = scratch.at, scratch.path, scratch.rise, scratch.top
    ends = 0
    at[0] = low
    for j in range(low + 1, high + 1):
        if j == high or of.block[there[j]] != of.block[there[j - 1]]:
            ends += 1
            at[ends] = j
            top[ends] = of.positions[of.ends[of.block[there[j - 1]] + 1] - 1]
            path[ends] = 0
    path[0] = 0
    for begin in range(ends):
        if begin > 0:
            path[begin] = min(path[begin], path[begin - 1])
        here = of.positions[of.ends[of.block[there[at[begin]]]]]
        for stop in range(begin + 1, ends + 1):
            rise[stop] = top[stop] - here
        first = from_place(scratch.ahead, at, begin, ends, rule, scratch)
        for stop in range(first, ends + 1):
            way = path[begin] + scratch.costs[stop - first]
            path[stop] = way if way < path[stop] else path[stop]
    return min(path[ends], path[ends - 1])


@kernel
def own_tree(sums, there, fines, of, rule, scratch):  # type: ignore[no-untyped-def]
    """Return what the cheapest cut of a tree or of numbers costs one group at least, its own codes alone.

    O(fines² * figures).
    """
    best, place = scratch.best, scratch.place
    put_ahead(sums, there, fines, of.size, scratch)
    nodes = len(of.above)
    for node in range(nodes):
        best[node] = 0
    for node in range(nodes - 1, -1, -1):
        low = place[of.first[node]]
        high = place[of.stop[node]]
        if low == high:
            best[node] = 0
            continue
        if node == of.interval:
            best[node] = own_interval(there, low, high, of, rule, scratch)
        else:
            cost = between(scratch.ahead, low, high, of.losses[0, node], scratch.t, rule)
            if not of.inner[node] or cost < best[node]:
                best[node] = cost
        if of.above[node] >= 0:
            best[of.above[node]] += best[node]
    return best[0]


@kernel
def all_shown(sums, there, fines, of, rule, t):  # type: ignore[no-untyped-def]
    """Return whether all values of a group may be shown and that is best, and what it costs. O(fines * figures).

    Of a class that is predicted parts misjudge no more than the whole; with costs or numbers they may cost more.
    """
    total = 0
    for k in range(len(rule.weights)):
        if rule.shape.kinds[k] != MAJORITY:
            return False, 0
    for j in range(fines):
        for f in range(len(t)):
            t[f] = sums[j, f]
        cost = cost_of(t, rule)
        if of.pinned[there[j]] or cost >= 0:
            return False, 0
        total += cost
    return True, total


@kernel
def own_plain(sums, there, fines, of, rule, scratch, tree):  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    """Return what showing some values and hiding the others costs one group at least, its own values alone.

    `tree` (2 << fines) gets what it costs when of the first values those of a subset are hidden: for j values it
    stands from 1 << j. O(2**fines * figures).
    """
    lines, shown, saved, many, t = scratch.lines, scratch.shown, scratch.saved, scratch.many, scratch.t
    total = 0
    pinned = 0
    for j in range(fines):
        for f in range(len(t)):
            t[f] = sums[j, f]
        shown[j] = cost_of(t, rule)
        total += shown[j]
        if of.pinned[there[j]]:
            pinned |= 1 << j
    size = 1 << fines
    for f in range(len(t)):
        line = lines[f]
        line[0] = 0
        for j in range(fines):
            half = 1 << j
            more = sums[j, f]
            for s in range(half):
                line[half + s] = line[s] + more
    saved[0] = 0
    many[0] = 0
    for j in range(fines):
        half = 1 << j
        more = shown[j]
        for s in range(half):
            saved[half + s] = saved[s] + more
            many[half + s] = many[s] + 1
    for s in range(1, size):
        lines[1, s] += lines[0, s] * of.losses[0, many[s] - 1]
    judge(lines, size, rule, t, scratch.most, scratch.costs)
    for s in range(size):
        tree[size + s] = total - saved[s] + scratch.costs[s]
    if pinned:
        for s in range(size):
            if s & pinned != pinned:
                tree[size + s] = rule.never
    for j in range(fines - 1, -1, -1):
        half = 1 << j
        for s in range(half):
            tree[half + s] = min(tree[2 * half + s], tree[3 * half + s])
    return tree[1]


@kernel
def cell_costs(rows, loss, figures, rough_codes, rough, fine_codes, fine, rule, scratch, found):  # type: ignore[no-untyped-def]
    """Write what a cell costs at least under each part of the first column, the second cut as suits it best.

    Cost: for each part `part_figures`, and `own_tree` or `own_plain`.
    """
    there = scratch.there
    roughs, fines = cell_figures(rows, loss, figures, rough_codes, fine_codes, there, scratch.room)
    for p in range(len(found)):
        n = part_figures(scratch.room, there, roughs, fines, rough.inside[p], rough.losses[p], scratch.sums)
        found[p] = 0
        if n == 0 or n < rule.enough:
            continue
        here = narrowed(scratch, fines)
        if fine.plain:
            shown, cost = all_shown(scratch.sums, scratch.own, here, fine, rule, scratch.t)
            if not shown:
                cost = own_plain(scratch.sums, scratch.own, here, fine, rule, scratch, scratch.tree)
            found[p] = cost
        else:
            found[p] = own_tree(scratch.sums, scratch.own, here, fine, rule, scratch)

"""The inner loops of the searches over cuts, compiled by Numba and cached. Integers only; see `kernels`."""

from __future__ import annotations

from discreet.method.kernels import kernel
from discreet.method.targets import COSTS, MAJORITY, SQUARES


@kernel
def minority(tally, first, stop):  # type: ignore[no-untyped-def]
    """Return how many rows are not of the majority class."""
    most = 0
    rows = 0
    for f in range(first, stop):
        rows += tally[f]
        if tally[f] > most:
            most = tally[f]
    return rows - most


@kernel
def target_cost(tally, kinds, begins, at_params, params, t):  # type: ignore[no-untyped-def]  # noqa: C901 - one function, for speed
    """Return what a group with these sums of fields costs one target, in its units.

    Params: of a cost matrix its lines, one after the other; of distances the number of each field, ascending.
    """
    first = begins[t]
    stop = begins[t + 1]
    kind = kinds[t]
    if kind == MAJORITY:
        return minority(tally, first, stop)
    if kind == SQUARES:  # the fields are rows, sum and sum of squares
        n = tally[first]
        if n == 0:
            return 0
        total = tally[first + 1]
        mean = total // n
        rest = total - mean * n
        return tally[first + 2] - mean * total - mean * rest - rest * rest // n
    at = at_params[t]
    if kind == COSTS:
        most = 0
        for f in range(first, stop):
            if tally[f] > most:
                most = tally[f]
        best = 0
        found = False
        for taken in range(stop - first):
            if tally[first + taken] < most:
                continue
            cost = 0
            for true in range(stop - first):
                cost += tally[first + true] * params[at + true * (stop - first) + taken]
            if not found or cost < best:
                best = cost
                found = True
        return best
    rows = 0
    for f in range(first, stop):
        rows += tally[f]
    below = 0
    middle = 0
    for f in range(first, stop):
        below += tally[f]
        if 2 * below >= rows:
            middle = params[at + f - first]
            break
    far = 0
    for f in range(first, stop):
        far += tally[f] * abs(params[at + f - first] - middle)
    return far


@kernel
def judged(tally, kinds, begins, at_params, params, weights):  # type: ignore[no-untyped-def]
    """Return what a group costs all targets by their weights."""
    cost = 0
    for t in range(len(weights)):
        cost += weights[t] * target_cost(tally, kinds, begins, at_params, params, t)
    return cost


@kernel
def counts_majority(shape, weights):  # type: ignore[no-untyped-def]
    """Whether the only target is a class whose mistakes cost the same: told apart for speed."""
    return len(weights) == 1 and shape.kinds[0] == MAJORITY


@kernel
def target_costs(rows, start, groups, fields, left_out, shape, t, tally):  # type: ignore[no-untyped-def]
    """Return what the rows that are kept cost one target; the sums of those left out are in `tally`.

    Rows of a group stand together; `tally` has room for two sums of all fields.
    """
    width = fields.shape[1]
    first = shape.begins[t]
    stop = shape.begins[t + 1]
    cost = 0
    for f in range(width, 2 * width):
        tally[f] = 0
    for g in range(groups):
        for f in range(first, stop):
            tally[f] = 0
        for at in range(start[g], start[g + 1]):
            row = rows[at]
            to = width if left_out[row] else 0
            for f in range(first, stop):
                tally[to + f] += fields[row, f]
        cost += target_cost(tally, shape.kinds, shape.begins, shape.at, shape.params, t)
    return cost


@kernel
def dense(key, bound, ids, table, places):  # type: ignore[no-untyped-def]
    """Number the different keys in the order they come; return how many. `table` and `places` are scratch.

    Keys are from 0 up to `bound`; where that is small they are their own places, else they are hashed into a
    table of a power of two entries, at least twice as many as keys.
    """
    rows = len(key)
    found = 0
    size = len(table)
    if bound <= size:
        for at in range(bound):
            places[at] = -1
        for row in range(rows):
            at = key[row]
            if places[at] < 0:
                places[at] = found
                found += 1
            ids[row] = places[at]
        return found
    for at in range(size):
        places[at] = -1
    mask = size - 1
    for row in range(rows):
        k = key[row]
        h = k ^ (k >> 29)
        h = (h * 0x1E3779B97F4A7C15) & 0x7FFFFFFFFFFFFFFF
        at = (h ^ (h >> 32)) & mask
        while places[at] >= 0 and table[at] != k:
            at = (at + 1) & mask
        if places[at] < 0:
            places[at] = found
            table[at] = k
            found += 1
        ids[row] = places[at]
    return found


@kernel
def group(codes, columns, part, offsets, widths, fixed, fixed_bound, key, ids, table, places):  # type: ignore[no-untyped-def]
    """Number the groups of rows with equal parts on the columns and equal `fixed`; return how many.

    `part` (at `offsets[c]` + code) is the number of the part that a code of column c falls into, below `widths[c]`.
    """
    rows = codes.shape[1]
    bound = fixed_bound
    for row in range(rows):
        key[row] = fixed[row]
    for c in columns:
        width = widths[c]
        if bound > 4611686018427387904 // width:
            bound = dense(key, bound, ids, table, places)
            for row in range(rows):
                key[row] = ids[row]
        base = offsets[c]
        for row in range(rows):
            key[row] = key[row] * width + part[base + codes[c, row]]
        bound *= width
    return dense(key, bound, ids, table, places)


@kernel
def find_broken(ids, groups, sizes, hits, persons, limits, left_out, size, hit, broken):  # type: ignore[no-untyped-def]  # noqa: C901
    """Say of each group whether it breaks a limit, rows that are `left_out` aside; return whether any does."""
    properties = hits.shape[0]
    for g in range(groups):
        size[g] = 0
        broken[g] = False
    for row in range(len(ids)):
        if not left_out[row]:
            size[ids[row]] += sizes[row]
    any_broken = False
    for p in range(properties):
        if persons[p]:
            for g in range(groups):
                if size[g] > 0 and limits[p, 1] > limits[p, 0] * size[g]:
                    broken[g] = True
                    any_broken = True
            continue
        for g in range(groups):
            hit[g] = 0
        for row in range(len(ids)):
            if hits[p, row] != 0 and not left_out[row]:
                hit[ids[row]] += hits[p, row]
        for g in range(groups):
            if hit[g] * limits[p, 1] > limits[p, 0] * size[g]:
                broken[g] = True
                any_broken = True
    return any_broken


@kernel
def lost_by(codes, sizes, loss, offsets, left_out):  # type: ignore[no-untyped-def]
    """Return the summed loss of the rows kept, and how many rows are left out."""
    total = 0
    gone = 0
    for row in range(len(sizes)):
        if left_out[row]:
            gone += sizes[row]
            continue
        each = 0
        for c in range(codes.shape[0]):
            each += loss[offsets[c] + codes[c, row]]
        total += each * sizes[row]
    return total, gone


@kernel
def by_context(order, ids, groups, start, sorted_rows):  # type: ignore[no-untyped-def]
    """Sort rows by their context, within one in the given order; `start` has where each context begins."""
    for g in range(groups + 1):
        start[g] = 0
    for row in range(len(ids)):
        start[ids[row] + 1] += 1
    for g in range(groups):
        start[g + 1] += start[g]
    for place in range(len(order)):
        row = order[place]
        g = ids[row]
        sorted_rows[start[g]] = row
        start[g] += 1
    for g in range(groups, 0, -1):
        start[g] = start[g - 1]
    start[0] = 0


@kernel
def other_losses(codes, column, loss, offsets, others):  # type: ignore[no-untyped-def]
    """Write, for each row, what it loses by all columns but one."""
    for row in range(codes.shape[1]):
        each = 0
        for c in range(codes.shape[0]):
            if c != column:
                each += loss[offsets[c] + codes[c, row]]
        others[row] = each


@kernel
def interval_costs(  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    rows, start, groups, code, first, stop, sizes, fields, dropped, others, hits, persons, limits, lm, shape, weights,
    kept, based, seen, n_seen, out_seen, f_seen, hit_seen, tally, hit,
):  # fmt: skip
    """Sum over the contexts what each interval of codes within `first`..`stop` would cost.

    Rows of a context stand together, ordered by code. Of an interval from a to b (last code included): `kept`
    are the rows of contexts in which the interval may be released, `based` what all rows cost beside the loss of
    the interval itself: those of contexts in which it would break a limit cost what is `dropped`. Written as
    differences: summed up along both axes they are the figures of (a, b), counted from `first`.
    """
    width = fields.shape[1]
    properties = hits.shape[0]
    single = counts_majority(shape, weights)
    weight = weights[0] if single else 0
    kinds, begins, at_params, params = shape.kinds, shape.begins, shape.at, shape.params  # once: it is not for free
    for g in range(groups):
        m = 0
        for at in range(start[g], start[g + 1]):
            row = rows[at]
            v = code[row]
            if v < first or v >= stop:
                continue
            if m == 0 or seen[m - 1] != v:
                seen[m] = v
                n_seen[m] = 0
                out_seen[m] = 0
                for f in range(width):
                    f_seen[m, f] = 0
                for p in range(properties):
                    hit_seen[m, p] = 0
                m += 1
            n_seen[m - 1] += sizes[row]
            out_seen[m - 1] += dropped[row]
            for f in range(width):
                f_seen[m - 1, f] += fields[row, f]
            for p in range(properties):
                hit_seen[m - 1, p] += hits[p, row]
        if m == 0:
            continue
        other = others[rows[start[g]]]
        for i in range(m):
            low = 0 if i == 0 else seen[i - 1] - first + 1
            high = seen[i] - first + 1
            n = 0
            out = 0
            for f in range(width):
                tally[f] = 0
            for p in range(properties):
                hit[p] = 0
            for j in range(i, m):
                n += n_seen[j]
                out += out_seen[j]
                for f in range(width):
                    tally[f] += f_seen[j, f]
                ok = True
                for p in range(properties):
                    hit[p] += hit_seen[j, p]
                    if persons[p]:
                        if limits[p, 1] > limits[p, 0] * n:
                            ok = False
                    elif hit[p] * limits[p, 1] > limits[p, 0] * n:
                        ok = False
                near = seen[j] - first
                far = stop - first if j + 1 == m else seen[j + 1] - first
                if ok:
                    base = lm * n * other
                    if single:
                        base += weight * minority(tally, 0, width)
                    elif width > 0:
                        base += judged(tally, kinds, begins, at_params, params, weights)
                    kept[low, near] += n
                    kept[high, near] -= n
                    kept[low, far] -= n
                    kept[high, far] += n
                else:
                    base = out
                based[low, near] += base
                based[high, near] -= base
                based[low, far] -= base
                based[high, far] += base


@kernel
def node_costs(  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    rows, start, groups, code, leaf, parent, losses, sizes, fields, dropped, others, hits, persons, limits, lm, shape,
    weights, cost, touched, n_at, loss_at, out_at, f_at, hit_at,
):  # fmt: skip
    """Sum over the contexts what releasing each node of a tree would cost, in `cost`.

    `leaf` is the node of each code (-1 for none), `parent` the node above each (-1 for none). `losses` are by node
    and code, or by node only (one for all codes). The last six are scratch with a place for each node, zero on
    entry and on return.
    """
    by_code = losses.shape[1] > 1
    width = fields.shape[1]
    properties = hits.shape[0]
    single = counts_majority(shape, weights)
    weight = weights[0] if single else 0
    kinds, begins, at_params, params = shape.kinds, shape.begins, shape.at, shape.params  # once: it is not for free
    for g in range(groups):
        found = 0
        for at in range(start[g], start[g + 1]):
            row = rows[at]
            node = leaf[code[row]]
            while node >= 0:
                if n_at[node] == 0:
                    touched[found] = node
                    found += 1
                n_at[node] += sizes[row]
                loss_at[node] += sizes[row] * losses[node, code[row] if by_code else 0]
                out_at[node] += dropped[row]
                for f in range(width):
                    f_at[node, f] += fields[row, f]
                for p in range(properties):
                    hit_at[node, p] += hits[p, row]
                node = parent[node]
        for i in range(found):
            node = touched[i]
            n = n_at[node]
            ok = True
            for p in range(properties):
                if persons[p]:
                    if limits[p, 1] > limits[p, 0] * n:
                        ok = False
                elif hit_at[node, p] * limits[p, 1] > limits[p, 0] * n:
                    ok = False
                hit_at[node, p] = 0
            if ok:
                cost[node] += lm * (n * others[rows[start[g]]] + loss_at[node])
                if single:
                    cost[node] += weight * minority(f_at[node], 0, width)
                elif width > 0:
                    cost[node] += judged(f_at[node], kinds, begins, at_params, params, weights)
            else:
                cost[node] += out_at[node]
            for f in range(width):
                f_at[node, f] = 0
            loss_at[node] = 0
            out_at[node] = 0
            n_at[node] = 0


@kernel
def flip_costs(  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    rows, start, groups, code, hidden, sizes, fields, dropped, others, hits, persons, limits, lm, shape, weights,
    losses, cost, seen, n_seen, out_seen, f_seen, hit_seen, tally, hit,
):  # fmt: skip
    """Sum over the contexts what a plain column would cost if one value were shown or hidden: in `cost`, by value.

    `losses` are those of a hidden cell with one value fewer hidden, as many, and one more. The last entry of
    `cost` is what the column costs as it is. Contexts as in `interval_costs`.
    """
    width = fields.shape[1]
    properties = hits.shape[0]
    single = counts_majority(shape, weights)
    weight = weights[0] if single else 0
    kinds, begins, at_params, params = shape.kinds, shape.begins, shape.at, shape.params  # once: it is not for free
    values = len(cost) - 1
    shown_cost = 0
    less = 0
    now = 0
    more = 0
    for v in range(values + 1):
        cost[v] = 0
    for g in range(groups):
        m = 0
        for at in range(start[g], start[g + 1]):
            row = rows[at]
            v = code[row]
            if m == 0 or seen[m - 1] != v:
                seen[m] = v
                n_seen[m] = 0
                out_seen[m] = 0
                for f in range(width):
                    f_seen[m, f] = 0
                for p in range(properties):
                    hit_seen[m, p] = 0
                m += 1
            n_seen[m - 1] += sizes[row]
            out_seen[m - 1] += dropped[row]
            for f in range(width):
                f_seen[m - 1, f] += fields[row, f]
            for p in range(properties):
                hit_seen[m - 1, p] += hits[p, row]
        other = others[rows[start[g]]]
        # The hidden values together stand at place m.
        n_seen[m] = 0
        out_seen[m] = 0
        for f in range(width):
            f_seen[m, f] = 0
        for p in range(properties):
            hit_seen[m, p] = 0
        for i in range(m):
            if hidden[seen[i]]:
                n_seen[m] += n_seen[i]
                out_seen[m] += out_seen[i]
                for f in range(width):
                    f_seen[m, f] += f_seen[i, f]
                for p in range(properties):
                    hit_seen[m, p] += hit_seen[i, p]
        h_less = 0
        h_now = 0
        h_more = 0
        for i in range(m, -1, -1):
            # First the hidden ones as they are (i = m), then without or with each value, then each value alone.
            for alone in range(2):
                if i == m and alone == 1:
                    continue
                if i == m:
                    sign = 0
                elif hidden[seen[i]]:
                    sign = -1
                else:
                    sign = 1
                if alone == 1:
                    n = n_seen[i]
                    out = out_seen[i]
                elif i == m:
                    n = n_seen[m]
                    out = out_seen[m]
                else:
                    n = n_seen[m] + sign * n_seen[i]
                    out = out_seen[m] + sign * out_seen[i]
                ok = True
                for p in range(properties):
                    if alone == 1:
                        hit[p] = hit_seen[i, p]
                    elif i == m:
                        hit[p] = hit_seen[m, p]
                    else:
                        hit[p] = hit_seen[m, p] + sign * hit_seen[i, p]
                    if persons[p]:
                        if limits[p, 1] > limits[p, 0] * n:
                            ok = False
                    elif hit[p] * limits[p, 1] > limits[p, 0] * n:
                        ok = False
                for f in range(width):
                    if alone == 1:
                        tally[f] = f_seen[i, f]
                    elif i == m:
                        tally[f] = f_seen[m, f]
                    else:
                        tally[f] = f_seen[m, f] + sign * f_seen[i, f]
                base = 0
                if n > 0 and ok:
                    base = lm * n * other
                    if single:
                        base += weight * minority(tally, 0, width)
                    elif width > 0:
                        base += judged(tally, kinds, begins, at_params, params, weights)
                if i == m:
                    h_less = base + lm * n * losses[0]
                    h_now = base + lm * n * losses[1]
                    h_more = base + lm * n * losses[2]
                    if n > 0 and not ok:
                        h_less = out
                        h_now = out
                        h_more = out
                    less += h_less
                    now += h_now
                    more += h_more
                elif alone == 0:
                    after = base + lm * n * (losses[0] if sign < 0 else losses[2])
                    if n > 0 and not ok:
                        after = out
                    cost[seen[i]] += after - (h_less if sign < 0 else h_more)
                else:
                    each = base if ok else out
                    if sign < 0:
                        cost[seen[i]] += each
                    else:
                        cost[seen[i]] -= each
                        shown_cost += each
    for v in range(values):
        cost[v] += shown_cost + (less if hidden[v] else more)
    cost[values] = shown_cost + now

"""The inner loops of the searches over cuts, compiled by Numba and cached. Integers only; see `kernels`."""

from __future__ import annotations

from discreet.method.kernels import kernel

LARGEST_KEY = 2**62


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
def cost_of(codes, sizes, loss, offsets, left_out, ids, groups, classes, counts, most):  # type: ignore[no-untyped-def]  # noqa: C901
    """Return the summed loss of the rows kept, the rows not of their group's majority class, and the rows left out."""
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
    wrong = 0
    if classes.shape[1] > 1:
        for g in range(groups):
            most[g] = 0
        for label in range(classes.shape[1]):
            for g in range(groups):
                counts[g] = 0
            for row in range(len(sizes)):
                if not left_out[row]:
                    counts[ids[row]] += classes[row, label]
            for g in range(groups):
                if counts[g] > most[g]:
                    most[g] = counts[g]
        right = 0
        for g in range(groups):
            right += most[g]
        kept = 0
        for row in range(len(sizes)):
            if not left_out[row]:
                for label in range(classes.shape[1]):
                    kept += classes[row, label]
        wrong = kept - right
    return total, wrong, gone


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
    rows, start, groups, code, first, stop, sizes, classes, others, hits, persons, limits, lm, cm,
    kept, based, gone, seen, n_seen, cl_seen, hit_seen, tally, hit,
):  # fmt: skip
    """Sum over the contexts what each interval of codes within `first`..`stop` would cost.

    Rows of a context stand together, ordered by code. Of an interval from a to b (last code included): `kept`
    are the rows of contexts in which the interval may be released, `based` what they cost beside the loss of
    the interval itself, `gone` the rows of contexts in which it would break a limit. Written as differences:
    summed up along both axes they are the figures of (a, b), counted from `first`.
    """
    labels = classes.shape[1]
    properties = hits.shape[0]
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
                for label in range(labels):
                    cl_seen[m, label] = 0
                for p in range(properties):
                    hit_seen[m, p] = 0
                m += 1
            n_seen[m - 1] += sizes[row]
            for label in range(labels):
                cl_seen[m - 1, label] += classes[row, label]
            for p in range(properties):
                hit_seen[m - 1, p] += hits[p, row]
        if m == 0:
            continue
        other = others[rows[start[g]]]
        for i in range(m):
            low = 0 if i == 0 else seen[i - 1] - first + 1
            high = seen[i] - first + 1
            n = 0
            for label in range(labels):
                tally[label] = 0
            for p in range(properties):
                hit[p] = 0
            for j in range(i, m):
                n += n_seen[j]
                for label in range(labels):
                    tally[label] += cl_seen[j, label]
                ok = True
                for p in range(properties):
                    hit[p] += hit_seen[j, p]
                    if persons[p]:
                        if limits[p, 1] > limits[p, 0] * n:
                            ok = False
                    elif hit[p] * limits[p, 1] > limits[p, 0] * n:
                        ok = False
                left = seen[j] - first
                right = stop - first if j + 1 == m else seen[j + 1] - first
                if ok:
                    most = 0
                    all_rows = 0
                    for label in range(labels):
                        all_rows += tally[label]
                        if tally[label] > most:
                            most = tally[label]
                    base = lm * n * other + cm * (all_rows - most)
                    kept[low, left] += n
                    kept[high, left] -= n
                    kept[low, right] -= n
                    kept[high, right] += n
                    based[low, left] += base
                    based[high, left] -= base
                    based[low, right] -= base
                    based[high, right] += base
                else:
                    gone[low, left] += n
                    gone[high, left] -= n
                    gone[low, right] -= n
                    gone[high, right] += n


@kernel
def node_costs(  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    rows, start, groups, code, leaf, parent, sizes, classes, others, hits, persons, limits, lm, cm,
    kept, based, gone, touched, n_at, cl_at, hit_at,
):  # fmt: skip
    """Sum over the contexts what releasing each node of a tree would cost: as `interval_costs`, by node.

    `leaf` is the node of each code (-1 for none), `parent` the node above each (-1 for none). The last four
    are scratch with a place for each node, zero on entry and on return.
    """
    labels = classes.shape[1]
    properties = hits.shape[0]
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
                for label in range(labels):
                    cl_at[node, label] += classes[row, label]
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
            most = 0
            all_rows = 0
            for label in range(labels):
                all_rows += cl_at[node, label]
                if cl_at[node, label] > most:
                    most = cl_at[node, label]
                cl_at[node, label] = 0
            if ok:
                kept[node] += n
                based[node] += lm * n * others[rows[start[g]]] + cm * (all_rows - most)
            else:
                gone[node] += n
            n_at[node] = 0


@kernel
def flip_costs(  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    rows, start, groups, code, hidden, sizes, classes, others, hits, persons, limits, lm, cm, row_cost, losses,
    cost, seen, n_seen, cl_seen, hit_seen, tally, hit,
):  # fmt: skip
    """Sum over the contexts what a plain column would cost if one value were shown or hidden: in `cost`, by value.

    `losses` are those of a hidden cell with one value fewer hidden, as many, and one more. The last entry of
    `cost` is what the column costs as it is. Contexts as in `interval_costs`.
    """
    labels = classes.shape[1]
    properties = hits.shape[0]
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
                for label in range(labels):
                    cl_seen[m, label] = 0
                for p in range(properties):
                    hit_seen[m, p] = 0
                m += 1
            n_seen[m - 1] += sizes[row]
            for label in range(labels):
                cl_seen[m - 1, label] += classes[row, label]
            for p in range(properties):
                hit_seen[m - 1, p] += hits[p, row]
        other = others[rows[start[g]]]
        # The hidden values together stand at place m.
        n_seen[m] = 0
        for label in range(labels):
            cl_seen[m, label] = 0
        for p in range(properties):
            hit_seen[m, p] = 0
        for i in range(m):
            if hidden[seen[i]]:
                n_seen[m] += n_seen[i]
                for label in range(labels):
                    cl_seen[m, label] += cl_seen[i, label]
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
                elif i == m:
                    n = n_seen[m]
                else:
                    n = n_seen[m] + sign * n_seen[i]
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
                most = 0
                all_rows = 0
                for label in range(labels):
                    if alone == 1:
                        tally[label] = cl_seen[i, label]
                    elif i == m:
                        tally[label] = cl_seen[m, label]
                    else:
                        tally[label] = cl_seen[m, label] + sign * cl_seen[i, label]
                    all_rows += tally[label]
                    if tally[label] > most:
                        most = tally[label]
                base = lm * n * other + cm * (all_rows - most)
                if n == 0:
                    base = 0
                if i == m:
                    h_less = base + lm * n * losses[0]
                    h_now = base + lm * n * losses[1]
                    h_more = base + lm * n * losses[2]
                    if n > 0 and not ok:
                        h_less = row_cost * n
                        h_now = row_cost * n
                        h_more = row_cost * n
                    less += h_less
                    now += h_now
                    more += h_more
                elif alone == 0:
                    after = base + lm * n * (losses[0] if sign < 0 else losses[2])
                    if n > 0 and not ok:
                        after = row_cost * n
                    cost[seen[i]] += after - (h_less if sign < 0 else h_more)
                else:
                    each = base if ok else row_cost * n
                    if sign < 0:
                        cost[seen[i]] += each
                    else:
                        cost[seen[i]] -= each
                        shown_cost += each
    for v in range(values):
        cost[v] += shown_cost + (less if hidden[v] else more)
    cost[values] = shown_cost + now

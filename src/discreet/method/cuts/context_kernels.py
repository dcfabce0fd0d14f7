"""What cuts of one column would cost, the others as they are: contexts of rows and their sums. Integers only.

A context is the rows that the other columns do not tell apart. The loops of `target_kernels` and
`measure_kernels` are compiled into these: after a change there, this file's code on disk is stale too.
"""

from __future__ import annotations

import numpy as np

from discreet.common.compiled import helper, kernel
from discreet.method.base.measure_kernels import DENOMINATOR, MEASURE, NUMERATOR, ROWS, passes
from discreet.method.cuts.evaluation_kernels import HASH, PIECE, POSITIVE
from discreet.method.cuts.target_kernels import judged, judged_simply, minority


@helper
def breaks(n, hit, limits):  # type: ignore[no-untyped-def]
    """Whether so many rows with these tallies break a limit. O(tallies)."""
    for p in range(len(limits)):  # noqa: SIM110 - compiled
        if passes(n, hit, limits, p):
            return True
    return False


@helper
def rows_needed(limits):  # type: ignore[no-untyped-def]
    """Return how many rows a group needs at least, if any, and whether a limit asks for anything else. O(limits)."""
    least = 0
    more = False
    for p in range(len(limits)):
        if limits[p, MEASURE] != ROWS:
            more = True
        elif limits[p, NUMERATOR] > 0:
            least = max(least, (limits[p, DENOMINATOR] + limits[p, NUMERATOR] - 1) // limits[p, NUMERATOR])
        else:
            more = True
    return least, more


@kernel
def choose_by_group(ids, groups, share, number, chosen):  # type: ignore[no-untyped-def]
    """Choose about one group in `share`, and write its rows to `chosen` and their new numbers to the front of `ids`.

    `number` is scratch. Return how many rows and how many groups there are. O(rows + groups).
    """
    found = 0
    for g in range(groups):
        h = ((g + 1) * HASH) & POSITIVE
        number[g] = -1
        if (h >> 32) % share == 0:
            number[g] = found
            found += 1
    rows = 0
    for row in range(len(ids)):
        g = number[ids[row]]
        if g >= 0:
            chosen[rows] = row
            ids[rows] = g
            rows += 1
    return rows, found


@kernel
def choose_by_key(codes, columns, part, offsets, widths, fixed, share, key, chosen):  # type: ignore[no-untyped-def]
    """Choose the rows of about one group in `share` (see `group`, which would put all into groups first).

    Their keys are at the front of `key`. Return how many there are. O(rows * columns).
    """
    rows = codes.shape[1]
    found = 0
    keys = np.empty(PIECE, dtype=np.int64)
    for first in range(0, rows, PIECE):
        last = min(first + PIECE, rows)
        for at in range(last - first):
            keys[at] = fixed[first + at]
        for place in range(len(columns)):
            c = columns[place]
            width = widths[c]
            base = offsets[c]
            for at in range(last - first):
                keys[at] = keys[at] * width + part[base + codes[c, first + at]]
        for at in range(last - first):
            h = ((keys[at] + 1) * HASH) & POSITIVE
            if (h >> 32) % share == 0:
                chosen[found] = first + at
                key[found] = keys[at]
                found += 1
    return found


@helper
def clear_row(at, code, to_code, to_size, to_fields, to_hits):  # type: ignore[no-untyped-def]
    """Begin a collapsed row with a code and nothing else. O(fields + properties)."""
    to_code[at] = code
    to_size[at] = 0
    for f in range(to_fields.shape[1]):
        to_fields[at, f] = 0
    for p in range(to_hits.shape[0]):
        to_hits[p, at] = 0


@helper
def add_row(at, row, sizes, fields, hits, to_size, to_fields, to_hits):  # type: ignore[no-untyped-def]
    """Add a row to a collapsed one. O(fields + properties)."""
    to_size[at] += sizes[row]
    for f in range(fields.shape[1]):
        to_fields[at, f] += fields[row, f]
    for p in range(hits.shape[0]):
        to_hits[p, at] += hits[p, row]


@kernel
def collapse_directly(  # type: ignore[no-untyped-def]
    chosen, ids, groups, code, width, sizes, fields, hits, table, into, start, row_of, to_code, to_size, to_fields,
    to_hits,
):  # fmt: skip
    """Put the rows of a context with one code together, in the order of contexts and codes; return how many there are.

    `ids` is the context of each of the rows that were chosen, `start` gets where each context begins, `row_of` a row of
    each. Codes are below `width`; `table` is scratch with a place for each code of each context. `into` gets where each
    chosen row went, if it has any room.
    O(groups * width + rows * (fields + properties)).
    """
    for at in range(groups * width):
        table[at] = 0
    for place in range(len(chosen)):
        g = ids[place]
        table[g * width + code[chosen[place]]] = 1
        row_of[g] = chosen[place]
    found = 0
    for g in range(groups):
        start[g] = found
        for v in range(width):
            if table[g * width + v] != 0:
                table[g * width + v] = found
                clear_row(found, v, to_code, to_size, to_fields, to_hits)
                found += 1
    start[groups] = found
    for place in range(len(chosen)):
        row = chosen[place]
        at = table[ids[place] * width + code[row]]
        add_row(at, row, sizes, fields, hits, to_size, to_fields, to_hits)
        if len(into) > 0:
            into[place] = at
    return found


@kernel
def collapse_sorted(  # type: ignore[no-untyped-def]
    order, chosen, ids, groups, code, sizes, fields, hits, rows, into, start, row_of, to_code, to_size, to_fields,
    to_hits,
):  # fmt: skip
    """Do as `collapse_directly` does where there are too many contexts: `order` is that of the codes.

    `rows` gets the chosen rows by context and code, `into` where each of these went.

    O(groups + rows * (fields + properties)).
    """
    for g in range(groups + 1):
        start[g] = 0
    for place in range(len(chosen)):
        start[ids[place] + 1] += 1
    for g in range(groups):
        start[g + 1] += start[g]
    for at in range(len(order)):
        place = order[at]
        g = ids[place]
        rows[start[g]] = chosen[place]
        start[g] += 1
    for g in range(groups, 0, -1):
        start[g] = start[g - 1]
    start[0] = 0
    found = 0
    for g in range(groups):
        first = start[g]
        row_of[g] = rows[first]
        start[g] = found
        for at in range(first, start[g + 1]):
            row = rows[at]
            if at == first or to_code[found - 1] != code[row]:
                clear_row(found, code[row], to_code, to_size, to_fields, to_hits)
                found += 1
            add_row(found - 1, row, sizes, fields, hits, to_size, to_fields, to_hits)
            if len(into) > 0:
                into[at] = found - 1
    start[groups] = found
    return found


@kernel
def interval_costs(  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    start, groups, code, first, stop, sizes, fields, dropped, others, hits, limits, lm, shape, weights,
    kept, based, tally, hit,
):  # fmt: skip
    """Sum over the contexts what each interval of codes within `first`..`stop` would cost.

    The (collapsed) rows of a context stand together, one for each code, in ascending order. Of an interval from a to
    b (last code included): `kept` are the rows of contexts in which the interval may be released, `based` what all
    rows cost beside the loss of the interval itself: those of contexts in which it would break a limit cost what is
    `dropped`. Written as differences: summed up along both axes they are the figures of (a, b), counted from `first`.
    O(sum over contexts of codes² * (fields + properties)).
    """
    kinds, begins, at_params, params = shape.kinds, shape.begins, shape.at, shape.params  # once: it is not for free
    simple, weight = judged_simply(shape, weights)
    least, others_limit = rows_needed(limits)
    for g in range(groups):
        begin = start[g]
        end = start[g + 1]
        while begin < end and code[begin] < first:
            begin += 1
        while begin < end and code[end - 1] >= stop:
            end -= 1
        for i in range(begin, end):
            low = 0 if i == begin else code[i - 1] - first + 1
            high = code[i] - first + 1
            n = 0
            out = 0
            kept_before = 0
            based_before = 0
            for f in range(len(tally)):
                tally[f] = 0
            for p in range(len(hit)):
                hit[p] = 0
            for j in range(i, end):
                n += sizes[j]
                out += dropped[j]
                for f in range(len(tally)):
                    tally[f] += fields[j, f]
                for p in range(len(hit)):
                    hit[p] += hits[p, j]
                bad = 0 < n < least
                if others_limit and not bad:
                    bad = breaks(n, hit, limits)
                rows = 0
                base = out
                if not bad:
                    rows = n
                    base = lm * n * others[g]
                    if simple:
                        if len(tally) > 0:
                            base += weight * minority(tally, 0, len(tally))
                    else:
                        base += judged(tally, kinds, begins, at_params, params, weights)
                # What ends where the next code begins is not taken back: that is added there, less this.
                near = code[j] - first
                if rows != kept_before:
                    kept[low, near] += rows - kept_before
                    kept[high, near] -= rows - kept_before
                    kept_before = rows
                if base != based_before:
                    based[low, near] += base - based_before
                    based[high, near] -= base - based_before
                    based_before = base
            last = stop - first
            kept[low, last] -= kept_before
            kept[high, last] += kept_before
            based[low, last] -= based_before
            based[high, last] += based_before


@kernel
def node_costs(  # type: ignore[no-untyped-def]
    start, groups, code, leaf, parent, losses, sizes, fields, dropped, others, hits, limits, lm, shape,
    weights, cost, touched, n_at, loss_at, out_at, f_at, hit_at,
):  # fmt: skip
    """Sum over the contexts what releasing each node of a tree would cost, in `cost`.

    `leaf` is the node of each code (-1 for none), `parent` the node above each (-1 for none). `losses` are by node
    and code, or by node only (one for all codes). The last six are scratch with a place for each node, zero on
    entry and on return; the last has one more property: whether the node was touched.
    O(rows * depth * (fields + properties)).
    """
    by_code = losses.shape[1] > 1
    width = fields.shape[1]
    properties = hits.shape[0]
    kinds, begins, at_params, params = shape.kinds, shape.begins, shape.at, shape.params  # once: it is not for free
    simple, weight = judged_simply(shape, weights)
    for g in range(groups):
        found = 0
        for row in range(start[g], start[g + 1]):
            node = leaf[code[row]]
            while node >= 0:
                if hit_at[node, properties] == 0:
                    hit_at[node, properties] = 1
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
            if breaks(n, hit_at[node], limits):
                cost[node] += out_at[node]
            else:
                cost[node] += lm * (n * others[g] + loss_at[node])
                tally = f_at[node]
                if simple:
                    cost[node] += weight * minority(tally, 0, width)
                else:
                    cost[node] += judged(tally, kinds, begins, at_params, params, weights)
            for p in range(properties + 1):
                hit_at[node, p] = 0
            for f in range(width):
                f_at[node, f] = 0
            loss_at[node] = 0
            out_at[node] = 0
            n_at[node] = 0


@kernel
def flip_costs(  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    start, groups, code, hidden, sizes, fields, dropped, others, hits, limits, lm, shape, weights,
    losses, cost, tally, hit, all_tally, all_hit,
):  # fmt: skip
    """Sum over the contexts what a plain column would cost if one value were shown or hidden: in `cost`, by value.

    `losses` are those of a hidden cell with one value fewer hidden, as many, and one more. The last entry of
    `cost` is what the column costs as it is. Contexts as in `interval_costs`. O(rows * (fields + properties) + values).
    """
    kinds, begins, at_params, params = shape.kinds, shape.begins, shape.at, shape.params  # once: it is not for free
    simple, weight = judged_simply(shape, weights)
    values = len(cost) - 1
    shown_cost = 0
    less = 0
    now = 0
    more = 0
    for v in range(values + 1):
        cost[v] = 0
    for g in range(groups):
        n_hidden = 0
        out_hidden = 0
        for f in range(len(tally)):
            all_tally[f] = 0
        for p in range(len(hit)):
            all_hit[p] = 0
        for row in range(start[g], start[g + 1]):
            if hidden[code[row]]:
                n_hidden += sizes[row]
                out_hidden += dropped[row]
                for f in range(len(tally)):
                    all_tally[f] += fields[row, f]
                for p in range(len(hit)):
                    all_hit[p] += hits[p, row]
        # What the hidden values cost together as they are, with one value fewer or more hidden elsewhere.
        h_less = 0
        h_now = 0
        h_more = 0
        if n_hidden > 0 and breaks(n_hidden, all_hit, limits):
            h_less = h_now = h_more = out_hidden
        elif n_hidden > 0:
            base = lm * n_hidden * others[g]
            if simple:
                base += weight * minority(all_tally, 0, len(tally))
            else:
                base += judged(all_tally, kinds, begins, at_params, params, weights)
            h_less = base + lm * n_hidden * losses[0]
            h_now = base + lm * n_hidden * losses[1]
            h_more = base + lm * n_hidden * losses[2]
        less += h_less
        now += h_now
        more += h_more
        for row in range(start[g], start[g + 1]):
            v = code[row]
            sign = -1 if hidden[v] else 1
            # The value alone.
            for f in range(len(tally)):
                tally[f] = fields[row, f]
            for p in range(len(hit)):
                hit[p] = hits[p, row]
            each = dropped[row]
            if not breaks(sizes[row], hit, limits):
                each = lm * sizes[row] * others[g]
                if simple:
                    each += weight * minority(tally, 0, len(tally))
                else:
                    each += judged(tally, kinds, begins, at_params, params, weights)
            cost[v] -= sign * each
            if sign > 0:
                shown_cost += each
            # The hidden ones without it, or with it.
            n = n_hidden + sign * sizes[row]
            for f in range(len(tally)):
                tally[f] = all_tally[f] + sign * fields[row, f]
            for p in range(len(hit)):
                hit[p] = all_hit[p] + sign * hits[p, row]
            after = 0
            if n > 0 and breaks(n, hit, limits):
                after = out_hidden + sign * dropped[row]
            elif n > 0:
                after = lm * n * (others[g] + (losses[0] if sign < 0 else losses[2]))
                if simple:
                    after += weight * minority(tally, 0, len(tally))
                else:
                    after += judged(tally, kinds, begins, at_params, params, weights)
            cost[v] += after - (h_less if sign < 0 else h_more)
    for v in range(values):
        cost[v] += shown_cost + (less if hidden[v] else more)
    cost[values] = shown_cost + now


@kernel
def sum_parts(  # type: ignore[no-untyped-def]
    start, groups, code, part, loss, others, sizes, fields, hits, of_part, seen, group_of, sums
):
    """Sum up each part of one column within each context, as `sum_groups` does; return how many there are.

    `part` and `loss` are by code, `others` by context. `group_of` gets the number of the sum that each (collapsed) row
    is in. `of_part` and `seen` are scratch with a place for each part.
    O(parts + rows * (fields + tallies)).
    """
    width = fields.shape[1]
    tallies = hits.shape[0]
    found = 0
    for p in range(len(seen)):
        seen[p] = -1
    for g in range(groups):
        for row in range(start[g], start[g + 1]):
            p = part[code[row]]
            if seen[p] != g:
                seen[p] = g
                of_part[p] = found
                for at in range(sums.shape[1]):
                    sums[found, at] = 0
                found += 1
            at = of_part[p]
            n = sizes[row]
            group_of[row] = at
            sums[at, 0] += n
            sums[at, 1] += n * (others[g] + loss[code[row]])
            for f in range(width):
                sums[at, 2 + f] += fields[row, f]
            for t in range(tallies):
                sums[at, 2 + width + t] += hits[t, row]
    return found


@kernel
def rows_of_broken(rows, into, group_of, broken, left_out):  # type: ignore[no-untyped-def]
    """Say of each row whether its group is broken: the row at each place went `into` a row of some group. O(rows)."""
    for place in range(len(rows)):
        left_out[rows[place]] = broken[group_of[into[place]]]

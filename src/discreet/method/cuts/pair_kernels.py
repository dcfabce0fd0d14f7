"""What targets with very many classes cost, from pairs of row and class: the inner loops. Integers only.

They stand beside the loops of `target_kernels` and `context_kernels`, which count a field for each class: what these
say of all else is right for such targets, too, and what the classes cost comes on top of it here. A class costs by its
target's weight. `tally` (by class) is scratch, all zeros on entry and on return.

The loops of `context_kernels` are compiled into these: after a change there, this file's code on disk is stale too.
"""

from __future__ import annotations

from discreet.common.compiled import helper, kernel
from discreet.method.cuts.context_kernels import breaks, rows_needed


@helper
def put_in(first, last, classes, counts, target, weights, tally, most):  # type: ignore[no-untyped-def]
    """Add pairs to a group; return by how much it costs more. `most` has the rows of each target's largest class.

    O(pairs).
    """
    cost = 0
    if len(most) == 1:  # as nearly always
        top = most[0]
        for at in range(first, last):
            v = classes[at]
            cost += counts[at]
            tally[v] += counts[at]
            if tally[v] > top:
                top = tally[v]
        cost = weights[0] * (cost - (top - most[0]))
        most[0] = top
        return cost
    for at in range(first, last):
        v = classes[at]
        t = target[v]
        tally[v] += counts[at]
        cost += weights[t] * counts[at]
        if tally[v] > most[t]:
            cost -= weights[t] * (tally[v] - most[t])
            most[t] = tally[v]
    return cost


@helper
def clear(first, last, classes, tally, most):  # type: ignore[no-untyped-def]
    """Forget a group, given all its pairs. O(pairs, or classes where these are fewer, + targets)."""
    if last - first > len(tally):
        for v in range(len(tally)):
            tally[v] = 0
    else:
        for at in range(first, last):
            tally[classes[at]] = 0
    for t in range(len(most)):
        most[t] = 0


@kernel
def collapse_pairs(  # type: ignore[no-untyped-def]
    into, rows, found, at, classes, counts, to_at, to_classes, to_counts, tally, packed, bits
):
    """Put the pairs of rows together that are collapsed into one, each class once; return how many pairs there are.

    `into` says of each of `rows` which of the collapsed ones (so many) it is a part of. `packed` is scratch by pair: a
    class in so many `bits`, and the rows above them. O(rows + pairs).
    """
    for g in range(found + 1):
        to_at[g] = 0
    for place in range(len(rows)):
        to_at[into[place] + 1] += at[rows[place] + 1] - at[rows[place]]
    for g in range(found):
        to_at[g + 1] += to_at[g]
    for place in range(len(rows)):
        to = to_at[into[place]]
        for p in range(at[rows[place]], at[rows[place] + 1]):
            packed[to] = (counts[p] << bits) + classes[p]
            to += 1
        to_at[into[place]] = to
    written = 0
    begin = 0
    for g in range(found):
        end = to_at[g]  # where the pairs of the next one begin
        to_at[g] = written
        for p in range(begin, end):
            v = packed[p] & ((1 << bits) - 1)
            to_classes[written] = v  # overwritten by the next one if it is known already: no branch to be guessed
            written += 1 if tally[v] == 0 else 0
            tally[v] += packed[p] >> bits
        begin = end
        for p in range(to_at[g], written):
            to_counts[p] = tally[to_classes[p]]
            tally[to_classes[p]] = 0
    to_at[found] = written
    return written


@kernel
def class_costs(rows, start, groups, left_out, at, classes, counts, target, first, last, t, dropped, tally, most):  # type: ignore[no-untyped-def]
    """Return how many kept rows are not of the largest class of their group, for one target.

    Its classes are from `first` up to `last`. `dropped` gets the rows of each of them that are left out; what it has of
    others stays. Rows of a group stand together. O(pairs + groups + classes of the target).
    """
    wrong = 0
    for v in range(first, last):
        dropped[v] = 0
    for g in range(groups):
        all_rows = 0
        for place in range(start[g], start[g + 1]):
            row = rows[place]
            for p in range(at[row], at[row + 1]):
                v = classes[p]
                if target[v] == t:
                    if left_out[row]:
                        dropped[v] += counts[p]
                    else:
                        all_rows += counts[p]
                        tally[v] += counts[p]
                        if tally[v] > most[t]:
                            most[t] = tally[v]
        wrong += all_rows - most[t]
        for place in range(start[g], start[g + 1]):
            clear(at[rows[place]], at[rows[place] + 1], classes, tally, most)
        most[t] = 0
    return wrong


@helper
def set_largest(begin, end, at, classes, counts, tally, order):  # type: ignore[no-untyped-def]
    """Write to `most[i, j]` how many rows from the i-th to the j-th one the largest class has that is in both of these.

    So the largest class of an interval is the largest that is written of any interval inside it. All else stays 0.
    O(pairs + sum over classes of rows that have it, squared: at most rows * pairs).
    """
    for p in range(at[begin], at[end]):
        tally[classes[p]] += 1
    found = 0
    for row in range(begin, end):
        every = 0
        top = 0
        for p in range(at[row], at[row + 1]):
            v = classes[p]
            every += counts[p]
            top = max(top, counts[p])
            if tally[v] > 1:  # the first of several: room for all of them
                order.next[v] = found
                found += tally[v]
                tally[v] = -tally[v]
            if tally[v] < 0:
                to = order.next[v]
                order.next[v] = to + 1
                order.counts[to] = counts[p]
                tally[v] += 1
                order.rows[to] = row - begin if tally[v] < 0 else begin - row - 1  # the last one is negative
        order.every[row] = every
        order.most[row - begin, row - begin] = top
    for p in range(at[begin], at[end]):
        tally[classes[p]] = 0
    first = 0
    while first < found:
        if order.rows[first] < 0:
            first += 1
            continue
        low = order.rows[first]
        count = order.counts[first]
        z = first
        while True:
            z += 1
            count += order.counts[z]
            high = order.rows[z]
            near = high if high >= 0 else -high - 1
            if count > order.most[low, near]:
                order.most[low, near] = count
            if high < 0:
                break
        first += 1


@kernel
def interval_pairs(  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    start, groups, code, first, stop, sizes, hits, limits, weights, at, classes, counts, target, based, hit, tally,
    most, order,
):  # fmt: skip
    """Add to `based` what the classes of the intervals cost that may be released; as `interval_costs`.

    `order` is scratch, its `most` all zeros on entry and on return; see `set_largest`. With one target O(sum over
    contexts of codes² * properties + pairs + what `set_largest` takes), with several O(codes * (codes + pairs)).
    """
    least, others_limit = rows_needed(limits)
    last = stop - first
    single = len(most) == 1  # as nearly always
    for g in range(groups):
        begin = start[g]
        end = start[g + 1]
        while begin < end and code[begin] < first:
            begin += 1
        while begin < end and code[end - 1] >= stop:
            end -= 1
        if single:
            set_largest(begin, end, at, classes, counts, tally, order)
        for i in range(end - 1, begin - 1, -1):
            low = code[i - 1] - first + 1 if i > begin else 0
            high = code[i] - first + 1
            n = 0
            cost = 0
            before = 0
            every = 0
            top = 0
            counted = i  # what may not be released need not be counted yet
            for p in range(len(hit)):
                hit[p] = 0
            for j in range(i, end):
                n += sizes[j]
                bad = 0 < n < least
                if others_limit:
                    for p in range(len(hit)):
                        hit[p] += hits[p, j]
                    bad = bad or breaks(n, hit, limits)
                if single:
                    every += order.every[j]
                    top = max(top, order.most[i - begin, j - begin])
                    if j > i:
                        top = max(top, order.most[i - begin + 1, j - begin])
                        order.most[i - begin + 1, j - begin] = 0
                    order.most[i - begin, j - begin] = top
                now = 0
                if not bad:
                    if single:
                        cost = weights[0] * (every - top)
                    else:
                        cost += put_in(at[counted], at[j + 1], classes, counts, target, weights, tally, most)
                        counted = j + 1
                    now = cost
                if now != before:  # from here on, until it changes again
                    near = code[j] - first
                    based[low, near] += now - before
                    based[high, near] -= now - before
                    before = now
            based[low, last] -= before
            based[high, last] += before
            if not single:
                clear(at[i], at[counted], classes, tally, most)
        if single:
            for j in range(end - begin):
                order.most[0, j] = 0


@kernel
def node_pairs(  # type: ignore[no-untyped-def]
    start, groups, code, leaf, parent, sizes, hits, limits, weights, at, classes, counts, target, cost, hit, tally,
    most, touched, first_at, last_at,
):  # fmt: skip
    """Add to `cost` what the classes of the nodes cost that may be released; as `node_costs`.

    The last three are scratch by node; of the rows of a context those under a node stand together.
    O(sum over contexts of depth * (rows * properties + pairs)).
    """
    for node in range(len(parent)):
        last_at[node] = -1
    for g in range(groups):
        found = 0
        for row in range(start[g], start[g + 1]):
            node = leaf[code[row]]
            while node >= 0:
                if last_at[node] < start[g]:
                    first_at[node] = row
                    touched[found] = node
                    found += 1
                last_at[node] = row
                node = parent[node]
        for i in range(found):
            node = touched[i]
            n = 0
            for p in range(len(hit)):
                hit[p] = 0
            for row in range(first_at[node], last_at[node] + 1):
                n += sizes[row]
                for p in range(len(hit)):
                    hit[p] += hits[p, row]
            if not breaks(n, hit, limits):
                begin = at[first_at[node]]
                end = at[last_at[node] + 1]
                cost[node] += put_in(begin, end, classes, counts, target, weights, tally, most)
                clear(begin, end, classes, tally, most)


@kernel
def flip_pairs(  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    start, groups, code, hidden, sizes, hits, limits, weights, at, classes, counts, target, cost, hit, all_hit, tally,
    most, all_tally, all_most, having,
):  # fmt: skip
    """Add to `cost` what the classes cost if one value were shown or hidden, or none; as `flip_costs`.

    `having` says of each target how many classes have so many hidden rows: all zeros on entry and on return.
    `all_tally` and `all_most` are scratch as `tally` and `most` are.
    O(rows * properties + pairs + rows of the classes + values).
    """
    values = len(cost) - 1
    shown_cost = 0
    together = 0
    for g in range(groups):
        n_hidden = 0
        shown = True
        for p in range(len(hit)):
            all_hit[p] = 0
        h_cost = 0
        for row in range(start[g], start[g + 1]):
            if hidden[code[row]]:
                shown = False
                n_hidden += sizes[row]
                for p in range(len(hit)):
                    all_hit[p] += hits[p, row]
                for p in range(at[row], at[row + 1]):
                    t = target[classes[p]]
                    having[t, all_tally[classes[p]]] -= 1
                    having[t, all_tally[classes[p]] + counts[p]] += 1
                    h_cost += put_in(p, p + 1, classes, counts, target, weights, all_tally, all_most)
        h_now = 0 if n_hidden == 0 or breaks(n_hidden, all_hit, limits) else h_cost
        together += h_now
        for row in range(start[g], start[g + 1]):
            v = code[row]
            sign = -1 if hidden[v] else 1
            # The value alone.
            for p in range(len(hit)):
                hit[p] = hits[p, row]
            each = 0
            if not breaks(sizes[row], hit, limits):
                each = put_in(at[row], at[row + 1], classes, counts, target, weights, tally, most)
                clear(at[row], at[row + 1], classes, tally, most)
            cost[v] -= sign * each
            if sign > 0:
                shown_cost += each
            if shown:  # it would be the only one
                if sizes[row] > 0:
                    cost[v] += each
                continue
            # The hidden ones without it, or with it.
            n = n_hidden + sign * sizes[row]
            for p in range(len(hit)):
                hit[p] = all_hit[p] + sign * hits[p, row]
            after = 0
            if n > 0 and not breaks(n, hit, limits):
                after = h_cost
                for t in range(len(most)):
                    most[t] = all_most[t]
                for p in range(at[row], at[row + 1]):
                    c = classes[p]
                    t = target[c]
                    then = all_tally[c] + sign * counts[p]
                    having[t, all_tally[c]] -= 1
                    having[t, then] += 1
                    after += sign * weights[t] * counts[p]
                    if then > most[t]:
                        most[t] = then
                for t in range(len(most)):
                    while most[t] > 0 and having[t, most[t]] == 0:
                        most[t] -= 1
                    after -= weights[t] * (most[t] - all_most[t])
                    most[t] = 0
                for p in range(at[row], at[row + 1]):
                    c = classes[p]
                    having[target[c], all_tally[c]] += 1
                    having[target[c], all_tally[c] + sign * counts[p]] -= 1
            cost[v] += after - h_now
        for row in range(start[g], start[g + 1]):
            if hidden[code[row]]:
                for p in range(at[row], at[row + 1]):
                    having[target[classes[p]], all_tally[classes[p]]] = 0
        for row in range(start[g], start[g + 1]):
            if hidden[code[row]]:
                clear(at[row], at[row + 1], classes, all_tally, all_most)
        for t in range(len(weights)):
            having[t, 0] = 0
    for v in range(values + 1):
        cost[v] += shown_cost + together

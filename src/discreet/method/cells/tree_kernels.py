"""The inner loops of ID3: counts of a node, the best split, exact where two splits are alike."""

from __future__ import annotations

import numpy as np

from discreet.common.compiled import begun_plain, kernel

LEAF = -1
NO_CHILD = -1


@kernel
def sieve(most):  # type: ignore[no-untyped-def]
    """Return the smallest prime factor of each number up to `most`. O(most * log log most)."""
    found = np.zeros(most + 1, dtype=np.int32)
    for n in range(2, most + 1):
        if found[n] == 0:
            for multiple in range(n, most + 1, n):
                if found[multiple] == 0:
                    found[multiple] = n
    return found


@kernel
def _exponents(numbers, count, sign, factor, exponent):  # type: ignore[no-untyped-def]
    """Add the prime exponents of the product of n to the power of n. O(count * log n)."""
    for i in range(count):
        n = numbers[i]
        rest = n
        while rest > 1:
            prime = factor[rest]
            exponent[prime] += sign * n
            rest //= prime


@kernel
def _clear(numbers, count, factor, exponent):  # type: ignore[no-untyped-def]
    """Return whether no exponent is left at the primes of some numbers, and clear them. O(count * log n)."""
    nothing = True
    for i in range(count):
        rest = numbers[i]
        while rest > 1:
            prime = factor[rest]
            nothing = nothing and exponent[prime] == 0
            rest //= prime
    for i in range(count):
        rest = numbers[i]
        while rest > 1:
            exponent[factor[rest]] = 0
            rest //= factor[rest]
    return nothing


@kernel
def _equal(over, under, n_over, n_under, over2, under2, n_over2, n_under2, factor, exponent):  # type: ignore[no-untyped-def]
    """Whether two quotients of products of n to the power of n are the same number: exact, by prime exponents.

    O(numbers * log n).
    """
    _exponents(over, n_over, 1, factor, exponent)
    _exponents(under, n_under, -1, factor, exponent)
    _exponents(over2, n_over2, -1, factor, exponent)
    _exponents(under2, n_under2, 1, factor, exponent)
    same = _clear(over, n_over, factor, exponent)
    same = _clear(under, n_under, factor, exponent) and same
    same = _clear(over2, n_over2, factor, exponent) and same
    return _clear(under2, n_under2, factor, exponent) and same


@kernel
def most_common(counts, low, high):  # type: ignore[no-untyped-def]
    """Return the place of the largest count in a range, the first of several. O(high - low)."""
    best = low
    for place in range(low + 1, high):
        if counts[place] > counts[best]:
            best = place
    return best


@kernel
def _value(code, start, leaf, low, high, known, filled):  # type: ignore[no-untyped-def]
    """Return the value a cell stands for at a node: its own, or the most common one that it can be.

    O(1); the first time for a code O(values).
    """
    if leaf[code] >= 0:
        return leaf[code]
    place = code - start
    if filled[place] < 0:
        filled[place] = most_common(known, low[code], high[code])
    return filled[place]


@begun_plain
def grow(codes, leaf, low, high, first, domain, predictors, rows, times, classes, n_classes, factor, weigh):  # type: ignore[no-untyped-def] # noqa: C901
    """Return the tree of `rows` (reordered here) with their classes; each row counts `times` (by row).

    For each node: the place of the predictor it splits on (or `LEAF`), its commonest class, where its children begin;
    for each child its node (or `NO_CHILD`: nobody went there) and how many rows went there. `weigh[n]` is n log n.
    O(rows * predictors²), and O(values) for each node and predictor.
    """
    widest = 1
    for p in predictors:
        widest = max(widest, domain[p], first[p + 1] - first[p])
    room = 64
    split, common, child_at = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    parent, begin, stop = np.empty(room, np.int64), np.empty(room, np.int64), np.empty(room, np.int64)
    kids_room = 256
    child, people = np.empty(kids_room, np.int64), np.empty(kids_room, np.int64)
    kids, nodes, at = 0, 1, 0
    parent[0], begin[0], stop[0] = -1, 0, len(rows)
    known, branch = np.zeros(widest, np.int64), np.zeros(widest, np.int64)
    filled, heads = np.empty(widest, np.int64), np.zeros(widest, np.int64)
    table = np.zeros((widest, n_classes), np.int64)
    per_class = np.zeros(n_classes, np.int64)
    over, under = np.empty(len(rows) + 1, np.int64), np.empty(len(rows) + 1, np.int64)
    best_over, best_under = np.empty(len(rows) + 1, np.int64), np.empty(len(rows) + 1, np.int64)
    exponent = np.zeros(len(factor), np.int64)
    spare = np.empty(len(rows), rows.dtype)
    used = np.zeros(len(predictors), np.bool_)
    while at < nodes:
        from_, to = begin[at], stop[at]
        per_class[:] = 0
        all_here = 0
        for i in range(from_, to):
            per_class[classes[rows[i]]] += times[rows[i]]
            all_here += times[rows[i]]
        common[at] = most_common(per_class, 0, n_classes)
        split[at], child_at[at] = LEAF, -1
        here = at
        at += 1
        if per_class[common[here]] == all_here:
            continue
        used[:] = False
        above = parent[here]
        while above >= 0:
            used[split[above]] = True
            above = parent[above]
        best, best_score, n_best_over, n_best_under = LEAF, 0.0, 0, 0
        for place in range(len(predictors)):
            if used[place]:
                continue
            column = predictors[place]
            start, values = first[column], domain[column]
            known[:values] = 0
            different = 0
            for i in range(from_, to):
                value = leaf[codes[column, rows[i]]]
                if value >= 0:
                    different += known[value] == 0
                    known[value] += times[rows[i]]
            if different < 2:
                continue
            filled[: first[column + 1] - start] = -1
            for i in range(from_, to):
                row = rows[i]
                value = _value(codes[column, row], start, leaf, low, high, known, filled)
                branch[value] += times[row]
                table[value, classes[row]] += times[row]
            score, size, n_over, n_under = 0.0, 0.0, 0, 0
            for i in range(from_, to):  # what was counted, each once; the scratch is empty again after it
                row = rows[i]
                value = _value(codes[column, row], start, leaf, low, high, known, filled)
                if branch[value]:
                    over[n_over] = branch[value]
                    score += weigh[branch[value]]
                    size += weigh[branch[value]]
                    n_over += 1
                    branch[value] = 0
                count = table[value, classes[row]]
                if count:
                    under[n_under] = count
                    score -= weigh[count]
                    size += weigh[count]
                    n_under += 1
                    table[value, classes[row]] = 0
            margin = (n_over + n_under + 4) * 4.5e-16 * (size + 1.0)
            better = best == LEAF or score < best_score - margin
            if not better and score < best_score + margin:
                better = score < best_score and not _equal(
                    over, under, n_over, n_under, best_over, best_under, n_best_over, n_best_under, factor, exponent
                )
            if better:
                best, best_score, n_best_over, n_best_under = place, score, n_over, n_under
                best_over[:n_over] = over[:n_over]
                best_under[:n_under] = under[:n_under]
        if best == LEAF:
            continue
        column = predictors[best]
        start, values = first[column], domain[column]
        known[:values] = 0
        for i in range(from_, to):
            value = leaf[codes[column, rows[i]]]
            if value >= 0:
                known[value] += times[rows[i]]
        filled[: first[column + 1] - start] = -1
        for i in range(from_, to):
            value = _value(codes[column, rows[i]], start, leaf, low, high, known, filled)
            branch[value] += 1
            heads[value] += times[rows[i]]
        split[here], child_at[here] = best, kids
        while kids + values > kids_room:
            grown, grown2 = np.empty(2 * kids_room, np.int64), np.empty(2 * kids_room, np.int64)
            grown[:kids], grown2[:kids] = child[:kids], people[:kids]
            child, people, kids_room = grown, grown2, 2 * kids_room
        while nodes + values > room:
            split, common, child_at = _wider(split), _wider(common), _wider(child_at)
            parent, begin, stop = _wider(parent), _wider(begin), _wider(stop)
            room *= 2
        where = from_
        for value in range(values):
            people[kids + value], heads[value] = heads[value], 0
            child[kids + value] = NO_CHILD
            if branch[value]:
                child[kids + value] = nodes
                parent[nodes], begin[nodes], stop[nodes] = here, where, where + branch[value]
                nodes += 1
            count = branch[value]
            branch[value] = where
            where += count
        kids += values
        for i in range(from_, to):
            value = _value(codes[column, rows[i]], start, leaf, low, high, known, filled)
            spare[branch[value]] = rows[i]
            branch[value] += 1
        rows[from_:to] = spare[from_:to]
        branch[:values] = 0
    return split[:nodes], common[:nodes], child_at[:nodes], child[:kids], people[:kids]


@kernel
def _wider(numbers):  # type: ignore[no-untyped-def]
    """Return the numbers with room for as many more. O(numbers)."""
    wider = np.empty(2 * len(numbers), np.int64)
    wider[: len(numbers)] = numbers
    return wider


@begun_plain
def guess(codes, row, low, high, predictors, split, common, child_at, child, people, node):  # type: ignore[no-untyped-def]
    """Return the class that a tree gives a row from a node on; an unknown cell follows the commonest branch it can.

    O(predictors * values).
    """
    while split[node] != LEAF:
        code = codes[predictors[split[node]], row]
        start = child_at[node]
        place = start + most_common(people[start:], low[code], high[code])
        if child[place] == NO_CHILD:
            break
        node = child[place]
    return common[node]


@begun_plain
def guesses(codes, rows, low, high, predictors, split, common, child_at, child, people):  # type: ignore[no-untyped-def]
    """Return the class that a tree gives each of several rows. O(rows * predictors * values)."""
    found = np.empty(len(rows), dtype=np.int64)
    for i in range(len(rows)):
        found[i] = guess(codes, rows[i], low, high, predictors, split, common, child_at, child, people, 0)
    return found

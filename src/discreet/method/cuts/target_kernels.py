"""What groups of rows cost the targets: the inner loops, compiled by Numba and cached. Integers only."""

from __future__ import annotations

from discreet.common.compiled import kernel
from discreet.method.base.targets import COSTS, GUESSED, MAJORITY, SQUARES


@kernel
def minority(tally, first, stop):  # type: ignore[no-untyped-def]
    """Return how many rows are not of the majority class. O(stop - first)."""
    most = 0
    rows = 0
    for f in range(first, stop):
        rows += tally[f]
        if tally[f] > most:
            most = tally[f]
    return rows - most


@kernel
def overruled(tally, first, stop, params, at, least):  # type: ignore[no-untyped-def]
    """Return what a group costs whose rows are taken for some class already.

    Of the rows of each level: what those guesses cost, or, where that is less, what it costs to take all of them for
    the class that most of them are, and a price besides. Fields of a level are the first cost, and the rows of each
    class; the params at `at` are how many classes there are, the price, what a mistake costs, or -1 and a
    cost matrix. With `least` there is no price, and they are taken for the cheapest class: what they cost at least,
    alone or as a part of any other group. O(fields); with a cost matrix O(fields * classes).
    """
    labels = params[at]
    price = 0 if least else params[at + 1]
    one = params[at + 2]
    cost = 0
    for begin in range(first, stop, labels + 1):
        paid = tally[begin]
        most = 0
        rows = 0
        for f in range(begin + 1, begin + 1 + labels):
            rows += tally[f]
            if tally[f] > most:
                most = tally[f]
        if one >= 0:
            paid = min(paid, (rows - most) * one + price)
        elif paid > price:
            for taken in range(labels):
                if least or tally[begin + 1 + taken] == most:
                    other = price
                    for true in range(labels):
                        other += tally[begin + 1 + true] * params[at + 3 + true * labels + taken]
                    paid = min(paid, other)
        cost += paid
    return cost


@kernel
def target_cost(tally, kinds, begins, at_params, params, t):  # type: ignore[no-untyped-def]  # noqa: C901 - one function, for speed
    """Return what a group with these sums of fields costs one target, in its units.

    Params: of a cost matrix its lines, one after the other; of distances the number of each field, ascending.
    O(fields); of a cost matrix O(fields²).
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
    if kind == GUESSED:
        return overruled(tally, first, stop, params, at, False)
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
    stop = first + at_params[t + 1] - at  # what is counted besides has no number
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
    """Return what a group costs all targets by their weights. O(fields); of cost matrices O(fields²)."""
    cost = 0
    for t in range(len(weights)):
        cost += weights[t] * target_cost(tally, kinds, begins, at_params, params, t)
    return cost


@kernel
def judged_simply(shape, weights):  # type: ignore[no-untyped-def]
    """Whether there is no target but a class whose mistakes cost the same: told apart, as calls of `judged` are slow.

    And the weight of that target. O(1).
    """
    if len(weights) == 0:
        return True, 0
    return len(weights) == 1 and shape.kinds[0] == MAJORITY, weights[0]


@kernel
def target_costs(rows, start, groups, fields, left_out, shape, t, tally):  # type: ignore[no-untyped-def]
    """Return what the rows that are kept cost one target; the sums of those left out are in `tally`.

    Rows of a group stand together; `tally` has room for two sums of all fields.
    O(rows * fields), and `target_cost` of each group.
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

"""What is counted of a group from a whole vector of tallies: called by the loops, not compiled into them.

Few jobs have such limits: the loops are compiled without it until `limits` makes the lines of one.

Merging whole groups must never make a figure larger than the larger of the two. Two kinds of measures stand here. The
figure of the first (`DIFFERENT` to `RECURSIVE`) is a fraction with at most as many below the line as there are rows (or
people). The others decide by integers of their own whether a group breaks the limit; their figure is only about right,
in parts of `SCALE`, but always on the right side of the limit.

A limit is a line: numerator, denominator, measure, from where to where its tallies stand, and what else the measure
needs (`OWN` and further on; each function says what). Products stay below 2**63 (`planning.limits` refuses the rest).
"""

from __future__ import annotations

import math

from discreet.common.compiled import helper, kernel, seldom

NUMERATOR = 0
DENOMINATOR = 1
MEASURE = 2
FIRST = 3
STOP = 4
OWN = 5
"""Where the numbers begin that only some measures have."""
DIFFERENT = 2
"""One value among the different ones of the group: 1 / values. A group in which none is known has 0."""
PART = 3
"""The largest of some sums of neighbouring tallies among the rows: of single values, or of windows."""
MAPPED = 4
"""One person among the people of a population: 1 / people, where there are rows. The first tally counts rows."""
PRESENT = 5
"""The rows (the first tally) among the people of a population (the second)."""
RECURSIVE = 6
"""The commonest value beside those that are not among the commonest ones."""
DISTANCE = 7
"""How far the shares of the values are from those of all rows."""
RELATIVE = 8
"""How many times as common as among all rows the worst of some sums of tallies is."""
ENTROPY = 9
"""One over the number of equally common values with the same entropy."""
SCALE = 2**24
"""Of what the figures are parts that are only about right."""


@kernel
def fraction(rows, tally, limits, p):  # type: ignore[no-untyped-def]
    """Return a figure that is a fraction: above and below the line, both 0 where there is nothing. O(tallies)."""
    measure = limits[p, MEASURE]
    if measure == DIFFERENT:
        found = 0
        for t in range(limits[p, FIRST], limits[p, STOP]):
            found += 1 if tally[t] > 0 else 0
        return (1 if found > 0 else 0), found
    if measure == PART:
        return largest_part(tally, limits, p), rows
    if measure == MAPPED:
        return (1 if tally[limits[p, FIRST]] > 0 else 0), tally[limits[p, FIRST] + 1]
    if measure == PRESENT:
        return tally[limits[p, FIRST]], tally[limits[p, FIRST] + 1]
    return commonest(tally, limits, p)


@kernel
def largest_part(tally, limits, p):  # type: ignore[no-untyped-def]
    """Return the largest sum of tallies. Own numbers: how many sums there are, and of each from where to where.

    O(tallies + sums) where neither ends of the sums go back, else O(tallies of all sums).
    """
    first = limits[p, FIRST]
    best = 0
    low = 0
    high = 0
    total = 0
    at = OWN + 1
    for _ in range(limits[p, OWN]):
        begin = limits[p, at]
        end = limits[p, at + 1]
        at += 2
        if begin < low or end < high or begin >= high:
            low = begin
            high = begin
            total = 0
        while high < end:
            total += tally[first + high]
            high += 1
        while low < begin:
            total -= tally[first + low]
            low += 1
        if total > best:
            best = total
    return best


@kernel
def commonest(tally, limits, p):  # type: ignore[no-untyped-def]
    """Return the rows of the commonest value, and these with those that have none of the commonest values.

    Own number: how many are the commonest. O(tallies * different counts).
    """
    left = limits[p, OWN]
    rows = 0
    for t in range(limits[p, FIRST], limits[p, STOP]):
        rows += tally[t]
    most = 0
    bound = rows + 1
    while left > 0:
        high = 0
        times = 0
        for t in range(limits[p, FIRST], limits[p, STOP]):
            if tally[t] < bound:
                if tally[t] > high:
                    high = tally[t]
                    times = 1
                elif tally[t] == high:
                    times += 1
        if high == 0:
            break
        if most == 0:
            most = high
        if times > left:
            times = left
        rows -= times * high
        left -= times
        bound = high
    return most, most + rows


@kernel
def distance(tally, limits, p, exact):  # type: ignore[no-untyped-def]
    """Return how many rows are known, and how far they are from the usual: a weighted sum of differences, times both.

    Where it need not be `exact`, it is not added up further than to where it is surely too far.

    Own numbers: the differences, the rows of the usual, the limit (whole, and above and below the line of what is
    beyond), the rows of the usual with each tally, and of each difference from where to where it goes and its weight.
    O(tallies) where each difference goes on from the last, else O(tallies of all).
    """
    first = limits[p, FIRST]
    tallies = limits[p, STOP] - first
    usual = OWN + 5
    rows = 0
    for t in range(tallies):
        rows += tally[first + t]
    all_rows = limits[p, OWN + 1]
    surely = rows * (limits[p, OWN + 2] + 1)
    found = 0
    low = 0
    high = 0
    total = 0
    at = usual + tallies
    for _ in range(limits[p, OWN]):
        begin = limits[p, at]
        end = limits[p, at + 1]
        if begin != low or end < high:
            low = begin
            high = begin
            total = 0
        while high < end:
            total += tally[first + high] * all_rows - limits[p, usual + high] * rows
            high += 1
        found += limits[p, at + 2] * abs(total)
        if found > surely and not exact:
            break
        at += 3
    return rows, found


@kernel
def too_far(rows, found, limits, p):  # type: ignore[no-untyped-def]
    """Whether a distance is beyond its limit. The whole part is taken off first: products are of rows only. O(1)."""
    beyond = found - rows * limits[p, OWN + 2]
    if beyond <= 0:
        return False
    return beyond > rows or beyond * limits[p, OWN + 4] > rows * limits[p, OWN + 3]


@kernel
def most_times(rows, tally, limits, p):  # type: ignore[no-untyped-def]
    """Return whether some sum is too common, and how common the worst is beside what is allowed: 1 is just allowed.

    The first tally counts the rows that are known. Own numbers: how many sums there are, and of each from where to
    where it goes, and the largest share allowed among known rows and among all. O(tallies of all sums).
    """
    first = limits[p, FIRST]
    known = tally[first]
    worst = 0.0
    breaks = False
    low = 0
    high = 0
    total = 0
    at = OWN + 1
    for _ in range(limits[p, OWN]):
        begin = limits[p, at]
        end = limits[p, at + 1]
        if begin < low or end < high or begin >= high:
            low = begin
            high = begin
            total = 0
        while high < end:
            total += tally[first + high]
            high += 1
        while low < begin:
            total -= tally[first + low]
            low += 1
        if total > 0:
            if total * limits[p, at + 3] > limits[p, at + 2] * known:
                breaks = True
            if total * limits[p, at + 5] > limits[p, at + 4] * rows:
                breaks = True
            times = 4096.0
            if limits[p, at + 2] > 0 and known > 0:
                times = (total / known) * (limits[p, at + 3] / limits[p, at + 2])
            if times > worst:
                worst = times
        at += 6
    return breaks, worst


@kernel
def disorder(tally, limits, p):  # type: ignore[no-untyped-def]
    """Return whether the entropy is below its limit, and one over the number of values with the same.

    Own numbers: the limit, above and below the line. With c rows of a value, n in all and the limit a/b it must be that
    n log n - sum of c log c >= n log (a/b). Logarithms decide where they are further apart than their error (each is
    right to 4 units in the last place, and so is each product and sum of those so far). Else the two sides of
    (b n)^n = a^n * product of c^c are compared: if they are not equal, nobody knows, and it counts as broken.
    O(tallies).
    """
    over = limits[p, OWN]
    under = limits[p, OWN + 1]
    rows = 0
    terms = 0.0
    for t in range(limits[p, FIRST], limits[p, STOP]):
        if tally[t] > 0:
            rows += tally[t]
            terms += tally[t] * math.log(tally[t])
    if rows == 0:
        return False, 0.0
    whole = rows * math.log(rows)
    figure = math.exp((terms - whole) / rows)
    sure = whole - terms - rows * (math.log(over) - math.log(under))
    error = 1e-15 * (limits[p, STOP] - limits[p, FIRST] + 8) * (whole + rows * (math.log(over) + math.log(under)) + 1.0)
    if sure > error:
        return False, figure
    if sure < -error:
        return True, figure
    for modulus in (2147483647, 2147483629, 2147483587):
        left = power(under * (rows % modulus) % modulus, rows, modulus)
        right = power(over, rows, modulus)
        for t in range(limits[p, FIRST], limits[p, STOP]):
            if tally[t] > 1:
                right = right * power(tally[t], tally[t], modulus) % modulus
        if left != right:
            return True, figure
    return False, figure


@kernel
def power(base, exponent, modulus):  # type: ignore[no-untyped-def]
    """Return what is left of a power when it is divided. O(log exponent)."""
    found = 1
    base = base % modulus
    while exponent > 0:
        if exponent & 1:
            found = found * base % modulus
        base = base * base % modulus
        exponent >>= 1
    return found


@kernel
def about(rows, tally, limits, p):  # type: ignore[no-untyped-def]
    """Return whether a group breaks a limit that decides by itself, and a figure of it. O(tallies)."""
    measure = limits[p, MEASURE]
    if measure == DISTANCE:
        known, found = distance(tally, limits, p, True)
        if known == 0:
            return False, 0.0
        whole = limits[p, OWN + 2] + limits[p, OWN + 3] / limits[p, OWN + 4]  # the limit, times as much as `found`
        return too_far(known, found, limits, p), found / (known * whole) if whole > 0 else 2.0
    if measure == RELATIVE:
        return most_times(rows, tally, limits, p)
    if measure == ENTROPY:
        breaks, figure = disorder(tally, limits, p)
        return breaks, figure * limits[p, OWN] / limits[p, OWN + 1]
    return True, 2.0  # nobody knows it: no group keeps it


@helper
def _no_figure(rows, tally, limits, p):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Stand in for `figured` in loops whose limits need no vectors. O(1)."""
    if limits[p, MEASURE] >= DIFFERENT:
        raise ValueError("a limit needs what the loop was compiled without")
    return rows, rows


@seldom(_no_figure)
def figured(rows, tally, limits, p):  # type: ignore[no-untyped-def]
    """Return the figure of a group by a vector of tallies, above and below the line. O(tallies)."""
    if limits[p, MEASURE] <= RECURSIVE:
        return fraction(rows, tally, limits, p)
    breaks, figure = about(rows, tally, limits, p)
    near = int(min(figure, 4096.0) * SCALE)  # products of two such stay below 2**63
    if breaks and near <= SCALE:
        near = SCALE + 1
    elif not breaks and near > SCALE:
        near = SCALE
    return near, SCALE


@helper
def _not_broken(rows, tally, limits, p):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Stand in for `broken` in loops whose limits need no vectors. O(1)."""
    if limits[p, MEASURE] >= DIFFERENT:
        raise ValueError("a limit needs what the loop was compiled without")
    return True


@seldom(_not_broken)
def broken(rows, tally, limits, p):  # type: ignore[no-untyped-def]
    """Whether the figure of a group by a vector of tallies is above its limit. O(tallies)."""
    if limits[p, MEASURE] <= RECURSIVE:
        over, under = fraction(rows, tally, limits, p)
        return over * limits[p, DENOMINATOR] > limits[p, NUMERATOR] * under
    if limits[p, MEASURE] == DISTANCE:
        known, found = distance(tally, limits, p, False)
        return too_far(known, found, limits, p)
    breaks, _ = about(rows, tally, limits, p)
    return breaks

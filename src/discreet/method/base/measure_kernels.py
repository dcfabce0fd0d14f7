"""What is counted of a group for a limit, as a fraction of whole numbers: compiled into the loops that call it.

Merging whole groups must never make the fraction larger than the larger of the two: all searches rest on that.

A limit is a line (see `limits`): numerator, denominator, measure, and from where to where its tallies stand. A further
measure is a name in `MEASURES` and a branch below; whatever is compiled with these must be compiled anew then.
"""

from __future__ import annotations

from discreet.common.compiled import helper

ROWS = 0
"""One person among the rows of the group: 1 / rows."""
SHARE = 1
"""The rows with a property among those of which it is known: hits / rows."""
DIFFERENT = 2
"""One value among the different ones of the group: 1 / values. A group in which none is known has 0."""
MEASURES = {"rows": ROWS, "share": SHARE, "different": DIFFERENT}
"""What promises call them."""
NUMERATOR = 0
DENOMINATOR = 1
MEASURE = 2
FIRST = 3
STOP = 4


@helper
def above(rows, tally, limits, p):  # type: ignore[no-untyped-def]
    """Return what stands above the line in the figure of a group with so many rows and these tallies. O(tallies)."""
    if limits[p, MEASURE] == ROWS:
        found = 1 if rows > 0 else 0
    elif limits[p, MEASURE] == SHARE:
        found = tally[limits[p, FIRST]]
    elif limits[p, MEASURE] == DIFFERENT:
        found = 0
        for t in range(limits[p, FIRST], limits[p, STOP]):
            if tally[t] > 0:
                found = 1
    else:  # nobody knows it: no group keeps it
        found = 2 * rows + 2
    return found


@helper
def below(rows, tally, limits, p):  # type: ignore[no-untyped-def]
    """Return what stands below the line; 0 where there is nothing above it. O(tallies)."""
    found = rows
    if limits[p, MEASURE] == DIFFERENT:
        found = 0
        for t in range(limits[p, FIRST], limits[p, STOP]):
            found += 1 if tally[t] > 0 else 0
    return found


@helper
def passes(rows, tally, limits, p):  # type: ignore[no-untyped-def]
    """Whether the figure of a group is above its limit. O(tallies).

    The two commonest measures are compared at once: this is what the searches ask most.
    """
    measure = limits[p, MEASURE]
    if measure == ROWS:
        found = rows > 0 and limits[p, DENOMINATOR] > limits[p, NUMERATOR] * rows
    elif measure == SHARE:
        found = tally[limits[p, FIRST]] * limits[p, DENOMINATOR] > limits[p, NUMERATOR] * rows
    else:
        over = above(rows, tally, limits, p) * limits[p, DENOMINATOR]
        found = over > limits[p, NUMERATOR] * below(rows, tally, limits, p)
    return found

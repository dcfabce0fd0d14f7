"""What is counted of a group for a limit, as a fraction of whole numbers: compiled into the loops that call it.

A limit is a line (see `limits`): numerator, denominator, measure, and from where to where its tallies stand. A further
measure is a branch in `figure`; whatever is compiled with these must be compiled anew then.
"""

from __future__ import annotations

from discreet.common.compiled import helper
from discreet.common.measures import ROWS, SHARE

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
    else:
        found = 0
        for t in range(limits[p, FIRST], limits[p, STOP]):
            if tally[t] > 0:
                found = 1
    return found


@helper
def below(rows, tally, limits, p):  # type: ignore[no-untyped-def]
    """Return what stands below the line; 0 where there is nothing above it. O(tallies)."""
    if limits[p, MEASURE] <= SHARE:
        found = rows
    else:
        found = 0
        for t in range(limits[p, FIRST], limits[p, STOP]):
            found += 1 if tally[t] > 0 else 0
    return found


@helper
def passes(rows, tally, limits, p):  # type: ignore[no-untyped-def]
    """Whether the figure of a group is above its limit. O(tallies)."""
    return above(rows, tally, limits, p) * limits[p, DENOMINATOR] > limits[p, NUMERATOR] * below(rows, tally, limits, p)

"""What is counted of a group for a limit, as a fraction of whole numbers: compiled into the loops that call it.

Merging whole groups must never make the fraction larger than the larger of the two: all searches rest on that.

A limit is a line (see `limits`): numerator, denominator, measure, from where to where its tallies stand, and what else
the measure needs. The two commonest measures are compared at once: this is what the searches ask most. All others are
asked of `vector_kernels`. A further measure is a name in `MEASURES` and a branch there; whatever is compiled with these
must be compiled anew then.
"""

from __future__ import annotations

from discreet.common.compiled import helper
from discreet.method.base.vector_kernels import (
    DENOMINATOR,
    DIFFERENT,
    DISTANCE,
    ENTROPY,
    FIRST,
    MAPPED,
    MEASURE,
    NUMERATOR,
    OWN,
    PART,
    PRESENT,
    RECURSIVE,
    RELATIVE,
    SCALE,
    STOP,
    broken,
    figured,
)

ROWS = 0
"""One person among the rows of the group: 1 / rows."""
SHARE = 1
"""The rows with a property among those of which it is known: hits / rows."""
MEASURES = {
    "rows": ROWS,
    "share": SHARE,
    "different": DIFFERENT,
    "part": PART,
    "mapped": MAPPED,
    "present": PRESENT,
    "recursive": RECURSIVE,
    "distance": DISTANCE,
    "relative": RELATIVE,
    "entropy": ENTROPY,
}
"""What promises call them."""


@helper
def figure_of(rows, tally, limits, p):  # type: ignore[no-untyped-def]
    """Return the figure of a group with so many rows and these tallies: above and below the line. O(tallies)."""
    if limits[p, MEASURE] == ROWS:
        over = 1 if rows > 0 else 0
        under = rows
    elif limits[p, MEASURE] == SHARE:
        over = tally[limits[p, FIRST]]
        under = rows
    else:
        over, under = figured(rows, tally, limits, p)
    return over, under


@helper
def passes(rows, tally, limits, p):  # type: ignore[no-untyped-def]
    """Whether the figure of a group is above its limit. O(tallies)."""
    measure = limits[p, MEASURE]
    if measure == ROWS:
        found = rows > 0 and limits[p, DENOMINATOR] > limits[p, NUMERATOR] * rows
    elif measure == SHARE:
        found = tally[limits[p, FIRST]] * limits[p, DENOMINATOR] > limits[p, NUMERATOR] * rows
    else:
        found = broken(rows, tally, limits, p)
    return found


__all__ = [
    "DENOMINATOR",
    "FIRST",
    "MEASURE",
    "MEASURES",
    "NUMERATOR",
    "OWN",
    "ROWS",
    "SCALE",
    "SHARE",
    "STOP",
    "figure_of",
    "passes",
]

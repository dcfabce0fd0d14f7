"""Limits on groups as methods see them: numbers, and what they are compared with.

The compiled loops take the limits of a table as lines of whole numbers (`lines_of`); what a line means is in
`measure_kernels`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.encoded import Ints

LINE = 5
"""Numbers in a line: numerator, denominator, measure, and from where to where its tallies stand."""


@dataclass(frozen=True)
class GroupLimit:
    """What no group of a table may pass: its measure of the group's rows and of some of the tallies."""

    promise: int
    """Which promise it belongs to, by number: the method's answers name promises so."""
    at_most: Fraction
    measure: str
    """What is counted: see `measure_kernels`."""
    first: int
    stop: int
    """Where the tallies that it counts begin and end."""
    needs_rows: int
    """How many rows a group cannot keep it without, where all of them count."""
    figure: Callable[[Ints, Ints], tuple[Ints, Ints]]
    """From rows and tallies (second axis) of groups to their figures: above and below the line."""
    lacking: Callable[[Ints, Ints, int], Ints]
    """How many more rows each group needs at least; the last argument where none would help."""
    lacking_by_lot: Callable[[int, Ints, int, Ints, int], int]
    """About how many rows a group needs if they are drawn evenly from others; see `GroupPromise`."""
    helping: Callable[[Ints, Ints], Ints]
    """How many of some rows may help a group that breaks the limit."""

    def own(self, tallies: Ints) -> Ints:
        """Return the tallies (first axis) that it counts."""
        return tallies[self.first : self.stop]

    def figures(self, rows: Ints, tallies: Ints) -> list[Fraction]:
        """Return the figure of each group, exactly."""
        above, below = self.figure(rows, self.own(tallies))
        return [Fraction(a, b) for a, b in zip(above.tolist(), below.tolist(), strict=True)]


def largest_below(share: Fraction, rows: int) -> Fraction:
    """Return the largest fraction with a denominator of at most `rows` that is not above `share`.

    A share of at most `rows` rows is within `share` exactly when it is within this one, so that comparisons
    stay within 64 bits whatever threshold the owner wrote.

    >>> largest_below(Fraction("0.333333333333"), 100)
    Fraction(33, 100)
    """
    if share.denominator <= rows:
        return share
    # The convergents of the continued fraction end in the two neighbours of `share` (as in limit_denominator).
    p0, q0, p1, q1 = 0, 1, 1, 0
    n, d = share.numerator, share.denominator
    while True:
        a = n // d
        if q0 + a * q1 > rows:
            break
        p0, q0, p1, q1 = p1, q1, p0 + a * p1, q0 + a * q1
        n, d = d, n - a * d
    k = (rows - q0) // q1
    return min(Fraction(p0 + k * p1, q0 + k * q1), Fraction(p1, q1))


def lines_of(
    limits: Sequence[GroupLimit], total: int, at_most: Sequence[Fraction] | None = None, first: int = 0
) -> Ints:
    """Return limits as the compiled loops take them; `first` is where the tallies of their table begin among others."""
    from discreet.method.base.measure_kernels import MEASURES  # compiled: only loaded when needed

    lines = np.empty((len(limits), LINE), dtype=np.int64)
    for line, limit, most in zip(lines, limits, at_most or [limit.at_most for limit in limits], strict=True):
        near = largest_below(most, total)
        line[:] = near.numerator, near.denominator, MEASURES[limit.measure], first + limit.first, first + limit.stop
    return lines

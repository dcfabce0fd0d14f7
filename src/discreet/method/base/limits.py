"""Limits on groups as methods see them: numbers, and what they are compared with.

The compiled loops take the limits of a table as lines of whole numbers (`lines_of`); what a line means is in
`measure_kernels`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.common.compiled import need_all
from discreet.common.shares import largest_below
from discreet.encoded import Ints

__all__ = ["LINE", "GroupLimit", "largest_below", "lines_of", "stacked"]

LINE = 5
"""Numbers in a line: numerator, denominator, measure, and from where to where its tallies stand; others may follow."""


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
    numbers: Callable[[Fraction, int], Sequence[int] | Ints | None]
    """What else the measure needs to know, for a limit and so many rows in all; None if nothing."""
    decides: bool
    """Whether the measure knows by itself what breaks the limit: then the line has 1/1."""
    people: int = 0
    """How many people there are, where they stand below the line of its figures."""

    def own(self, tallies: Ints) -> Ints:
        """Return the tallies (first axis) that it counts."""
        return tallies[self.first : self.stop]

    def figures(self, rows: Ints, tallies: Ints) -> list[Fraction]:
        """Return the figure of each group, exactly."""
        above, below = self.figure(rows, self.own(tallies))
        return [Fraction(a, b) for a, b in zip(above.tolist(), below.tolist(), strict=True)]


def lines_of(
    limits: Sequence[GroupLimit], total: int, at_most: Sequence[Fraction] | None = None, first: int = 0
) -> Ints:
    """Return limits as the compiled loops take them; `first` is where the tallies of their table begin among others."""
    from discreet.method.base.measure_kernels import MEASURES, ROWS, SHARE  # compiled: only loaded when needed

    if any(MEASURES[limit.measure] not in (ROWS, SHARE) for limit in limits):
        need_all()

    all_most = list(at_most or [limit.at_most for limit in limits])
    more = [limit.numbers(most, total) for limit, most in zip(limits, all_most, strict=True)]
    lines = np.zeros((len(limits), LINE + max((len(own) for own in more if own is not None), default=0)), np.int64)
    for line, limit, most, own in zip(lines, limits, all_most, more, strict=True):
        near = Fraction(1) if limit.decides else largest_below(most, max(total, limit.people))
        stands = first + limit.first, first + limit.stop
        line[:LINE] = near.numerator, near.denominator, MEASURES[limit.measure], *stands
        if own is not None:
            line[LINE : LINE + len(own)] = own
    return lines


def stacked(lines: Sequence[Ints]) -> Ints:
    """Return the lines of several tables one after the other, all as wide as the widest."""
    widest = max((each.shape[1] for each in lines), default=LINE)
    found = [np.zeros((0, widest), dtype=np.int64)]
    found += [np.pad(each, ((0, 0), (0, widest - each.shape[1]))) for each in lines]
    return np.concatenate(found)

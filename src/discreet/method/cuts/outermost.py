"""Outermost intervals of which a cut keeps no row: they are hidden, so that nobody learns where they begin.

They get the text of hidden cells, all the same. If there is only one, that puts nothing together that was apart, and
its rows are left out either way; so it is where only one interval is told, which then has a text of its own. Where
several are hidden and their rows together would not all be left out, another cut says what is really told: those on
either side are one interval; if they are already, the ones above are told as a part of the interval below them.

So what is told is always that of a cut whose hidden intervals have no row that is kept, found by making it coarser.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.base.problem import CutProblem
from discreet.method.cuts.evaluation_kernels import kept_reach

Cut = tuple[npt.NDArray[np.int64], ...]
Flags = npt.NDArray[np.bool_]


class Inner(NamedTuple):
    """The intervals of a column that are told: from the lowest to the highest one of which rows are kept."""

    place: int
    first: int
    """The first code that is a number."""
    low: int
    """Where the lowest one begins."""
    last: int
    """Where the highest one begins."""
    stop: int
    """Where it stops."""

    def hidden(self, cut: Cut) -> int:
        """Return how many intervals are hidden."""
        return _parts(cut[self.place][self.first : self.low]) + _parts(cut[self.place][self.stop :])

    def sides(self, cut: Cut) -> Iterator[slice]:
        """Yield what becomes one interval: those below, those above, or those above with the one below them."""
        firsts = cut[self.place]
        yield slice(self.first, self.low)
        one_on_each = self.hidden(cut) == 2 and self.low > self.first and self.stop < len(firsts)
        yield slice(self.last if one_on_each else self.stop, len(firsts))


class Outermost:
    """Finds out what is told of cuts."""

    def __init__(self, problem: CutProblem) -> None:
        self.codes = problem.codes
        self.firsts = np.full(len(problem.columns), -1, dtype=np.int64)
        """The first code of each column that is a number; -1 for columns without intervals."""
        for place, column in enumerate(problem.columns):
            for node in column.space.nodes:
                if node.interval:
                    self.firsts[place] = node.first
        self.places = np.flatnonzero(self.firsts >= 0)
        orders = [np.argsort(self.codes[place], kind="stable").astype(np.int32) for place in self.places]
        self.order = np.stack(orders) if orders else np.zeros((0, self.codes.shape[1]), dtype=np.int32)
        """The rows by their codes in each of these."""
        self.low, self.high = np.empty_like(self.firsts), np.empty_like(self.firsts)

    def coarser(self, cut: Cut, left_out: Flags, left_out_together: Callable[[list[Inner]], Flags]) -> Cut | None:
        """Return a cut that says more truly what is told than this one, which leaves out these rows; None for none.

        `left_out_together` says which rows are left out when all hidden ones of a column are put together.
        """
        several = [inner for inner in self._inner(cut, left_out) if inner.hidden(cut) > 1]
        if not several or np.array_equal(left_out_together(several), left_out):
            return None
        return _merged(cut, [(inner.place, side) for inner in several for side in inner.sides(cut)])

    def _inner(self, cut: Cut, left_out: Flags) -> list[Inner]:
        """Return the intervals that are told of each column with some that are not."""
        kept_reach(self.codes, self.order, self.places, self.firsts, left_out, self.low, self.high)
        found = []
        for place in self.places.tolist():
            firsts, first = cut[place], int(self.firsts[place])
            if firsts[first] != first or self.high[place] < 0:  # not even told from missing values, or none is kept
                continue
            low, last = int(firsts[self.low[place]]), int(firsts[self.high[place]])
            stop = int(np.searchsorted(firsts, last, side="right"))
            if low > first or stop < len(firsts):
                found.append(Inner(place, first, low, last, stop))
        return found


def _parts(firsts: npt.NDArray[np.int64]) -> int:
    return 0 if not len(firsts) else 1 + int(np.count_nonzero(firsts[1:] != firsts[:-1]))


def _merged(cut: Cut, stretches: list[tuple[int, slice]]) -> Cut:
    """Return a cut with these stretches of codes of some columns as one interval each."""
    columns = list(cut)
    for place, stretch in stretches:
        columns[place] = columns[place].copy()
        columns[place][stretch] = stretch.start
    return tuple(columns)


def together(numbers: Ints, offsets: Ints, hidden: list[Inner]) -> Ints:
    """Return the numbers of parts with those below and above the told intervals of each column as one part."""
    numbers = numbers.copy()
    for inner in hidden:
        own = numbers[offsets[inner.place] : offsets[inner.place + 1]]
        one = own[inner.first] if inner.low > inner.first else own[-1]
        own[inner.first : inner.low] = one
        own[inner.stop :] = one
    return numbers

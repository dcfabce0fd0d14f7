"""Products of many ratios of whole numbers, compared exactly.

Each product is kept as a float between 1/2 and 1, a power of two, and its factors. Multiplying and dividing round
correctly, so a float after n operations is off by a factor of at most (1 + 2**-53)**n, and 0 only if a factor is 0
(a power of two taken out is exact). Floats that differ by more decide; the others are compared as whole numbers.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from discreet.adversary.base import Floats, Guesses, normalised
from discreet.adversary.view import Flags
from discreet.encoded import Ints

_LARGEST = 2**53
"""Whole numbers below are floats exactly."""


class Products:
    """A table of products, all 1 at first."""

    def __init__(self, lines: int, values: int) -> None:
        self._shape = (lines, values)
        self._part: Floats = np.ones(self._shape)
        self._power = np.zeros(self._shape, dtype=np.int64)
        self._factors: list[tuple[Ints, Ints]] = []

    def times(self, above: npt.ArrayLike, below: npt.ArrayLike) -> None:
        """Multiply by above / below, whole numbers that are not negative; where below is 0 the product becomes 0."""
        top, bottom = np.asarray(above, dtype=np.int64), np.asarray(below, dtype=np.int64)
        if max(int(top.max(initial=0)), int(bottom.max(initial=0))) >= _LARGEST:
            raise OverflowError("a count is too large")
        top, bottom = np.where(bottom == 0, 0, top), np.where(bottom == 0, 1, bottom)
        part, power = np.frexp(self._part * top / bottom)
        self._part, self._power = part, self._power + power
        self._factors.append((top, bottom))

    def scaled(self, among: Flags) -> Floats:
        """Return the products of some candidates, each line by a common factor of its own; the others as 0."""
        counts = among & (self._part > 0)
        highest = np.where(counts, self._power, np.iinfo(np.int64).min).max(axis=1, keepdims=True)
        shift = np.where(counts, self._power - highest, 0)
        scaled: Floats = np.where(counts, np.ldexp(self._part, np.maximum(shift, -2000).astype(np.int32)), 0.0)
        return scaled

    def best(self, among: Flags) -> Flags:
        """Say which of some candidates no other of its line exceeds, exactly."""
        scaled = self.scaled(among)
        top = scaled.max(axis=1, initial=0.0, keepdims=True)
        margin = 4 * (2 * len(self._factors) + 4) * 2.0**-53
        best: Flags = np.where(top > 0, scaled >= top * (1 - margin), among) & among
        close = np.flatnonzero((top[:, 0] > 0) & (best.sum(axis=1) > 1))
        for line in close.tolist():
            self._decide(line, best)
        return best

    def guesses(self, values: tuple[str | None, ...], among: Flags) -> Guesses:
        """Return what lines are taken for whose candidates have these products.

        Where there is one candidate only the cell itself tells, and nothing is left to weigh.
        """
        single = among.sum(axis=1, keepdims=True) == 1
        weights = np.where(single, among.astype(np.float64), normalised(self.scaled(among)))
        return Guesses(values, weights, self.best(among))

    def _decide(self, line: int, best: Flags) -> None:
        """Keep the largest of the close candidates of a line, compared as whole numbers."""
        places = np.flatnonzero(best[line]).tolist()
        ratios = [self.exact(line, value) for value in places]
        above, below = ratios[0]
        for one, other in ratios[1:]:
            if one * below > above * other:
                above, below = one, other
        best[line, places] = [one * below == above * other for one, other in ratios]

    def exact(self, line: int, value: int) -> tuple[int, int]:
        """Return one product as two whole numbers, above and below the line."""
        factors = [
            (
                int(np.broadcast_to(top, self._shape)[line, value]),
                int(np.broadcast_to(bottom, self._shape)[line, value]),
            )
            for top, bottom in self._factors
        ]
        return math.prod(top for top, _ in factors), math.prod(bottom for _, bottom in factors)

"""What the reference `kernel` knows: all rows of the rest, each weighed by how many of the told facts it differs in.

A row weighs a quarter for each fact in which it differs, so that weights are multiples of the smallest one. Sums are
exact: as floats while they fit, as whole numbers always.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.method.cells.blind_columns import Ints
from discreet.method.cells.blind_judging_kernels import BILLION, ERROR, BlindNear

Apart = npt.NDArray[np.int16]
"""Of each row of the rest the facts in which it differs."""
LESS = 4
"""A row weighs one of so many parts for each fact in which it differs."""
EXACT_BITS = 53
NOTHING = BlindNear(np.zeros((1, 1)), np.zeros(1), np.zeros((1, 1)), np.zeros(1), 0.0)


class WeighedRows(NamedTuple):
    """The weights of all rows, as whole numbers of `1 / scale`."""

    weights: Any
    """By element and value; whole numbers of any size."""
    total: Any
    """By value."""
    scale: int

    def with_fact(self, covered: list[int]) -> tuple[Any, int]:
        """Return the weights by value with one fact more, of which these elements agree, and their scale."""
        close = self.weights[covered].sum(axis=0)
        return LESS * close + (self.total - close), LESS * self.scale


@dataclass(frozen=True, eq=False)
class NearRows:
    """The rows of the rest, as they are counted: the cells of each predictor and the values of each secret."""

    cells: npt.NDArray[Any]
    """By predictor and row: the place of its element among those of all predictors, times all values."""
    values: npt.NDArray[np.int32]
    """By secret and row; -1 where it is not known."""
    secret: Ints
    """Where the values of each secret begin, and where the last ends."""
    elements: int

    def near(self, apart: tuple[Apart, Apart], facts: tuple[int, int]) -> BlindNear:
        """Return the weights in both readings, with how far figures may be from the exact ones."""
        readings = [self._floats(apart[0])]
        readings.append(readings[0] if apart[1] is apart[0] else self._floats(apart[1]))
        rows, values = self.cells.shape[1], int(self.secret[-1])
        error = ERROR * (values + 8.0)
        if np.log2(rows + 1) + 2 * (max(facts) + 1) >= EXACT_BITS:
            error += BILLION * 2.3e-16 * 4.0 * rows
        return BlindNear(*readings[0], *readings[1], error)

    def _floats(self, apart: Apart) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        values = int(self.secret[-1])
        row_weights = np.power(1.0 / LESS, apart)
        weights, total = np.zeros(self.elements * values), np.zeros(values)
        for value, start in zip(self.values, self.secret.tolist(), strict=False):
            known = np.flatnonzero(value >= 0)
            mine = row_weights[known]
            total += np.bincount(value[known] + start, weights=mine, minlength=values)
            for line in self.cells:
                weights += np.bincount(line[known] + value[known] + start, weights=mine, minlength=len(weights))
        return weights.reshape(self.elements, values), total

    def exactly(self, apart: Apart, facts: int) -> WeighedRows:
        """Return the weights as whole numbers."""
        values = int(self.secret[-1])
        weights: Any = np.zeros((self.elements, values), dtype=object)
        total: Any = np.zeros(values, dtype=object)
        for far in np.unique(apart).tolist():
            times = LESS ** (facts - far)
            for value, start in zip(self.values, self.secret.tolist(), strict=False):
                known = np.flatnonzero((value >= 0) & (apart == far))
                total += np.bincount(value[known] + start, minlength=values).astype(object) * times
                found = np.zeros(self.elements * values, dtype=np.int64)
                for line in self.cells:
                    found += np.bincount(line[known] + value[known] + start, minlength=len(found))
                weights += found.reshape(self.elements, values).astype(object) * times
        return WeighedRows(weights, total, LESS**facts)

"""Winnow for several classes: weights that double and halve, learned online, row by row.

Littlestone's Winnow (1988) as a learner in the form of scikit-learn. Each class has a weight for each number of a row
(none is negative), all 1 at first; the class whose weighted sum is largest is the guess. Where it is wrong, or no
better than another, the weights of the true class double and those of the other halve, at the numbers that are not 0.
The rows come in an order that is drawn once, some times over; a last number that is always 1 stands for what holds of
all rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.adversary.base import Floats
from discreet.encoded import Ints

PASSES = 3
_LARGEST = 2.0**40


class Winnow:
    """A learner: `fit` on a sparse matrix and classes, then `predict_proba`."""

    def __init__(self, seed: int = 0, passes: int = PASSES) -> None:
        self.seed, self.passes = seed, passes
        self.classes_: Ints = np.empty(0, dtype=np.int64)
        self._weights: Floats = np.empty((0, 0))

    def fit(self, numbers: Any, classes: Ints) -> Winnow:
        """Learn from rows, as often as it is said or until no guess is wrong."""
        self.classes_, true = np.unique(classes, return_inverse=True)
        weights = np.ones((len(self.classes_), numbers.shape[1] + 1))
        classes_of = true.tolist()
        order = np.random.default_rng(self.seed).permutation(numbers.shape[0])
        starts, columns, values = _with_one(numbers)
        for _ in range(self.passes):
            wrong = 0
            for row in order.tolist():
                here = slice(starts[row], starts[row + 1])
                places = columns[here]
                scores = weights[:, places] @ values[here]
                right = classes_of[row]
                own, scores[right] = scores[right], -1.0
                other = int(scores.argmax())
                if own > scores[other]:
                    continue
                wrong += 1
                weights[right, places] = np.minimum(weights[right, places] * 2, _LARGEST)
                weights[other, places] = np.maximum(weights[other, places] / 2, 1 / _LARGEST)
            if not wrong:
                break
        self._weights = weights
        return self

    def predict_proba(self, numbers: Any) -> Floats:
        """Return the shares of the weighted sums: in their order, no more than that."""
        sums = numbers @ self._weights[:, :-1].T + self._weights[:, -1]
        return np.asarray(sums / sums.sum(axis=1, keepdims=True))


def _with_one(numbers: Any) -> tuple[list[int], Ints, Floats]:
    """Return where the numbers of each row begin, their places and they themselves, with the 1 behind each row."""
    rows, width = numbers.shape
    at = np.asarray(numbers.indptr[1:], dtype=np.int64)
    columns = np.insert(numbers.indices.astype(np.int64), at, width)
    return [0, *(at + np.arange(1, rows + 1)).tolist()], columns, np.insert(numbers.data, at, 1.0)

"""A random forest of scikit-learn, its trees grown without what is asked and copied for each of a hundred of them.

On a small table that takes longer than growing them. The trees are those of `RandomForestClassifier`: drawn alike.

This goes by names inside scikit-learn: it is done for versions with which it was tried, and left with any other.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.adversary.base import Floats
from discreet.common.own_program import learners
from discreet.encoded import Ints

TRIED = {("1", "9")}
"""Versions of scikit-learn with which this was tried."""
_MOST_NUMBERS = 2_000_000
"""Of a table that is looked at with all its zeros, which is quicker."""
_SEEDS = np.iinfo(np.int32).max


def random_forest(seed: int, trees: int = 100, least: int = 1) -> Any:
    """Return a forest that tells classes, with at least so many rows in a leaf."""
    if tuple(learners("sklearn").__version__.split(".")[:2]) in TRIED:
        return QuickForest(seed, trees, least)
    return learners("sklearn.ensemble").RandomForestClassifier(
        n_estimators=trees, min_samples_leaf=least, random_state=seed
    )


class QuickForest:
    """A forest, as a learner of scikit-learn."""

    classes_: Ints

    def __init__(self, seed: int, trees: int, least: int) -> None:
        self.seed, self.trees, self.least = seed, trees, least
        self._grown: list[Any] = []

    def fit(self, numbers: Any, classes: Ints) -> QuickForest:
        """Grow the trees, each on rows that are drawn with replacement."""
        grower = learners("sklearn.tree._tree")
        parts = learners("sklearn.tree._classes")
        rows, width = numbers.shape
        known = numbers.astype(np.float32).tocsc() if _is_wide(numbers) else _dense(numbers)
        if hasattr(known, "sort_indices"):
            known.sort_indices()
        self.classes_, codes = np.unique(classes, return_inverse=True)
        wanted = np.ascontiguousarray(codes.reshape(-1, 1), dtype=np.float64)
        sizes = np.array([len(self.classes_)], dtype=np.intp)
        tried = max(1, int(np.sqrt(width)))
        splitters = parts.SPARSE_SPLITTERS if _is_wide(numbers) else parts.DENSE_SPLITTERS
        draws, drawing = np.random.RandomState(self.seed), np.random.RandomState(self.seed)
        self._grown = []
        for _ in range(self.trees):
            seed = draws.randint(_SEEDS)
            drawing.seed(seed)  # making a generator takes ten times as long as giving it another seed
            drawn = drawing.randint(0, rows, rows, dtype=np.int32)
            drawing.seed(seed)
            weights = np.bincount(drawn, minlength=rows).astype(np.float64)
            gini = parts.CRITERIA_CLF["gini"](1, sizes)
            splitter = splitters["best"](gini, tried, self.least, 0.0, drawing, None)
            tree = grower.Tree(width, sizes, 1)
            builder = grower.DepthFirstTreeBuilder(
                splitter, max(2, 2 * self.least), self.least, 0.0, np.iinfo(np.int32).max, 0.0
            )
            builder.build(tree, known, wanted, weights, None)
            self._grown.append(tree)
        return self

    def predict_proba(self, numbers: Any) -> Floats:
        """Return what the trees find probable, on average."""
        known = numbers.astype(np.float32).tocsr() if _is_wide(numbers) else _dense(numbers)
        found = np.zeros((numbers.shape[0], len(self.classes_)))
        for tree in self._grown:
            found += tree.predict(known)[:, : len(self.classes_)]
        return found / len(self._grown)

    def predict(self, numbers: Any) -> Any:
        """Return the most probable class of each row."""
        return self.classes_[self.predict_proba(numbers).argmax(axis=1)]


def _is_wide(numbers: Any) -> bool:
    """Whether a table (a sparse one) is too large to be looked at with all its zeros."""
    rows, width = numbers.shape
    return bool(rows * width > _MOST_NUMBERS)


def _dense(numbers: Any) -> Any:
    return np.ascontiguousarray(numbers.toarray(), dtype=np.float32)

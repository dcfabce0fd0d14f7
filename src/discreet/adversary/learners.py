"""Learners of scikit-learn as adversaries, with its own defaults where nothing is said here.

Each value of a predictor is one number, 1 or 0; an unknown value is all 0; a group of the taxonomy is shared evenly by
its values. A decision tree is given columns of numbers and dates as they are, one number a cell, and asks for
thresholds; what is unknown is then below all numbers (`view.numbers_of`). At most 50,000 rows train (drawn with a fixed
seed), for gradient boosting fewer where predictors have many values: 2,000,000 numbers. Not exact: floats decide, and
candidates whose probabilities differ by less than a billionth count as equally probable.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from discreet.adversary.base import Floats, Guesses, normalised
from discreet.adversary.forest import random_forest
from discreet.adversary.view import UNKNOWN, Lines, Seen, Tree, View
from discreet.adversary.winnow import Winnow
from discreet.common.own_program import learners, load_learners
from discreet.encoded import Ints
from discreet.errors import InputError

MOST_ROWS = 50_000
_MOST_NUMBERS = 2_000_000
"""Of a table for a learner that takes no sparse ones, and is slow."""
QUICK_FROM, QUICK_TREES, QUICK_ROUNDS, QUICK_PASSES = 2_000, 40, 15, 5
"""In a quick audit, where more rows than that train: trees of a forest, rounds of boosting, passes of a network."""
NEAR = 1e-9
"""Probabilities that differ by a smaller part count as equal."""
_SEED = 0
_DENSE = ("gradient_boosting",)
BY_THRESHOLD = ("decision_tree",)
"""Learners that ask of numbers whether they are above a threshold."""


@dataclass(frozen=True)
class LibraryGuesser:
    """A learner of scikit-learn by the name it has in a policy."""

    name: str
    most: int = MOST_ROWS
    """Rows that train it."""

    def train(self, view: View) -> TrainedLearner:
        """Keep the rows; a learner is trained for each group that classes are told by, when it is asked for."""
        if self.name not in LEARNERS:
            raise ValueError(f"unknown learner {self.name!r}")
        if not load_learners():
            raise InputError(f"against: {self.name} needs scikit-learn; install discreet[attacks]")
        return TrainedLearner(view, self.name, self.most)


@dataclass(frozen=True)
class TrainedLearner:
    """A learner beside the rows it is trained on."""

    view: View
    name: str
    most: int = MOST_ROWS
    _models: dict[int, Callable[[Any], Floats]] = field(default_factory=dict)

    def guess(self, lines: Lines) -> Guesses:
        """Return what the cells with these lines are taken for."""
        tree = self.view.classes.tree
        distinct, which = lines.distinct()
        among = tree.covers(distinct.levels)
        weights = np.where(among.sum(axis=1, keepdims=True) == 1, among.astype(np.float64), 0.0)
        for level in np.unique(distinct.levels).tolist():
            here = np.flatnonzero(distinct.levels == level)
            if among[here[0]].sum() > 1:
                weights[here] = self._model(level)(self.encoded(distinct.nodes[here]))
        weights = normalised(np.where(among, weights, 0.0))
        best = among & (weights >= weights.max(axis=1, keepdims=True) * (1 - NEAR))
        return Guesses(tree.domain, weights[which], best[which])

    def _model(self, level: int) -> Callable[[Any], Floats]:
        """Return what gives lines the probabilities of all values of the domain."""
        if level not in self._models:
            self._models[level] = self._trained(level)
        return self._models[level]

    def _trained(self, level: int) -> Callable[[Any], Floats]:
        leaves = self.view.classes.tree.leaf_of[self.view.classes.nodes]
        rows, values = self.training(level), len(self.view.classes.tree.domain)
        return fitted(self.name, self.encoded(self.view.lines(rows).nodes), leaves[rows], values)

    def training(self, level: int) -> Ints:
        """Return the rows that train a learner for the classes below a node."""
        classes = self.view.classes
        leaves = classes.tree.leaf_of[classes.nodes]
        below = (classes.tree.first[level] <= leaves) & (leaves < classes.tree.stop[level])
        return self._some(np.flatnonzero(below & (leaves >= 0)))

    def _some(self, rows: Ints) -> Ints:
        """Return the rows that train: all, or as many as there is time for."""
        width = sum(len(seen.tree.domain) for seen in self.view.predictors)
        most = min(self.most, max(1, _MOST_NUMBERS // max(width, 1))) if self.name in _DENSE else self.most
        if len(rows) <= most:
            return rows
        return np.sort(np.random.default_rng(_SEED).choice(rows, most, replace=False))

    def encoded(self, nodes: Ints) -> Any:
        """Return lines as numbers: a column for each value of each predictor, or one for a predictor of numbers."""
        from scipy import sparse

        if not self.view.predictors:
            return sparse.csr_matrix((len(nodes), 0))
        parts = [
            _values_of(seen.tree)[nodes[:, place]]
            if (numbers := self.numbers(seen)) is None
            else sparse.csr_matrix(numbers[nodes[:, place], np.newaxis])
            for place, seen in enumerate(self.view.predictors)
        ]
        return sparse.hstack(parts, format="csr")

    def numbers(self, seen: Seen) -> Floats | None:
        """Return the number of each node of a predictor that is given as it is; None where each value is a column."""
        return seen.numbers if self.name in BY_THRESHOLD else None


def fitted(name: str, numbers: Any, classes: Ints, values: int, *, quick: bool = False) -> Callable[[Any], Floats]:
    """Train a learner on rows (a sparse matrix) and their classes; return what gives rows the probabilities of all.

    Where there is only one class, it is certain; where there is no number to learn from (no column has any value),
    classes are as probable as they are frequent. `quick`: with fewer trees, where they would take long.
    """
    if len(np.unique(classes)) < 2 or not numbers.shape[1]:
        shares = np.bincount(classes, minlength=values) / max(len(classes), 1)
        return lambda encoded: np.tile(shares, (encoded.shape[0], 1))
    learner = LEARNERS[name](len(classes))
    if quick and len(classes) > QUICK_FROM:
        grow_less(name, learner)
    as_taken = _splitting(numbers, learner.min_samples_leaf) if name in _DENSE else lambda encoded: encoded
    if name in _DENSE:  # its tables are as wide as the bins it may use: as many as there are numbers do as well
        learner.max_bins = min(learner.max_bins, max(2, len(np.unique(numbers.data)) + 1))
    with quietly():
        learner.fit(as_taken(numbers), classes)

    def probabilities(encoded: Any) -> Floats:
        found = np.zeros((encoded.shape[0], values))
        with quietly():
            found[:, learner.classes_] = _probabilities(learner, as_taken(encoded))
        return found

    return probabilities


def _splitting(numbers: Any, least: int) -> Callable[[Any], Any]:
    """Return what makes dense rows of those columns by which a tree with so many rows in each leaf can split at all.

    Where fewer rows than that have another number than the commonest one, no threshold leaves enough rows on both
    sides, in no part of the rows either. Of a column with hundreds of values hardly any number is left, and the trees
    are the same.
    """
    columns = numbers.tocsc()
    ends = columns.indptr
    rows = numbers.shape[0]
    others = np.empty(numbers.shape[1], dtype=np.int64)
    for place in range(numbers.shape[1]):
        told = columns.data[ends[place] : ends[place + 1]]
        told = told[told != 0]
        often = np.unique(told, return_counts=True)[1].max(initial=0)
        others[place] = rows - max(int(often), rows - len(told))
    kept = np.flatnonzero(others >= least)
    if not len(kept):  # nothing to split by: the shares of the classes are learned all the same
        return lambda encoded: np.zeros((encoded.shape[0], 1))
    return lambda encoded: encoded[:, kept].toarray()


def grow_less(name: str, learner: Any) -> None:
    """Let a learner of trees grow fewer (boosting learns as much more in each round), and one that learns row by row
    see them less often.
    """
    if name == "random_forest":
        size = "trees" if hasattr(learner, "trees") else "n_estimators"
        setattr(learner, size, min(getattr(learner, size), QUICK_TREES))
    elif name == "gradient_boosting" and learner.max_iter > QUICK_ROUNDS:
        learner.learning_rate *= learner.max_iter / QUICK_ROUNDS
        learner.max_iter = QUICK_ROUNDS
    elif name == "multilayer_perceptron":
        learner.max_iter = min(learner.max_iter, QUICK_PASSES)
    elif name == "winnow":
        learner.passes = 1


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """Run a learner without its warnings (that it did not converge changes nothing here), and on one core.

    Where others work as well, its threads would wait for each other longer than they work. What it is given is known to
    be right: on a small table looking at it takes longer than learning.
    """
    load_learners()
    from sklearn import config_context

    unasked = config_context(assume_finite=True, skip_parameter_validation=True)
    with warnings.catch_warnings(), _threads(len(sys.modules)).limit(limits=1), unasked:
        warnings.simplefilter("ignore")
        yield


@lru_cache(maxsize=1)
def _threads(modules: int) -> Any:
    """Return what limits the threads of libraries: they are looked for again only where more modules are loaded."""
    from threadpoolctl import ThreadpoolController

    del modules
    return ThreadpoolController()


def _values_of(tree: Tree) -> Any:
    """Return a line for each node: evenly shared by the values below it; nothing for the root."""
    from scipy import sparse

    size = np.where(np.arange(len(tree.parent)) == UNKNOWN, 0, tree.stop - tree.first)
    ends = np.append(0, np.cumsum(size))
    values = np.arange(ends[-1]) - np.repeat(ends[:-1] - tree.first, size)
    shares = np.repeat(1.0 / np.maximum(size, 1), size)
    return sparse.csr_matrix((shares, values, ends), shape=(len(size), len(tree.domain)))


def _logistic_regression(rows: int) -> Any:
    del rows
    return learners("sklearn.linear_model").LogisticRegression(max_iter=200, random_state=_SEED)


def _linear_svm(rows: int) -> Any:
    del rows
    return learners("sklearn.svm").LinearSVC(random_state=_SEED)


def _probabilities(learner: Any, encoded: Any) -> Floats:
    """Return the probabilities that a learner gives; from scores, where it has no others, some in their order."""
    if hasattr(learner, "predict_proba"):
        return np.asarray(learner.predict_proba(encoded))
    scores = np.asarray(learner.decision_function(encoded))
    if scores.ndim == 1:  # two classes: one score, for the second
        scores = np.column_stack([-scores, scores]) / 2
    likely = np.exp(scores - scores.max(axis=1, keepdims=True))
    return normalised(likely)


def _random_forest(rows: int) -> Any:
    del rows
    return random_forest(_SEED)


def _gradient_boosting(rows: int) -> Any:
    del rows
    return learners("sklearn.ensemble").HistGradientBoostingClassifier(
        max_iter=30, early_stopping=False, random_state=_SEED
    )


def _k_nearest(rows: int) -> Any:
    return learners("sklearn.neighbors").KNeighborsClassifier(n_neighbors=min(5, rows))


def _decision_tree(rows: int) -> Any:
    del rows
    return learners("sklearn.tree").DecisionTreeClassifier(random_state=_SEED)


def _perceptron(rows: int) -> Any:
    del rows
    return learners("sklearn.linear_model").Perceptron(max_iter=50, random_state=_SEED)


def _multilayer_perceptron(rows: int) -> Any:
    return learners("sklearn.neural_network").MLPClassifier(
        hidden_layer_sizes=(16,), learning_rate_init=0.01, batch_size=min(100, rows), max_iter=20, random_state=_SEED
    )


def _winnow(rows: int) -> Any:
    del rows
    return Winnow(_SEED)


LEARNERS: dict[str, Callable[[int], Any]] = {
    "logistic_regression": _logistic_regression,
    "linear_svm": _linear_svm,
    "random_forest": _random_forest,
    "gradient_boosting": _gradient_boosting,
    "k_nearest": _k_nearest,
    "decision_tree": _decision_tree,
    "perceptron": _perceptron,
    "multilayer_perceptron": _multilayer_perceptron,
    "winnow": _winnow,
}
"""How each learner of a policy is made, for so many rows."""

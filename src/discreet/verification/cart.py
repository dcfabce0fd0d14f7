"""CART retrained on the release: which cells a decision tree of scikit-learn guesses, on numbers that are read here.

What the adversary is (`adversary/learners.py`) is said once more: rows whose class is told as one of the values that a
cell can have train, in their order; of more than 50,000 so many are drawn with seed 0. Columns come in the order of the
predictors, for scikit-learn draws by it. How released texts become numbers is read by verification's own readers, and
so is what the leaves say.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import fsum
from typing import Any

import numpy as np

from discreet.adversary.base import Guesses
from discreet.adversary.view import Lines, Seen, Tree, View
from discreet.common.own_program import learners, load_learners
from discreet.encoded import Ints
from discreet.errors import InputError
from discreet.policy import Policy
from discreet.policy.adversaries import Adversary
from discreet.verification.value_texts import kind_of

_NAME = "decision_tree"
_EQUAL = 1e-9
"""Shares of a leaf that differ by a smaller part are the same."""
_TRAIN = 50_000
"""Rows that train at most."""


def is_cart(adversary: Adversary) -> bool:
    """Whether an adversary is the decision tree of scikit-learn."""
    return adversary.name == _NAME


@dataclass(frozen=True)
class RetrainedCart:
    """A decision tree that is trained on a release as it is seen."""

    view: View
    policy: Policy
    _grown: dict[int, tuple[np.ndarray, Any]] = field(default_factory=dict)

    def guess(self, lines: Lines) -> Guesses:
        """Return what the cells with these lines are taken for, by the share of each class in the leaf."""
        if not load_learners():
            raise InputError(f"against: {_NAME} needs scikit-learn; install discreet[attacks]")
        tree = self.view.classes.tree
        shares, best = (
            np.zeros((len(lines), len(tree.domain))),
            np.zeros((len(lines), len(tree.domain)), dtype=np.bool_),
        )
        for level in sorted(set(lines.levels.tolist())):
            here, inside = np.flatnonzero(lines.levels == level), slice(int(tree.first[level]), int(tree.stop[level]))
            told = self._told(level, lines.nodes[here])[:, inside]
            told = told / np.maximum(told.sum(axis=1, keepdims=True), 1e-300)
            shares[here, inside] = told
            best[here, inside] = told >= told.max(axis=1, keepdims=True) * (1 - _EQUAL)
        return Guesses(tree.domain, shares, best)

    def _told(self, level: int, nodes: Ints) -> np.ndarray:
        """Return the share of each class in the leaf that each line comes to."""
        tree = self.view.classes.tree
        if level not in self._grown:
            self._grown[level] = self._grow(level)
        shares, learner = self._grown[level]
        found = np.tile(shares, (len(nodes), 1))
        if learner is not None:
            found[:, learner.classes_] = learner.predict_proba(self._numbers(nodes))
        elif tree.stop[level] - tree.first[level] == 1:
            found[:, int(tree.first[level])] = 1
        return found

    def _grow(self, level: int) -> tuple[np.ndarray, Any]:
        """Return the share of each class in the rows that train, and their tree; None where it asks nothing."""
        tree, told = self.view.classes.tree, self.view.classes.nodes
        values = np.where(np.isin(np.arange(len(tree.parent)), tree.parent), -1, tree.first)[told]
        rows = np.flatnonzero((values >= tree.first[level]) & (values < tree.stop[level]))
        if len(rows) > _TRAIN:
            rows = np.sort(np.random.default_rng(0).choice(rows, _TRAIN, replace=False))
        classes = values[rows]
        shares = np.bincount(classes, minlength=len(tree.domain)) / max(len(rows), 1)
        if len(set(classes.tolist())) < 2 or not self.view.predictors:
            return shares, None
        numbers = self._numbers(np.column_stack([seen.nodes[rows] for seen in self.view.predictors]))
        if not numbers.shape[1]:  # no predictor has any value
            return shares, None
        learner = learners("sklearn.tree").DecisionTreeClassifier(random_state=0)
        return np.zeros(len(tree.domain)), learner.fit(numbers, classes)

    def _numbers(self, nodes: Ints) -> Any:
        from scipy import sparse

        parts = [self._read(seen)[nodes[:, place]] for place, seen in enumerate(self.view.predictors)]
        return sparse.hstack(parts, format="csr")

    def _read(self, seen: Seen) -> Any:
        """Return a line of numbers for each node of a predictor."""
        from scipy import sparse

        values = self._values(seen)
        if values is None:
            return _shares(seen.tree)
        lowest, highest = min(values), max(values)
        numbers = [lowest - (highest - lowest) - 1.0]  # what is unknown: below all
        for first, stop in zip(seen.tree.first[1:].tolist(), seen.tree.stop[1:].tolist(), strict=True):
            numbers.append(fsum(values[first:stop]) / (stop - first))
        return sparse.csr_matrix(np.array(numbers)[:, np.newaxis])

    def _values(self, seen: Seen) -> list[float] | None:
        """Return the values of a column of numbers or days; None where one of them is none, or too large."""
        column = self.policy.column(seen.name)
        if column.scale is None:
            return None
        read = [None if text is None else kind_of(column).value(text) for text in seen.tree.domain]
        values = [float(value) for value in read if value is not None and abs(value) < Fraction(2) ** 125]
        return values if values and len(values) == len(read) else None


def _shares(tree: Tree) -> Any:
    """Return for each node how much of each value it is: a group is shared evenly by its values."""
    from scipy import sparse

    at = [(node, value) for node in range(1, len(tree.parent)) for value in range(tree.first[node], tree.stop[node])]
    shares = [1.0 / int(tree.stop[node] - tree.first[node]) for node, _ in at]
    places = np.array(at, dtype=np.int64).reshape(-1, 2)
    return sparse.csr_matrix((shares, (places[:, 0], places[:, 1])), shape=(len(tree.parent), len(tree.domain)))

"""The branches of a decision tree of scikit-learn (CART), told by released values: what HID3 must know to stop a walk.

CART asks whether one number is above a threshold. The numbers are those that learners are given: the number or day of a
column of such, and of each value of another predictor the share that a released text has in it (`learners.py`). So the
side that a text goes to is known for each value, for each group and for what is unknown. The tree is trained as that of
the adversary is, on the same rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from discreet.adversary.base import Floats
from discreet.adversary.learners import LEARNERS, NEAR, LibraryGuesser, TrainedLearner, quietly
from discreet.adversary.view import UNKNOWN, Flags, Tree, View
from discreet.encoded import Ints

LEAF = -1
NAME = "decision_tree"


@dataclass(frozen=True)
class CartBranches:
    """A tree: node 0 is the root; an inner node asks a predictor (by its place)."""

    predictor: Ints
    """`LEAF` at leaves."""
    at: Ints
    child: Ints
    """For each inner node, from `at` on, the child for each node of the predictor's values."""
    best: Flags
    """The classes of which none is likelier at each node (nodes x values of the domain)."""


def branches(view: View, level: int) -> CartBranches:
    """Return the tree of the rows with a known class below a node, for the values below it."""
    trained = LibraryGuesser(NAME).train(view)
    among = view.classes.tree.covers(np.array([level], dtype=np.int64))
    rows = trained.training(level)
    leaves = view.classes.tree.leaf_of[view.classes.nodes[rows]]
    numbers = trained.encoded(view.lines(rows).nodes)
    if len(np.unique(leaves)) < 2 or not numbers.shape[1] or among.sum() == 1:
        shares = np.bincount(leaves, minlength=among.shape[1])[None, :].astype(np.float64)
        nothing = np.empty(0, dtype=np.int64)
        alone = np.full(1, LEAF, dtype=np.int64)
        return CartBranches(alone, np.zeros(1, dtype=np.int64), nothing, _best(shares, among))
    return _told(trained, numbers, leaves, among)


def _told(trained: TrainedLearner, encoded: Any, leaves: Ints, among: Flags) -> CartBranches:
    """Train a tree and tell its branches by the nodes of the predictors' values."""
    view = trained.view
    learner = LEARNERS[NAME](len(leaves))
    with quietly():
        learner.fit(encoded, leaves)
    tree = learner.tree_
    numbers = [trained.numbers(seen) for seen in view.predictors]
    sizes = [len(seen.tree.domain) if own is None else 1 for seen, own in zip(view.predictors, numbers, strict=True)]
    firsts = np.append(0, np.cumsum(sizes)).astype(np.int64)
    inner = tree.feature >= 0
    predictor = np.where(inner, np.searchsorted(firsts, tree.feature, side="right") - 1, LEAF).astype(np.int64)
    width = np.array([len(seen.tree.parent) for seen in view.predictors], dtype=np.int64)
    ends = np.cumsum(np.where(inner, width[predictor], 0))
    child = np.empty(int(ends[-1]), dtype=np.int64)
    at = ends - np.where(inner, width[predictor], 0)
    for node in np.flatnonzero(inner).tolist():
        place = int(predictor[node])
        asked = numbers[place]
        if asked is None:
            asked = _shares(view.predictors[place].tree, int(tree.feature[node] - firsts[place]))
        above = asked.astype(np.float32).astype(np.float64) > tree.threshold[node]  # as exactly as the tree reads them
        sides = np.where(above, tree.children_right[node], tree.children_left[node])
        child[at[node] : at[node] + len(sides)] = sides
    weights = np.zeros((len(inner), among.shape[1]))
    weights[:, learner.classes_] = tree.value[:, 0, :]
    return CartBranches(predictor, at.astype(np.int64), child, _best(weights, among))


def _shares(tree: Tree, value: int) -> Floats:
    """Return the number that each node of a predictor has for a value."""
    covers = (tree.first <= value) & (value < tree.stop)
    covers[UNKNOWN] = False
    return np.where(covers, 1.0 / np.maximum(tree.stop - tree.first, 1), 0.0)


def _best(weights: Floats, among: Flags) -> Flags:
    """Say which classes are the likeliest at each node, as `TrainedLearner` does."""
    weights = np.where(among, weights, 0.0)
    best: Flags = among & (weights >= weights.max(axis=1, keepdims=True) * (1 - NEAR))
    return best

"""Naive Bayes: p(v) times the product of p(x|v) over the predictors, by exact counts of the released rows.

Three meanings of unknown values (and, with `spread`, of taxonomy groups), as in Hintoglu's thesis: `count` (chapter 3):
rows with an unknown x count in n(v), the denominator of p(x|v); `drop`: they do not; `spread` (chapter 4): what is
known only roughly is spread over the values below as the rest lies, uniformly where there is nothing; rows whose class
is told roughly count in the frequency of the classes below, not in n(v,x). A predictor unknown in the row itself is
left out. Where the row's own x is a group and nothing is spread, n(v,x) counts the rows at or below it.

Exact: which candidate is best is decided by whole numbers wherever floats are too close.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.adversary.base import Guesses, guess_in_parts
from discreet.adversary.products import Products
from discreet.adversary.view import UNKNOWN, Lines, Seen, View
from discreet.encoded import Ints


@dataclass(frozen=True)
class NaiveBayesGuesser:
    """Naive Bayes with its options, as `NaiveBayes` of a policy with nothing left unsaid."""

    nulls: str = "count"
    laplace: Fraction = Fraction(0)

    @property
    def name(self) -> str:
        """What it is called in a policy."""
        return "naive_bayes"

    def train(self, view: View) -> TrainedBayes:
        """Learn from the rows of a release."""
        return TrainedBayes(view, self)


@dataclass(frozen=True)
class TrainedBayes:
    """Naive Bayes beside the rows it counts."""

    view: View
    options: NaiveBayesGuesser

    def guess(self, lines: Lines) -> Guesses:
        """Return what the cells with these lines are taken for."""
        domain = self.view.classes.tree.domain
        return guess_in_parts(self._guess, lines, domain, len(domain) * self._factors())

    def _factors(self) -> int:
        if self.options.nulls != "spread":
            return 1 + len(self.view.predictors)
        classes = 2 + int(self.view.classes.tree.depth.max())
        return classes + sum(classes + 1 + int(seen.tree.depth.max()) for seen in self.view.predictors)

    def _guess(self, lines: Lines) -> Guesses:
        tree = self.view.classes.tree
        among = tree.covers(lines.levels)
        products = Products(*among.shape)
        if self.options.nulls == "spread":
            self._multiply_spread(products, lines)
        else:
            self._multiply_counted(products, lines)
        return products.guesses(tree.domain, among)

    def _joint(self, seen: Seen, columns: Ints, size: int) -> Ints:
        """Count training rows by class and by the column that `columns` gives their node; -1 for none."""
        values = len(self.view.classes.tree.domain)
        place = columns[seen.nodes[self.view.training]]
        inside = place >= 0
        key = self.view.training_classes[inside] * size + place[inside]
        return np.bincount(key, minlength=values * size).reshape(values, size).astype(np.int64)

    def _multiply_counted(self, products: Products, lines: Lines) -> None:
        """Multiply by n(v)/N and by n(v,x)/n(v) for each known predictor."""
        domain = self.view.classes.tree.domain
        add, scale = self.options.laplace.numerator, self.options.laplace.denominator
        rows = np.bincount(self.view.training_classes, minlength=len(domain)).astype(np.int64)
        products.times(rows * scale + add, rows.sum() * scale + add * len(domain))
        for place, seen in enumerate(self.view.predictors):
            nodes, which = np.unique(lines.nodes[:, place], return_inverse=True)
            joint = self._rows_with(seen, nodes).T[which]
            among = rows if self.options.nulls == "count" else self._known(seen)
            known = lines.nodes[:, place, None] != UNKNOWN
            above = joint * scale + add
            below = among[None, :] * scale + add * len(seen.tree.domain)
            products.times(np.where(known, above, 1), np.where(known, below, 1))

    def _rows_with(self, seen: Seen, nodes: Ints) -> Ints:
        """Count training rows by class, at or below each of some nodes of a predictor."""
        tree = seen.tree
        if (tree.leaf_of[nodes] < 0)[nodes != UNKNOWN].any():
            return tree.summed(self._joint(seen, np.arange(len(tree.parent)), len(tree.parent)))[:, nodes]
        columns = np.full(len(tree.parent), -1, dtype=np.int64)
        columns[nodes] = np.arange(len(nodes))
        return self._joint(seen, columns, len(nodes))

    def _known(self, seen: Seen) -> Ints:
        """Count training rows of each class with a known value of a predictor."""
        domain = self.view.classes.tree.domain
        known = seen.nodes[self.view.training] != UNKNOWN
        return np.bincount(self.view.training_classes[known], minlength=len(domain)).astype(np.int64)

    def _multiply_spread(self, products: Products, lines: Lines) -> None:
        """Multiply by the spread frequency of the class and by the spread counts of the predictors over it."""
        frequency = self._frequency(lines)
        rows = frequency[0][0]
        products.times(1, rows)
        for above, below in frequency:
            products.times(above, below)
        for place, seen in enumerate(self.view.predictors):
            known = lines.nodes[:, place, None] != UNKNOWN
            for above, below in self._spread(seen, lines.nodes[:, place]):
                products.times(np.where(known, above, 1), np.where(known, below, 1))
            for above, below in frequency:
                products.times(np.where(known, below, 1), np.where(known, above, 1))

    def _frequency(self, lines: Lines) -> list[tuple[Ints, Ints]]:
        """Return the estimated number of rows of each class, as factors: those at or below its level, spread down."""
        seen, tree = self.view.classes, self.view.classes.tree
        own = np.bincount(seen.nodes, minlength=len(tree.parent)).astype(np.int64)
        total = tree.summed(own)
        leaves = np.flatnonzero(tree.leaf_of >= 0)
        leaves = leaves[np.argsort(tree.leaf_of[leaves])]
        levels, which = np.unique(lines.levels, return_inverse=True)
        among = tree.covers(levels)
        rows = np.where(among, (total[levels] - 1)[:, None], 0)  # the row itself is one of those at its level
        factors = [(rows[which], np.ones(1, dtype=np.int64))]
        top = np.repeat(levels, len(leaves))
        below = np.where(among.reshape(-1), np.tile(leaves, len(levels)), top)
        paths = tree.paths(below, top)
        for step in range(paths.shape[1]):
            share = _shares(tree.parent, tree.children, total, total - own, paths[:, step])
            factors.append((share[0].reshape(among.shape)[which], share[1].reshape(among.shape)[which]))
        return factors

    def _spread(self, seen: Seen, nodes: Ints) -> list[tuple[Ints, Ints]]:
        """Return the estimated number of rows of each class with a predictor's value, as factors."""
        tree = seen.tree
        own = self._joint(seen, np.arange(len(tree.parent)), len(tree.parent))
        total = tree.summed(own)
        wanted, which = np.unique(nodes, return_inverse=True)
        paths = tree.paths(wanted)
        factors = [(total[None, :, 0], np.ones(1, dtype=np.int64))]
        for step in range(paths.shape[1]):
            above, below = _shares(tree.parent, tree.children, total, total - own, paths[:, step])
            factors.append((above.T[which], below.T[which]))
        return factors


def _shares(parent: Ints, children: Ints, total: Ints, inside: Ints, nodes: Ints) -> tuple[Ints, Ints]:
    """Return which part of its parent's count falls to each node (on the last axis; -1: all of it).

    `total` counts what is at a node or below, `inside` only what is below: the rest is spread as that lies.
    """
    above = parent[nodes]
    counted = inside[..., above]
    top = np.where(counted > 0, total[..., nodes], 1)
    bottom = np.where(counted > 0, counted, children[above])
    return np.where(nodes < 0, 1, top), np.where(nodes < 0, 1, bottom)

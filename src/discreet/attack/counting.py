"""Naive Bayes in floats, for guesses about tables that are not there: with cells put back where they were hidden.

The counts are those of `adversary.naive_bayes`, with the same three meanings of unknown values. Rows may count in
parts (a hidden class is several values with weights), and what was hidden of a column may be put back for a hypothesis
about one cell without counting the rows again. No promise rests on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from discreet.adversary.base import Floats
from discreet.adversary.naive_bayes import NaiveBayesGuesser
from discreet.adversary.view import UNKNOWN, Flags, Lines, Tree, View
from discreet.encoded import Ints

_NOTHING = 1e-12
"""Less than this is nothing but rounding."""


@dataclass(frozen=True)
class Moved:
    """Cells to be put back in one predictor: of each class and node, how many, and which part to the line's value.

    `hidden` are the changed cells (nodes x classes); `values` weighs what they may have been (nodes x classes, with
    all that is below added in `below`).
    """

    hidden: Floats
    values: Floats
    below: Floats

    def part(self, at: Ints, nodes: Ints, less: Floats, more: float) -> Floats:
        """Return how many cells at some nodes go to the lines' own nodes (lines x classes).

        `less` is what the line itself weighs; `more` what it weighs if the class is its own.
        """
        top = np.maximum(self.values[nodes] - less, 0.0) + more
        bottom = np.maximum(self.below[at] - less, 0.0) + more
        share = np.divide(top, bottom, out=np.zeros_like(top), where=bottom > _NOTHING)
        moved: Floats = self.hidden[at] * np.minimum(share, 1.0)
        return moved


class ClassCounts:
    """The rows of a release counted by class and by each predictor.

    Parameters
    ----------
    view, options
        The release, and how naive Bayes reckons.
    rows, parts
        Rows without a class that count in parts, and how much for each class (rows x classes).
    """

    def __init__(
        self, view: View, options: NaiveBayesGuesser, rows: Ints | None = None, parts: Floats | None = None
    ) -> None:
        self.view, self.options = view, options
        self.laplace = float(options.laplace)
        classes = view.classes.tree.leaf_of[view.classes.nodes]
        self._training = np.flatnonzero(classes >= 0)
        self._classes = classes[self._training]
        self.values = len(view.classes.tree.domain)
        self.rows: Floats = np.bincount(self._classes, minlength=self.values).astype(np.float64)
        self.own = [self.by_node(place, self._training) for place in range(len(view.predictors))]
        if rows is not None and parts is not None:
            self.rows = self.rows + parts.sum(axis=0)
            for place, seen in enumerate(view.predictors):
                np.add.at(self.own[place], seen.nodes[rows], parts)
        self.total = [summed(seen.tree, own) for seen, own in zip(view.predictors, self.own, strict=True)]

    def by_node(self, place: int, rows: Ints) -> Floats:
        """Count rows with a class by the node of a predictor and by class."""
        seen = self.view.predictors[place]
        classes = self.view.classes.tree.leaf_of[self.view.classes.nodes[rows]]
        size = len(seen.tree.parent) * self.values
        counts = np.bincount(seen.nodes[rows].astype(np.int64) * self.values + classes, minlength=size)
        return counts.reshape(-1, self.values).astype(np.float64)

    def changed(self, changed: Flags) -> list[Floats]:
        """Count the changed cells of rows with a class, by predictor, node and class."""
        return [
            self.by_node(place, self._training[changed[self._training, place]])
            for place in range(len(self.view.predictors))
        ]

    def scores(
        self, lines: Lines, less: Floats | float = 0.0, moved: Sequence[Moved] | None = None, more: float = 0.0,
        weigh: Floats | float = 0.0,
    ) -> Floats:  # fmt: skip
        """Return the logarithm of what each value weighs for each line (lines x values).

        `less` is what the line's own row counts for each class; `moved` says what is put back.
        """
        rows = np.maximum(np.broadcast_to(self.rows - less, (len(lines), self.values)), 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.log(rows + self.laplace)
            for place, seen in enumerate(self.view.predictors):
                nodes = lines.nodes[:, place]
                asked = np.flatnonzero(nodes != UNKNOWN)
                cut = less[asked] if isinstance(less, np.ndarray) else less
                mine = weigh[asked] if isinstance(weigh, np.ndarray) else weigh
                part = None if moved is None else moved[place]
                found[asked] += self._factor(seen.tree, place, nodes[asked], rows[asked], cut, part, more, mine)
        scores: Floats = np.where(self.view.classes.tree.covers(lines.levels), found, -np.inf)
        return scores

    def _factor(
        self, tree: Tree, place: int, nodes: Ints, rows: Floats, less: Floats | float, moved: Moved | None, more: float,
        weigh: Floats | float,
    ) -> Floats:  # fmt: skip
        """Return log p(x|v) for the nodes of one predictor."""
        paths = np.column_stack([np.zeros_like(nodes), tree.paths(nodes)])  # from the root to the node itself
        back = np.zeros((paths.shape[1], len(nodes), self.values))
        if moved is not None:
            for step in range(paths.shape[1]):
                above = (paths[:, step] >= 0) & (paths[:, step] != nodes)
                at, of = paths[above, step], nodes[above]
                mine = weigh[above] if isinstance(weigh, np.ndarray) else np.full((len(at), self.values), weigh)
                back[step, above] = moved.part(at, of, mine, more)
        if self.options.nulls == "spread":
            estimate = self._spread(tree, place, paths, back, less)
            return _log(estimate, rows)
        estimate = self.total[place][nodes] - less + back.sum(axis=0)
        below = rows
        if self.options.nulls == "drop":
            below = rows - self.own[place][UNKNOWN] + back[0]
        return _log(estimate + self.laplace, below + self.laplace * len(tree.domain))

    def _spread(self, tree: Tree, place: int, paths: Ints, back: Floats, less: Floats | float) -> Floats:
        """Return how many rows of each class have a value, where what is told roughly is spread as the rest lies."""
        own, total = self.own[place], self.total[place]
        estimate: Floats = np.maximum(np.broadcast_to(total[UNKNOWN] - less, back.shape[1:]), 0.0).copy()
        gained = np.zeros(back.shape[1:])
        for step in range(1, paths.shape[1]):
            going = paths[:, step] >= 0
            above, at, put_back = paths[going, step - 1], paths[going, step], back[step - 1, going]
            cut = less[going] if isinstance(less, np.ndarray) else less
            inside = total[above] - cut + gained[going] - (own[above] - put_back)
            gained[going] += put_back
            evenly = np.broadcast_to(1.0 / tree.children[above][:, None], inside.shape).copy()
            part = np.divide(total[at] - cut + gained[going], inside, out=evenly, where=inside > _NOTHING)
            estimate[going] *= np.clip(part, 0.0, 1.0)
        return estimate


def summed(tree: Tree, counts: Floats) -> Floats:
    """Return counts by node (and class) with those of all nodes below added to each."""
    total = counts.copy()
    for level in range(int(tree.depth.max(initial=0)), 0, -1):
        nodes = np.flatnonzero(tree.depth == level)
        np.add.at(total, tree.parent[nodes], total[nodes])
    return total


def shares(scores: Floats) -> Floats:
    """Return weights that sum to 1 from their logarithms; all 0 where every value is impossible."""
    top = scores.max(axis=1, initial=-np.inf, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
    total = weights.sum(axis=1, keepdims=True)
    found: Floats = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return found


def _log(above: Floats, below: Floats) -> Floats:
    """Return the logarithm of a quotient; of nothing it is minus infinity."""
    some = (above > _NOTHING) & (below > _NOTHING)
    found = np.full(np.broadcast_shapes(above.shape, below.shape), -np.inf)
    np.log(np.divide(above, below, out=np.ones_like(found), where=some), out=found, where=some)
    return found

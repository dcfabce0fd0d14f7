"""A Bayesian network: naive Bayes in which each predictor may depend on one other besides the class (a tree).

Tree-augmented naive Bayes of Friedman, Geiger and Goldszmidt (1997), on the released rows with a known class. Which
predictor depends on which: the tree with the largest sum of mutual information given the class, counted in the rows
where both are known, over all rows; pairs that tell nothing of each other are not joined; ties go to the first columns.
The probability of a value x given the value p of the other and the class v is

    (n(v,p,x) + 5 n(x)/n) / (n(v,p) + 5),

which is theirs, too: five rows that look like all rows; n counts the rows in which x's column is known. Where the other
is unknown in the row, (n(v,x) + 5 n(x)/n) / (n(v) + 5). A predictor that is unknown in the row itself, or has a value
there that nobody else has, is left out. A group of a taxonomy counts the rows at or below it.

Counts decide exactly which candidate is best; which tree it is, floats rounded to nine digits.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.adversary.base import Guesses, guess_in_parts
from discreet.adversary.products import Products
from discreet.adversary.view import UNKNOWN, Lines, Seen, View
from discreet.encoded import Ints, occurring

LIKE_ALL = 5
"""Rows that look like all rows, which are added to those that are counted."""
_DIGITS = 9


@dataclass(frozen=True)
class NetworkGuesser:
    """Tree-augmented naive Bayes."""

    name: str = "bayesian_network"

    def train(self, view: View) -> TrainedNetwork:
        """Learn from the rows of a release."""
        return TrainedNetwork(view)


@dataclass(frozen=True)
class TrainedNetwork:
    """The network beside the rows it counts."""

    view: View

    def guess(self, lines: Lines) -> Guesses:
        """Return what the cells with these lines are taken for."""
        domain = self.view.classes.tree.domain
        return guess_in_parts(self._guess, lines, domain, len(domain) * (1 + len(self.view.predictors)))

    @cached_property
    def depends_on(self) -> tuple[int, ...]:
        """The predictor on which each depends; -1 for none."""
        told = [seen.nodes[self.view.training].astype(np.int64) for seen in self.view.predictors]
        edges = [
            (-round(self._told_of_each_other(told[one], told[other]), _DIGITS), one, other)
            for other in range(len(told))
            for one in range(other)
        ]
        return _directed(len(told), [(one, other) for gain, one, other in sorted(edges) if gain < 0])

    def _told_of_each_other(self, one: Ints, other: Ints) -> float:
        """Return the mutual information of two predictors given the class, over all training rows."""
        both = (one != UNKNOWN) & (other != UNKNOWN)
        if not both.any():
            return 0.0
        classes = self.view.training_classes[both]
        first, second = one[both], other[both]
        width, height = int(first.max()) + 1, int(second.max()) + 1
        left = classes * width + first
        keys, rows = occurring(left * height + second)
        both_left, right = keys // height, keys // (width * height) * height + keys % height
        mine, lefts, rights = (_sums(rows, key) for key in (keys // (width * height), both_left, right))
        gain = rows * np.log(rows * mine / (lefts * rights.astype(np.float64)))
        return float(gain.sum()) / len(self.view.training)

    def _guess(self, lines: Lines) -> Guesses:
        tree = self.view.classes.tree
        among = tree.covers(lines.levels)
        products = Products(*among.shape)
        products.times(self._rows, max(1, len(self.view.training)))
        for place in range(len(self.view.predictors)):
            self._multiply(products, lines.nodes, place)
        return products.guesses(tree.domain, among)

    def _multiply(self, products: Products, asked: Ints, place: int) -> None:
        """Multiply by the probability of a predictor's value, given the one it depends on where that is known."""
        seen, training = self.view.predictors[place], self.view.training
        own, which = _places(seen, training, asked[:, place])
        mine = self._counted((own, which))
        everywhere = mine.sum(axis=1, keepdims=True)
        known = seen.nodes[training] != UNKNOWN
        rows = int(known.sum())
        beside = np.bincount(self.view.training_classes[known], minlength=len(self._rows))[None, :]
        above = self.depends_on[place]
        if above >= 0:
            theirs, at = _places(self.view.predictors[above], training, asked[:, above])
            both = self._counted((theirs, at), (own, which))
            with_it = self._counted(([np.where(known, step, -1) for step in theirs], at))
            is_told = asked[:, above, None] != UNKNOWN
            mine, beside = np.where(is_told, both, mine), np.where(is_told, with_it, beside)
        counts = (asked[:, place, None] != UNKNOWN) & (everywhere > 0)
        top = mine * rows + LIKE_ALL * everywhere
        bottom = (beside + LIKE_ALL) * max(rows, 1)
        products.times(np.where(counts, top, 1), np.where(counts, bottom, 1))

    def _counted(self, *parts: tuple[list[Ints], Ints]) -> Ints:
        """Count training rows by class for each line: those that stand at its node of each predictor of `parts`."""
        asked = np.column_stack([which for _, which in parts])
        distinct, line = np.unique(asked, axis=0, return_inverse=True)
        width = int(asked.max(initial=0)) + 1
        keys = _key(distinct.T, width)
        counts = np.zeros((len(distinct), len(self._rows)), dtype=np.int64)
        for steps in itertools.product(*(places for places, _ in parts)):
            here = np.flatnonzero(np.logical_and.reduce([step >= 0 for step in steps]))
            key = _key([step[here] for step in steps], width)
            place = np.minimum(np.searchsorted(keys, key), len(keys) - 1)
            hit = keys[place] == key
            flat = place[hit] * len(self._rows) + self.view.training_classes[here[hit]]
            counts += np.bincount(flat, minlength=counts.size).reshape(counts.shape)
        return counts[line.reshape(-1)]

    @cached_property
    def _rows(self) -> Ints:
        """How many training rows each class has."""
        return np.bincount(self.view.training_classes, minlength=len(self.view.classes.tree.domain)).astype(np.int64)


def _key(places: Iterable[Ints], width: int) -> Ints:
    """Return places of several predictors as one number, in their order."""
    key = np.zeros(1, dtype=np.int64)
    for place in places:
        key = key * width + place
    return key


def _sums(rows: Ints, keys: Ints) -> Ints:
    """Return for each number of rows the sum of all that have the same key."""
    different, which = np.unique(keys, return_inverse=True)
    # Sums of whole numbers below 2^53 are exact here.
    sums = np.bincount(which.reshape(-1), weights=rows, minlength=len(different)).astype(np.int64)
    return sums[which.reshape(-1)]


def _directed(size: int, edges: list[tuple[int, int]]) -> tuple[int, ...]:
    """Return the tree of the first edges that close no circle, each part of it seen from its first predictor."""
    part = list(range(size))
    beside: list[list[int]] = [[] for _ in range(size)]
    for one, other in edges:
        if part[one] != part[other]:
            gone = part[other]
            part = [part[one] if number == gone else number for number in part]
            beside[one].append(other)
            beside[other].append(one)
    above = [-1] * size
    reached: set[int] = set()
    for start in range(size):
        waiting = [] if start in reached else [start]
        while waiting:
            place = waiting.pop()
            reached.add(place)
            for next_place in beside[place]:
                if next_place not in reached:
                    above[next_place] = place
                    waiting.append(next_place)
    return tuple(above)


def _places(seen: Seen, training: Ints, asked: Ints) -> tuple[list[Ints], Ints]:
    """Return at which of the nodes that lines have each training row stands, and which of these each line has.

    A row stands at its own node and at the groups above it (a step each; -1 at none), not at the root, which tells
    nothing.
    """
    nodes, which = np.unique(asked, return_inverse=True)
    local = np.full(len(seen.tree.parent), -1, dtype=np.int64)
    local[nodes] = np.arange(len(nodes))
    paths = seen.tree.paths(seen.nodes[training].astype(np.int64))
    return [np.where(step >= 0, local[step], -1) for step in paths.T], which.reshape(-1)

"""An ID3 tree: split on the column that tells most about the class, until nothing is left to split on.

As in the thesis, with its open ends settled: rows with an unknown class do not train, nor does the row itself; a column
with fewer than two known values at a node is not split on; a split that gains nothing is made; ties of gain go to the
first predictor, ties of majority to the first value of the domain; an empty branch predicts what its parent would; an
unknown value (or a group of the taxonomy) is, in training and in prediction, the most common value that it can be at
that node; a class that is told roughly trains as the most common class that it can be or, with `leaves_out`, not at
all. Neither meaning is better than the other: a cell that either guesses is guessed (`make.readings`).

The nodes of a level are grown together, and only those that some line reaches. Exact: where two gains are near they are
compared as sums of n log n, by high precision unless their prime factors show that they are equal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext

import numpy as np

from discreet.adversary.base import Floats, Guesses
from discreet.adversary.view import UNKNOWN, Flags, Lines, View
from discreet.encoded import Ints, occurring

_LOG_ERROR = 64 * 2.0**-53
"""Far above the relative error of a product with a logarithm (a few units in the last place)."""


@dataclass(frozen=True)
class Id3Guesser:
    """An ID3 tree; `leaves_out`: rows whose class is told roughly do not train it."""

    leaves_out: bool = False

    @property
    def name(self) -> str:
        """What it is called in a policy."""
        return "id3"

    def train(self, view: View) -> TrainedId3:
        """Keep the rows; trees are grown where they are asked for."""
        return TrainedId3(view, self.leaves_out)


@dataclass(frozen=True)
class TrainedId3:
    """The rows that trees are grown from, one for each group that classes are told by."""

    view: View
    leaves_out: bool = False

    def guess(self, lines: Lines) -> Guesses:
        """Return what the cells with these lines are taken for: one value each."""
        tree = self.view.classes.tree
        weights = np.zeros((len(lines), len(tree.domain)))
        best = np.zeros((len(lines), len(tree.domain)), dtype=np.bool_)
        for here, without in self._of_one_tree(lines):
            level = int(lines.levels[here[0]])
            first, stop = int(tree.first[level]), int(tree.stop[level])
            if stop - first == 1:  # the cell itself tells
                weights[here, first], best[here, first] = 1.0, True
                continue
            distinct, which = lines.at(here).distinct()
            training = self._training(first, stop, without)
            growing = _Growing(self.view, stop - first, training, distinct.nodes)
            growing.run()
            best[here, first + growing.predicted[which]] = True
            weights[here, first:stop] = growing.shares[which]
        return Guesses(tree.domain, weights, best)

    def _of_one_tree(self, lines: Lines) -> Iterator[tuple[Ints, int]]:
        """Yield which lines need the same tree, and the row that does not train it.

        A row whose class is not known at all trains no tree, so these rows share one. Of those whose class is known
        roughly, rows that are alike do; all of one level where none of them trains.
        """
        if self.leaves_out:
            yield from ((np.flatnonzero(lines.levels == level), -1) for level in np.unique(lines.levels))
            return
        hidden = lines.levels == UNKNOWN
        if hidden.any():
            yield np.flatnonzero(hidden), -1
        rough = np.flatnonzero(~hidden)
        if not len(rough):
            return
        own, tree_of = self.view.lines(lines.places[rough]).distinct()
        for number, place in enumerate(own.places.tolist()):
            yield rough[tree_of == number], place

    def _training(self, first: int, stop: int, without: int) -> tuple[Ints, Ints]:
        """Return the rows that train a tree for the classes `first` to `stop`, and their classes, from 0.

        A class that is told roughly is the most common one that it can be, unless such rows are left out.
        """
        tree, nodes = self.view.classes.tree, self.view.classes.nodes
        trains = (nodes != UNKNOWN) & (tree.first[nodes] >= first) & (tree.stop[nodes] <= stop)
        if self.leaves_out:
            trains &= tree.leaf_of[nodes] >= 0
        if without >= 0:
            trains[without] = False
        rows = np.flatnonzero(trains)
        labels = tree.leaf_of[nodes[rows]]
        rough = labels < 0
        if rough.any():
            known = _NodeCounts(labels[~rough], len(tree.domain))
            groups, at = nodes[rows[rough]], np.zeros(int(rough.sum()), dtype=np.int64)
            labels[rough] = known.commonest(at, tree.first[groups], tree.stop[groups])
        return rows, labels - first


class _Growing:
    """A tree for some classes, grown downwards from the rows that train it along the ways of some lines.

    Groups are the nodes of the tree that lines have reached; rows and lines each stand in one.
    """

    def __init__(self, view: View, classes: int, training: tuple[Ints, Ints], nodes: Ints) -> None:
        self.view, self.nodes, self.classes = view, nodes, classes
        self.rows, self.label = training
        self.group = np.zeros(len(self.rows), dtype=np.int64)
        self.lines = np.arange(len(nodes))
        self.line_group = np.zeros(len(nodes), dtype=np.int64)
        self.used = np.zeros((1, len(view.predictors)), dtype=np.bool_)
        self.predicted = np.zeros(len(nodes), dtype=np.int64)
        self.shares: Floats = np.zeros((len(nodes), self.classes))

    def run(self) -> None:
        """Grow until every line has come to a leaf."""
        while len(self.lines):
            self._one_level()

    def _one_level(self) -> None:
        counts = self._class_counts()
        columns = [
            _LevelColumn(self, place, np.flatnonzero(~self.used[:, place]))
            for place in range(len(self.view.predictors))
        ]
        chosen = _choose(columns, len(self.used), (counts > 0).sum(axis=1) <= 1)
        self._finish(chosen[self.line_group] < 0, counts)
        self._descend(chosen, columns, counts)

    def _class_counts(self) -> Ints:
        key = self.group * self.classes + self.label
        size = len(self.used) * self.classes
        return np.bincount(key, minlength=size).reshape(-1, self.classes).astype(np.int64)

    def _finish(self, done: Flags, counts: Ints) -> None:
        """Give the lines at leaves the majority there, and go on with the others."""
        lines, groups = self.lines[done], self.line_group[done]
        self._predict(lines, counts[groups])
        self.lines, self.line_group = self.lines[~done], self.line_group[~done]

    def _predict(self, lines: Ints, counts: Ints) -> None:
        self.predicted[lines] = counts.argmax(axis=1)
        total = counts.sum(axis=1, keepdims=True)
        self.shares[lines] = counts / np.maximum(total, 1)

    def _descend(self, chosen: Ints, columns: list[_LevelColumn], counts: Ints) -> None:
        """Send lines and rows down the branches of the chosen columns."""
        branch = np.full(len(self.rows), -1, dtype=np.int64)
        line_branch = np.full(len(self.lines), -1, dtype=np.int64)
        widest = max((column.size for column in columns), default=1)
        for place, column in enumerate(columns):
            here = chosen[self.group] == place
            branch[here] = column.filled(here)
            going = chosen[self.line_group] == place
            branches = column.branches(self.line_group[going], self.nodes[self.lines[going], place])
            line_branch[going] = branches
        keys = self.group * widest + branch
        line_keys = self.line_group * widest + line_branch
        lived = np.isin(line_keys, keys[branch >= 0])
        self._predict(self.lines[~lived], counts[self.line_group[~lived]])
        self.lines, line_keys = self.lines[lived], line_keys[lived]
        reached, self.line_group = np.unique(line_keys, return_inverse=True)
        parents = reached // widest
        self.used = self.used[parents].copy()
        self.used[np.arange(len(reached)), chosen[parents]] = True
        place_of = np.minimum(np.searchsorted(reached, keys), max(len(reached) - 1, 0))
        stays = (branch >= 0) & (reached[place_of] == keys) if len(reached) else np.zeros(len(keys), dtype=np.bool_)
        self.rows, self.label, self.group = self.rows[stays], self.label[stays], place_of[stays]


class _LevelColumn:
    """A predictor at all nodes of a level where it may still be split on."""

    def __init__(self, growing: _Growing, place: int, groups: Ints) -> None:
        self.seen = growing.view.predictors[place]
        self.size = max(len(self.seen.tree.domain), 1)  # nothing at all may be released of it
        self._growing = growing
        open_groups = np.zeros(len(growing.used), dtype=np.bool_)
        open_groups[groups] = True
        self.open = open_groups[growing.group]
        """The training rows at these nodes."""
        group, nodes = growing.group[self.open], self.seen.nodes[growing.rows[self.open]].astype(np.int64)
        leaves = self.seen.tree.leaf_of[nodes]
        known = _NodeCounts(group[leaves >= 0] * self.size + leaves[leaves >= 0], self.size)
        self.splittable = np.bincount(known.keys // self.size, minlength=len(growing.used)) > 1
        self._values = leaves.copy()
        rough = leaves < 0
        self._values[rough] = known.commonest(group[rough], *self._range(nodes[rough]))
        self.after = _NodeCounts(group * self.size + self._values, self.size)
        """Rows by node and branch, once unknown values are filled in."""
        self.label = growing.label[self.open]
        self.group = group

    def _range(self, nodes: Ints) -> tuple[Ints, Ints]:
        return self.seen.tree.first[nodes], self.seen.tree.stop[nodes]

    def filled(self, which: Flags) -> Ints:
        """Return the branch of some rows."""
        values = np.full(len(self.open), -1, dtype=np.int64)
        values[self.open] = self._values
        return values[which]

    def branches(self, groups: Ints, nodes: Ints) -> Ints:
        """Return the branch that lines with these nodes follow: their own, or the most common below a group."""
        leaves = self.seen.tree.leaf_of[nodes]
        return np.where(leaves >= 0, leaves, self.after.commonest(groups, *self._range(nodes)))

    def terms(self) -> tuple[Ints, Ints, Ints, Ints]:
        """Return the counts n (by node and branch) and m (by node, branch and class), each with its node."""
        key = (self.group * self.size + self._values) * self._growing.classes + self.label
        keys, counts = occurring(key)
        groups = keys // (self.size * self._growing.classes)
        return self.after.counts, self.after.keys // self.size, counts, groups


class _NodeCounts:
    """How often each value occurs at each node: keys are node x size + value, ascending."""

    def __init__(self, keys: Ints, size: int) -> None:
        self.size = size
        self.keys, self.counts = occurring(keys)

    def commonest(self, groups: Ints, first: Ints, stop: Ints) -> Ints:
        """Return the most common of the values `first` to `stop` at each node: ties, and none at all, to the first."""
        low = np.searchsorted(self.keys, groups * self.size + first)
        high = np.searchsorted(self.keys, groups * self.size + stop)
        result = first.copy()
        some = np.flatnonzero(low < high)
        if not len(some):
            return result
        total = len(self.keys)
        rank = self.counts * total + (total - 1 - np.arange(total))  # the larger count, then the earlier value
        ends = np.column_stack([low[some], high[some]]).reshape(-1)
        top = np.maximum.reduceat(np.append(rank, -1), ends)[::2]
        result[some] = self.keys[total - 1 - top % total] % self.size
        return result


def _choose(columns: list[_LevelColumn], groups: int, pure: Flags) -> Ints:
    """Return the column that each node is split on; -1 for a leaf."""
    chosen = np.full(groups, -1, dtype=np.int64)
    if not columns:
        return chosen
    disorder = np.full((groups, len(columns)), np.inf)
    doubt = np.zeros((groups, len(columns)))
    terms = [column.terms() for column in columns]
    for place, (column, (n, at, m, below)) in enumerate(zip(columns, terms, strict=True)):
        above, under = _sums(n, at, groups), _sums(m, below, groups)
        usable = column.splittable & ~pure
        sure = np.bincount(at, minlength=groups) == np.bincount(below, minlength=groups)  # each branch has one class
        disorder[usable, place] = np.where(sure, 0.0, above - under)[usable]
        number = np.bincount(below, minlength=groups) + np.bincount(at, minlength=groups)
        doubt[:, place] = np.where(sure, 0.0, (number * 2.0**-52 + _LOG_ERROR) * (above + under))
    least = (disorder + doubt).min(axis=1, keepdims=True)
    close = np.isfinite(disorder) & (disorder - doubt <= least)
    splits = np.flatnonzero(close.any(axis=1))
    chosen[splits] = close[splits].argmax(axis=1)
    certain = ((disorder == 0) & (doubt == 0) & close).argmax(axis=1)  # nothing is below 0: the first of them
    has_certain = ((disorder == 0) & (doubt == 0) & close).any(axis=1)
    chosen[has_certain] = certain[has_certain]
    unsure = np.flatnonzero((close.sum(axis=1) > 1) & ~has_certain)
    if len(unsure):
        slices = [_Slices(*term) for term in terms]
        for group in unsure.tolist():
            places = np.flatnonzero(close[group]).tolist()
            chosen[group] = _least_disorder({place: slices[place].of(group) for place in places})
    return chosen


def _sums(counts: Ints, groups: Ints, size: int) -> Floats:
    """Return the sum of n log n over the counts of each node."""
    size_of = counts.astype(np.float64)
    terms = size_of * np.log2(size_of)
    return np.bincount(groups, weights=terms, minlength=size).astype(np.float64)


class _Slices:
    """The terms of one column by node."""

    def __init__(self, n: Ints, at: Ints, m: Ints, below: Ints) -> None:
        self._n, self._at, self._m, self._below = n, at, m, below

    def of(self, group: int) -> Counter[int]:
        """Return how often each n log n is added (or, below 0, taken away) at a node."""
        terms: Counter[int] = Counter()
        for counts, groups, sign in ((self._n, self._at, 1), (self._m, self._below, -1)):
            first, stop = np.searchsorted(groups, [group, group + 1])
            for count in counts[first:stop].tolist():
                terms[count] += sign
        return terms


def _least_disorder(columns: dict[int, Counter[int]]) -> int:
    """Return the first column with the least sum, exactly."""
    places = sorted(columns)
    best = places[0]
    for place in places[1:]:
        difference = Counter(columns[place])
        difference.subtract(columns[best])
        if sign_of(difference) < 0:
            best = place
    return best


def sign_of(terms: Counter[int]) -> int:
    """Return the sign of the sum of times x n log n, exactly.

    It is 0 exactly if in the product of the powers n**(n times) every prime has the exponent 0. If not, some precision
    shows which.

    >>> sign_of(Counter({4: 1, 2: -4})), sign_of(Counter({4: 1, 2: -3})), sign_of(Counter({3: 1, 2: -3}))
    (0, 1, -1)
    """
    terms = Counter({n: times for n, times in terms.items() if times and n > 1})
    exponents: Counter[int] = Counter()
    for n, times in terms.items():
        for prime, power in _factors(n).items():
            exponents[prime] += times * n * power
    if not any(exponents.values()):
        return 0
    digits = 40
    while True:
        with localcontext() as context:
            context.prec = digits
            parts = [Decimal(times * n) * Decimal(n).ln() for n, times in terms.items()]
            total, size = sum(parts, Decimal(0)), sum(map(abs, parts), Decimal(0))
            if abs(total) > size * (len(parts) + 4) * Decimal(10) ** (1 - digits):
                return 1 if total > 0 else -1
        digits *= 2


def _factors(n: int) -> Counter[int]:
    """Return the primes of a number with their powers."""
    found: Counter[int] = Counter()
    prime = 2
    while prime * prime <= n:
        while n % prime == 0:
            found[prime] += 1
            n //= prime
        prime += 1
    if n > 1:
        found[n] += 1
    return found

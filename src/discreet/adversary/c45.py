"""A tree like C4.5 (Quinlan): the column of the best gain ratio, one branch for each value, nothing pruned.

Rows whose class is told train. A column may be asked where two of its values are known and two branches have two rows
each; its gain must not be below the average of all such columns. Ties go to the first predictor. A value that is
unknown, or told as a group, is the commonest one that it can be at the node, in training as in guessing. A branch that
nobody went to guesses as the node would; all classes that are as frequent as the commonest one are best guesses.
n log n is a whole number, so that integers decide.

Only the nodes that some line comes to are grown, one after the other, for all lines that come there.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from discreet.adversary.base import Floats, Guesses, normalised
from discreet.adversary.view import Flags, Lines, Seen, View
from discreet.common.n_log_n import n_log_n
from discreet.encoded import Ints

_ROUNDING = 1024
"""What a split of all rows of a node must gain at least, in units of 2**-20 bits."""


@dataclass(frozen=True)
class C45Guesser:
    """A tree like C4.5, of all rows or of at most so many, drawn with a fixed seed."""

    name: str = "c45"
    most: int | None = None

    def train(self, view: View) -> TrainedC45:
        """Keep the rows; trees are grown where they are asked for."""
        if self.most is not None and (more := len(view.training) - self.most) > 0:
            view = view.hiding(np.random.default_rng(0).choice(view.training, more, replace=False))
        return TrainedC45(view, n_log_n(len(view.training)))


@dataclass(frozen=True)
class TrainedC45:
    """The rows that trees are grown from, one for each group that classes are told by."""

    view: View
    weigh: Ints = field(repr=False)

    def guess(self, lines: Lines) -> Guesses:
        """Return what the cells with these lines are taken for."""
        tree, (distinct, which) = self.view.classes.tree, lines.distinct()
        among = tree.covers(distinct.levels)
        counts = np.zeros(among.shape, dtype=np.int64)
        for level in np.unique(distinct.levels).tolist():
            here = np.flatnonzero(distinct.levels == level)
            classes = self.view.training_classes
            inside = (tree.first[level] <= classes) & (classes < tree.stop[level])
            self._walk(counts, here, distinct.nodes, self.view.training[inside], classes[inside])
        best: Flags = among & (counts == np.where(among, counts, 0).max(axis=1, keepdims=True, initial=0))
        weights: Floats = normalised(np.where(among, counts, 0).astype(np.float64))
        return Guesses(tree.domain, weights[which], best[which])

    def _walk(self, counts: Ints, lines: Ints, nodes: Ints, rows: Ints, classes: Ints) -> None:
        """Send lines down the tree of some rows, and give each the classes where it ends."""
        everything = tuple(range(len(self.view.predictors)))
        todo = [(lines, rows, classes, everything)]
        while todo:
            lines, rows, classes, open_places = todo.pop()
            present, often = np.unique(classes, return_counts=True)
            told = np.zeros(counts.shape[1], dtype=np.int64)
            told[present] = often
            split = None if len(present) < 2 else self._split(rows, classes, often, open_places)
            if split is None:
                counts[lines] = told
                continue
            column = split.seen
            rest = tuple(place for place in open_places if place != split.place)
            for value, going in split.sent(column, nodes[lines, split.place]):
                there = split.branch == value
                if there.any():
                    todo.append((lines[going], rows[there], classes[there], rest))
                else:
                    counts[lines[going]] = told

    def _split(self, rows: Ints, classes: Ints, often: Ints, places: tuple[int, ...]) -> _C45Split | None:
        """Return the split of the best ratio; None where none is worth it."""
        made = [_split_by(self.view.predictors[place], place, rows) for place in places]
        possible = [split for split in made if split is not None]
        whole = int(self.weigh[len(rows)])
        gains, spreads = [], []
        for split in possible:
            pairs = _counted(split.branch * (int(classes.max()) + 1) + classes)[1]
            after = int(self.weigh[split.sizes].sum()) - int(self.weigh[pairs].sum())
            gains.append(whole - int(self.weigh[often].sum()) - after)
            spreads.append(whole - int(self.weigh[split.sizes].sum()))
        chosen = -1
        for number, gain in enumerate(gains):
            if gain < _ROUNDING or gain * len(gains) < sum(gains):
                continue
            if chosen < 0 or gain * spreads[chosen] > gains[chosen] * spreads[number]:
                chosen = number
        return None if chosen < 0 else possible[chosen]


@dataclass(frozen=True)
class _C45Split:
    """A predictor at a node: the branch of each row, and the branches there are with their sizes."""

    seen: Seen
    place: int
    branch: Ints
    values: Ints
    sizes: Ints

    def sent(self, seen: Seen, nodes: Ints) -> list[tuple[int, Flags]]:
        """Return the values that lines with these nodes go by, and which lines do."""
        kinds, of = np.unique(nodes, return_inverse=True)
        by = np.array([_commonest(seen, int(node), self.values, self.sizes) for node in kinds], dtype=np.int64)
        return [(int(value), by[of.reshape(-1)] == value) for value in np.unique(by)]


def _split_by(seen: Seen, place: int, rows: Ints) -> _C45Split | None:
    """Return the split by a predictor, where it may be asked."""
    nodes = seen.nodes[rows].astype(np.int64)
    leaves = seen.tree.leaf_of[nodes]
    values, sizes = _counted(leaves[leaves >= 0])
    if len(values) < 2:
        return None
    kinds = _counted(nodes)[0]
    taken = np.array([_commonest(seen, int(node), values, sizes) for node in kinds], dtype=np.int64)
    branch = taken[np.searchsorted(kinds, nodes)]
    values, sizes = _counted(branch)
    if np.count_nonzero(sizes >= 2) < 2:
        return None
    return _C45Split(seen, place, branch, values, sizes)


def _counted(numbers: Ints) -> tuple[Ints, Ints]:
    """Return the different ones of some numbers, none below 0, ascending, and how often each is there."""
    if int(numbers.max(initial=0)) > 4 * len(numbers):  # a list of all that could be there would be long
        return np.unique(numbers, return_counts=True)
    often = np.bincount(numbers)
    found = np.flatnonzero(often)
    return found, often[found]


def _commonest(seen: Seen, node: int, values: Ints, sizes: Ints) -> int:
    """Return the commonest of the values below a node of a predictor: ties, and none at all, to the first."""
    first, stop = int(seen.tree.first[node]), int(seen.tree.stop[node])
    inside = np.flatnonzero((values >= first) & (values < stop))
    return int(values[inside[np.argmax(sizes[inside])]]) if len(inside) else first

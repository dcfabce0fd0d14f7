"""C4.5 on categories (Quinlan 1993), the learner of the papers.

The column of the best gain ratio among those of at least average gain, one branch for each value, at least two
branches with two rows; then pessimistic pruning at 25% by making a subtree a leaf or raising its largest branch.
Of two classes equally frequent in a node the answer is that of the node above it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.intp]
FEWEST = 2
"""Rows that at least two branches must have."""
SURENESS = 0.25
DEVIATION = NormalDist().inv_cdf(1 - SURENESS)


@dataclass
class Node:
    """A leaf when it has no branches; a branch for each value of the column otherwise."""

    answer: int
    wrong: int
    column: int = -1
    branches: list[Node] = field(default_factory=list)


class Tree:
    """A tree of a table of codes (a row for each row, a column for each column; values 0 to size - 1) and classes."""

    def __init__(self, codes: Codes, classes: Codes, sizes: Codes) -> None:
        self.codes, self.classes, self.sizes = codes, classes, sizes
        self.kinds = int(classes.max(initial=0)) + 1
        rows = np.arange(len(classes))
        self.root = self._grow(rows, 0)
        self._prune(self.root, rows)

    def predict(self, codes: Codes) -> Codes:
        answers = np.empty(len(codes), np.intp)

        def walk(node: Node, rows: Codes) -> None:
            if not node.branches:
                answers[rows] = node.answer
                return
            for branch, part in zip(node.branches, _parts(codes, rows, node.column, self.sizes), strict=True):
                if len(part):
                    walk(branch, part)

        walk(self.root, np.arange(len(codes)))
        return answers

    def _grow(self, rows: Codes, above: int) -> Node:
        leaf = self._leaf(rows, above)
        if leaf.wrong == 0 or len(rows) < 2 * FEWEST:
            return leaf
        column = best_column(self.codes[rows], self.classes[rows], self.sizes)
        if column is None:
            return leaf
        parts = _parts(self.codes, rows, column, self.sizes)
        branches = [self._grow(part, leaf.answer) for part in parts]
        if sum(_wrong(branch) for branch in branches) >= leaf.wrong:
            return leaf
        return Node(leaf.answer, leaf.wrong, column, branches)

    def _leaf(self, rows: Codes, above: int) -> Node:
        counts = np.bincount(self.classes[rows], minlength=self.kinds)
        answer = above if counts[above] == counts.max() else int(counts.argmax())
        return Node(answer, len(rows) - int(counts[answer]))

    def _prune(self, node: Node, rows: Codes) -> float:
        """Prune below a node that these rows reach; return the errors to expect of it."""
        leaf = self._leaf(rows, node.answer)
        node.answer, node.wrong = leaf.answer, leaf.wrong
        as_leaf = expected_errors(len(rows), leaf.wrong)
        if not node.branches:
            return as_leaf
        parts = _parts(self.codes, rows, node.column, self.sizes)
        as_tree = sum(self._prune(branch, part) for branch, part in zip(node.branches, parts, strict=True))
        largest = node.branches[int(np.argmax([len(part) for part in parts]))]
        as_largest = self._expected(largest, rows)
        if as_leaf <= min(as_tree, as_largest) + 0.1:
            node.branches = []
            return as_leaf
        if as_largest <= as_tree + 0.1:
            node.answer, node.column, node.branches = largest.answer, largest.column, largest.branches
            return self._prune(node, rows)
        return as_tree

    def _expected(self, node: Node, rows: Codes) -> float:
        if not node.branches:
            return expected_errors(len(rows), int(np.count_nonzero(self.classes[rows] != node.answer)))
        parts = _parts(self.codes, rows, node.column, self.sizes)
        return sum(self._expected(branch, part) for branch, part in zip(node.branches, parts, strict=True))


def best_column(codes: Codes, classes: Codes, sizes: Codes) -> int | None:
    """Return the column that C4.5 splits these rows by; None when no split helps."""
    rows, kinds = len(classes), int(classes.max()) + 1
    first = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    cells = ((codes + first) * kinds + classes[:, None]).ravel()
    counts = np.bincount(cells, minlength=int(sizes.sum()) * kinds).reshape(-1, kinds)
    values = counts.sum(axis=1)
    within = np.add.reduceat(_spread(values) - _spread(counts).sum(axis=1), first) / rows
    split = math.log2(rows) - np.add.reduceat(_spread(values), first) / rows
    gain = math.log2(rows) - _spread(np.bincount(classes)).sum() / rows - within
    possible = (np.add.reduceat((values >= FEWEST).astype(np.intp), first) >= 2) & (split > 1e-5)
    if not possible.any():
        return None
    worth = possible & (gain > 1e-9) & (gain >= gain[possible].mean() - 1e-5)
    ratio = np.divide(gain, split, out=np.zeros_like(gain), where=worth)
    return int(ratio.argmax()) if worth.any() else None


def expected_errors(rows: int, wrong: int) -> float:
    """Return the upper limit of the errors of a leaf, at 25%, as C4.5 reckons it."""
    if rows == 0:
        return 0.0
    if wrong == 0:
        return rows * (1 - math.exp(math.log(SURENESS) / rows))
    if wrong + 0.5 >= rows:
        return wrong + 0.67 * (rows - wrong)
    square, middle = DEVIATION**2, wrong + 0.5
    root = math.sqrt(square * (middle * (1 - middle / rows) + square / 4))
    return rows * (middle + square / 2 + root) / (rows + square)


def _parts(codes: Codes, rows: Codes, column: int, sizes: Codes) -> list[Codes]:
    """Return the rows of each value of a column."""
    values = codes[rows, column]
    order = np.argsort(values, kind="stable")
    return np.split(rows[order], np.searchsorted(values[order], np.arange(1, sizes[column])))


def _wrong(node: Node) -> int:
    return sum(_wrong(branch) for branch in node.branches) if node.branches else node.wrong


def _spread(counts: Codes) -> NDArray[np.float64]:
    return np.multiply(counts, np.log2(np.maximum(counts, 1)), dtype=np.float64)


if __name__ == "__main__":
    print(__doc__)

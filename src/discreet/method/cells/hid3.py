"""HID3: single cells against a decision tree (Hintoglu), deleting or generalising the row's own cells.

Guarantee: a cell whose outcome is `safe` or `done` is hidden (or generalised), and the ID3 tree of the other rows of
the table as it is then gives the row another class. The tree stands behind `Tree`: any tree of that shape would do.

Rows whose class is hidden are left out of training, so one tree serves all cells of a column that are hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.method.cells import tree_kernels as kernels
from discreet.method.cells.bayes import Outcome
from discreet.method.cells.chance import Chance
from discreet.method.cells.kernels import LEAVE, NOBODY, REFUSE
from discreet.method.cells.table import CellTable
from discreet.method.cells.trees import Nodes

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Tree:
    """A decision tree over the columns of a table: node 0 is the root.

    An inner node splits on a predictor (by its place among them) and has a child for each value of its domain.
    """

    predictors: Ints
    split: Ints
    common: Ints
    """The commonest class at each node, by its place among the candidates."""
    child_at: Ints
    child: Ints
    people: Ints
    low: Ints
    """The first value (by its place in the domain) below each node of the columns' trees."""
    high: Ints

    def guess(self, table: CellTable, row: int, node: int = 0) -> int:
        """Return the class that the tree gives a row, by its place among the candidates."""
        return int(kernels.guess(table.frame.codes, row, *self._arrays(), node))

    def guesses(self, table: CellTable, rows: Ints) -> Ints:
        """Return the class that the tree gives each of several rows."""
        found: Ints = kernels.guesses(table.frame.codes, rows, *self._arrays())
        return found

    def _arrays(self) -> tuple[Ints, ...]:
        return self.low, self.high, self.predictors, self.split, self.common, self.child_at, self.child, self.people

    def commonest(self, node: int, code: int) -> int:
        """Return the value, by its place in the domain, of the commonest branch that a cell can follow."""
        start = int(self.child_at[node])
        return int(kernels.most_common(self.people[start:], self.low[code], self.high[code]))

    def child_of(self, node: int, value: int) -> int | None:
        """Return the child for a value; None if nobody went there, and its class is that of the node."""
        child = int(self.child[int(self.child_at[node]) + value])
        return None if child == kernels.NO_CHILD else child


class Trees:
    """The trees of a table in the making, grown anew when the rows they learn from have changed."""

    def __init__(self, table: CellTable) -> None:
        self.table = table
        self._factor = kernels.sieve(table.rows)
        self.low, self.high = _ranges(table)
        self._grown: dict[tuple[int, int, int, tuple[int, ...]], tuple[int, Tree]] = {}

    def tree(self, column: int, row: int, predictors: Sequence[int]) -> Tree:
        """Return the ID3 tree by which a row is guessed, for a confidential column.

        Candidates are the values below the row's own class; one tree serves all rows whose class is hidden.
        """
        top = self.table.node(column, row)
        key = (column, top, NOBODY if top == 0 else row, tuple(predictors))
        version, tree = self._grown.get(key, (-1, None))
        if tree is None or version != self.table.version[column]:
            tree = self._grow(column, row, predictors)
            if top == 0:
                self._grown[key] = (self.table.version[column], tree)
        return tree

    def _grow(self, column: int, row: int, predictors: Sequence[int]) -> Tree:
        """Grow the tree of all other rows with a class at or below the row's own.

        A class that is told roughly is the commonest one that it can be.
        """
        frame = self.table.frame
        node, root = int(frame.codes[column, row]), int(self.table.first[column])
        first, stop = int(self.low[node]), int(self.high[node])
        codes = frame.codes[column]
        inside = (codes >= node) & (codes < frame.end[node]) & (codes != root) & ~self.table.gone
        inside &= frame.real == np.arange(self.table.rows)
        inside[frame.real[row]] = False
        leaf = frame.leaf[codes]
        rough = np.flatnonzero(inside & (leaf < 0))
        if len(rough):
            people = np.bincount(leaf[inside & (leaf >= 0)], minlength=int(frame.domain[column]))
            for place in rough.tolist():
                leaf[place] = kernels.most_common(people, self.low[codes[place]], self.high[codes[place]])
        rows = np.flatnonzero(inside).astype(np.int32)
        weigh = np.arange(len(rows) + 1, dtype=np.float64)
        weigh[1:] *= np.log2(weigh[1:])
        named = np.array(predictors, dtype=np.int64)
        found = kernels.grow(
            frame.codes, frame.leaf, self.low, self.high, frame.first, frame.domain, named, rows,
            (leaf - first).astype(np.int64), max(stop - first, 1), self._factor, weigh,
        )  # fmt: skip
        split, common, child_at, child, people = found
        return Tree(named, split, common, child_at, child, people, self.low, self.high)


def _ranges(table: CellTable) -> tuple[Ints, Ints]:
    """Return for each node the range of values (places in the domain) at or below it."""
    low, high = [], []
    for tree in table.trees:
        is_leaf = np.zeros(len(tree.parent) + 1, dtype=np.int64)
        is_leaf[tree.leaves] = 1
        before = np.concatenate([[0], np.cumsum(is_leaf)])
        low.append(before[np.arange(len(tree.parent))])
        high.append(before[tree.end])
    return np.concatenate(low).astype(np.int64), np.concatenate(high).astype(np.int64)


def protect(
    trees: Trees,
    column: int,
    predictors: Sequence[int],
    row: int,
    actual: int,
    chance: Chance,
    *,
    deletes: bool = False,
) -> Outcome:
    """Protect one cell; `actual` is its true value, a leaf of the column's tree.

    The row keeps at least the level of generality that its cell has now. `deletes`: values are hidden at once, and not
    generalised one level after the other.
    """
    table = trees.table
    start, step = int(table.first[column]), table.step(deletes=deletes)
    begin = table.node(column, row)
    top = start + begin if begin != actual else int(step[start + actual])
    place = int(table.frame.leaf[start + actual])
    while top >= 0:
        table.set(column, row, top - start)
        tree = trees.tree(column, row, predictors)
        true = place - int(tree.low[top])
        if tree.guess(table, row) != true:
            return Outcome("safe")
        two = int(tree.high[top] - tree.low[top]) == 2
        if two and chance.coin == LEAVE:
            return Outcome("by lot")
        walk = _Walk(table, tree, row, true, step)
        if not (two and chance.coin == REFUSE) and walk.hide(0):
            return Outcome("done", changes=walk.keep())
        top = int(step[top])
    return Outcome("failed")


class _Walk:
    """A way through the tree on which a row changes its own cells until it comes to another class."""

    def __init__(self, table: CellTable, tree: Tree, row: int, true: int, step: Nodes) -> None:
        self.table, self.tree, self.row, self.true, self.step = table, tree, row, true, step
        self.codes = table.frame.codes
        self.before = self.codes[:, row].copy()

    def keep(self) -> Ints:
        """Make the changes for good; return row and column of each."""
        after = self.codes[:, self.row].copy()
        changed = np.flatnonzero(after != self.before)
        self.codes[:, self.row] = self.before
        for column in changed.tolist():
            self.table.set(column, self.row, int(after[column] - self.table.first[column]))
        return np.stack([np.full(len(changed), self.row), changed], axis=1).astype(np.int64)

    def hide(self, node: int | None, above: int = 0) -> bool:
        """Change cells until the row comes to another class; it is as it was when that fails."""
        tree = self.tree
        if node is None:
            return int(tree.common[above]) != self.true
        if tree.split[node] == kernels.LEAF:
            return int(tree.common[node]) != self.true
        if tree.guess(self.table, self.row, node) != self.true:
            return True
        column = int(tree.predictors[tree.split[node]])
        root = int(self.table.first[column])
        cell = int(self.codes[column, self.row])
        common = tree.commonest(node, root)
        locked = bool(self.table.frame.locked[column, self.row])
        while self.codes[column, self.row] != root:
            match = tree.commonest(node, int(self.codes[column, self.row]))
            if match == common and not locked:
                break
            if self.hide(tree.child_of(node, match), node):
                return True
            if locked:
                return False
            self._generalise(column)
        if self.codes[column, self.row] != root:
            self._generalise(column)
        if self.hide(tree.child_of(node, common), node):
            return True
        self.codes[column, self.row] = cell
        return False

    def _generalise(self, column: int) -> None:
        self.codes[column, self.row] = self.step[self.codes[column, self.row]]

"""HID3: single cells against a decision tree (Hintoglu), deleting or generalising the row's own cells.

Guarantee: a cell whose outcome is `safe` or `done` is hidden (or generalised), and the ID3 trees of the other rows of
the table as it is then give the row other classes. There are two of them where classes of other rows are told roughly:
such rows train as the commonest class that they can be, or are left out. `protect` asks of a tree only what `AnyTree`
says: `GrownTree` is that of ID3, whose walk is the thesis's; `walks.py` has all others.

Rows whose class is hidden are left out of training, so the same trees serve all cells of a column that are hidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from discreet.method.cells import tree_kernels as kernels
from discreet.method.cells.bayes import Outcome
from discreet.method.cells.chance import Chance
from discreet.method.cells.kernels import LEAVE, NOBODY, REFUSE
from discreet.method.cells.table import CellTable
from discreet.method.cells.trees import Nodes
from discreet.method.cells.value_ranges import ranges

Ints = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]


class AnyTree(Protocol):
    """A decision tree that a row can be hidden from; classes are told by their places among the candidates."""

    def tells(self, table: CellTable, row: int, true: int) -> bool:
        """Whether the tree tells the class of a row."""
        ...

    def told(self, table: CellTable, rows: Ints, true: Ints) -> Flags:
        """Say of which rows the tree tells the class."""
        ...

    def stop(self, walk: RowWalk) -> bool:
        """Change cells of a row until the tree does not tell its class; it is as it was when that fails."""
        ...


class TreesOfTable(Protocol):
    """The trees of a table in the making."""

    table: CellTable
    low: Ints
    """The first value (by its place in the domain) below each node of the columns' trees."""
    high: Ints

    def trees(self, column: int, row: int, predictors: Sequence[int]) -> Sequence[AnyTree]:
        """Return the trees by which a row is guessed, for a confidential column."""
        ...


@dataclass(frozen=True)
class GrownTree:
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

    def tells(self, table: CellTable, row: int, true: int) -> bool:
        """Whether the tree gives a row its class."""
        return self.guess(table, row) == true

    def told(self, table: CellTable, rows: Ints, true: Ints) -> Flags:
        """Say which rows the tree gives their class."""
        told: Flags = self.guesses(table, rows) == true
        return told

    def stop(self, walk: RowWalk) -> bool:
        """Change cells of a row, as the thesis does, until the tree gives it another class."""
        return walk.hide(self, 0)

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
        self.low, self.high = ranges(table)
        self._grown: dict[tuple[int, int, int, tuple[int, ...], bool], tuple[int, GrownTree]] = {}

    def trees(self, column: int, row: int, predictors: Sequence[int]) -> tuple[GrownTree, ...]:
        """Return the trees by which a row is guessed: one for each meaning of classes that are told roughly."""
        known = self.tree(column, row, predictors, leaves_out=True)
        if not self._told_roughly(column, row):
            return (known,)
        return self.tree(column, row, predictors), known

    def tree(self, column: int, row: int, predictors: Sequence[int], *, leaves_out: bool = False) -> GrownTree:
        """Return the ID3 tree by which a row is guessed, for a confidential column.

        Candidates are the values below the row's own class. Rows whose class is told roughly are the commonest one that
        they can be, or left out: then, or where the class is hidden, a tree serves all rows with the same class.
        """
        top = self.table.node(column, row)
        shared = leaves_out or top == 0
        key = (column, top, NOBODY if shared else row, tuple(predictors), leaves_out)
        version, tree = self._grown.get(key, (-1, None))
        if tree is None or version != self.table.version[column]:
            tree = self._grow(column, row, predictors, leaves_out=leaves_out)
            if shared:
                self._grown[key] = (self.table.version[column], tree)
        return tree

    def _told_roughly(self, column: int, row: int) -> bool:
        """Whether another row's class is told roughly, at or below the row's own."""
        frame, root = self.table.frame, int(self.table.first[column])
        node = int(frame.codes[column, row])
        below = np.arange(max(node, root + 1), int(frame.end[node]))
        itself = int(node != root and frame.leaf[node] < 0)
        return int(frame.all_own[below[frame.leaf[below] < 0]].sum()) > itself

    def _grow(self, column: int, row: int, predictors: Sequence[int], *, leaves_out: bool) -> GrownTree:
        """Grow the tree of all other rows with a class at or below the row's own."""
        frame = self.table.frame
        node, root = int(frame.codes[column, row]), int(self.table.first[column])
        first, stop = int(self.low[node]), int(self.high[node])
        codes = frame.codes[column]
        leaf = frame.leaf[codes]
        inside = (codes >= node) & (codes < frame.end[node]) & (codes != root) & ~self.table.gone
        inside &= frame.real == np.arange(self.table.rows)
        inside[frame.real[row]] = False
        if leaves_out:
            inside &= leaf >= 0
        rough = np.flatnonzero(inside & (leaf < 0))
        if len(rough):
            people = np.bincount(leaf[inside & (leaf >= 0)], minlength=int(frame.domain[column]))
            for place in rough.tolist():
                leaf[place] = kernels.most_common(people, self.low[codes[place]], self.high[codes[place]])
        rows = np.flatnonzero(inside).astype(np.int32)
        weigh = np.arange(len(rows) + 1, dtype=np.float64)
        weigh[1:] *= np.log2(weigh[1:])
        named = np.array(predictors, dtype=np.int64)
        rows, times = self._different(named, rows, leaf)
        found = kernels.grow(
            frame.codes, frame.leaf, self.low, self.high, frame.first, frame.domain, named, rows, times,
            (leaf - first).astype(np.int64), max(stop - first, 1), self._factor, weigh,
        )  # fmt: skip
        split, common, child_at, child, people = found
        return GrownTree(named, split, common, child_at, child, people, self.low, self.high)

    def _different(self, predictors: Ints, rows: Rows, leaf: Rows) -> tuple[Rows, Ints]:
        """Return the first row of each combination of cells and class, and how often (by row) it is there.

        Where there may be more combinations than rows, each row stands for itself.
        """
        frame = self.table.frame
        key, room = leaf[rows].astype(np.int64), int(leaf.max(initial=0)) + 1
        for column in predictors.tolist():
            values = int(frame.first[column + 1] - frame.first[column])
            room *= values
            if room > len(rows):
                return rows, np.ones(self.table.rows, dtype=np.int64)
            key = key * values + (frame.codes[column, rows] - frame.first[column])
        begin = np.full(room, -1, dtype=rows.dtype)
        begin[key[::-1]] = rows[::-1]  # of several the last one stays: the first row
        times = np.zeros(self.table.rows, dtype=np.int64)
        times[begin[begin >= 0]] = np.bincount(key, minlength=room)[begin >= 0]
        return np.sort(begin[begin >= 0]), times


def protect(
    trees: TreesOfTable,
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
        against = trees.trees(column, row, predictors)
        true = place - int(trees.low[top])
        if not any(tree.tells(table, row, true) for tree in against):
            return Outcome("safe")
        two = int(trees.high[top] - trees.low[top]) == 2
        if two and chance.coin == LEAVE:
            return Outcome("by lot")
        walk = RowWalk(table, row, true, step)
        if not (two and chance.coin == REFUSE) and walk.hide_from(against):
            return Outcome("done", changes=walk.keep())
        top = int(step[top])
    return Outcome("failed")


class RowWalk:
    """A way through trees on which a row changes its own cells until it comes to other classes."""

    def __init__(self, table: CellTable, row: int, true: int, step: Nodes) -> None:
        self.table, self.row, self.true, self.step = table, row, true, step
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

    def hide_from(self, trees: Sequence[AnyTree]) -> bool:
        """Change cells until no tree gives the row its class; it is as it was when that fails.

        Each walk that is needed makes some cell coarser, and none makes one finer: so it ends.
        """
        while exposing := [tree for tree in trees if tree.tells(self.table, self.row, self.true)]:
            if not exposing[0].stop(self):
                self.codes[:, self.row] = self.before
                return False
        return True

    def hide(self, tree: GrownTree, node: int | None, above: int = 0) -> bool:
        """Change cells until a tree gives the row another class; it is as it was when that fails."""
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
            if self.hide(tree, tree.child_of(node, match), node):
                return True
            if locked:
                return False
            self._generalise(column)
        if self.codes[column, self.row] != root:
            self._generalise(column)
        if self.hide(tree, tree.child_of(node, common), node):
            return True
        self.codes[column, self.row] = cell
        return False

    def _generalise(self, column: int) -> None:
        self.codes[column, self.row] = self.step[self.codes[column, self.row]]

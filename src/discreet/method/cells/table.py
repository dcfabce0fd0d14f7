"""The table in the making: which cells may change, and what a change does to the counts.

Every method works on one `CellTable`. It holds the released nodes of some columns, row by row, follows every change in
its counts, and knows which cells were changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError
from discreet.method.cells import kernels
from discreet.method.cells.kernels import Frame, Guesser
from discreet.method.cells.trees import Nodes, ValueTree

MOST_COUNTS = 100_000_000
"""Counts (classes x values of all columns) that are kept."""
MODES = {"count": kernels.COUNT, "drop": kernels.DROP, "spread": kernels.SPREAD}


@dataclass(frozen=True)
class Bayes:
    """How naive Bayes reckons, and among how many of the best guesses one is drawn to become better."""

    nulls: str = "count"
    laplace: Fraction = Fraction(0)
    guesses: int = 3
    strict: bool = False


class CellTable:
    """Some columns of a table as nodes of their trees, with all counts that naive Bayes needs.

    Parameters
    ----------
    columns
        The node of each row, by column.
    trees
        The values of each column.
    confidential
        The columns (by place) with confidential cells.
    locked
        Cells that must stay as they are; none when absent. Not copied.
    real
        The row itself for each row; for a shadow the row it belongs to. A shadow is another way in which its row may
        be seen (with other labels in columns that are not edited): nobody learns from it, and all its edits are those
        of its row.
    """

    def __init__(
        self,
        columns: Sequence[Nodes],
        trees: Sequence[ValueTree],
        confidential: Sequence[int],
        locked: npt.NDArray[np.bool_] | None = None,
        real: npt.NDArray[np.int64] | None = None,
    ) -> None:
        self.trees = tuple(trees)
        self.confidential = tuple(confidential)
        sizes = np.array([len(tree.parent) for tree in trees], dtype=np.int64)
        self.first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        starts = self.first[:-1]
        codes = np.empty((len(columns), len(columns[0]) if columns else 0), dtype=np.int32)
        for place, (column, start) in enumerate(zip(columns, starts.tolist(), strict=True)):
            np.add(column, np.int32(start), out=codes[place], casting="same_kind")
        self.original = codes.copy()
        everybody = np.arange(codes.shape[1], dtype=np.int64)
        real = everybody if real is None else real
        counted = np.flatnonzero(real == everybody)
        self._shadows = np.flatnonzero(real != everybody)
        self._family: dict[int, list[int]] = {}
        for shadow in self._shadows.tolist():
            self._family.setdefault(int(real[shadow]), [int(real[shadow])]).append(shadow)
        self.gone = np.zeros(codes.shape[1], dtype=np.bool_)
        """Rows that were taken out."""
        self.version = dict.fromkeys(confidential, 0)
        """For each confidential column, grows with every change of a row that its classifiers learn from."""
        self.stamp = 0
        """Grows with every change."""
        self.levels = tuple(int(tree.depth.max(initial=0)) for tree in trees)
        """How many levels the values of each column can be generalised."""
        self._starts: list[int] = starts.tolist()
        classes = np.array([len(trees[column].leaves) for column in confidential], dtype=np.int64)
        if int(classes.sum()) * int(self.first[-1]) > MOST_COUNTS:
            raise InputError(
                f"confidential columns with {int(classes.sum())} values beside {int(self.first[-1])} values of all "
                "columns are too many to count; name fewer predictors, or columns with fewer values"
            )
        leaf = np.full(int(self.first[-1]), -1, dtype=np.int32)
        for tree, start in zip(trees, starts, strict=True):
            leaf[tree.leaves + start] = np.arange(len(tree.leaves))
        parents = [
            np.where(tree.parent < 0, -1, tree.parent + start) for tree, start in zip(trees, starts, strict=True)
        ]
        ends = [tree.end + start for tree, start in zip(trees, starts, strict=True)]
        class_first = np.concatenate([[0], np.cumsum(classes)]).astype(np.int64)
        parent = np.concatenate(parents).astype(np.int32)
        self._root = np.where(parent < 0, -1, np.repeat(starts, sizes)).astype(np.int32)
        seen = codes[:, counted] if len(self._shadows) else codes
        order, begins = _by_class(seen, leaf, confidential, classes)
        order = counted[order].astype(np.int32)
        counts = [np.bincount(seen[c] - starts[c], minlength=sizes[c]) for c in range(len(trees))]
        all_own = np.concatenate(counts).astype(np.int64)
        own = _by_node(seen, leaf, confidential, class_first, int(self.first[-1]))
        self.frame = Frame(
            codes=codes,
            locked=np.zeros(codes.shape, dtype=np.bool_) if locked is None else locked,
            first=self.first,
            parent=parent,
            end=np.concatenate(ends).astype(np.int32),
            children=np.concatenate([tree.children for tree in trees]).astype(np.int32),
            leaf=leaf,
            domain=np.array([len(tree.leaves) for tree in trees], dtype=np.int64),
            class_column=np.array(confidential, dtype=np.int64),
            class_first=class_first,
            all_own=all_own,
            all_up=_summed_up(all_own[None, :], parent)[0],
            own=own,
            up=_summed_up(own, parent),
            order=order,
            begins=begins,
            real=real,
        )

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.frame.codes.shape[1])

    def node(self, column: int, row: int) -> int:
        """Return the node of a cell, counted in its own tree."""
        return int(self.frame.codes[column, row]) - self._starts[column]

    def set(self, column: int, row: int, node: int) -> None:
        """Give a cell another node (counted in its own tree), in all shadows of its row."""
        for same in self.family(row):
            self.put(column, same, node)

    def put(self, column: int, row: int, node: int) -> None:
        """Give a cell another node, in this row or shadow alone."""
        if self.node(column, row) != node:
            self.touch(row)
            kernels.move(self.frame, row, column, node + self._starts[column])
            self.touch(row)

    def family(self, row: int) -> list[int]:
        """Return a row with all its shadows, the row itself first."""
        real = int(self.frame.real[row])
        return self._family.get(real, [real])

    def changed_for(self, row: int, column: int, before: int, changes: npt.NDArray[np.int64]) -> None:
        """Follow what a kernel changed for a confidential cell, whose node was `before`: it, and some (row, column)."""
        node = self.node(column, row)
        if node != before:
            self.touch(row)
            self.version[column] += 1  # the row told something of it before
            if len(self._shadows):
                self.set(column, row, node)
        if not len(changes):
            return
        if changes[0, 0] != row:
            self.touch()
        else:  # only the row itself, and it may tell nothing of these columns any more
            self.touch(row)
            for hidden in set(changes[:, 1].tolist()) & self.version.keys():
                self.version[hidden] += 1
        self.reflect(row, changes)

    def reflect(self, row: int, changes: npt.NDArray[np.int64]) -> None:
        """Give the families of all rows that were changed for a row, in some cells (row, column), their new nodes."""
        if not len(self._shadows):
            return
        own = changes[:, 0] == row
        for column in np.unique(changes[own, 1]).tolist():
            self.set(column, row, self.node(column, row))
        for column in np.unique(changes[~own, 1]).tolist():
            self.follow(column)

    def follow(self, column: int) -> None:
        """Give all shadows the nodes of their rows in a column that was changed (so in none that tells them apart)."""
        codes, real = self.frame.codes, self.frame.real
        codes[column, self._shadows] = codes[column, real[self._shadows]]

    def touch(self, row: int | None = None) -> None:
        """Note that a row has changed (None: any rows): those columns of which it tells something are learned anew."""
        self.stamp += 1
        here = [] if row is None else self.frame.codes[:, self.frame.real[row]].tolist()
        for column in self.confidential:
            if row is None or here[column] != self._starts[column]:
                self.version[column] += 1

    def remove(self, row: int) -> None:
        """Take a row out of the table."""
        row = int(self.frame.real[row])
        if not self.gone[row]:
            for column in range(len(self.trees)):
                self.set(column, row, 0)
            kernels.forget(self.frame, row)
            self.gone[self.family(row)] = True  # hidden everywhere by now: nobody learned from it any more

    def changed(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return columns and rows of the cells that differ from the original, row by row."""
        real = self.frame.real == np.arange(self.rows)
        rows, columns = np.nonzero((self.frame.codes != self.original).T & real[:, None])
        return columns, rows

    def step(self, *, deletes: bool) -> Nodes:
        """Return what each node (of all columns) becomes when it is changed: the root if deleted, else one above."""
        return self._root if deletes else self.frame.parent

    def guesser(self, column: int, predictors: Sequence[int], bayes: Bayes, *, deletes: bool = False) -> Guesser:
        """Return naive Bayes for a confidential column, as the kernels want it, and how values are changed."""
        depths = self.levels
        size = 2 + depths[column] + sum(depths[c] + depths[column] + 2 for c in predictors)
        if self.rows * bayes.laplace.denominator >= 2**30:
            raise InputError("laplace: the table has too many rows for a fraction; write a whole number")
        return Guesser(
            column=self.confidential.index(column),
            predictors=np.array(predictors, dtype=np.int64),
            mode=MODES[bayes.nulls],
            add=bayes.laplace.numerator,
            over=bayes.laplace.denominator,
            guesses=bayes.guesses,
            strict=bayes.strict,
            size=size,
            step=self.step(deletes=deletes),
        )


def _summed_up(own: npt.NDArray[np.int64], parent: Nodes) -> npt.NDArray[np.int64]:
    """Return the counts of each node with all that is below it."""
    up = own.copy()
    for node in range(len(parent) - 1, -1, -1):
        if parent[node] >= 0:
            up[:, parent[node]] += up[:, node]
    return up


def _by_class(
    codes: Nodes, leaf: Nodes, confidential: Sequence[int], classes: npt.NDArray[np.int64]
) -> tuple[Nodes, npt.NDArray[np.int64]]:
    """Return the rows of each class of each confidential column in table order, and where they begin."""
    orders, begins = [np.empty(0, dtype=np.int32)], [np.zeros(1, dtype=np.int64)]
    for column, size in zip(confidential, classes, strict=True):
        of_row = leaf[codes[column]]
        known = np.flatnonzero(of_row >= 0)
        order = known[np.argsort(of_row[known], kind="stable")]
        counts = np.bincount(of_row[known], minlength=int(size))
        orders.append(order.astype(np.int32))
        begins.append(begins[-1][-1] + np.cumsum(counts))
    return np.concatenate(orders), np.concatenate(begins).astype(np.int64)


def _by_node(
    codes: Nodes, leaf: Nodes, confidential: Sequence[int], class_first: npt.NDArray[np.int64], nodes: int
) -> npt.NDArray[np.int64]:
    """Return how many rows of each class have exactly each node."""
    own = np.zeros((int(class_first[-1]), nodes), dtype=np.int64)
    for place, column in enumerate(confidential):
        of_row = leaf[codes[column]]
        known = of_row >= 0
        start, stop = int(class_first[place]), int(class_first[place + 1])
        for c in range(len(codes)):
            if c != column:
                key = of_row[known].astype(np.int64) * nodes + codes[c][known]
                own[start:stop] += np.bincount(key, minlength=(stop - start) * nodes).reshape(-1, nodes)
    return own

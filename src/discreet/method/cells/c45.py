"""C4.5 of a table in the making, as branches that HID3 can walk.

Rows with a known class train. A column may be asked where it has two known values at least and two of its branches have
two rows; of those whose gain is not below the average the one with the best ratio of gain and split is asked, the first
of several. An unknown value, or a group, is the commonest value that it can be at the node; a branch that nobody went
to tells what the node would. Nothing is pruned. Entropies are whole numbers (`common/n_log_n.py`): integers decide.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discreet.common.n_log_n import n_log_n
from discreet.method.cells.table import CellTable
from discreet.method.cells.value_ranges import ranges
from discreet.method.cells.walks import LEAF, Branches, Ints

LEAST_GAIN = 1024
"""Of all rows of a node together, in units of 2**-20 bits: less is rounding."""
FEWEST = 2
"""Rows that two branches must have at least."""


def grow(table: CellTable, column: int, top: int, predictors: Sequence[int]) -> Branches:
    """Return the tree of the rows with a known class below a node, for the values below it."""
    return _C45Growing(table, column, top, predictors).run()


class _C45Growing:
    """A tree in the making; nodes are numbered as they are met."""

    def __init__(self, table: CellTable, column: int, top: int, predictors: Sequence[int]) -> None:
        frame, node = table.frame, int(table.first[column]) + top
        self.table, self.predictors = table, predictors
        self.low, self.high = ranges(table)
        codes = frame.codes[column]
        trains = (codes >= node) & (codes < frame.end[node]) & (frame.leaf[codes] >= 0) & ~table.gone
        self.rows = np.flatnonzero(trains & (frame.real == np.arange(table.rows)))
        self.classes = frame.leaf[codes].astype(np.int64)
        self.values = int(frame.domain[column])
        self.among = np.zeros(self.values, dtype=np.bool_)
        self.among[self.low[node] : self.high[node]] = True
        self.weigh = n_log_n(len(self.rows))
        self.column: list[int] = []
        self.at: list[int] = []
        self.best: list[npt.NDArray[np.bool_]] = []
        self.child: list[Ints] = []
        self.size = 0

    def run(self) -> Branches:
        """Grow it from the root down."""
        todo = [(self._node(self._counts(self.rows)), self.rows, tuple(self.predictors))]
        while todo:
            node, rows, columns = todo.pop()
            chosen = self._chosen(rows, columns)
            if chosen is None:
                continue
            column, filled, people = chosen
            rest = tuple(each for each in columns if each != column)
            self.column[node], self.at[node] = column, self.size
            nobody = LEAF
            to = np.empty(len(people), dtype=np.int64)
            for value in range(len(people)):
                if people[value]:
                    below = rows[filled == value]
                    to[value] = self._node(self._counts(below))
                    todo.append((int(to[value]), below, rest))
                else:
                    nobody = self._alike(node) if nobody == LEAF else nobody
                    to[value] = nobody
            self._lead(column, to, people)
        child = np.concatenate(self.child) if self.child else np.empty(0, dtype=np.int64)
        at = np.array(self.at, dtype=np.int64)
        return Branches(np.array(self.column, dtype=np.int64), at, child, np.array(self.best))

    def _counts(self, rows: Ints) -> Ints:
        return np.bincount(self.classes[rows], minlength=self.values)

    def _node(self, counts: Ints) -> int:
        """Add a leaf, for the time being, where so many rows of each class are."""
        self.column.append(LEAF)
        self.at.append(0)
        self.best.append(self.among & (counts == counts[self.among].max(initial=0)))
        return len(self.column) - 1

    def _alike(self, node: int) -> int:
        """Add a leaf that tells what a node would."""
        self.column.append(LEAF)
        self.at.append(0)
        self.best.append(self.best[node])
        return len(self.column) - 1

    def _lead(self, column: int, to: Ints, people: Ints) -> None:
        """Say where each node of a column's values goes: to the commonest value that it can be."""
        start, stop = int(self.table.first[column]), int(self.table.first[column + 1])
        places = [
            low + int(np.argmax(people[low:high]))
            for low, high in zip(self.low[start:stop].tolist(), self.high[start:stop].tolist(), strict=True)
        ]
        self.child.append(to[places])
        self.size += len(places)

    def _chosen(self, rows: Ints, columns: Sequence[int]) -> tuple[int, Ints, Ints] | None:
        """Return the column that is asked, the value of each row and how many rows have each; None at a leaf."""
        counts = self._counts(rows)
        if (counts > 0).sum() < 2:
            return None
        whole = int(self.weigh[len(rows)])
        before = whole - int(self.weigh[counts].sum())
        found: list[tuple[int, int, int, Ints, Ints]] = []
        for column in columns:
            if (filled := self._filled(column, rows)) is None:
                continue
            people = np.bincount(filled, minlength=int(self.table.frame.domain[column]))
            if (people >= FEWEST).sum() >= 2:
                both = np.bincount(filled * self.values + self.classes[rows])
                branches = int(self.weigh[people].sum())
                gain = before - branches + int(self.weigh[both].sum())
                found.append((gain, whole - branches, column, filled, people))
        total = sum(gain for gain, *_ in found)
        best: tuple[int, int, int, Ints, Ints] | None = None
        for each in found:
            worth = each[0] >= LEAST_GAIN and each[0] * len(found) >= total
            if worth and (best is None or each[0] * best[1] > best[0] * each[1]):
                best = each
        return None if best is None else best[2:]

    def _filled(self, column: int, rows: Ints) -> Ints | None:
        """Return the value that each row has or is taken for; None where fewer than two are known."""
        codes = self.table.frame.codes[column, rows]
        values: Ints = self.table.frame.leaf[codes].astype(np.int64)
        known = np.bincount(values[values >= 0], minlength=int(self.table.frame.domain[column]))
        if (known > 0).sum() < 2:
            return None
        for code in np.unique(codes[values < 0]).tolist():
            low, high = int(self.low[code]), int(self.high[code])
            values[codes == code] = low + int(np.argmax(known[low:high]))
        return values

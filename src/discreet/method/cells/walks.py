"""HID3 on any decision tree: the walk of a row is stopped by changing its own cells, as few as can be.

Guarantee: `GrownWalks.stop` finds a way to a leaf that does not tell the class whenever there is one, and no way
changes fewer cells; of several it takes the one that is walked first: deeper tests before those above them, the cell as
it is before coarser ones.

A tree is told by its branches alone (`Branches`): which column a node asks, and where each value, each group and the
unknown value go from there. So it may ask a column again and again, as binary tests do. A row that has gone one way at
a node above must go that way still when the cell becomes coarser below: only levels that do are taken. Every node is
looked at once at most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.method.cells.table import CellTable
from discreet.method.cells.value_ranges import ranges

if TYPE_CHECKING:
    from discreet.method.cells.hid3 import RowWalk

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
LEAF = -1


@dataclass(frozen=True)
class Branches:
    """A decision tree over the columns of a table: node 0 is the root."""

    column: Ints
    """The column that each node asks, `LEAF` at leaves."""
    at: Ints
    """Where the children of each node begin in `child`."""
    child: Ints
    """The child for each node of the column's tree of values, the unknown value first."""
    best: Flags
    """The classes of which none is likelier, for each node (nodes x values of the confidential column)."""


Grow = Callable[[CellTable, int, int, Sequence[int]], Branches]
"""Grows the tree of a table in the making: for a confidential column, among the classes below one of its nodes, from
predictors. Only rows with a known class may train it."""


@dataclass(frozen=True)
class GrownWalks:
    """A tree, and which classes its leaves tell."""

    branches: Branches
    telling: Flags
    """Whether a leaf tells a class, by its place among the candidates (nodes x candidates)."""

    def leaves(self, table: CellTable, rows: Ints) -> Ints:
        """Return the leaf that each of some rows comes to."""
        tree, codes = self.branches, table.frame.codes
        node = np.zeros(len(rows), dtype=np.int64)
        going = np.arange(len(rows))
        while len(going := going[tree.column[node[going]] != LEAF]):
            here = node[going]
            column = tree.column[here]
            node[going] = tree.child[tree.at[here] + codes[column, rows[going]] - table.first[column]]
        return node

    def tells(self, table: CellTable, row: int, true: int) -> bool:
        """Whether the tree tells the class of a row."""
        return bool(self.told(table, np.array([row], dtype=np.int64), np.array([true], dtype=np.int64))[0])

    def told(self, table: CellTable, rows: Ints, true: Ints) -> Flags:
        """Say of which rows the tree tells the class."""
        told: Flags = self.telling[self.leaves(table, rows), true]
        return told

    def stop(self, walk: RowWalk) -> bool:
        """Change cells of a row until the tree does not tell its class; it is as it was when that fails."""
        tree, chains = self.branches, _Chains(walk)
        found: dict[int, int] | None = None
        fewest = len(walk.codes) + 1
        todo: list[tuple[int, dict[int, int], dict[int, tuple[tuple[int, int], ...]]]] = [(0, {}, {})]
        while todo and fewest > 1:
            node, levels, taken = todo.pop()
            column = int(tree.column[node])
            if len(levels) >= fewest:
                continue
            if column == LEAF:
                if not self.telling[node, walk.true]:
                    found, fewest = levels, len(levels)
                continue
            before, at = taken.get(column, ()), int(tree.at[node])
            for child, level in reversed(self._ways(at, chains.of(column), levels.get(column, 0), before)):
                changed = {**levels, column: level} if level else levels
                todo.append((child, changed, {**taken, column: (*before, (at, child))}))
        if found is None:
            return False
        for column, level in found.items():
            walk.codes[column, walk.row] = chains.of(column)[level] + walk.table.first[column]
        return True

    def _ways(
        self, at: int, chain: Sequence[int], least: int, before: Sequence[tuple[int, int]]
    ) -> list[tuple[int, int]]:
        """Return the children that a cell can go to, each with the least level that goes there and as before above."""
        ways: dict[int, int] = {}
        for level in range(least, len(chain)):
            child = int(self.branches.child[at + chain[level]])
            if child not in ways and all(self.branches.child[above + chain[level]] == way for above, way in before):
                ways[child] = level
        return list(ways.items())


class _Chains:
    """What each cell of a row may become: itself, then coarser and coarser, the unknown value last."""

    def __init__(self, walk: RowWalk) -> None:
        self.walk = walk
        self._found: dict[int, list[int]] = {}

    def of(self, column: int) -> list[int]:
        """Return the nodes of a cell, counted in its own tree; itself alone where it must stay."""
        if column not in self._found:
            walk = self.walk
            first, code = int(walk.table.first[column]), int(walk.codes[column, walk.row])
            chain = [code - first]
            while not walk.table.frame.locked[column, walk.row] and (code := int(walk.step[code])) >= 0:
                chain.append(code - first)
            self._found[column] = chain
        return self._found[column]


class Walks:
    """The trees of a table in the making, grown anew when the rows they learn from have changed."""

    def __init__(self, table: CellTable, grow: Grow, *, strict: bool) -> None:
        self.table, self.grow, self.strict = table, grow, strict
        self.low, self.high = ranges(table)
        self._grown: dict[tuple[int, int, tuple[int, ...]], tuple[int, bytes, GrownWalks]] = {}

    def trees(self, column: int, row: int, predictors: Sequence[int]) -> tuple[GrownWalks, ...]:
        """Return the tree by which a row is guessed, for a confidential column: among the values below its class."""
        top, version = self.table.node(column, row), self.table.version[column]
        key = (column, top, tuple(predictors))
        known = self._grown.get(key)
        if known is None or known[0] != version:
            seen = self._training(column, top, predictors)
            tree = known[2] if known is not None and known[1] == seen else self._tree(column, top, predictors)
            known = self._grown[key] = (version, seen, tree)
        return (known[2],)

    def _training(self, column: int, top: int, predictors: Sequence[int]) -> bytes:
        """Return what tells rows that train the tree from others: the version changes for other rows as well."""
        frame, start = self.table.frame, int(self.table.first[column])
        codes = frame.codes[column]
        trains = (codes >= start + top) & (codes < frame.end[start + top]) & (frame.leaf[codes] >= 0)
        trains &= (frame.real == np.arange(self.table.rows)) & ~self.table.gone
        digest = blake2b(np.flatnonzero(trains).tobytes())
        for each in (column, *predictors):
            digest.update(frame.codes[each][trains].tobytes())
        return digest.digest()

    def _tree(self, column: int, top: int, predictors: Sequence[int]) -> GrownWalks:
        branches = self.grow(self.table, column, top, predictors)
        node = int(self.table.first[column]) + top
        best = branches.best[:, int(self.low[node]) : int(self.high[node])]
        single = best.sum(axis=1, keepdims=True) == 1
        return GrownWalks(branches, best if self.strict else best & single)

"""A greedy search against any adversary with probabilities: hide the cell of the row that lowers p(true value) most.

Guarantee: a cell whose outcome is `safe` or `done` is hidden, and the adversary, trained on the other rows of the table
as it is then, does not have its true value as the single best guess.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from discreet.method.cells.bayes import Ints, Outcome
from discreet.method.cells.table import CellTable

Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]
Guess = Callable[[Ints, Ints, Ints], tuple[Floats, Flags]]
"""From rows, class nodes and predictors' nodes (lines x predictors) to probabilities and which are best (lines x
values)."""
Learn = Callable[[CellTable, int, Sequence[int]], Sequence[Guess]]
"""Trains on the table in the making for a confidential column and its predictors: once for each meaning that the
adversary may give to what is told roughly."""


class Learned:
    """An adversary who learns anew whenever the rows it learns from have changed."""

    def __init__(self, table: CellTable, column: int, predictors: Sequence[int], learn: Learn, *, strict: bool) -> None:
        self.table, self.column, self.predictors, self.learn, self.strict = table, column, predictors, learn, strict
        self._version = -1
        self._guesses: Sequence[Guess] = ()

    def guesses(self, rows: Ints, hidden: Sequence[int] = ()) -> list[tuple[Floats, Flags]]:
        """Return what is guessed for some rows; for a single row also with one cell more hidden, for each of these."""
        if not self._guesses or self._version != self.table.version[self.column]:
            self._guesses = self.learn(self.table, self.column, self.predictors)
            self._version = self.table.version[self.column]
        codes, first = self.table.frame.codes, self.table.first
        lines = np.stack([codes[c, rows] - first[c] for c in self.predictors], axis=1).astype(np.int64)
        if hidden:
            lines = np.repeat(lines, len(hidden), axis=0)
            lines[np.arange(len(hidden)), [self.predictors.index(c) for c in hidden]] = 0
        levels = np.resize((codes[self.column, rows] - first[self.column]).astype(np.int64), len(lines))
        return [guess(np.resize(rows, len(lines)), levels, lines) for guess in self._guesses]

    def exposed(self, rows: Ints, actuals: Ints) -> Flags:
        """Say of which rows the true value (a leaf of the column's tree) is the single best guess."""
        places = self.table.frame.leaf[actuals + self.table.first[self.column]]
        found = np.zeros(len(rows), dtype=np.bool_)
        for _, best in self.guesses(rows):
            hit = best[np.arange(len(rows)), places]
            found |= hit if self.strict else hit & (best.sum(axis=1) == 1)
        return found

    def protect(self, row: int, actual: int) -> Outcome:
        """Hide cells of the row until its true value is not the single best guess."""
        table, here = self.table, np.array([row], dtype=np.int64)
        true = np.array([actual], dtype=np.int64)
        if not self.exposed(here, true)[0]:
            return Outcome("safe")
        place = int(table.frame.leaf[actual + int(table.first[self.column])])
        hidden: list[tuple[int, int]] = []
        while True:
            free = [c for c in self.predictors if table.node(c, row) and not table.frame.locked[c, row]]
            if not free:
                for column, node in hidden:
                    table.set(column, row, node)
                return Outcome("failed")
            weights = np.max([weights[:, place] for weights, _ in self.guesses(here, free)], axis=0)
            column = free[int(np.argmin(weights))]
            hidden.append((column, table.node(column, row)))
            table.set(column, row, 0)
            if not self.exposed(here, true)[0]:
                return Outcome("done", changes=np.array([(row, c) for c, _ in hidden], dtype=np.int64))

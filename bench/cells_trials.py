"""One confidential cell after the other, each by itself on a fresh table: what a method does, and who still guesses."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from cells_data import DELETE, GENERALISE, Data
from discreet.method.cells import bayes, hid3, kernels
from discreet.method.cells.chance import Chance, drawn, seeded
from discreet.method.cells.hid3 import Trees
from discreet.method.cells.job import Defence, Job, Ward
from discreet.method.cells.kernels import Guesser
from discreet.method.cells.table import Bayes, CellTable


class Bench:
    """A table in the making that is as it was after each trial; methods are named as in the thesis."""

    def __init__(self, data: Data, *, general: bool) -> None:
        self.data, self.general = data, general
        self.table = data.table(general=general)
        self.trees = Trees(self.table)
        self.options: Bayes = GENERALISE if general else DELETE
        self.guessers: dict[int, Guesser] = {
            column: self.table.guesser(column, data.predictors(column), self.options) for column in data.confidential
        }
        self.levels = max(int(tree.depth.max()) for tree in self.table.trees)

    def chances(self, number: int, seed: int) -> list[Chance]:
        return drawn(number, seeded(seed), self.levels)

    def actual(self, row: int, column: int) -> int:
        """Return the true value, a leaf of the column's tree."""
        return int(self.table.original[column, row] - self.table.first[column])

    @contextmanager
    def fresh(self) -> Iterator[CellTable]:
        """Give the table away, and put everything back afterwards."""
        yield self.table
        columns, rows = self.table.changed()
        for column, row in zip(columns.tolist(), rows.tolist(), strict=True):
            self.table.set(column, row, self.actual(row, column))

    def protect(self, method: str, row: int, column: int, chance: Chance) -> bool:
        """Protect a cell; return whether it holds (else the row would be deleted)."""
        name = method.removesuffix("-G").lower()
        actual = self.actual(row, column)
        if name == "hide":
            self.table.set(column, row, int(self.table.trees[column].parent[actual]))
            return True
        if "+" in name:
            return self._both(name, row, column, actual, chance)
        if name == "hid3":
            return hid3.protect(self.trees, column, self.data.predictors(column), row, actual, chance).holds
        return bayes.protect(self.table, self.guessers[column], row, actual, name, chance).holds

    def _both(self, name: str, row: int, column: int, actual: int, chance: Chance) -> bool:
        """Let two methods take turns: HID3+DECP and the like."""
        first, second = name.replace("-g", "").split("+")
        ward = Ward(
            column,
            self.data.predictors(column),
            (row,),
            (actual,),
            (Defence(first), Defence(second, self.options)),
            (chance,),
        )
        job = Job(self.table, [ward])
        job.run()
        return not job.failing

    def delete(self, row: int) -> None:
        """Blank a row."""
        for column in range(len(self.table.trees)):
            self.table.set(column, row, 0)

    def guessed_by_bayes(self, row: int, column: int) -> bool:
        actual = self.actual(row, column) + int(self.table.first[column])
        return bool(kernels.is_best(self.table.frame, self.guessers[column], row, actual))

    def guessed_by_tree(self, row: int, column: int) -> bool:
        tree = self.trees.tree(column, row, self.data.predictors(column))
        table = self.table
        place = int(table.frame.leaf[self.actual(row, column) + int(table.first[column])])
        return tree.guess(table, row) == place - int(tree.low[table.frame.codes[column, row]])


def times(data: Data, method: str, cells: Sequence[tuple[int, int]], seed: int) -> list[float]:
    """Return the CPU milliseconds of each cell, counts prepared; the tree of HID3 is grown beforehand as well."""
    bench = Bench(data, general=method.endswith("-G"))
    chances = bench.chances(len(cells), seed)
    found = []
    for (row, column), chance in zip(cells, chances, strict=True):
        with bench.fresh() as table:
            if method.startswith("HID3"):
                bench.protect("hide", row, column, chance)
                bench.trees.tree(column, row, data.predictors(column))
                table.set(column, row, bench.actual(row, column))
            begin = time.perf_counter()
            bench.protect(method, row, column, chance)
            found.append(1000 * (time.perf_counter() - begin))
    return found

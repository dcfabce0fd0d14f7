"""One confidential cell after the other, each by itself on a fresh table: what a method does, and who still guesses."""

from __future__ import annotations

import importlib
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from cells_data import DATA, DELETE, GENERALISE, Data
from discreet.adversary.view import Tree
from discreet.chance import chance_from
from discreet.measure.cells import CellMeasures, ChangedColumn, measure
from discreet.method.cells import bayes, hid3, kernels, many
from discreet.method.cells.chance import Chance, drawn
from discreet.method.cells.hid3 import Trees
from discreet.method.cells.job import Defence, Job, Ward
from discreet.method.cells.kernels import Guesser
from discreet.method.cells.table import Bayes, CellTable
from discreet.method.cells.trees import ValueTree

Floats = npt.NDArray[np.float64]
CODINGS = ("one-hot", "integer")
CLASSIFIERS = ("naive Bayes", "ID3", *(f"SVM {coding}" for coding in CODINGS))
OWN = ("hide", "DROPP", "HID3", "NRD")
"""Methods that change nothing but the row itself (HID3+DECP is no such, but is not shown to an SVM)."""


@dataclass(frozen=True)
class Many:
    """Several cells on one table: changed cells, deleted rows, and cells that a later change exposed again."""

    changed: int
    deleted: int
    exposed: int


def as_seen(tree: ValueTree) -> Tree:
    """Return the values of a column as the measures want them."""
    is_leaf = np.zeros(len(tree.parent), dtype=np.int64)
    is_leaf[tree.leaves] = 1
    before = np.concatenate([[0], np.cumsum(is_leaf)])
    names = [texts[0] if texts else "" for texts in tree.texts]
    return Tree(
        tuple(names[leaf] for leaf in tree.leaves.tolist()),
        tree.parent.astype(np.int64),
        before[np.arange(len(tree.parent))],
        before[tree.end],
        {name: node for node, name in enumerate(names) if node},
    )


def numbered(tree: Tree, coding: str) -> Floats:
    """Return the numbers of each node for an SVM: one for each value, or the place of the value in the domain from 1.

    The root is 0, a group the mean of its values.
    """
    values = len(tree.domain)
    lines = np.eye(values) if coding == "one-hot" else np.arange(1.0, values + 1)[:, None]
    found = [
        lines[first:stop].mean(axis=0) for first, stop in zip(tree.first.tolist(), tree.stop.tolist(), strict=True)
    ]
    found[0] = np.zeros(lines.shape[1])
    return np.array(found)


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
        self.seen = [as_seen(tree) for tree in self.table.trees]
        self.numbers = {coding: [numbered(tree, coding) for tree in self.seen] for coding in CODINGS}

    def chances(self, number: int, seed: int) -> list[Chance]:
        return drawn(number, chance_from(seed), self.levels)

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
            deletes=not self.general,
        )
        job = Job(self.table, [ward])
        job.run()
        return not job.failing

    def delete(self, row: int) -> None:
        """Blank a row."""
        for column in range(len(self.table.trees)):
            self.table.set(column, row, 0)

    def coded(self, coding: str, column: int) -> Floats:
        """Return the predictors of a column as numbers; an unknown cell is 0, a group is shared evenly."""
        codes = self.table.frame.codes
        return np.concatenate(
            [self.numbers[coding][c][codes[c] - self.table.first[c]] for c in self.data.predictors(column)], axis=1
        )

    def measures(self) -> CellMeasures:
        """Return the measures of the whole table as it is."""
        columns = [
            ChangedColumn(
                tree,
                self.table.original[c].astype(np.int64) - first,
                self.table.frame.codes[c].astype(np.int64) - first,
            )
            for c, (tree, first) in enumerate(zip(self.seen, self.table.first.tolist(), strict=False))
        ]
        return measure(columns, set(self.data.confidential))

    def e_decp(self, cells: Sequence[tuple[int, int]], chances: Sequence[Chance]) -> list[tuple[int, int]]:
        """Protect cells of one column and value at once; return those that failed."""
        column, rows = cells[0][1], [row for row, _ in cells]
        outcomes = many.e_decp(self.table, self.guessers[column], rows, self.actual(rows[0], column), chances)
        return [(row, column) for row in rows if not outcomes[row].holds]

    def e_dropp(self, cells: Sequence[tuple[int, int]], chances: Sequence[Chance]) -> list[tuple[int, int]]:
        """Protect the cells of each row at once; return those that failed."""
        by_row: dict[int, dict[int, Chance]] = {}
        for (row, column), chance in zip(cells, chances, strict=True):
            by_row.setdefault(row, {})[column] = chance
        failed = []
        for row, of_row in by_row.items():
            guessers = {column: self.guessers[column] for column in of_row}
            actuals = {column: self.actual(row, column) for column in of_row}
            outcomes = many.e_dropp(self.table, guessers, row, actuals, of_row)
            failed += [(row, column) for column, outcome in outcomes.items() if not outcome.holds]
        return failed

    def ended(self, cells: Sequence[tuple[int, int]], failed: Sequence[tuple[int, int]]) -> Many:
        """Delete the rows that failed; return the changes, these rows, and the cells that are guessed after all."""
        gone = {row for row, _ in failed}
        for row in gone:
            self.delete(row)
        exposed = sum(self.guessed_by_bayes(row, column) for row, column in cells if row not in gone)
        return Many(len(self.table.changed()[0]), len(gone), exposed)

    def guessed_by_bayes(self, row: int, column: int) -> bool:
        actual = self.actual(row, column) + int(self.table.first[column])
        return bool(kernels.is_best(self.table.frame, self.guessers[column], row, actual))

    def guessed_by_tree(self, row: int, column: int) -> bool:
        tree = self.trees.tree(column, row, self.data.predictors(column))
        table = self.table
        place = int(table.frame.leaf[self.actual(row, column) + int(table.first[column])])
        return tree.guess(table, row) == place - int(tree.low[table.frame.codes[column, row]])


def times(data: Data, method: str, cells: Sequence[tuple[int, int]], seed: int, *, grown: bool = False) -> list[float]:
    """Return the CPU milliseconds of each cell, counts prepared; with `grown`, HID3 has its tree beforehand as well."""
    bench = Bench(data, general=method.endswith("-G"))
    chances = bench.chances(len(cells), seed)
    found = []
    for (row, column), chance in zip(cells, chances, strict=True):
        with bench.fresh():
            if grown:
                bench.protect("hide", row, column, chance)
                bench.trees.tree(column, row, data.predictors(column))
            begin = time.process_time()
            bench.protect(method, row, column, chance)
            found.append(1000 * (time.process_time() - begin))
    return found


@dataclass
class Tally:
    """What became of the cells of one run by one method; a cell whose row was deleted is guessed by nobody."""

    cells: int = 0
    deleted: int = 0
    changed: int = 0
    """Cells that were changed, all in all."""
    guessed: dict[str, int] = field(default_factory=lambda: dict.fromkeys(CLASSIFIERS, 0))

    def success(self, classifier: str, *, deleted: bool = False) -> float:
        """Return the share of cells that are not guessed, in per cent; a deleted row is a failure unless said."""
        held = self.cells - self.guessed[classifier] - (0 if deleted else self.deleted)
        return 100 * held / self.cells

    @property
    def average(self) -> float:
        """The average direct distance."""
        return self.changed / self.cells


def one_run(name: str, methods: Sequence[str], number: int, seed: int, *, svm: bool = True) -> dict[str, Tally]:
    """Protect cells drawn at random, each by itself on a fresh table, by each method; ask all classifiers.

    "hide" and "hide-G" change the cell only, "NRD" blanks its row.
    """
    data = DATA[name]()
    cells = data.cells(number, np.random.default_rng(seed))
    found = {method: Tally() for method in methods}
    for general in (False, True):
        mine = [method for method in methods if method.endswith("-G") == general]
        if mine:
            bench = Bench(data, general=general)
            chances = bench.chances(len(cells), seed)
            for (row, column), chance in zip(cells, chances, strict=True):
                learned = Learned(bench, row, column) if svm else None
                for method in mine:
                    _one_cell(bench, learned, method, row, column, chance, found[method])
    return found


def _one_cell(
    bench: Bench, learned: Learned | None, method: str, row: int, column: int, chance: Chance, tally: Tally
) -> None:
    with bench.fresh() as table:
        tally.cells += 1
        if method == "NRD" or not bench.protect(method, row, column, chance):
            bench.delete(row)
            tally.deleted += 1
        elif learned is not None or method.startswith("HID3+"):
            guessed = {"naive Bayes": bench.guessed_by_bayes(row, column), "ID3": bench.guessed_by_tree(row, column)}
            if learned is not None:
                guessed |= learned.guessed(method.startswith(OWN))
            for classifier, hit in guessed.items():
                tally.guessed[classifier] += hit
        tally.changed += len(table.changed()[0])


class Learned:
    """Linear SVMs for one cell, one-hot and integer coded; where only the row itself changes they learn but once."""

    def __init__(self, bench: Bench, row: int, column: int) -> None:
        self.bench, self.row, self.column = bench, row, column
        self.models: dict[tuple[str, int], Any] = {}

    def guessed(self, own: bool) -> dict[str, bool]:
        """Say whether each guesses the cell on the table as it is; `own`: only the row itself was changed."""
        bench, row, column = self.bench, self.row, self.column
        table = bench.table
        top, true = table.node(column, row), bench.actual(row, column)
        nodes = table.frame.codes[column] - table.first[column]
        tree = table.trees[column]
        learns = (nodes >= top) & (nodes < tree.end[top]) & (tree.children[nodes] == 0) & (nodes > 0)
        learns[row] = False
        found = {}
        for coding in CODINGS:
            inputs = bench.coded(coding, column)
            model = self.models.get((coding, top)) if own else None
            if model is None:
                model = fitted(inputs[learns], nodes[learns])
                if own:
                    self.models[coding, top] = model
            found[f"SVM {coding}"] = model is not None and int(model(inputs[row : row + 1])) == true
        return found


def fitted(inputs: Floats, classes: npt.NDArray[np.int32]) -> Callable[[Floats], int] | None:
    """Return a linear SVM as a guess; None if there is nobody to learn from."""
    present = np.unique(classes)
    if len(present) < 2:
        return None if not len(present) else lambda _: int(present[0])
    # By name: the package is optional and has no types.
    model = importlib.import_module("sklearn.svm").LinearSVC(random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it did not converge changes nothing here
        model.fit(inputs, classes)
    return lambda line: int(model.predict(line)[0])


def together(name: str, method: str, number: int, steps: Sequence[int], seed: int) -> list[CellMeasures]:
    """Protect cells drawn at random one after the other on one table; return its measures after each step."""
    data = DATA[name]()
    bench = Bench(data, general=method.endswith("-G"))
    cells = data.cells(number, np.random.default_rng(seed))
    found = []
    for done, ((row, column), chance) in enumerate(zip(cells, bench.chances(len(cells), seed), strict=True), 1):
        blank = not any(bench.table.node(c, row) for c in range(len(data.columns)))
        if not blank and (method == "NRD" or not bench.protect(method, row, column, chance)):
            bench.delete(row)
        if done in steps:
            found.append(bench.measures())
    return found


def shared(name: str, method: str, number: int, most: int, seed: int) -> tuple[Many, Many]:
    """Protect the first of `most` cells one by one on one table, and all at once by the enhanced method.

    e-DECP: rows of one column and value; e-DROPP: five cells of each row. All are drawn at random.
    """
    data = DATA[name]()
    rng = np.random.default_rng(seed)
    cells = (same_value(data, most, rng) if "DECP" in method else same_rows(data, most, rng))[:number]
    general = method.endswith("-G")
    single, enhanced = Bench(data, general=general), Bench(data, general=general)
    chances = single.chances(len(cells), seed)
    failed = [cell for cell, chance in zip(cells, chances, strict=True) if not single.protect(method, *cell, chance)]
    failing = enhanced.e_decp(cells, chances) if "DECP" in method else enhanced.e_dropp(cells, chances)
    return single.ended(cells, failed), enhanced.ended(cells, failing)


def same_value(data: Data, number: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """Return cells of one column with one value, both drawn among those with enough rows."""
    places: dict[tuple[int, str], list[int]] = {}
    for column in data.confidential:
        for row, value in enumerate(data.columns[column]):
            if value is not None:
                places.setdefault((column, value), []).append(row)
    enough = [key for key, rows in places.items() if len(rows) >= number]
    key = enough[int(rng.integers(len(enough)))]
    return [(int(row), key[0]) for row in rng.choice(places[key], number, replace=False)]


def same_rows(data: Data, number: int, rng: np.random.Generator, each: int = 5) -> list[tuple[int, int]]:
    """Return so many known cells of each of some rows."""
    known = {row: [c for c in data.confidential if data.columns[c][row] is not None] for row in range(data.rows)}
    each = min(each, len(data.confidential))
    able = [row for row, columns in known.items() if len(columns) >= each]
    rows = rng.choice(able, number // each, replace=False).tolist()
    return [(row, int(c)) for row in rows for c in np.sort(rng.choice(known[row], each, replace=False))]


if __name__ == "__main__":
    print(__doc__)

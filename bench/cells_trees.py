"""HID3 beside the greedy search, against trees that are not ID3: cells changed, cells held, time. For `cells.py`.

Each cell is protected by itself on a fresh table, against CART of scikit-learn (`decision_tree`) and C4.5 (`c45`).
A cell holds when the adversary, trained anew on the table as it is then, does not have its value as the single best
guess; a row that a method gives up is counted apart.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from cells_data import DATA, Data
from cells_trials import Bench
from discreet.adversary.cart import branches
from discreet.adversary.make import make
from discreet.adversary.view import Lines, Seen, View
from discreet.method.cells import c45, hid3
from discreet.method.cells.bayes import Ints
from discreet.method.cells.chance import Chance
from discreet.method.cells.greedy import Flags, Floats, Guess, Learned
from discreet.method.cells.table import CellTable
from discreet.method.cells.walks import LEAF, Branches, Grow, Walks
from discreet.policy.adversaries import C45, Adversary, Learner
from evaluation import print_table

ADVERSARIES: dict[str, Adversary] = {"decision_tree": Learner(name="decision_tree"), "c45": C45()}
WAYS = ("hide", "HID3", "greedy", "HID3-G")


@dataclass
class TreeTally:
    """What became of the cells of one method; `needed` are those that are guessed when only they are hidden."""

    cells: int = 0
    needed: int = 0
    held: int = 0
    given_up: int = 0
    changed: int = 0
    """Cells that were changed beside the confidential one, where the method held."""
    seconds: float = 0.0


class TreeBench(Bench):
    """A table in the making, and a tree that guesses on it."""

    def __init__(self, data: Data, name: str, *, general: bool) -> None:
        super().__init__(data, general=general)
        self.adversary = ADVERSARIES[name]
        grow: Grow = c45.grow if name == "c45" else self._cart
        self.walks = Walks(self.table, grow, strict=False)

    def view(self, column: int, predictors: Sequence[int]) -> View:
        """Return the table as it is now."""

        def now(place: int) -> Seen:
            codes = self.table.frame.codes[place] - self.table.first[place]
            return Seen(str(place), self.seen[place], codes.astype(np.int32))

        return View(now(column), tuple(now(place) for place in predictors))

    def _cart(self, table: CellTable, column: int, top: int, predictors: Sequence[int]) -> Branches:
        del table
        grown = branches(self.view(column, predictors), top)
        return Branches(np.array([*predictors, LEAF])[grown.predictor], grown.at, grown.child, grown.best)

    def learn(self, table: CellTable, column: int, predictors: Sequence[int]) -> list[Guess]:
        """Train the adversary for the greedy search."""
        del table
        trained = make(self.adversary).train(self.view(column, predictors))

        def guess(rows: Ints, levels: Ints, nodes: Ints) -> tuple[Floats, Flags]:
            found = trained.guess(Lines(rows, levels, nodes))
            return found.weights, found.best

        return [partial(guess)]

    def is_guessed(self, row: int, column: int) -> bool:
        """Whether the adversary, trained anew, has the value as the single best guess."""
        view = self.view(column, self.data.predictors(column))
        true = self.table.frame.leaf[self.actual(row, column) + int(self.table.first[column])]
        lines = view.lines(np.array([row], dtype=np.int64))
        return bool(make(self.adversary).train(view).guess(lines).exposes(np.array([true], dtype=np.int64))[0])

    def protect_by(self, way: str, row: int, column: int, chance: Chance) -> bool:
        """Protect a cell; return whether a way was found."""
        actual, predictors = self.actual(row, column), self.data.predictors(column)
        if way == "greedy":
            self.table.set(column, row, 0)
            return Learned(self.table, column, predictors, self.learn, strict=False).protect(row, actual).holds
        return hid3.protect(self.walks, column, predictors, row, actual, chance, deletes=not self.general).holds


def tree_run(data: Data, name: str, way: str, number: int, seed: int) -> TreeTally:
    """Protect cells drawn at random, each by itself on a fresh table."""
    bench = TreeBench(data, name, general=way.endswith("-G"))
    cells = data.cells(number, np.random.default_rng(seed))
    found = TreeTally()
    for (row, column), chance in zip(cells, bench.chances(len(cells), seed), strict=True):
        with bench.fresh() as table:
            bench.protect("hide", row, column, chance)
            needed = bench.is_guessed(row, column)
            table.set(column, row, bench.actual(row, column))
            begin = time.perf_counter()
            held = bench.protect("hide", row, column, chance) if way == "hide" else True
            if way != "hide":
                held = bench.protect_by(way, row, column, chance)
            found.seconds += time.perf_counter() - begin
            found.cells += 1
            found.needed += needed
            found.given_up += not held
            if held:
                found.held += not bench.is_guessed(row, column)
                found.changed += len(table.changed()[0]) - 1
    return found


def print_trees(names: Sequence[str], runs: int, cells: int) -> None:
    """Print HID3 beside greedy for both trees on each data set."""
    for name in names:
        data = DATA[name]()
        for tree in ADVERSARIES:
            lines = []
            for way in WAYS if any(data.groups) else WAYS[:-1]:
                of = [tree_run(data, tree, way, cells, seed) for seed in range(1, runs + 1)]
                total = sum(tally.cells for tally in of)
                kept = total - sum(tally.given_up for tally in of)
                lines.append(
                    [way,
                     f"{100 * sum(t.needed for t in of) / total:.0f}",
                     f"{100 * sum(t.held for t in of) / total:.1f}",
                     f"{100 * sum(t.given_up for t in of) / total:.1f}",
                     f"{sum(t.changed for t in of) / max(kept, 1):.2f}",
                     f"{1000 * sum(t.seconds for t in of) / total:.1f}"]
                )  # fmt: skip
            header = ["", "guessed if only hidden, %", "held, %", "given up, %", "cells changed besides", "ms a cell"]
            print_table(f"{data.title}, against {tree}: {runs} runs of {cells} cells", header, lines)


if __name__ == "__main__":
    print(__doc__)

"""The data of bench/blind.py, the cells that are drawn, and the learners that guess them.

Wisconsin breast cancer and Car as in `cells_data`. Adult by the recipe of the specification: complete rows of the first
file, 2,600 of them, ages and hours in tens, three countries. Credit Approval and German Credit as in `paper_data`.
Sensitive are the columns with more than two values, of Adult the second to the sixth.
"""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

import cells_data
import paper_data
from adult import NAMES, data_folder

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
MISSING = "?"
ADULT = ("age", "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "hours",
         "country", "class")  # fmt: skip
ADULT_ROWS = 2_600


@dataclass(frozen=True)
class BlindData:
    """A data set by rows of texts; `sensitive` are places of columns."""

    name: str
    title: str
    names: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    sensitive: tuple[int, ...]

    def cells(self, number: int, seed: int) -> list[tuple[int, int]]:
        """Return (row, column) of known cells: rows drawn at random, in each one sensitive column."""
        rng = np.random.default_rng(seed)
        found = []
        for row in rng.choice(len(self.rows), min(number, len(self.rows)), replace=False).tolist():
            known = [column for column in self.sensitive if self.rows[row][column] != MISSING]
            found.append((row, int(rng.choice(known))))
        return found

    def as_cells(self) -> cells_data.Data:
        """Return the same for the thesis's methods."""
        columns = tuple(
            tuple(None if text == MISSING else text for text in column) for column in zip(*self.rows, strict=True)
        )
        domains = tuple(tuple(sorted({text for text in column if text is not None})) for column in columns)
        return cells_data.Data(self.name, self.title, columns, domains, ((),) * len(columns))


def _of_cells(data: cells_data.Data) -> BlindData:
    rows = tuple(tuple(MISSING if text is None else text for text in row) for row in zip(*data.columns, strict=True))
    names = tuple(f"c{place + 1}" for place in range(len(data.columns)))
    return BlindData(data.name, data.title, names, rows, data.confidential)


@cache
def adult() -> BlindData:
    """Return Adult by the recipe."""
    lines = [line.split(", ") for line in (data_folder() / "adult.data").read_text().splitlines() if line.strip()]
    lines = [line for line in lines if MISSING not in line]
    at = {name: NAMES.index(name) for name in NAMES}
    rows = []
    for place in np.random.default_rng(0).choice(len(lines), ADULT_ROWS, replace=False).tolist():
        line = lines[place]
        country = line[at["native-country"]]
        middle = [line[at[name]] for name in ADULT[1:8]]
        hours = min(int(line[at["hours-per-week"]]) // 10, 6)
        country = country if country in ("United-States", "Mexico") else "other"
        rows.append((str(int(line[at["age"]]) // 10), *middle, str(hours), country, line[at["income"]]))
    return BlindData("adult", "Adult", ADULT, tuple(rows), tuple(range(1, 6)))


@cache
def _of_paper(name: str) -> BlindData:
    made = paper_data.BENCHMARKS[name]()
    sensitive = tuple(place for place, column in enumerate(made.table.columns) if made.table[column].n_unique() > 2)
    return BlindData(name, made.name, tuple(made.table.columns), tuple(made.table.rows()), sensitive)


DATA: dict[str, Callable[[], BlindData]] = {
    "wbc": lambda: _of_cells(cells_data.wbc()),
    "adult": adult,
    "car": lambda: _of_cells(cells_data.car()),
}
CONFIRMING: dict[str, Callable[[], BlindData]] = {
    "crx": lambda: _of_paper("crx"),
    "german": lambda: _of_paper("german"),
}


# Learners: probabilities of the classes for rows of codes


def naive_bayes(rows: Ints, sizes: Ints, classes: Ints, values: int, asked: Ints) -> Floats:
    """Laplace 1, as everybody has it."""
    having = np.bincount(classes, minlength=values)
    logs = np.tile(np.log((having + 1) / (having.sum() + values)), (len(asked), 1))
    for place, size in enumerate(sizes.tolist()):
        counts = np.zeros((size, values))
        np.add.at(counts, (rows[:, place], classes), 1)
        logs += np.log((counts + 1) / (having + size))[asked[:, place]]
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _learner(name: str) -> Any:
    def part(module: str) -> Any:  # by name: the package is optional and has no types
        return importlib.import_module(f"sklearn.{module}")

    makers: dict[str, Callable[[], Any]] = {
        "tree": lambda: part("tree").DecisionTreeClassifier(criterion="entropy", random_state=0),
        "logistic": lambda: part("linear_model").LogisticRegression(max_iter=60),
        "forest": lambda: part("ensemble").RandomForestClassifier(30, random_state=0),
        "nearest": lambda: part("neighbors").KNeighborsClassifier(10),
        "boosting": lambda: part("ensemble").HistGradientBoostingClassifier(max_iter=20, random_state=0),
    }
    return makers[name]()


def guess(name: str, rows: Ints, sizes: Ints, classes: Ints, values: int, asked: Ints) -> Floats:
    """Train a learner on rows of codes and their classes; return the probabilities of all classes (asked x values)."""
    if name == "Bayes":
        return naive_bayes(rows, sizes, classes, values, asked)
    present = np.unique(classes)
    if len(present) < 2 or not rows.shape[1]:
        shares = np.bincount(classes, minlength=values) / len(classes)
        return np.tile(shares, (len(asked), 1))
    numbers = [rows, asked]
    if name in ("logistic", "nearest"):  # a number for each value; trees ask for codes, one place after the other
        eyes = [np.eye(size, dtype=np.float32) for size in sizes.tolist()]
        numbers = [np.hstack([eye[part[:, place]] for place, eye in enumerate(eyes)]) for part in (rows, asked)]
    learner = _learner(name)
    if name == "nearest":
        learner.n_neighbors = min(10, len(rows))
    found = np.zeros((len(asked), values))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that it did not converge changes nothing here
        learner.fit(numbers[0], classes)
        found[:, learner.classes_] = learner.predict_proba(numbers[1])
    return found


if __name__ == "__main__":
    print(__doc__)

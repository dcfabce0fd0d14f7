"""The data of Hintoglu's experiments as tables in the making, and what the thesis prints about them.

Wisconsin breast cancer: ten columns (the id is left out), "?" is unknown, values 1 to 10 in the groups 1-3, 4-6 and
7-10 (the thesis does not give its taxonomy). Car: seven columns, no taxonomies. Every other column predicts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from adult import data_folder
from discreet.method.cells.table import Bayes, CellTable
from discreet.method.cells.trees import ValueTree, coded, flat, from_nested

GUESSES = 3
"""k of Top-k; the thesis does not give it."""
DELETE, GENERALISE = Bayes("count", guesses=GUESSES), Bayes("spread", guesses=GUESSES)

TIMES = {
    "wbc": {"DECP": 0.129, "INCP": 0.127, "DROPP": 0.131, "HID3": 0.129,
            "DECP-G": 0.159, "INCP-G": 0.160, "DROPP-G": 0.169, "HID3-G": 0.159},
    "car": {"DECP": 0.036, "INCP": 0.036, "DROPP": 0.037, "HID3": 0.036},
}  # fmt: skip
"""Table 5.2: milliseconds a cell, C++, 2.67 GHz, tables prepared beforehand."""
SUCCESS = {
    "wbc": {"DECP": (100, 77, 41), "INCP": (100, 75, 41), "DROPP": (100, 90, 89), "HID3": (84, 100, 86),
            "DECP-G": (100, 74, 40), "INCP-G": (100, 73, 39), "DROPP-G": (100, 85, 87), "HID3-G": (81, 100, 84)},
    "car": {"DECP": (100, 86, 65), "INCP": (100, 84, 56), "DROPP": (100, 85, 88), "HID3": (65, 100, 80)},
}  # fmt: skip
"""Table 5.3: per cent of successful suppressions against naive Bayes, ID3 and a linear SVM."""
DELETING = ("DECP", "INCP", "DROPP", "HID3")
GENERALISING = tuple(f"{method}-G" for method in DELETING)


@dataclass(frozen=True)
class Data:
    """A data set by columns; `groups` are the taxonomies' groups of each column, none where they are empty."""

    name: str
    title: str
    columns: tuple[tuple[str | None, ...], ...]
    domains: tuple[tuple[str, ...], ...]
    groups: tuple[tuple[tuple[str, ...], ...], ...]

    @property
    def rows(self) -> int:
        return len(self.columns[0])

    @property
    def confidential(self) -> tuple[int, ...]:
        """The columns with more than two values, as in the thesis."""
        return tuple(place for place, domain in enumerate(self.domains) if len(domain) > 2)

    @property
    def methods(self) -> tuple[str, ...]:
        return (*DELETING, *GENERALISING) if any(self.groups) else DELETING

    def predictors(self, column: int) -> tuple[int, ...]:
        return tuple(place for place in range(len(self.columns)) if place != column)

    def tree(self, column: int, *, general: bool) -> ValueTree:
        domain, groups = self.domains[column], self.groups[column]
        if not general or not groups:
            return flat(domain)
        return from_nested({f"{group[0]}-{group[-1]}": {value: {} for value in group} for group in groups})

    def table(self, *, general: bool) -> CellTable:
        """Return a fresh table with all counts prepared."""
        trees = [self.tree(column, general=general) for column in range(len(self.columns))]
        nodes = [coded(values, tree, [None]) for values, tree in zip(self.columns, trees, strict=True)]
        return CellTable(nodes, trees, self.confidential)

    def cells(self, number: int, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Return (row, column) of known cells drawn at random."""
        known = [(row, c) for c in self.confidential for row, value in enumerate(self.columns[c]) if value is not None]
        return [known[place] for place in rng.choice(len(known), min(number, len(known)), replace=False)]

    def one_of_each_row(self, rng: np.random.Generator) -> list[tuple[int, int]]:
        """Return a known cell of each row, drawn at random."""
        found = []
        for row in range(self.rows):
            known = [c for c in self.confidential if self.columns[c][row] is not None]
            found.append((row, int(rng.choice(known))))
        return found


@cache
def wbc() -> Data:
    rows = [line.split(",")[1:] for line in _lines("breast-cancer-wisconsin.data")]
    columns = _columns(rows)
    ten = tuple(str(number) for number in range(1, 11))
    groups = (ten[:3], ten[3:6], ten[6:])
    return Data("wbc", "Wisconsin breast cancer", columns, (*[ten] * 9, ("2", "4")), (*[groups] * 9, ()))


@cache
def car() -> Data:
    columns = _columns([line.split(",") for line in _lines("car.data")])
    domains = tuple(tuple(sorted({value for value in column if value is not None})) for column in columns)
    return Data("car", "Car evaluation", columns, domains, ((),) * len(columns))


DATA = {"wbc": wbc, "car": car}


def _lines(name: str) -> list[str]:
    return [line for line in (data_folder(name) / name).read_text().splitlines() if line.strip()]


def _columns(rows: Sequence[Sequence[str]]) -> tuple[tuple[str | None, ...], ...]:
    return tuple(tuple(None if value == "?" else value for value in column) for column in zip(*rows, strict=True))


if __name__ == "__main__":
    print(__doc__)

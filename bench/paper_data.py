"""The data sets of the papers as they use them, their templates, and what the papers print about them.

Categorical columns and the class, rows with a missing value left out. The sensitive properties of a column are
its floor(n/2) least frequent values; everything that is neither sensitive nor the class is known to the adversary.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

import discreet as d
from adult import CATEGORIES, complete_rows, data_folder, rarest

THRESHOLDS = (10, 30, 50, 70, 90)
"""Per cent."""
GERMAN = {
    "account-status": 1, "credit-history": 3, "loan-purpose": 4, "savings-account": 6, "employment": 7,
    "personal-status": 9, "debtors": 10, "property": 12, "installments": 14, "housing": 15, "job": 17,
    "telephone": 19, "foreign": 20, "class": 21,
}  # fmt: skip
"""Its categorical columns by their place in the file."""


@dataclass(frozen=True)
class Benchmark:
    """A data set, and what the papers say about it.

    `top` are the columns of TopN in the papers' order, `averaged` the thresholds of their means. The first
    `train` rows are the training part; when `split_known` is false the papers' split is not known.
    """

    name: str
    table: pl.DataFrame
    train: int
    top: tuple[str, ...]
    averaged: tuple[int, ...]
    base_error: float
    cannot: frozenset[tuple[int, int]]
    split_known: bool = True
    inferences: Mapping[str, tuple[tuple[str, ...], tuple[str, ...], tuple[int, ...]]] = field(default_factory=dict)

    @property
    def target(self) -> str:
        return self.table.columns[-1]

    @property
    def columns(self) -> list[str]:
        return self.table.columns[:-1]

    def known(self, sensitive: Sequence[str]) -> list[str]:
        return [column for column in self.columns if column not in sensitive]

    def splits(self, number: int, seed: int) -> list[NDArray[np.intp]]:
        """Return orders of the rows, training part first: the papers' if it is known, else drawn at random."""
        if self.split_known:
            return [np.arange(len(self.table))]
        rng = np.random.default_rng(seed)
        return [rng.permutation(len(self.table)) for _ in range(number)]


@cache
def crx() -> Benchmark:
    """Credit Approval, also called Japanese Credit Screening."""
    folder = data_folder("crx-split/crx.data") / "crx-split"
    lines = [line.split(",") for part in ("crx.data", "crx.test") for line in (folder / part).read_text().splitlines()]
    names = [f"A{place}" for place in range(1, 16)] + ["class"]
    table = pl.DataFrame([line for line in lines if "?" not in line], schema=names, orient="row")
    categories = ["A1", "A4", "A5", "A6", "A7", "A9", "A10", "A12", "A13"]
    top = ("A9", "A10", "A7", "A6")
    return Benchmark(
        name="CRX",
        table=table.select(*categories, "class"),
        train=465,
        top=top,
        averaged=(50, 70, 90),
        base_error=15.4,
        cannot=frozenset((number, h) for number in range(1, 5) for h in (10, 30)),
        inferences={"Top4": (tuple(c for c in categories if c not in top), top, (40, 27, 15, 8, 6))},
    )


@cache
def german() -> Benchmark:
    """German Credit. Which 666 rows the papers trained on is not known."""
    lines = [line.split() for line in (data_folder("german.data") / "german.data").read_text().splitlines()]
    table = pl.DataFrame({name: [line[place - 1] for line in lines] for name, place in GERMAN.items()})
    top = ("account-status", "credit-history", "savings-account", "installments", "loan-purpose", "debtors")
    known = tuple(column for column in table.columns[:-1] if column not in top)
    return Benchmark(
        name="German",
        table=table,
        train=666,
        top=top,
        averaged=(30, 50, 70, 90),
        base_error=28.8,
        cannot=frozenset((number, 10) for number in range(1, 7)),
        split_known=False,
        inferences={"Top6": (known, top, (496, 337, 174, 162, 161))},
    )


@cache
def adult() -> Benchmark:
    """Adult. Its printed numbers of inferences come from other columns than the text names."""
    top = ("marital-status", "relationship", "education", "sex")
    known = tuple(column for column in CATEGORIES if column not in top)
    printed = (1333, 786, 365, 324, 318)
    return Benchmark(
        name="Adult",
        table=complete_rows(),
        train=30_162,
        top=top,
        averaged=THRESHOLDS,
        base_error=17.6,
        cannot=frozenset({(2, 10), (3, 10), (4, 10), (4, 30)}),
        inferences={
            "Top4, as the text describes it": (known, top, printed),
            "M, Re, E given W, O, S, Nc": (("workclass", "occupation", "sex", "native-country"), top[:3], printed),
        },
    )


BENCHMARKS = {"crx": crx, "german": german, "adult": adult}


def properties(table: pl.DataFrame, column: str) -> list[str]:
    """Return the sensitive values of a column: the less frequent half."""
    return rarest(table, column, table[column].n_unique() // 2)


def policy(benchmark: Benchmark, sensitive: Sequence[str], threshold: int) -> d.Policy:
    """Return the papers' policy: nothing known lets anyone infer a property with more than `threshold` per cent."""
    known = benchmark.known(sensitive)
    templates = [
        d.Template(given=known, infer={column: properties(benchmark.table, column)}, at_most=f"{threshold}%")
        for column in sensitive
    ]
    return d.Policy(use=d.Classify(benchmark.target), protect=templates)


def inferences_above(table: pl.DataFrame, known: Sequence[str], sensitive: Sequence[str]) -> tuple[int, ...]:
    """Return for each threshold how many pairs of a combination of known values and a property have a larger share."""
    hits = [
        (pl.col(column) == value).sum().alias(f"{column}={value}")
        for column in sensitive
        for value in properties(table, column)
    ]
    groups = table.group_by(known).agg(pl.len().alias("rows"), *hits)
    counts = groups.select(pl.exclude("rows", *known)).to_numpy().astype(np.int64)
    sizes = groups["rows"].to_numpy().astype(np.int64)[:, None]
    return tuple(int(np.count_nonzero(counts * 100 > sizes * threshold)) for threshold in THRESHOLDS)


def hidden_cells(table: pl.DataFrame, release: pl.DataFrame) -> int:
    """Return how many cells differ."""
    return sum(int((table[column] != release[column]).sum()) for column in table.columns)


if __name__ == "__main__":
    print(__doc__)

"""Adult as the papers use it: complete rows of both files, eight categorical columns and the class; and more of it."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl

NAMES = [
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
    "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
]  # fmt: skip
CATEGORIES = [
    "workclass", "education", "marital-status", "occupation", "relationship", "race", "sex", "native-country",
]  # fmt: skip
GIVEN = [column for column in CATEGORIES if column != "marital-status"]


def data_folder(needed: str = "adult.data") -> Path:
    """Return the folder of data sets, or end the program with the reason."""
    folder = Path(os.environ.get("DISCREET_DATA") or Path(__file__).resolve().parents[2] / "shared" / "data")
    if not (folder / needed).is_file():
        what = "Adult data" if needed == "adult.data" else needed
        sys.exit(f"skipped: no {what} in {folder} (set DISCREET_DATA)")
    return folder


def complete_rows() -> pl.DataFrame:
    """Return the 45,222 rows without a missing value."""
    rows = []
    for name in ("adult.data", "adult.test"):
        for line in (data_folder() / name).read_text().splitlines():
            cells = [cell.strip().rstrip(".") for cell in line.split(",")]
            if len(cells) == len(NAMES) and "?" not in cells:
                rows.append(cells)
    return pl.DataFrame(rows, schema=NAMES, orient="row").select(*CATEGORIES, "income")


def expanded(rows: int, seed: int = 1) -> pl.DataFrame:
    """Return Adult with `rows` rows: the originals, then copies dealt round robin with 1 to 7 columns redrawn."""
    return expand(complete_rows(), GIVEN, rows, seed)


def expand(base: pl.DataFrame, given: Sequence[str], rows: int, seed: int = 1) -> pl.DataFrame:
    """Return a table with `rows` rows: its own, then copies with some of the `given` columns redrawn."""
    if rows <= len(base):
        return base.head(rows)
    rng = np.random.default_rng(seed)
    more = rows - len(base)
    copied = base[np.arange(more) % len(base)]
    redrawn = rng.integers(1, len(given) + 1, more)
    order = rng.random((more, len(given))).argsort(axis=1).argsort(axis=1)
    columns = []
    for place, column in enumerate(given):
        domain = base[column].unique().sort()
        drawn = domain[rng.integers(0, len(domain), more)]
        columns.append(drawn.zip_with(pl.Series(order[:, place] < redrawn), copied[column]).alias(column))
    return pl.concat([base, copied.with_columns(columns)])


def rarest(frame: pl.DataFrame, column: str, number: int) -> list[str]:
    """Return the least frequent values of a column."""
    counted = frame[column].value_counts().sort("count", column)
    return [str(value) for value in counted[column].head(number)]


if __name__ == "__main__":
    print(__doc__)

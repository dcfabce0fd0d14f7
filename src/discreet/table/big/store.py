"""What an engine for large tables asks of whatever holds the rows: to count, to make a release, to compare.

A store is one table with its rows in an order of their own. Everything is told by texts, as on the local engine.
Each backend (Polars on files, DuckDB, Spark) is one module here; what they have in common is in `engine`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

import polars as pl

MARKED = "discreet_masked"
ROW = "discreet_row"
"""Names of columns that are there only while a release is made."""


@dataclass(frozen=True)
class Masked:
    """Groups of rows, by their released texts on some columns, whose rows are masked or removed.

    `texts` has a line for each group; `rows` how many of it, or None for all. Of a part those rows are taken whose
    digests (see `table.lots`) come first.
    """

    texts: pl.DataFrame
    rows: tuple[int | None, ...]
    salt: str = ""


@dataclass(frozen=True)
class Making:
    """How a release is made of a table.

    Parameters
    ----------
    columns
        The columns of the release, in order.
    maps
        For columns that change: the values (`value`) that occur and what is released for each (`text`).
    hidden
        The columns that a masked row does not tell.
    unseen
        For each column the values that nobody has planned for: rows with one of them are masked.
    masked
        The groups that are masked, by their texts on all of the columns that count; None for none.
    edits
        For each column the numbers of rows (`row`, from 1) with other texts (`text`).
    marker
        What stands for what is not told.
    removes
        Whether masked rows are left out instead.
    """

    columns: tuple[str, ...]
    maps: Mapping[str, pl.DataFrame]
    hidden: tuple[str, ...]
    marker: str
    unseen: Mapping[str, tuple[str | None, ...]] = field(default_factory=dict)
    masked: Masked | None = None
    edits: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    removes: bool = False


class Store(Protocol):
    """One table where its rows live."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        ...

    @property
    def rows(self) -> int:
        """Number of rows."""
        ...

    @property
    def kinds(self) -> Mapping[str, str]:
        """For each column `text`, or the name of its type as Polars has it."""
        ...

    def without_missing(self, missing: Sequence[str], columns: Sequence[str]) -> Store:
        """Return the table without rows that have null or one of some texts in one of some columns."""
        ...

    def count(self, columns: Sequence[str]) -> pl.DataFrame:
        """Return the different combinations of texts of some columns, with their number as `rows`, in any order."""
        ...

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> pl.DataFrame:
        """Count for verification, by other code than `count`: groups on `given` as columns `given 0`, ...

        With their `rows`, `hits 0`, ... for each value of `column`, and `hidden`.
        """
        ...

    def make(self, making: Making) -> Store:
        """Carry out how a release is made: a table of its own."""
        ...

    def pairs(self, original: Store, column: str) -> pl.DataFrame:
        """Return the different pairs of `original` and `released` text of a column, with `rows` and the `first` row.

        The two tables have the same rows in the same order (or the one was made of the other).
        """
        ...

    def texts(self, column: str) -> pl.Series:
        """Return a column as texts, row by row."""
        ...

    def parts(self) -> Iterator[pl.DataFrame]:
        """Yield the table as texts, some rows at a time."""
        ...

    def save(self, path: Path) -> None:
        """Write the table to a Parquet file."""
        ...

    def native(self) -> object:
        """Return the table as its backend has it."""
        ...

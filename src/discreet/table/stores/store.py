"""What an engine for large tables asks of whatever holds the rows: to count, to make a release, to compare.

A store is one table with its rows in an order of their own. Everything is told by texts, as on the local engine.
Each backend (Polars on files, DuckDB, Spark) is a folder here; what they have in common is in `engine`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import polars as pl

from discreet.encoded import Combinations, Ints
from discreet.plan.masks import Masks
from discreet.table.stores.scratch import Scratch

if TYPE_CHECKING:
    from discreet.table.stores.labelled import Labelling

ALL_ROWS = 200_000
"""Rows that are looked at together where a table is fetched in parts."""


@dataclass(frozen=True)
class Map:
    """What is released for each text of a column: `text` for `value`; rows with a value that is `gone` are masked.

    Every text that occurs is there, each once; a missing value is null.
    """

    table: pl.DataFrame
    stays: bool = False
    """Whether masked rows keep what is released for them: a token tells whose they are."""

    @property
    def changes(self) -> bool:
        """Whether something else is released for some value."""
        value, text = self.table.get_column("value"), self.table.get_column("text")
        return bool(value.ne_missing(text).any())

    @property
    def gone(self) -> pl.Series:
        """The values whose rows are masked."""
        return self.table.filter("gone").get_column("value")


@dataclass(frozen=True)
class Making:
    """How a release is made of a table.

    Parameters
    ----------
    columns
        The columns of the release, in order.
    maps
        What is released for the texts of columns that may change.
    marker
        What stands for what is not told.
    hides
        Whether rows are masked at all: then all columns with a map become text.
    masks
        The groups of rows that are masked, by their texts after the maps.
    edits
        For each column the places of rows (`place`, from 0, ascending) with other texts (`text`).
    removes
        Whether masked rows are left out instead.
    left_out
        The places of further rows (from 0, ascending) that are left out; masks are drawn among all.
    """

    columns: tuple[str, ...]
    maps: Mapping[str, Map] = field(default_factory=dict)
    marker: str = ""
    hides: bool = False
    masks: Masks | None = None
    edits: Mapping[str, pl.DataFrame] = field(default_factory=dict)
    removes: bool = False
    left_out: Ints | None = None
    labelled: frozenset[str] = frozenset()
    """Columns that show labels of groups: they are texts already."""

    @property
    def drops(self) -> bool:
        """Whether rows may be left out."""
        return self.removes or self.left_out is not None

    def becomes_text(self, column: str) -> bool:
        """Whether a column of the release is one of texts, whatever it was."""
        if column in self.edits or column in self.labelled:
            return True
        return self.marks(column) or (column in self.maps and self.maps[column].changes)

    def marks(self, column: str) -> bool:
        """Whether the marker stands in the masked rows of a column."""
        return column in self.maps and not self.maps[column].stays and self.hides and not self.removes


@dataclass(frozen=True)
class Difference:
    """How many cells of a column differ from the original's, and how many of these are not the marker either.

    With the first place (from 0) of each; None where there is none.
    """

    cells: int
    first: int | None
    unmarked: int
    first_unmarked: int | None


class StoreComparison(Protocol):
    """A table beside the one that it was made from."""

    def pairs(self, columns: Sequence[str]) -> dict[str, pl.DataFrame]:
        """Return the different pairs of `original` and `released` text of some columns, and their number as `cells`."""
        ...

    def first_of(self, column: str, pairs: pl.DataFrame) -> int:
        """Return the first place (from 0) with one of some pairs of `original` and `released` text."""
        ...

    def differences(self, columns: Sequence[str], marker: str | None) -> dict[str, Difference]:
        """Compare some columns, row by row; by their values where they have no texts."""
        ...


class Store(Protocol):
    """One table where its rows live."""

    @property
    def ordered(self) -> bool:
        """Whether its rows have an order and so places; where they have none, `first` is 0 everywhere."""
        ...

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        ...

    @property
    def scratch(self) -> Scratch:
        """Where its files go."""
        ...

    @property
    def rows(self) -> int:
        """Number of rows."""
        ...

    @property
    def kinds(self) -> Mapping[str, str]:
        """For each column `text`, or the name of its type as Polars has it."""
        ...

    def has_text(self, column: str) -> bool:
        """Whether the values of a column have a text, the same as on the local engine."""
        ...

    def without_missing(self, missing: Sequence[str]) -> Store:
        """Return the table without rows that have null or one of some texts in some column; itself if it has none."""
        ...

    def count(self, columns: Sequence[str], most: int) -> Combinations | None:
        """Return the different combinations of texts of some columns; None when there are more than `most`."""
        ...

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> pl.DataFrame:
        """Count for verification, by other code than `count`: groups on `given` as columns `given 0`, ...

        With their `rows`, `hits 0`, ... for each value of `column`, and `hidden`.
        """
        ...

    def labelled(self, labelling: Labelling) -> Store:
        """Return the table with what the combination of each row shows, in columns of texts; further ones come last."""
        ...

    def make(self, making: Making) -> Store:
        """Carry out how a release is made: a table of its own, settled in a file."""
        ...

    def masked(self, making: Making) -> int:
        """Return how many rows are masked, or left out instead, when a release is made so."""
        ...

    def only(self, places: Ints) -> Store:
        """Return the table with only the rows at some places (from 0, ascending)."""
        ...

    def in_order(self, places: Ints) -> Store:
        """Return the table with its rows (by their places, from 0, each once) in another order."""
        ...

    def kept_of(self, original: Store) -> Store:
        """Return the original with only the rows that this table was made of."""
        ...

    def taking(self, other: Store, columns: Sequence[str]) -> Store:
        """Return the table with some columns as another one with the same rows in the same order has them."""
        ...

    def beside(self, original: Store) -> StoreComparison:
        """Return the table beside the one that it was made from: with as many rows, in the same order."""
        ...

    def occurrences(self, column: str, text: str) -> int:
        """Return the number of cells of a column with a text."""
        ...

    def parts(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Yield some columns with the types they have, some rows at a time, in order."""
        ...

    def places(self) -> Ints | None:
        """Return the places (from 0) of the rows in the table that this one was made of; None where all are there."""
        ...

    def places_at(self, rows: Ints) -> Ints:
        """Return these places of some rows (ascending)."""
        ...

    def saved(self) -> Path:
        """Return a scratch file of Parquet with the table and nothing else."""
        ...

    def changed(self) -> bool:
        """Whether the files that hold the rows are not the same any more."""
        ...

    def native(self) -> object:
        """Return the table as its backend has it."""
        ...

"""A large release beside its original: what was compared is kept, for the rows are read once for all columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.table.engine import Mismatch
from discreet.table.stores.files import changed
from discreet.table.stores.numbering import numbers_at
from discreet.table.stores.store import Difference

if TYPE_CHECKING:
    from discreet.table.stores.engine import BigEngine


class Comparisons:
    """What is known of one release beside its originals."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[int, str], pl.DataFrame] = {}
        self._differences: dict[tuple[int, str | None], dict[str, Difference]] = {}

    def mismatch(self, release: BigEngine, original: BigEngine, column: str, marker: str | None) -> Mismatch | None:
        """Compare a column, row by row; `marker` may stand for anything."""
        if release.making is not None and column in release.making.maps:
            pairs = self.pairs(release, original, column)
            bad = pl.col("original").ne_missing(pl.col("released"))
            if marker is not None:
                bad &= pl.col("released").ne_missing(pl.lit(marker, pl.String))
            wrong = pairs.filter(bad)
            if not len(wrong):
                return None
            return Mismatch(int(wrong.get_column("cells").sum()), first_number(release, original, column, wrong))
        found = self._difference(release, original, column, marker)
        cells = found.cells if marker is None else found.unmarked
        first = found.first if marker is None else found.first_unmarked
        if not cells or first is None:
            return None
        return Mismatch(cells, int(numbers_at(np.array([first]), original)[0]))

    def _difference(self, release: BigEngine, original: BigEngine, column: str, marker: str | None) -> Difference:
        """Compare a column with that of the original, and all others with it: the rows are read once."""
        own = release.making.marker if release.making is not None else None
        key = (id(original), marker if marker is not None else own)
        if key not in self._differences:
            _refuse_other_rows(release, original)
            maps = release.making.maps if release.making is not None else {}
            both = [name for name in release.columns if name in original.columns and name not in maps]
            self._differences[key] = release.store.beside(original.store).differences(both, key[1])
        return self._differences[key][column]

    def pairs(self, release: BigEngine, original: BigEngine, column: str) -> pl.DataFrame:
        """Return pairs of texts, those of all columns that may have changed together."""
        if (id(original), column) not in self._pairs:
            _refuse_other_rows(release, original)
            maps = release.making.maps if release.making is not None else {}
            together = [name for name in maps if name in release.columns] if column in maps else [column]
            for name, pairs in release.store.beside(original.store).pairs(together).items():
                _refuse_other_counts(original, name, pairs)
                self._pairs[id(original), name] = pairs
        return self._pairs[id(original), column]

    def occurrences(self, column: str, text: str) -> int | None:
        """Return the number of cells of a column with a text, by the pairs of texts; None where they are not known."""
        for (_, name), pairs in self._pairs.items():
            if name == column:
                return int(pairs.filter(pl.col("released") == text).get_column("cells").sum())
        return None


def first_number(release: BigEngine, original: BigEngine, column: str, pairs: pl.DataFrame) -> int:
    """Return the row number of the first row with one of some pairs of texts; 0 where rows have none."""
    first = release.store.beside(original.store).first_of(column, pairs)
    return int(numbers_at(np.array([first]), original)[0])


def _refuse_other_rows(release: BigEngine, original: BigEngine) -> None:
    if release.store.rows != original.store.rows:
        raise changed(release.name)


def _refuse_other_counts(original: BigEngine, column: str, pairs: pl.DataFrame) -> None:
    """Refuse pairs that do not fit what was counted of the original before."""
    counted = original.known((column,))
    if counted is not None:
        now = dict(pairs.group_by("original").agg(pl.col("cells").sum()).iter_rows())
        if now != dict(zip(counted.domains[0], counted.counts.tolist(), strict=True)):
            raise changed(original.name)

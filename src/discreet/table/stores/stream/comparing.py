"""A release beside its original by streaming Polars: row beside row, in the order that both have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from discreet.table.by_name import by_name
from discreet.table.stores.store import Difference

if TYPE_CHECKING:
    from discreet.table.stores.stream.store import StreamStore

TOGETHER = 3
"""Columns that are compared at a time."""


@dataclass(frozen=True)
class StreamComparison:
    """Two tables with the same rows in the same order."""

    mine: StreamStore
    theirs: StreamStore

    def pairs(self, columns: Sequence[str]) -> dict[str, pl.DataFrame]:
        """Return the different pairs of original and released text of some columns."""
        found = {}
        for column in columns:
            pairs = self._both([column], texts=True).group_by(original="theirs 0", released="mine 0")
            found[column] = self.mine.collect(pairs.agg(pl.len().cast(pl.Int64).alias("cells")))
        return found

    def first_of(self, column: str, pairs: pl.DataFrame) -> int:
        """Return the first place with one of some pairs."""
        both = self._both([column], texts=True).with_row_index("first")
        wanted = pl.LazyFrame({"theirs 0": pairs.get_column("original"), "mine 0": pairs.get_column("released")})
        found = both.join(wanted, on=["theirs 0", "mine 0"], how="semi", nulls_equal=True)
        return int(self.mine.collect(found.select(pl.col("first").min())).item())

    def differences(self, columns: Sequence[str], marker: str | None) -> dict[str, Difference]:
        """Compare some columns, row by row; a few at a time, for both tables are held."""
        found: dict[str, Difference] = {}
        for at in range(0, len(columns), TOGETHER):
            found |= self._differences(columns[at : at + TOGETHER], marker)
        return found

    def _differences(self, columns: Sequence[str], marker: str | None) -> dict[str, Difference]:
        mine, theirs = self.mine, self.theirs
        asked: list[pl.Expr] = []
        for at, name in enumerate(columns):
            bad = pl.col(f"mine {at}").ne_missing(pl.col(f"theirs {at}"))
            if mine.has_text(name) != theirs.has_text(name) or (
                not mine.has_text(name) and mine.schema[name] != theirs.schema[name]
            ):
                bad = pl.col("at").is_not_null()  # all of them
            unmarked = bad
            if marker is not None and mine.has_text(name):
                unmarked = bad & pl.col(f"mine {at}").ne_missing(pl.lit(marker, pl.String))
            asked += [
                bad.sum().cast(pl.Int64).alias(f"cells {at}"),
                pl.when(bad).then("at").min().cast(pl.Int64).alias(f"first {at}"),
                unmarked.sum().cast(pl.Int64).alias(f"unmarked {at}"),
                pl.when(unmarked).then("at").min().cast(pl.Int64).alias(f"first unmarked {at}"),
            ]
        found = mine.collect(self._both(columns).with_row_index("at").select(asked)).row(0)
        return {name: Difference(*found[4 * at : 4 * at + 4]) for at, name in enumerate(columns)}

    def _both(self, columns: Sequence[str], *, texts: bool = False) -> pl.LazyFrame:
        """Return some columns beside those of the original; as texts where both have them."""
        mine, theirs = self.mine, self.theirs

        def side(store: StreamStore, prefix: str) -> pl.LazyFrame:
            told = [
                store.text(name) if texts or (mine.has_text(name) and theirs.has_text(name)) else by_name(name)
                for name in columns
            ]
            return store.frame.select(cell.alias(f"{prefix} {at}") for at, cell in enumerate(told))

        return pl.concat([side(mine, "mine"), side(theirs, "theirs")], how="horizontal")

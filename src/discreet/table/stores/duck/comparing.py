"""A release beside its original in DuckDB: row beside row, which is the order that both were read in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from discreet.table.stores.duck.session import literal
from discreet.table.stores.store import Difference

if TYPE_CHECKING:
    from discreet.table.stores.duck.store import DuckStore

MOST_PAIRS = 256
"""Pairs of texts that one query looks for."""


@dataclass(frozen=True)
class DuckComparison:
    """Two tables with the same rows in the same order."""

    mine: DuckStore
    theirs: DuckStore

    def pairs(self, columns: Sequence[str]) -> dict[str, pl.DataFrame]:
        """Return the different pairs of original and released text of some columns."""
        asked = [
            f"SELECT original, released, count(*) AS cells FROM {self._texts(name)} GROUP BY ALL" for name in columns
        ]
        kinds = pl.Schema({"original": pl.String, "released": pl.String, "cells": pl.Int64})
        found = self.mine.session.fetch_all(asked)
        return {name: pairs.cast(kinds) for name, pairs in zip(columns, found, strict=True)}

    def first_of(self, column: str, pairs: pl.DataFrame) -> int:
        """Return the first place with one of some pairs."""
        bad = [
            f"(original IS NOT DISTINCT FROM {literal(before)} AND released IS NOT DISTINCT FROM {literal(after)})"
            for before, after in pairs.select("original", "released").iter_rows()
        ]
        both = self._texts(column, placed=True)
        first = min(
            self.mine.session.run(f"SELECT min(place) FROM {both} WHERE {' OR '.join(some)}")[0][0]
            for some in (bad[at : at + MOST_PAIRS] for at in range(0, len(bad), MOST_PAIRS))
        )
        return int(first)

    def _texts(self, column: str, *, placed: bool = False) -> str:
        """Return the texts of a column beside those of the original, with their places if wanted."""
        mine, theirs = self.mine, self.theirs
        place = ", row_number() OVER () - 1 AS place" if placed else ""
        released = f"SELECT {mine.text(column)} AS released{place} FROM {mine.source}"
        return f"({released}) POSITIONAL JOIN (SELECT {theirs.text(column)} AS original FROM {theirs.source})"

    def differences(self, columns: Sequence[str], marker: str | None) -> dict[str, Difference]:
        """Compare some columns, row by row."""
        mine, theirs = self.mine, self.theirs
        flags: list[str] = []
        for place, name in enumerate(columns):
            bad = f"(a{place} IS DISTINCT FROM b{place})"
            texts = self._have_texts(name)
            if not texts and mine.kinds[name] != theirs.kinds[name]:
                bad = "true"
            marked = texts and marker is not None
            flags += [bad, f"({bad} AND a{place} IS DISTINCT FROM {literal(marker)})" if marked else bad]
        own = ", ".join(f"{self._told(mine, name)} AS a{place}" for place, name in enumerate(columns))
        source = ", ".join(f"{self._told(theirs, name)} AS b{place}" for place, name in enumerate(columns))
        side = f"(SELECT {source} FROM {theirs.source})"
        asked = ", ".join(f"count(*) FILTER (WHERE {flag})" for flag in flags)
        cells = mine.session.run(f"SELECT {asked} FROM (SELECT {own} FROM {mine.source}) POSITIONAL JOIN {side}")[0]
        first: Sequence[int | None] = [None] * len(flags)
        if any(cells):
            asked = ", ".join(f"min(place) FILTER (WHERE {flag})" for flag in flags)
            numbered = f"(SELECT {own}, row_number() OVER () - 1 AS place FROM {mine.source})"
            first = mine.session.run(f"SELECT {asked} FROM {numbered} POSITIONAL JOIN {side}")[0]
        both = zip(cells[::2], first[::2], cells[1::2], first[1::2], strict=True)
        return {name: Difference(*found) for name, found in zip(columns, both, strict=True)}

    def _have_texts(self, column: str) -> bool:
        return self.mine.has_text(column) and self.theirs.has_text(column)

    def _told(self, store: DuckStore, column: str) -> str:
        """Return a column of one of the two as it is compared: as texts where both tables have them."""
        return store.text(column) if self._have_texts(column) else store.cell(column)

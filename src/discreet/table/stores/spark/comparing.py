"""A release on Spark beside its original: settled together, or put together by the places of their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from discreet.table.stores.spark.cluster import fresh, saying_spark
from discreet.table.stores.store import Difference

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from discreet.table.stores.spark.store import SparkStore


@dataclass(frozen=True)
class SparkComparison:
    """Two tables with the same rows."""

    mine: SparkStore
    theirs: SparkStore

    def _both(self, columns: Sequence[str]) -> tuple[DataFrame, SparkStore]:
        """Return this table's rows beside those of the original, and the original as it is called there."""
        mine, theirs = self.mine, self.theirs
        if {theirs.cells[name] for name in columns} <= set(mine.frame.columns):
            return mine.frame, theirs
        functions, place = mine.cluster.functions, mine.place
        theirs = theirs.renamed(columns)
        return mine.frame.join(theirs.frame, functions.col(place) == functions.col(theirs.place)), theirs

    def pairs(self, columns: Sequence[str]) -> dict[str, pl.DataFrame]:
        """Return the different pairs of original and released text of some columns."""
        mine, functions = self.mine, self.mine.cluster.functions
        with saying_spark(mine.name):
            frame, theirs = self._both(columns)
            both = [
                functions.struct(theirs.text(name).alias("original"), mine.text(name).alias("released"))
                for name in columns
            ]
            counted = list(mine.cluster.counted(frame, both, mine.rows))
        kinds = pl.Schema({"original": pl.String, "released": pl.String, "cells": pl.Int64})
        return {
            name: found.unnest("value").rename({"rows": "cells"}).cast(kinds)
            for name, found in zip(columns, counted, strict=True)
        }

    def first_of(self, column: str, pairs: pl.DataFrame) -> int:
        """Return the first place with one of some pairs of texts; 0 where rows have none."""
        mine = self.mine
        if mine.order is None:
            return 0
        functions, before, after = mine.cluster.functions, fresh("v"), fresh("v")
        with saying_spark(mine.name):
            frame, theirs = self._both([column])
            small = mine.cluster.small(
                pairs.select(pl.col("original").alias(before), pl.col("released").alias(after)).cast(pl.String)
            )
            same = theirs.text(column).eqNullSafe(functions.col(before))
            same = same & mine.text(column).eqNullSafe(functions.col(after))
            first = functions.min(functions.col(mine.order.place)).alias("first")
            return int(mine.cluster.fetch(frame.join(small, same).agg(first)).item())

    def differences(self, columns: Sequence[str], marker: str | None) -> dict[str, Difference]:
        """Compare some columns; one that was not changed may be the original's own."""
        own = [name for name in columns if self.mine.cells[name] == self.theirs.cells[name]]
        others = [name for name in columns if name not in own]
        found = {name: Difference(0, None, 0, None) for name in own}
        if others:
            found |= self._differences(others, marker)
        return {name: found[name] for name in columns}

    def _differences(self, columns: Sequence[str], marker: str | None) -> dict[str, Difference]:
        mine, cluster, functions = self.mine, self.mine.cluster, self.mine.cluster.functions
        with saying_spark(mine.name):
            frame, theirs = self._both(columns)
            place = functions.lit(0) if mine.order is None else functions.col(mine.order.place)
            asked: list[Column] = []
            for name in columns:
                bad = unmarked = self._differs(theirs, name)
                if marker is not None and mine.has_text(name):
                    unmarked = bad & ~mine.text(name).eqNullSafe(cluster.literal(marker))
                for flag in (bad, unmarked):
                    asked += [cluster.summed(flag), functions.min(functions.when(flag, place))]
            told = [what.alias(f"{at}") for at, what in enumerate(asked)]
            answer = cluster.fetch(frame.agg(*told)).cast(pl.Int64).row(0)
        return {
            name: Difference(cells or 0, first, unmarked or 0, first_unmarked)
            for name, (cells, first, unmarked, first_unmarked) in zip(
                columns, (answer[at : at + 4] for at in range(0, len(answer), 4)), strict=True
            )
        }

    def _differs(self, theirs: SparkStore, column: str) -> Column:
        """Return where a column is not the original's: by texts, or by values of the same type."""
        mine, functions = self.mine, self.mine.cluster.functions
        if mine.has_text(column) and theirs.has_text(column):
            return ~mine.text(column).eqNullSafe(theirs.text(column))
        kind = mine.types[mine.cells[column]]
        differs: Column = functions.lit(True)
        if kind == theirs.types[theirs.cells[column]]:
            own, other = (comparable(functions, store.cells[column], kind) for store in (mine, theirs))
            differs = ~own.eqNullSafe(other)
        return differs


def comparable(functions: Any, cell: str, kind: str) -> Column:
    """Return values of some type that Spark can tell from others."""
    found: Column = functions.col(cell)
    if "map<" in kind or kind == "variant":
        found = functions.to_json(functions.struct(cell))
    return found

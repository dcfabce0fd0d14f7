"""How a release is made on Spark: what is told, which rows are masked, the cells.

Small tables go to the workers: what is released for each value, the masked groups, and other texts for single cells by
the places of their rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import and_, or_
from typing import TYPE_CHECKING

import polars as pl

from discreet.encoded import Ints
from discreet.plan.masks import ALL, Masks
from discreet.table.row_lottery import PLAIN
from discreet.table.stores.spark.cluster import fresh
from discreet.table.stores.store import Making

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from discreet.table.stores.spark.store import SparkStore


class SparkSteps:
    """A release in the making.

    Parameters
    ----------
    store
        The table.
    making
        How it is made.

    Attributes
    ----------
    frame
        The rows, with all that was joined to them.
    masked
        Which of them are masked, or left out instead.
    kept
        Which of them the release has.
    """

    def __init__(self, store: SparkStore, making: Making) -> None:
        self.store, self.making, self.frame = store, making, store.frame
        self.functions = store.cluster.functions
        masks = making.masks
        needed = [name for name in store.columns if making.becomes_text(name)]
        needed += [name for name in (masks.names if masks is not None else ()) if name not in needed]
        needed += [name for name, map_ in making.maps.items() if len(map_.gone) and name not in needed]
        self._told: dict[str, Column] = {}
        self._flags: list[Column] = []
        for name in needed:
            self._told[name] = self._mapped(name)
        self._edits = self._edited(making.edits) if making.edits else {}
        if masks is not None:
            self._flags.append(self._in_masks(masks))
        flag = fresh("m")
        self.frame = self.frame.withColumn(flag, reduce(or_, self._flags, self.functions.lit(False)))
        self.masked: Column = self.functions.col(flag)
        self.kept: Column = ~self.masked if making.removes else self.functions.lit(True)
        if making.left_out is not None:
            self.kept = self.kept & ~self._at(making.left_out)

    def _mapped(self, column: str) -> Column:
        """Return what the maps make of a column, and note which rows are gone with it."""
        functions, text = self.functions, self.store.text(column)
        if column not in self.making.maps:
            return text
        table = self.making.maps[column].table.filter(pl.col("value").ne_missing(pl.col("text")) | pl.col("gone"))
        if not table.height:
            return text
        value, new, gone = (fresh(what) for what in ("v", "t", "g"))
        small = self.store.cluster.small(
            table.select(pl.col("value").alias(value), pl.col("text").alias(new), pl.col("gone").alias(gone))
        )
        self.frame = self.frame.join(small, text.eqNullSafe(functions.col(value)), "left")
        if table.get_column("gone").any():
            self._flags.append(functions.coalesce(functions.col(gone), functions.lit(False)))
        told: Column = functions.when(functions.col(gone).isNotNull(), functions.col(new)).otherwise(text)
        return told

    def _edited(self, edits: Mapping[str, pl.DataFrame]) -> dict[str, str]:
        """Join the other texts of single cells; return the column that has them, null elsewhere, for each."""
        place = self.store.place
        found = {name: fresh("e") for name in edits}
        tables = [
            table.select(pl.col("place").cast(pl.Int64), pl.col("text").alias(found[name]))
            for name, table in edits.items()
        ]
        together = reduce(lambda one, other: one.join(other, on="place", how="full", coalesce=True), tables)
        self._join_by_place(place, together)
        return found

    def _join_by_place(self, place: str, table: pl.DataFrame) -> None:
        at = fresh("at")
        small = self.store.cluster.small(table.rename({"place": at}))
        self.frame = self.frame.join(small, self.functions.col(place) == self.functions.col(at), "left")

    def _at(self, places: Ints) -> Column:
        """Return which rows stand at some places."""
        flag = fresh("f")
        table = pl.DataFrame({"place": pl.Series(places, dtype=pl.Int64)}).with_columns(pl.lit(True).alias(flag))
        self._join_by_place(self.store.place, table)
        found: Column = self.functions.col(flag).isNotNull()
        return found

    def _with_edits(self, column: str, cells: Column) -> Column:
        """Return a column with the other texts that some of its cells have."""
        if column not in self._edits:
            return cells
        found: Column = self.functions.coalesce(self.functions.col(self._edits[column]), cells)
        return found

    def _in_masks(self, masks: Masks) -> Column:
        """Return which rows are in a masked combination: all of them, or those that the lot takes."""
        functions = self.functions
        names = [fresh("v") for _ in masks.columns]
        mask, wanted, number = fresh("mask"), fresh("wanted"), fresh("number")
        texts = {
            name: pl.Series(masked.values, dtype=pl.String).gather(list(masked.of_combination))
            for name, masked in zip(names, masks.columns, strict=True)
        }
        rows = pl.Series(masks.rows, dtype=pl.Int64)
        table = pl.DataFrame({**texts, mask: pl.Series(range(len(rows)), dtype=pl.Int64), wanted: rows})
        on = [
            self._with_edits(masked.column, self._told[masked.column]).eqNullSafe(functions.col(name))
            for name, masked in zip(names, masks.columns, strict=True)
        ]
        frame = self.frame.join(self.store.cluster.small(table), reduce(and_, on), "left")
        found: Column
        if not (rows != ALL).any():
            self.frame = frame
            found = functions.col(mask).isNotNull()
            return found
        some = functions.coalesce(functions.col(wanted) != ALL, functions.lit(False))
        drawn = self._numbered(frame.filter(some), mask, masks.salt, number)
        self.frame = frame.filter(~some).withColumn(number, functions.lit(None).cast("int")).unionByName(drawn)
        taken = (functions.col(wanted) == ALL) | (functions.col(number) <= functions.col(wanted))
        found = functions.coalesce(taken, functions.lit(False))
        return found

    def _numbered(self, frame: DataFrame, mask: str, salt: str, number: str) -> DataFrame:
        """Number the rows of each combination in the order of the lot; see `discreet.table.row_lottery`."""
        functions, window, store, equal = self.functions, self.store.cluster.window, self.store, fresh("equal")
        texts = [store.text(name) for name in self.making.columns if store.kinds[name] in PLAIN]
        held = [
            functions.coalesce(
                functions.concat(functions.char_length(text).cast("string"), functions.lit(":"), text),
                functions.lit("-"),
            )
            for text in texts
        ]
        by = functions.lit(1) if store.order is None else functions.col(store.order.place)
        frame = frame.withColumn(equal, functions.row_number().over(window.partitionBy(mask, *texts).orderBy(by)))
        text = functions.concat(functions.lit(salt), *held, functions.lit("#"), functions.col(equal).cast("string"))
        lot = window.partitionBy(mask).orderBy(functions.md5(text))
        return frame.withColumn(number, functions.row_number().over(lot)).drop(equal)

    def released(self, column: str) -> Column:
        """Return what is released of a column whose cells become texts."""
        functions, cell = self.functions, self._told[column]
        if self.making.marks(column):
            cell = functions.when(self.masked, functions.lit(self.making.marker)).otherwise(cell)
        return self._with_edits(column, cell)

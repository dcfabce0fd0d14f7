"""How Spark counts combinations: by numbers where no column has too many values, for texts are slow to shuffle."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from discreet.encoded import Combinations, Ints
from discreet.table.stores.counts import combinations
from discreet.table.stores.packing import ERROR, FEW, LONGEST, Packing
from discreet.table.stores.spark.cluster import fresh, saying_spark

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from discreet.table.stores.spark.store import SparkStore


class Fingerprint(NamedTuple):
    """What tells the rows of a table from others, in whatever order they come."""

    rows: int
    hashes: int


class SparkTally:
    """Counts of the combinations of some columns of one table.

    Parameters
    ----------
    store
        The table.
    columns
        Its columns that are counted with.
    frame
        The rows, or those of a release beside which they are settled.
    """

    def __init__(self, store: SparkStore, columns: Sequence[str], frame: DataFrame) -> None:
        self.store, self.columns, self.frame = store, tuple(columns), frame
        self.functions = store.cluster.functions
        self.often: list[pl.Series] = []
        """The known values of each column, the most frequent first: so are they looked up."""
        with saying_spark(store.name):
            self.packing = self._packing()

    def _packing(self) -> Packing | None:
        """Return how combinations become numbers; None where some column has too many values."""
        store, texts = self.store, [self.store.text(name) for name in self.columns]
        domains: list[tuple[str | None, ...]] = []
        for found in store.cluster.counted(self.frame, texts, store.rows, LONGEST + 1):
            if found.height > LONGEST:
                return None
            often = found.sort("rows", descending=True).get_column("value").cast(pl.String)
            self.often.append(often.drop_nulls())
            domains.append(tuple(often.sort(nulls_last=False).to_list()))
        return Packing(self.columns, domains)

    def counted(self, most: int) -> tuple[Combinations, Fingerprint] | None:
        """Return the combinations, and what tells the rows from others; None where there are more than `most`."""
        functions = self.functions
        with saying_spark(self.store.name):
            frame, keys = self._keys(self.frame)
            named = frame.select(*(key.alias(f"k{place}") for place, key in enumerate(keys)))
            names = [functions.col(f"k{place}") for place in range(len(keys))]
            if self._may_exceed(most):
                about = named.agg(functions.approx_count_distinct(row_hash(functions, names))).collect()[0][0]
                if about > ERROR * most:
                    return None
            grouped = named.groupBy(*names).agg(functions.count(functions.lit(1)).alias("rows"))
            found = self.store.cluster.fetch(grouped.withColumn("hash", row_hash(functions, names)))
        if found.height > most:
            return None
        rows, hashes = (found.get_column(name).cast(pl.Int64).to_numpy() for name in ("rows", "hash"))
        together = int((rows.astype(np.uint64) * hashes.astype(np.uint64)).sum(dtype=np.uint64))
        return self._read(found.drop("rows", "hash"), rows), Fingerprint(int(rows.sum()), together)

    def _may_exceed(self, most: int) -> bool:
        """Whether there may be more combinations than so many."""
        possible = self.store.rows
        if self.packing is not None:
            possible = min(possible, prod(len(domain) for domain in self.packing.domains))
        return possible > most

    def _read(self, keys: pl.DataFrame, rows: Ints) -> Combinations:
        if self.packing is None:
            named = [keys.to_series(place).cast(pl.String).alias(f"{place}") for place in range(keys.width)]
            return combinations(pl.DataFrame([*named, pl.Series("rows", rows)]), self.columns)
        numbers = [keys.to_series(place).cast(pl.Int64).to_numpy() for place in range(keys.width)]
        return self.packing.read(numbers, rows, self.store.name)

    def fingerprint(self, frame: DataFrame) -> Fingerprint:
        """Return what tells rows, wherever they are settled, from others; nothing is shuffled."""
        functions = self.functions
        with saying_spark(self.store.name):
            frame, keys = self._keys(frame)
            hashes = frame.select(row_hash(functions, keys).cast("decimal(20,0)").alias("hash"))
            rows, together = hashes.agg(functions.count(functions.lit(1)), functions.sum("hash")).collect()[0]
        return Fingerprint(int(rows), int(together or 0) % 2**64)

    def _keys(self, frame: DataFrame) -> tuple[DataFrame, list[Column]]:
        """Return what tells combinations apart: numbers, or else texts."""
        if self.packing is None:
            return frame, [self.store.text(name) for name in self.columns]
        codes = []
        for place in range(len(self.columns)):
            frame, code = self._code(frame, place)
            codes.append(code)
        return frame, self.packing.numbers(codes)

    def _code(self, frame: DataFrame, place: int) -> tuple[DataFrame, Column]:
        """Return the code of a column: its place among the known values, 0 where it is missing or none of them."""
        assert self.packing is not None
        functions, often = self.functions, self.often[place]
        codes = often.rank("ordinal").cast(pl.Int64)
        text, nothing = self.store.text(self.columns[place]), functions.lit(0).cast("bigint")
        if not len(often):
            return frame, nothing
        if len(often) <= FEW:
            known, numbers = (functions.array(*map(functions.lit, cells.to_list())) for cells in (often, codes))
            found = functions.array_position(known, text)
            return frame, functions.coalesce(functions.get(numbers, found - 1).cast("bigint"), nothing)
        value, code = fresh("v"), fresh("n")
        small = self.store.cluster.small(pl.DataFrame({value: often, code: codes}))
        frame = frame.join(small, text == functions.col(value), "left")
        return frame, functions.coalesce(functions.col(code), nothing)


def row_hash(functions: object, keys: Sequence[Column]) -> Column:
    """Return a number for the cells of a row; a missing one is told from an empty one."""
    found: Column = functions.xxhash64(*keys, *(key.isNull() for key in keys))  # type: ignore[attr-defined]
    return found

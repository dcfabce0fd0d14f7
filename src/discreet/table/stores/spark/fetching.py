"""Single columns, and the places of rows, fetched from a table on Spark whose rows have an order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.encoded import Ints
from discreet.table.stores.files import saying
from discreet.table.stores.spark.cluster import fresh, saying_spark

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from discreet.table.stores.spark.store import SparkStore


def whole_columns(store: SparkStore, columns: Sequence[str]) -> dict[str, pl.Series]:
    """Return some columns in order, under other names, fetched by one job."""
    with saying_spark(store.name):
        found = store.cluster.fetch(_in_places(store, columns)).sort(store.place)
    return {name: found.get_column(f"{at}") for at, name in enumerate(columns)}


def in_parts(store: SparkStore, columns: Sequence[str], rows: int) -> Iterator[pl.DataFrame]:
    """Yield some columns, so many rows at a time, in order."""
    frame = _in_places(store, columns)
    path = store.cluster.as_file(frame, [f"{at}" for at in range(len(columns))], store.place)
    try:
        with saying(store.name):
            named = pl.scan_parquet(path).select(pl.col(f"{at}").alias(name) for at, name in enumerate(columns))
            yield from named.collect_batches(chunk_size=rows, maintain_order=True, engine="streaming")
    finally:
        path.unlink()


def _in_places(store: SparkStore, columns: Sequence[str]) -> DataFrame:
    """Return the places of the rows and some columns, called by numbers."""
    functions = store.cluster.functions
    cells = [
        (store.text(name) if store.kinds[name] == "text" else functions.col(store.cells[name])).alias(f"{at}")
        for at, name in enumerate(columns)
    ]
    return store.frame.select(functions.col(store.place), *cells)


def rows_before(store: SparkStore) -> Ints | None:
    """Return the places of the rows in the table that this one was made of; None where all are there."""
    order = store.ordering()
    if order.row is None:
        return None
    found = store.cluster.fetch(store.frame.select(order.row)).to_series()
    return found.sort().to_numpy().astype(np.int64)


def rows_before_at(store: SparkStore, rows: Ints) -> Ints:
    """Return these places of some rows."""
    order = store.ordering()
    if order.row is None:
        return rows
    functions, at = store.cluster.functions, fresh("at")
    with saying_spark(store.name):
        small = store.cluster.small(pl.DataFrame({at: pl.Series(rows, dtype=pl.Int64)}).unique())
        found = store.cluster.fetch(
            store.frame.join(small, functions.col(order.place) == functions.col(at)).select(at, order.row)
        )
    place = dict(found.iter_rows())
    return np.array([place[row] for row in rows.tolist()], dtype=np.int64)

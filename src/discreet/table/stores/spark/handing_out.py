"""What a table on Spark is handed out as: a DataFrame, one file, a folder of files; and such a folder read back.

Rows of a release are handed out by their places, which only the key itself may tell. Where the release does not show
the key, the order is by lot, unless the places themselves were drawn.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from discreet.table.stores.spark.cluster import fresh, saying_spark
from discreet.table.stores.spark.comparing import comparable
from discreet.table.stores.spark.tally import row_hash

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from discreet.table.stores.spark.store import SparkStore


def handed_out(store: SparkStore) -> DataFrame:
    """Return the table as a DataFrame."""
    with saying_spark(store.name):
        frame = _plain(store)
        if store.order is not None and (store.order.key is None or store.order.drawn):
            frame = store.frame.orderBy(_by(store)).select(*_cells(store))
        return frame.toDF(*store.columns)


def as_file(store: SparkStore) -> Path:
    """Return a scratch file of Parquet with the table and nothing else."""
    if store.order is None:
        return store.cluster.as_file(_plain(store), store.columns)
    at = fresh("at")
    frame = store.frame.select(_by(store).alias(at), *_cells(store))
    return store.cluster.as_file(frame, store.columns, at)


def write_folder(store: SparkStore, folder: Path) -> None:
    """Write Parquet files into an empty folder, and nothing else."""
    with saying_spark(store.name):
        store.native().write.mode("append").parquet(folder.absolute().as_uri())
    for path in folder.iterdir():
        if path.suffix != ".parquet":  # checksums of each file, and that it is done
            path.unlink()


def reads_back(store: SparkStore, folder: Path) -> bool:
    """Whether the files in a folder, as this program sees it, have the rows of this table, in whatever order."""
    files = [path.absolute().as_uri() for path in folder.iterdir()]
    if not files:  # whoever wrote them has another folder of this name
        return False
    with saying_spark(store.name):
        mine = _plain(store).toDF(*store.columns)
        found = store.cluster.session.read.parquet(*files)
        return found.dtypes == mine.dtypes and _checksum(store, found) == _checksum(store, mine)


def _checksum(store: SparkStore, frame: DataFrame) -> tuple[object, ...]:
    """Return what tells the rows of a frame from others, in whatever order they come."""
    functions = store.cluster.functions
    inside = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
    cells = [comparable(functions, name, kind) for name, kind in inside.dtypes]
    found = inside.select(row_hash(functions, cells).alias("row")).agg(
        functions.count(functions.lit(1)),
        functions.sum(functions.col("row").cast("decimal(20,0)")),
        functions.bit_xor("row"),
    )
    return tuple(found.collect()[0])


def _by(store: SparkStore) -> Column:
    """Return by what the rows are sorted: their places, or a lot."""
    functions, order = store.cluster.functions, store.ordering()
    place: Column = functions.col(order.place)
    if order.key is None and not order.drawn:
        place = functions.md5(functions.concat(functions.lit(store.salt), place.cast("string")))
    return place


def _plain(store: SparkStore) -> DataFrame:
    """Return the columns of the table and nothing else."""
    return store.frame.select(*_cells(store))


def _cells(store: SparkStore) -> list[Column]:
    """Return the columns of the table without what was noted about them."""
    return [store.cluster.functions.col(cell).alias(cell, metadata={}) for cell in store.cells.values()]

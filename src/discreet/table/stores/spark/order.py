"""An order for rows on Spark, which have none: by a key, a column whose values are all there and each once.

The rows are sorted by it once and settled with their places, from 0. Numbers come as numbers, texts by their code
points, dates as dates. Nothing needs the key afterwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from discreet.errors import InputError
from discreet.table.by_name import by_name
from discreet.table.row_lottery import PLAIN
from discreet.table.stores.spark.cluster import Cluster, fresh, saying_spark

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

WITHIN = 33
"""Bits of Spark's increasing numbers that count rows within a part; those above count the parts."""


@dataclass(frozen=True)
class Order:
    """The order of the rows of a frame.

    Parameters
    ----------
    place
        The column with their places, from 0 without a gap.
    row
        The column with the places in the table that this one was made of; None where all of its rows are there.
    key
        The column with the key as it is; None where the table does not show it.
    drawn
        Whether the places were drawn: they are then told, whether the table shows the key or not.
    """

    place: str
    row: str | None = None
    key: str | None = None
    drawn: bool = False


def numbered(cluster: Cluster, frame: DataFrame, by: Column | None) -> tuple[DataFrame, str]:
    """Return a frame, settled, with a further column: the place of each row by some column, or as they come.

    Sorting leaves parts that follow each other. Within each the rows are counted; how many there are before it is
    summed up here.
    """
    functions = cluster.functions
    at, part, before, place = (fresh(what) for what in ("at", "part", "before", "place"))
    with saying_spark(cluster.name):
        ordered = frame if by is None else frame.orderBy(by)
        settled = cluster.settled(ordered.withColumn(at, functions.monotonically_increasing_id()))
        parts = functions.shiftright(functions.col(at), WITHIN)
        sizes = cluster.fetch(settled.groupBy(parts.alias(part)).agg(functions.count(functions.lit(1)).alias("rows")))
        sizes = sizes.select(by_name(part).cast(pl.Int64), pl.col("rows").cast(pl.Int64)).sort(part)
        offsets = sizes.select(part, (pl.col("rows").cum_sum() - pl.col("rows")).alias(before))
        within = functions.col(at).bitwiseAND(functions.lit((1 << WITHIN) - 1))
        found = settled.join(cluster.small(offsets), parts == functions.col(part))
        return found.withColumn(place, functions.col(before) + within).drop(at, part, before), place


def no_order(name: str) -> str:
    """Say that something needs single rows."""
    return (
        f"{name}: this needs single rows, and rows on Spark have neither numbers nor an order; name a column by which "
        "they are known with --key (in Python key), or use --engine duckdb or local"
    )


def refuse_kind(name: str, key: str, kind: str) -> None:
    """Refuse a key whose values have no order that is the same everywhere."""
    if kind not in PLAIN:
        raise InputError(f"{name}: the key {key!r} holds {kind}; a key holds text, whole numbers or dates")


def refuse_key(cluster: Cluster, frame: DataFrame, name: str, key: str, cells: Column) -> None:
    """Refuse a key that is missing in some row, or the same in two."""
    functions = cluster.functions
    asked = {
        "rows": functions.count(functions.lit(1)),
        "there": functions.count(cells),
        "different": functions.countDistinct(cells),
    }
    with saying_spark(name):
        found = cluster.fetch(frame.agg(*(what.alias(alias) for alias, what in asked.items())))
    rows, there, different = (int(found.get_column(alias).item()) for alias in asked)
    if there < rows:
        raise InputError(f"{name}: the key {key!r} is missing in {_rows(rows - there)}; a key has a value in every row")
    if different < rows:
        raise InputError(
            f"{name}: the key {key!r} is not unique: its {rows:,} rows have {different:,} different values; a key has "
            "another value in every row"
        )


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number:,} rows"

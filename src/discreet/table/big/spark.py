"""Large tables by Spark: DataFrames and Parquet files, counted, made and compared by the workers.

Rows have neither numbers nor an order here, so no two frames can be put side by side. Instead a release carries its
originals: one settled frame has the released cells beside those they were made of, and only the former are handed
out. Columns have names of our own inside, each used once in a program: Spark cannot tell "A" from "a", and a name that
two frames share says that one was made of the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, reduce
from operator import and_, or_
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, NoReturn

import polars as pl

from discreet.errors import InputError
from discreet.masks import ALL, Masks
from discreet.table.big.cluster import Cluster, fresh, same_columns, saying_spark
from discreet.table.big.counts import combinations
from discreet.table.big.files import Files
from discreet.table.big.scratch import Scratch
from discreet.table.big.store import Difference, Making, Store
from discreet.table.encode import Combinations, Ints
from discreet.table.lots import PLAIN

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

KINDS = {
    "string": "text",
    "void": "text",
    "boolean": "Boolean",
    "date": "Date",
    "tinyint": "Int8",
    "smallint": "Int16",
    "int": "Int32",
    "bigint": "Int64",
    "float": "Float32",
    "double": "Float64",
    "binary": "Binary",
}

Fingerprint = tuple[int, int, int]


class SparkStore:
    """A table that Spark holds.

    Parameters
    ----------
    cluster
        The session.
    name
        What the table is called in messages.
    frame
        The rows; beside the table's own columns it may have others.
    cells
        The columns of the table, and what they are called in the frame.
    files
        The files to watch, if any.
    """

    ordered: ClassVar[bool] = False

    def __init__(
        self, cluster: Cluster, name: str, frame: DataFrame, cells: Mapping[str, str], files: Files | None = None
    ) -> None:
        self.cluster, self.name, self._frame, self.cells, self.files = cluster, name, frame, cells, files
        self._settled: DataFrame | None = None
        self._seen: dict[tuple[str, ...], Fingerprint] = {}

    @classmethod
    def of(cls, cluster: Cluster, frame: DataFrame, name: str, files: Files | None = None) -> SparkStore:
        """Return the table in a DataFrame."""
        with saying_spark(name):
            columns = list(frame.columns)
            same_columns(columns)
            inside = [fresh("c") for _ in columns]
            return cls(cluster, name, frame.toDF(*inside), dict(zip(columns, inside, strict=True)), files)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        return tuple(self.cells)

    @property
    def scratch(self) -> Scratch:
        """Where its files go."""
        return self.cluster.scratch

    @cached_property
    def rows(self) -> int:
        """Number of rows."""
        with saying_spark(self.name):
            return int(self._having([]).count())

    @cached_property
    def _types(self) -> Mapping[str, str]:
        with saying_spark(self.name):
            return dict(self._frame.dtypes)

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """For each column `text`, or the name of its type as Polars has it."""
        return {name: _kind(self._types[cell]) for name, cell in self.cells.items()}

    def has_text(self, column: str) -> bool:
        """Whether the texts of a column are those of the local engine."""
        return self.kinds[column] in PLAIN

    def text(self, column: str) -> Column:
        """Return a column as texts."""
        from pyspark.sql import functions as F  # noqa: N812

        if not self.has_text(column):
            raise InputError(
                f"column {column!r} holds {self.kinds[column]}, which has no text, or another one on other engines; "
                "make it text first"
            )
        cell, kind = F.col(self.cells[column]), self._types[self.cells[column]]
        if kind.startswith("string collate"):  # equal would be what is spelt otherwise
            return F.collate(cell, "UTF8_BINARY")
        return cell if kind == "string" else cell.cast("string")

    def _having(self, columns: Sequence[str]) -> DataFrame:
        """Return a frame with some columns: what was settled of them, if they were."""
        if self._settled is not None and {self.cells[name] for name in columns} <= set(self._settled.columns):
            return self._settled
        return self._frame

    def without_missing(self, missing: Sequence[str]) -> SparkStore:
        """Return the table without rows that have null or one of some texts in some column."""
        from pyspark.sql import functions as F  # noqa: N812

        kept = F.lit(True)
        for name in self.columns:
            cell = F.col(self.cells[name])
            kept = kept & cell.isNotNull()
            if self.has_text(name) and missing:
                kept = kept & ~self.text(name).isin(list(missing))
            elif self.kinds[name].startswith("Float"):
                kept = kept & ~F.isnan(cell)
            if not self.has_text(name) and any(text[:1].isdigit() or text[:1] in "+-.in" for text in missing):
                raise InputError(
                    f"column {name!r} holds {self.kinds[name]}, of which Spark cannot say whether a value has one "
                    "of the texts under missing.values; make it text first"
                )
        with saying_spark(self.name):
            left = SparkStore(self.cluster, self.name, self._frame.filter(kept), self.cells, self.files)
        return self if left.rows == self.rows else left

    def count(self, columns: Sequence[str], most: int) -> Combinations | None:
        """Return the different combinations of texts of some columns."""
        found = self._counted(self._having(columns), columns, most)
        if found is None:
            return None
        self._seen[tuple(columns)] = _fingerprint(found)
        return combinations(found, columns)

    def _counted(self, frame: DataFrame, columns: Sequence[str], most: int | None) -> pl.DataFrame | None:
        from pyspark.sql import functions as F  # noqa: N812

        if not columns:
            return pl.DataFrame({"rows": [frame.count()]}, schema={"rows": pl.Int64})
        aliases = [f"t{place}" for place in range(len(columns))]
        with saying_spark(self.name):
            texts = frame.select(*(self.text(name).alias(alias) for name, alias in zip(columns, aliases, strict=True)))
            grouped = texts.groupBy(*aliases).agg(F.count(F.lit(1)).alias("rows"))
            found = self.cluster.fetch(grouped if most is None else grouped.limit(most + 1))
        if most is not None and found.height > most:
            return None
        return found.select(
            *(pl.col(alias).cast(pl.String).alias(f"{place}") for place, alias in enumerate(aliases)),
            pl.col("rows").cast(pl.Int64),
        )

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> pl.DataFrame:
        """Count the groups for verification."""
        from pyspark.sql import functions as F  # noqa: N812

        sensitive = F.lit("") if column is None else self.text(column)

        def summed(flag: Column) -> Column:
            return F.sum(F.when(flag, 1).otherwise(0))

        nothing = [sensitive.eqNullSafe(_text(text)) for text in hidden] if column is not None else []
        sums = [summed(F.lit(True)).alias("rows")]
        sums += [summed(sensitive.eqNullSafe(_text(value))).alias(f"hits {at}") for at, value in enumerate(values)]
        sums.append(summed(reduce(or_, nothing, F.lit(False))).alias("hidden"))
        known = [self.text(name).alias(f"given {place}") for place, name in enumerate(given)]
        with saying_spark(self.name):
            groups = self._having([*given, *([] if column is None else [column])]).groupBy(*known).agg(*sums)
            found = self.cluster.fetch(groups)
        found = found.with_columns(pl.exclude(r"^given .*$").cast(pl.Int64), pl.col("^given .*$").cast(pl.String))
        return found.drop_nulls("rows")

    def make(self, making: Making) -> SparkStore:
        """Carry out how a release is made; from now on the originals are read where they are settled beside it."""
        from pyspark.sql import functions as F  # noqa: N812

        with saying_spark(self.name):
            steps = _Steps(self, making)
            inside = {name: fresh("r") if making.becomes_text(name) else self.cells[name] for name in making.columns}
            released = [steps.released(name).alias(cell) for name, cell in inside.items() if cell != self.cells[name]]
            kept = fresh("k")
            flag = [(~steps.masked).alias(kept)] if making.removes else []
            frame = steps.frame.select(*(F.col(self.cells[name]) for name in making.columns), *released, *flag)
        settled = self.cluster.settled(frame)
        self._refuse_other(settled)
        self._settled = settled
        release = settled.filter(F.col(kept)) if making.removes else settled
        return SparkStore(self.cluster, self.name, release, inside)

    def _refuse_other(self, settled: DataFrame) -> None:
        """Refuse rows that are not those that were counted before."""
        for columns, seen in self._seen.items():
            if any(set(columns) < set(wider) for wider in self._seen):
                continue
            if not {self.cells[name] for name in columns} <= set(settled.columns):
                continue
            found = self._counted(settled, columns, None)
            assert found is not None
            if _fingerprint(found) != seen:
                raise InputError(f"{self.name}: was changed while it was being read; nothing was written")

    def masked(self, making: Making) -> int:
        """Return how many rows are masked, or left out instead."""
        with saying_spark(self.name):
            steps = _Steps(self, making)
            return int(steps.frame.filter(steps.masked).count())

    def kept_of(self, original: Store) -> SparkStore:
        """Return the original with only the rows that this table was made of."""
        theirs = self._carried(original)
        cells = {name: cell for name, cell in theirs.cells.items() if cell in self._frame.columns}
        return SparkStore(self.cluster, self.name, self._frame, cells)

    def _carried(self, original: Store) -> SparkStore:
        """Return the original, of which this table carries the cells."""
        if not isinstance(original, SparkStore):
            raise TypeError("both tables must be held by the same kind of engine")
        if not set(original.cells.values()) & set(self._frame.columns):
            _refuse_rows(self.name)
        return original

    def pairs(self, original: Store, columns: Sequence[str]) -> dict[str, pl.DataFrame]:
        """Return the different pairs of original and released text of some columns."""
        theirs = self._carried(original)
        return {column: self._paired(theirs, column) for column in columns}

    def _paired(self, theirs: SparkStore, column: str) -> pl.DataFrame:
        from pyspark.sql import functions as F  # noqa: N812

        with saying_spark(self.name):
            both = self._frame.groupBy(theirs.text(column).alias("original"), self.text(column).alias("released"))
            found = self.cluster.fetch(both.agg(F.count(F.lit(1)).alias("cells")))
        return found.cast({"original": pl.String, "released": pl.String, "cells": pl.Int64})

    def first_of(self, original: Store, column: str, pairs: pl.DataFrame) -> int:  # noqa: ARG002
        """Rows have no places."""
        return 0

    def differences(self, original: Store, columns: Sequence[str], marker: str | None) -> dict[str, Difference]:
        """Compare some columns with those of the original; a column that was not changed is the original's own."""
        theirs = self._carried(original)
        return {name: self._difference(theirs, name, marker) for name in columns}

    def _difference(self, theirs: SparkStore, column: str, marker: str | None) -> Difference:
        if self.cells[column] == theirs.cells[column]:
            return Difference(0, None, 0, None)
        if not (self.has_text(column) and theirs.has_text(column)):
            return Difference(self.rows, 0, self.rows, 0)
        bad = self._paired(theirs, column).filter(pl.col("original").ne_missing(pl.col("released")))
        unmarked = bad if marker is None else bad.filter(pl.col("released").ne_missing(pl.lit(marker, pl.String)))
        cells, others = (int(found.get_column("cells").sum()) for found in (bad, unmarked))
        return Difference(cells, 0 if cells else None, others, 0 if others else None)

    def occurrences(self, column: str, text: str) -> int:
        """Return the number of cells of a column with a text."""
        with saying_spark(self.name):
            return int(self._having([column]).filter(self.text(column) == text).count())

    def only(self, places: Ints) -> NoReturn:  # noqa: ARG002
        """Rows have no places."""
        _refuse_rows(self.name)

    def taking(self, other: Store, columns: Sequence[str]) -> NoReturn:  # noqa: ARG002
        """Rows have no order."""
        _refuse_rows(self.name)

    def parts(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:  # noqa: ARG002
        """Rows have no order."""
        _refuse_rows(self.name)

    def places(self) -> NoReturn:
        """Rows have no places."""
        _refuse_rows(self.name)

    def places_at(self, rows: Ints) -> NoReturn:  # noqa: ARG002
        """Rows have no places."""
        _refuse_rows(self.name)

    @cached_property
    def _file(self) -> Path:
        return self.cluster.as_file(self._named())

    def saved(self) -> Path:
        """Return a scratch file of Parquet with the table and nothing else; always the same one."""
        return self._file

    def write_folder(self, folder: Path) -> None:
        """Write Parquet files into an empty folder, and nothing else."""
        with saying_spark(self.name):
            self._named().write.mode("append").parquet(folder.absolute().as_uri())
        for path in folder.iterdir():
            if path.suffix != ".parquet":  # checksums of each file, and that it is done
                path.unlink()

    def reads_back(self, folder: Path) -> bool:
        """Whether the files in a folder have the rows of this table, in whatever order."""
        with saying_spark(self.name):
            mine = self._named()
            found = self.cluster.session.read.parquet(folder.absolute().as_uri())
            return found.dtypes == mine.dtypes and _checksum(found) == _checksum(mine)

    def changed(self) -> bool:
        """Whether the files are not the same any more; of a DataFrame nobody knows them."""
        return self.files is not None and self.files.changed()

    def native(self) -> DataFrame:
        """Return the table as a DataFrame; what is settled goes when the program ends."""
        self.scratch.keep()
        with saying_spark(self.name):
            return self._named()

    def _named(self) -> DataFrame:
        """Return the columns under their names, without what was noted about them."""
        from pyspark.sql import functions as F  # noqa: N812

        cells = [F.col(cell).alias(cell, metadata={}) for cell in self.cells.values()]
        return self._frame.select(*cells).toDF(*self.columns)


class _Steps:
    """How a release is made: what is told, which rows are masked, the cells."""

    def __init__(self, store: SparkStore, making: Making) -> None:
        from pyspark.sql import functions as F  # noqa: N812

        if making.edits or making.left_out is not None:
            _refuse_rows(store.name)
        self.store, self.making, self.frame = store, making, store._frame
        masks = making.masks
        needed = [name for name in store.columns if making.becomes_text(name)]
        needed += [name for name in (masks.names if masks is not None else ()) if name not in needed]
        needed += [name for name, map_ in making.maps.items() if len(map_.gone) and name not in needed]
        self._told: dict[str, Column] = {}
        self._flags: list[Column] = []
        for name in needed:
            self._told[name] = self._mapped(name)
        if masks is not None:
            self._flags.append(self._in_masks(masks))
        flag = fresh("m")
        self.frame = self.frame.withColumn(flag, reduce(or_, self._flags, F.lit(False)))
        self.masked = F.col(flag)

    def _mapped(self, column: str) -> Column:
        """Return what the maps make of a column, and note which rows are gone with it."""
        from pyspark.sql import functions as F  # noqa: N812

        text = self.store.text(column)
        if column not in self.making.maps:
            return text
        table = self.making.maps[column].table.filter(pl.col("value").ne_missing(pl.col("text")) | pl.col("gone"))
        if not table.height:
            return text
        value, new, gone = (fresh(what) for what in ("v", "t", "g"))
        small = self.store.cluster.small(
            table.select(pl.col("value").alias(value), pl.col("text").alias(new), gone=pl.col("gone"))
        )
        small = small.withColumnRenamed("gone", gone)
        self.frame = self.frame.join(small, text.eqNullSafe(F.col(value)), "left")
        if table.get_column("gone").any():
            self._flags.append(F.coalesce(F.col(gone), F.lit(False)))
        return F.when(F.col(gone).isNotNull(), F.col(new)).otherwise(text)

    def _in_masks(self, masks: Masks) -> Column:
        """Return which rows are in a masked combination: all of them, or those that the lot takes."""
        from pyspark.sql import functions as F  # noqa: N812

        names = [fresh("v") for _ in masks.columns]
        mask, wanted, number = fresh("mask"), fresh("wanted"), fresh("number")
        texts = {
            name: pl.Series(masked.values, dtype=pl.String).gather(list(masked.of_combination))
            for name, masked in zip(names, masks.columns, strict=True)
        }
        rows = pl.Series(masks.rows, dtype=pl.Int64)
        table = pl.DataFrame({**texts, mask: pl.Series(range(len(rows)), dtype=pl.Int64), wanted: rows})
        on = [
            self._told[masked.column].eqNullSafe(F.col(name)) for name, masked in zip(names, masks.columns, strict=True)
        ]
        frame = self.frame.join(self.store.cluster.small(table), reduce(and_, on), "left")
        if not (rows != ALL).any():
            self.frame = frame
            return F.col(mask).isNotNull()
        some = F.coalesce(F.col(wanted) != ALL, F.lit(False))
        drawn = self._numbered(frame.filter(some), mask, masks.salt, number)
        self.frame = frame.filter(~some).withColumn(number, F.lit(None).cast("int")).unionByName(drawn)
        return F.coalesce((F.col(wanted) == ALL) | (F.col(number) <= F.col(wanted)), F.lit(False))

    def _numbered(self, frame: DataFrame, mask: str, salt: str, number: str) -> DataFrame:
        """Number the rows of each combination in the order of the lot; see `discreet.table.lots`."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F  # noqa: N812

        store, equal = self.store, fresh("equal")
        texts = [store.text(name) for name in self.making.columns if store.has_text(name)]
        held = [
            F.coalesce(F.concat(F.char_length(text).cast("string"), F.lit(":"), text), F.lit("-")) for text in texts
        ]
        among = Window.partitionBy(mask, *texts).orderBy(F.lit(1))
        frame = frame.withColumn(equal, F.row_number().over(among))
        lot = F.md5(F.concat(F.lit(salt), *held, F.lit("#"), F.col(equal).cast("string")))
        return frame.withColumn(number, F.row_number().over(Window.partitionBy(mask).orderBy(lot))).drop(equal)

    def released(self, column: str) -> Column:
        """Return what is released of a column whose cells become texts."""
        from pyspark.sql import functions as F  # noqa: N812

        cell = self._told[column]
        if column in self.making.maps and self._flags and not self.making.removes:
            return F.when(self.masked, F.lit(self.making.marker)).otherwise(cell)
        return cell


def _kind(kind: str) -> str:
    """Return the name that Polars has for a type of Spark."""
    if kind.startswith(("string collate", "char(", "varchar(")):
        return "text"
    return KINDS.get(kind, kind)


def _text(value: str | None) -> Column:
    from pyspark.sql import functions as F  # noqa: N812

    return F.lit(value).cast("string")


def _fingerprint(found: pl.DataFrame) -> Fingerprint:
    """Return what tells counts from others, in whatever order they come."""
    hashes = found.hash_rows(seed=0)
    return found.height, int(found.get_column("rows").sum()), int(hashes.sum()) if len(hashes) else 0


def _checksum(frame: DataFrame) -> tuple[object, ...]:
    """Return what tells the rows of a frame from others, in whatever order they come."""
    from pyspark.sql import functions as F  # noqa: N812

    inside = frame.toDF(*(f"c{place}" for place in range(len(frame.columns))))
    cells = [
        F.to_json(F.struct(name)) if "map<" in kind or kind == "variant" else F.col(name)
        for name, kind in inside.dtypes
    ]
    row = F.xxhash64(*cells, *(cell.isNull() for cell in cells))
    found = inside.select(row.alias("row")).agg(
        F.count(F.lit(1)), F.sum(F.col("row").cast("decimal(20,0)")), F.bit_xor("row")
    )
    return tuple(found.collect()[0])


def _refuse_rows(name: str) -> NoReturn:
    raise InputError(
        f"{name}: this needs single rows, and rows on Spark have neither numbers nor an order; use --engine duckdb or "
        "local on a table that they can hold"
    )

"""Large tables by Spark: DataFrames and Parquet files, counted, made and compared by the workers.

Rows have neither numbers nor an order here, unless a key gives them one, so two frames cannot be put side by side.
Instead a release carries its originals: one settled frame has the released cells beside those they were made of, and
only the former are handed out. Columns have names of our own inside, each used once in a program: Spark cannot tell
"A" from "a", and a name that two frames share says that one was made of the other.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, reduce
from operator import or_
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.encoded import Combinations, Ints, collapse, encode
from discreet.errors import InputError
from discreet.table.engine import alike
from discreet.table.stores.cells import MOMENTS, no_text, refuse_untold_missing, same_everywhere, texts_of
from discreet.table.stores.files import Files, changed
from discreet.table.stores.scratch import Scratch
from discreet.table.stores.spark.cluster import AT_ONCE, Cluster, fresh, same_columns, saying_spark
from discreet.table.stores.spark.comparing import SparkComparison
from discreet.table.stores.spark.fetching import in_parts, rows_before, rows_before_at, whole_columns
from discreet.table.stores.spark.handing_out import as_file, handed_out, reads_back, write_folder
from discreet.table.stores.spark.kinds import kind_of
from discreet.table.stores.spark.order import Order, no_order, numbered, refuse_key, refuse_kind
from discreet.table.stores.spark.steps import SparkSteps
from discreet.table.stores.spark.tally import Fingerprint, SparkTally
from discreet.table.stores.store import ALL_ROWS, Making, Store

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

    from discreet.table.stores.labelled import Labelling


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
    order
        The order of the rows, if they have one.
    """

    def __init__(
        self,
        cluster: Cluster,
        name: str,
        frame: DataFrame,
        cells: Mapping[str, str],
        files: Files | None = None,
        order: Order | None = None,
    ) -> None:
        self.cluster, self.name, self.frame, self.cells, self.files = cluster, name, frame, cells, files
        self.order = order
        self._settled: DataFrame | None = None
        self._seen: dict[tuple[str, ...], tuple[SparkTally, Fingerprint]] = {}
        self._held: dict[str, pl.Series] = {}

    @classmethod
    def of(cls, cluster: Cluster, frame: DataFrame, name: str, files: Files | None = None) -> SparkStore:
        """Return the table in a DataFrame."""
        with saying_spark(name):
            columns = list(frame.columns)
            same_columns(columns)
            inside = [fresh("c") for _ in columns]
            return cls(cluster, name, frame.toDF(*inside), dict(zip(columns, inside, strict=True)), files)

    def by_key(self, key: str) -> SparkStore:
        """Return the table with its rows in the order of a key, settled."""
        refuse_kind(self.name, key, self.kinds[key])
        cells = self.text(key) if self.kinds[key] == "text" else self.cluster.functions.col(self.cells[key])
        frame, place = numbered(self.cluster, self.frame, cells)
        refuse_key(self.cluster, frame, self.name, key, cells)
        order = Order(place, key=self.cells[key])
        return SparkStore(self.cluster, self.name, frame, self.cells, self.files, order)

    def as_they_come(self) -> SparkStore:
        """Return the table with its rows in whatever order they come now, settled."""
        frame, place = numbered(self.cluster, self.frame, None)
        return SparkStore(self.cluster, self.name, frame, self.cells, self.files, Order(place))

    @property
    def ordered(self) -> bool:
        """Whether the rows have an order."""
        return self.order is not None

    @property
    def place(self) -> str:
        """The column with the places of the rows; refused where they have none."""
        return self.ordering().place

    def ordering(self) -> Order:
        """Return the order of the rows; refused where they have none."""
        if self.order is None:
            raise InputError(no_order(self.name))
        return self.order

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
    def types(self) -> Mapping[str, str]:
        """Spark's names of the types of all columns of the frame."""
        with saying_spark(self.name):
            return dict(self.frame.dtypes)

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """For each column `text`, or the name of its type as Polars has it."""
        return {name: kind_of(self.types[cell]) for name, cell in self.cells.items()}

    def has_text(self, column: str) -> bool:
        """Whether the texts of a column are those of the local engine."""
        return same_everywhere(self.kinds[column])

    def text(self, column: str) -> Column:
        """Return a column as texts."""
        functions = self.cluster.functions
        if not self.has_text(column):
            raise no_text(column, self.kinds[column])
        cell: Column = functions.col(self.cells[column])
        kind = self.types[self.cells[column]]
        if kind.startswith("string collate"):  # equal would be what is spelt otherwise
            cell = functions.collate(cell, "UTF8_BINARY")
        elif self.kinds[column] == MOMENTS:
            cell = functions.date_format(cell, "yyyy-MM-dd HH:mm:ss.SSSSSS")
        elif kind != "string":
            cell = cell.cast("string")
        return cell

    def _having(self, columns: Sequence[str]) -> DataFrame:
        """Return a frame with some columns: what was settled of them, if they were."""
        if self._settled is not None and {self.cells[name] for name in columns} <= set(self._settled.columns):
            return self._settled
        return self.frame

    def without_missing(self, missing: Sequence[str]) -> SparkStore:
        """Return the table without rows that have null or one of some texts in some column."""
        functions = self.cluster.functions
        kept = functions.lit(True)
        for name in self.columns:
            cell = functions.col(self.cells[name])
            kept = kept & cell.isNotNull()
            if self.has_text(name) and missing:
                kept = kept & ~self.text(name).isin(list(missing))
            elif self.kinds[name].startswith("Float"):
                kept = kept & ~functions.isnan(cell)
            refuse_untold_missing(name, self.kinds[name], missing, "Spark")
        with saying_spark(self.name):
            left = SparkStore(self.cluster, self.name, self.frame.filter(kept), self.cells, self.files, self.order)
        if left.rows == self.rows:
            return self
        return left if self.order is None else left._renumbered()

    def _renumbered(self) -> SparkStore:
        """Return the table, settled, with places without a gap; those that the rows had are in `row`."""
        order = self.ordering()
        frame, place = numbered(self.cluster, self.frame, self.cluster.functions.col(order.place))
        return SparkStore(self.cluster, self.name, frame, self.cells, self.files, Order(place, order.place, order.key))

    def count(self, columns: Sequence[str], most: int) -> Combinations | None:
        """Return the different combinations of texts of some columns."""
        if len(columns) == 1 and self._is_small() and self.has_text(columns[0]):
            held = collapse(columns, [encode(texts_of(self._column(columns[0])))], self.rows)
            return held if len(held.counts) <= most else None
        if not columns:
            return Combinations((), (), (), np.array([self.rows]))
        tally = SparkTally(self, columns, self._having(columns))
        found = tally.counted(most)
        if found is None:
            return None
        counted, seen = found
        if self.order is None:
            self._seen[tuple(columns)] = (tally, seen)
        return counted

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> pl.DataFrame:
        """Count the groups for verification."""
        functions = self.cluster.functions
        sensitive = functions.lit("") if column is None else self.text(column)
        nothing = [sensitive.eqNullSafe(self.cluster.literal(text)) for text in hidden] if column is not None else []
        sums = [self.cluster.summed(functions.lit(True)).alias("rows")]
        for at, value in enumerate(values):
            sums.append(self.cluster.summed(sensitive.eqNullSafe(self.cluster.literal(value))).alias(f"hits {at}"))
        sums.append(self.cluster.summed(reduce(or_, nothing, functions.lit(False))).alias("hidden"))
        known = [self.text(name).alias(f"given {place}") for place, name in enumerate(given)]
        with saying_spark(self.name):
            groups = self._having([*given, *([] if column is None else [column])]).groupBy(*known).agg(*sums)
            found = self.cluster.fetch(groups)
        found = found.with_columns(pl.exclude(r"^given .*$").cast(pl.Int64), pl.col("^given .*$").cast(pl.String))
        return found.drop_nulls("rows")

    def labelled(self, labelling: Labelling) -> Store:
        """Return the table with labels of groups: policies with such are refused before."""
        raise NotImplementedError

    def make(self, making: Making) -> SparkStore:
        """Carry out how a release is made; the released cells are settled beside the original ones.

        Where rows have no order, the originals are read there from now on. With an order they were settled before.
        """
        functions = self.cluster.functions
        with saying_spark(self.name):
            steps = SparkSteps(self, making)
            inside = {name: fresh("r") if making.becomes_text(name) else self.cells[name] for name in making.columns}
            released = [steps.released(name).alias(cell) for name, cell in inside.items() if cell != self.cells[name]]
            kept = fresh("k")
            flag = [steps.kept.alias(kept)] if making.drops else []
            place = [functions.col(self.order.place)] if self.order is not None else []
            frame = steps.frame.select(
                *(functions.col(self.cells[name]) for name in making.columns), *released, *flag, *place
            )
        if self.order is not None:
            return self._made(frame.filter(functions.col(kept)) if making.drops else frame, inside, making)
        settled = self.cluster.settled(frame)
        self._refuse_other(settled)
        self._settled = settled
        release = settled.filter(functions.col(kept)) if making.drops else settled
        return SparkStore(self.cluster, self.name, release, inside)

    def _made(self, frame: DataFrame, cells: Mapping[str, str], making: Making) -> SparkStore:
        """Return a release, settled, whose rows have an order; it shows the key if that is released as it is."""
        order = self.ordering()
        shown = Order(order.place, key=order.key if order.key in cells.values() else None)
        release = SparkStore(self.cluster, self.name, frame, cells, order=shown)
        if making.drops:
            return release._renumbered()
        release.frame = self.cluster.settled(frame)
        return release

    def _refuse_other(self, settled: DataFrame) -> None:
        """Refuse rows that are not those that were counted before."""
        with saying_spark(self.name):
            cells = set(settled.columns)
        for columns, (tally, seen) in self._seen.items():
            if any(set(columns) < set(wider) for wider in self._seen):
                continue
            if not {self.cells[name] for name in columns} <= cells:
                continue
            if tally.fingerprint(settled) != seen:
                raise changed(self.name)

    def masked(self, making: Making) -> int:
        """Return how many rows are masked, or left out instead."""
        with saying_spark(self.name):
            steps = SparkSteps(self, making)
            return int(steps.frame.filter(steps.masked).count())

    def kept_of(self, original: Store) -> SparkStore:
        """Return the original with only the rows that this table was made of."""
        with saying_spark(self.name):
            carried = set(self.frame.columns)
        cells = {name: cell for name, cell in alike(SparkStore, original).cells.items() if cell in carried}
        if not cells:
            raise InputError(no_order(self.name))
        return SparkStore(self.cluster, self.name, self.frame, cells, order=self.order)

    def renamed(self, columns: Sequence[str]) -> SparkStore:
        """Return some columns of the table, each called as no other column of any frame."""
        functions, order = self.cluster.functions, self.ordering()
        inside = {name: fresh("c") for name in columns}
        key = next((inside[name] for name in columns if self.cells[name] == order.key), None)
        moved = Order(fresh("place"), key=key)
        frame = self.frame.select(
            functions.col(order.place).alias(moved.place),
            *(functions.col(self.cells[name]).alias(cell) for name, cell in inside.items()),
        )
        return SparkStore(self.cluster, self.name, frame, inside, order=moved)

    def beside(self, original: Store) -> SparkComparison:
        """Return the table beside the one that it was made from."""
        return SparkComparison(self, alike(SparkStore, original))

    def occurrences(self, column: str, text: str) -> int:
        """Return the number of cells of a column with a text."""
        with saying_spark(self.name):
            return int(self._having([column]).filter(self.text(column) == text).count())

    def only(self, places: Ints) -> SparkStore:
        """Return the table with only the rows at some places."""
        functions, row, place = self.cluster.functions, fresh("row"), fresh("place")
        table = {row: pl.Series(places, dtype=pl.Int64), place: pl.Series(np.arange(len(places)), dtype=pl.Int64)}
        with saying_spark(self.name):
            whole = self.renamed(self.columns)
            small = self.cluster.small(pl.DataFrame(table))
            frame = whole.frame.join(small, functions.col(whole.place) == functions.col(row)).drop(whole.place)
        order = Order(place, row, whole.ordering().key)
        return SparkStore(self.cluster, self.name, self.cluster.settled(frame), whole.cells, order=order)

    def in_order(self, places: Ints) -> SparkStore:
        """Return the table with its rows in another order."""
        moved = self.only(places)
        assert moved.order is not None
        order = Order(moved.order.place, key=moved.order.key, drawn=True)
        return SparkStore(self.cluster, self.name, moved.frame, moved.cells, order=order)

    def taking(self, other: Store, columns: Sequence[str]) -> SparkStore:
        """Return the table with some columns as another one has them."""
        functions = self.cluster.functions
        with saying_spark(self.name):
            mine = self.renamed([name for name in self.columns if name not in columns])
            theirs = alike(SparkStore, other).renamed(columns)
            both = mine.frame.join(theirs.frame, functions.col(mine.place) == functions.col(theirs.place))
        cells = {name: (theirs if name in columns else mine).cells[name] for name in self.columns}
        settled = self.cluster.settled(both.drop(theirs.place))
        return SparkStore(self.cluster, self.name, settled, cells, order=mine.order)

    def _is_small(self) -> bool:
        """Whether rows have an order and single columns are fetched at once: one question less about each."""
        return self.order is not None and self.rows <= ALL_ROWS

    def _column(self, column: str) -> pl.Series:
        """Return a column of a small table in order, under another name; of a very small one all texts are fetched."""
        if column not in self._held:
            others = self.columns if self.rows <= AT_ONCE else ()
            wanted = [name for name in others if name != column and name not in self._held and self.has_text(name)]
            self._held |= whole_columns(self, [column, *wanted])
        return self._held[column]

    def parts(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Yield some columns, some rows at a time, in order."""
        if self._is_small():
            yield pl.DataFrame([self._column(name).alias(name) for name in columns])
        else:
            yield from in_parts(self, columns, ALL_ROWS)

    def places(self) -> Ints | None:
        """Return the places of the rows in the table that this one was made of."""
        return rows_before(self)

    def places_at(self, rows: Ints) -> Ints:
        """Return these places of some rows."""
        return rows_before_at(self, rows)

    @cached_property
    def _file(self) -> Path:
        return as_file(self)

    def saved(self) -> Path:
        """Return a scratch file of Parquet with the table and nothing else; always the same one."""
        return self._file

    def write_folder(self, folder: Path) -> None:
        """Write Parquet files into an empty folder, and nothing else."""
        write_folder(self, folder)

    def reads_back(self, folder: Path) -> bool:
        """Whether the files in a folder, as this program sees it, have the rows of this table, in whatever order."""
        return reads_back(self, folder)

    def changed(self) -> bool:
        """Whether the files are not the same any more; of a DataFrame nobody knows them."""
        return self.files is not None and self.files.changed()

    def native(self) -> DataFrame:
        """Return the table as a DataFrame; what is settled goes when the program ends."""
        self.scratch.keep()
        return handed_out(self)

    @cached_property
    def salt(self) -> str:
        """What the order in which rows are handed out depends on, where it is by lot."""
        return secrets.token_hex(16)

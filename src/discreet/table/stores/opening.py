"""From what the owner hands over to an engine for large tables."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from discreet.columns.formulas import unescaped
from discreet.errors import InputError
from discreet.policy import Policy
from discreet.policy.places import column_hint
from discreet.table.formats.arriving import digest_of_arrival
from discreet.table.formats.base import Reading
from discreet.table.formats.dialect import Dialect
from discreet.table.formats.form import Form
from discreet.table.formats.known import FileTable, file_table
from discreet.table.formats.place import Address, Place, place_of, settled
from discreet.table.frames import frame_of, polars_of
from discreet.table.memory import FetchLimits
from discreet.table.relations import database_of, is_relation
from discreet.table.stores.duck.session import Session
from discreet.table.stores.duck.store import DuckStore
from discreet.table.stores.engine import BigEngine
from discreet.table.stores.files import Files, saying
from discreet.table.stores.scratch import Scratch
from discreet.table.stores.spark.cluster import Cluster
from discreet.table.stores.spark.frames import is_spark
from discreet.table.stores.spark.store import SparkStore
from discreet.table.stores.store import Store
from discreet.table.stores.stream.store import StreamStore

DUCKDB_SHARE = 0.25
"""Of the memory of a job, what DuckDB may take; the rest is for what is fetched, and for the planning."""
SPARK_SHARE = 0.5
"""The same for Spark, where somebody says how much memory the job may take and Spark is not running yet."""


class BigTables:
    """The tables of one job, all held in the same way: only such can be put side by side.

    Parameters
    ----------
    kind
        `duckdb`, `spark` or `streaming`.
    memory
        How much memory the job may take.
    said
        Whether somebody said so.
    key
        On Spark, the column by which rows are known and ordered.
    in_any_order
        On Spark, whether rows are numbered as they come where there is no key.
    """

    def __init__(
        self, kind: str, memory: int, *, said: bool = False, key: str | None = None, in_any_order: bool = False
    ) -> None:
        self.kind, self.memory, self.said, self.key, self.in_any_order = kind, memory, said, key, in_any_order
        self.scratch = Scratch()
        self._session: Session | None = None
        self._cluster: Cluster | None = None

    def open(self, table: object, policy: Policy, *, released: bool) -> BigEngine:
        """Return the engine that holds a table."""
        refuse_policy(policy)
        if self.kind == "spark":
            refuse_groups(policy)
        if self.kind == "spark" and self.key is None and not self.in_any_order:
            refuse_cells(policy)
        name = str(table) if isinstance(table, (str, Path, Address)) else "the table"
        form = Form(options=policy.file)
        relation = table if is_relation(table) else None
        if is_spark(table):
            cluster = Cluster.of(table, self.scratch, name)  # type: ignore[arg-type]
            held = self._in_order(SparkStore.of(cluster, table, name), released=released)  # type: ignore[arg-type]
            return self._engine(held, name, form)
        if isinstance(table, (str, Path)) and (database := database_of(str(table))) is not None:
            form = Form(options=policy.file, place=settled(Path(table)))
            return self._engine(DuckStore.of_table(self._connected(name), *database, name), name, form)
        if isinstance(table, (str, Path, Address)):
            path = place_of(table)
            found = file_table(path)
            files, dialect = self._held(path, found, policy, released=released)
            form = Form(dialect, policy.file, found.format, digest_of_arrival(path, found.files), settled(path))
        else:
            files = Files.of([self._saved(table, name)], own=True)
        store = self._store(files, name, relation)
        if isinstance(store, SparkStore):
            store = self._in_order(store, released=released)
        return self._engine(store, name, form)

    def _in_order(self, store: SparkStore, *, released: bool) -> SparkStore:
        """Return a table on Spark with its rows in the order that was asked for, if any was."""
        if self.key is None:
            return store.as_they_come() if self.in_any_order else store
        if self.key in store.columns:
            return store.by_key(self.key)
        if released:
            raise InputError(
                f"the release has no column {self.key!r}, which is the key: on Spark nobody can tell which of its rows "
                "is whose; verify it without the original and without a key"
            )
        raise InputError(
            f"{store.name}: has no column {self.key!r}, which is the key{column_hint(self.key, store.columns)}"
        )

    def _engine(self, store: Store, name: str, form: Form) -> BigEngine:
        left = {"duckdb": 1 - DUCKDB_SHARE, "spark": 1 - SPARK_SHARE if self.said else 1.0}
        return BigEngine(store, name, form, self._written, limits=FetchLimits(self.memory, left.get(self.kind, 1.0)))

    def _store(self, files: Files, name: str, relation: object = None) -> Store:
        if self.kind == "duckdb":
            return DuckStore.of_parquet(self._connected(name), files, name, relation)
        if self.kind == "spark":
            if self._cluster is None:
                memory = int(SPARK_SHARE * self.memory) if self.said else None
                self._cluster = Cluster.start(self.scratch, name, memory)
            return SparkStore.of(self._cluster, self._cluster.read(files), name, files)
        return StreamStore.open(files, self.scratch, name)

    def _connected(self, name: str) -> Session:
        if self._session is None:
            self._session = Session(self.scratch, int(DUCKDB_SHARE * self.memory), name)
        return self._session

    def _held(self, path: Place, found: FileTable, policy: Policy, *, released: bool) -> tuple[Files, Dialect | None]:
        """Return Parquet files with a table, its own or scratch files, and how it is written in a text file."""
        if found.format.held_by_stores:
            return Files.of(found.files), None
        said, target = policy.file, self.scratch.new()
        reading = Reading(said.model_copy(update={"skip": 0}), policy.identifiers) if released else Reading(said)
        dialect = found.format.to_parquet(path, found.files, target, reading)
        if released and found.format.escapes and said.escape_formulas:
            target, written = self.scratch.new(), target
            with saying(str(path)):
                plain = unescaped(pl.scan_parquet(written, glob=False), header=dialect is None or dialect.header)
                plain.sink_parquet(target, engine="streaming")
        return Files.of([target], own=True), dialect

    def _saved(self, table: object, name: str) -> Path:
        """Return a Parquet file with the rows of a relation or a frame, in the order they have now."""
        target = self.scratch.new()
        with saying(name):
            if is_relation(table):
                table.write_parquet(str(target))  # type: ignore[attr-defined]
                return target
            if isinstance(table, pl.LazyFrame):
                table.sink_parquet(target, engine="streaming")
            else:
                polars_of(frame_of(table)).write_parquet(target)
        return target

    def _written(self, path: Path, policy: Policy) -> StreamStore:
        """Return a file that was just written, as it is read."""
        files, _ = self._held(path, file_table(path), policy, released=True)
        return StreamStore.open(files, self.scratch, str(path))


def refuse_policy(policy: Policy) -> None:
    """Refuse at once what needs all rows in memory."""
    for needs, what in (
        (policy.k_on_population, "k_on: population"),
        (policy.unit is not None, "'unit'"),
        (any(policy.cells()), "confidential cells"),
    ):
        if policy.release is not None and needs:
            raise InputError(
                f"release: a sample beside {what} needs the table in memory; draw it before, or use --engine local"
            )
    if policy.is_local and (any(policy.cells()) or policy.unit is not None):
        what = "'unit'" if policy.unit is not None else "confidential cells"
        raise InputError(
            f"recoding: local beside {what} needs the table in memory; take one of them out, or use --engine local"
        )


def refuse_groups(policy: Policy) -> None:
    """Refuse groups with labels of their own on Spark."""
    if policy.is_local:
        raise InputError("recoding: local is not for Spark; write recoding: global, or use --engine duckdb or local")


def refuse_cells(policy: Policy) -> None:
    """Refuse samples and promises about single rows where rows have neither numbers nor an order."""
    if policy.release is not None:
        raise InputError(
            "release: a sample is drawn by the places of rows, and rows on Spark have none; name a column by which "
            "they are known with --key (in Python key), or use --engine duckdb or local"
        )
    for index, _ in policy.cells():
        raise InputError(
            f"protect[{index}]: confidential cells are those of single rows, and rows on Spark have neither "
            "numbers nor an order; name a column by which they are known with --key (in Python key), or use "
            "--engine duckdb or local"
        )

"""From what the owner hands over (a dataframe or a file) to the engine that holds its rows."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from discreet.columns.formulas import unescaped
from discreet.errors import InputError
from discreet.policy import FileOptions, Policy
from discreet.policy.places import did_you_mean
from discreet.table.engine import Engine
from discreet.table.formats.arriving import digest_of_arrival
from discreet.table.formats.base import Reading
from discreet.table.formats.form import Form
from discreet.table.formats.known import file_table, names
from discreet.table.formats.place import Address, Place, is_standard, place_of, settled
from discreet.table.frames import frame_of
from discreet.table.local import LocalEngine
from discreet.table.machine import NO_LIMIT
from discreet.table.memory import limit_of, needed, shown
from discreet.table.relations import database_of, is_relation
from discreet.table.stores.spark.frames import is_spark

if TYPE_CHECKING:
    import duckdb
    import pandas as pd
    import pyarrow as pa
    from pyspark.sql import DataFrame as SparkFrame

Table: TypeAlias = (
    "pl.DataFrame | pl.LazyFrame | pd.DataFrame | pa.Table | duckdb.DuckDBPyRelation | SparkFrame | str | Path"
    " | Address"
)
"""What may be handed over: a dataframe, a relation of DuckDB, the path of a file (or several), or an address."""

PLACES = (str, Path, Address)
ENGINES = ("local", "streaming", "duckdb", "spark")
CLOSE = 0.5
"""Where a table takes more than this share of the memory limit, it is said how it is held."""
_LOG = logging.getLogger("discreet")


@dataclass(frozen=True)
class Opening:
    """Which engine holds a table, and how much memory it may take.

    Parameters
    ----------
    engine
        `local` (streaming where a file is too large), `streaming` (whatever its size), `duckdb`, `spark`, or None: what
        suits the table.
    memory_limit
        Bytes, or a text such as `2GB`; 60% of the machine's memory when absent.
    key
        On Spark, the column by which rows are known and ordered.
    in_any_order
        Whether rows without an order are numbered as they come: for tables that are put beside no other.
    """

    engine: str | None = None
    memory_limit: str | int | None = None
    key: str | None = None
    in_any_order: bool = False

    def __post_init__(self) -> None:
        """Refuse an engine that does not exist."""
        if self.engine not in (None, *ENGINES):
            hint = did_you_mean(str(self.engine), ENGINES)
            raise InputError(
                f"there is no engine {self.engine!r}; choose {', '.join(ENGINES[:-1])} or {ENGINES[-1]}{hint}"
            )


DEFAULT = Opening()


def open_table(table: Table, policy: Policy, *, released: bool = False, opening: Opening = DEFAULT) -> Engine:
    """Return the engine that holds `table`, without the rows that the policy wants dropped.

    `released` says that the table is a release: it is taken as it is, every row of it; a file then starts at
    once, and without its header line it has no identifiers (`missing` and `skip` concern the original only).
    """
    return open_tables([(table, released)], policy, opening)[0]


def open_tables(tables: Sequence[tuple[Table, bool]], policy: Policy, opening: Opening) -> list[Engine]:
    """Return the engines that hold some tables, each with whether it is a release: all of the same kind.

    Tables that together do not fit into the memory limit are not read into memory.
    """
    kind, limit = opening.engine, limit_of(opening.memory_limit)
    tables = [(place_of(table) if isinstance(table, PLACES) else table, released) for table, released in tables]
    for only, by, said in ((_only_duckdb, "duckdb", "DuckDB"), (is_spark, "spark", "Spark")):
        if any(only(table) for table, _ in tables):
            if kind not in (None, by):
                raise InputError(f"this table is read by {said} only; take --engine {kind} out")
            kind = by
    if kind != "spark" and opening.key is not None:
        raise InputError("--key gives rows on Spark an order; on other engines they have one; take it out")
    if kind == "spark" and opening.key is None and len(tables) > 1:
        raise InputError(
            "rows on Spark have no order, so a release cannot be put beside its original there; name a column by which "
            "rows are known in both with --key (in Python key), verify without the original, or use --engine duckdb"
        )
    if kind in (None, "local") and not _too_large([table for table, _ in tables], limit, policy):
        return [_open_local(table, policy, released=released) for table, released in tables]
    from discreet.table.stores.opening import BigTables

    large = kind if kind in ("duckdb", "spark") else "streaming"
    limited = opening.memory_limit is not None
    opener = BigTables(large, limit, said=limited, key=opening.key, in_any_order=opening.in_any_order)
    opened = [(opener.open(table, policy, released=released), released) for table, released in tables]
    if opening.key is not None:
        _refuse_unlike_keys([found for found, _ in opened], opening.key)
    for found, released in opened:
        found.original = not released
    return [found if released else found.without_missing(policy.missing) for found, released in opened]


def _refuse_unlike_keys(opened: Sequence[Engine], key: str) -> None:
    """Refuse tables whose keys are sorted in different ways."""
    kinds = ["whole numbers" if "Int" in kind else kind for kind in (engine.kind(key) for engine in opened)]
    if len(set(kinds)) > 1:
        raise InputError(
            f"the key {key!r} holds {kinds[0]} in the release and {kinds[1]} in the original, which are not sorted "
            "alike; make them the same"
        )


def _only_duckdb(table: Table) -> bool:
    return is_relation(table) or (isinstance(table, PLACES) and database_of(str(table)) is not None)


def _too_large(tables: Sequence[Table], limit: int, policy: Policy) -> bool:
    """Whether the files among some tables would take more memory than there is; said where it is close."""
    wanted, single = 0, any(True for _ in policy.cells())
    if limit == NO_LIMIT:
        return False
    for table in tables:
        if isinstance(table, PLACES):
            wanted += memory_needed(place_of(table), policy.file, single=single)
    if wanted > CLOSE * limit:
        names = " and ".join(str(table) for table in tables if isinstance(table, PLACES))
        chosen = "streamed" if wanted > limit else "held in memory"
        _LOG.info("%s: about %s of memory needed, at most; limit %s: %s", names, shown(wanted), shown(limit), chosen)
    return wanted > limit


def memory_needed(place: Place, options: FileOptions, *, single: bool = False) -> int:
    """Return about how much memory it takes to protect the table in a file; `single`: with confidential cells."""
    found = file_table(place)
    with contextlib.suppress(OSError, ValueError):  # reading it says what is wrong
        return needed(found.files, partial(found.format.size, options=options), single=single)
    return 0


def _open_local(table: Table, policy: Policy, *, released: bool) -> LocalEngine:
    if not released:
        return open_source(table, policy.file).without_missing(policy.missing)
    if not isinstance(table, PLACES):
        return _take_frame(table, policy.file)
    reading = Reading.of_release(policy)
    return read_file(place_of(table), reading.options, reading.left_out, released=True)


def open_source(table: Table, options: FileOptions) -> LocalEngine:
    """Return the engine that holds all rows of `table`."""
    if isinstance(table, PLACES):
        return read_file(place_of(table), options)
    return _take_frame(table, options)


def _take_frame(table: object, options: FileOptions) -> LocalEngine:
    lazy = isinstance(table, pl.LazyFrame)
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    try:
        frame = frame_of(table)
    except TypeError:
        kinds = f"a pandas, Polars or PyArrow table, or the path of a {names()} file"
        raise InputError(f"{type(table).__name__} is not a table that discreet can read; give {kinds}") from None
    columns = list(frame.columns)
    wrong = [place for place, name in enumerate(columns, start=1) if not isinstance(name, str)]
    if wrong:
        raise InputError(f"column {wrong[0]} of the table has a name that is not a text; rename it")
    if len(set(columns)) < len(columns):
        raise InputError("two columns of the table have the same name")
    return LocalEngine(frame, Form(options=options), lazy=lazy)


def read_file(
    path: Place, options: FileOptions, left_out: Sequence[str] = (), *, released: bool = False
) -> LocalEngine:
    """Return the engine that holds the table in a file.

    Columns `left_out` of a release take no place among the names of a file without a header line; formulas in it may
    be escaped.
    """
    refuse_special(path)
    found = file_table(path)
    frame, dialect = found.format.read(path, found.files, Reading(options, tuple(left_out)))
    if released and found.format.escapes and options.escape_formulas:
        frame = unescaped(frame.lazy(), header=dialect is None or dialect.header).collect()
    form = Form(dialect, options, found.format, digest_of_arrival(path, found.files), settled(path))
    return LocalEngine(frame, form)


def refuse_special(path: Place) -> None:
    """Refuse a pipe or a device that is not given as standard input."""
    if isinstance(path, Address) or is_standard(path):
        return
    try:
        special = path.exists() and not path.is_file() and not path.is_dir()
    except (OSError, ValueError):
        special = False  # reading it says what is wrong
    if special:
        raise InputError(
            f"{path}: is a pipe or a device, not a file; save the table to a file first, or send it to `-`"
        )


def reopened(path: Path, policy: Policy) -> Engine:
    """Return a released file as anybody reads it, whatever memory that needs."""
    return open_table(path, policy, released=True, opening=Opening(memory_limit=NO_LIMIT))

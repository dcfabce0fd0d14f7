"""From what the owner hands over (a dataframe or a file) to the engine that holds its rows."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import narwhals as nw
import polars as pl

from discreet.errors import InputError
from discreet.policy import FileOptions, Policy
from discreet.table.csv import read_csv
from discreet.table.form import Form
from discreet.table.local import LocalEngine

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Table: TypeAlias = "pl.DataFrame | pl.LazyFrame | pd.DataFrame | pa.Table | str | Path"
"""What may be handed over: a dataframe, or the path of a CSV or Parquet file."""

PARQUET_MAGIC = b"PAR1"


def open_table(table: Table, policy: Policy, *, released: bool = False) -> LocalEngine:
    """Return the engine that holds `table`, without the rows that the policy wants dropped.

    `released` says that the table is a release: it is taken as it is, every row of it; a file then starts at
    once, and without its header line it has no identifiers (`missing` and `skip` concern the original only).
    """
    if not released:
        return open_source(table, policy.file).without_missing(policy.missing)
    if not isinstance(table, (str, Path)):
        return _take_frame(table, policy.file)
    return read_file(Path(table), policy.file.model_copy(update={"skip": 0}), policy.identifiers)


def open_source(table: Table, options: FileOptions) -> LocalEngine:
    """Return the engine that holds all rows of `table`."""
    if isinstance(table, (str, Path)):
        return read_file(Path(table), options)
    return _take_frame(table, options)


def _take_frame(table: object, options: FileOptions) -> LocalEngine:
    lazy = isinstance(table, pl.LazyFrame)
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    try:
        frame = nw.from_native(table, eager_only=True)  # type: ignore[call-overload]
    except TypeError:
        kinds = "a pandas, Polars or PyArrow table, or the path of a CSV or Parquet file"
        raise InputError(f"{type(table).__name__} is not a table that discreet can read; give {kinds}") from None
    except nw.exceptions.DuplicateError:
        raise InputError("two columns of the table have the same name") from None
    names = list(frame.columns)
    wrong = [place for place, name in enumerate(names, start=1) if not isinstance(name, str)]
    if wrong:
        raise InputError(f"column {wrong[0]} of the table has a name that is not a text; rename it")
    if len(set(names)) < len(names):
        raise InputError("two columns of the table have the same name")
    return LocalEngine(frame, Form(options=options), lazy=lazy)


def read_file(path: Path, options: FileOptions, left_out: Sequence[str] = ()) -> LocalEngine:
    """Return the engine that holds the table in a CSV or Parquet file.

    Columns `left_out` of a release take no place among the names of a file without a header line.
    """
    try:
        special = path.exists() and not path.is_file() and not path.is_dir()
    except (OSError, ValueError):
        special = False  # reading it says what is wrong
    if special:
        raise InputError(f"{path}: is a pipe or a device, not a file; save the table to a file first")
    if _is_parquet(path):
        return LocalEngine(_read_parquet(path), Form(options=options))
    said = {"separator": options.separator, "encoding": options.encoding, "skip": options.skip}
    if options.header is True or not left_out:
        frame, dialect = read_csv(path, header=options.header, **said)  # type: ignore[arg-type]
    else:
        frame, dialect = read_csv(path, header=False, **said)  # type: ignore[arg-type]
        frame = _named(frame, path, options, left_out)
    return LocalEngine(nw.from_native(frame, eager_only=True), Form(dialect, options))


def _named(frame: pl.DataFrame, path: Path, options: FileOptions, left_out: Sequence[str]) -> pl.DataFrame:
    """Name the columns of a release without a header line as those of its original."""
    if isinstance(options.header, tuple):
        names = list(options.header)
    else:
        names = [f"column_{place}" for place in range(1, frame.width + len(left_out) + 1)]
    kept = [name for name in names if name not in left_out]
    if frame.width not in (len(names), len(kept)):
        raise InputError(
            f"{path}: has {frame.width} columns, expected {len(kept)} (as in `header`, without identifiers)"
        )
    return frame.rename(dict(zip(frame.columns, kept if frame.width == len(kept) else names, strict=True)))


def _read_parquet(path: Path) -> nw.DataFrame[pl.DataFrame]:
    try:
        with path.open("rb") as file:
            return nw.from_native(pl.read_parquet(file, hive_partitioning=False), eager_only=True)
    except (Exception, pl.exceptions.PanicException):
        raise InputError(f"{path}: is not a readable Parquet file") from None


def _is_parquet(path: Path) -> bool:
    """Whether the file starts and ends as Parquet files do."""
    try:
        with path.open("rb") as file:
            if file.read(4) != PARQUET_MAGIC:
                return False
            file.seek(-4, os.SEEK_END)
            return file.read(4) == PARQUET_MAGIC
    except (OSError, ValueError):
        return False  # reading it as text says what is wrong

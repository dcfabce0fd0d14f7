"""From what the owner hands over (a dataframe or a file) to the engine that holds its rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import narwhals as nw
import polars as pl

from discreet.errors import InputError
from discreet.policy import FileOptions, Policy
from discreet.table.csv import read_csv
from discreet.table.local import LocalEngine

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Table: TypeAlias = "pl.DataFrame | pl.LazyFrame | pd.DataFrame | pa.Table | str | Path"
"""What may be handed over: a dataframe, or the path of a CSV or Parquet file."""

PARQUET_MAGIC = b"PAR1"


def open_table(table: Table, policy: Policy, *, released: bool = False) -> LocalEngine:
    """Return the engine that holds `table`, without the rows that the policy wants dropped.

    `released` says that the table is a release: it is taken as it is, every row of it, and a file starts with
    its header at once (`missing` and `skip` concern the original only).
    """
    engine = (
        read_file(Path(table), policy.file, released=released) if isinstance(table, (str, Path)) else _take_frame(table)
    )
    return engine if released else engine.without_missing(policy.missing)


def _take_frame(table: object) -> LocalEngine:
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
    return LocalEngine(frame)


def read_file(path: Path, options: FileOptions, *, released: bool = False) -> LocalEngine:
    """Return the engine that holds the table in a CSV or Parquet file."""
    if path.is_fifo() or path.is_char_device() or path.is_socket():
        raise InputError(f"{path}: is a pipe or a device, not a file; save the table to a file first")
    if _is_parquet(path):
        try:
            return LocalEngine(nw.from_native(pl.read_parquet(path), eager_only=True))
        except (pl.exceptions.PolarsError, OSError):
            raise InputError(f"{path}: is not a readable Parquet file") from None
    frame, dialect = read_csv(
        path,
        separator=options.separator,
        header=options.header,
        encoding=options.encoding,
        skip=0 if released else options.skip,
    )
    said = options.separator is not None
    return LocalEngine(nw.from_native(frame, eager_only=True), dialect, separator_said=said)


def _is_parquet(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4) == PARQUET_MAGIC
    except OSError:
        return False  # reading it as text says what is wrong

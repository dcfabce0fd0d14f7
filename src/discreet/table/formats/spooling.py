"""Texts that come in parts, as a Parquet file: by way of a text file, so that few rows are in memory at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import polars as pl

from discreet.table.formats.csv_reading import stream_csv
from discreet.table.formats.csv_writing import write_csv_parts
from discreet.table.formats.dialect import Dialect
from discreet.table.formats.place import Place


def texts_to_parquet(columns: Sequence[str], parts: Iterable[pl.DataFrame], target: Path, said: Place) -> None:
    """Write a table of texts that comes in parts to a Parquet file; `said` is what it is called in messages."""
    spool = target.with_suffix(".rows")
    try:
        with spool.open("wb") as file:
            write_csv_parts(columns, parts, file, Dialect())
        stream_csv(spool, target, separator=",", said=Path(str(said)))
    finally:
        spool.unlink(missing_ok=True)

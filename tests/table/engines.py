"""The engines that must all do the same, and what one of them makes of a table."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow
import pyarrow.parquet as parquet_files
import pytest

import discreet as d
from discreet.errors import DiscreetError
from discreet.table.source import Table
from tests.spark import GROUP, session

LARGE = ["streaming", "duckdb"]
"""The engines for large tables; the local one is what they are compared with."""
ALL = [*LARGE, pytest.param("spark", marks=GROUP)]
"""These and Spark, which is slow to begin and has no order of rows."""


@dataclass(frozen=True)
class Outcome:
    """What came of a job: a release with its audit, or a refusal."""

    columns: list[str] | None = None
    kinds: list[str] | None = None
    rows: list[tuple[object, ...]] | None = None
    audit: dict[str, object] | None = None
    refusal: tuple[str, str] | None = None

    def in_any_order(self) -> Outcome:
        """The same, for an engine whose rows have no order."""
        return self if self.rows is None else replace(self, rows=sorted(self.rows, key=repr))


def frame_of(table: Any) -> pl.DataFrame:
    """Return a released table of any engine as a frame."""
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    return table if isinstance(table, pl.DataFrame) else table.pl()


def outcome(table: Table, policy: d.Policy, engine: str, plan: d.Plan | None = None, key: str | None = None) -> Outcome:
    """Return what an engine makes of a table: of its own plan, or of a given one. Only Spark needs a key."""
    if engine == "spark":
        session()
    key = key if engine == "spark" else None
    try:
        if plan is None:
            whole = d.protect(table, policy, seed=1, engine=engine, key=key)
        else:
            whole = plan.apply(table, engine=engine, key=key)
    except DiscreetError as error:
        return Outcome(refusal=(type(error).__name__, str(error)))
    with tempfile.TemporaryDirectory() as folder:
        whole.write(Path(folder) / "release.parquet")
        frame = pl.read_parquet(Path(folder) / "release.parquet")
        assert not other_texts(Path(folder) / "release.parquet")
    kinds = [str(kind) for kind in frame.dtypes]
    found = Outcome(frame.columns, kinds, frame.rows(), whole.audit.to_dict())
    return found.in_any_order() if engine == "spark" else found


def other_texts(path: Path) -> set[str]:
    """Return the texts that a Parquet file lists for its cells (in dictionaries) although no cell has them."""
    schema = parquet_files.read_schema(path)
    names = [field.name for field in schema if field.type in (pyarrow.string(), pyarrow.large_string())]
    found: set[str] = set()
    for name in names if len(set(schema.names)) == len(schema.names) else []:
        column = parquet_files.read_table(path, columns=[name], read_dictionary=[name]).column(0)
        for chunk in column.chunks:
            found |= set(chunk.dictionary.to_pylist()) - set(column.to_pylist())
    return found


def expected(table: Table, policy: d.Policy, engine: str, plan: d.Plan | None = None) -> Outcome:
    """Return what an engine must make of a table: what the local one makes."""
    wanted = outcome(table, policy, "local", plan)
    return wanted.in_any_order() if engine == "spark" else wanted


@contextlib.contextmanager
def parquet(frame: pl.DataFrame) -> Iterator[Path]:
    """A file with a table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        frame.write_parquet(path)
        yield path

"""The engines that must all do the same, and what one of them makes of a table."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

import discreet as d
from discreet.errors import DiscreetError
from discreet.table.source import Table

LARGE = ["streaming", "duckdb"]
"""The engines for large tables; the local one is what they are compared with."""


@dataclass(frozen=True)
class Outcome:
    """What came of a job: a release with its audit, or a refusal."""

    columns: list[str] | None = None
    kinds: list[str] | None = None
    rows: list[tuple[object, ...]] | None = None
    audit: dict[str, object] | None = None
    refusal: tuple[str, str] | None = None


def frame_of(table: Any) -> pl.DataFrame:
    """Return a released table of any engine as a frame."""
    if isinstance(table, pl.LazyFrame):
        return table.collect()
    return table if isinstance(table, pl.DataFrame) else table.pl()


def outcome(table: Table, policy: d.Policy, engine: str, plan: d.Plan | None = None) -> Outcome:
    """Return what an engine makes of a table: of its own plan, or of a given one."""
    try:
        whole = d.protect(table, policy, seed=1, engine=engine) if plan is None else plan.apply(table, engine=engine)
    except DiscreetError as error:
        return Outcome(refusal=(type(error).__name__, str(error)))
    with tempfile.TemporaryDirectory() as folder:
        whole.write(Path(folder) / "release.parquet")
        frame = pl.read_parquet(Path(folder) / "release.parquet")
    kinds = [str(kind) for kind in frame.dtypes]
    return Outcome(frame.columns, kinds, frame.rows(), whole.audit.to_dict())


@contextlib.contextmanager
def parquet(frame: pl.DataFrame) -> Iterator[Path]:
    """A file with a table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        frame.write_parquet(path)
        yield path

"""The bank's table in a file of every kind that is read: for tests that go through all of them."""

from __future__ import annotations

import functools
import importlib.util
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as d
from tests.commands import DEMO
from tests.sas import SasColumn, sas7bdat

KINDS: dict[str, tuple[str, str | None]] = {
    "csv": ("CSV", None),
    "csv.gz": ("CSV", None),
    "csv.bz2": ("CSV", None),
    "csv.xz": ("CSV", None),
    "csv.zst": ("CSV", "zstandard"),
    "csv.zip": ("CSV", None),
    "parquet": ("Parquet", None),
    "jsonl": ("JSON lines", None),
    "feather": ("Arrow", None),
    "arrows": ("Arrow", None),
    "xlsx": ("Excel", "fastexcel"),
    "sqlite": ("SQLite", None),
    "sav": ("SPSS", "pyreadstat"),
    "zsav": ("SPSS", "pyreadstat"),
    "dta": ("Stata", "pyreadstat"),
    "xpt": ("SAS", "pyreadstat"),
    "sas7bdat": ("SAS", "pyreadstat"),
}
"""By what names end in: the format, and the library that it needs. PostgreSQL has no files."""
RULES = "protect:\n  - {infer: {Bankrupt: Discharged}, given: [Job, Country], at_most: 75%}\n"
"""For a table whose names are short enough for every kind."""


def need(kind: str) -> None:
    """Skip a test whose library is not installed."""
    library = KINDS[kind][1]
    if library is not None and importlib.util.find_spec(library) is None:
        pytest.skip(f"reading .{kind} needs {library}")


def bank() -> pl.DataFrame:
    """The bank's table, with names that every kind takes."""
    return pl.read_csv(DEMO / "bank.csv", infer_schema=False).rename({"Bankruptcy": "Bankrupt"})


def sample(kind: str, path: Path, times: int = 1) -> Path:
    """Write the bank's table, so many times, to a file of a kind."""
    need(kind)
    path.write_bytes(_made(kind, times))
    return path


@functools.cache
def _made(kind: str, times: int) -> bytes:
    frame = pl.concat([bank()] * times)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"made.{kind}"
        if kind == "sas7bdat":
            return sas7bdat([SasColumn(column.name, column.to_list()) for column in frame.iter_columns()])
        if kind == "arrows":
            frame.write_ipc_stream(path)
        elif kind == "zsav":
            _statistics().write_sav(frame, str(path), compress=True)
        elif kind == "xpt":
            _statistics().write_xport(frame, str(path))
        else:
            d.protect(frame, d.Policy(protect=[d.KAnonymity(k=1, over=["Job"])])).write(path)
        return path.read_bytes()


def _statistics() -> Any:
    import pyreadstat

    return pyreadstat

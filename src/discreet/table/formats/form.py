"""The form in which a table is written: like the file it came from, and as the name of the new file says."""

from __future__ import annotations

import contextlib
import gzip
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import BinaryIO, cast

import polars as pl

from discreet.columns.formulas import escaped, escaped_texts
from discreet.errors import InputError
from discreet.policy import FileOptions
from discreet.table.formats.csv_writing import ROWS_AT_A_TIME, write_csv_parts
from discreet.table.formats.dialect import Dialect
from discreet.table.formats.parquet import SUFFIXES

CSV = (".csv", ".tsv", ".txt", ".data")
FOREIGN = (
    ".xlsx",
    ".xls",
    ".ods",
    ".json",
    ".arrow",
    ".feather",
    ".ipc",
    ".orc",
    ".sav",
    ".dta",
    ".zip",
    ".bz2",
    ".xz",
)


@dataclass(frozen=True)
class Form:
    """How a table was written (no dialect: not a text file) and what the policy says about text files."""

    dialect: Dialect | None = None
    options: FileOptions = field(default_factory=FileOptions)

    def writes_parquet(self, path: Path) -> bool:
        """Whether a file of this name is written as Parquet."""
        refuse_foreign(path)
        suffix = _suffix(path)
        parquet = suffix in SUFFIXES or (self.dialect is None and suffix not in CSV)
        if parquet:
            _refuse_packed(path)
        return parquet

    def write_text(self, frame: pl.DataFrame, target: BinaryIO, path: Path) -> None:
        """Write a table of texts as CSV, packed if the name ends in .gz."""
        self.write_parts(frame.columns, frame.iter_slices(ROWS_AT_A_TIME), target, path)

    def write_parts(self, columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, path: Path) -> None:
        """Write a table of texts that comes in parts as CSV, packed if the name ends in .gz."""
        if self.options.escape_formulas:
            names = escaped_texts(columns)
            parts = (escaped(part).rename(dict(zip(columns, names, strict=True))) for part in parts)
            columns = names
        with self._packing(target, path) as file:
            write_csv_parts(columns, parts, file, self._dialect_for(path))

    @contextlib.contextmanager
    def _packing(self, target: BinaryIO, path: Path) -> Iterator[BinaryIO]:
        if path.suffix.lower() != ".gz":
            yield target
            return
        with gzip.GzipFile("", "wb", fileobj=target, mtime=0) as packed:
            yield cast(BinaryIO, packed)

    def _dialect_for(self, path: Path) -> Dialect:
        """Return the dialect of the source, with a separator that was said or fits the name."""
        said = self.options
        dialect = self.dialect or Dialect(header=said.header is True, encoding=said.encoding or "utf-8")
        if said.separator is not None:
            return replace(dialect, separator=said.separator)
        if _suffix(path) == ".tsv":
            return replace(dialect, separator="\t")
        if _suffix(path) == ".csv" and dialect.separator == "\t":
            return replace(dialect, separator=",")
        return dialect


def refuse_foreign(path: Path) -> None:
    """Refuse a name that promises a form which is not written."""
    suffix = _suffix(path)
    if suffix in FOREIGN:
        raise InputError(f"{path}: {suffix} files are not written; give a name that ends in .csv, .tsv or .parquet")
    if suffix in SUFFIXES:
        _refuse_packed(path)


def _refuse_packed(path: Path) -> None:
    if path.suffix.lower() == ".gz":
        raise InputError(f"{path}: a Parquet file is packed already; leave out .gz")


def _suffix(path: Path) -> str:
    """Return what the name ends in, .gz left aside."""
    return Path(path.stem if path.suffix.lower() == ".gz" else path.name).suffix.lower()

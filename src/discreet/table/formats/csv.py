"""Text files as a format of tables: read and written as texts, packed if the name ends in .gz or the like."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, BinaryIO, ClassVar

import polars as pl

from discreet.policy import FileOptions
from discreet.table.formats.base import Reading, TableFormat, Writing
from discreet.table.formats.csv_beside import is_read_as
from discreet.table.formats.csv_reading import read_csv, stream_csv
from discreet.table.formats.csv_writing import ROWS_AT_A_TIME, is_plain, write_csv_parts
from discreet.table.formats.dialect import Dialect
from discreet.table.formats.endings import ending
from discreet.table.formats.packing import packing_for
from discreet.table.formats.place import Place
from discreet.table.memory import TableSize, size_of_text
from discreet.table.naming import names_of_release


class CsvFormat(TableFormat):
    """Text files with a separator; whatever is nothing else is read as such, and refused by that."""

    name: ClassVar[str] = "CSV"
    suffixes: ClassVar[tuple[str, ...]] = (".csv", ".tsv", ".txt", ".data")
    advised: ClassVar[tuple[str, ...]] = (".csv", ".tsv")
    options: ClassVar[tuple[str, ...]] = ("separator", "header", "encoding")
    is_text: ClassVar[bool] = True
    may_be_packed: ClassVar[bool] = True
    takes_the_rest: ClassVar[bool] = True

    def files(self, table: Path) -> list[Path]:
        """Return the file: whether it can be read is seen when it is."""
        return [table]

    def read(self, table: Place, files: Sequence[Path], reading: Reading) -> tuple[pl.DataFrame, Dialect]:
        """Return the table, and how it is written."""
        options, how = reading.options, _said(reading.options, table)
        if options.header is True or not reading.left_out:
            return read_csv(files[0], header=options.header, **how)
        frame, dialect = read_csv(files[0], header=False, **how)
        names = names_of_release(table, options, reading.left_out)(frame.width)
        return frame.rename(dict(zip(frame.columns, names, strict=True))), dialect

    def is_read_as(self, files: Sequence[Path], reading: Reading, table: pl.DataFrame) -> bool | None:
        """Whether a released file is read as this very table of texts; None where it is not read in parts."""
        options, (file, *_) = reading.options, files
        if options.header is not True and reading.left_out:
            return None
        escaped = self.escapes and options.escape_formulas
        return is_read_as(file, table, header=options.header, escaped=escaped, **_said(options, file))

    def to_parquet(self, table: Place, files: Sequence[Path], target: Path, reading: Reading) -> Dialect:
        """Make a Parquet file of the table, some rows at a time; return how it is written."""
        options, how = reading.options, _said(reading.options, table)
        if options.header is True or not reading.left_out:
            return stream_csv(files[0], target, header=options.header, **how)
        return stream_csv(files[0], target, header=names_of_release(table, options, reading.left_out), **how)

    def write(self, columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, how: Writing) -> None:
        """Write a table of texts that comes in parts."""
        few = (rows for part in parts for rows in part.iter_slices(ROWS_AT_A_TIME))
        dialect = _dialect_for(how)
        plain = all(name in how.different and is_plain(how.different[name], dialect) for name in columns)
        with _packing(target, how.path) as file:
            write_csv_parts(columns, few, file, dialect, plain=plain)

    def size(self, path: Path, options: FileOptions) -> TableSize:
        """Return how much a file holds, by its start."""
        return size_of_text(path, options.separator)


def _said(options: FileOptions, table: Place) -> dict[str, Any]:
    return {"separator": options.separator, "encoding": options.encoding, "skip": options.skip, "said": table}


@contextlib.contextmanager
def _packing(target: BinaryIO, path: Path) -> Iterator[BinaryIO]:
    if (packing := packing_for(path)) is None:
        yield target
        return
    with contextlib.closing(packing.packing(target, inside(path))) as packed:
        yield packed


def inside(path: Path) -> str:
    """Return what a file in an archive is called: as the archive, an ending for text behind it."""
    return path.stem if Path(path.stem).suffix else f"{path.stem}.csv"


def _dialect_for(how: Writing) -> Dialect:
    """Return the dialect of the source, with a separator that was said or fits the name."""
    said = how.options
    dialect = how.dialect or Dialect(header=said.header is True, encoding=said.encoding or "utf-8")
    if said.separator is not None:
        return replace(dialect, separator=said.separator)
    if ending(how.path) == ".tsv":
        return replace(dialect, separator="\t")
    if ending(how.path) == ".csv" and dialect.separator == "\t":
        return replace(dialect, separator=",")
    return dialect

"""CSV files, read as text: every value exactly as it stands, or a clear refusal.

Polars reads the values. It fills up short records without a word, cuts off some long ones, takes some texts at
the start of a file for something else (a byte order mark, a compressed file), and shows values in its errors; so
the records are counted apart from it (`discreet.table.formats.records`), and no message of Polars ever gets out.
"""

from __future__ import annotations

import codecs
import contextlib
import mmap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl

from discreet.errors import InputError
from discreet.table.formats.ahead import LARGE, Ahead, OneReading
from discreet.table.formats.csv_layout import CsvLayout, Naming, layout_of, table_start, uneven_error
from discreet.table.formats.dialect import STEP, Dialect, TextSource, load, separator_problem, sniff
from discreet.table.formats.packing import packed_as
from discreet.table.formats.records import tally
from discreet.table.machine import memory_for_a_job
from discreet.table.no_room import is_disk_full

# Texts that Polars takes for compressed data when they are the first of its input.
MISTAKEN = (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda", b"\x1f\x8b", b"\x28\xb5\x2f\xfd")
TIMES = 40
"""A file that is read ahead has so many times fewer bytes than the memory that a job may take."""
AHEAD = Ahead[pl.DataFrame]()


def read_csv(
    path: Path,
    *,
    separator: str | None = None,
    header: bool | Sequence[str] = True,
    encoding: str | None = None,
    skip: int = 0,
    said: Path | None = None,
) -> tuple[pl.DataFrame, Dialect]:
    """Read a CSV file as text: every column is String, a blank cell is null, a quoted ``""`` is an empty text.

    Blank lines at the end are ignored, except that in a file of one column a blank line is a null.

    Parameters
    ----------
    path
        The file; a packed one is unpacked, whatever the name.
    separator
        One ASCII character; by default the one among ``, ; tab |`` that fits the first records.
    header
        True: the first line holds the names. A list of names, or False (``column_1``, ``column_2``, ...): the
        file has no such line.
    encoding
        A Python name of a text encoding; by default UTF-8, with or without a byte order mark.
    skip
        How many lines at the start of the file are not part of the table.
    said
        What the file is called in messages, where that is not its name.

    Returns
    -------
    The table, and how it was written down.

    Raises
    ------
    InputError
        The file cannot be read, or not without guessing; the message names the line, never a value.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder) / "table.csv"
    ...     _ = path.write_bytes(b'job;age\\n"clerk";007\\n;""\\n')
    ...     frame, dialect = read_csv(path)
    >>> frame.rows()
    [('clerk', '007'), (None, '')]
    >>> dialect
    Dialect(separator=';', header=True, encoding='utf-8', line_end='\\n', bom=False)
    """
    text = counted(laid_out(partial(load, said=said), path, separator, header, encoding, skip))
    frame = None
    if text.even:
        frame = _values(text.layout) if text.rows else pl.DataFrame(schema=text.layout.schema)
    text.refuse(None if frame is None else frame.height)
    assert frame is not None
    if text.may_be_short(frame.to_series(-1).null_count()) and (error := uneven_error(text.layout)):
        raise error
    return frame, text.dialect


def stream_csv(
    path: Path,
    target: Path,
    *,
    separator: str | None = None,
    header: bool | Sequence[str] | Naming = True,
    encoding: str | None = None,
    skip: int = 0,
    said: Path | None = None,
) -> Dialect:
    """Make a Parquet file of a CSV file, some rows at a time; all else as `read_csv`.

    A file that has to be unpacked or put into UTF-8 is written beside `target` first. `header` may also be what names
    so many columns, where the file has no line with their names.
    """
    unpacked = target.with_suffix(".text")
    try:
        text = counted(laid_out(partial(load, unpacked=unpacked, said=said), path, separator, header, encoding, skip))
        rows = None
        if text.even:
            rows = _values_to(text.layout, target) if text.rows else _no_values(text.layout, target)
        text.refuse(rows)
        last = pl.scan_parquet(target, glob=False).select(pl.nth(len(text.layout.names) - 1).null_count())
        if text.may_be_short(int(last.collect(engine="streaming").item())) and (error := uneven_error(text.layout)):
            raise error
        return text.dialect
    finally:
        unpacked.unlink(missing_ok=True)


@dataclass(frozen=True)
class CsvText:
    """A text file before its values are read: where what stands, and how many records and separators it has."""

    layout: CsvLayout
    records: int
    separators: int

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return self.records - self.layout.header

    @property
    def even(self) -> bool:
        """Whether all records together have as many separators as they should."""
        return self.separators == self.records * (len(self.layout.names) - 1)

    @property
    def dialect(self) -> Dialect:
        """How it is written down."""
        layout, source = self.layout, self.layout.source
        return Dialect(layout.separator, layout.header, source.encoding, layout.line_end, source.bom)

    def refuse(self, read: int | None) -> None:
        """Refuse a file that has changed, or of which not every row was read."""
        layout, source = self.layout, self.layout.source
        if source.changed():
            raise source.error("was changed while it was read")
        if read != self.rows:
            error = uneven_error(layout) or source.not_utf8(layout.start, layout.end)
            raise error or source.error("cannot be read as a table")

    def may_be_short(self, blanks: int) -> bool:
        """Whether some record can be short, which ends in a null.

        When there is none, no record is short; then none is long, by their sum.
        """
        return len(self.layout.names) > 1 and blanks > 0


def laid_out(
    open_text: Callable[[Path, str | None], TextSource],
    path: Path,
    separator: str | None,
    header: bool | Sequence[str] | Naming,
    encoding: str | None,
    skip: int,
) -> CsvLayout:
    """Look at the start and the end of a text file."""
    if separator is not None and (problem := separator_problem(separator)):
        raise InputError(f"{path}: {problem}")
    source = open_text(path, encoding)
    start = table_start(source, skip)
    if (nul := source.find(b"\0", start)) >= 0:
        raise source.foreign() or source.error(
            "a NUL byte; this is not a text file, or its `encoding` must be given", nul
        )
    chosen = sniff(source, start) if separator is None else separator
    return layout_of(source, start, chosen, header, guessed=separator is None)


def counted(layout: CsvLayout) -> CsvText:
    """Count the records of a text file."""
    return CsvText(layout, *tally(layout.source, layout.start, layout.end, layout.separator))


def read_ahead(path: Path) -> None:
    """Begin to read a large text file, on a thread of its own, as `read_csv` will where little is said of the file."""
    with contextlib.suppress(OSError, ValueError):
        if path.is_file() and LARGE <= path.stat().st_size <= memory_for_a_job() // TIMES and packed_as(path) is None:
            AHEAD.begin(path.absolute(), partial(_as_probably_wanted, path))


def _as_probably_wanted(path: Path) -> tuple[OneReading, pl.DataFrame] | None:
    source = load(path, None)
    start = table_start(source, 0)
    layout = layout_of(source, start, sniff(source, start), True, guessed=True)
    if b"\0" in source.data[:LARGE] or layout.end < len(source.data) or is_mistaken(layout):
        return None
    skipped = lines_before(layout)
    return _wanted(layout, skipped), pl.read_csv(path.absolute(), skip_lines=skipped, **as_written(layout))


def _wanted(layout: CsvLayout, skipped: int) -> OneReading:
    """Return what tells this reading of a mapped file from any other."""
    source = layout.source
    return OneReading(
        (source.file or source.path).absolute(), source.status, (skipped, layout.separator, *layout.names)
    )


def _values(layout: CsvLayout) -> pl.DataFrame | None:
    """The values, read by Polars; None if it cannot read them."""
    source, body, end = layout.source, layout.body, layout.end
    skipped = lines_before(layout)
    mapped = isinstance(source.data, mmap.mmap)
    data: bytes | Path = (source.file or source.path).absolute() if mapped else source.data[:]
    if is_mistaken(layout):
        # Polars takes away one mark, wherever its reading starts, and does not look at what comes next.
        data, skipped = codecs.BOM_UTF8 + source.data[body:end], 0
    elif end < len(source.data):
        data = source.data[:end]
    elif mapped and (read := AHEAD.taken(_wanted(layout, skipped))) is not None:
        return read
    source.forget(end)  # Polars maps the file itself: it would be there twice
    try:
        return pl.read_csv(data, skip_lines=skipped, **as_written(layout))
    except (Exception, pl.exceptions.PanicException):
        return None  # its message would show values


def _values_to(layout: CsvLayout, target: Path) -> int | None:
    """Write the values to a Parquet file; return how many rows there are, None if Polars cannot read them."""
    source, end = layout.source, layout.end
    skipped, copy = lines_before(layout), target.with_suffix(".csv")
    file = source.file.absolute() if source.file is not None else copy
    try:
        if not isinstance(source.data, mmap.mmap) or is_mistaken(layout) or end < len(source.data):
            _copy(layout, copy)  # see `_values`
            file, skipped = copy, 0
        values = pl.scan_csv(file, skip_lines=skipped, **as_written(layout))
        values.sink_parquet(target, engine="streaming")
        return int(pl.scan_parquet(target, glob=False).select(pl.len()).collect().item())
    except (Exception, pl.exceptions.PanicException) as error:
        if is_disk_full(str(error)):
            raise source.error("the disk for scratch files is full; let TMPDIR name a folder on another disk") from None
        return None  # its message would show values
    finally:
        copy.unlink(missing_ok=True)


def _no_values(layout: CsvLayout, target: Path) -> int:
    pl.DataFrame(schema=layout.schema).write_parquet(target)
    return 0


def _copy(layout: CsvLayout, target: Path) -> None:
    """Write the rows to a file of their own, after a byte order mark."""
    source = layout.source
    with target.open("wb") as file:
        file.write(codecs.BOM_UTF8)
        for at in range(layout.body, layout.end, STEP):
            file.write(source.data[at : min(at + STEP, layout.end)])
            source.forget(at)


def lines_before(layout: CsvLayout) -> int:
    """Return how many lines stand before the rows."""
    return layout.source.data[: layout.body].count(b"\n")


def is_mistaken(layout: CsvLayout) -> bool:
    """Whether Polars would take the start for something else."""
    source = layout.source
    return source.has(codecs.BOM_UTF8, layout.body) or any(source.has(start, 0) for start in MISTAKEN)


def as_written(layout: CsvLayout) -> Any:
    """How Polars is to read the values: as they stand."""
    return {
        "has_header": False,
        "schema": layout.schema,
        "separator": layout.separator,
        "infer_schema": False,
        "glob": False,
    }

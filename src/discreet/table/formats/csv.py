"""CSV files, read and written as text: every value exactly as it stands, or a clear refusal.

Polars reads the values. It fills up short records without a word, cuts off some long ones, takes some texts at
the start of a file for something else (a byte order mark, a compressed file), and shows values in its errors; so
the records are counted apart from it (`discreet.table.formats.records`), and no message of Polars ever gets out.
"""

from __future__ import annotations

import codecs
import csv
import io
import mmap
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from discreet.errors import InputError
from discreet.table.by_name import nameless
from discreet.table.formats.dialect import (
    CANDIDATES,
    CR,
    GZIP,
    LF,
    STEP,
    Dialect,
    Source,
    codec_name,
    load,
    separator_problem,
    sniff,
)
from discreet.table.formats.records import tally, uneven

__all__ = ["Dialect", "read_csv", "stream_csv", "write_csv", "write_csv_parts"]

# The first record: free text or quoted text up to a line end outside quotes.
RECORD = re.compile(rb'(?:[^"\n]++|"[^"]*+")*+')
# Texts that Polars takes for compressed data when they are the first of its input.
MISTAKEN = (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda", GZIP, b"\x28\xb5\x2f\xfd")
ROWS_AT_A_TIME = 200_000
Naming = Callable[[int], list[str]]
"""Gives the names of so many columns of a file without a header line."""


def read_csv(
    path: Path,
    *,
    separator: str | None = None,
    header: bool | Sequence[str] = True,
    encoding: str | None = None,
    skip: int = 0,
) -> tuple[pl.DataFrame, Dialect]:
    """Read a CSV file as text: every column is String, a blank cell is null, a quoted ``""`` is an empty text.

    Blank lines at the end are ignored, except that in a file of one column a blank line is a null.

    Parameters
    ----------
    path
        The file; gzip is unpacked, whatever the name.
    separator
        One ASCII character; by default the one among ``, ; tab |`` that fits the first records.
    header
        True: the first line holds the names. A list of names, or False (``column_1``, ``column_2``, ...): the
        file has no such line.
    encoding
        A Python name of a text encoding; by default UTF-8, with or without a byte order mark.
    skip
        How many lines at the start of the file are not part of the table.

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
    text = _opened(load, path, separator, header, encoding, skip)
    frame = None
    if text.even:
        frame = _values(text.layout) if text.rows else pl.DataFrame(schema=text.layout.schema)
    text.refuse(None if frame is None else frame.height)
    assert frame is not None
    if text.may_be_short(frame.to_series(-1).null_count()) and (error := _uneven(text.layout)):
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
) -> Dialect:
    """Make a Parquet file of a CSV file, some rows at a time; all else as `read_csv`.

    A file that has to be unpacked or put into UTF-8 is written beside `target` first. `header` may also be what names
    so many columns, where the file has no line with their names.
    """
    unpacked = target.with_suffix(".text")
    try:
        text = _opened(partial(load, unpacked=unpacked), path, separator, header, encoding, skip)
        rows = None
        if text.even:
            rows = _values_to(text.layout, target) if text.rows else _no_values(text.layout, target)
        text.refuse(rows)
        last = pl.scan_parquet(target, glob=False).select(pl.nth(len(text.layout.names) - 1).null_count())
        if text.may_be_short(int(last.collect(engine="streaming").item())) and (error := _uneven(text.layout)):
            raise error
        return text.dialect
    finally:
        unpacked.unlink(missing_ok=True)


@dataclass(frozen=True)
class _Text:
    """A text file before its values are read: where what stands, and how many records and separators it has."""

    layout: _Layout
    records: int
    separators: int

    @property
    def rows(self) -> int:
        return self.records - self.layout.header

    @property
    def even(self) -> bool:
        """Whether all records together have as many separators as they should."""
        return self.separators == self.records * (len(self.layout.names) - 1)

    @property
    def dialect(self) -> Dialect:
        layout, source = self.layout, self.layout.source
        return Dialect(layout.separator, layout.header, source.encoding, layout.line_end, source.bom)

    def refuse(self, read: int | None) -> None:
        """Refuse a file that has changed, or of which not every row was read."""
        layout, source = self.layout, self.layout.source
        if source.changed():
            raise source.error("was changed while it was read")
        if read != self.rows:
            error = _uneven(layout) or source.not_utf8(layout.start, layout.end)
            raise error or source.error("cannot be read as a table")

    def may_be_short(self, blanks: int) -> bool:
        """Whether some record can be short, which ends in a null.

        When there is none, no record is short; then none is long, by their sum.
        """
        return len(self.layout.names) > 1 and blanks > 0


def _opened(
    open_text: Callable[[Path, str | None], Source],
    path: Path,
    separator: str | None,
    header: bool | Sequence[str] | Naming,
    encoding: str | None,
    skip: int,
) -> _Text:
    """Look at a text file without reading a value."""
    if separator is not None and (problem := separator_problem(separator)):
        raise InputError(f"{path}: {problem}")
    source = open_text(path, encoding)
    start = _after_lines(source, skip)
    if (nul := source.find(b"\0", start)) >= 0:
        raise source.error("a NUL byte; this is not a text file, or its `encoding` must be given", nul)
    chosen = sniff(source, start) if separator is None else separator
    layout = _layout(source, start, chosen, header, guessed=separator is None)
    return _Text(layout, *tally(source, start, layout.end, chosen))


@dataclass(frozen=True)
class _Layout:
    """Where what stands in the file: from `start` the header, from `body` the rows, to `end`."""

    source: Source
    separator: str
    names: list[str]
    header: bool
    start: int
    body: int
    end: int
    line_end: str
    like: str  # why as many fields as names are expected
    hint: str  # what to do when they are not found

    @property
    def schema(self) -> dict[str, pl.DataType]:
        return {name: pl.String() for name in self.names}


def _layout(
    source: Source, start: int, separator: str, header: bool | Sequence[str] | Naming, *, guessed: bool
) -> _Layout:
    data = source.data
    match = RECORD.match(data, start)
    assert match is not None  # it matches the empty text
    first_end, body = match.end(), min(match.end() + 1, len(data))
    width = tally(source, start, body, separator).separators + 1
    line_end = "\r\n" if body - start > 1 and source.has(b"\r\n", body - 2) else "\n"
    if header is True:
        names, like = _header(source, start, first_end, separator), "as in the header"
    elif header is False:
        names, like = (
            [f"column_{number}" for number in range(1, width + 1)],
            f"as in line {source.line(start)}",
        )
    elif callable(header):
        names, like = header(width), f"as in line {source.line(start)}"
    else:
        names, like = _checked(source, list(header), None), "one for each name given"
    body = body if header is True else start
    end = _without_blank_lines(source, start) if len(names) > 1 else len(data)
    if end == start:
        raise source.error("has only blank lines")
    hint = ""
    if guessed and separator in CANDIDATES:
        shown = "tab" if separator == "\t" else separator
        hint = f"; the separator ({shown}) was guessed, give it as `separator` if it is another"
    return _Layout(source, separator, names, header is True, start, body, end, line_end, like, hint)


def _after_lines(source: Source, skip: int) -> int:
    """Where the table starts, after `skip` lines."""
    if skip < 0:
        raise source.error("skip: must be a number of lines, 0 or more")
    start, size = source.start, len(source.data)
    if start == size:
        raise source.error("is empty")
    for _ in range(skip):
        start = source.data.find(b"\n", start) + 1 or size
        if start == size:
            raise source.error(f"has nothing after the {skip} lines to skip (`skip`)")
    return start


def _without_blank_lines(source: Source, start: int) -> int:
    """Where the last record that is not blank ends, its line end included."""
    end = len(source.data)
    while end > start and source.data[end - 1] == LF:
        before = end - (2 if end - start > 1 and source.has(b"\r\n", end - 2) else 1)
        if before > start and source.data[before - 1] != LF:
            break
        end = before
    return end


def _header(source: Source, start: int, end: int, separator: str) -> list[str]:
    if error := source.not_utf8(start, end):
        raise error
    line = source.data[start:end].decode("utf-8").removesuffix("\r")
    if not line:
        raise source.error("a blank line where the names of the columns should stand (see `skip`)", start)
    try:
        names = next(csv.reader([line], delimiter=separator, strict=True))
    except csv.Error:
        raise source.error("the name of a column is too long", start) from None
    return _checked(source, names, start)


def _checked(source: Source, names: list[str], offset: int | None) -> list[str]:
    """The names, none missing, none twice; messages give positions, as a supposed name may be a value."""
    hint = "" if offset is None else "; if this line is not a header, give `header`: false or the names"
    if not names:
        raise source.error("header: the list of names is empty")
    first: dict[str, int] = {}
    for position, name in enumerate(names, start=1):
        if not name:
            raise source.error(f"column {position} has no name{hint}", offset)
        if name in first:
            raise source.error(f"columns {first[name]} and {position} have the same name{hint}", offset)
        first[name] = position
    return names


def _values(layout: _Layout) -> pl.DataFrame | None:
    """The values, read by Polars; None if it cannot read them."""
    source, body, end = layout.source, layout.body, layout.end
    skipped = source.data[:body].count(b"\n")
    data: bytes | Path = source.path.absolute() if isinstance(source.data, mmap.mmap) else source.data
    if _is_mistaken(layout):
        # Polars takes away one mark, wherever its reading starts, and does not look at what comes next.
        data, skipped = codecs.BOM_UTF8 + source.data[body:end], 0
    elif end < len(source.data):
        data = source.data[:end]
    try:
        return pl.read_csv(data, skip_lines=skipped, **_as_written(layout))
    except (Exception, pl.exceptions.PanicException):
        return None  # its message would show values


def _values_to(layout: _Layout, target: Path) -> int | None:
    """Write the values to a Parquet file; return how many rows there are, None if Polars cannot read them."""
    source, body, end = layout.source, layout.body, layout.end
    skipped, copy = source.data[:body].count(b"\n"), target.with_suffix(".csv")
    file = source.file.absolute() if source.file is not None else copy
    try:
        if not isinstance(source.data, mmap.mmap) or _is_mistaken(layout) or end < len(source.data):
            _copy(layout, copy)  # see `_values`
            file, skipped = copy, 0
        values = pl.scan_csv(file, skip_lines=skipped, **_as_written(layout))
        values.sink_parquet(target, engine="streaming")
        return int(pl.scan_parquet(target, glob=False).select(pl.len()).collect().item())
    except (Exception, pl.exceptions.PanicException) as error:
        if "No space left" in str(error) or "os error 28" in str(error):
            raise source.error("the disk for scratch files is full; let TMPDIR name a folder on another disk") from None
        return None  # its message would show values
    finally:
        copy.unlink(missing_ok=True)


def _no_values(layout: _Layout, target: Path) -> int:
    pl.DataFrame(schema=layout.schema).write_parquet(target)
    return 0


def _copy(layout: _Layout, target: Path) -> None:
    """Write the rows to a file of their own, after a byte order mark."""
    source = layout.source
    with target.open("wb") as file:
        file.write(codecs.BOM_UTF8)
        for at in range(layout.body, layout.end, STEP):
            file.write(source.data[at : min(at + STEP, layout.end)])
            source.forget(at)


def _is_mistaken(layout: _Layout) -> bool:
    """Whether Polars would take the start for something else."""
    source = layout.source
    return source.has(codecs.BOM_UTF8, layout.body) or any(source.has(start, 0) for start in MISTAKEN)


def _as_written(layout: _Layout) -> Any:
    """How Polars is to read the values: as they stand."""
    return {
        "has_header": False,
        "schema": layout.schema,
        "separator": layout.separator,
        "infer_schema": False,
        "glob": False,
    }


def _uneven(layout: _Layout) -> InputError | None:
    """The error for the first record that has not as many fields as there are names."""
    source, width = layout.source, len(layout.names)
    record = uneven(source, layout.start, layout.end, layout.separator, width)
    if record is None:
        return None
    if source.data[record.start] in (CR, LF):
        return source.error(f"a blank line, expected {width} fields ({layout.like})", record.start)
    fields = "1 field" if record.fields == 1 else f"{record.fields} fields"
    return source.error(f"{fields}, expected {width} ({layout.like}){layout.hint}", record.start)


def write_csv(frame: pl.DataFrame, target: BinaryIO, dialect: Dialect) -> None:
    """Write a table of text so that `read_csv` gives it back: null is blank, the empty text is ``""``.

    Fields are put in quotes only where they must be. Without a header, a table of no rows is an empty file.

    Parameters
    ----------
    frame
        The table; its columns are strings (or categories).
    target
        A binary file, open for writing.
    dialect
        How to write the table down; that of the source, or ``Dialect()``.

    Raises
    ------
    InputError
        The table would not come back (a NUL character, a column without a name, a character that the
        encoding does not have). What goes wrong with `target` itself is an OSError, for who opened it to name.

    Examples
    --------
    >>> target = io.BytesIO()
    >>> write_csv(pl.DataFrame({"job": ["clerk", None], "age": ["007", ""]}), target, Dialect(separator=";"))
    >>> target.getvalue()
    b'job;age\\nclerk;007\\n;""\\n'
    """
    frame = _as_text(frame, dialect)
    write_csv_parts(frame.columns, frame.iter_slices(ROWS_AT_A_TIME), target, dialect)


def write_csv_parts(columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, dialect: Dialect) -> None:
    """Write a table that comes in parts, some rows at a time; see `write_csv`."""
    encoder = _encoder(dialect)
    utf8 = codecs.lookup(dialect.encoding).name == "utf-8"
    header = [pl.DataFrame(schema=dict.fromkeys(columns, pl.String))]
    _as_text(header[0], dialect)
    if dialect.bom:
        _put(target, encoder.encode("\ufeff"))
    begun = False
    for number, part in enumerate(chain(header, parts)):
        if not number and not dialect.header:
            continue
        part = _as_text(part, dialect)
        buffer = io.BytesIO()
        part.write_csv(
            buffer,
            include_header=not number,
            separator=dialect.separator,
            line_terminator=dialect.line_end,
            quote_style="necessary",
        )
        data = buffer.getvalue()
        if b"\0" in data:
            name = _column_with(part, lambda text: "\0" in text)
            raise InputError(f"column {name!r}: a NUL character cannot be written to a CSV file")
        if data and not begun:
            data, begun = _guarded(data, dialect), True
        if not utf8:
            data = _encoded(data.decode("utf-8"), encoder, part, dialect.encoding)
        _put(target, data)
    _put(target, encoder.encode("", final=True))


def _as_text(frame: pl.DataFrame, dialect: Dialect) -> pl.DataFrame:
    if not frame.width:
        raise InputError("a table without columns cannot be written")
    if dialect.header and "" in frame.columns:
        raise InputError(f"column {frame.columns.index('') + 1} has no name and cannot be written")
    for name, kind in frame.schema.items():
        if kind not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
            raise InputError(f"column {name!r}: is not text and cannot be written to a CSV file")
    return frame.cast(pl.String)


def _encoder(dialect: Dialect) -> codecs.IncrementalEncoder:
    if codec_name(dialect.encoding) is None:
        raise InputError(f"there is no text encoding {dialect.encoding!r} to write in; try utf-8")
    encoder = codecs.getincrementalencoder(dialect.encoding)()
    if dialect.bom and not _survives("\ufeff", dialect.encoding):
        raise InputError(f"bom: there is no byte order mark in the encoding {dialect.encoding!r}")
    return encoder


def _guarded(data: bytes, dialect: Dialect) -> bytes:
    """Put the first field in quotes if a reader would take its start for the mark of a kind of file."""
    start = data[:8].decode("utf-8", "ignore")[:2].encode(dialect.encoding, "ignore")
    if not data.startswith(codecs.BOM_UTF8) and not start.startswith(GZIP):
        return data
    ends = [data.find(end) for end in (dialect.separator.encode(), dialect.line_end.encode())]
    end = min(place for place in ends if place >= 0)
    return b'"' + data[:end] + b'"' + data[end:]


def _encoded(text: str, encoder: codecs.IncrementalEncoder, part: pl.DataFrame, encoding: str) -> bytes:
    if _survives(text, encoding):
        return encoder.encode(text)
    name = _column_with(part, lambda text: not _survives(text, encoding))
    raise InputError(f"column {name!r}: has a character that {encoding} cannot write; choose utf-8")


def _survives(text: str, encoding: str) -> bool:
    """Whether a text comes back from an encoding (shift_jis turns a yen sign into a backslash)."""
    try:
        return text.encode(encoding).decode(encoding) == text
    except UnicodeError:
        return False


def _column_with(part: pl.DataFrame, found: Callable[[str], bool]) -> str:
    """The first column whose name or values have something; for messages only."""
    return next(
        (column.name for column in part if found("\n".join([column.name, *nameless(column).drop_nulls().unique()]))),
        "?",
    )


def _put(target: BinaryIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[target.write(view) :]

"""CSV files, read and written as text: every value exactly as it stands, or a clear refusal.

Polars reads the values. It pads short records without a word, takes some texts at the start of a file for
something else (a byte order mark, a compressed file) and quotes cells in its error messages; so the records are
counted here first (`discreet.table.dialect.survey`), and no message of Polars ever gets out.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import polars as pl

from discreet.errors import InputError
from discreet.table.dialect import (
    CANDIDATES,
    CR,
    GZIP,
    LF,
    Dialect,
    Source,
    load,
    separator_problem,
    sniff,
    survey,
    uneven_record,
)

__all__ = ["Dialect", "read_csv", "write_csv"]

# The first record: free text or quoted text up to a line end outside quotes.
RECORD = re.compile(rb'(?:[^"\n]++|"[^"]*+")*+')
# Texts that Polars takes for compressed data when they are the first of its input.
MISTAKEN = (b"x\x01", b"x\x5e", b"x\x9c", b"x\xda", GZIP, b"\x28\xb5\x2f\xfd")
ROWS_AT_A_TIME = 200_000


def read_csv(
    path: Path,
    *,
    separator: str | None = None,
    header: bool | Sequence[str] = True,
    encoding: str | None = None,
    skip: int = 0,
) -> tuple[pl.DataFrame, Dialect]:
    """Read a CSV file as text: every column is a string column, a blank cell is null, a quoted ``""`` is empty.

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
    if separator is not None and (problem := separator_problem(separator)):
        raise InputError(f"{path}: {problem}")
    source = load(path, encoding)
    start = _after_lines(source, skip)
    if (nul := source.data.find(b"\0", start)) >= 0:
        raise source.error("a NUL byte; this is not a text file, or its `encoding` must be given", nul)
    chosen = sniff(source, start) if separator is None else separator
    records, separators = survey(source, start, len(source.data), chosen)
    layout = _layout(source, start, chosen, header, guessed=separator is None)
    records -= layout.blank_lines
    rows = records - layout.header
    if separators != records * (len(layout.names) - 1):
        raise _uneven(layout)
    frame = _values(layout) if rows else pl.DataFrame(schema=layout.schema)
    if frame is None or frame.height != rows:
        raise source.not_utf8(start, layout.end) or _uneven(layout)
    return frame, Dialect(chosen, layout.header, source.encoding, layout.line_end, source.bom)


@dataclass(frozen=True)
class _Layout:
    """Where what stands in the file: `start`, header, `body`, `end`, blank lines."""

    source: Source
    separator: str
    names: list[str]
    header: bool
    start: int
    body: int
    end: int
    blank_lines: int
    line_end: str
    like: str  # why as many fields as names are expected
    hint: str  # what to do when they are not found

    @property
    def schema(self) -> dict[str, pl.DataType]:
        return {name: pl.String() for name in self.names}


def _layout(source: Source, start: int, separator: str, header: bool | Sequence[str], *, guessed: bool) -> _Layout:
    data = source.data
    match = RECORD.match(data, start)
    assert match is not None  # it matches the empty text
    first_end, body = match.end(), min(match.end() + 1, len(data))
    line_end = "\r\n" if data[start:body].endswith(b"\r\n") else "\n"
    if header is True:
        names, like = _header(source, start, first_end, separator), "as in the header"
    elif header is False:
        width = survey(source, start, body, separator)[1] + 1
        names, like = (
            [f"column_{number}" for number in range(1, width + 1)],
            f"as in line {source.line(start)}",
        )
    else:
        names, like = _checked(source, list(header), None), "one for each name given"
    body = body if header is True else start
    end, blank_lines = _without_blank_lines(data, start) if len(names) > 1 else (len(data), 0)
    if end == start:
        raise source.error("has only blank lines")
    hint = ""
    if guessed and separator in CANDIDATES:
        shown = "tab" if separator == "\t" else separator
        hint = f"; the separator ({shown}) was guessed, give it as `separator` if it is another"
    return _Layout(source, separator, names, header is True, start, body, end, blank_lines, line_end, like, hint)


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


def _without_blank_lines(data: bytes, start: int) -> tuple[int, int]:
    """Where the last record ends that is not blank, its line end included, and how many blank lines follow."""
    end, blank = len(data), 0
    while end > start and data[end - 1] == LF:
        before = end - (2 if data[start:end].endswith(b"\r\n") else 1)
        if before > start and data[before - 1] != LF:
            break
        end, blank = before, blank + 1
    return end, blank


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
    """The names, none missing, none twice. Messages give positions: in a file without header a name is a value."""
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
    data, body = layout.source.data, layout.body
    if layout.blank_lines:
        data = data[: layout.end]
    skipped = data.count(b"\n", 0, body)
    marked = data.startswith(codecs.BOM_UTF8, body) and body >= len(codecs.BOM_UTF8)
    if marked or data.startswith(MISTAKEN):
        # Polars takes away one mark, wherever its reading starts, and does not look at what comes next.
        data, skipped = codecs.BOM_UTF8 + data[body:], 0
    try:
        return pl.read_csv(
            data,
            has_header=False,
            schema=layout.schema,
            separator=layout.separator,
            skip_lines=skipped,
            infer_schema=False,
        )
    except (Exception, pl.exceptions.PanicException):
        return None  # its message would show values


def _uneven(layout: _Layout) -> InputError:
    """The error for the first record that does not have as many fields as there are names."""
    source, width = layout.source, len(layout.names)
    found = uneven_record(source, layout.start, layout.end, layout.separator, width)
    if found is None:
        return source.error("cannot be read as a table")
    offset, fields = found
    if source.data[offset] in (CR, LF):
        return source.error(f"a blank line, expected {width} fields ({layout.like})", offset)
    plural = "field" if fields == 1 else "fields"
    return source.error(f"{fields} {plural}, expected {width} ({layout.like}){layout.hint}", offset)


def write_csv(frame: pl.DataFrame, target: BinaryIO, dialect: Dialect) -> None:
    """Write a table of text so that `read_csv` gives the same table back: null is blank, the empty text is ``""``.

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
        The table cannot be written so that it would be read again (a NUL character, a column without a name, a
        character the encoding does not have), or the file cannot be written.

    Examples
    --------
    >>> target = io.BytesIO()
    >>> write_csv(pl.DataFrame({"job": ["clerk", None], "age": ["007", ""]}), target, Dialect(separator=";"))
    >>> target.getvalue()
    b'job;age\\nclerk;007\\n;""\\n'
    """
    frame = _as_text(frame, dialect)
    encoder = _encoder(dialect.encoding)
    utf8 = codecs.lookup(dialect.encoding).name == "utf-8"
    header = [frame.clear()] if dialect.header else []
    if dialect.bom:
        _put(target, encoder.encode("\ufeff"))
    for number, part in enumerate([*header, *frame.iter_slices(ROWS_AT_A_TIME)]):
        buffer = io.BytesIO()
        part.write_csv(
            buffer,
            include_header=dialect.header and number == 0,
            separator=dialect.separator,
            line_terminator=dialect.line_end,
            quote_style="necessary",
        )
        data = buffer.getvalue()
        if b"\0" in data:
            name = _column_with(part, lambda text: "\0" in text)
            raise InputError(f"column {name!r}: a NUL character cannot be written to a CSV file")
        if number == 0:
            data = _guarded(data, dialect)
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


def _encoder(encoding: str) -> codecs.IncrementalEncoder:
    try:
        "a".encode(encoding)  # refuses codecs that are not for text
        return codecs.getincrementalencoder(encoding)()
    except (LookupError, ValueError):
        raise InputError(f"there is no text encoding {encoding!r} to write in") from None


def _guarded(data: bytes, dialect: Dialect) -> bytes:
    """Put the first field in quotes if a reader would take its start for the mark of a kind of file."""
    start = data[:8].decode("utf-8", "ignore")[:2].encode(dialect.encoding, "ignore")
    if not data.startswith(codecs.BOM_UTF8) and not start.startswith(GZIP):
        return data
    ends = [data.find(end) for end in (dialect.separator.encode(), dialect.line_end.encode())]
    end = min(place for place in ends if place >= 0)
    return b'"' + data[:end] + b'"' + data[end:]


def _encoded(text: str, encoder: codecs.IncrementalEncoder, part: pl.DataFrame, encoding: str) -> bytes:
    """The text in another encoding; refused if it would not come back (shift_jis writes a yen as a backslash)."""
    try:
        if text.encode(encoding).decode(encoding) == text:
            return encoder.encode(text)
    except UnicodeError:
        pass
    name = _column_with(part, lambda text: not _survives(text, encoding))
    raise InputError(f"column {name!r}: has a character that {encoding} cannot write; choose utf-8")


def _survives(text: str, encoding: str) -> bool:
    try:
        return text.encode(encoding).decode(encoding) == text
    except UnicodeError:
        return False


def _column_with(part: pl.DataFrame, found: Callable[[str], bool]) -> str:
    """The first column whose name or values have something; for messages only."""
    return next(
        (column.name for column in part if found("\n".join([column.name, *column.drop_nulls().unique()]))),
        "?",
    )


def _put(target: BinaryIO, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[target.write(view) :]

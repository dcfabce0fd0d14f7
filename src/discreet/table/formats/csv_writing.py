"""CSV files, written so that reading gives the very table back, or a clear refusal."""

from __future__ import annotations

import codecs
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import BinaryIO

import polars as pl

from discreet.common.at_once import in_turn
from discreet.errors import InputError
from discreet.table.by_name import nameless
from discreet.table.formats.dialect import Dialect, codec_name
from discreet.table.formats.packing import packing_of

ROWS_AT_A_TIME = 50_000


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


def is_plain(texts: Iterable[str | None], dialect: Dialect) -> bool:
    """Whether none of some texts has to stand in quotes.

    >>> is_plain([None, "a b"], Dialect()), is_plain(["a,b"], Dialect()), is_plain([""], Dialect())
    (True, False, False)
    """
    special = {dialect.separator, '"', "\n", "\r"}
    return all(text is None or (text and special.isdisjoint(text)) for text in texts)


def write_csv_parts(
    columns: Sequence[str],
    parts: Iterable[pl.DataFrame],
    target: BinaryIO,
    dialect: Dialect,
    *,
    plain: bool = False,
) -> None:
    """Write a table that comes in parts, some rows at a time; see `write_csv`.

    Two threads put the rows down as text while what is ready is written; in less time where all cells are known to be
    `plain`, as `is_plain` has it.
    """
    encoder = _encoder(dialect)
    utf8 = codecs.lookup(dialect.encoding).name == "utf-8"
    header = _as_text(pl.DataFrame(schema=dict.fromkeys(columns, pl.String)), dialect)
    if dialect.bom:
        _put(target, encoder.encode("\ufeff"))
    begun = False
    for part, data in _written(header, parts, dialect, plain=plain and len(columns) > 1):
        if data and not begun:
            data, begun = _guarded(data, dialect), True
        if not utf8:
            data = _encoded(data.decode("utf-8"), encoder, part, dialect.encoding)
        _put(target, data)
    _put(target, encoder.encode("", final=True))


def _written(
    header: pl.DataFrame, parts: Iterable[pl.DataFrame], dialect: Dialect, *, plain: bool
) -> Iterator[tuple[pl.DataFrame, bytes]]:
    """Yield each part, the header first if it has one, with what it is in UTF-8."""
    if dialect.header:
        yield _as_csv(header, dialect, include_header=True)
    yield from in_turn(partial(_as_csv, dialect=dialect, plain=plain), parts)


def _as_csv(
    part: pl.DataFrame, dialect: Dialect, *, include_header: bool = False, plain: bool = False
) -> tuple[pl.DataFrame, bytes]:
    """Return rows with what they are in UTF-8."""
    part = _as_text(part, dialect)
    buffer = io.BytesIO()
    part.write_csv(
        buffer,
        include_header=include_header,
        separator=dialect.separator,
        line_terminator=dialect.line_end,
        quote_style="never" if plain else "necessary",
    )
    data = buffer.getvalue()
    if b"\0" in data:
        name = _column_with(part, lambda text: "\0" in text)
        raise InputError(f"column {name!r}: a NUL character cannot be written to a CSV file")
    return part, data


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
    start = data[:40].decode("utf-8", "ignore")[:10].encode(dialect.encoding, "ignore")
    if not data.startswith(codecs.BOM_UTF8) and packing_of(start) is None:
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

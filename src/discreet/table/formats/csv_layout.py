"""Where what stands in a CSV file: the header with the names of the columns, the rows, the end."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from discreet.errors import InputError
from discreet.table.formats.dialect import CANDIDATES, CR, LF, TextSource
from discreet.table.formats.records import tally, uneven

# The first record: free text or quoted text up to a line end outside quotes.
RECORD = re.compile(rb'(?:[^"\n]++|"[^"]*+")*+')
Naming = Callable[[int], list[str]]
"""Gives the names of so many columns of a file without a header line."""


@dataclass(frozen=True)
class CsvLayout:
    """Where what stands in the file: from `start` the header, from `body` the rows, to `end`."""

    source: TextSource
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
        """The columns, all of them texts."""
        return {name: pl.String() for name in self.names}


def layout_of(
    source: TextSource, start: int, separator: str, header: bool | Sequence[str] | Naming, *, guessed: bool
) -> CsvLayout:
    """Look at the first record and at the end of a text, without reading a value."""
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
    return CsvLayout(source, separator, names, header is True, start, body, end, line_end, like, hint)


def table_start(source: TextSource, skip: int) -> int:
    """Return where the table starts, after `skip` lines."""
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


def _without_blank_lines(source: TextSource, start: int) -> int:
    """Where the last record that is not blank ends, its line end included."""
    end = len(source.data)
    while end > start and source.data[end - 1] == LF:
        before = end - (2 if end - start > 1 and source.has(b"\r\n", end - 2) else 1)
        if before > start and source.data[before - 1] != LF:
            break
        end = before
    return end


def _header(source: TextSource, start: int, end: int, separator: str) -> list[str]:
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


def _checked(source: TextSource, names: list[str], offset: int | None) -> list[str]:
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


def uneven_error(layout: CsvLayout) -> InputError | None:
    """Return the error for the first record that has not as many fields as there are names."""
    source, width = layout.source, len(layout.names)
    record = uneven(source, layout.start, layout.end, layout.separator, width)
    if record is None:
        return None
    if source.data[record.start] in (CR, LF):
        return source.error(f"a blank line, expected {width} fields ({layout.like})", record.start)
    fields = "1 field" if record.fields == 1 else f"{record.fields} fields"
    return source.error(f"{fields}, expected {width} ({layout.like}){layout.hint}", record.start)

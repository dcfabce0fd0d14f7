"""Cells listed in a text file, one `row,column` to a line, as CSV; a first line `row,column` is a header."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from discreet.common.text_file import read_text
from discreet.errors import InputError

HEADER = ["row", "column"]
_MOST_DIGITS = 18


def read_marks(path: Path) -> dict[str, tuple[int, ...]]:
    """Return the row numbers of the listed cells by column; raise `InputError` with the first line that is wrong.

    The message tells the line, never what stands there.
    """
    rows: dict[str, set[int]] = {}
    for row, column in _marks(read_text(path, "marks"), path):
        rows.setdefault(column, set()).add(row)
    if not rows:
        raise InputError(f"{path}: lists no cell; write one row,column to a line, such as 3,Age")
    return {column: tuple(sorted(numbers)) for column, numbers in rows.items()}


def _marks(text: str, path: Path) -> Iterator[tuple[int, str]]:
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    first = True
    while True:
        try:
            fields = next(lines, None)
        except csv.Error:
            raise InputError(f"{path}, line {lines.line_num}: a quotation mark is not closed or not doubled") from None
        if fields is None:
            return
        if not any(field.strip() for field in fields):
            continue
        if not (first and [field.strip() for field in fields] == HEADER):
            yield _mark(fields, f"{path}, line {lines.line_num}")
        first = False


def _mark(fields: list[str], where: str) -> tuple[int, str]:
    if len(fields) != 2 or not fields[1].strip():
        raise InputError(f"{where}: write a row number, a comma and a column, such as 3,Age")
    number, column = fields[0].strip(), fields[1].strip()
    if not (number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS and int(number)):
        raise InputError(f"{where}: does not begin with a row number; rows are counted from 1")
    return int(number), column

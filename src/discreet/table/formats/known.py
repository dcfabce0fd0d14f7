"""All formats of files, a line each: which one a file has, and which one a name asks for."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from discreet.common.registry import Registry, listed
from discreet.errors import InputError
from discreet.table.formats.base import TableFormat
from discreet.table.formats.csv import CsvFormat
from discreet.table.formats.endings import ending
from discreet.table.formats.parquet import ParquetFormat

FORMATS: Registry[TableFormat] = Registry("format")
"""All formats, in the order in which people are told of them."""
FOR_FRAMES = ParquetFormat()
"""How a table that comes from no file is written under a name that says nothing."""

for _format in (CsvFormat(), FOR_FRAMES):
    FORMATS.add(_format.name, _format)

NOT_WRITTEN = (
    ".xlsx", ".xls", ".ods", ".json", ".arrow", ".feather", ".ipc", ".orc", ".sav", ".dta", ".zip", ".bz2", ".xz",
)  # fmt: skip
"""Endings that promise a form which nobody writes, unless a format has it."""


class FileTable(NamedTuple):
    """A table in files of one format."""

    format: TableFormat
    files: list[Path]


def file_table(table: Path) -> FileTable:
    """Return which format a file (a folder, a pattern) has, and the files that hold its table."""
    for one in sorted(FORMATS, key=lambda one: one.takes_the_rest):
        if (files := one.files(table)) is not None:
            return FileTable(one, files)
    raise InputError(f"{table}: is no {names()} file")


def written_as(path: Path) -> TableFormat | None:
    """Return the format that a name asks for; None where it says nothing, or one that no format has."""
    return next((one for one in FORMATS if ending(path) in one.suffixes), None)


def refuse_foreign(path: Path) -> None:
    """Refuse a name that promises a form which is not written."""
    asked = written_as(path)
    if asked is not None:
        asked.refuse_name(path)
    elif (suffix := ending(path)) in NOT_WRITTEN:
        endings = listed([suffix for one in FORMATS for suffix in one.advised])
        raise InputError(f"{path}: {suffix} files are not written; give a name that ends in {endings}")


def names() -> str:
    """Return the names of all formats, as a choice."""
    return listed(FORMATS.names())


def other_ways(tried: TableFormat) -> str:
    """Say what to do where a table cannot be written in a format so that it is read back."""
    others = f"write a {listed([one.name for one in FORMATS if one is not tried])} file"
    return f"say the {listed(tried.options, 'and')} under 'file', or {others}" if tried.options else others

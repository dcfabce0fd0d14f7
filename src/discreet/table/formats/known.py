"""All formats of files, a line each: which one a file has, and which one a name asks for."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from discreet.common.registry import Registry, listed
from discreet.errors import InputError
from discreet.table.formats.arriving import standard_input
from discreet.table.formats.arrow import ArrowFormat
from discreet.table.formats.base import TableFormat
from discreet.table.formats.csv import CsvFormat
from discreet.table.formats.endings import ending
from discreet.table.formats.excel import ExcelFormat
from discreet.table.formats.json_lines import JsonLinesFormat
from discreet.table.formats.parquet import ParquetFormat
from discreet.table.formats.place import Address, Place, file_and_part, is_standard
from discreet.table.formats.postgres import PostgresFormat
from discreet.table.formats.sas import SasFormat
from discreet.table.formats.spss import SpssFormat
from discreet.table.formats.sqlite import SqliteFormat
from discreet.table.formats.stata import StataFormat

FORMATS: Registry[TableFormat] = Registry("format")
"""All formats, in the order in which people are told of them."""
FOR_FRAMES = ParquetFormat()
"""How a table that comes from no file is written under a name that says nothing."""
FOR_PIPES = CsvFormat()
"""How a table is written to standard output that comes from where such cannot be written."""

for _format in (
    FOR_PIPES,
    FOR_FRAMES,
    ExcelFormat(),
    JsonLinesFormat(),
    ArrowFormat(),
    SpssFormat(),
    StataFormat(),
    SasFormat(),
    SqliteFormat(),
    PostgresFormat(),
):
    FORMATS.add(_format.name, _format)

NOT_WRITTEN = (".xls", ".ods", ".json", ".orc", ".avro", ".h5", ".rds", ".rdata", ".pkl", ".por", ".xpt", ".mdb")
"""Endings that promise a form which nobody writes, unless a format has it."""


class FileTable(NamedTuple):
    """A table in files of one format."""

    format: TableFormat
    files: list[Path]


def file_table(table: Place) -> FileTable:
    """Return which format a file (a folder, a pattern, an address) has, and the files that hold its table."""
    if isinstance(table, Address):
        chosen = _by_scheme(table)
        return FileTable(chosen, chosen.arrived(table))
    where = standard_input() if is_standard(table) else table
    for one in sorted(FORMATS, key=lambda one: one.takes_the_rest):
        if (files := one.files(where)) is not None:
            return FileTable(one, files)
    raise InputError(f"{table}: is no {names()} file")


def _by_scheme(address: Address) -> TableFormat:
    return next(one for one in FORMATS if address.scheme in one.schemes)


def written_as(path: Place) -> TableFormat | None:
    """Return the format that a name asks for; None where it says nothing, or one that no format has."""
    if isinstance(path, Address):
        return _by_scheme(path)
    return next((one for one in FORMATS if ending(written_file(path)) in one.suffixes), None)


def written_file(path: Path) -> Path:
    """Return the file that is meant by `FILE` or `FILE#NAME` where it is to be written: it may not be there yet.

    >>> written_file(Path("release.csv#a")).name
    'release.csv#a'
    """
    return written_parts(path)[0]


def written_parts(path: Path) -> tuple[Path, str | None]:
    """Return the file that is to be written, and the name of the table in it, if its format has such."""
    file, part = file_and_part(path)
    if part is None and not path.exists() and "#" in path.name:
        name, _, rest = path.name.partition("#")
        file, part = path.with_name(name) if name else path, rest or None
    has_parts = any(one.has_parts and ending(file) in one.suffixes for one in FORMATS)
    return (file, part) if has_parts else (path, None)


def refuse_foreign(path: Place) -> None:
    """Refuse a name that promises a form which is not written."""
    asked = written_as(path)
    if isinstance(path, Address) or is_standard(path):
        return
    if (database := next((one for one in FORMATS if one.joins(path)), asked)) is not asked and database is not None:
        raise InputError(
            f"{path}: this is a {database.name} database whose name does not say so; give it a name that ends in "
            f"{listed(database.advised)}, or the release another place"
        )
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
    others = f"write a {listed([one.name for one in (FOR_PIPES, FOR_FRAMES) if one.name != tried.name])} file"
    return f"say the {listed(tried.options, 'and')} under 'file', or {others}" if tried.options else others

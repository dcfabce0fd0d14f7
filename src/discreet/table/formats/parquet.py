"""Parquet files as a format of tables: which files are such, by what they hold, and which ones hold a table."""

from __future__ import annotations

import glob
import io
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import BinaryIO, ClassVar

import polars as pl

from discreet.errors import InputError
from discreet.policy import FileOptions
from discreet.table.formats.base import Reading, TableFormat, Writing
from discreet.table.formats.place import Place
from discreet.table.memory import TableSize, size_of_parquet

MAGIC = b"PAR1"
GLOB = re.compile(r"[*?\[]")


class ParquetFormat(TableFormat):
    """Parquet files: one, or those of a folder or a pattern."""

    name: ClassVar[str] = "Parquet"
    suffixes: ClassVar[tuple[str, ...]] = (".parquet", ".pq")
    advised: ClassVar[tuple[str, ...]] = (".parquet",)
    held_by_stores: ClassVar[bool] = True

    def files(self, table: Path) -> list[Path] | None:
        """Return the Parquet files that hold a table, one or many; None for a file of another kind, or none at all."""
        return _many_files(table, self.suffixes) or ([table] if _is_parquet(table) else None)

    def read(self, table: Place, files: Sequence[Path], reading: Reading) -> tuple[pl.DataFrame, None]:  # noqa: ARG002
        """Return the table in such files."""
        try:
            if len(files) > 1:
                return pl.scan_parquet(list(files), hive_partitioning=False, glob=False).collect(), None
            with files[0].open("rb") as file:
                return pl.read_parquet(file, hive_partitioning=False), None
        except (Exception, pl.exceptions.PanicException):
            many = "are not readable Parquet files with the same columns" if len(files) > 1 else ""
            raise InputError(f"{table}: {many or 'is not a readable Parquet file'}") from None

    def write(self, columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, how: Writing) -> None:  # noqa: ARG002
        """Write a table; one that comes in parts is put together first."""
        first, *others = parts
        packed = io.BytesIO()  # Polars would not say why a write failed
        (pl.concat([first, *others]) if others else first).write_parquet(packed)
        target.write(packed.getbuffer())

    def size(self, path: Path, options: FileOptions) -> TableSize:  # noqa: ARG002
        """Return how much a file holds, by what it says of itself and its first rows."""
        return size_of_parquet(path)


def _is_parquet(path: Path) -> bool:
    """Whether the file starts and ends as Parquet files do."""
    try:
        if not path.is_file():  # a pipe would never end
            return False
        with path.open("rb") as file:
            if file.read(4) != MAGIC:
                return False
            file.seek(-4, os.SEEK_END)
            return file.read(4) == MAGIC
    except (OSError, ValueError):
        return False  # reading it as text says what is wrong


def _many_files(table: Path, suffixes: Sequence[str]) -> list[Path] | None:
    """Return the Parquet files of a folder or of a pattern with * ? [ ], in the order of their names; None for a file.

    Raises
    ------
    InputError
        When there are none, or when one is no Parquet file.
    """
    try:
        if table.is_file():
            return None
        if table.is_dir():
            found = sorted(path for path in table.rglob("*") if path.suffix.lower() in suffixes)
            found = [path for path in found if not path.name.startswith((".", "_"))]
            if any("=" in part for path in found for part in path.relative_to(table).parts[:-1]):
                raise InputError(
                    f"{table}: is divided into folders by values (NAME=VALUE), which are no columns of its files; "
                    "write it without such folders first"
                )
        elif GLOB.search(str(table)):
            found = sorted(map(Path, glob.glob(str(table), recursive=True)))  # noqa: PTH207 - the path may be absolute
            found = [path for path in found if path.is_file()]
        else:
            return None
    except (OSError, ValueError):
        return None  # reading it says what is wrong
    if not found:
        raise InputError(f"{table}: there are no Parquet files there")
    for path in found:
        if not _is_parquet(path):
            raise InputError(f"{path}: is not a Parquet file; a table of many files is one of Parquet files")
    return found

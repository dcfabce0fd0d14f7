"""Parquet files: which files are such, by what they hold or by their names, and which ones hold a table."""

from __future__ import annotations

import glob
import os
import re
from pathlib import Path

from discreet.errors import InputError

SUFFIXES = (".parquet", ".pq")
MAGIC = b"PAR1"
GLOB = re.compile(r"[*?\[]")


def parquet_files(table: Path) -> list[Path] | None:
    """Return the Parquet files that hold a table, one or many; None for a file of another kind, or none at all."""
    return many_files(table) or ([table] if is_parquet(table) else None)


def is_parquet(path: Path) -> bool:
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


def many_files(table: Path) -> list[Path] | None:
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
            found = sorted(path for path in table.rglob("*") if path.suffix.lower() in SUFFIXES)
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
        if not is_parquet(path):
            raise InputError(f"{path}: is not a Parquet file; a table of many files is one of Parquet files")
    return found

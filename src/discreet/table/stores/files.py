"""The files of a table: which they are, whether they have changed, and what went wrong with them, without a value."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

import polars as pl

from discreet.errors import InputError
from discreet.table.formats.known import file_table
from discreet.table.formats.place import Address, is_standard, place_of
from discreet.table.no_room import is_disk_full, is_memory_short
from discreet.table.relations import database_of

Stamp = tuple[int, ...] | None


@dataclass(frozen=True)
class Files:
    """Files with what tells that none of them was written to meanwhile."""

    paths: tuple[Path, ...]
    stamps: tuple[Stamp, ...]
    own: bool = False
    """Whether they are scratch files of the job."""

    @classmethod
    def of(cls, paths: Sequence[Path], *, own: bool = False) -> Files:
        """Return files as they are now."""
        return cls(tuple(paths), tuple(map(stamp, paths)), own)

    def changed(self) -> bool:
        """Whether one of them is not the same any more."""
        return tuple(map(stamp, self.paths)) != self.stamps


def stamp(path: Path) -> Stamp:
    """Return what tells that a file was not written to meanwhile, not even by who sets its time back afterwards."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns


def watched(table: str | Path) -> list[Path]:
    """Return the files that hold a table (a pattern, a folder, a table of a database, a file); none at an address."""
    place = place_of(table)
    if isinstance(place, Address) or is_standard(place):
        return []
    if (database := database_of(str(table))) is not None:
        return [database[0], database[0].with_name(f"{database[0].name}.wal")]
    return file_table(place).files


def changed(what: str) -> InputError:
    """Return the error that says that a table is not the same any more."""
    return InputError(f"{what}: was changed while it was being read; nothing was written")


@contextlib.contextmanager
def saying(what: str) -> Iterator[None]:
    """Turn an error of a library, which would show values, into one that says what went wrong with `what`."""
    try:
        yield
    except (InputError, MemoryError, KeyboardInterrupt):
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        if os.environ.get("DISCREET_DEBUG"):
            raise
        refuse(what, str(error))


def refuse(what: str, said: str) -> NoReturn:
    """Say what went wrong with `what`, by what a library said about it, which is not shown."""
    if is_disk_full(said):
        raise InputError(
            f"{what}: the disk for scratch files is full; nothing was written. Make room, or let TMPDIR name a folder "
            "on another disk"
        ) from None
    if is_memory_short(said):
        raise InputError(
            f"{what}: does not fit into the memory limit; nothing was written. Give more with --memory-limit (in "
            "Python memory_limit)"
        ) from None
    raise InputError(
        f"{what}: cannot be read; it is damaged, has changed, or its files differ in their columns"
    ) from None

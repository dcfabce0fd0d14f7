"""A file that was dropped onto the page: it goes to the private folder, whole or not at all."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path
from types import TracebackType

from discreet.errors import InputError
from discreet.table.formats.endings import ENDINGS, ending

SPARE = 200_000_000
"""Bytes of the disk that are left free."""
LOOK = 64_000_000
"""Bytes after which it is looked again how much of the disk is free."""


class Arrival:
    """A file on its way; use as a context manager and call `done` at the end."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._target = folder / plain_name(name)
        self._part = folder / f".{os.getpid()}.part"
        self._taken = self._looked = 0

    def __enter__(self) -> Arrival:
        self._part.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
        self._file = os.fdopen(os.open(self._part, flags, 0o600), "wb")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()
        self._part.unlink(missing_ok=True)

    def write(self, chunk: bytes) -> None:
        """Take some more of it."""
        if self._taken >= self._looked:
            self._looked = self._taken + LOOK
            if shutil.disk_usage(self._folder).free < SPARE + LOOK:
                raise InputError("the disk is nearly full; open the file by its path instead")
        self._taken += len(chunk)
        self._file.write(chunk)

    def done(self) -> Path:
        """Give it its name; an earlier file of that name goes."""
        if not self._taken:
            raise InputError("the file is empty")
        self._file.flush()
        os.fsync(self._file.fileno())
        self._part.replace(self._target)
        return self._target


def plain_name(name: str) -> str:
    """Return a name that is a name only, of a kind of file that can be read.

    >>> plain_name("../../etc/Kunden 2024.csv")
    'Kunden 2024.csv'
    """
    last = re.split(r"[/\\]", name)[-1].strip()
    plain = re.sub(r"[^\w .()+-]", "_", last)[-120:].lstrip(".- ")
    if not plain or ending(Path(plain)) not in ENDINGS:
        raise InputError("a dropped file is a table: CSV, Parquet, Excel, JSON lines, Arrow, SPSS, Stata or SAS")
    return plain

"""A folder for files that are needed only while a job runs; private, for they hold the original's values.

It goes when nobody needs it any more or the program ends. What a killed run left is swept away when the next one
begins: living ones hold the lock of theirs.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import sys
import tempfile
import weakref
from pathlib import Path

from discreet.common.staging import lock
from discreet.errors import InputError

PREFIX = "discreet-scratch-"
LOCK = "lock"


class Scratch:
    """The folder of one job; in a `parent`, or where temporary files go."""

    def __init__(self, parent: Path | None = None) -> None:
        parent = parent or Path(tempfile.gettempdir())
        sweep(parent)
        try:
            while (number := _locked(folder := parent / f"{PREFIX}{os.getpid()}-{secrets.token_hex(6)}")) is None:
                pass
        except OSError as error:
            raise InputError(
                f"{parent}: no scratch files can be written there ({error.strerror or 'failed'})"
            ) from None
        self.folder = folder
        self._end = weakref.finalize(self, _remove, folder, number)

    def new(self, suffix: str = ".parquet") -> Path:
        """Return the path of a file that does not exist yet."""
        return self.folder / f"{secrets.token_hex(8)}{suffix}"

    def keep(self) -> None:
        """Let the folder live until the program ends: somebody else holds on to a file of it."""
        _KEPT.append(self)

    def close(self) -> None:
        """Remove the folder; may be called again."""
        self._end()


_KEPT: list[Scratch] = []


def sweep(parent: Path) -> None:
    """Remove what killed runs left; the folders of living ones are locked and stay."""
    for stray in parent.glob(f"{PREFIX}*"):
        with contextlib.suppress(OSError):
            number = os.open(stray / LOCK, os.O_RDWR)
            try:
                if lock(number):
                    _empty(stray)
            finally:
                os.close(number)


def _locked(folder: Path) -> int | None:
    """Make a folder and lock it; None where another job, which began at the same moment, has swept it away."""
    folder.mkdir(mode=0o700)
    try:
        number = os.open(folder / LOCK, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileNotFoundError:
        return None
    if (lock(number) or sys.platform == "win32") and (folder / LOCK).exists():
        return number
    os.close(number)
    return None


def _remove(folder: Path, number: int) -> None:
    _empty(folder)
    with contextlib.suppress(OSError):
        os.close(number)


def _empty(folder: Path) -> None:
    """Remove a folder; its lock last, for without it what could not be removed would never be swept."""
    with contextlib.suppress(OSError):
        others = [path for path in folder.iterdir() if path.name != LOCK]
        for path in others:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
        if not any(path.exists() for path in others):
            shutil.rmtree(folder, ignore_errors=True)

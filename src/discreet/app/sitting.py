"""The private working folder of one sitting: readable by its owner only, taken up again by --resume, cleared by forget.

It stands inside the folder given at the start, so that nothing of a table leaves the disk that it is on.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from discreet.app.folder import HIDDEN, OpenFolder
from discreet.common.staging import lock
from discreet.errors import InputError

KEPT = 5
"""Earlier sittings whose policies are kept."""


@dataclass
class Sitting:
    """One sitting: `path` is its folder."""

    folder: OpenFolder
    path: Path
    _lock: int

    @classmethod
    def begin(cls, folder: OpenFolder, *, resume: bool = False) -> Sitting:
        """Begin a sitting, or take up the last one; one at a time in a folder."""
        home = folder.path / HIDDEN
        try:
            home.mkdir(mode=0o700, exist_ok=True)
            if home.is_symlink():
                raise InputError(f"{home}: is a link; remove it")
            home.chmod(0o700)
            held = os.open(home / "lock", os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError as error:
            raise InputError(
                f"{home}: cannot be written ({error.strerror}); give a folder that can with --folder"
            ) from None
        if os.name != "nt" and not lock(held):
            os.close(held)
            raise InputError(f"{folder.path}: the app is open on this folder already; end it first (Ctrl-C there)")
        earlier = sorted(path for path in home.glob("sitting-*") if path.is_dir() and not path.is_symlink())
        if resume:
            if not earlier:
                os.close(held)
                raise InputError(f"{folder.path}: there is nothing to resume in this folder; leave out --resume")
            return cls(folder, earlier[-1], held)
        for path in earlier:
            _erase(path / "dropped")
        for path in earlier[:-KEPT]:
            _erase(path)
        number = 1 + max((int(path.name.partition("-")[2]) for path in earlier), default=0)
        path = home / f"sitting-{number:06}"
        path.mkdir(mode=0o700)
        return cls(folder, path, held)

    def part(self, name: str) -> Path:
        """Return a folder of it."""
        path = self.path / name
        path.mkdir(mode=0o700, exist_ok=True)
        return path

    @property
    def dropped(self) -> Path:
        """Where files go that were dropped onto the page."""
        return self.part("dropped")

    def forget(self) -> None:
        """Erase all of it; an empty sitting is left."""
        _erase(self.path)
        self.path.mkdir(mode=0o700)

    def end(self) -> None:
        """End well: what was dropped, and copies of rows, are erased; policies and releases can be taken up again."""
        _erase(self.path / "dropped")
        _erase(self.path / "rows")
        self.close()

    def close(self) -> None:
        """Let others use the folder."""
        with contextlib.suppress(OSError):
            os.close(self._lock)


def _erase(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)


def write_whole(path: Path, data: bytes) -> None:
    """Write a private file, whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(number, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)

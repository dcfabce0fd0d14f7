"""Files of this machine, as far as the app may see them: under the folder given at the start, and nowhere else."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from discreet.errors import InputError
from discreet.table.formats.endings import ENDINGS, ending
from discreet.table.formats.place import file_and_part

HIDDEN = ".discreet-app"
"""The folder in it that holds the app's own files."""
MOST_LISTED, MOST_LOOKED_AT = 200, 5000


@dataclass(frozen=True)
class OpenFolder:
    """The folder given at the start."""

    path: Path
    """Absolute, with nothing left to be resolved."""

    @classmethod
    def of(cls, path: Path) -> OpenFolder:
        """Return a folder that is there."""
        try:
            found = path.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            raise InputError(f"{path}: there is no such folder; give one with --folder") from None
        if not found.is_dir():
            raise InputError(f"{path}: is no folder; give one with --folder")
        return cls(found)

    def inside(self, said: str) -> Path:
        """Return the path that a text means, as it was written; refuse what is, or leads, elsewhere."""
        text = said.strip()
        if not text:
            raise InputError("write the path of a file")
        if "\0" in text or len(text) > 4096:
            raise InputError("that is not the name of a file")
        path = self.path / text
        try:
            real = path.resolve()
        except (OSError, RuntimeError, ValueError):
            raise InputError(f"{text}: cannot be used") from None
        if ".." in Path(text).parts or not real.is_relative_to(self.path):
            raise InputError(
                f"{text}: is not under the folder {self.path}; start `discreet app` with --folder for another one"
            )
        if HIDDEN in real.relative_to(self.path).parts:
            raise InputError(f"{text}: is the app's own")
        return path

    def table(self, said: str) -> str:
        """Return a table as commands in this folder name it: a file, FILE#PART, some Parquet files."""
        text = said.strip()
        file, part = file_and_part(self.path / text) if text and "\0" not in text else (Path(text), None)
        found = self.inside(str(file) if text else text)
        if found == self.path:
            raise InputError("that is the folder itself; write the path of a table in it")
        try:
            there, plain = found.exists(), found.is_file() or found.is_dir()
        except OSError:
            raise InputError("that is not the name of a file") from None
        if not there and not any(sign in str(found) for sign in "*?["):
            raise InputError(f"{text}: there is no such file")
        if there and not plain:
            raise InputError(f"{text}: is a pipe or a device, not a file")
        return f"{self.shown(found)}{'' if part is None else f'#{part}'}"

    def shown(self, path: Path) -> str:
        """Return a path as commands in this folder name it."""
        return str(path.relative_to(self.path)) if path.is_relative_to(self.path) else str(path)

    def tables(self) -> list[str]:
        """Return files in it that look like tables, not too deep and not too many."""
        found: list[str] = []
        looked = 0
        for top, folders, files in os.walk(self.path):
            depth = len(Path(top).relative_to(self.path).parts)
            folders[:] = sorted(name for name in folders if not name.startswith(".") and depth < 3)
            for name in sorted(files):
                looked += 1
                path = Path(top) / name
                if ending(path) in ENDINGS and not name.startswith(".") and path.resolve().is_relative_to(self.path):
                    found.append(self.shown(path))
            if len(found) >= MOST_LISTED or looked > MOST_LOOKED_AT:
                break
        return found[:MOST_LISTED]

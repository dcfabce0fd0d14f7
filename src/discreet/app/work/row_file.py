"""Rows for the page, written part by part: a file never needs the memory of a whole table of texts."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import TracebackType

import numpy as np
import polars as pl

from discreet.app.rows import changed_path, places_path

BLOCK = 10_000
"""Rows that are turned into texts at once."""
NEW_LINE = 10


class RowFile:
    """A private file in the making; it is there when all of it is, and stands beside `places_path` of it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.parent.mkdir(mode=0o700, exist_ok=True)
        self._names = [path, places_path(path), changed_path(path)]
        self._parts = [name.with_name(f".{name.name}.part") for name in self._names]
        self._at = self.rows = self.changed = 0

    def __enter__(self) -> RowFile:
        self._files = [part.open("wb") for part in self._parts]
        for part in self._parts:
            part.chmod(0o600)
        return self

    def add(self, frame: pl.DataFrame, changed: pl.Series | None = None) -> None:
        """Write some more rows, and which of them have a change."""
        lines, places, changes = self._files
        text = frame.write_ndjson().encode()
        ends = np.flatnonzero(np.frombuffer(text, np.uint8) == NEW_LINE)
        begins = self._at + np.concatenate([[0], ends[:-1] + 1])
        lines.write(text)
        places.write(begins.astype("<i8").tobytes())
        if changed is not None:
            numbers = self.rows + np.flatnonzero(changed.to_numpy())
            changes.write(numbers.astype("<i8").tobytes())
            self.changed += len(numbers)
        self._at += len(text)
        self.rows += frame.height

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._files[1].write(np.array([self._at], "<i8").tobytes())
        for file in self._files:
            file.close()
        for part, name in zip(reversed(self._parts), reversed(self._names), strict=True):
            part.replace(name) if kind is None else part.unlink(missing_ok=True)


def blocks(rows: int) -> Iterable[slice]:
    """Return the parts in which a table is written."""
    return [slice(begin, min(begin + BLOCK, rows)) for begin in range(0, rows, BLOCK)]

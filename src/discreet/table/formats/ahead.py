"""A file that is read by a thread of its own while the program is still being loaded.

Little more is known of it then than its name, so it is read as it probably will be wanted. That is taken only where
exactly this reading is wanted, of the very same file; else it is forgotten, and the file is read as always.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

Found = TypeVar("Found")
LARGE = 8 << 20
"""Bytes of a file that is worth it."""


class OneReading(NamedTuple):
    """One reading of one file: where it is, what changes whenever it is written to, and how it is read."""

    path: Path
    status: Hashable
    how: Hashable


class Ahead(Generic[Found]):
    """What is read ahead: of one file at a time."""

    def __init__(self) -> None:
        self._begun: tuple[Path, threading.Thread, list[tuple[OneReading, Found]]] | None = None

    def begin(self, path: Path, read: Callable[[], tuple[OneReading, Found] | None]) -> None:
        """Begin to read a file, if it is not begun yet; what goes wrong is seen when it is read as always."""
        if self._begun is not None and self._begun[0] == path:
            return
        found: list[tuple[OneReading, Found]] = []

        def run() -> None:
            with contextlib.suppress(BaseException):
                if (one := read()) is not None:
                    found.append(one)

        thread = threading.Thread(target=run, daemon=True)
        self._begun = path, thread, found
        thread.start()

    def taken(self, wanted: OneReading) -> Found | None:
        """Return what was read, once it is, if it is what is wanted; nothing of this file is kept."""
        if self._begun is None or self._begun[0] != wanted.path:
            return None
        (_, thread, found), self._begun = self._begun, None
        thread.join()
        return next((one for how, one in found if how == wanted), None)

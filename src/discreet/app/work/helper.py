"""A process beside the server, seen from the server: it is given tasks, may be stopped, and can be ended."""

from __future__ import annotations

import contextlib
import multiprocessing
import threading
from collections.abc import Callable, Mapping
from typing import Any

from discreet.app.work.child import STOP, run

PATIENCE = 2.0
"""Seconds that a process has to end when it is told to."""
Hearer = Callable[[str, Any], None]
"""Hears what a task tells: a kind (`part`, `done`, `failed`, `ended`) and a value."""


class Helper:
    """One process; it does one task at a time."""

    def __init__(self) -> None:
        ours, theirs = multiprocessing.get_context("spawn").Pipe()
        self._pipe = ours
        self._process = multiprocessing.get_context("spawn").Process(target=run, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()
        self._lock = threading.Lock()

    @property
    def id(self) -> int | None:
        """The number of the process."""
        return self._process.pid

    def do(self, task: str, said: Mapping[str, Any], hear: Hearer) -> None:
        """Give it a task, and let somebody hear of it, in a thread of its own; `ended`: the process is no more."""
        with self._lock, contextlib.suppress(OSError):
            self._pipe.send((task, dict(said)))
        threading.Thread(target=self._listen, args=(hear,), daemon=True).start()

    def _listen(self, hear: Hearer) -> None:
        while True:
            try:
                kind, value = self._pipe.recv()
            except (EOFError, OSError, ValueError, TypeError):  # closed, perhaps while we listened
                hear("ended", None)
                return
            hear(kind, value)
            if kind in ("done", "failed"):
                return

    def stop(self) -> None:
        """Ask its task to end with what is safe so far."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            self._pipe.send(STOP)

    def end(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join(PATIENCE)
        with self._lock, contextlib.suppress(OSError):
            self._pipe.close()

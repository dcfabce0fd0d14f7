"""What runs in a process of its own: takes orders over a pipe, answers them one by one, and ends with the server."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from importlib import import_module
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from discreet.common.own_program import be_own_program, load_tables
from discreet.errors import DiscreetError, PolicyError

STOP = "stop"
"""The order to end a search with what is safe so far."""


class Talk:
    """How a task speaks to the server while it works."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()
        self._stop = threading.Event()

    def tell(self, kind: str, value: object) -> None:
        """Send something; the server may be gone, which ends this process elsewhere."""
        with self._lock, contextlib.suppress(OSError, ValueError):
            self._pipe.send((kind, value))

    def part(self, value: object) -> None:
        """Send what is known so far."""
        self.tell("part", value)

    @property
    def stopped(self) -> bool:
        """Whether the owner wants what is safe so far."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Remember that."""
        self._stop.set()

    def go_on(self) -> None:
        """Forget it, for the next stage."""
        self._stop.clear()


Task = Callable[..., Any]


def run(pipe: Connection) -> None:
    """Do what is ordered until the server ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in the terminal is for the server, which ends us
    be_own_program()
    _say_nothing()
    load_tables()
    talk = Talk(pipe)
    orders: queue.Queue[tuple[str, Mapping[str, Any]]] = queue.Queue()
    threading.Thread(target=_listen, args=(pipe, talk, orders), daemon=True).start()
    while True:
        task, said = orders.get()
        talk.go_on()
        try:
            talk.tell("done", _task(task)(talk, **said))
        except DiscreetError as error:
            talk.tell("failed", failure(error))
        except MemoryError:
            talk.tell("failed", {"kind": "MemoryError", "message": "not enough memory for this table", "problems": []})
        except BaseException as error:  # whatever it is, the server hears of it; never a value of the table
            kind = type(error).__name__
            message = f"internal error ({kind}). This is a mistake in discreet, please report it."
            talk.tell("failed", {"kind": kind, "message": message, "problems": []})


def failure(error: DiscreetError) -> dict[str, Any]:
    """Return what is told of an error: the same words as on the command line."""
    problems = error.problems if isinstance(error, PolicyError) else ()
    return {
        "kind": type(error).__name__,
        "message": str(error),
        "exit_code": error.exit_code,
        "problems": [{"field": p.field, "message": p.message, "line": p.line} for p in problems],
    }


def _task(name: str) -> Task:
    module, _, function = name.partition(":")
    found: Task = getattr(import_module(f"discreet.app.work.{module}"), function)
    return found


def _listen(pipe: Connection, talk: Talk, orders: queue.Queue[tuple[str, Mapping[str, Any]]]) -> None:
    while True:
        try:
            order = pipe.recv()
        except (EOFError, OSError):
            os._exit(0)  # the server has ended, however it did
        if order == STOP:
            talk.stop()
        else:
            orders.put(order)


def _say_nothing() -> None:
    """Let nothing reach the terminal: it might have values."""
    nothing = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - as long as the process lives
    os.dup2(nothing.fileno(), 1)
    os.dup2(nothing.fileno(), 2)
    sys.stdout = sys.stderr = nothing

"""Progress that shows itself: a line on a terminal, a bar in a notebook, nothing where the output is piped."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from html import escape
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from discreet.common.watch import Progress

Hears = Callable[["Progress"], bool | None]
"""What is called now and then; False ends a search with the safe result so far."""
Heard = Hears | bool | None
"""What may be given as `progress`: somebody who hears of it, False for nobody, None for whoever looks."""

STAGES = {
    "read": "reading",
    "count": "counting",
    "plan": "planning",
    "cells": "protecting single cells",
    "apply": "applying",
    "verify": "verifying",
    "measure": "measuring what is kept",
    "attack": "attacking",
}
WAIT, PAUSE = 0.5, 0.1
"""Seconds before anything is shown, and between two pictures of it."""
WIDTH = 24
"""Signs of a bar on a terminal."""


class Display(Protocol):
    """Where progress can be seen."""

    def show(self, words: str, done: float | None) -> None:
        """Show how far a job is, `done` as a share where that is known."""

    def clear(self) -> None:
        """Leave nothing behind."""


@contextlib.contextmanager
def listening(progress: Heard) -> Iterator[Hears | None]:
    """Yield whoever is told how far a job is: who was given, else a bar where somebody looks at one."""
    if callable(progress):
        yield progress
        return
    display = None if progress is False else find_display()
    if display is None:
        yield None
        return
    picture = Picture(display)
    try:
        yield picture.hear
    finally:
        picture.end()


def find_display() -> Display | None:
    """Return the notebook or the terminal that is looked at; None where nobody looks."""
    module = sys.modules.get("IPython")
    shell = None if module is None else module.get_ipython()
    if getattr(shell, "kernel", None) is not None:
        return NotebookBar()
    looked_at = sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    return TerminalLine() if looked_at else None


class Picture:
    """The last that was heard of a job, shown once it takes a while, and not too often."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._begun = time.monotonic()
        self._drawn = -PAUSE
        self._last: tuple[str, float | None] | None = None
        self._lock = threading.Lock()
        self._over = False
        self._timer = threading.Timer(WAIT, self._draw) if isinstance(display, TerminalLine) else None
        if self._timer is not None:  # a stage may be long before anything is heard of the next
            self._timer.daemon = True
            self._timer.start()

    def hear(self, progress: Progress) -> None:
        """Remember how far the job is, and show it if it is time."""
        new = self._last is None or not self._last[0].startswith(STAGES[progress.stage])
        self._last = said(progress), share_done(progress)
        now = time.monotonic()
        if now - self._begun >= WAIT and (new or now - self._drawn >= PAUSE):
            self._draw()

    def end(self) -> None:
        """Take it away."""
        if self._timer is not None:
            self._timer.cancel()
        with self._lock:
            self._over = True
            if self._drawn > 0:
                self._display.clear()

    def _draw(self) -> None:
        with self._lock:
            if not self._over and self._last is not None:
                self._drawn = time.monotonic()
                self._display.show(*self._last)


def share_done(progress: Progress) -> float | None:
    """Return how much of a stage is done, where that is known.

    >>> from discreet.common.watch import Progress
    >>> share_done(Progress("attack", 3, 1)), share_done(Progress("read"))
    (0.75, None)
    """
    whole = progress.disclosed + progress.left
    return progress.disclosed / whole if progress.left and whole and progress.bound is None else None


def said(progress: Progress) -> str:
    """Return how far a job is in words.

    >>> from discreet.common.watch import Progress
    >>> said(Progress("plan", 3, 5, 0.25, 1.2)), said(Progress("verify"))
    ('planning: 3 done, 5 to try, 25% of the detail shown', 'verifying')
    """
    words = STAGES[progress.stage]
    if not progress.left:
        return words
    if progress.stage == "plan":
        return (
            f"{words}: {progress.disclosed:,} done, {progress.left:,} to try, {progress.detail:.0%} of the detail shown"
        )
    return f"{words}: {progress.disclosed:,} done, {progress.left:,} left"


class TerminalLine:
    """One line of standard error, written over and over."""

    def show(self, words: str, done: float | None) -> None:
        """Write it again."""
        bar = "" if done is None else f"{'━' * round(done * WIDTH)}{'─' * (WIDTH - round(done * WIDTH))} "
        room = shutil.get_terminal_size().columns - 1
        self._write(f"\r\x1b[2K{f'{bar}{words}'[:room]}")

    def clear(self) -> None:
        """Empty the line."""
        self._write("\r\x1b[2K")

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # whoever looked has gone, or cannot see such signs
            sys.stderr.write(text)
            sys.stderr.flush()


class NotebookBar:
    """A bar below a cell of a notebook."""

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, words: str, done: float | None) -> None:
        """Draw it, or draw it anew."""
        value = "" if done is None else f' value="{done:.3f}"'
        self._draw(f"<progress{value}></progress> {escape(words)}")

    def clear(self) -> None:
        """Take it away."""
        self._draw("")

    def _draw(self, text: str) -> None:
        display = sys.modules["IPython"].display
        if self._handle is None:
            self._handle = display.display(display.HTML(text), display_id=True)
        else:
            self._handle.update(display.HTML(text))

"""Ctrl-C while planning: once takes the safe result so far, twice (or at any other stage) ends the command."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from discreet.common.interrupting import interrupt

if TYPE_CHECKING:
    from types import FrameType

    from discreet.common.watch import Progress

SAID = "stopping: {}; Ctrl-C again to write nothing"


class Stopper:
    """Hears Ctrl-C and tells the planner through the progress it reports."""

    def __init__(self, result: str = "the safe result so far is verified and written") -> None:
        self.asked = False
        self._said = SAID.format(result)
        self._planning = False

    @contextlib.contextmanager
    def listening(self) -> Iterator[Stopper]:
        """Hear Ctrl-C in our own way, unless it is ignored or heard by somebody else."""
        before = signal.getsignal(signal.SIGINT)
        ours = before in (signal.default_int_handler, interrupt)
        if threading.current_thread() is not threading.main_thread() or not ours:
            yield self
            return
        signal.signal(signal.SIGINT, self._hear)
        try:
            yield self
        finally:
            signal.signal(signal.SIGINT, before)

    def watch(self, say: Callable[[Progress], object] | None) -> Callable[[Progress], bool]:
        """Return a progress callback that ends planning when Ctrl-C was heard; what comes after it is done in full."""

        def heard(progress: Progress) -> bool:
            self._planning = progress.stage in ("plan", "attack")
            if say is not None:
                say(progress)
            return not (self.asked and self._planning)

        return heard

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.asked or not self._planning:
            interrupt(number, frame)
            return  # it comes again in a moment
        self.asked = True
        with contextlib.suppress(OSError):
            print(self._said, file=sys.stderr, flush=True)

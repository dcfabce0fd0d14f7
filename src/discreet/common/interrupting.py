"""Ctrl-C and a polite kill: heard a moment later where they would be lost, or would stop all that is loaded."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

IMPORTING = "<frozen importlib._bootstrap>"
"""Where Python takes and leaves its locks on modules: who is interrupted there may keep one, for which all others wait.

An exception there may be ignored, too: where it is called because a lock is no longer needed.
"""
MOMENT = 0.005
PATIENCE = 400
"""Moments after which it is heard wherever that is."""

_waited = [0]


def interrupt(number: int, frame: FrameType | None) -> None:
    """Raise a KeyboardInterrupt, once Python does not keep the books of its modules."""
    if frame is not None and frame.f_code.co_filename == IMPORTING and _waited[0] < PATIENCE:
        _waited[0] += 1
        _thread.start_new_thread(_again, (number,))
        return
    _waited[0] = 0
    signal.default_int_handler(number, frame)


def _again(number: int) -> None:
    time.sleep(MOMENT)
    main = threading.main_thread().ident
    if main is not None and hasattr(signal, "pthread_kill"):  # this wakes it, too, where it waits for something
        signal.pthread_kill(main, number)
    else:
        _thread.interrupt_main(signal.Signals(number))

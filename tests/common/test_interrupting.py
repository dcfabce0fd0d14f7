"""Ctrl-C and a polite kill are heard, wherever a program is just then."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from types import CodeType, FrameType
from typing import Any
from unittest import mock

import pytest

from discreet.common import interrupting
from discreet.common.interrupting import IMPORTING, interrupt

LOCKING = compile("pass", IMPORTING, "exec")


def in_code(code: CodeType) -> FrameType:
    """Return what stands for a frame with this code."""
    frame: Any = mock.Mock()
    frame.f_code = code
    return frame  # type: ignore[no-any-return]


def test_it_is_heard_at_once_but_where_modules_are_locked_a_moment_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupting, "_waited", [0])
    again: list[int] = []
    monkeypatch.setattr(signal, "pthread_kill", lambda _, number: again.append(number), raising=False)
    for frame in (None, in_code(in_code.__code__)):
        with pytest.raises(KeyboardInterrupt):
            interrupt(signal.SIGTERM, frame)
    interrupt(signal.SIGTERM, in_code(LOCKING))
    until = time.monotonic() + 20
    while not again and time.monotonic() < until:
        time.sleep(0.01)
    assert again == [signal.SIGTERM]


def test_it_is_not_put_off_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupting, "_waited", [interrupting.PATIENCE])
    with pytest.raises(KeyboardInterrupt):
        interrupt(signal.SIGINT, in_code(LOCKING))
    assert interrupting._waited == [0]


def test_python_locks_modules_where_we_think_it_does() -> None:
    assert sys.modules["_frozen_importlib"]._get_module_lock.__code__.co_filename == IMPORTING


FORGETTING = """
import signal, time, weakref
from discreet.common.interrupting import IMPORTING, interrupt

class Lock: pass

signal.signal(signal.SIGTERM, interrupt)
exec(compile("def left(_): signal.raise_signal(signal.SIGTERM)", IMPORTING, "exec"))
lock = Lock()
kept = weakref.ref(lock, left)
try:
    del lock  # what is raised in what is called then is ignored
    time.sleep(20)
except KeyboardInterrupt:
    print("heard")
"""


@pytest.mark.process
def test_a_kill_where_nothing_can_be_raised_is_heard_all_the_same() -> None:
    begun = time.monotonic()
    done = subprocess.run([sys.executable, "-c", FORGETTING], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("heard\n", "")
    assert time.monotonic() - begun < 15

"""A command on a terminal of its own (a pseudo-terminal): what it asks is read, and answers are typed."""

from __future__ import annotations

import os
import pty
import select
import signal
import sys
import time
from pathlib import Path

PATIENCE = 60
"""Seconds without a word after which a command is given up."""
CTRL_C, CTRL_D = "\x03", "\x04"


class OnTerminal:
    """`discreet` with some words, in a folder; keys go through the terminal, so Ctrl-C interrupts it."""

    def __init__(self, folder: Path, *words: str) -> None:
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:  # pragma: no cover - the command itself
            # Who runs the tests in the background may have told its children to ignore Ctrl-C.
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            os.chdir(folder)
            os.environ["TERM"] = "dumb"
            os.execv(sys.executable, [sys.executable, "-m", "discreet", *words])
        self.shown = ""
        self._seen = 0

    def until(self, text: str) -> None:
        """Read on until a text is shown behind what was waited for last."""
        while (place := self.shown.find(text, self._seen)) < 0:
            if not self._read():
                raise AssertionError(f"ended without {text!r}: {self.shown[self._seen :]}")
        self._seen = place + len(text)

    def type(self, text: str) -> None:
        """Press keys; not so quickly that the command does not wait for them yet: no person is."""
        time.sleep(0.2)
        os.write(self._terminal, text.encode())

    def answer(self, question: str, text: str) -> None:
        """Wait for a question, then type an answer and Enter."""
        self.until(question)
        self.type(text + "\n")

    def ended(self) -> int:
        """Read to the end; return the exit code."""
        while self._read():
            pass
        os.close(self._terminal)
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])

    def _read(self) -> bool:
        ready, _, _ = select.select([self._terminal], [], [], PATIENCE)
        if not ready:
            raise AssertionError(f"nothing comes any more: {self.shown[-500:]}")
        try:
            part = os.read(self._terminal, 4096)
        except OSError:  # the other side is closed
            return False
        self.shown += part.decode(errors="replace").replace("\r\n", "\n")
        return bool(part)

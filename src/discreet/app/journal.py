"""The states of a sitting, each a folder with a policy file and the files that it names: undo, redo, nothing is lost.

A state never changes once it has its name, so a job that reads one is not disturbed by what is edited meanwhile.
"""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from discreet.app.sitting import write_whole
from discreet.errors import InputError

POLICY = "policy.yaml"
MOST_STATES = 500
"""States that are kept; the oldest go first."""
MOST_TEXT = 1_000_000
"""Characters of a policy."""


@dataclass(frozen=True)
class Entry:
    """One state: a table, a policy, and what led to it."""

    number: int
    path: Path
    table: str | None
    """As commands in the folder name it; None before one is chosen."""
    dropped: bool
    """Whether the table was dropped onto the page, and so is a private copy."""
    what: str
    """What was done, in words."""

    @property
    def policy(self) -> Path:
        """The policy file."""
        return self.path / POLICY

    @cached_property
    def text(self) -> str:
        """The policy as it is written."""
        return self.policy.read_bytes().decode()

    @property
    def files(self) -> dict[str, Path]:
        """The files beside the policy, by their names relative to it."""
        inner = (path for path in sorted(self.path.rglob("*")) if path.is_file())
        names = {str(path.relative_to(self.path)): path for path in inner}
        return {name: path for name, path in names.items() if name not in (POLICY, "state.json")}


class Journal:
    """All states in order, and which of them is the present one."""

    def __init__(self, path: Path, last: int = 0) -> None:
        self._path = path
        self._lock = threading.RLock()
        self._order: list[int] = []
        self._at, self._last = -1, last
        self._entries: dict[int, Entry] = {}
        path.mkdir(mode=0o700, exist_ok=True)
        self._read()
        if not self._order:
            self.add("Begin", text="", table=None)

    @property
    def now(self) -> Entry:
        """The present state."""
        return self._entries[self._order[self._at]]

    @property
    def undoes(self) -> str | None:
        """What an undo would take back; None where there is nothing."""
        return self.now.what if self._at > 0 else None

    @property
    def redoes(self) -> str | None:
        """What a redo would do again."""
        return self._entries[self._order[self._at + 1]].what if self._at + 1 < len(self._order) else None

    def add(
        self, what: str, *, text: str | None = None, files: Mapping[str, bytes | None] | None = None, **table: Any
    ) -> Entry:
        """Go on to a new state; what is not said stays as it is. A file that is None is taken away."""
        with self._lock:
            before = self.now if self._order else None
            number = self._last + 1
            if text is not None and len(text) > MOST_TEXT:
                raise InputError(f"the policy is longer than {MOST_TEXT:,} characters; put trees into files")
            path = self._path / f"{number:06}"
            temporary = self._path / f".{number:06}.part"
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir(mode=0o700)
            changed = files or {}
            for name, old in (before.files if before is not None else {}).items():
                if name not in changed:
                    _link(old, _beside(temporary, name))
            for name, data in changed.items():
                if data is not None:
                    write_whole(_beside(temporary, name), data)
            kept = before.text if before is not None and text is None else (text or "")
            write_whole(temporary / POLICY, kept.encode("utf-8", "surrogatepass"))
            said = {"table": before.table if before else None, "dropped": bool(before and before.dropped), **table}
            write_whole(temporary / "state.json", json.dumps({**said, "what": what}).encode())
            temporary.rename(path)
            self._last = number
            entry = Entry(number, path, said["table"], said["dropped"], what)
            self._entries[number] = entry
            later = self._order[self._at + 1 :]
            self._order = [*self._order[: self._at + 1], number][-MOST_STATES:]
            self._at = len(self._order) - 1
            self._write()
            for gone in [*later, *(old for old in list(self._entries) if old not in self._order)]:
                shutil.rmtree(self._path / f"{gone:06}", ignore_errors=True)
                self._entries.pop(gone, None)
            return entry

    def undo(self) -> bool:
        """Go back to the state before; False where there is none."""
        return self._move(-1)

    def redo(self) -> bool:
        """Go on to the state after; False where there is none."""
        return self._move(1)

    def _move(self, by: int) -> bool:
        with self._lock:
            if not 0 <= self._at + by < len(self._order):
                return False
            self._at += by
            self._write()
            return True

    def _write(self) -> None:
        write_whole(
            self._path / "journal.json", json.dumps({"order": self._order, "at": self._at, "last": self._last}).encode()
        )

    def _read(self) -> None:
        """Take up what is there: states that are whole, in their order."""
        try:
            said = json.loads((self._path / "journal.json").read_bytes())
            order, at, self._last = [int(number) for number in said["order"]], int(said["at"]), int(said["last"])
        except (OSError, ValueError, KeyError, TypeError):
            order = sorted(int(path.name) for path in self._path.glob("0*") if path.name.isdigit())
            at, self._last = len(order), max([self._last, *order])
        for number in order:
            path = self._path / f"{number:06}"
            try:
                state = json.loads((path / "state.json").read_bytes())
                (path / POLICY).stat()
                self._entries[number] = Entry(number, path, state["table"], bool(state["dropped"]), str(state["what"]))
            except (OSError, ValueError, KeyError, TypeError):
                continue
        self._order = [number for number in order if number in self._entries]
        self._at = min(max(at, 0), len(self._order) - 1)


def _beside(folder: Path, name: str) -> Path:
    """Return where a file of that name goes; refuse one that would be elsewhere."""
    path = folder / name
    if Path(name).is_absolute() or ".." in Path(name).parts or not Path(name).parts:
        raise InputError(f"{name}: files of a policy stand beside it; give a plain name")
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path


def _link(old: Path, new: Path) -> None:
    """Let a file that does not change be in the next state too."""
    try:
        os.link(old, new)
    except OSError:
        shutil.copyfile(old, new)

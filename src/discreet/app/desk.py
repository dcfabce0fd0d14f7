"""The desk: one user's table, policy, live figures and releases. All open pages see the same one."""

from __future__ import annotations

import hashlib
import json
import threading
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discreet.app.events import EventHub
from discreet.app.folder import OpenFolder
from discreet.app.journal import Entry, Journal
from discreet.app.policy_text import Unread, data_of, dump
from discreet.app.reading import PolicyReading, files_named, read_entry
from discreet.app.sitting import Sitting
from discreet.app.work.figures import LiveFigure, LiveFigures
from discreet.app.work.jobs import KeptLedger, MadeRelease, ReleaseJobs
from discreet.app.work.kinds import KINDS
from discreet.errors import InputError
from discreet.policy import FileOptions, read_policy
from discreet.table.formats.endings import ENDINGS, ending
from discreet.table.formats.place import file_and_part

MOST_FILE = 100_000_000
"""Bytes of a file beside a policy that is taken along."""


@dataclass(frozen=True)
class TableNow:
    """The table as tasks are told of it."""

    key: tuple[str, str, str]
    said: dict[str, Any]
    rows: Path
    """The private file with its texts, of which pages are shown."""


class Desk:
    """Everything that the screens look at and change."""

    def __init__(self, sitting: Sitting) -> None:
        self.sitting = sitting
        self.folder: OpenFolder = sitting.folder
        self.hub = EventHub()
        self._lock = threading.RLock()
        self._readings: dict[int, PolicyReading] = {}
        self._sniffed: dict[tuple[str, str], dict[str, Any]] = {}
        self.journal = Journal(sitting.part("states"))
        self.figures = LiveFigures(KINDS, self, lambda name: self.hub.tell("figure", name=name))
        self.jobs = ReleaseJobs(sitting.part("releases"), self._told_of_job, self._give_way)

    @property
    def now(self) -> Entry:
        """The present state."""
        return self.journal.now

    @property
    def reading(self) -> PolicyReading:
        """The present policy, as it reads."""
        entry = self.now
        if entry.number not in self._readings:
            found = read_entry(entry, self.folder)
            self._readings = {**dict(list(self._readings.items())[-8:]), entry.number: found}
        return self._readings[entry.number]

    def figure(self, name: str) -> LiveFigure:
        """Return a live figure as it stands, and keep it current from now on."""
        return self.figures.get(name)

    # What changes the state

    def edit(self, what: str, change: Callable[[str], str]) -> None:
        """Change the policy: the one way in which anything is decided."""
        with self._lock:
            text = change(self.now.text)
            if text != self.now.text:
                self.journal.add(what, text=text)
        self.changed()

    def write(self, what: str, text: str, files: Mapping[str, bytes | None] | None = None) -> None:
        """Take another text as the policy, and other files beside it."""
        with self._lock:
            if text != self.now.text or files:
                self.journal.add(what, text=text, files=files)
        self.changed()

    def open_table(self, said: str) -> None:
        """Take a table of the folder; its policy is drafted, unless there is one."""
        table = self.folder.table(said)
        with self._lock:
            if table != self.now.table:
                self._take_table(table, dropped=False)
        self.changed()

    def take_dropped(self, path: Path) -> None:
        """Take a table that was dropped onto the page, and now is a private copy."""
        with self._lock:
            self._take_table(str(path), dropped=True)
        self.changed()

    def _take_table(self, table: str, *, dropped: bool) -> None:
        """Take another table: a policy for an earlier one does not fit it."""
        before = self.now
        text = before.text if before.table is None else ""
        gone: dict[str, bytes | None] = {} if text else dict.fromkeys(before.files)
        self.journal.add(f"Opened {Path(table).name}", text=text, files=gone, table=table, dropped=dropped)

    def take_policy(self, path: Path) -> None:
        """Take the policy in a file of the folder, with the files that it names; TOML becomes YAML."""
        file = self.folder.inside(str(path))
        read_policy(file)  # what is wrong with it is said at once
        text = file.read_bytes().decode("utf-8-sig")
        if file.suffix.lower() == ".toml":
            said = tomllib.loads(text, parse_float=str)
            text = dump(json.loads(json.dumps(said, default=str)))
        with self._lock:
            self.journal.add(f"Opened {file.name}", text=text, files=self._beside(file, text))
        self.changed()

    def _beside(self, file: Path, text: str) -> dict[str, bytes | None]:
        """Return the files that a policy names beside itself."""
        found: dict[str, bytes | None] = {}
        for _, name in files_named(data_of(text)):
            if not Path(name).is_absolute():
                path = self.folder.inside(str(file.parent / name))
                if path.is_file() and path.stat().st_size <= MOST_FILE:
                    found[name] = path.read_bytes()
        return found

    def take_draft(self, value: Mapping[str, Any]) -> None:
        """Take a drafted policy, if there is still none."""
        with self._lock:
            if not self.now.text.strip() and self.table_now() is not None:
                self.journal.add("Drafted a policy", text=value["text"], files=value["trees"])
        self.changed()

    def undo(self) -> None:
        """Go back by one step."""
        self.journal.undo()
        self.changed()

    def redo(self) -> None:
        """Go on by one step that was taken back."""
        self.journal.redo()
        self.changed()

    def changed(self) -> None:
        """Tell everybody that the state is another."""
        self.figures.refresh()
        self.hub.tell("state", number=self.now.number)

    def forget(self) -> None:
        """Erase everything of this sitting."""
        with self._lock:
            self.jobs.forget()
            self.figures.pause()
            self.sitting.forget()
            last = self.now.number
            self.journal = Journal(self.sitting.part("states"), last)
            self.sitting.part("releases")
            self._readings = {}
            self.figures.go_on()
        self.changed()

    def end(self) -> None:
        """End well."""
        self.hub.end()
        self.jobs.end()
        self.figures.end()
        self.sitting.end()

    # What figures and jobs are made from

    def table_now(self) -> TableNow | None:
        """Return the present table; None where there is none, or it is gone."""
        entry = self.now
        if entry.table is None:
            return None
        path = str(self.folder.path / entry.table)
        file, _ = file_and_part(Path(path))
        try:
            found = file.stat()
            stamp = f"{found.st_mtime_ns}-{found.st_size}"
        except OSError:
            if not any(sign in path for sign in "*?["):
                return None
            stamp = ""
        found_out = self._sniffed.get((path, stamp), {})
        options = {name: said for name, said in self.file_options().items() if found_out.get(name) != said}
        key = path, stamp, json.dumps(options, sort_keys=True)
        name = hashlib.sha256(str(key).encode()).hexdigest()[:16]
        rows = self.sitting.path / "rows" / f"{name}.rows"
        return TableNow(key, {"table": path, "stamp": stamp, "options": options}, rows)

    def note_dialect(self, table: TableNow, value: Mapping[str, Any]) -> None:
        """Remember what was found out about a file: a policy that says the same means the same table."""
        path, stamp, options = table.key
        if options == "{}" and value["dialect"]:
            self._sniffed[path, stamp] = value["dialect"]

    def file_options(self) -> dict[str, Any]:
        """Return how the text of the table is written, as the policy says."""
        policy = self.reading.policy
        if policy is not None:
            return policy.file.model_dump(exclude_defaults=True)
        try:
            said = data_of(self.now.text).get("file") or {}
            return FileOptions(**said).model_dump(exclude_defaults=True)
        except (Unread, ValueError, TypeError):
            return {}

    def known(self) -> tuple[str, ...] | None:
        """Return the columns that others may know, by the promises; None while there is no policy in order."""
        policy = self.reading.policy
        if policy is None:
            return None
        return tuple(dict.fromkeys(name for _, made in policy.groups() for name in made.known))

    def coarser(self) -> tuple[str, ...]:
        """Return the columns that may be made coarser: those that others may know, but for secrets."""
        policy = self.reading.policy
        secrets = set() if policy is None else {made.sensitive for _, made in policy.groups()}
        return tuple(name for name in self.known() or () if name not in secrets)

    def policy_digest(self) -> str | None:
        """Return what tells two policies (with their files) apart; None where it is not in order."""
        if self.reading.policy is None:
            return None
        entry = self.now
        parts = [entry.text, *(f"{name} {path.stat().st_ino}" for name, path in entry.files.items())]
        return hashlib.sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()

    def begin_release(self, time_limit: float | None = None, ledger: KeptLedger | None = None) -> MadeRelease:
        """Begin to make a release of the present state."""
        entry, table, digest = self.now, self.table_now(), self.policy_digest()
        if entry.table is None or table is None:
            raise InputError("there is no table; open one first")
        if digest is None:
            raise InputError("the policy has mistakes; mend them first")
        names = names_of(entry.table)
        return self.jobs.begin(
            entry, self.folder.path, entry.table, names, str((table.key, digest)), time_limit, ledger
        )

    def is_current(self, job: MadeRelease) -> bool:
        """Whether a release was made by the policy as it stands."""
        table = self.table_now()
        return table is not None and job.digest == str((table.key, self.policy_digest()))

    def _told_of_job(self, what: str) -> None:
        self.hub.tell(what)

    def _give_way(self, busy: bool) -> None:
        """Let figures give way while a job needs the memory."""
        if busy:
            self.figures.pause()
        else:
            self.figures.go_on()


def names_of(table: str) -> dict[str, str]:
    """Return what the files of a release are called.

    >>> names_of("data/bank.csv")["release"]
    'bank-release.csv'
    """
    file, _ = file_and_part(Path(table))
    end = ending(file) if ending(file) in ENDINGS else ".csv"
    stem = file.name.removesuffix(end) if end else file.name
    return {
        "policy": f"{stem}-policy.yaml",
        "release": f"{stem}-release{end}",
        "plan": f"{stem}-plan.json",
        "manifest": f"{stem}-plan.manifest.json",
        "report": f"{stem}-report.html",
        "public_report": f"{stem}-public-report.html",
    }

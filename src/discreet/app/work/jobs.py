"""Releases in the making and made: one at a time, each in a process and a private folder of its own."""

from __future__ import annotations

import contextlib
import json
import shutil
import threading
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from discreet.app.journal import Entry
from discreet.app.sitting import write_whole
from discreet.app.work.helper import Helper
from discreet.errors import InputError

RUNNING = ("making", "attacking")
ERRANDS = {"attack": "attack:again", "ledger": "ledger:publish"}
"""What can be done to a release that is made, and the task that does it."""
DOING = {"attack": "being attacked (see Attacks)", "ledger": "being published in its ledger (see Publish)"}
MOST_RELEASES = 30
"""Releases of a sitting that are kept."""
REPORT = "thorough-report.html"
"""The owner's report of thorough attacks, private."""
CANCELLED = "cancelled; nothing was kept of it"
CUT_OFF = "the app ended before this release was done; make it again"


@dataclass(frozen=True)
class KeptLedger:
    """The ledger that a release is to be recorded in, as commands in the folder of the app name it."""

    path: str
    person: str
    new_persons: bool = False


@dataclass
class MadeRelease:
    """One release: how far it is, and where its files are."""

    number: int
    path: Path
    table: str
    names: dict[str, str]
    """The files by what they are: policy, release, plan, manifest, report, public_report."""
    state: str = "making"
    """making, attacking (the release is there and verified, its files are not), done, failed, cancelled."""
    entry: int = 0
    """The state of the journal that it was made from."""
    digest: str = ""
    """That of its policy and table."""
    begun: float = 0.0
    seconds: float = 0.0
    progress: dict[str, Any] = field(default_factory=dict)
    stopping: bool = False
    stopped: bool = False
    """Whether the search was ended before it was through."""
    failure: dict[str, Any] | None = None
    made: dict[str, Any] | None = None
    files: list[str] = field(default_factory=list)
    leaks: int | None = None
    published: list[str] = field(default_factory=list)
    where: str = ""
    """The folder that it was published to, as commands in that of the app name it."""
    limit: float | None = None
    """The seconds after which the safe result so far was to be taken."""
    ledger: KeptLedger | None = None
    recorded: str = ""
    """What the ledger takes it for: a draft, or published."""
    errand: str = ""
    """What is done to it now that it is made: `attack` (anew), `ledger` (it is published there); else nothing."""
    errand_begun: float = 0.0
    errand_failed: dict[str, Any] | None = None
    """The last errand that did not come to an end, by its name, and why; what was there before stays."""

    @property
    def is_running(self) -> bool:
        """Whether its process is at work."""
        return self.state in RUNNING

    def shown_seconds(self) -> float:
        """How long it took, or what is done to it now takes so far."""
        if self.errand:
            return time.time() - self.errand_begun
        return time.time() - self.begun if self.is_running else self.seconds

    def over(self, state: str, told: dict[str, Any]) -> None:
        """Note how what was being done to it has ended: done, failed or cancelled."""
        self.progress, self.stopping = {}, False
        if self.errand:
            self.errand_failed = {"errand": self.errand, **told} if state == "failed" else None
            self.errand = ""
            if state == "done":
                self.leaks, self.recorded = told.get("leaks", self.leaks), told.get("recorded", self.recorded)
        else:
            self.seconds, self.state = time.time() - self.begun, state
            if state == "done":
                self.files, self.leaks, self.recorded = told["files"], told["leaks"], told["recorded"]
            else:
                self.failure = told
                self._clear()
        self.keep()

    def _clear(self) -> None:
        """Take away what is left of a release that was not made."""
        self.made = None
        for path in [*self.path.iterdir(), *(self.path / "app").iterdir()]:
            if path.name not in ("app", "job.json", self.names["policy"]):
                shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)

    def keep(self) -> None:
        """Write down how it stands."""
        told = {name: value for name, value in vars(self).items() if name not in _PASSING}
        write_whole(self.path / "app" / "job.json", json.dumps(told, default=asdict).encode())

    @classmethod
    def read(cls, path: Path) -> MadeRelease:
        """Take up a release of an earlier time; one that was not done will not be."""
        said = json.loads((path / "app" / "job.json").read_bytes())
        kept = said.pop("ledger", None)
        job = cls(path=path, ledger=None if kept is None else KeptLedger(**kept), **said)
        if job.is_running:
            job.state, job.failure = "failed", {"kind": "Ended", "message": CUT_OFF, "problems": []}
        with contextlib.suppress(OSError, ValueError):
            job.made = json.loads((path / "app" / "made.json").read_bytes())
        return job


class ReleaseJobs:
    """The releases of a sitting: one of them is made, or attacked anew, at a time."""

    def __init__(self, path: Path, tell: Callable[[str], None], busy: Callable[[bool], None]) -> None:
        self._path, self._tell, self._busy = path, tell, busy
        self._lock = threading.RLock()
        self._helper: Helper | None = None
        self._jobs: dict[int, MadeRelease] = {}
        path.mkdir(mode=0o700, exist_ok=True)
        for folder in sorted(path.glob("0*")):
            with contextlib.suppress(OSError, ValueError, TypeError, KeyError):
                job = MadeRelease.read(folder)
                self._jobs[job.number] = job

    @property
    def all(self) -> list[MadeRelease]:
        """All releases, the latest first."""
        return sorted(self._jobs.values(), key=lambda job: -job.number)

    @property
    def latest(self) -> MadeRelease | None:
        """The latest release."""
        return next(iter(self.all), None)

    @property
    def running(self) -> MadeRelease | None:
        """The one in the making."""
        return next((job for job in self.all if job.is_running), None)

    @property
    def busy(self) -> MadeRelease | None:
        """The one that something is done to: it is made, attacked anew, or published in a ledger."""
        return next((job for job in self.all if job.is_running or job.errand), None)

    def get(self, number: int) -> MadeRelease:
        """Return a release by its number."""
        if number not in self._jobs:
            raise InputError("there is no such release any more")
        return self._jobs[number]

    def begin(
        self,
        entry: Entry,
        folder: Path,
        table: str,
        names: dict[str, str],
        digest: str,
        time_limit: float | None,
        ledger: KeptLedger | None = None,
    ) -> MadeRelease:
        """Begin to make a release of a state."""
        with self._lock:
            self._refuse_two()
            for old in self.all[MOST_RELEASES - 1 :]:
                shutil.rmtree(old.path, ignore_errors=True)
                del self._jobs[old.number]
            number = 1 + max(self._jobs, default=0)
            path = self._path / f"{number:06}"
            shutil.rmtree(path, ignore_errors=True)
            (path / "app").mkdir(mode=0o700, parents=True)
            path.chmod(0o700)
            write_whole(path / names["policy"], entry.policy.read_bytes())
            for name, file in entry.files.items():
                (path / name).parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                shutil.copyfile(file, path / name)
            job = MadeRelease(
                number,
                path,
                table,
                names,
                entry=entry.number,
                digest=digest,
                begun=time.time(),
                limit=time_limit,
                ledger=ledger,
            )
            job.keep()
            self._jobs[number] = job
            self._do("release:make", job, folder, time_limit=time_limit)
        self._tell("job")
        return job

    def send(self, job: MadeRelease, errand: str, folder: Path) -> None:
        """Begin to do something to a release that is made: an errand of `ERRANDS`."""
        with self._lock:
            self._refuse_two()
            if job.state != "done":
                raise InputError("this release is not done yet; wait for it")
            job.errand, job.errand_begun, job.errand_failed = errand, time.time(), None
            self._do(ERRANDS[errand], job, folder)
        self._tell("job")

    def _refuse_two(self) -> None:
        job = self.busy
        if job is not None and job.errand:
            raise InputError(f"release {job.number} is {DOING[job.errand]}; wait for it, or stop it there")
        if job is not None:
            raise InputError("a release is being made already; wait for it, stop it, or cancel it")

    def _do(self, task: str, job: MadeRelease, folder: Path, **more: Any) -> None:
        kept = None if job.ledger is None else asdict(job.ledger)
        said = {"folder": str(folder), "table": job.table, "names": job.names, "made": str(job.path), "ledger": kept}
        self._busy(True)
        helper = self._helper = Helper()
        helper.do(task, {**said, **more}, lambda kind, value: self._heard(helper, job, kind, value))

    def stop(self) -> None:
        """Take what is safe so far; while attacks are made, leave out the rest of them."""
        with self._lock:
            job = self.busy
            if job is not None and self._helper is not None:
                job.stopping = True
                self._helper.stop()
        self._tell("job")

    def cancel(self) -> None:
        """End what is being done, and keep nothing of it; what was there before stays."""
        self._end("cancelled", {"kind": "Cancelled", "message": CANCELLED, "problems": []})
        self._tell("job")

    def end(self) -> None:
        """End with the server."""
        self._end("failed", {"kind": "Ended", "message": CUT_OFF, "problems": []})

    def forget(self) -> None:
        """Know of none any more."""
        self.cancel()
        self._jobs.clear()

    def _end(self, state: str, told: dict[str, Any]) -> None:
        with self._lock:
            job, helper = self.busy, self._helper
            self._helper = None
            if helper is not None:
                helper.end()
            if job is not None:
                job.over("cancelled" if job.errand else state, told)
                self._busy(False)

    def _heard(self, helper: Helper, job: MadeRelease, kind: str, value: Any) -> None:
        with self._lock:
            if self._helper is not helper:
                return
            if kind == "progress":
                job.progress = value
            elif kind == "made":
                job.made, job.state, job.stopping, job.stopped = value, "attacking", False, value["stopped"]
                job.keep()
            else:
                self._helper = None
                helper.end()
                job.over("done" if kind == "done" else "failed", value or GONE)
                self._busy(False)
        self._tell("job" if kind != "progress" else "progress")


GONE = {
    "kind": "Ended",
    "message": "the process that was at work has ended; perhaps there was not enough memory",
    "problems": [],
}
_PASSING = ("path", "progress", "made", "errand", "stopping")
"""What is not written down of a release."""

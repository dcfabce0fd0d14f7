"""The folder of a ledger: private, versioned, one writer at a time, and never half-written.

`ledger.json` lists the releases; what each tells of everybody stands in a Parquet file of its own, under a name that is
used once and ends with the hash of what is in it: a file that was damaged, or is another one, is not read. Every change
is a new `ledger.json` that takes the name of the old one in one step: what it does not list is not there, and is swept
away later. A release that is being written is listed as pending, with its hash, before it gets its name; whoever opens
the ledger next completes it where a file with that hash is there, and drops it otherwise.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import secrets
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import polars as pl

from discreet.common.private import private_json
from discreet.errors import InputError
from discreet.ledger.entry import DRAFT, PENDING, LedgerEntry, PastRelease, entry_of
from discreet.ledger.people_file import people_bytes, read_people
from discreet.ledger.secret import HMAC, SIPHASH, LedgerSecret, new_secret, read_secret
from discreet.policy import Policy
from discreet.table.digests import digest_of

if sys.platform != "win32":
    import fcntl
else:
    import msvcrt

VERSION, READ = 4, (1, 2, 3, 4)
"""What is written, and what is read: the first version has other hashes, and names of persons as texts; the second does
not say which cells are confidential; the third has one row a person."""
INDEX, LOCK, SECRET, CHECK = "ledger.json", "lock", "secret", "check"
WARNING = "this ledger tells what was published about whom. Keep it; never publish it."
WAIT = 30.0
"""Seconds that a writer waits for another one."""


@dataclass
class LedgerFolder:
    """An open ledger, of one writer; use `opened`."""

    path: Path
    secret: LedgerSecret
    entries: tuple[LedgerEntry, ...] = ()
    dropped: tuple[str, ...] = ()
    """Releases that were pending and are nowhere: forgotten when it was opened."""
    body: dict[str, Any] = field(default_factory=dict)

    def entry(self, name: str) -> LedgerEntry:
        """Return the release of this name."""
        for entry in self.entries:
            if entry.name == name:
                return entry
        known = ", ".join(entry.name for entry in self.entries) or "none"
        raise InputError(f"{self.path}: has no release {name!r}; it has {known}")

    def past(self, *, but: str | None = None) -> list[PastRelease]:
        """Return the releases that count, in the order in which they came."""
        return [self.read(entry) for entry in self.entries if entry.counts and entry.name != but]

    def read(self, entry: LedgerEntry) -> PastRelease:
        """Return what a release tells of everybody in it."""
        try:
            people = read_people(io.BytesIO(self._whole(entry.people)))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
            raise _damaged(self.path / entry.people) from None
        policy = Policy.from_dict(dict(entry.policy))
        return PastRelease(entry.name, policy, entry.columns, people, made_here=entry.plan is not None)

    def plan_of(self, entry: LedgerEntry) -> str | None:
        """Return the private plan of a release as JSON, if it is known."""
        if entry.plan is None:
            return None
        try:
            return self._whole(entry.plan).decode("utf-8")
        except UnicodeDecodeError:
            raise _damaged(self.path / entry.plan) from None

    def _whole(self, name: str) -> bytes:
        """Return what is in a file; refuse one that is not as it was written."""
        try:
            data = (self.path / name).read_bytes()
        except OSError:
            raise _damaged(self.path / name) from None
        _, _, said = name.partition(".")[0].partition("-")
        if said and said != _hash(data):  # older ledgers do not say it
            raise _damaged(self.path / name)
        return data

    def keep(self, people: pl.DataFrame, plan: str | None) -> tuple[str, str | None]:
        """Write what a release tells, and its plan, to files of their own; return their names.

        Nobody finds them before an entry names them.
        """
        told = self._written(people_bytes(people), "parquet")
        return told, None if plan is None else self._written(plan.encode(), "plan.json")

    def _written(self, data: bytes, ending: str) -> str:
        name = f"{secrets.token_hex(8)}-{_hash(data)}.{ending}"
        _write(self.path / name, data)
        return name

    def list(self, entries: Sequence[LedgerEntry]) -> None:
        """Let the ledger have these entries: the moment in which a change is made, whole."""
        self.entries = tuple(entries)
        self.body["version"] = VERSION
        self.body["entries"] = [entry.to_dict() for entry in entries]
        self.body[CHECK] = _check(json.loads(private_json(WARNING, self.body)))  # as it will be read
        fresh = self.path / f"{INDEX}.{secrets.token_hex(4)}"
        _write(fresh, private_json(WARNING, self.body).encode())
        fresh.replace(self.path / INDEX)
        _sync(self.path)

    def put(self, entry: LedgerEntry) -> None:
        """Add an entry, or let it take the place of the one of its name."""
        if any(old.name == entry.name for old in self.entries):
            self.list([entry if old.name == entry.name else old for old in self.entries])
        else:
            self.list([*self.entries, entry])

    def drop(self, name: str) -> None:
        """Forget a release."""
        self.list([entry for entry in self.entries if entry.name != name])
        self.sweep()

    def settle(self) -> None:
        """Complete what is pending where its release is there; drop it otherwise."""
        kept: list[LedgerEntry] = []
        for entry in self.entries:
            if entry.state != PENDING:
                kept.append(entry)
            elif stands(entry):
                kept = [*(old for old in kept if old.name != entry.name), entry.becoming(DRAFT)]
            else:
                self.dropped = (*self.dropped, entry.name)
        if tuple(kept) != self.entries:
            self.list(kept)
            self.sweep()

    def sweep(self) -> None:
        """Remove files that no entry names: what a run that was killed left behind."""
        named = {INDEX, LOCK, SECRET, *(name for entry in self.entries for name in (entry.people, entry.plan) if name)}
        for path in self.path.iterdir():
            if path.name not in named and path.is_file():
                with contextlib.suppress(OSError):
                    path.unlink()

    def rekeyed(self, changed: Callable[[PastRelease], pl.DataFrame]) -> None:
        """Let persons be known by other names in all releases, drafts included; all at once."""
        entries = []
        for entry in self.entries:
            people, _ = self.keep(changed(self.read(entry)), None)
            beside = entry.beside if entry.beside is None or entry.counts else ()  # a draft started from other persons
            entries.append(replace(entry, people=people, beside=beside))
        self.list(entries)
        self.sweep()


def stands(entry: LedgerEntry) -> bool:
    """Whether the file of a release is where it was, as it was."""
    try:
        return digest_of(entry.path) == entry.sha256
    except (OSError, InputError, ValueError):
        return False


@contextlib.contextmanager
def opened(path: str | Path, secret: str | Path | None = None, *, create: bool = False) -> Iterator[LedgerFolder]:
    """Open a ledger for one writer; another one waits.

    Parameters
    ----------
    path
        Its folder.
    secret
        The file with its secret, where that does not lie in the ledger.
    create
        Whether a new ledger is made where there is none.
    """
    folder = Path(path)
    if create and not folder.exists():
        _make(folder)
    if not folder.is_dir():
        raise InputError(f"{path}: there is no such ledger; `discreet protect ... --ledger` makes one")
    if os.name == "posix" and folder.stat().st_mode & 0o077:
        raise InputError(f"{path}: others can look into this ledger; take their rights away (chmod 700)")
    with _locked(folder / LOCK, folder):
        yield _opened(folder, None if secret is None else Path(secret), create=create)


def _opened(folder: Path, secret: Path | None, *, create: bool) -> LedgerFolder:
    if not (folder / INDEX).exists():
        if not create or {path.name for path in folder.iterdir()} - {LOCK, SECRET}:
            raise InputError(f"{folder}: is no ledger: it has no {INDEX}")
        if secret is None:
            key = read_secret(folder / SECRET) if (folder / SECRET).exists() else new_secret(folder / SECRET)
        else:
            key = read_secret(secret) if secret.exists() else new_secret(secret)
        new = {"version": VERSION, "secret": key.check, "hash": SIPHASH, "entries": []}
        made = LedgerFolder(folder, key, body=new)
        made.list([])
        return made
    body = _read_index(folder / INDEX)
    kept = folder / SECRET
    if secret is None and not kept.exists():
        raise InputError(f"{folder}: its secret lies elsewhere; name the file with --secret (in Python secret=...)")
    key = read_secret(kept if secret is None else secret)
    if key.check != body.get("secret"):
        raise InputError(f"{secret or kept}: is not the secret that the persons of {folder} are known by")
    if body.setdefault("hash", HMAC) not in (SIPHASH, HMAC):
        raise InputError(f"{folder / INDEX}: knows persons in a way that this version of discreet does not know")
    key = key.hashing(body["hash"])
    try:
        entries = tuple(map(entry_of, body["entries"]))
    except (TypeError, KeyError):
        raise _damaged(folder / INDEX) from None
    found = LedgerFolder(folder, key, entries, body=body)
    found.settle()
    return found


def _read_index(path: Path) -> dict[str, Any]:
    try:
        body: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        version = body["version"]
        body.pop("private", None)
    except (OSError, ValueError, KeyError, AttributeError, RecursionError):
        raise _damaged(path) from None
    if version not in READ:
        raise InputError(f"{path}: has version {version!r}; this version of discreet reads version {VERSION}")
    if version == VERSION and body.get(CHECK) not in (None, _check(body)):
        raise _damaged(path)
    return body


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:32]


def _check(body: dict[str, Any]) -> str:
    """Return the hash of what an index says."""
    said = {name: value for name, value in body.items() if name not in (CHECK, "private")}
    return _hash(json.dumps(said, sort_keys=True).encode())


def _damaged(path: Path) -> InputError:
    return InputError(f"{path}: cannot be read, or is not as it was written; restore the ledger from a copy")


def _make(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700)
        folder.chmod(0o700)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made ({error.strerror or 'failed'})") from None


@contextlib.contextmanager
def _locked(path: Path, folder: Path) -> Iterator[None]:
    """Hold the lock of a ledger; it is given back even if this program is killed."""
    try:
        number = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise InputError(f"{folder}: cannot be opened ({error.strerror or 'failed'})") from None
    try:
        until = time.monotonic() + WAIT
        while not _lock(number):
            if time.monotonic() > until:
                raise InputError(f"{folder}: another program is using this ledger; try again when it is done")
            time.sleep(0.05)
        yield
    finally:
        os.close(number)


def _lock(number: int) -> bool:
    try:
        if sys.platform == "win32":
            msvcrt.locking(number, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def _write(path: Path, data: bytes) -> None:
    """Write a private file of a ledger, to the disk."""
    try:
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(number, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error.strerror or 'failed'}); nothing was changed") from None


def _sync(folder: Path) -> None:
    with contextlib.suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)

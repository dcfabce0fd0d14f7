"""Writing files so that nothing is ever half-written.

Every file is first written in full beside its target under a name of its own, forced to the disk, and only
then given its real name; the files of a job one right after the other, the release last. A run that fails leaves
the old files as they were, and so does one that is killed before it renames; what it leaves beside them is swept
away when the next run writes to the same place.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from discreet.errors import InputError

if sys.platform != "win32":
    import fcntl

REPLACE = "use --force (in Python force=True) to replace it"
PREFIX = ".discreet-part."
"""What the names of files begin with that are not done yet; they end as the target does."""


class Staging:
    """The files of one job; use as a context manager and call `commit` at the end."""

    def __init__(self, *, force: bool = False) -> None:
        self.force = force
        self._staged: list[tuple[Path, Path]] = []
        self._stale: list[Path] = []
        self._locks: list[int] = []

    def __enter__(self) -> Staging:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.discard()
        except KeyboardInterrupt:
            self.discard()
            raise

    def discard(self) -> None:
        """Remove what has not got its real name; may be called again."""
        for temporary, _ in self._staged:
            with contextlib.suppress(OSError):
                _remove(temporary)
        while self._locks:
            os.close(self._locks.pop())

    @contextlib.contextmanager
    def open(self, target: Path, *, private: bool = False) -> Iterator[BinaryIO]:
        """Open a file that will become `target`; a private one is readable by its owner only."""
        refuse_unwritable(target, force=self.force)
        _sweep(target)
        temporary = target.with_name(f"{PREFIX}{os.getpid()}.{secrets.token_hex(4)}.{target.name}")
        self._staged.append((temporary, target))  # before it exists: an interrupt may come at any moment
        try:
            number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
            self._locks.append(os.dup(number))
            lock(number)  # held until the end of this job, and given back even if it is killed
            with os.fdopen(number, "wb") as file:
                yield file
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise InputError(
                f"{target}: cannot be written ({error.strerror or 'failed'}); nothing was changed"
            ) from None

    @contextlib.contextmanager
    def folder(self, target: Path) -> Iterator[Path]:
        """Make a folder that will become `target`; what is put into it is forced to the disk."""
        refuse_unwritable(target, force=self.force)
        _sweep(target)
        temporary = target.with_name(f"{PREFIX}{os.getpid()}.{secrets.token_hex(4)}.{target.name}")
        self._staged.append((temporary, target))
        try:
            temporary.mkdir()
            number = os.open(temporary, os.O_RDONLY)
            self._locks.append(number)
            lock(number)
            yield temporary
            for file in sorted(temporary.iterdir()):
                _sync(file)
            _sync(temporary)
        except OSError as error:
            raise InputError(
                f"{target}: cannot be written ({error.strerror or 'failed'}); nothing was changed"
            ) from None

    def remove(self, target: Path) -> None:
        """Let `commit` remove a file that does not belong beside the new ones."""
        refuse_unwritable(target, force=self.force)
        self._stale.append(target)

    def staged(self, target: Path) -> Path:
        """Return where the content of `target` stands until `commit`."""
        return next(temporary for temporary, real in self._staged if real == target)

    def commit(self, *, last: Path) -> None:
        """Give all files their real names; `last` (the release) when all others have theirs."""
        self._staged.sort(key=lambda files: files[1] == last)
        with _uninterrupted():
            self._rename_all()

    def _rename_all(self) -> None:
        named: list[Path] = []
        try:
            for temporary, target in self._staged:
                if self.force:
                    temporary.replace(target)
                else:
                    _rename_unless_there(temporary, target)
                    named.append(target)
                with contextlib.suppress(OSError):  # not every system can sync a folder
                    _sync(target.parent)
            for target in self._stale:
                target.unlink(missing_ok=True)
        except (OSError, InputError) as error:
            for target in named:  # none of them was there before
                _remove(target)
            if isinstance(error, InputError):
                raise
            raise InputError(f"{target}: cannot be written ({error.strerror or 'failed'})") from None
        self._staged.clear()


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C and a polite kill wait until the names have changed.

    By handlers, not by masks: a signal may reach the program through a thread of a library.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are heard in the main thread only
        return
    heard: list[int] = []
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in before:
        signal.signal(number, lambda which, _: heard.append(which))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if heard:
        signal.raise_signal(heard[0])


def refuse_unwritable(target: Path, *, force: bool) -> None:
    """Say early what would make writing `target` fail."""
    try:
        if target.is_dir():
            raise InputError(f"{target}: is a folder; give the name of a file")
        if target.exists() and not target.is_file():
            raise InputError(f"{target}: is a pipe or a device; give the name of a file")
        if not target.parent.is_dir():
            raise InputError(f"{target}: there is no folder {str(target.parent)!r}")
        if target.exists() and not force:
            raise InputError(f"{target}: exists already; {REPLACE}")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not the name of a file"
        raise InputError(f"{target}: cannot be written ({reason})") from None


def _rename_unless_there(temporary: Path, target: Path) -> None:
    """Rename without ever replacing a file that has appeared meanwhile."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        raise InputError(f"{target}: exists already; {REPLACE}") from None
    except OSError:  # a file system without links
        if target.exists():
            raise InputError(f"{target}: exists already; {REPLACE}") from None
        temporary.replace(target)
    else:
        temporary.unlink()


def _sweep(target: Path) -> None:
    """Remove what killed runs left beside `target`; the files of living ones are locked and stay."""
    for stray in target.parent.glob(f"{PREFIX}*.{escaped(target.name)}"):
        with contextlib.suppress(OSError):
            number = os.open(stray, os.O_RDONLY if stray.is_dir() else os.O_RDWR)
            try:
                if lock(number):
                    _remove(stray)
            finally:
                os.close(number)


def lock(number: int) -> bool:
    """Take the lock of an open file; say whether it was to be had."""
    if sys.platform == "win32":
        return False  # nothing is swept there
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def escaped(name: str) -> str:
    """Return a name as a pattern that means this name only."""
    return "".join(f"[{letter}]" if letter in "*?[" else letter for letter in name)


def _sync(path: Path) -> None:
    """Force a file or the names in a folder to the disk."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _remove(path: Path) -> None:
    """Remove a file, or a folder with all that is in it."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()

"""Writing files so that nothing is ever half-written.

Every file is first written in full beside its target under a name of its own, forced to the disk (by a thread, while
it is read back), and only then given its real name; the files of a job one right after the other, the release last.
The old files are kept beside them until all new ones have their names: a run that fails leaves the old files as they
were, and so does one that is killed before it renames; what it leaves beside them is swept away when the next run
writes to the same place.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO

from discreet.errors import InputError

if sys.platform != "win32":
    import fcntl

REPLACE = "use --force (in Python force=True) to replace it"
PREFIX = ".discreet-part."
"""What the names of files begin with that are not done yet, or are kept for a moment; they end as the target does."""
Listener = Callable[[Sequence[Any]], object]
_LISTENER: ContextVar[Listener | None] = ContextVar("listener", default=None)


@contextlib.contextmanager
def telling(listener: Listener) -> Iterator[None]:
    """Let a listener hear of files in the very moment when all of a job have their names, before any interrupt."""
    before = _LISTENER.set(listener)
    try:
        yield
    finally:
        _LISTENER.reset(before)


_POLITE = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]


class Staging:
    """The files of one job; use as a context manager and call `commit` at the end."""

    def __init__(self, *, force: bool = False) -> None:
        self.force = force
        self._staged: list[tuple[Path, Path]] = []
        self._stale: list[Path] = []
        self._over: list[Path] = []
        self._locks: list[int] = []
        self._forced: list[tuple[Path, _Forced]] = []

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
        """Remove what has not got its real name, and what has been replaced; may be called again."""
        for path in [*(temporary for temporary, _ in self._staged), *self._over]:
            with contextlib.suppress(OSError):
                _remove(path)
        while self._locks:
            os.close(self._locks.pop())

    @contextlib.contextmanager
    def open(self, target: Path, *, private: bool = False) -> Iterator[BinaryIO]:
        """Open a file that will become `target`; a private one is readable by its owner only."""
        refuse_unwritable(target, force=self.force)
        _sweep(target)
        temporary = _hidden(target)
        self._staged.append((temporary, target))  # before it exists: an interrupt may come at any moment
        try:
            number = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666)
            self._locks.append(os.dup(number))
            lock(number)  # held until the end of this job, and given back even if it is killed
            with os.fdopen(number, "wb") as file:
                yield file
                file.flush()
                self._forced.append((target, _Forced(file.fileno())))
        except OSError as error:
            raise InputError(
                f"{target}: cannot be written ({error.strerror or 'failed'}); nothing was changed"
            ) from None

    @contextlib.contextmanager
    def folder(self, target: Path) -> Iterator[Path]:
        """Make a folder that will become `target`; what is put into it is forced to the disk."""
        refuse_unwritable(target, force=self.force)
        _sweep(target)
        temporary = _hidden(target)
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

    def commit(
        self, *, last: Path | None = None, then: Callable[[], None] | None = None, told: Sequence[object] = ()
    ) -> None:
        """Give all files their real names, or none; `last` (the release) when all others have theirs.

        `then` is done when all have theirs; if it fails, none has. `told` is what listeners hear of beside the files.
        An interrupt waits until that is done and whoever listens (`telling`) has heard of it.
        """
        for target, forced in self._forced:
            try:
                forced.wait()
            except OSError as error:
                reason = f"{target}: cannot be written ({error.strerror or 'failed'}); nothing was changed"
                raise InputError(reason) from None
        self._staged.sort(key=lambda files: files[1] == last)
        with _uninterrupted():
            self._rename_all(then)
            self.discard()
            if (listener := _LISTENER.get()) is not None:
                listener([*(target for _, target in self._staged), *told])

    def _rename_all(self, then: Callable[[], None] | None) -> None:
        changed: list[_NameChange] = []
        at: object = "standard output"
        try:
            for temporary, target in self._staged:
                at = target
                self._rename(temporary, target, changed)
            for target in self._stale:
                at = target
                if (old := self._kept(target)) is not None:
                    changed.append(_NameChange(target, old))
                    target.unlink()
            if then is not None:
                at = "standard output"
                then()
        except BaseException as error:
            left = [found for found in reversed(changed) if not found.taken_back()]
            if isinstance(error, OSError):
                reason = f"{at}: cannot be written ({error.strerror or 'failed'})"
                raise InputError(f"{reason}; {_which(left)}") from None
            if isinstance(error, InputError) and left:
                raise InputError(f"{error}; {_which(left)}") from None
            raise
        for folder in {found.target.parent for found in changed}:
            with contextlib.suppress(OSError):  # not every system can sync a folder
                _sync(folder)
        self._over = [found.old for found in changed if found.old is not None]

    def _rename(self, temporary: Path, target: Path, changed: list[_NameChange]) -> None:
        """Give a file its name and note how to take that back."""
        if not self.force:
            _rename_unless_there(temporary, target)
            changed.append(_NameChange(target, None))
        elif (old := self._kept(target)) is not None:
            changed.append(_NameChange(target, old))
            temporary.replace(target)
        else:
            temporary.replace(target)
            changed.append(_NameChange(target, None))

    def _kept(self, target: Path) -> Path | None:
        """Keep the file that has the name of `target` under another name, too; None where there is none."""
        if not os.path.lexists(target):
            return None
        old = _hidden(target)
        try:
            os.link(target, old, follow_symlinks=False)
        except OSError:  # a file system without links, or a file of somebody else
            _copy(target, old)
        with contextlib.suppress(OSError):  # what nobody can open is not swept by another run either
            number = os.open(old, os.O_RDONLY)
            self._locks.append(number)
            lock(number)
        return old


class _Forced:
    """An open file that is being forced to the disk, while others go on; it may be closed meanwhile."""

    def __init__(self, number: int) -> None:
        self._number = os.dup(number)
        self._error: OSError | None = None
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        try:
            os.fsync(self._number)
        except OSError as error:
            self._error = error
        finally:
            os.close(self._number)

    def wait(self) -> None:
        """Wait until the file is on the disk; raise what went wrong."""
        self._thread.join()
        if self._error is not None:
            raise self._error


@dataclass(frozen=True)
class _NameChange:
    """A name that means another file now, or none any more; `old` is the file that it meant before, if any."""

    target: Path
    old: Path | None

    def taken_back(self) -> bool:
        """Let the name mean what it did before; say whether that was possible."""
        try:
            if self.old is None:
                _remove(self.target)
            else:
                self.old.replace(self.target)
                self.old.unlink(missing_ok=True)  # where both were the same file still, nothing was renamed
        except OSError:
            return False
        return True


def _which(left: Sequence[_NameChange]) -> str:
    """Say which files are new ones although the others are not."""
    if not left:
        return "nothing was changed"
    told = [
        f"{found.target} is the new one" + ("" if found.old is None else f" (the old one is {found.old}: rename it)")
        for found in left
    ]
    return f"and not all could be taken back: {', '.join(told)}; all others are as they were"


@contextlib.contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let Ctrl-C and a polite kill wait until the names have changed.

    By handlers, not by masks: a signal may reach the program through a thread of a library.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are heard in the main thread only
        return
    heard: list[int] = []
    with contextlib.ExitStack() as stack:
        for number in _POLITE:
            if (handler := signal.getsignal(number)) is not None:  # None: not one of Python's
                stack.callback(signal.signal, number, handler)
                signal.signal(number, lambda which, _: heard.append(which))
        yield
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
        with contextlib.suppress(OSError):  # `discard` tries again
            temporary.unlink()


def _hidden(target: Path) -> Path:
    """Return a name beside `target` that nobody uses, by which `_sweep` finds it."""
    return target.with_name(f"{PREFIX}{os.getpid()}.{secrets.token_hex(4)}.{target.name}")


def _copy(path: Path, to: Path) -> None:
    """Copy a file with its permissions; nobody else can read the copy meanwhile."""
    try:
        with path.open("rb") as file, os.fdopen(os.open(to, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as copy:
            shutil.copyfileobj(file, copy)
        shutil.copystat(path, to)
    except OSError:
        with contextlib.suppress(OSError):
            to.unlink()
        raise


def _sweep(target: Path) -> None:
    """Remove what killed runs left beside `target`; the files of living ones are locked and stay."""
    for stray in target.parent.glob(f"{PREFIX}*.{escaped(target.name)}"):
        with contextlib.suppress(OSError):
            number = _opened(stray)
            try:
                if lock(number):
                    _remove(stray)
            finally:
                os.close(number)


def _opened(stray: Path) -> int:
    """Open a file, or a folder, for its lock; to write where that is allowed, for some systems want that."""
    with contextlib.suppress(PermissionError, IsADirectoryError):
        return os.open(stray, os.O_RDWR)
    return os.open(stray, os.O_RDONLY)


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

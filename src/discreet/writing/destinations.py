"""Where a release goes: a file of its own, standard output, or a new table of a database.

Whatever it is, the release is first written whole where nobody else sees it, then read back from there and compared,
and handed out in the very moment when the files beside it get their names.
"""

from __future__ import annotations

import contextlib
import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from discreet.common.staging import Staging
from discreet.errors import InputError
from discreet.table.digests import digest, digest_of
from discreet.table.engine import Engine
from discreet.table.formats.base import NewTable
from discreet.table.formats.known import FORMATS, other_ways, written_parts
from discreet.table.formats.place import Address, Place, is_standard
from discreet.table.local import LocalEngine
from discreet.table.source import reopened
from discreet.table.stores.scratch import Scratch
from discreet.writing.originals import refuse_original

if TYPE_CHECKING:
    from discreet.release import Release
    from discreet.table.stores.engine import BigEngine


class Destination(ABC):
    """Where one release goes."""

    hand_out: Callable[[], None] | None = None
    """What is done once all files have their names, and takes these back if it fails; None where nothing is."""

    def __init__(self, place: Place) -> None:
        self.place = place

    @abstractmethod
    def stage(self, release: Release, staging: Staging) -> None:
        """Write the release where nobody sees it yet, and refuse one that would not be read back as it is."""

    @property
    @abstractmethod
    def sha256(self) -> str:
        """The hash of what was staged."""

    @property
    @abstractmethod
    def file(self) -> Path | None:
        """The file whose name is given last, if the release is one."""

    def _refuse_other(self, release: Release, written: Path) -> None:
        """Refuse what would be read as another table than the one that was verified."""
        if not release.published.reads_back(written, release.plan.policy, reopened):
            raise InputError(
                f"{self.place}: the release would not be read back as it is; "
                f"{other_ways(release.published.form.format_for(self.place))}"
            )


class FileDestination(Destination):
    """A file of its own, or a folder of such."""

    def __init__(self, place: Path) -> None:
        super().__init__(place)
        self._file, self.part = written_parts(place)
        self._staged: Path | None = None

    @property
    def file(self) -> Path:
        """The file."""
        return self._file

    def stage(self, release: Release, staging: Staging) -> None:
        """Write the file beside its target, and read it back."""
        refuse_original(self.file, release.source.form.place)
        refuse_beside = release.published.form.format_for(self.place).refuse_beside
        refuse_beside(self.file)
        if _in_a_folder(release.published, self.file):
            with staging.folder(self.file) as folder:
                release.published.write_folder(folder)
        else:
            with staging.open(self.file) as file:
                release.published.write(file, self.place)
        self._staged = staging.staged(self.file)
        self._refuse_other(release, self._staged if self.part is None else Path(f"{self._staged}#{self.part}"))
        self.hand_out = lambda: refuse_beside(self.file)

    @property
    def sha256(self) -> str:
        """The hash of the file."""
        assert self._staged is not None
        return digest_of(self._staged)


class _Elsewhere(Destination):
    """Where there is no file to be renamed: the release waits in a private one."""

    def __init__(self, place: Place) -> None:
        super().__init__(place)
        self.scratch = Scratch()
        self.staged = self.scratch.new("")

    @property
    def file(self) -> None:
        """None."""
        return

    @property
    def sha256(self) -> str:
        """The hash of what waits."""
        return digest(self.staged)

    def _write(self, release: Release) -> None:
        chosen = release.published.form.format_for(self.place)
        self.staged = self.scratch.new(chosen.advised[0] if chosen.advised else "")
        try:
            with self.staged.open("xb") as file:
                release.published.write(file, self.place)
        except OSError as error:
            raise InputError(f"{self.place}: cannot be written ({error.strerror or 'failed'})") from None


class StandardOutput(_Elsewhere):
    """Standard output: nothing of the release goes there before all of it was read back."""

    def stage(self, release: Release, staging: Staging) -> None:  # noqa: ARG002
        """Write the release to a private file, and read it back."""
        chosen = release.published.form.format_for(self.place)
        if sys.stdout.isatty() and not chosen.is_text:
            raise InputError(f"-: {chosen.name} is not for a terminal; send it to a file or a program")
        self._write(release)
        self._refuse_other(release, self.staged)
        self.hand_out = self._print

    def _print(self) -> None:
        sys.stdout.flush()
        with self.staged.open("rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer, 1 << 20)
        sys.stdout.buffer.flush()


class DatabaseTable(_Elsewhere):
    """A new table of a database: made and read back in a transaction, which is what hands it out."""

    def __init__(self, place: Place, *, force: bool) -> None:
        super().__init__(place)
        self.force = force
        self.table: NewTable | None = None

    def stage(self, release: Release, staging: Staging) -> None:  # noqa: ARG002
        """Write the release into a transaction, and read it back there."""
        self._write(release)
        chosen = release.published.form.format_for(self.place)
        self.table = chosen.new_table(self.place, force=self.force, source=release.source.form.place)
        self.table.fill(self.staged)
        found = self.scratch.new()
        self.table.fetch(found)
        self._refuse_other(release, found)
        self.hand_out = self.table.commit

    def close(self) -> None:
        """Give the transaction up, unless it has ended."""
        if self.table is not None:
            self.table.close()


def _in_a_folder(engine: Engine, out: Path) -> TypeGuard[BigEngine]:
    """Whether an engine writes a folder of files."""
    if isinstance(engine, LocalEngine):  # the usual one; the others are not loaded for it
        return False
    from discreet.table.stores.engine import BigEngine

    return isinstance(engine, BigEngine) and engine.writes_folder(out)


@contextlib.contextmanager
def destination(place: Place, *, force: bool) -> Iterator[Destination]:
    """Yield where a release goes."""
    if is_standard(place):
        yield StandardOutput(place)
        return
    if joins(place):
        with contextlib.closing(DatabaseTable(place, force=force)) as table:
            yield table
        return
    assert isinstance(place, Path)
    yield FileDestination(place)


def joins(place: Place) -> bool:
    """Whether a release becomes a table of a database that is there already."""
    return isinstance(place, Address) or any(one.joins(place) for one in FORMATS)

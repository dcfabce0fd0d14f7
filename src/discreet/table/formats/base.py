"""What every format of files answers for itself: which files are such, how tables are read from and written to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, ClassVar

import polars as pl

from discreet.errors import InputError
from discreet.policy import FileOptions, Policy
from discreet.table.formats.dialect import Dialect
from discreet.table.formats.packing import packing_for
from discreet.table.formats.place import Address, Place
from discreet.table.memory import TableSize

CELL = 8
"""Bytes that a cell takes in a file of which nothing more is known."""


@dataclass(frozen=True)
class Reading:
    """What is known of a file before it is read.

    Parameters
    ----------
    options
        What the policy says about text files.
    left_out
        Columns of the original that a release does not have: they take no place among names that the file does not say.
    """

    options: FileOptions
    left_out: tuple[str, ...] = ()

    @classmethod
    def of_release(cls, policy: Policy) -> Reading:
        """Return what is known of a released file: it starts at once, and has no identifiers."""
        return cls(policy.file.model_copy(update={"skip": 0}), policy.identifiers)


@dataclass(frozen=True)
class Writing:
    """How a file should be written: under which name, and like which text file, if the table came from one."""

    path: Path
    options: FileOptions
    dialect: Dialect | None = None
    different: Mapping[str, Sequence[str | None]] = field(default_factory=dict)
    """The different texts of columns of which they are known."""


class NewTable(ABC):
    """A new table of a database, in a transaction: nobody else sees it before `commit`."""

    @abstractmethod
    def fill(self, staged: Path) -> None:
        """Make the table of what the format has written to a file."""

    @abstractmethod
    def fetch(self, target: Path) -> None:
        """Write what stands in the table now to a Parquet file."""

    @abstractmethod
    def commit(self) -> None:
        """Let everybody see the table."""

    @abstractmethod
    def close(self) -> None:
        """Leave the database as it was, unless `commit` was called before."""


class TableFormat(ABC):
    """A format of files that hold tables."""

    name: ClassVar[str]
    """What people call it."""
    suffixes: ClassVar[tuple[str, ...]]
    """What names of its files end in, in small letters."""
    schemes: ClassVar[tuple[str, ...]] = ()
    """How addresses of such tables begin."""
    advised: ClassVar[tuple[str, ...]]
    """Those of them that people are told of."""
    options: ClassVar[tuple[str, ...]] = ()
    """The fields of `file` that say how it is written."""
    is_text: ClassVar[bool] = False
    """Whether every cell is a text; else cells keep their types."""
    may_be_packed: ClassVar[bool] = False
    """Whether it is packed where the name ends in .gz or the like."""
    has_parts: ClassVar[bool] = False
    """Whether a file may hold several tables, each by its name: `FILE#NAME`."""
    is_written: ClassVar[bool] = True
    """Whether releases are written in it."""
    goes_on: ClassVar[bool] = True
    """Whether a release of such a table is written in it, too, where its name says nothing."""
    takes_formulas: ClassVar[bool] = True
    """Whether texts in it may be taken for formulas, if every cell is a text."""
    held_by_stores: ClassVar[bool] = False
    """Whether engines for large tables hold them in such files."""
    takes_the_rest: ClassVar[bool] = False
    """Whether files that no other format knows are taken for such."""

    @abstractmethod
    def files(self, table: Path) -> list[Path] | None:
        """Return the files that hold a table in this format, by what they hold; None where it is none."""

    def arrived(self, address: Address) -> list[Path]:
        """Return private files that hold the table at an address, fetched when they are asked for the first time."""
        raise NotImplementedError

    @property
    def escapes(self) -> bool:
        """Whether formulas are escaped in it, where the policy asks for that."""
        return self.is_text and self.takes_formulas

    @abstractmethod
    def read(self, table: Place, files: Sequence[Path], reading: Reading) -> tuple[pl.DataFrame, Dialect | None]:
        """Return the table in such files, and how it is written if that is a text file.

        `table` is what was asked for: it names the part of a file that is meant, and is named in messages.
        """

    def is_read_as(self, files: Sequence[Path], reading: Reading, table: pl.DataFrame) -> bool | None:  # noqa: ARG002
        """Whether a released file is read as this very table of texts; None where it is not read in parts."""
        return None

    def to_parquet(self, table: Place, files: Sequence[Path], target: Path, reading: Reading) -> Dialect | None:
        """Make a Parquet file of the table, for engines that hold large tables; return how it is written."""
        frame, dialect = self.read(table, files, reading)
        frame.write_parquet(target)
        return dialect

    @abstractmethod
    def write(self, columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, how: Writing) -> None:
        """Write a table that comes in parts."""

    def joins(self, place: Path) -> bool:  # noqa: ARG002
        """Whether a release of this name becomes a table of a database that is there already."""
        return False

    def new_table(self, place: Place, *, force: bool, source: Place | None) -> NewTable:
        """Begin a new table of a database; one of this name is replaced if `force`, but never the `source`."""
        raise NotImplementedError

    def refuse_beside(self, file: Path) -> None:  # noqa: B027 - few formats have such
        """Refuse to write a new file beside others that would change what is read from it."""

    def refuse_taken(self, place: Place, inputs: Sequence[Place], *, force: bool) -> None:  # noqa: B027 - few formats have such
        """Refuse at once the name of a table that could not be made at the end, or that is one of the inputs."""

    def size(self, path: Path, options: FileOptions) -> TableSize:  # noqa: ARG002
        """Return how much one of its files holds, by a look at it."""
        size = path.stat().st_size
        return TableSize(size, size // CELL, 1, 0)

    def refuse_name(self, path: Path) -> None:
        """Refuse a name under which such a file is not written."""
        if (packing := packing_for(path)) is not None and not self.may_be_packed:
            raise InputError(f"{path}: a {self.name} file is packed already; leave out {packing.suffix}")
        if not self.is_written:
            raise InputError(f"{path}: {self.name} files are read, but not written; choose another ending")

"""What every format of files answers for itself: which files are such, how tables are read from and written to them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, ClassVar

import polars as pl

from discreet.errors import InputError
from discreet.policy import FileOptions
from discreet.table.formats.dialect import Dialect
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


@dataclass(frozen=True)
class Writing:
    """How a file should be written: under which name, and like which text file, if the table came from one."""

    path: Path
    options: FileOptions
    dialect: Dialect | None = None


class TableFormat(ABC):
    """A format of files that hold tables."""

    name: ClassVar[str]
    """What people call it."""
    suffixes: ClassVar[tuple[str, ...]]
    """What names of its files end in, in small letters."""
    advised: ClassVar[tuple[str, ...]]
    """Those of them that people are told of."""
    options: ClassVar[tuple[str, ...]] = ()
    """The fields of `file` that say how it is written."""
    is_text: ClassVar[bool] = False
    """Whether every cell is a text; else cells keep their types."""
    may_be_packed: ClassVar[bool] = False
    """Whether it is packed where the name ends in .gz."""
    held_by_stores: ClassVar[bool] = False
    """Whether engines for large tables hold them in such files."""
    takes_the_rest: ClassVar[bool] = False
    """Whether files that no other format knows are taken for such."""

    @abstractmethod
    def files(self, table: Path) -> list[Path] | None:
        """Return the files that hold a table in this format, by what they hold; None where it is none."""

    @abstractmethod
    def read(self, table: Path, files: Sequence[Path], reading: Reading) -> tuple[pl.DataFrame, Dialect | None]:
        """Return the table in such files, and how it is written if that is a text file."""

    def to_parquet(self, table: Path, files: Sequence[Path], target: Path, reading: Reading) -> Dialect | None:
        """Make a Parquet file of the table, for engines that hold large tables; return how it is written."""
        frame, dialect = self.read(table, files, reading)
        frame.write_parquet(target)
        return dialect

    @abstractmethod
    def write(self, columns: Sequence[str], parts: Iterable[pl.DataFrame], target: BinaryIO, how: Writing) -> None:
        """Write a table that comes in parts."""

    def size(self, path: Path, options: FileOptions) -> TableSize:  # noqa: ARG002
        """Return how much one of its files holds, by a look at it."""
        size = path.stat().st_size
        return TableSize(size, size // CELL, 1, 0)

    def refuse_name(self, path: Path) -> None:
        """Refuse a name under which such a file is not written."""
        if path.suffix.lower() == ".gz" and not self.may_be_packed:
            raise InputError(f"{path}: a {self.name} file is packed already; leave out .gz")

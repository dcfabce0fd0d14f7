"""How much memory a table needs, before it is read; and how much there is."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from discreet.errors import InputError
from discreet.table.by_name import nameless
from discreet.table.formats.dialect import CANDIDATES
from discreet.table.formats.packing import packed_as, start_of
from discreet.table.machine import NO_LIMIT, SHARE, machine

LEAST = 256 << 20
"""Less than this is no limit that anything could keep."""
PROCESS = 250 << 20
"""What the program takes without a table."""
CELL = 60
"""Bytes that a cell takes on the local engine, while a release is made, written and read back."""
SHORT, LONG = 12, 5
"""Texts of more bytes than these are held beside their cells, so many times."""
FLOAT = 18
"""Bytes of the text of a number with places."""
SINGLE = 40
"""Bytes that a cell takes besides, where confidential cells are protected."""
SAMPLE, SAMPLED_ROWS = 1 << 20, 10_000
"""How much of a file is looked at, in bytes of a text file or rows of a Parquet file."""
MOST_COMBINATIONS, MOST_CELLS, LEAST_FETCHED = 20_000_000, 400_000_000, 100_000
"""However much memory there is, no more is fetched from a large engine; and as little always may be."""
COMBINATION = 150
"""Bytes that a combination takes while a plan is found and verified (measured with nine columns)."""
FETCHED = 32
"""Bytes that a fetched cell takes while confidential cells are protected and verified (measured likewise)."""
UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?\s*", re.IGNORECASE)


def parse_size(text: str | int) -> int:
    """Return a number of bytes, written as `2GB`, `500 MB` or a plain number.

    >>> parse_size("2GB") == 2 * 1024**3
    True
    """
    found = _SIZE.fullmatch(str(text))
    if found is None:
        raise InputError(f"memory limit: {str(text)!r} is no size; write it as 2GB or 500MB")
    size = int(float(found[1]) * UNITS[found[2].upper()])
    if size < LEAST:
        raise InputError(f"memory limit: {text} is too little for any table; give at least 256MB")
    return size


def limit_of(said: str | int | None) -> int:
    """Return how much memory a job may take."""
    if said == NO_LIMIT:
        return NO_LIMIT
    return parse_size(said) if said is not None else int(SHARE * machine())


@dataclass(frozen=True)
class FetchLimits:
    """How much may be fetched from a large engine, by the memory that is left for it.

    Parameters
    ----------
    memory
        What the whole job may take.
    share
        The part of it that is not for the engine itself.
    """

    memory: int = NO_LIMIT
    share: float = 1.0

    @property
    def combinations(self) -> int:
        """How many different combinations the planner may get."""
        return min(MOST_COMBINATIONS, max(self._left // COMBINATION, LEAST_FETCHED))

    @property
    def cells(self) -> int:
        """How many cells may be fetched row by row, for all that is done with them."""
        return min(MOST_CELLS, max(self._left // FETCHED, LEAST_FETCHED))

    @property
    def _left(self) -> int:
        return int(self.share * self.memory) - PROCESS if self.memory < NO_LIMIT else NO_LIMIT

    def why(self, most: int) -> str:
        """Say where a limit comes from, and what to do, before other advice."""
        if most in (MOST_COMBINATIONS, MOST_CELLS):
            return "the most that is ever fetched; "
        fits = f"what fits into the memory limit of {shown(self.memory)}"
        return f"{fits}; give more with --memory-limit (in Python memory_limit), "

    def refuse_rows(self, name: str, columns: int, rows: int) -> None:
        """Refuse to fetch so many columns of a table row by row, where they are too many."""
        most = self.cells
        if columns * rows > most:
            raise InputError(
                f"{name}: this needs single rows, and {columns} columns of {rows:,} rows (about "
                f"{shown(PROCESS + FETCHED * columns * rows)}) are more than {most:,} cells, "
                f"{self.why(most)}name fewer columns, or take a sample of the table"
            )


@dataclass(frozen=True)
class TableSize:
    """What a sample says of a file: cells, and bytes of texts that are too long to stand in their cells."""

    size: int
    """Of the file, in bytes."""
    rows: int
    columns: int
    long: int

    def needed(self, *, single: bool) -> int:
        """Return how much memory it takes to protect the table; `single`: with confidential cells."""
        cells = self.rows * self.columns
        return self.size + cells * (CELL + (SINGLE if single else 0)) + LONG * self.long


def needed(paths: Sequence[Path], size: Callable[[Path], TableSize], *, single: bool = False) -> int:
    """Return about how much memory it takes to protect the table in some files, all of it in memory.

    An upper bound, mostly by less than half, of what was measured. A policy that counts with columns of which nearly
    every row has another value takes more. `size` looks at a file; `single`: with confidential cells.
    """
    total = PROCESS
    for path in paths:
        if not path.is_file():
            return 0  # what is no file is read once: nothing of it may be taken for a sample
        try:
            table = size(path)
        except (Exception, pl.exceptions.PanicException):
            return 0  # reading it says what is wrong
        total += table.needed(single=single)
    return total


def size_of_parquet(path: Path) -> TableSize:
    """Return how much a Parquet file holds, by what it says of itself and its first rows."""
    return size_of_frame(path, pl.scan_parquet(path, glob=False))


def size_of_frame(path: Path, frame: pl.LazyFrame) -> TableSize:
    """Return how much a file holds, by its rows as they are read."""
    rows = int(frame.select(pl.len()).collect().item())
    sample = frame.head(SAMPLED_ROWS).collect()
    long = 0
    for column in map(nameless, sample.iter_columns()):
        if column.dtype.is_float():
            long += FLOAT * len(column)
        elif isinstance(column.dtype, (pl.String, pl.Categorical, pl.Enum)):
            lengths = column.cast(pl.String).str.len_bytes()
            long += int(lengths.filter(lengths > SHORT).sum() or 0)
    return TableSize(path.stat().st_size, rows, sample.width, long * rows // max(len(sample), 1))


def size_of_text(path: Path, separator: str | None) -> TableSize:
    """Return how much a text file holds, by its start."""
    if packed_as(path) is not None:
        sample, size = start_of(path, SAMPLE)
    else:
        size = path.stat().st_size
        with path.open("rb") as file:
            sample = file.read(SAMPLE)
    between = [separator] if separator else CANDIDATES
    text = np.frombuffer(sample, dtype=np.uint8)
    fields = max((np.flatnonzero((text == ord(each)) | (text == ord("\n"))) for each in between), key=len)
    lengths = np.diff(fields, prepend=-1) - 1
    lines = max(int((text == ord("\n")).sum()), 1)
    times = size / max(len(sample), 1)
    columns = max(len(fields), lines) / lines
    return TableSize(
        size, int(times * lines) + 1, int(np.ceil(columns)), int(times * int(lengths[lengths > SHORT].sum()))
    )


def shown(size: int) -> str:
    """Return a number of bytes as people write it.

    >>> shown(3 << 30)
    '3.0 GB'
    """
    return f"{size / (1 << 30):.1f} GB" if size >= 1 << 30 else f"{max(size >> 20, 1)} MB"

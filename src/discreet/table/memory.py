"""How much memory a table needs, before it is read; and how much there is."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from discreet.errors import InputError

SHARE = 0.6
"""Of the machine's memory, the share that a job may take when nobody says more."""
NO_LIMIT = sys.maxsize
LEAST = 256 << 20
"""Less than this is no limit that anything could keep."""
CSV_FACTOR = 7
"""A table takes about so many times the size of its text file, while a release is made of it."""
CELL = 60
"""Bytes that a cell of a Parquet file takes about, beside its text."""
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


def machine() -> int:
    """Return the memory of the machine, or of the container it is divided into."""
    sizes = [NO_LIMIT]
    try:
        sizes.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (ValueError, OSError, AttributeError):
        return NO_LIMIT  # a system that does not say
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        try:
            said = Path(file).read_text(encoding="ascii").strip()
        except OSError:
            continue
        if said.isdigit():
            sizes.append(int(said))
    return min(sizes)


def needed(paths: Sequence[Path], *, parquet: bool) -> int:
    """Return about how much memory it takes to protect the table in some files, all of it in memory."""
    if not parquet:
        return CSV_FACTOR * sum(path.stat().st_size for path in paths)
    total = 0
    for path in paths:
        try:
            columns = len(pl.read_parquet_schema(path))
            rows = int(pl.scan_parquet(path, glob=False).select(pl.len()).collect().item())
        except (Exception, pl.exceptions.PanicException):
            return 0  # reading it says what is wrong
        total += CELL * columns * rows + path.stat().st_size
    return total


def shown(size: int) -> str:
    """Return a number of bytes as people write it.

    >>> shown(3 << 30)
    '3.0 GB'
    """
    return f"{size / (1 << 30):.1f} GB" if size >= 1 << 30 else f"{max(size >> 20, 1)} MB"

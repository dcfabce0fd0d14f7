"""What names of files end in."""

from __future__ import annotations

from pathlib import Path

from discreet.table.formats.packing import packing_for

ENDINGS = frozenset({
    ".arrow", ".csv", ".data", ".db", ".dta", ".feather", ".ipc", ".jsonl", ".ndjson", ".parquet",
    ".pq", ".sas7bdat", ".sav", ".sqlite", ".sqlite3", ".tsv", ".txt", ".xlsx", ".xpt", ".zsav",
})  # fmt: skip
"""What names of tables end in, of all formats: for those who only look at names, and load none of them."""


def ending(path: Path) -> str:
    """Return what the name ends in; .gz and other ways to pack a file left aside, unless nothing else is said.

    >>> ending(Path("release.CSV.gz")), ending(Path("release.zip"))
    ('.csv', '')
    """
    return Path(path.name if packing_for(path) is None else path.stem).suffix.lower()

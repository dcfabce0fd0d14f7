"""Tables that only DuckDB reads: relations, and tables in database files."""

from __future__ import annotations

import sys
from pathlib import Path

MAGIC = b"DUCK"


def is_relation(table: object) -> bool:
    """Whether a table is a relation of DuckDB; without importing it."""
    duckdb = sys.modules.get("duckdb")
    return duckdb is not None and isinstance(table, duckdb.DuckDBPyRelation)


def database_of(table: str) -> tuple[Path, str | None] | None:
    """Return the database file and the table in it that `FILE` or `FILE#TABLE` means; None for no database file."""
    file, _, name = table.rpartition("#")
    for path, one in ((Path(table), None), (Path(file), name)):
        try:
            if not path.is_file():  # a pipe would never end
                continue
            with path.open("rb") as opened:
                if opened.read(12)[8:] == MAGIC:
                    return path, one or None
        except (OSError, ValueError):
            continue
    return None

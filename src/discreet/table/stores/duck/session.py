"""A DuckDB of our own: it carries statements out, fetches what they give, and keeps lists that queries look into."""

from __future__ import annotations

import os
import weakref
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import count as counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from discreet.common.staging import escaped
from discreet.encoded import Ints
from discreet.errors import InputError
from discreet.table.stores.files import saying
from discreet.table.stores.packing import FEW
from discreet.table.stores.scratch import Scratch

if TYPE_CHECKING:
    import duckdb

MOST_QUERIES = 8
"""Queries of one thread each that are carried out at the same time."""
SPILL = "spill"
HASHES, FLAGS, MOST_FLAGS = 3, 256, 2**24
"""By how many hashes a text is looked for among others; flags for each of these, and how many at most."""


def require_duckdb() -> None:
    """Refuse to go on without DuckDB."""
    try:
        import duckdb  # noqa: F401
    except ImportError:
        raise InputError("this needs DuckDB; install discreet[duckdb]") from None


class Session:
    """A connection to a DuckDB of our own, in memory, that spills into the scratch folder."""

    def __init__(self, scratch: Scratch, memory: int, name: str) -> None:
        require_duckdb()
        import duckdb

        self.scratch, self.name = scratch, name
        with saying(name):
            self._connection = duckdb.connect(
                ":memory:",
                config={
                    "memory_limit": f"{max(memory >> 20, 64)}MiB",
                    "temp_directory": str(scratch.folder / SPILL),
                    "preserve_insertion_order": "true",
                    "autoinstall_known_extensions": "false",
                    "autoload_known_extensions": "false",
                },
            )
        self._numbers = counter()
        self._end = weakref.finalize(self, self._connection.close)

    def run(self, sql: str, parameters: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Carry out a statement."""
        with saying(self.name):
            return self._connection.execute(sql, list(parameters)).fetchall()

    def copy(self, select: str, cursor: duckdb.DuckDBPyConnection | None = None) -> Path:
        """Write what a query gives to a Parquet file."""
        path = self.scratch.new()
        with saying(self.name):
            where = literal(str(path))
            (cursor or self._connection).execute(f"COPY ({select}) TO {where} (FORMAT parquet, COMPRESSION zstd)")
        return path

    def fetch(self, select: str) -> pl.DataFrame:
        """Return what a query gives; by way of a file, so that nothing is held twice."""
        return self._taken(self.copy(select))

    def fetch_at_most(self, select: str, most: int) -> pl.DataFrame | None:
        """Return what a query gives; None where that is more than so many rows."""
        path = self.copy(select)
        with saying(self.name):
            rows = pl.scan_parquet(path, glob=False).select(pl.len()).collect().item()
        if rows > most:
            path.unlink(missing_ok=True)
            return None
        return self._taken(path)

    def _taken(self, path: Path) -> pl.DataFrame:
        try:
            with saying(self.name):
                return pl.read_parquet(path, glob=False, memory_map=False)
        finally:
            path.unlink(missing_ok=True)

    def fetch_all(self, selects: Sequence[str]) -> list[pl.DataFrame]:
        """Return what some queries give that need one thread each: several at a time."""
        cursors = [self._connection.cursor() for _ in selects]

        def fetched(place: int) -> pl.DataFrame:
            with cursors[place] as cursor:
                return self._taken(self.copy(selects[place], cursor))

        with ThreadPoolExecutor(max_workers=max(min(os.cpu_count() or 1, MOST_QUERIES), 1)) as pool:
            return list(pool.map(fetched, range(len(selects))))

    def fresh(self, what: str) -> str:
        """Return a name that was not used before."""
        return f"{what}{next(self._numbers)}"

    def enum(self, values: pl.Series) -> str:
        """Make a type of some texts, in order."""
        name, path = self.fresh("type"), self.scratch.new()
        with saying(self.name):
            pl.DataFrame({"value": values.cast(pl.String), "place": range(len(values))}).write_parquet(path)
        self.run(
            f"CREATE TYPE {name} AS ENUM (SELECT value FROM read_parquet({literal(escaped(str(path)))}) ORDER BY place)"
        )
        path.unlink()
        return name

    def listed(self, cells: pl.Series, kind: str | None = None) -> str:
        """Keep a list of texts or numbers, or of values of a type for such texts; return what stands for it."""
        name, path = self.fresh("list"), self.scratch.new()
        with saying(self.name):
            pl.DataFrame({"cell": cells, "place": range(len(cells))}).write_parquet(path)
        source, cell = f"read_parquet({literal(escaped(str(path)))})", f"CAST(cell AS {kind})" if kind else "cell"
        self.run(f"SET VARIABLE {name} = (SELECT list({cell} ORDER BY place) FROM {source})")
        path.unlink()
        return f"getvariable('{name}')"

    def typed(self, texts: pl.Series) -> str:
        """Keep a list of texts as values of a type of their own: cells of a type are written by number, which is quick.

        All texts of the type are written, too, whether some cell has them or not.
        """
        return self.listed(texts, self.enum(texts.drop_nulls().unique(maintain_order=True)))

    def bits(self, places: Ints, rows: int) -> str:
        """Keep which rows are meant; return what stands for it."""
        flags = np.full(rows, ord("0"), dtype=np.uint8)
        flags[places] = ord("1")
        name = self.fresh("bits")
        self.run(f"SET VARIABLE {name} = ?::BIT", [flags.tobytes().decode("ascii")])
        return f"getvariable('{name}')"

    def place(self, cell: str, texts: pl.Series) -> str:
        """Return the place (from 1) of a cell among some texts (none of them null); null where it is not there."""
        if len(texts) <= FEW:
            return f"CAST(list_position({self.listed(texts)}, {cell}) AS BIGINT)"
        return f"(CAST(enum_code(TRY_CAST({cell} AS {self.enum(texts)})) AS BIGINT) + 1)"

    def lookup(self, cell: str, old: pl.Series, new: pl.Series, default: str) -> str:
        """Return other texts for some texts (none of them null) of a cell, and a default for the rest."""
        place = self.place(cell, old)
        if len(old) > FEW:
            place = f"CASE WHEN {self._may_be(cell, old)} THEN {place} END"
        return f"coalesce(list_extract({self.listed(new)}, {place}), {default})"

    def _may_be(self, cell: str, texts: pl.Series) -> str:
        """Return whether a cell may be one of some texts, by its hashes.

        Of one that is none of them DuckDB would look for the nearest text, among all, for an error that nobody reads.
        """
        size, path = min(max(FLAGS * len(texts), 2**12), MOST_FLAGS), self.scratch.new()
        with saying(self.name):
            texts.alias("text").to_frame().write_parquet(path)
        source = f"read_parquet({literal(escaped(str(path)))})"
        there = [self.run(f"SELECT DISTINCT {_flag('text', at, size)} FROM {source}") for at in range(HASHES)]
        path.unlink()
        bits = self.bits(np.array([flag for some in there for (flag,) in some], dtype=np.int64), size)
        return "(" + " AND ".join(f"get_bit({bits}, {_flag(cell, at, size)}) = 1" for at in range(HASHES)) + ")"


def _flag(text: str, at: int, size: int) -> str:
    """Return the flag of a text by one of its hashes."""
    return f"CAST(hash({text}, {at}) % {size} AS INTEGER)"


def literal(text: str | None) -> str:
    """Return a text as it is written in SQL."""
    if text is None:
        return "NULL"
    parts = ["'" + part.replace("'", "''") + "'" for part in text.split("\0")]
    return parts[0] if len(parts) == 1 else "(" + " || chr(0) || ".join(parts) + ")"


def identifier(name: str) -> str:
    """Return a name as it is written in SQL."""
    return '"' + name.replace('"', '""') + '"'

"""Large tables by DuckDB: Parquet files, tables in database files, relations. It counts, makes and compares; it spills.

Columns have names of our own inside (c0, c1, ...), for DuckDB cannot tell "A" from "a". Rows keep their order: DuckDB
keeps it where it reads, filters and computes cell by cell, but not where it joins. So nothing here joins by values:
texts are looked up in lists by way of types of their own (ENUM), rows by their places in a string of bits. Verification
puts row beside row afterwards, and fails where the order was lost.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import count as counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from discreet.common.staging import escaped
from discreet.encoded import Combinations, Ints
from discreet.errors import InputError
from discreet.table.by_name import by_name
from discreet.table.row_lottery import PLAIN, taken
from discreet.table.stores.cells import MOMENTS, texts_of
from discreet.table.stores.counts import combinations
from discreet.table.stores.files import Files, saying
from discreet.table.stores.keys import Keys
from discreet.table.stores.packing import FEW, LONGEST, Packing
from discreet.table.stores.scratch import Scratch
from discreet.table.stores.store import ALL_ROWS, Difference, Making, Map, Store

if TYPE_CHECKING:
    import duckdb

FIRST_ROWS = 100_000
"""What these have tells whether it is worth looking for all different values of a column."""
MOST_STEPS = 256
"""Where there are more values, they are looked up by so many comparisons at most."""
MOST_BITS = 2**24
"""Keys below this are looked up in a string of bits."""
MOST_QUERIES = 8
"""Queries of one thread each that are carried out at the same time."""
SPILL = "spill"
KINDS = {
    "VARCHAR": "text",
    '"NULL"': "text",
    "BOOLEAN": "Boolean",
    "DATE": "Date",
    "TINYINT": "Int8",
    "SMALLINT": "Int16",
    "INTEGER": "Int32",
    "BIGINT": "Int64",
    "UTINYINT": "UInt8",
    "USMALLINT": "UInt16",
    "UINTEGER": "UInt32",
    "UBIGINT": "UInt64",
    "FLOAT": "Float32",
    "DOUBLE": "Float64",
    "TIMESTAMP": MOMENTS,
    "TIME": "Time",
    "BLOB": "Binary",
    "INTERVAL": "Duration",
}


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
        return f"coalesce(list_extract({self.listed(new)}, {self.place(cell, old)}), {default})"


@dataclass(frozen=True)
class DuckStore:
    """A table that DuckDB reads.

    Parameters
    ----------
    session
        The connection.
    name
        What the table is called in messages.
    source
        What it is read from, with columns c0, c1, ... and, if `row`, a further one r with the places of the rows in
        the table that this one was made of.
    columns, types
        Its columns, and DuckDB's names of their types.
    files
        The files to watch.
    parquet
        Whether these are Parquet files with the table: then Polars can read them as well.
    named
        Whether their columns have their real names.
    relation
        A relation of the connection that the table came from, for the way back.
    """

    ordered: ClassVar[bool] = True

    session: Session
    name: str
    source: str
    columns: tuple[str, ...]
    types: tuple[str, ...]
    files: Files
    parquet: bool = True
    named: bool = True
    row: bool = False
    relation: duckdb.DuckDBPyRelation | None = None

    @classmethod
    def of_parquet(cls, session: Session, files: Files, name: str, relation: Any = None) -> DuckStore:
        """Return the table in some Parquet files."""
        with saying(name):
            columns = [tuple(pl.read_parquet_schema(path)) for path in files.paths]
        if any(names != columns[0] for names in columns):
            raise InputError(f"{name}: its files differ in their columns")
        source = _parquet(files.paths, len(columns[0]))
        return cls(session, name, source, columns[0], _types(session, source), files, relation=relation)

    @classmethod
    def of_table(cls, session: Session, path: Path, table: str | None, name: str) -> DuckStore:
        """Return a table in a database file: the one that is named, or the only one."""
        database = session.fresh("database")
        session.run(f"ATTACH {literal(str(path))} AS {database} (READ_ONLY)")
        found = session.run(
            "SELECT schema_name, table_name FROM duckdb_tables() WHERE database_name = ? AND NOT internal", [database]
        )
        wanted = [(schema, one) for schema, one in found if table is None or table in (one, f"{schema}.{one}")]
        if len(wanted) != 1:
            raise InputError(_which(path, table, [one for _, one in found]))
        schema, one = wanted[0]
        columns = session.run(
            "SELECT column_name FROM duckdb_columns() WHERE database_name = ? AND schema_name = ? "
            "AND table_name = ? ORDER BY column_index",
            [database, schema, one],
        )
        names = tuple(column for (column,) in columns)
        source = f"{database}.{identifier(schema)}.{identifier(one)} AS t({_names(len(names))})"
        files = Files.of([path, path.with_name(f"{path.name}.wal")])
        return cls(session, name, source, names, _types(session, source), files, parquet=False)

    @property
    def scratch(self) -> Scratch:
        """Where its files go."""
        return self.session.scratch

    @cached_property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.session.run(f"SELECT count(*) FROM {self.source}")[0][0])

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """For each column `text`, or the name of its type as Polars has it."""
        return {name: _kind(kind) for name, kind in zip(self.columns, self.types, strict=True)}

    def has_text(self, column: str) -> bool:
        """Whether the texts of a column are those of the local engine."""
        return self.kinds[column] in PLAIN or self.kinds[column] == MOMENTS

    def cell(self, column: str) -> str:
        """Return the name of a column inside."""
        return f"c{self.columns.index(column)}"

    def text(self, column: str) -> str:
        """Return a column as texts."""
        if not self.has_text(column):
            raise InputError(
                f"column {column!r} holds {self.kinds[column]}, which has no text, or another one on other engines; "
                "make it text first"
            )
        cell = self.cell(column)
        if self.kinds[column] == MOMENTS:
            return f"strftime({cell}, '%Y-%m-%d %H:%M:%S.%f')"
        return cell if self.types[self.columns.index(column)] == "VARCHAR" else f"CAST({cell} AS VARCHAR)"

    def without_missing(self, missing: Sequence[str]) -> DuckStore:
        """Return the table without rows that have null or one of some texts in some column."""
        listed = ", ".join(map(literal, missing))
        absent = [f"{self.cell(name)} IS NULL" for name in self.columns]
        for name in self.columns:
            if self.has_text(name) and missing:
                absent.append(f"{self.text(name)} IN ({listed})")
            elif self.kinds[name].startswith("Float"):
                absent.append(f"isnan({self.cell(name)})")
            if not self.has_text(name) and any(text[:1].isdigit() or text[:1] in "+-.in" for text in missing):
                raise InputError(
                    f"column {name!r} holds {self.kinds[name]}, of which DuckDB cannot say whether a value has one "
                    "of the texts under missing.values; make it text first"
                )
        gone = " OR ".join(absent)
        if not self.session.run(f"SELECT count(*) FROM {self.source} WHERE {gone}")[0][0]:
            return self
        cells = [self.cell(name) for name in self.columns]
        return self._settled(
            f"SELECT {', '.join(cells)}, r FROM {self._placed()} WHERE NOT ({gone})", self.columns, row=True
        )

    def count(self, columns: Sequence[str], most: int) -> Combinations | None:
        """Return the different combinations of texts of some columns; by numbers, if no column has too many values."""
        packing = self._packing(columns)
        if packing is None:
            texts = [f'{self.text(name)} AS "{place}"' for place, name in enumerate(columns)]
        else:
            texts = [f'{number} AS "{place}"' for place, number in enumerate(self._packed(packing))]
        grouped = (
            f"SELECT {', '.join([*texts, 'count(*) AS rows'])} FROM {self.source} GROUP BY ALL HAVING count(*) > 0"
        )
        found = self.session.fetch_at_most(grouped, most)
        if found is None:
            return None
        rows = found.get_column("rows").cast(pl.Int64)
        if packing is None:
            return combinations(found.with_columns(rows, pl.exclude("rows").cast(pl.String)), columns)
        numbers = [found.to_series(place).cast(pl.Int64).to_numpy() for place in range(found.width - 1)]
        return packing.read(numbers, rows.to_numpy(), self.name)

    def _packing(self, columns: Sequence[str]) -> Packing | None:
        """Return how combinations of some columns become numbers; None where some column has too many values."""
        domains: list[tuple[str | None, ...]] = []
        for name in columns:
            few = f"SELECT DISTINCT {self.text(name)} AS value FROM {self.source} LIMIT {LONGEST + 1}"
            values = self.session.fetch(few).to_series().cast(pl.String)
            if len(values) > LONGEST:
                return None
            domains.append(tuple(values.sort(nulls_last=False).to_list()))
        return Packing(columns, domains) if columns else None

    def _packed(self, packing: Packing) -> Iterator[str]:
        """Yield the numbers of a row."""
        for pack in packing.packs:
            number = "CAST(0 AS BIGINT)"
            for place in pack:
                known = pl.Series(packing.known(place), dtype=pl.String)
                code = self.session.place(self.text(packing.columns[place]), known) if len(known) else "NULL"
                number = f"({number} * {1 << packing.bits(place)} + coalesce({code}, 0))"
            yield number

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> pl.DataFrame:
        """Count the groups for verification."""
        known = [f"{self.text(name)} AS g{place}" for place, name in enumerate(given)]
        sensitive = "''" if column is None else self.text(column)
        inside = f"SELECT {', '.join([*known, f'{sensitive} AS s'])} FROM {self.source}"
        nothing = " OR ".join(f"s IS NOT DISTINCT FROM {literal(text)}" for text in hidden) if column else "false"
        sums = ["sum(1) AS rows"]
        sums += [
            f'sum(CASE WHEN s IS NOT DISTINCT FROM {literal(value)} THEN 1 ELSE 0 END) AS "hits {place}"'
            for place, value in enumerate(values)
        ]
        sums.append(f"sum(CASE WHEN {nothing or 'false'} THEN 1 ELSE 0 END) AS hidden")
        groups = [f'g{place} AS "given {place}"' for place in range(len(given))]
        by = f" GROUP BY {', '.join(f'g{place}' for place in range(len(given)))}" if given else " HAVING count(*) > 0"
        found = self.session.fetch(f"SELECT {', '.join([*groups, *sums])} FROM ({inside}){by}")
        texts = pl.col("^given .*$").cast(pl.String)
        return found.with_columns(pl.exclude(r"^given .*$").cast(pl.Int64), texts)

    def make(self, making: Making) -> DuckStore:
        """Carry out how a release is made."""
        steps = _Steps(self, making, writes=True)
        cells = [f"{cell} AS c{place}" for place, cell in enumerate(steps.released())]
        row = ["r"] if making.drops else []
        return self._settled(f"SELECT {', '.join([*cells, *row])} FROM {steps.kept}", making.columns, row=bool(row))

    def few_values(self, column: str) -> pl.Series | None:
        """Return the different texts of a column (a missing one aside) where they are few and it is one of texts."""
        if self.types[self.columns.index(column)] != "VARCHAR":
            return None
        cell = self.cell(column)
        for source in (f"(SELECT {cell} FROM {self.source} LIMIT {FIRST_ROWS})", self.source):
            values = self.session.run(f"SELECT DISTINCT {cell} FROM {source} WHERE {cell} IS NOT NULL LIMIT {FEW + 1}")
            if len(values) > FEW:
                return None
        return pl.Series([value for (value,) in values], dtype=pl.String)

    def masked(self, making: Making) -> int:
        """Return how many rows are masked, or left out instead."""
        steps = _Steps(self, making)
        return int(self.session.run(f"SELECT count(*) FROM ({steps.told}) WHERE m")[0][0])

    def only(self, places: Ints) -> DuckStore:
        """Return the table with only the rows at some places."""
        bits = self.session.bits(places, self.rows)
        cells = ", ".join(self.cell(name) for name in self.columns)
        kept = f"get_bit({bits}, CAST(r AS INTEGER)) = 1"
        return self._settled(f"SELECT {cells}, r FROM {self._placed()} WHERE {kept}", self.columns, row=True)

    def kept_of(self, original: Store) -> DuckStore:
        """Return the original with only the rows that this table was made of."""
        places = self.places()
        return _duck(original) if places is None else _duck(original).only(places)

    def taking(self, other: Store, columns: Sequence[str]) -> DuckStore:
        """Return the table with some columns as another one has them."""
        theirs = _duck(other)
        mine = ", ".join(f"{self.cell(name)} AS a{place}" for place, name in enumerate(self.columns))
        taken = ", ".join(f"{theirs.cell(name)} AS b{place}" for place, name in enumerate(columns))
        cells = [f"b{columns.index(name)}" if name in columns else f"a{at}" for at, name in enumerate(self.columns)]
        chosen = ", ".join(f"{cell} AS c{at}" for at, cell in enumerate(cells))
        both = f"(SELECT {mine} FROM {self.source}) POSITIONAL JOIN (SELECT {taken} FROM {theirs.source})"
        return self._settled(f"SELECT {chosen} FROM {both}", self.columns)

    def pairs(self, original: Store, columns: Sequence[str]) -> dict[str, pl.DataFrame]:
        """Return the different pairs of original and released text of some columns."""
        asked = [
            f"SELECT original, released, count(*) AS cells FROM {self._beside(original, name)} GROUP BY ALL"
            for name in columns
        ]
        kinds = pl.Schema({"original": pl.String, "released": pl.String, "cells": pl.Int64})
        found = self.session.fetch_all(asked)
        return {name: pairs.cast(kinds) for name, pairs in zip(columns, found, strict=True)}

    def first_of(self, original: Store, column: str, pairs: pl.DataFrame) -> int:
        """Return the first place with one of some pairs."""
        bad = [
            f"(original IS NOT DISTINCT FROM {literal(before)} AND released IS NOT DISTINCT FROM {literal(after)})"
            for before, after in pairs.select("original", "released").iter_rows()
        ]
        both = self._beside(original, column, placed=True)
        first = min(
            self.session.run(f"SELECT min(place) FROM {both} WHERE {' OR '.join(some)}")[0][0]
            for some in (bad[at : at + MOST_STEPS] for at in range(0, len(bad), MOST_STEPS))
        )
        return int(first)

    def _beside(self, original: Store, column: str, *, placed: bool = False) -> str:
        """Return the texts of a column beside those of the original, with their places if wanted."""
        theirs = _duck(original)
        place = ", row_number() OVER () - 1 AS place" if placed else ""
        mine = f"SELECT {self.text(column)} AS released{place} FROM {self.source}"
        return f"({mine}) POSITIONAL JOIN (SELECT {theirs.text(column)} AS original FROM {theirs.source})"

    def differences(self, original: Store, columns: Sequence[str], marker: str | None) -> dict[str, Difference]:
        """Compare some columns with those of the original, row by row."""
        theirs = _duck(original)
        flags: list[str] = []
        for place, name in enumerate(columns):
            bad = f"(a{place} IS DISTINCT FROM b{place})"
            texts = self.has_text(name) and theirs.has_text(name)
            if not texts and self.kinds[name] != theirs.kinds[name]:
                bad = "true"
            marked = texts and marker is not None
            flags += [bad, f"({bad} AND a{place} IS DISTINCT FROM {literal(marker)})" if marked else bad]
        mine = ", ".join(f"{self._told(theirs, name)} AS a{place}" for place, name in enumerate(columns))
        source = ", ".join(f"{theirs._told(self, name)} AS b{place}" for place, name in enumerate(columns))
        side = f"(SELECT {source} FROM {theirs.source})"
        asked = ", ".join(f"count(*) FILTER (WHERE {flag})" for flag in flags)
        cells = self.session.run(f"SELECT {asked} FROM (SELECT {mine} FROM {self.source}) POSITIONAL JOIN {side}")[0]
        first: Sequence[int | None] = [None] * len(flags)
        if any(cells):
            asked = ", ".join(f"min(place) FILTER (WHERE {flag})" for flag in flags)
            numbered = f"(SELECT {mine}, row_number() OVER () - 1 AS place FROM {self.source})"
            first = self.session.run(f"SELECT {asked} FROM {numbered} POSITIONAL JOIN {side}")[0]
        both = zip(cells[::2], first[::2], cells[1::2], first[1::2], strict=True)
        return {name: Difference(*found) for name, found in zip(columns, both, strict=True)}

    def _told(self, other: DuckStore, column: str) -> str:
        """Return a column as it is compared: as texts where both tables have them."""
        return self.text(column) if self.has_text(column) and other.has_text(column) else self.cell(column)

    def occurrences(self, column: str, text: str) -> int:
        """Return the number of cells of a column with a text."""
        return int(
            self.session.run(f"SELECT count(*) FROM {self.source} WHERE {self.text(column)} = {literal(text)}")[0][0]
        )

    def parts(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Yield some columns, some rows at a time, in order."""
        inside = [self.cell(name) for name in columns]
        paths, path = list(self.files.paths), None
        if not self.parquet:
            path = self.session.copy(f"SELECT {', '.join(inside)} FROM {self.source}")
            paths = [path]
        names = inside if path is not None or not self.named else list(columns)
        try:
            with saying(self.name):
                frame = pl.scan_parquet(paths, hive_partitioning=False, glob=False).select(
                    by_name(name).alias(real) for name, real in zip(names, columns, strict=True)
                )
                yield from frame.collect_batches(chunk_size=ALL_ROWS, maintain_order=True, engine="streaming")
        finally:
            if path is not None:
                path.unlink(missing_ok=True)

    def places(self) -> Ints | None:
        """Return the places of the rows in the table that this one was made of."""
        if not self.row:
            return None
        return self.session.fetch(f"SELECT r FROM {self.source}").to_series().to_numpy().astype(np.int64)

    def places_at(self, rows: Ints) -> Ints:
        """Return these places of some rows."""
        if not self.row:
            return rows
        bits = self.session.bits(rows, self.rows)
        numbered = f"SELECT r, row_number() OVER () - 1 AS place FROM {self.source}"
        found = self.session.fetch(f"SELECT r FROM ({numbered}) WHERE get_bit({bits}, CAST(place AS INTEGER)) = 1")
        return found.to_series().to_numpy().astype(np.int64)

    def saved(self) -> Path:
        """Return a scratch file of Parquet with the table and nothing else."""
        if self.parquet and self.named and self.files.own and not self.row and len(self.files.paths) == 1:
            return self.files.paths[0]
        path = self.scratch.new()
        names = {self.cell(name): name for name in self.columns}
        source = self if self.parquet and not self.named else self._settled(self._inside(), self.columns, named=False)
        with saying(self.name):
            frame = pl.scan_parquet(list(source.files.paths), glob=False).select(list(names)).rename(names)
            frame.sink_parquet(path, engine="streaming")
        return path

    def _inside(self) -> str:
        return f"SELECT {', '.join(map(self.cell, self.columns))} FROM {self.source}"

    def changed(self) -> bool:
        """Whether the files are not the same any more."""
        return self.files.changed()

    def native(self) -> duckdb.DuckDBPyRelation:
        """Return the table as a relation, of the connection that it came from; its file goes when the program ends."""
        import duckdb

        by_case: dict[str, str] = {}
        for name in self.columns:
            other = by_case.setdefault(name.lower(), name)
            if other != name:
                raise InputError(
                    f"columns {other!r} and {name!r} differ in case only; write the release to a file instead"
                )
        self.scratch.keep()
        select = f"SELECT * FROM read_parquet({literal(escaped(str(self.saved())))})"
        with saying(self.name):
            found = duckdb.sql(select) if self.relation is None else self.relation.query("discreet_source", select)
        assert found is not None
        return found

    def _placed(self) -> str:
        """Return the table with the places of its rows as r."""
        cells = ", ".join(self.cell(name) for name in self.columns)
        return f"(SELECT {cells}, row_number() OVER () - 1 AS r FROM {self.source})"

    def _settled(
        self, select: str, columns: tuple[str, ...], *, row: bool = False, named: bool | None = None
    ) -> DuckStore:
        """Write a query with columns c0, ... (and r) to a file of its own; with their real names if they can be."""
        clash = len({name.casefold() for name in columns}) < len(columns)
        if named is None:
            named = not (row or clash)
        names = [f"c{place}" for place in range(len(columns))]
        real = ", ".join(f"{name} AS {identifier(own)}" for name, own in zip(names, columns, strict=True))
        path = self.session.copy(f"SELECT {real} FROM ({select})" if named else select)
        source = _parquet([path], len(columns), row=row)
        files = Files.of([path], own=True)
        types = _types(self.session, source)[: len(columns)]
        return DuckStore(
            self.session, self.name, source, columns, types, files, named=named, row=row, relation=self.relation
        )


class _Told:
    """What a map makes of a column: the number of what is told of each cell, and lists of what the numbers stand for.

    The numbers are looked up by the texts of the cells, in a list or, where there are many, by a few steps: values with
    the same text stand side by side then.
    """

    def __init__(self, session: Session, cell: str, map_: Map) -> None:
        self.session = session
        told = map_.table.select("text", "gone").unique(maintain_order=True).with_row_index("number", 1)
        self.texts, self.gone = told.get_column("text"), told.get_column("gone")
        numbered = map_.table.join(told, on=["text", "gone"], how="left", nulls_equal=True, maintain_order="left")
        known = numbered.filter(pl.col("value").is_not_null()).sort("number")
        of_null = numbered.filter(pl.col("value").is_null()).get_column("number")
        place = session.place(cell, known.get_column("value"))
        if len(known) <= LONGEST or len(told) > MOST_STEPS:
            numbers = known.get_column("number").cast(pl.Int64)
            number = f"list_extract({session.listed(numbers)}, {place})"
        else:
            runs = known.get_column("number").rle().struct.unnest()
            ends = runs.get_column("len").cum_sum().to_list()[:-1]
            step = " + ".join(["1", *(f"CAST({place} > {end} AS BIGINT)" for end in ends)])
            number = f"list_extract({session.listed(runs.get_column('value').cast(pl.Int64))}, {step})"
        self.number = f"coalesce({number}, {of_null.item()})" if len(of_null) else number

    def text(self, number: str) -> str:
        """Return the text of a number."""
        return f"list_extract({self.session.listed(self.texts)}, {number})"

    def is_gone(self, number: str) -> str:
        """Return whether rows with a number are masked."""
        return f"list_extract({self.session.listed(self.gone)}, {number})"

    def among(self, number: str, values: Sequence[str | None]) -> str:
        """Return the place among some texts of what is told; null where it is not there."""
        place = {value: at for at, value in enumerate(values)}
        places = pl.Series([place.get(text) for text in self.texts], dtype=pl.Int64)
        return f"list_extract({self.session.listed(places)}, {number})"


class _Steps:
    """How a release is made, by one query inside the other: what is told, which rows are masked, the cells."""

    def __init__(self, store: DuckStore, making: Making, *, writes: bool = False) -> None:
        self.store, self.making, self.session = store, making, store.session
        masks = making.masks
        changing = [name for name in making.maps if making.becomes_text(name) or len(making.maps[name].gone)]
        changing += [name for name in (masks.names if masks is not None else ()) if name in making.maps]
        self.maps = {name: _Told(self.session, store.text(name), making.maps[name]) for name in dict.fromkeys(changing)}
        same = self._same() if writes else {}
        cells = [store.cell(name) for name in store.columns]
        self.keys = None if masks is None else Keys(masks)
        placed = bool(making.edits) or making.drops or (self.keys is not None and len(self.keys.partly) > 0)
        source = store._placed() if placed else f"(SELECT {', '.join(cells)} FROM {store.source})"
        numbers = [f"{told.number} AS {self._number(name)}" for name, told in (self.maps | same).items()]
        self.told = f"SELECT {', '.join(['*', *numbers])} FROM {source}"
        flags = [f"({told.is_gone(self._number(name))})" for name, told in self.maps.items() if told.gone.any()]
        if masks is not None:
            flags.append(f"({self._mask()})")
        self.masks = bool(flags)
        self.told = f"SELECT *, {' OR '.join(flags) or 'false'} AS m FROM ({self.told})"
        self.kept = self._only()
        self.few = self._few(same) if writes else {}
        """What stands for the texts of columns with few of them, by number; the marker is the last one."""

    def _same(self) -> dict[str, _Told]:
        """Return the columns of texts that do not change and have few of them, as if each became itself."""
        making, same = self.making, {}
        for name in making.columns:
            if making.becomes_text(name) or name in self.maps:
                continue
            values = self.store.few_values(name)
            if values is not None and len(values):
                nothing = pl.DataFrame({"value": values, "text": values}).with_columns(gone=pl.lit(False))
                same[name] = _Told(self.session, self.store.text(name), Map(nothing))
        return same

    def _only(self) -> str:
        """Return the rows that are released."""
        making = self.making
        where = ["NOT m"] if making.removes else []
        if making.left_out is not None:
            bits = self.session.bits(making.left_out, self.store.rows)
            where.append(f"get_bit({bits}, CAST(r AS INTEGER)) = 0")
        return f"(SELECT * FROM ({self.told}){' WHERE ' + ' AND '.join(where) if where else ''})"

    def _few(self, same: dict[str, _Told]) -> dict[str, str]:
        """Return the texts of columns that have few of them, but only those that are released: others stay secret."""
        released = {name: told for name, told in self.maps.items() if self.making.becomes_text(name)}
        few = {
            name: told
            for name, told in (released | same).items()
            if len(told.texts) <= FEW and name not in self.making.edits
        }
        if not few:
            return {}
        used: Sequence[int | None] = [-1] * len(few)
        marked = 0
        if self.masks or self.making.drops:
            asked = []
            for name in few:
                shown = "NOT m" if self._hides(name) else "true"
                asked.append(f"bit_or(CAST(1 AS BIGINT) << {self._number(name)}) FILTER (WHERE {shown})")
            asked.append("count(*) FILTER (WHERE m)")
            *used, marked = self.session.run(f"SELECT {', '.join(asked)} FROM {self.kept}")[0]
        found = {}
        for (name, told), bits in zip(few.items(), used, strict=True):
            texts = [text if (bits or 0) >> number & 1 else None for number, text in enumerate(told.texts, 1)]
            texts.append(self.making.marker if marked and self._hides(name) else None)
            if any(text is not None for text in texts):
                found[name] = self.session.typed(pl.Series(texts, dtype=pl.String))
        return found

    def _hides(self, column: str) -> bool:
        """Whether the cells of masked rows are hidden in a column."""
        return column in self.making.maps and self.masks and not self.making.removes

    def _number(self, column: str) -> str:
        return f"x{self.store.columns.index(column)}"

    def _text(self, column: str) -> str:
        """Return what the maps make of a column."""
        return self.maps[column].text(self._number(column)) if column in self.maps else self.store.text(column)

    def _edited(self, column: str, cell: str) -> str:
        if column not in self.making.edits:
            return cell
        edits = self.making.edits[column]
        places = edits.get_column("place")
        found = self.session.lookup("CAST(r AS VARCHAR)", places.cast(pl.String), edits.get_column("text"), cell)
        bits = self.session.bits(places.to_numpy(), self.store.rows)  # few rows are looked up
        return f"CASE WHEN get_bit({bits}, CAST(r AS INTEGER)) = 1 THEN {found} ELSE {cell} END"

    def _mask(self) -> str:
        """Return whether a row is masked as one of a combination; its key is made first."""
        keys = self.keys
        assert keys is not None
        places = [f"({self._place(masked.column, masked.values)})" for masked in keys.masks.columns]
        if keys.steps is None:
            key = " || ' ' || ".join(places)
        else:
            key = " + ".join(f"{place} * {step}" for place, step in zip(places, keys.steps, strict=True))
        self.told = f"SELECT *, {key} AS k FROM ({self.told})"
        found = [self._has(keys.whole)] if len(keys.whole) else []
        if len(keys.partly):
            drawn = self.session.bits(self._drawn(self._has(keys.partly)), self.store.rows)
            found.append(f"get_bit({drawn}, CAST(r AS INTEGER)) = 1")
        return " OR ".join(f"({flag})" for flag in found)

    def _has(self, keys: pl.Series) -> str:
        """Return whether the key of a row is among some."""
        assert self.keys is not None
        if self.keys.bound <= MOST_BITS:
            bits = self.session.bits(keys.to_numpy().astype(np.int64), self.keys.bound)
            return f"(k IS NOT NULL AND get_bit({bits}, CAST(k AS INTEGER)) = 1)"
        return f"TRY_CAST(CAST(k AS VARCHAR) AS {self.session.enum(keys.cast(pl.String))}) IS NOT NULL"

    def _place(self, column: str, values: Sequence[str | None]) -> str:
        """Return the place of what is told of a column among the texts of masked combinations."""
        if column in self.maps and column not in self.making.edits:
            return self.maps[column].among(self._number(column), values)
        cell = self._edited(column, self._text(column))
        known = pl.Series([value for value in values if value is not None], dtype=pl.String)
        numbers = pl.Series([at for at, value in enumerate(values) if value is not None], dtype=pl.Int64)
        of_null = values.index(None) if None in values else "NULL"
        if not len(known):
            return f"CASE WHEN {cell} IS NULL THEN {of_null} END"
        return f"CASE WHEN {cell} IS NULL THEN {of_null} ELSE {self.session.lookup(cell, known, numbers, 'NULL')} END"

    def _drawn(self, is_some: str) -> Ints:
        """Return the places of the rows that the lot takes of some combinations."""
        keys, store = self.keys, self.store
        assert keys is not None
        held = [store.cell(name) for name in self.making.columns]
        found = self.session.fetch(f"SELECT {', '.join(['r', 'k', *held])} FROM ({self.told}) WHERE {is_some}")
        found = found.sort("r")  # equal rows are numbered as they stand
        named = zip(self.making.columns, held, strict=True)
        columns = [texts_of(found.get_column(cell)) for name, cell in named if store.kinds[name] in PLAIN]
        chosen = taken(columns, keys.numbers(found.get_column("k")), keys.wanted, keys.masks.salt)
        return found.get_column("r").to_numpy()[chosen].astype(np.int64)

    def released(self) -> list[str]:
        """Return what is released of each column."""
        return [self._released(name) for name in self.making.columns]

    def _released(self, column: str) -> str:
        if column in self.few:
            number = self._number(column)
            if self._hides(column):
                number = f"CASE WHEN m THEN {len(self.maps[column].texts) + 1} ELSE {number} END"
            return f"list_extract({self.few[column]}, {number})"
        if not self.making.becomes_text(column):
            return self.store.cell(column)
        cell = self._text(column)
        if self._hides(column):
            cell = f"CASE WHEN m THEN {literal(self.making.marker)} ELSE {cell} END"
        return self._edited(column, cell)


def literal(text: str | None) -> str:
    """Return a text as it is written in SQL."""
    if text is None:
        return "NULL"
    parts = ["'" + part.replace("'", "''") + "'" for part in text.split("\0")]
    return parts[0] if len(parts) == 1 else "(" + " || chr(0) || ".join(parts) + ")"


def identifier(name: str) -> str:
    """Return a name as it is written in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _names(number: int, *, row: bool = False) -> str:
    return ", ".join([*(f"c{place}" for place in range(number)), *(["r"] if row else [])])


def _parquet(paths: Sequence[Path], columns: int, *, row: bool = False) -> str:
    listed = ", ".join(literal(escaped(str(path.absolute()))) for path in paths)
    return f"read_parquet([{listed}], hive_partitioning=false) AS t({_names(columns, row=row)})"


def _types(session: Session, source: str) -> tuple[str, ...]:
    return tuple(kind for _, kind, *_ in session.run(f"DESCRIBE SELECT * FROM {source}"))


def _kind(kind: str) -> str:
    """Return the name that Polars has for a type of DuckDB."""
    return "text" if kind.startswith("ENUM(") else KINDS.get(kind, kind)


def _which(path: Path, table: str | None, tables: Sequence[str]) -> str:
    if not tables:
        return f"{path}: has no table"
    if table is not None:
        return f"{path}: has no table {table!r}; it has {', '.join(map(repr, tables))}"
    return f"{path}: has several tables; say which, as {path.name}#{tables[0]}"


def _duck(store: Store) -> DuckStore:
    if not isinstance(store, DuckStore):
        raise TypeError("both tables must be held by the same kind of engine")
    return store

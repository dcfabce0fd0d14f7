"""Large tables by DuckDB: Parquet files, tables in database files, relations. It counts, makes and compares; it spills.

Columns have names of our own inside (c0, c1, ...), for DuckDB cannot tell "A" from "a". Rows keep their order: DuckDB
keeps it where it reads, filters and computes cell by cell, but not where it joins. So nothing here joins by values:
texts are looked up in lists by way of types of their own (ENUM), rows by their places in a string of bits. Verification
puts row beside row afterwards, and fails where the order was lost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import polars as pl

from discreet.common.staging import escaped
from discreet.encoded import Combinations, Ints
from discreet.errors import InputError
from discreet.table.by_name import by_name
from discreet.table.engine import alike
from discreet.table.stores.cells import MOMENTS, no_text, refuse_untold_missing, same_everywhere
from discreet.table.stores.counts import combinations
from discreet.table.stores.duck.comparing import DuckComparison
from discreet.table.stores.duck.session import Session, identifier, literal
from discreet.table.stores.duck.sources import database_table, kind_of, parquet_source, types_of
from discreet.table.stores.duck.steps import DuckSteps
from discreet.table.stores.files import Files, saying
from discreet.table.stores.packing import FEW, LONGEST, Packing
from discreet.table.stores.scratch import Scratch
from discreet.table.stores.store import ALL_ROWS, Making, Store

if TYPE_CHECKING:
    import duckdb

    from discreet.table.stores.labelled import Labelling

FIRST_ROWS = 100_000
"""What these have tells whether it is worth looking for all different values of a column."""


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
        source = parquet_source(files.paths, len(columns[0]))
        return cls(session, name, source, columns[0], types_of(session, source), files, relation=relation)

    @classmethod
    def of_table(cls, session: Session, path: Path, table: str | None, name: str) -> DuckStore:
        """Return a table in a database file: the one that is named, or the only one."""
        source, names = database_table(session, path, table)
        files = Files.of([path, path.with_name(f"{path.name}.wal")])
        return cls(session, name, source, names, types_of(session, source), files, parquet=False)

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
        return {name: kind_of(kind) for name, kind in zip(self.columns, self.types, strict=True)}

    def has_text(self, column: str) -> bool:
        """Whether the texts of a column are those of the local engine."""
        return same_everywhere(self.kinds[column])

    def cell(self, column: str) -> str:
        """Return the name of a column inside."""
        return f"c{self.columns.index(column)}"

    def text(self, column: str) -> str:
        """Return a column as texts."""
        if not self.has_text(column):
            raise no_text(column, self.kinds[column])
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
            refuse_untold_missing(name, self.kinds[name], missing, "DuckDB")
        gone = " OR ".join(absent)
        if not self.session.run(f"SELECT count(*) FROM {self.source} WHERE {gone}")[0][0]:
            return self
        cells = [self.cell(name) for name in self.columns]
        return self._settled(
            f"SELECT {', '.join(cells)}, r FROM {self.placed()} WHERE NOT ({gone})", self.columns, row=True
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

    def labelled(self, labelling: Labelling) -> DuckStore:
        """Return the table with what the combination of each row shows."""
        session, keys = self.session, labelling.keys
        places = []
        for masked in keys.masks.columns:
            known = pl.Series([value for value in masked.values if value is not None], dtype=pl.String)
            at = pl.Series([at for at, value in enumerate(masked.values) if value is not None], dtype=pl.Int64)
            of_null = masked.values.index(None) if None in masked.values else "NULL"
            cell = self.text(masked.column)
            place = session.lookup(cell, known, at, "NULL") if len(known) else "NULL"
            places.append(f"(CASE WHEN {cell} IS NULL THEN {of_null} ELSE {place} END)")
        key = " || ' ' || ".join(places)
        if keys.steps is not None:
            key = " + ".join(f"{place} * {step}" for place, step in zip(places, keys.steps, strict=True))
        cells = ", ".join(self.cell(name) for name in self.columns)
        keyed = f"SELECT {cells}, CAST({key} AS VARCHAR) AS k FROM {self.source}"
        look = session.lookup("k", keys.all.cast(pl.String), pl.Series(labelling.look + 1), "NULL")
        found = f"SELECT {cells}, {look} AS n FROM ({keyed})"
        columns = tuple(dict.fromkeys((*self.columns, *labelling.texts)))
        shown = {name: f"list_extract({session.listed(texts)}, n)" for name, texts in labelling.texts.items()}
        chosen = [f"{shown.get(name) or self.cell(name)} AS d{place}" for place, name in enumerate(columns)]
        told = ", ".join(f"d{place} AS c{place}" for place in range(len(columns)))
        return self._settled(f"SELECT {told} FROM (SELECT {', '.join(chosen)} FROM ({found}))", columns)

    def make(self, making: Making) -> DuckStore:
        """Carry out how a release is made."""
        steps = DuckSteps(self, making, writes=True)
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
        steps = DuckSteps(self, making)
        return int(self.session.run(f"SELECT count(*) FROM ({steps.told}) WHERE m")[0][0])

    def only(self, places: Ints) -> DuckStore:
        """Return the table with only the rows at some places."""
        bits = self.session.bits(places, self.rows)
        cells = ", ".join(self.cell(name) for name in self.columns)
        kept = f"get_bit({bits}, CAST(r AS INTEGER)) = 1"
        return self._settled(f"SELECT {cells}, r FROM {self.placed()} WHERE {kept}", self.columns, row=True)

    def in_order(self, places: Ints) -> DuckStore:
        """Return the table with its rows in another order; they are sorted by where they go."""
        where = np.empty(len(places), dtype=np.int64)
        where[places] = np.arange(len(places))
        path = self.scratch.new()
        with saying(self.name):
            pl.DataFrame({"to": where}).write_parquet(path)
        moved = f'(SELECT "to" AS w FROM read_parquet({literal(escaped(str(path.absolute())))}))'
        try:
            cells = ", ".join(self.cell(name) for name in self.columns)
            both = f"(SELECT {cells} FROM {self.source}) POSITIONAL JOIN {moved}"
            return self._settled(f"SELECT {cells} FROM {both} ORDER BY w", self.columns)
        finally:
            path.unlink(missing_ok=True)

    def kept_of(self, original: Store) -> DuckStore:
        """Return the original with only the rows that this table was made of."""
        places = self.places()
        return alike(DuckStore, original) if places is None else alike(DuckStore, original).only(places)

    def taking(self, other: Store, columns: Sequence[str]) -> DuckStore:
        """Return the table with some columns as another one has them."""
        theirs = alike(DuckStore, other)
        mine = ", ".join(f"{self.cell(name)} AS a{place}" for place, name in enumerate(self.columns))
        taken = ", ".join(f"{theirs.cell(name)} AS b{place}" for place, name in enumerate(columns))
        cells = [f"b{columns.index(name)}" if name in columns else f"a{at}" for at, name in enumerate(self.columns)]
        chosen = ", ".join(f"{cell} AS c{at}" for at, cell in enumerate(cells))
        both = f"(SELECT {mine} FROM {self.source}) POSITIONAL JOIN (SELECT {taken} FROM {theirs.source})"
        return self._settled(f"SELECT {chosen} FROM {both}", self.columns)

    def beside(self, original: Store) -> DuckComparison:
        """Return the table beside the one that it was made from."""
        return DuckComparison(self, alike(DuckStore, original))

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

    def placed(self) -> str:
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
        source = parquet_source([path], len(columns), row=row)
        files = Files.of([path], own=True)
        types = types_of(self.session, source)[: len(columns)]
        return DuckStore(
            self.session, self.name, source, columns, types, files, named=named, row=row, relation=self.relation
        )

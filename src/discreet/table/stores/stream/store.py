"""Large tables by streaming Polars: what the local engine does with files that are too large for the memory.

The table is one or more Parquet files (a CSV file is made one first). Nothing is held but the counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import numpy as np
import polars as pl

from discreet.encoded import Combinations, Ints
from discreet.errors import InputError
from discreet.table.by_name import by_name, by_names
from discreet.table.engine import alike
from discreet.table.stores.cells import TEXTS, may_be_text
from discreet.table.stores.files import Files, saying
from discreet.table.stores.scratch import Scratch
from discreet.table.stores.store import ALL_ROWS, Making, Store
from discreet.table.stores.stream import coded
from discreet.table.stores.stream.comparing import StreamComparison
from discreet.table.stores.stream.steps import StreamSteps

if TYPE_CHECKING:
    from discreet.table.stores.labelled import Labelling


@dataclass(frozen=True)
class StreamStore:
    """A table in Parquet files, read by streaming.

    Parameters
    ----------
    files
        The files, in the order of their rows.
    scratch
        Where further files go.
    name
        What the table is called in messages.
    columns
        Its columns.
    row
        A further column of the files with the places of the rows in the table that this one was made of, if any.
    """

    ordered: ClassVar[bool] = True

    files: Files
    scratch: Scratch
    name: str
    columns: tuple[str, ...]
    row: str | None = None
    _floats: dict[str, bool] = field(default_factory=dict, compare=False)
    """Columns of floats that were looked at, with whether they have NaN."""

    @classmethod
    def open(cls, files: Files, scratch: Scratch, name: str) -> StreamStore:
        """Return the table in some files."""
        with saying(name):
            columns = pl.scan_parquet(list(files.paths), hive_partitioning=False, glob=False).collect_schema().names()
        return cls(files, scratch, name, tuple(columns))

    @property
    def frame(self) -> pl.LazyFrame:
        """The table, nothing of it read yet."""
        return pl.scan_parquet(list(self.files.paths), hive_partitioning=False, glob=False)

    @cached_property
    def schema(self) -> pl.Schema:
        """The types of the columns."""
        with saying(self.name):
            return self.frame.collect_schema()

    @cached_property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.collect(self.frame.select(pl.len())).item())

    @cached_property
    def kinds(self) -> Mapping[str, str]:
        """For each column `text`, or the name of its type."""
        return {
            name: "text" if isinstance(self.schema[name], TEXTS) else str(self.schema[name]) for name in self.columns
        }

    def has_text(self, column: str) -> bool:
        """Whether the values of a column have a text."""
        return may_be_text(self.schema[column])

    def text(self, column: str) -> pl.Expr:
        """Return a column as texts."""
        if not self.has_text(column):
            kind = self.kinds[column]
            raise InputError(f"column {column!r} holds {kind}, which has no text form; only plain values can be used")
        if self.schema[column].is_float() and self._has_nan(column):
            return by_name(column).fill_nan(None).cast(pl.String)
        return by_name(column).cast(pl.String)

    def _has_nan(self, column: str) -> bool:
        if column not in self._floats:
            nan, null = self.collect(
                self.frame.select(nan=by_name(column).is_nan().any(), null=by_name(column).is_null().any())
            ).row(0)
            if nan and null:
                raise InputError(
                    f"column {column!r} has both NaN and null; make them one, for they could be told apart"
                )
            self._floats[column] = bool(nan)
        return self._floats[column]

    def without_missing(self, missing: Sequence[str]) -> StreamStore:
        """Return the table without rows that have null or one of some texts in some column."""
        kept = pl.lit(True)
        for name in self.columns:
            if self.has_text(name):
                text = self.text(name)
                kept &= ~(text.is_null() | text.is_in(list(missing)).fill_null(False))
            else:
                kept &= by_name(name).is_not_null()
        left = int(self.collect(self.frame.select(kept.sum())).item())
        if left == self.rows:
            return self
        row = self.free_name()
        frame = self.frame.with_row_index(row).filter(kept)
        return self._settled(frame.select(by_names([*self.columns, row])), self.columns, row)

    def count(self, columns: Sequence[str], most: int) -> Combinations | None:
        """Return the different combinations of texts of some columns."""
        aliases = [f"{place}" for place in range(len(columns))]
        texts = self.frame.select(self.text(name).alias(alias) for name, alias in zip(columns, aliases, strict=True))
        if not columns:
            return Combinations((), (), (), np.array([self.rows]))
        return coded.counted(texts, columns, self.rows, most, self.collect, self.name)

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> pl.DataFrame:
        """Count the groups for verification."""
        known = [self.text(name).alias(f"given {place}") for place, name in enumerate(given)]
        sensitive = pl.lit("", pl.String) if column is None else self.text(column)
        hits = [
            sensitive.eq_missing(pl.lit(value, pl.String)).cast(pl.Int64).alias(f"hits {place}")
            for place, value in enumerate(values)
        ]
        tells_nothing = pl.lit(False) if column is None else sensitive.is_in(list(hidden), nulls_equal=True)
        marked = self.frame.select(
            *known, pl.lit(1, pl.Int64).alias("rows"), *hits, tells_nothing.cast(pl.Int64).alias("hidden")
        )
        sums = [pl.col("rows").sum(), *(pl.col(f"hits {place}").sum() for place in range(len(values)))]
        sums.append(pl.col("hidden").sum())
        if not given:
            found = self.collect(marked.select(sums))
            return found if found.get_column("rows").item() else found.clear()
        return self.collect(marked.group_by(f"given {place}" for place in range(len(given))).agg(sums))

    def labelled(self, labelling: Labelling) -> StreamStore:
        """Return the table with what the combination of each row shows."""
        key, look, keys = self.free_name("key"), self.free_name("look"), labelling.keys
        looks = pl.Series(labelling.look)
        frame = self.frame.with_columns(coded.key_of(keys, lambda column: self.text(column)).alias(key))
        if keys.steps is None:
            found = coded.mapped(by_name(key), keys.all, looks, pl.lit(None, pl.Int64))
        else:
            order = keys.all.arg_sort()
            found = coded.placed(by_name(key), keys.all.gather(order), looks.gather(order), pl.lit(None, pl.Int64))
        frame = frame.with_columns(found.alias(look))
        of_look = pl.Series(range(len(labelling.texts[next(iter(labelling.texts))])), dtype=pl.Int64)
        shown = {
            name: coded.placed(by_name(look), of_look, texts, pl.lit(None, pl.String))
            for name, texts in labelling.texts.items()
        }
        columns = tuple(dict.fromkeys((*self.columns, *shown)))
        cells = [shown[name].alias(name) if name in shown else by_name(name) for name in columns]
        return self._settled(frame.select(cells), columns, None)

    def make(self, making: Making) -> StreamStore:
        """Carry out how a release is made."""
        steps = StreamSteps(self, making)
        frame, place = steps.told, steps.place
        if making.removes:
            frame = frame.filter(~by_name(steps.masked))
        if making.left_out is not None:
            frame = frame.filter(~coded.among(by_name(place), making.left_out))
        cells = [steps.released(name).alias(name) for name in making.columns]
        row = place if making.drops else None
        return self._settled(frame.select(*cells, *([row] if row else [])), making.columns, row)

    def masked(self, making: Making) -> int:
        """Return how many rows are masked, or left out instead."""
        steps = StreamSteps(self, making)
        return int(self.collect(steps.told.select(by_name(steps.masked).sum())).item())

    def placed(self) -> tuple[str, pl.LazyFrame]:
        """Return the table with the places of its rows, and the name of their column."""
        place = self.free_name()
        return place, self.frame.with_row_index(place).with_columns(by_name(place).cast(pl.Int64))

    def only(self, places: Ints) -> StreamStore:
        """Return the table with only the rows at some places."""
        row, frame = self.placed()
        return self._settled(
            frame.filter(coded.among(by_name(row), places)).select(by_names([*self.columns, row])), self.columns, row
        )

    def in_order(self, places: Ints) -> StreamStore:
        """Return the table with its rows in another order; they are sorted by where they go."""
        to = self.free_name("to")
        where = np.empty(len(places), dtype=np.int64)
        where[places] = np.arange(len(places))
        moved = pl.concat([self.frame, pl.LazyFrame({to: where})], how="horizontal")
        return self._settled(moved.sort(to).select(by_names(self.columns)), self.columns, None)

    def kept_of(self, original: Store) -> StreamStore:
        """Return the original with only the rows that this table was made of."""
        places = self.places()
        source = alike(StreamStore, original)
        return source if places is None else source.only(places)

    def taking(self, other: Store, columns: Sequence[str]) -> StreamStore:
        """Return the table with some columns as another one has them."""
        mine = self.frame.select(by_names(name for name in self.columns if name not in columns))
        both = pl.concat([mine, alike(StreamStore, other).frame.select(by_names(columns))], how="horizontal")
        return self._settled(both.select(by_names(self.columns)), self.columns, None)

    def beside(self, original: Store) -> StreamComparison:
        """Return the table beside the one that it was made from."""
        return StreamComparison(self, alike(StreamStore, original))

    def occurrences(self, column: str, text: str) -> int:
        """Return the number of cells of a column with a text."""
        return int(self.collect(self.frame.select((self.text(column) == text).sum())).item() or 0)

    def parts(self, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
        """Yield some columns, some rows at a time, in order."""
        with saying(self.name):
            yield from self.frame.select(by_names(columns)).collect_batches(
                chunk_size=ALL_ROWS, maintain_order=True, engine="streaming"
            )

    def places(self) -> Ints | None:
        """Return the places of the rows in the table that this one was made of."""
        if self.row is None:
            return None
        return self.collect(self.frame.select(self.row)).to_series().to_numpy().astype(np.int64)

    def places_at(self, rows: Ints) -> Ints:
        """Return these places of some rows."""
        if self.row is None:
            return rows
        numbered = self.frame.select(self.row).with_row_index(self.free_name("at"))
        found = self.collect(numbered.filter(coded.among(pl.nth(0).cast(pl.Int64), rows)).select(self.row))
        return found.to_series().to_numpy().astype(np.int64)

    def saved(self) -> Path:
        """Return a Parquet file with the table and nothing else."""
        if self.files.own and self.row is None and len(self.files.paths) == 1:
            return self.files.paths[0]
        return self._settled(self.frame.select(by_names(self.columns)), self.columns, None).files.paths[0]

    def changed(self) -> bool:
        """Whether the files are not the same any more."""
        return self.files.changed()

    def native(self) -> pl.LazyFrame:
        """Return the table as a lazy frame; its file goes when the program ends."""
        if self.files.own:
            self.scratch.keep()
        return self.frame.select(by_names(self.columns))

    def free_name(self, wanted: str = "row") -> str:
        """Return a name that no column has."""
        while wanted in self.schema:
            wanted += "_"
        return wanted

    def _settled(self, frame: pl.LazyFrame, columns: tuple[str, ...], row: str | None) -> StreamStore:
        path = self.scratch.new()
        with saying(self.name):
            frame.sink_parquet(path, engine="streaming")
        return StreamStore(Files.of([path], own=True), self.scratch, self.name, columns, row)

    def collect(self, frame: pl.LazyFrame) -> pl.DataFrame:
        """Return what a query gives."""
        with saying(self.name):
            return frame.collect(engine="streaming")

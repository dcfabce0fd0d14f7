"""The engine for large tables: counts are fetched, everything else happens where the rows live.

What is fetched: the distinct combinations of the columns that the policy counts with and, where single cells are
protected or a release is attacked, single columns as codes. How many follows from the memory limit (`Limits`). More is
refused before it is fetched.

A release is made in two steps. First only what the recodings make of the counts is looked at, in memory, to find the
groups that must be masked; no row is touched. Then, or as soon as more than counts is asked for, the release is settled
in a file: what is verified is what is published.
"""

from __future__ import annotations

import filecmp
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np
import polars as pl

from discreet.encoded import Combinations, Encoded, Ints, smallest
from discreet.errors import InputError
from discreet.plan.masks import ALL, Masks
from discreet.plan.parts import Edit, Unseen
from discreet.plan.plan import Plan
from discreet.policy import Missing, Policy
from discreet.table.by_name import nameless
from discreet.table.engine import Engine, Mismatch, Opened, Pair, Recount, pair_texts
from discreet.table.formats.form import Form
from discreet.table.masking import mask_of
from discreet.table.memory import FETCHED, PROCESS, Limits, shown
from discreet.table.stores import counts
from discreet.table.stores.cells import may_be_text, texts_of
from discreet.table.stores.files import Files, changed
from discreet.table.stores.spark.store import SparkStore, no_order
from discreet.table.stores.store import Difference, Making, Map, Store
from discreet.table.stores.stream import StreamStore

Opener = Callable[[Path, Policy], StreamStore]
"""Reads a released file, to compare it with what was verified."""


MOST_NAMES = 1_000_000
"""Different values of an identifier that are counted."""


class BigEngine:
    """A table that lives in a store, or will when somebody needs more of it than counts.

    Parameters
    ----------
    store
        The store, or what makes it.
    name
        What the table is called in messages.
    form
        How text files are written.
    opener
        How another file is read.
    base, making
        The table that this one is made of, and how.
    limits
        How much may be fetched of it; as much as of its base when absent.
    """

    row_wise = False

    def __init__(
        self,
        store: Store | Callable[[], Store],
        name: str,
        form: Form,
        opener: Opener,
        *,
        base: BigEngine | None = None,
        making: Making | None = None,
        numbers: Ints | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.limits: Limits = limits or (base.limits if base is not None else Limits())
        self._store, self.name, self.form, self._opener = store, name, form, opener
        self._base, self._making, self._numbers = base, making, numbers
        self._counted: dict[tuple[str, ...], Combinations] = {}
        self._codes: dict[str, Encoded] = {}
        self._pairs: dict[tuple[int, str], pl.DataFrame] = {}
        self._compared: dict[tuple[int, str | None], dict[str, Difference]] = {}
        self._beside: dict[int, BigEngine] = {}
        self.original = False
        """Whether it is a table from which a release is to be made."""
        self.dropped = 0
        self.unseen = 0
        self._masked: int | None = None

    @property
    def store(self) -> Store:
        """Where the rows are; a release is settled now if it was not yet."""
        if callable(self._store):
            self._store = self._store()
            if self._base is not None:
                self._base.refuse_changed()
        return self._store

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        return self._making.columns if self._making is not None else self.store.columns

    @property
    def rows(self) -> int:
        """Number of rows."""
        if self._base is not None and self._making is not None and not self._making.drops:
            return self._base.rows
        return self.store.rows

    @property
    def suppressed(self) -> int:
        """Number of rows that are masked on all columns that may change."""
        return 0 if self._making is None or self._making.removes else self._rows_masked()

    @property
    def removed(self) -> int:
        """Number of rows of the base that are left out."""
        return 0 if self._making is None or self._base is None else self._base.rows - self.rows

    def kind(self, column: str) -> str:
        """Return the kind of values of a column: text, or the name of their type."""
        if self._making is None or self._base is None or not callable(self._store):
            return self.store.kinds[column]
        return "text" if self._making.becomes_text(column) else self._base.kind(column)

    def has_text(self, column: str) -> bool:
        """Whether the values of a column have the same text as on the local engine."""
        if self._making is None or self._base is None or not callable(self._store):
            return self.store.has_text(column)
        return self._making.becomes_text(column) or self._base.has_text(column)

    def without_missing(self, missing: Missing | None) -> BigEngine:
        """Return the table without the rows that the policy wants dropped."""
        if missing is None or missing.rows != "drop":
            return self
        store = self.store.without_missing([value for value in missing.values if value is not None])
        if store is self.store:
            return self
        kept = BigEngine(store, self.name, self.form, self._opener, base=self)
        kept.dropped, kept.original = self.rows - kept.rows, self.original
        return kept

    def count(self, columns: Sequence[str]) -> Combinations:
        """Return the distinct combinations of the columns with their counts, for the planner."""
        key = tuple(columns)
        if key not in self._counted:
            known = self._known(key)
            self._counted[key] = known if known is not None else self._count(key)
        return self._counted[key]

    def _known(self, columns: tuple[str, ...]) -> Combinations | None:
        """Return counts that follow from others that were taken already."""
        wider = [key for key in self._counted if set(columns) <= set(key)]
        if not wider:
            return None
        return counts.projected(self._counted[min(wider, key=lambda key: len(self._counted[key].counts))], columns)

    def _count(self, columns: tuple[str, ...]) -> Combinations:
        if self._follows(columns):
            making = self._making
            assert self._base is not None
            assert making is not None
            gone = [name for name, map_ in making.maps.items() if len(map_.gone) and name not in columns]
            of_base = self._base.count((*columns, *gone))
            return counts.released(of_base, columns, making.maps, making.marker, removes=making.removes)
        self._refuse_strange(columns)
        most = self.limits.combinations
        counted = self.store.count(columns, most)
        if counted is None:
            raise InputError(
                f"{self.name}: the columns that the policy counts with have more than {most:,} different combinations, "
                f"{self.limits.why(most)}name fewer columns, or make some coarser"
            )
        if int(counted.counts.sum()) != self.rows:
            raise self._changed()
        return counted

    def _follows(self, columns: Sequence[str]) -> bool:
        """Whether counts on some columns follow from those of the base and the maps, before any row is masked."""
        making = self._making
        if self._base is None or making is None:
            return False
        return making.masks is None and making.left_out is None and not set(making.edits) & set(columns)

    def _refuse_strange(self, columns: Sequence[str]) -> None:
        for column in columns:
            if not self.has_text(column):
                raise InputError(
                    f"column {column!r} holds {self.kind(column)}, which has no text, or another one on other engines; "
                    "make it text first"
                )

    def domain(self, column: str) -> tuple[str | None, ...]:
        """Return the values that occur in a column in code-point order, a missing one first; no row is fetched."""
        self._refuse_strange([column])
        return self._codes[column].domain if column in self._codes else self.count([column]).domains[0]

    def named(self, column: str, missing: Sequence[str | None]) -> tuple[int, int] | None:
        """Return how many rows have a value in a column, and how many different ones; None where these are many."""
        most = min(MOST_NAMES, self.limits.combinations)
        counted = self.store.count([column], most) if self.has_text(column) else None
        if counted is None:
            return None
        told = np.array([text is not None and text not in missing for text in counted.domain(column)], dtype=np.bool_)
        rows = counted.rows(column)[told]
        return int(rows.sum()), len(rows)

    def encoded(self, column: str) -> Encoded:
        """Return a column as codes, row by row; refused where too many would have to be fetched."""
        if column not in self._codes:
            self._refuse_strange([column])
            self.refuse_rows(len(self._codes) + 1)
            self._codes[column] = self._fetched(column)
        return self._codes[column]

    def refuse_rows(self, columns: int) -> None:
        """Refuse at once to fetch so many columns row by row, where they are too many."""
        self._refuse_unordered()
        most = self.limits.cells
        if columns * self.rows > most:
            raise InputError(
                f"{self.name}: this needs single rows, and {columns} columns of {self.rows:,} rows (about "
                f"{shown(PROCESS + FETCHED * columns * self.rows)}) are more than {most:,} cells, "
                f"{self.limits.why(most)}name fewer columns, or take a sample of the table"
            )

    def _fetched(self, column: str) -> Encoded:
        domain = self._occurring(column)
        known = pl.Enum([value for value in domain if value is not None])
        codes = np.empty(self.rows, dtype=smallest(max(len(domain), 1)))
        offset, at = int(None in domain), 0
        for part in self.store.parts([column]):
            texts = texts_of(nameless(part.to_series()))
            try:
                physical = texts.cast(known).to_physical().cast(pl.Int64)
            except pl.exceptions.InvalidOperationError:
                raise self._changed() from None
            codes[at : at + len(texts)] = (physical + offset).fill_null(0).to_numpy()
            at += len(texts)
        if at != self.rows:
            raise self._changed()
        return Encoded(domain, codes)

    def _occurring(self, column: str) -> tuple[str | None, ...]:
        """Return the values of a column of the rows that are there, whatever a plan would make of those of its base."""
        if self._base is None:
            return self.count([column]).domains[0]
        most = self.limits.combinations
        found = self.store.count([column], most)
        if found is None:
            raise InputError(
                f"column {column!r} has more than {most:,} different values, {self.limits.why(most)}make it coarser"
            )
        return found.domains[0]

    def numbers(self) -> Ints:
        """Return the row number of the input (from 1) of each row."""
        if self._numbers is None:
            self.refuse_rows(max(len(self._codes), 1))
            places = None if self._is_whole() else self.store.places()
            if self._base is None:
                self._numbers = np.arange(1, self.rows + 1)
            else:
                of_base = self._base.numbers()
                self._numbers = of_base if places is None else of_base[places]
        return self._numbers

    def _is_ordered(self) -> bool:
        """Whether its rows have an order; nothing is settled to find out."""
        if callable(self._store) and self._base is not None:
            return self._base._is_ordered()
        return self.store.ordered

    def _refuse_unordered(self) -> None:
        """Refuse to look at single rows where they have neither numbers nor an order."""
        if not self._is_ordered():
            raise InputError(no_order(self.name))

    def _is_whole(self) -> bool:
        """Whether it has all rows of its base."""
        return self._making is not None and not self._making.drops

    def _numbers_at(self, rows: Ints) -> Ints:
        """Return the numbers of some rows (from 0, ascending); 0 where rows have none."""
        if not self._is_ordered():
            return np.zeros_like(rows)
        if self._numbers is not None:
            return self._numbers[rows]
        places = rows if self._is_whole() else self.store.places_at(rows)
        return places + 1 if self._base is None else self._base._numbers_at(places)

    def numbers_of(self, masks: Masks, released: Engine) -> Ints:
        """Return the row numbers of what masks mean: nobody asks an engine that is not `row_wise`."""
        raise NotImplementedError

    def suppressed_numbers(self) -> Ints:
        """Return the row numbers of suppressed rows: nobody asks an engine that is not `row_wise`."""
        raise NotImplementedError

    def apply(self, plan: Plan) -> BigEngine:
        """Return the release that the plan makes of this table; masks are about all rows, left out or not."""
        if plan.sampled is not None or plan.groupings or plan.suppressed:
            raise InputError(
                f"{self.name}: the plan is about single rows, or groups with labels of their own; it is carried out by "
                "the local engine on a table that fits into the memory"
            )
        maps = {recoding.column: self._map(plan, recoding.column) for recoding in plan.recodings}
        gone = any(len(map_.gone) for map_ in maps.values())
        making = Making(
            columns=tuple(name for name in self.columns if name not in plan.policy.identifiers),
            maps=maps,
            marker=plan.policy.marker,
            hides=gone or plan.masks is not None,
            masks=plan.masks,
            edits=self._edits(plan.edits),
            removes=plan.policy.removes and (gone or plan.masks is not None),
            left_out=self._places(plan.removed) if plan.removed else None,
        )
        release = self._made(making)
        if gone:
            release.unseen = self._rows_gone(making)
        if making.masks is not None and self._follows_masks(making):
            release._masked = self._rows_of(making.masks, replace(making, masks=None, hides=False))
        return release

    def _map(self, plan: Plan, column: str) -> Map:
        """Return what a plan makes of the texts of a column."""
        recoding = next(recoding for recoding in plan.recodings if recoding.column == column)
        domain = self.count([column]).domains[0]
        texts = recoding.texts(domain, plan.policy.column(column).scale)
        told = [plan.policy.marker if isinstance(text, Unseen) else text for text in texts]
        return _map_of(domain, told, [isinstance(text, Unseen) for text in texts])

    def _edits(self, edits: Sequence[Edit]) -> dict[str, pl.DataFrame]:
        """Return edits by columns, with the places of their rows."""
        texts: dict[str, dict[int, str]] = {}
        for edit in edits:
            texts.setdefault(edit.column, {})[edit.row] = edit.text
        found = {}
        for column, by_row in texts.items():
            rows = sorted(by_row)
            cells = [by_row[row] for row in rows]
            found[column] = pl.DataFrame(
                {"place": pl.Series(self._places(rows)), "text": pl.Series(cells, dtype=pl.String)}
            )
        return found

    def _places(self, numbers: Sequence[int]) -> Ints:
        """Return where the rows with these numbers (ascending) of the input stand."""
        self._refuse_unordered()
        wanted = np.asarray(numbers, dtype=np.int64)
        if self._base is None and self._numbers is None:
            if len(wanted) and (wanted[0] < 1 or wanted[-1] > self.rows):
                raise InputError("the plan names a row that the table does not have")
            return wanted - 1
        have = self.numbers()
        found = np.searchsorted(have, wanted)
        if len(wanted) and (found.max() >= len(have) or (have[found] != wanted).any()):
            raise InputError("the plan names a row that the table does not have")
        return found.astype(np.int64)

    def _made(self, making: Making) -> BigEngine:
        return self._other(lambda: self.store.make(making), making=making)

    def _other(self, store: Callable[[], Store], making: Making | None = None) -> BigEngine:
        return BigEngine(store, self.name, self.form, self._opener, base=self, making=making)

    def _follows_masks(self, making: Making) -> bool:
        """Whether the number of masked rows follows from counts: no edit is among what decides, nobody is gone."""
        assert making.masks is not None
        edited = set(making.edits) & set(making.masks.names)
        return not edited and not any(len(map_.gone) for map_ in making.maps.values())

    def _rows_of(self, masks: Masks, recoded: Making) -> int:
        """Return how many rows masks mean; refuse those that mean rows which are not there."""
        counted = counts.released(self.count(masks.names), masks.names, recoded.maps, recoded.marker, removes=False)
        place = {name: at for at, name in enumerate(counted.columns)}

        def encoded(name: str) -> Encoded:
            return Encoded(counted.domains[place[name]], counted.codes[place[name]])

        mask = mask_of(masks, encoded, len(counted.counts))
        wanted = np.array(masks.rows, dtype=np.int64)
        has = np.zeros(len(wanted) + 1, dtype=np.int64)
        np.add.at(has, mask, counted.counts)
        has = has[:-1]
        if (has < np.abs(wanted)).any():
            raise InputError("the plan names rows that the table does not have")
        return int(np.where(wanted == ALL, has, wanted).sum())

    def _rows_gone(self, making: Making) -> int:
        """Return how many rows have a value that is gone."""
        names = [name for name, map_ in making.maps.items() if len(map_.gone)]
        counted = self.count(names)
        gone = np.zeros(len(counted.counts), dtype=np.bool_)
        for name in names:
            lost = set(making.maps[name].gone.to_list())
            gone |= np.array([value in lost for value in counted.domain(name)], dtype=np.bool_)[counted.code(name)]
        return int(counted.counts[gone].sum())

    def _rows_masked(self) -> int:
        """Return how many rows are masked."""
        if self._masked is None:
            making = self._making
            assert making is not None
            assert self._base is not None
            if making.masks is None and making.left_out is None:
                self._masked = self.unseen
            else:
                self._masked = self._base.store.masked(making)
        return self._masked

    def edited(self, edits: Sequence[Edit]) -> BigEngine:
        """Return the table with other texts in some cells; its rows keep their numbers."""
        return self._made(Making(self.columns, edits=self._edits(edits))) if edits else self

    def reworded(self, changes: Mapping[str, Mapping[str | None, str]]) -> BigEngine:
        """Return the table with other texts for some texts of some columns; its rows keep their numbers."""
        maps = {}
        for name, texts in changes.items():
            domain = self.count([name]).domains[0]
            new = [texts.get(value, value) for value in domain]
            maps[name] = _map_of(domain, new)
        return self._made(Making(self.columns, maps)) if maps else self

    def only(self, places: Ints) -> BigEngine:
        """Return the table with only the rows at these places (from 0, ascending); they keep their numbers."""
        if len(places) == self.rows:
            return self
        return self._other(lambda: self.store.only(places))

    def numbered(self, numbers: Ints) -> BigEngine:
        """Return the same table with its rows known by these numbers (ascending) of the input."""
        other = BigEngine(self.store, self.name, self.form, self._opener, numbers=numbers, limits=self.limits)
        other._counted, other._codes = self._counted, self._codes
        return other

    def taking(self, other: Engine, columns: Sequence[str]) -> BigEngine:
        """Return the table with some columns as another one (with the same rows in the same order) has them."""
        theirs = _big(other)
        taken = self._other(lambda: self.store.taking(theirs.store, columns))
        taken._numbers = self._numbers
        return taken

    def codes_beside(self, original: Engine, column: str) -> tuple[Ints, Ints]:
        """Return a column of this table and of the original as codes that are equal where the values are."""
        theirs = _big(original)
        if not (self.has_text(column) and theirs.has_text(column)):
            return self._hashes(column), theirs._hashes(column)
        one, other = self.encoded(column), theirs.encoded(column)
        place = {value: at for at, value in enumerate(dict.fromkeys([*one.domain, *other.domain]))}
        mine, source = (
            np.array([place[value] for value in found.domain], dtype=np.int64)[found.codes] for found in (one, other)
        )
        return mine, source

    def _hashes(self, column: str) -> Ints:
        """Return a number for each value of a column without texts: enough to look for its like."""
        self.refuse_rows(len(self._codes) + 1)
        found = [nameless(part.to_series()).hash(seed=0).to_numpy() for part in self.store.parts([column])]
        return np.concatenate([np.zeros(0, dtype=np.uint64), *found]).astype(np.int64)

    def beside(self, original: Engine) -> BigEngine | None:
        """Return the original with only the rows that this release, made of it, still has; None if it was not."""
        if self._base is not original or self._making is None:
            return None
        if self._is_whole():
            return self._base
        if id(original) not in self._beside:
            theirs = self._base
            kept = theirs._other(lambda: self.store.kept_of(theirs.store))
            self._beside[id(original)] = kept
        return self._beside[id(original)]

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> Recount:
        """Count the groups of rows with equal texts on `given`, for verification.

        What an original was like is told by what was counted for the planner, if that is enough; a release is counted.
        """
        counted = self._known(tuple(dict.fromkeys((*given, *([column] if column else []))))) if self.original else None
        if counted is not None:
            found = counts.recounted(counted, given, column, values, hidden)
        else:
            found = self.store.recount(given, column, values, hidden)
        rows = found.get_column("rows").to_numpy().astype(np.int64)
        if int(rows.sum()) != self.store.rows:
            raise self._changed()
        hits = np.empty((len(rows), len(values)), dtype=np.int64)
        for place in range(len(values)):
            hits[:, place] = found.get_column(f"hits {place}").to_numpy()
        texts = pl.DataFrame([found.get_column(f"given {place}") for place in range(len(given))])
        return Recount(texts, rows, hits, found.get_column("hidden").to_numpy().astype(np.int64))

    def mismatches(self, original: Engine, column: str, marker: str | None) -> Mismatch | None:
        """Compare a column with that of the original, row by row; `marker` may stand for anything."""
        theirs = _big(original)
        if self._making is not None and column in self._making.maps:
            pairs = self._paired(theirs, column)
            bad = pl.col("original").ne_missing(pl.col("released"))
            if marker is not None:
                bad &= pl.col("released").ne_missing(pl.lit(marker, pl.String))
            wrong = pairs.filter(bad)
            if not len(wrong):
                return None
            cells, first = int(wrong.get_column("cells").sum()), self.store.first_of(theirs.store, column, wrong)
        else:
            found = self._compare(theirs, column, marker)
            cells = found.cells if marker is None else found.unmarked
            at = found.first if marker is None else found.first_unmarked
            if not cells or at is None:
                return None
            first = at
        return Mismatch(cells, int(theirs._numbers_at(np.array([first]))[0]))

    def _compare(self, original: BigEngine, column: str, marker: str | None) -> Difference:
        """Compare a column with that of the original, and all others with it: the rows are read once."""
        own = self._making.marker if self._making is not None else None
        key = (id(original), marker if marker is not None else own)
        if key not in self._compared:
            self._refuse_other_rows(original)
            maps = self._making.maps if self._making is not None else {}
            both = [name for name in self.columns if name in original.columns and name not in maps]
            self._compared[key] = self.store.differences(original.store, both, key[1])
        return self._compared[key][column]

    def _refuse_other_rows(self, original: BigEngine) -> None:
        if self.store.rows != original.store.rows:
            raise self._changed()

    def pairs(self, original: Engine, column: str) -> list[Pair]:
        """Return the different pairs of original and released text of a column, with the rows that have them."""
        found = self._paired(_big(original), column)
        return [Pair(*pair) for pair in found.select("original", "released", "cells").iter_rows()]

    def first_of(self, original: Engine, column: str, pairs: Sequence[Pair]) -> int:
        """Return the row number of the first row with one of some pairs; 0 where rows have none."""
        theirs = _big(original)
        first = self.store.first_of(theirs.store, column, pair_texts(pairs))
        return int(theirs._numbers_at(np.array([first]))[0])

    def _paired(self, original: BigEngine, column: str) -> pl.DataFrame:
        """Return pairs of texts, those of all columns that may have changed together."""
        if (id(original), column) not in self._pairs:
            self._refuse_other_rows(original)
            maps = self._making.maps if self._making is not None else {}
            together = [name for name in maps if name in self.columns] if column in maps else [column]
            for name, pairs in self.store.pairs(original.store, together).items():
                self._refuse_other_counts(original, name, pairs)
                self._pairs[id(original), name] = pairs
        return self._pairs[id(original), column]

    def _refuse_other_counts(self, original: BigEngine, column: str, pairs: pl.DataFrame) -> None:
        """Refuse pairs that do not fit what was counted of the original before."""
        counted = original._known((column,))
        if counted is not None:
            now = dict(pairs.group_by("original").agg(pl.col("cells").sum()).iter_rows())
            if now != dict(zip(counted.domains[0], counted.counts.tolist(), strict=True)):
                raise original._changed()

    def occurrences(self, column: str, text: str) -> int:
        """Return the number of cells of a column with this text."""
        for (_, name), pairs in self._pairs.items():
            if name == column:
                return int(pairs.filter(pl.col("released") == text).get_column("cells").sum())
        return self.store.occurrences(column, text)

    def refuse_changed(self) -> None:
        """Refuse a table whose files are not the same any more."""
        if self._base is not None:
            self._base.refuse_changed()
        if not callable(self._store) and self._store.changed():
            raise self._changed()

    def _changed(self) -> InputError:
        return changed(self.name)

    def native(self) -> object:
        """Return the table as the kind of table that came in."""
        return self.store.native()

    def write(self, target: BinaryIO, path: Path) -> None:
        """Write the table; the name of `path` says in which form."""
        if self.form.is_parquet(path):
            with self.store.saved().open("rb") as file:
                shutil.copyfileobj(file, target, 1 << 20)
            return
        parts = (pl.DataFrame(list(map(_written, part))) for part in self._settled().parts(self.columns))
        self.form.write_parts(self.columns, parts, target, path)

    def writes_folder(self, path: Path) -> bool:
        """Whether a release of this name is a folder of Parquet files: from Spark, where the name has no ending."""
        return isinstance(self.store, SparkStore) and not path.suffix

    def write_folder(self, folder: Path) -> None:
        """Write Parquet files into a folder, each worker its own."""
        assert isinstance(self.store, SparkStore)
        self.store.write_folder(folder)

    def reads_back(self, path: Path, policy: Policy, opened: Opened) -> bool:  # noqa: ARG002 - it has its own way
        """Whether a written file, or a folder of such, is read as this very table."""
        if isinstance(self.store, SparkStore) and path.is_dir():
            return self.store.reads_back(path)
        if self.form.is_parquet(path):
            return filecmp.cmp(self.store.saved(), path, shallow=False)
        mine, found = self._settled(), self._opener(path, policy)
        if found.columns != mine.columns or found.rows != mine.rows:
            return False
        return not any(difference.cells for difference in found.differences(mine, mine.columns, None).values())

    def _settled(self) -> StreamStore:
        """Return the file that holds the table, as Polars reads it: texts are then those of the local engine."""
        return StreamStore.open(Files.of([self.store.saved()], own=True), self.store.scratch, self.name)


def _written(cells: pl.Series) -> pl.Series:
    """Return cells as they are written to a text file."""
    if not may_be_text(cells.dtype):
        raise InputError(f"column {cells.name!r}: is not text and cannot be written to a CSV file")
    return texts_of(nameless(cells)).alias(cells.name)


def _map_of(values: Sequence[str | None], texts: Sequence[str | None], gone: Sequence[bool] | None = None) -> Map:
    """Return what is released for some values."""
    columns = {"value": values, "text": texts, "gone": gone or [False] * len(values)}
    return Map(pl.DataFrame(columns, schema={"value": pl.String, "text": pl.String, "gone": pl.Boolean}))


def _big(engine: Engine) -> BigEngine:
    if not isinstance(engine, BigEngine):
        raise TypeError("both tables must be held by the same kind of engine")
    return engine

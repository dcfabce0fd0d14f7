"""The engine for large tables: counts are fetched, everything else happens where the rows live.

What is fetched: the distinct combinations of the columns that the policy counts with and, where single cells are
protected or a release is attacked, single columns as codes. How many follows from the memory limit (`FetchLimits`).
More is refused before it is fetched.

A release is made in two steps. First only what the recodings make of the counts is looked at, in memory, to find the
groups that must be masked; no row is touched. Then, or as soon as more than counts is asked for, the release is settled
in a file: what is verified is what is published.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from discreet.encoded import Combinations, Encoded, Ints
from discreet.errors import InputError
from discreet.plan.masks import Masks
from discreet.plan.parts import Edit
from discreet.plan.plan import Plan
from discreet.policy import Missing, Policy
from discreet.table.engine import Engine, Mismatch, Opened, Pair, Recount, alike, pair_texts
from discreet.table.formats.form import Form
from discreet.table.formats.place import Place
from discreet.table.memory import FetchLimits
from discreet.table.stores import counts
from discreet.table.stores.cells import no_text
from discreet.table.stores.comparing import Comparisons, first_number
from discreet.table.stores.counting import Counting, named, occurring
from discreet.table.stores.fetching import as_one, fetched, hashes
from discreet.table.stores.files import changed
from discreet.table.stores.from_plan import edits_of, making_of, map_of, rows_gone, rows_masked
from discreet.table.stores.labelled import LabelledTable, labelled
from discreet.table.stores.numbering import all_numbers, places_of
from discreet.table.stores.spark.order import no_order
from discreet.table.stores.spark.store import SparkStore
from discreet.table.stores.store import Making, Store
from discreet.table.stores.stream.store import StreamStore
from discreet.table.stores.writing import reads_back, write_table

Opener = Callable[[Path, Policy], StreamStore]
"""Reads a released file, to compare it with what was verified."""


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
        limits: FetchLimits | None = None,
    ) -> None:
        self.limits: FetchLimits = limits or (base.limits if base is not None else FetchLimits())
        self._store, self.name, self.form, self._opener = store, name, form, opener
        self.base, self.making, self._numbers = base, making, numbers
        self._counting = Counting()
        self._codes: dict[str, Encoded] = {}
        self._compared = Comparisons()
        self._beside: dict[int, BigEngine] = {}
        self.original = False
        """Whether it is a table from which a release is to be made."""
        self.dropped = 0
        self.unseen = 0
        self.counts_from: BigEngine | LabelledTable | None = base
        """What counts follow from as long as no row is looked at."""
        self._masked: int | None = None
        self._part: tuple[Ints, BigEngine] | None = None
        """The rows that were asked for last, by their places, as a table."""
        self.part_of: BigEngine | None = None
        """The table of which this one has only some rows, in the same order."""
        self._shown: LabelledTable | None = None
        """The table as the groups of the last plan show it."""

    @property
    def store(self) -> Store:
        """Where the rows are; a release is settled now if it was not yet."""
        if callable(self._store):
            self._store = self._store()
            if self.base is not None:
                self.base.refuse_changed()
        return self._store

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        return self.making.columns if self.making is not None else self.store.columns

    @property
    def rows(self) -> int:
        """Number of rows."""
        if self.base is not None and self.making is not None and not self.making.drops:
            return self.base.rows
        return self.store.rows

    @property
    def suppressed(self) -> int:
        """Number of rows that are masked on all columns that may change."""
        return 0 if self.making is None or self.making.removes else self._rows_masked()

    @property
    def removed(self) -> int:
        """Number of rows of the base that are left out."""
        return 0 if self.making is None or self.base is None else self.base.rows - self.rows

    def kind(self, column: str) -> str:
        """Return the kind of values of a column: text, or the name of their type."""
        if self.making is None or self.base is None or not callable(self._store):
            return self.store.kinds[column]
        return "text" if self.making.becomes_text(column) else self.base.kind(column)

    def has_text(self, column: str) -> bool:
        """Whether the values of a column have the same text as on the local engine."""
        if self.making is None or self.base is None or not callable(self._store):
            return self.store.has_text(column)
        return self.making.becomes_text(column) or self.base.has_text(column)

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
        return self._counting.count(self, tuple(columns))

    def known(self, columns: tuple[str, ...]) -> Combinations | None:
        """Return counts that follow from others that were taken already."""
        return self._counting.known(columns)

    def refuse_strange(self, columns: Sequence[str]) -> None:
        """Refuse columns whose values have no text, or another one on other engines."""
        for column in columns:
            if not self.has_text(column):
                raise no_text(column, self.kind(column))

    def domain(self, column: str) -> tuple[str | None, ...]:
        """Return the values that occur in a column in code-point order, a missing one first; no row is fetched."""
        self.refuse_strange([column])
        return self._codes[column].domain if column in self._codes else self.count([column]).domains[0]

    def named(self, column: str, missing: Sequence[str | None]) -> tuple[int, int] | None:
        """Return how many rows have a value in a column, and how many different ones; None where these are many."""
        return named(self, column, missing)

    def encoded(self, column: str) -> Encoded:
        """Return a column as codes, row by row; refused where too many would have to be fetched."""
        if column not in self._codes:
            self.refuse_strange([column])
            self.refuse_rows(len(self._codes) + 1)
            self._codes[column] = fetched(self.store, column, occurring(self, column), self.rows, self.name)
        return self._codes[column]

    def refuse_rows(self, columns: int) -> None:
        """Refuse at once to fetch so many columns row by row, where they are too many."""
        self.refuse_unordered()
        self.limits.refuse_rows(self.name, columns, self.rows)

    def numbers(self) -> Ints:
        """Return the row number of the input (from 1) of each row."""
        if self._numbers is None:
            self.refuse_rows(max(len(self._codes), 1))
            self._numbers = all_numbers(self)
        return self._numbers

    @property
    def known_numbers(self) -> Ints | None:
        """The row numbers, where they were given or looked at."""
        return self._numbers

    def is_ordered(self) -> bool:
        """Whether its rows have an order; nothing is settled to find out."""
        if callable(self._store) and self.base is not None:
            return self.base.is_ordered()
        return self.store.ordered

    def refuse_unordered(self) -> None:
        """Refuse to look at single rows where they have neither numbers nor an order."""
        if not self.is_ordered():
            raise InputError(no_order(self.name))

    def is_whole(self) -> bool:
        """Whether it has all rows of its base."""
        return self.making is not None and not self.making.drops

    def numbers_of(self, masks: Masks, released: Engine) -> Ints:
        """Return the row numbers of what masks mean: nobody asks an engine that is not `row_wise`."""
        raise NotImplementedError

    def suppressed_numbers(self) -> Ints:
        """Return the row numbers of suppressed rows: nobody asks an engine that is not `row_wise`."""
        raise NotImplementedError

    def apply(self, plan: Plan) -> BigEngine:
        """Return the release that the plan makes of this table; masks are about all rows, left out or not."""
        if plan.suppressed:
            raise InputError(
                f"{self.name}: the plan is about single rows; it is carried out by the local engine on a table that "
                "fits into the memory"
            )
        if plan.sampled is not None:
            return self.only(places_of(plan.sampled, self)).apply(replace(plan, sampled=None))
        if plan.groupings:
            return self._by_groups(plan)
        making = making_of(plan, self)
        release = self._made(making)
        release.unseen = rows_gone(making, self)
        release._masked = rows_masked(making, self)
        return release

    def _by_groups(self, plan: Plan) -> BigEngine:
        """Return the release by a plan whose groups have labels of their own."""
        shown = self._shown = labelled(plan, self, self._shown)
        making = shown.making_of(plan)
        release = self._other(lambda: shown.store.make(making), making=making)
        release.counts_from = shown
        release.unseen = shown.rows_unseen()
        release._masked = shown.rows_masked(making)
        return release

    def _made(self, making: Making) -> BigEngine:
        return self._other(lambda: self.store.make(making), making=making)

    def _other(self, store: Callable[[], Store], making: Making | None = None) -> BigEngine:
        return BigEngine(store, self.name, self.form, self._opener, base=self, making=making)

    def _rows_masked(self) -> int:
        """Return how many rows are masked."""
        if self._masked is None:
            making = self.making
            assert making is not None
            assert self.counts_from is not None
            if making.masks is None and making.left_out is None:
                self._masked = self.unseen
            else:
                self._masked = self.counts_from.store.masked(making)
        return self._masked

    def edited(self, edits: Sequence[Edit]) -> BigEngine:
        """Return the table with other texts in some cells; its rows keep their numbers."""
        return self._made(Making(self.columns, edits=edits_of(edits, self))) if edits else self

    def reworded(self, changes: Mapping[str, Mapping[str | None, str]]) -> BigEngine:
        """Return the table with other texts for some texts of some columns; its rows keep their numbers."""
        maps = {}
        for name, texts in changes.items():
            domain = self.count([name]).domains[0]
            maps[name] = map_of(domain, [texts.get(value, value) for value in domain])
        return self._made(Making(self.columns, maps)) if maps else self

    def only(self, places: Ints) -> BigEngine:
        """Return the table with only the rows at these places (from 0, ascending); they keep their numbers."""
        if len(places) == self.rows:
            return self
        if self._part is None or not np.array_equal(self._part[0], places):  # a sample is asked for again and again
            self._part = places, self._other(lambda: self.store.only(places))
            self._part[1].part_of = self
        return self._part[1]

    def in_order(self, places: Ints) -> BigEngine:
        """Return the table with its rows (by their places, each once) in another order; numbers are forgotten."""
        self.refuse_unordered()
        return self._other(lambda: self.store.in_order(places))

    def numbered(self, numbers: Ints) -> BigEngine:
        """Return the same table with its rows known by these numbers (ascending) of the input."""
        other = BigEngine(self.store, self.name, self.form, self._opener, numbers=numbers, limits=self.limits)
        other._counting, other._codes = self._counting, self._codes
        return other

    def taking(self, other: Engine, columns: Sequence[str]) -> BigEngine:
        """Return the table with some columns as another one (with the same rows in the same order) has them."""
        theirs = alike(BigEngine, other)
        taken = self._other(lambda: self.store.taking(theirs.store, columns))
        taken._numbers = self._numbers
        return taken

    def codes_beside(self, original: Engine, column: str) -> tuple[Ints, Ints]:
        """Return a column of this table and of the original as codes that are equal where the values are."""
        theirs = alike(BigEngine, original)
        if not (self.has_text(column) and theirs.has_text(column)):
            return self._hashes(column), theirs._hashes(column)
        return as_one(self.encoded(column), theirs.encoded(column))

    def _hashes(self, column: str) -> Ints:
        """Return a number for each value of a column without texts: enough to look for its like."""
        self.refuse_rows(len(self._codes) + 1)
        return hashes(self.store, column)

    def beside(self, original: Engine) -> BigEngine | None:
        """Return the original with only the rows that this release, made of it or of a sample, has; else None."""
        if self.base is None or self.making is None or original not in (self.base, self.base.part_of):
            return None
        if self.is_whole():
            return self.base
        if id(original) not in self._beside:
            theirs = self.base
            kept = theirs._other(lambda: self.store.kept_of(theirs.store))
            self._beside[id(original)] = kept
        return self._beside[id(original)]

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> Recount:
        """Count the groups of rows with equal texts on `given`, for verification.

        What an original was like is told by what was counted for the planner, if that is enough; a release is counted.
        """
        counted = self.known(tuple(dict.fromkeys((*given, *([column] if column else []))))) if self.original else None
        if counted is not None:
            found = counts.recounted(counted, given, column, values, hidden)
        else:
            found = self.store.recount(given, column, values, hidden)
        recount = Recount.of(found, len(given), len(values))
        if int(recount.rows.sum()) != self.store.rows:
            raise changed(self.name)
        return recount

    def mismatches(self, original: Engine, column: str, marker: str | None) -> Mismatch | None:
        """Compare a column with that of the original, row by row; `marker` may stand for anything."""
        return self._compared.mismatch(self, alike(BigEngine, original), column, marker)

    def pairs(self, original: Engine, column: str) -> list[Pair]:
        """Return the different pairs of original and released text of a column, with the rows that have them."""
        found = self._compared.pairs(self, alike(BigEngine, original), column)
        return list(map(Pair._make, found.select("original", "released", "cells").iter_rows()))

    def first_of(self, original: Engine, column: str, pairs: Sequence[Pair]) -> int:
        """Return the row number of the first row with one of some pairs; 0 where rows have none."""
        return first_number(self, alike(BigEngine, original), column, pair_texts(pairs))

    def occurrences(self, column: str, text: str) -> int:
        """Return the number of cells of a column with this text."""
        known = self._compared.occurrences(column, text)
        return self.store.occurrences(column, text) if known is None else known

    def refuse_changed(self) -> None:
        """Refuse a table whose files are not the same any more."""
        if self.base is not None:
            self.base.refuse_changed()
        if not callable(self._store) and self._store.changed():
            raise changed(self.name)

    def native(self) -> object:
        """Return the table as the kind of table that came in."""
        return self.store.native()

    def write(self, target: BinaryIO, path: Place) -> None:
        """Write the table; the name of `path` says in which form."""
        write_table(self, target, path)

    def writes_folder(self, path: Path) -> bool:
        """Whether a release of this name is a folder of Parquet files: from Spark, where the name has no ending."""
        return isinstance(self.store, SparkStore) and not path.suffix

    def write_folder(self, folder: Path) -> None:
        """Write Parquet files into a folder, each worker its own."""
        assert isinstance(self.store, SparkStore)
        self.store.write_folder(folder)

    def reads_back(self, path: Path, policy: Policy, opened: Opened) -> bool:  # noqa: ARG002 - it has its own way
        """Whether a written file, or a folder of such, is read as this very table."""
        return reads_back(self, path, lambda: self._opener(path, policy))

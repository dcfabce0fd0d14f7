"""What the rest of discreet asks of whatever holds the rows. Methods never see an engine.

An engine holds one table, wherever its rows live. It counts for the planner (`count`), carries a plan out (`apply`),
and counts again for verification (`recount`, `mismatches`, `pairs`), the latter by other code than the former.

Counts are all that promises about groups need. Confidential cells, samples and attacks need rows one by one: an engine
that knows its rows so (`row_wise`) serves them all. The engine for large tables does not; it fetches what they need
within limits, and refuses the rest.

Nobody asks an engine for more than `Engine` says, but for two rooms: `assist/` looks into the one in memory for the
texts of a column, and `writing/` asks the one for large tables for a folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol, TypeVar

import numpy as np
import polars as pl

from discreet.encoded import Combinations, Encoded, Ints
from discreet.plan.masks import Masks
from discreet.plan.parts import Edit
from discreet.plan.plan import Plan
from discreet.policy import Policy
from discreet.table.formats.form import Form
from discreet.table.formats.place import Place

Held = TypeVar("Held")


@dataclass(frozen=True)
class Recount:
    """Groups of rows with equal released texts, with what verification needs to know of each.

    `texts` has one column per known column, in their order and under other names; `hits[:, i]` are the rows whose
    sensitive column has the i-th value asked for, `hidden` those whose sensitive cell has one of the texts that tell
    nothing.
    """

    texts: pl.DataFrame
    rows: Ints
    hits: Ints
    hidden: Ints

    @classmethod
    def of(cls, groups: pl.DataFrame, given: int, values: int) -> Recount:
        """Return groups that were counted: columns `given 0`, ..., `rows`, `hits 0`, ... and `hidden`."""
        rows, hidden = (groups.get_column(name).to_numpy().astype(np.int64) for name in ("rows", "hidden"))
        hits = np.empty((len(groups), values), dtype=np.int64)
        for place in range(values):
            hits[:, place] = groups.get_column(f"hits {place}").to_numpy()
        return cls(groups.select(f"given {place}" for place in range(given)), rows, hits, hidden)


@dataclass(frozen=True)
class Mismatch:
    """Cells of a column that are neither the original text nor a text that may stand for it."""

    cells: int
    first_row: int
    """Row number of the input, from 1; 0 where rows have none."""


class Pair(NamedTuple):
    """An original text and what was released for it, in so many cells."""

    original: str | None
    released: str | None
    cells: int


def pair_texts(pairs: Sequence[Pair]) -> pl.DataFrame:
    """Return pairs as a table with the columns `original` and `released`."""
    texts = {"original": [pair.original for pair in pairs], "released": [pair.released for pair in pairs]}
    return pl.DataFrame(texts, schema={"original": pl.String, "released": pl.String})


def alike(kind: type[Held], other: object) -> Held:
    """Return another table that is held in the same way; only such can be put side by side."""
    if not isinstance(other, kind):
        raise TypeError("both tables must be held by the same kind of engine")
    return other


class Engine(Protocol):
    """One table, wherever its rows live. What each method gives, and to whom."""

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        ...

    @property
    def rows(self) -> int:
        """Number of rows."""
        ...

    @property
    def dropped(self) -> int:
        """Number of rows of the input that were left out because a value is missing; for the audit."""
        ...

    @property
    def suppressed(self) -> int:
        """Number of rows of this release that are masked on all columns that may change; for the audit."""
        ...

    @property
    def removed(self) -> int:
        """Number of rows that this release lacks because they do not fit; for the audit."""
        ...

    @property
    def unseen(self) -> int:
        """Of the masked or removed rows, those with a value that the plan has not seen; for the audit."""
        ...

    @property
    def row_wise(self) -> bool:
        """Whether it knows its rows one by one.

        Only then is it asked for `numbers_of` and `suppressed_numbers`; for others, plans have `masks`. An engine that
        does not may refuse, or serve up to a limit, `encoded`, `numbers`, `edited`, `only`, `numbered`, `taking` and
        `codes_beside`. Policies about groups need none of them, but for samples: `numbers` and `only`.
        """
        ...

    def kind(self, column: str) -> str:
        """Return the kind of values of a column: `text`, or the name of their type.

        For the plan: new rows must have the same.
        """
        ...

    def count(self, columns: Sequence[str]) -> Combinations:
        """Return the distinct combinations of the columns with their counts.

        For the planner, for suppression and for the audit; never for verification, which has `recount`.
        """
        ...

    @property
    def form(self) -> Form:
        """How the table was written down, where it was a file."""
        ...

    def domain(self, column: str) -> tuple[str | None, ...]:
        """Return the values that occur in a column in code-point order, a missing one first; no row is looked at."""
        ...

    def named(self, column: str, missing: Sequence[str | None]) -> tuple[int, int] | None:
        """Return how many rows have a value (no `missing` one) in a column, and how many different values that are.

        None where the values have no texts, or are too many to count.
        """
        ...

    def encoded(self, column: str) -> Encoded:
        """Return a column as codes, row by row; for methods for cells, adversaries and attacks."""
        ...

    def refuse_rows(self, columns: int) -> None:
        """Refuse at once to look at so many columns row by row, where that takes too much memory."""
        ...

    def numbers(self) -> Ints:
        """Return the row number of the input (from 1) of each row; for samples, edits and suppressed rows."""
        ...

    def numbers_of(self, masks: Masks, released: Engine) -> Ints:
        """Return the row numbers, ascending, of what masks mean in a recoded table that was made of this one.

        For suppression. Where rows have no numbers the plan keeps the masks.
        """
        ...

    def suppressed_numbers(self) -> Ints:
        """Return the row numbers, ascending, of the rows that this release masks or lacks because they do not fit."""
        ...

    def apply(self, plan: Plan) -> Engine:
        """Return the release that the plan makes of this table, as an engine of its own."""
        ...

    def edited(self, edits: Sequence[Edit]) -> Engine:
        """Return the table with other texts in some cells; its rows keep their numbers.

        For planning and `check`: what is counted, and guessed, where confidential cells are hidden.
        """
        ...

    def reworded(self, changes: Mapping[str, Mapping[str | None, str]]) -> Engine:
        """Return the table with other texts for some texts of some columns; its rows keep their numbers.

        For the audit of releases that other tools wrote in their own way.
        """
        ...

    def only(self, places: Ints) -> Engine:
        """Return the table with only the rows at these places (from 0, ascending); they keep their numbers.

        For samples, and for verification where rows were left out.
        """
        ...

    def in_order(self, places: Ints) -> Engine:
        """Return the table with its rows (by their places, from 0, each once) in another order; numbers are forgotten.

        For a release that leaves in an order of its own, and for verification, which puts such a one in order again.
        """
        ...

    def numbered(self, numbers: Ints) -> Engine:
        """Return the same table with its rows known by these numbers (ascending) of the input.

        For the audit of a release that was made elsewhere.
        """
        ...

    def taking(self, other: Engine, columns: Sequence[str]) -> Engine:
        """Return the table with some columns as another one (with the same rows in the same order) has them.

        For the audit of a release that was made elsewhere.
        """
        ...

    def codes_beside(self, original: Engine, column: str) -> tuple[Ints, Ints]:
        """Return a column of this table and of the original as codes that are equal where the values are.

        For verification, which puts rows side by side where some were left out. A column without texts may have equal
        codes elsewhere too.
        """
        ...

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> Recount:
        """Count the groups of rows with equal texts on `given`; `column` None: only the rows.

        For verification, by other code than `count`.
        """
        ...

    def mismatches(self, original: Engine, column: str, marker: str | None) -> Mismatch | None:
        """Compare a column with that of the original, row by row; `marker` may stand for anything.

        For verification: cells that are neither the original nor the marker. Also for reading back what was written.
        """
        ...

    def pairs(self, original: Engine, column: str) -> list[Pair]:
        """Return the different pairs of original and released text of a column, with the cells that have them.

        For verification of columns that may be made coarser: whether each text covers its original.
        """
        ...

    def first_of(self, original: Engine, column: str, pairs: Sequence[Pair]) -> int:
        """Return the row number of the first row with one of some pairs of texts; 0 where rows have none."""
        ...

    def occurrences(self, column: str, text: str) -> int:
        """Return the number of cells of a column with this text; for the audit."""
        ...

    def native(self) -> object:
        """Return the table as the kind of table that came in: `release.table`."""
        ...

    def write(self, target: BinaryIO, path: Place) -> None:
        """Write the table, for `writing/`; the name of `path` says in which form."""
        ...

    def reads_back(self, path: Path, policy: Policy, opened: Opened) -> bool:
        """Whether a file that `write` wrote is read as this very table; `opened` reads it as anybody would.

        For `writing/`, which publishes nothing else.
        """
        ...

    def beside(self, original: Engine) -> Engine | None:
        """Return the original with only the rows that this release of it still has, if the engine knows them.

        A proposal for verification and the audit: every cell is compared with the row that it is put beside.
        """
        ...

    def refuse_changed(self) -> None:
        """Refuse a table whose files have changed since they were opened, where its rows were not all read then.

        For the pipeline, when the release is made.
        """
        ...


Opened = Callable[[Path, Policy], Engine]
"""Reads a released file."""

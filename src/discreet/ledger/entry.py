"""What a ledger says of one release, and what its releases tell of everybody in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from discreet.encoded import Encoded, encode, of_texts
from discreet.policy import Policy

Flags = npt.NDArray[np.bool_]
DRAFT, PENDING, PUBLISHED, WITHDRAWN = "draft", "pending", "published", "withdrawn"
COUNTING = (PENDING, PUBLISHED, WITHDRAWN)
"""What somebody outside may have seen: what was public stays known."""
PERSON, ROW = "person", "row"
MOST_CATEGORIES = 2**16
"""Different texts of a column up to which it is kept as numbers of them."""


@dataclass(frozen=True)
class LedgerEntry:
    """A release as the ledger lists it."""

    name: str
    state: str
    time: str
    sha256: str
    """The hash of its file."""
    path: str
    """Where the file stood when it was recorded."""
    columns: tuple[str, ...]
    persons: int
    people: str
    """The file of the ledger with what it tells of each person."""
    plan: str | None
    policy: Mapping[str, Any]
    held: int = 0
    """New persons who were kept back."""
    left_out: int = 0
    """Persons who were left out because too few others with their past are gone."""
    beside: tuple[str, ...] | None = None
    """Of blind protection: the releases from which it started; None where there is none."""

    @property
    def counts(self) -> bool:
        """Whether somebody may have seen it."""
        return self.state in COUNTING

    def becoming(self, state: str) -> LedgerEntry:
        """Return the same in another state."""
        return replace(self, state=state)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {name: value for name, value in asdict(self).items() if name != "beside" or value is not None}


def entry_of(said: Mapping[str, Any]) -> LedgerEntry:
    """Return an entry from plain data."""
    tuples = {name: tuple(said[name]) for name in ("columns", "beside") if name in said}
    return LedgerEntry(**{**said, **tuples})


def now() -> str:
    """Return the time, as entries have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class PastRelease:
    """A release with what it tells of each person: a column `person`, then `c0`, `c1`, ... for its columns.

    A column with confidential cells has another one beside it, `s0`, `s1`, ...: whose cell is confidential. Where stars
    of blind protection tell who knows the method what may be there, `b0`, `b1`, ... have it, as JSON.

    Where persons have several rows (`unit`) there is a line for each row, and where a row key was given a column `row`
    with its name, by which the same row is found again in other releases.
    """

    name: str
    policy: Policy
    columns: tuple[str, ...]
    people: pl.DataFrame
    made_here: bool = True
    """Whether a ledger saw it made; else it was added, and nobody knows how it was made."""
    _encoded: dict[str, Encoded] = field(default_factory=dict, repr=False, compare=False)

    @property
    def persons(self) -> pl.Series:
        """Who is in it."""
        return self.people.get_column(PERSON)

    @property
    def of_rows(self) -> bool:
        """Whether its persons may have several rows."""
        return self.policy.unit is not None

    @property
    def rows(self) -> pl.Series | None:
        """The names of its rows, in the order of its persons; None where nobody links them to those of others."""
        return self.people.get_column(ROW) if ROW in self.people.columns else None

    def label(self, column: str) -> str:
        """Return under which name `people` has a column."""
        return f"c{self.columns.index(column)}"

    def confidential(self, column: str) -> pl.Series | None:
        """Return whose cell of a column is confidential, in the order of its persons; None where nobody's is."""
        label = secret_label(self.columns.index(column))
        return self.people.get_column(label) if label in self.people.columns else None

    def secret_of(self, column: str, some: pl.DataFrame) -> pl.Series:
        """Return whose cell of a column is confidential, among some of its people."""
        label = secret_label(self.columns.index(column))
        if label in some.columns:
            return some.get_column(label)
        return pl.repeat(False, some.height, eager=True)

    def blocks_of(self, column: str, some: pl.DataFrame) -> list[str | None]:
        """Return what stars in a column tell of some of its people; None where nothing."""
        label = block_label(self.columns.index(column))
        return some.get_column(label).to_list() if label in some.columns else [None] * some.height

    @property
    def confidential_columns(self) -> tuple[str, ...]:
        """The columns with confidential cells."""
        return tuple(column for column in self.columns if self.confidential(column) is not None)

    def texts(self, column: str) -> pl.Series:
        """Return what it tells of a column, in the order of its persons."""
        return self.people.get_column(self.label(column))

    def encoded(self, column: str) -> Encoded:
        """Return the same as codes; read once."""
        if column not in self._encoded:
            texts = self.texts(column)
            self._encoded[column] = _by_number(texts) if isinstance(texts.dtype, pl.Enum) else encode(texts)
        return self._encoded[column]


def _by_number(texts: pl.Series) -> Encoded:
    """Return a column that is kept as numbers of its texts as codes: those that occur, in code-point order."""
    assert isinstance(texts.dtype, pl.Enum)
    categories: list[str | None] = [*texts.dtype.categories.to_list(), None]
    return of_texts(categories, texts.to_physical().fill_null(len(categories) - 1).to_numpy())


def told_texts(texts: pl.Series) -> pl.Series:
    """Return a column as a ledger keeps it: numbers of its texts where these are not too many."""
    values = texts.drop_nulls().unique()
    return texts.cast(pl.Enum(values.sort())) if len(values) <= MOST_CATEGORIES else texts


def secret_label(place: int) -> str:
    """Return under which name `people` says whose cell of a column, by its place, is confidential."""
    return f"s{place}"


def block_label(place: int) -> str:
    """Return under which name `people` says what stars in a column, by its place, tell who knows the method."""
    return f"b{place}"


def people_frame(
    persons: pl.Series,
    texts: Sequence[pl.Series],
    confidential: Mapping[int, Flags] | None = None,
    blocks: Mapping[int, pl.Series] | None = None,
    rows: pl.Series | None = None,
) -> pl.DataFrame:
    """Return what a release tells of each person as the ledger keeps it.

    `confidential` says whose cells are, and `blocks` what stars tell, both by column; `rows` are the names of rows,
    where persons have several that are linked across releases.
    """
    named = [
        (each if isinstance(each.dtype, pl.Enum) else each.cast(pl.String)).alias(f"c{place}")
        for place, each in enumerate(texts)
    ]
    secrets = [pl.Series(secret_label(place), whose) for place, whose in (confidential or {}).items()]
    stars = [told.cast(pl.String).alias(block_label(place)) for place, told in (blocks or {}).items()]
    linked = [] if rows is None else [rows.alias(ROW)]
    return pl.DataFrame([persons.alias(PERSON), *linked, *named, *secrets, *stars])


def in_order(people: pl.DataFrame) -> pl.DataFrame:
    """Return rows of persons in the order of their names, those of one by what they tell: whose row stood where is
    nobody's business."""
    return people.sort(PERSON, *(name for name in people.columns if name != PERSON), nulls_last=True)

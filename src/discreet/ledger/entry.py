"""What a ledger says of one release, and what its releases tell of everybody in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
import polars as pl

from discreet.encoded import Encoded, encode, smallest
from discreet.policy import Policy

DRAFT, PENDING, PUBLISHED, WITHDRAWN = "draft", "pending", "published", "withdrawn"
COUNTING = (PENDING, PUBLISHED, WITHDRAWN)
"""What somebody outside may have seen: what was public stays known."""
PERSON = "person"
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

    @property
    def counts(self) -> bool:
        """Whether somebody may have seen it."""
        return self.state in COUNTING

    def becoming(self, state: str) -> LedgerEntry:
        """Return the same in another state."""
        return replace(self, state=state)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)


def entry_of(said: Mapping[str, Any]) -> LedgerEntry:
    """Return an entry from plain data."""
    return LedgerEntry(**{**said, "columns": tuple(said["columns"])})


def now() -> str:
    """Return the time, as entries have it."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True)
class PastRelease:
    """A release with what it tells of each person: a column `person`, then `c0`, `c1`, ... for its columns."""

    name: str
    policy: Policy
    columns: tuple[str, ...]
    people: pl.DataFrame
    _encoded: dict[str, Encoded] = field(default_factory=dict, repr=False, compare=False)

    @property
    def persons(self) -> pl.Series:
        """Who is in it."""
        return self.people.get_column(PERSON)

    def label(self, column: str) -> str:
        """Return under which name `people` has a column."""
        return f"c{self.columns.index(column)}"

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
    numbers = texts.to_physical().fill_null(len(categories) - 1).to_numpy()
    there = np.flatnonzero(np.bincount(numbers, minlength=len(categories))).tolist()
    there.sort(key=lambda place: (categories[place] is not None, categories[place] or ""))
    code = np.zeros(len(categories), dtype=smallest(len(there)))
    code[there] = np.arange(len(there))
    return Encoded(tuple(categories[place] for place in there), code[numbers])


def told_column(encoded: Encoded) -> pl.Series:
    """Return a column as a ledger keeps it: numbers of its texts where these are not too many."""
    texts = pl.Series([text for text in encoded.domain if text is not None], dtype=pl.String)
    codes = pl.Series(encoded.codes).cast(pl.UInt32)
    if len(texts) < len(encoded.domain):  # a missing value is the first
        codes = pl.select(pl.when(codes > 0).then(codes - 1)).to_series()
    return codes.cat.to(pl.Enum(texts)) if len(texts) <= MOST_CATEGORIES else texts.gather(codes)


def people_frame(persons: pl.Series, texts: Sequence[pl.Series]) -> pl.DataFrame:
    """Return what a release tells of each person as the ledger keeps it."""
    named = [
        (each if isinstance(each.dtype, pl.Enum) else each.cast(pl.String)).alias(f"c{place}")
        for place, each in enumerate(texts)
    ]
    return pl.DataFrame([persons.alias(PERSON), *named])

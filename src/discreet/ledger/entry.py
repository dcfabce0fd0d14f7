"""What a ledger says of one release, and what its releases tell of everybody in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from typing import Any

import polars as pl

from discreet.policy import Policy

DRAFT, PENDING, PUBLISHED, WITHDRAWN = "draft", "pending", "published", "withdrawn"
COUNTING = (PENDING, PUBLISHED, WITHDRAWN)
"""What somebody outside may have seen: what was public stays known."""
PERSON = "person"


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


def people_frame(persons: pl.Series, texts: Sequence[pl.Series]) -> pl.DataFrame:
    """Return what a release tells of each person as the ledger keeps it."""
    named = [each.cast(pl.String).alias(f"c{place}") for place, each in enumerate(texts)]
    return pl.DataFrame([persons.alias(PERSON), *named])

"""What a release takes along for the ledger that it is to be recorded in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from discreet.errors import InputError
from discreet.policy import Policy

if TYPE_CHECKING:
    import polars as pl

    from discreet.ledger.entry import PastRelease


@dataclass(frozen=True)
class LedgerUse:
    """Which ledger is kept, and who is who."""

    path: Path
    person: str | None = None
    secret: Path | None = None
    name: str | None = None
    """What the release is called there; the name of its file when absent."""
    new_persons: bool = False
    """Whether it is right that under half of the persons are known."""
    row_key: str | None = None
    """The column that links rows of a person across releases, where she has several."""


def ledger_use(
    policy: Policy,
    ledger: str | Path | None,
    person: str | None,
    name: str | None,
    secret: str | Path | None,
    *,
    new_persons: bool,
    row_key: str | None = None,
) -> LedgerUse | None:
    """Return which ledger is kept; None where none is, and nothing is said that needs one."""
    if ledger is None:
        if policy.ledger is not None:
            raise InputError(
                "the policy speaks of a ledger, and none is given: name it with --ledger (in Python ledger=...), or "
                "take 'ledger' out of the policy"
            )
        said = {
            "--person": person,
            "--row-key": row_key,
            "--name": name,
            "--secret": secret,
            "--new-persons": new_persons or None,
        }
        if alone := [option for option, value in said.items() if value is not None]:
            raise InputError(f"{alone[0]} is for releases in a ledger: name that with --ledger")
        return None
    return LedgerUse(Path(ledger), person, None if secret is None else Path(secret), name, new_persons, row_key)


def ledger_asked(
    policy: Policy,
    ledger: str | Path | None,
    person: str | None,
    secret: str | Path | None,
    *,
    new_persons: bool,
    row_key: str | None = None,
) -> LedgerUse | None:
    """Return which ledger is asked where nothing is released: a policy that speaks of one may be looked at without."""
    if ledger is None and person is None and secret is None and row_key is None and not new_persons:
        return None
    return ledger_use(policy, ledger, person, None, secret, new_persons=new_persons, row_key=row_key)


@dataclass(frozen=True, repr=False)
class LinkedReleases:
    """Earlier releases, and who each row of a release is there. Private."""

    past: tuple[PastRelease, ...]
    persons: pl.Series
    rows: pl.Series | None = None
    """The names of the rows, where they are linked across releases."""


@dataclass(frozen=True, repr=False)
class LedgerNote:
    """A release that a ledger is to record once it is written: what it tells of each person. Private."""

    use: LedgerUse
    people: pl.DataFrame
    held: int = 0
    left_out: int = 0
    past: tuple[PastRelease, ...] = ()
    """The earlier releases that were counted."""
    persons: pl.Series | None = None
    """Who each released row is; the persons of `people` in their order where it is not said."""
    rows: pl.Series | None = None
    """The name of each released row, where rows are linked across releases."""

    @property
    def linked(self) -> LinkedReleases:
        """Who each released row is in earlier releases, where `persons` are in the order of the rows."""
        from discreet.ledger.entry import PERSON

        whose = self.people.get_column(PERSON) if self.persons is None else self.persons
        return LinkedReleases(self.past, whose, self.rows)

    def __repr__(self) -> str:
        return f"<LedgerNote: {self.people.height} persons; private>"

"""A release beside those of a ledger: who of the original is in it, and what it tells of everybody, read anew."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from discreet.encoded import Ints
from discreet.errors import InputError
from discreet.ledger.entry import PastRelease, people_frame
from discreet.ledger.folder import LedgerFolder, opened
from discreet.ledger.policies import person_column, with_person
from discreet.ledger.secret import LedgerSecret
from discreet.policy import Policy
from discreet.table.digests import digest_of
from discreet.table.engine import Engine
from discreet.table.source import Table
from discreet.verification.answers import Answer
from discreet.verification.joint import PERSONS, JointFinding, JointVerification, check_joint
from discreet.verification.row_matches import Matches

THIS = "this release"
LACKING = "rows are missing, and nobody can tell for sure whose the others are"
WITHOUT = "what this release and earlier ones tell together: the policy speaks of a ledger; give --ledger"


def not_checkable(why: str = WITHOUT) -> JointVerification:
    """Return that nobody can say anything about several releases."""
    finding = JointFinding((THIS,), 0, "several-releases", why, PERSONS, Answer.NOT_CHECKABLE)
    return JointVerification((), (finding,), 0, 0, 0, 0)


@dataclass(frozen=True)
class LedgerCheck:
    """The releases beside which one is verified, and how persons are known there."""

    person: str
    secret: LedgerSecret
    past: tuple[PastRelease, ...]
    name: str
    members: frozenset[str] | None
    """Who is in the release, where the ledger has it: others of the original were left out, or kept back."""

    def only_members(self, original: Engine) -> Engine:
        """Return the original with only the rows of those whom the ledger has in the release."""
        if self.members is None:
            return original
        there = np.array([name in self.members for name in self._names(original)], dtype=np.bool_)
        return original if there.all() else original.only(np.flatnonzero(there))

    def _names(self, original: Engine) -> list[str]:
        if self.person not in original.columns:
            raise InputError(f"--person: the original has no column {self.person!r}")
        whose = original.encoded(self.person)
        ids = [whose.domain[code] for code in whose.codes.tolist()]
        if None in ids or len(set(ids)) < len(ids):
            raise InputError(f"--person: {self.person!r} must be there in each row, and in no two rows the same")
        return self.secret.names([one for one in ids if one is not None]).to_list()

    def persons(self, original: Engine, places: Ints | None) -> pl.Series:
        """Return who each released row is; `places` are theirs in the original, all in order when absent."""
        names = pl.Series(self._names(original), dtype=pl.String)
        return names if places is None else names.gather(pl.Series(places).cast(pl.UInt32))

    def checked(
        self, released: Engine, policy: Policy, original: Engine, places: Ints | None, unmatched: str | None = None
    ) -> JointVerification:
        """Count every promise on all releases; `places` are those of the released rows in the original.

        Where they are not known, rows are taken in order, unless some are missing or `unmatched` says why not.
        """
        if places is None and (unmatched is not None or released.rows != original.rows):
            return not_checkable(unmatched or LACKING)
        persons = self.persons(original, places)
        texts = []
        for column in released.columns:
            encoded = released.encoded(column)
            texts.append(pl.Series(encoded.domain, dtype=pl.String).gather(pl.Series(encoded.codes).cast(pl.UInt32)))
        last = PastRelease(self.name, policy, tuple(released.columns), people_frame(persons, texts))
        return check_joint(self.past, last)


def ledger_check(
    table: Table, policy: Policy, ledger: str | Path, person: str | None, secret: str | Path | None
) -> tuple[Policy, LedgerCheck]:
    """Return the releases of a ledger beside which one is verified, and the policy with who is who."""
    whose = person_column(policy, person)
    with opened(ledger, secret) as folder:
        name, members = _known(folder, table)
        past = tuple(folder.past(but=name))
        return with_person(policy, whose), LedgerCheck(whose, folder.secret, past, name or THIS, members)


def _known(folder: LedgerFolder, table: Table) -> tuple[str | None, frozenset[str] | None]:
    """Return what the ledger calls a release, and who is in it, where it has it."""
    if not isinstance(table, (str, Path)) or not Path(table).exists():
        return None, None
    hashed, path = digest_of(table), str(Path(table).resolve())
    alike = [entry for entry in folder.entries if entry.sha256 == hashed]
    if not alike:
        return None, None
    mine = next((entry for entry in alike if entry.path == path), alike[-1])  # two may read the same
    return mine.name, frozenset(folder.read(mine).persons.to_list())


def places_of(matches: Matches | None) -> Ints | None:
    """Return which row of the original each released row is, where that is certain."""
    if matches is None or matches.unsure or not np.array_equal(matches.first, matches.last):
        return None
    return matches.first

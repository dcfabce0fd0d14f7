"""A release beside those of a ledger: who of the original is in it, and what it tells of everybody, read anew."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl

from discreet.columns.medians import Ranges
from discreet.encoded import Ints
from discreet.errors import InputError, PromiseError
from discreet.fit.cells import confidential_flags
from discreet.ledger.entry import PERSON, PastRelease, people_frame, told_texts
from discreet.ledger.folder import LedgerFolder, opened
from discreet.ledger.note import LinkedReleases
from discreet.ledger.policies import person_column, with_person
from discreet.ledger.secret import LedgerSecret
from discreet.policy import Policy
from discreet.policy.bind import bind
from discreet.table.digests import digest_of
from discreet.table.engine import Engine
from discreet.table.row_texts import row_texts
from discreet.table.source import Table
from discreet.verification.answers import Answer
from discreet.verification.blind import EarlierReleases
from discreet.verification.joint import PERSONS, JointFinding, JointVerification, check_joint
from discreet.verification.released_file import different
from discreet.verification.row_matches import Matches
from discreet.verification.true_release import cell_problems

THIS = "this release"
LACKING = "rows are missing, and nobody can tell for sure whose the others are"
MISLAID = "the ledger would take rows of the release for those of other persons, so nothing is released"
RECORDED = "what the ledger says that this release tells of each person is what it tells"
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
    members: pl.Series | None
    """Who is in the release, where the ledger has it: others of the original were left out, or kept back."""
    since: int = 0
    """How many of the earlier releases, the last ones, came after this one."""
    row_key: str | None = None
    """The column that links rows of a person across releases, where she has several."""
    recorded: PastRelease | None = None
    """The release as the ledger has it, where it has it and has no other that reads the same."""

    def only_members(self, original: Engine) -> Engine:
        """Return the original with only the rows of those whom the ledger has in the release."""
        if self.members is None:
            return original
        there = self._names(original, several=True).is_in(self.members.implode()).to_numpy()
        return original if there.all() else original.only(np.flatnonzero(there))

    def members_of(self, original: Engine, policy: Policy) -> tuple[Engine, Policy]:
        """Return the rows of an original that the ledger has in the release, and the policy as it is about these.

        Of a sample those who were drawn are released whole. Where there are more than are to be drawn, the original and
        its policy stay as they are, and are found not to fit.
        """
        if self.members is None or policy.release is None:
            return self.only_members(original), policy
        drawn, everybody = self.only_members(original), self._names(original, several=True)
        total, some = (everybody.n_unique(), self.members.n_unique())
        if some > policy.release.size(total):
            return original, policy
        return drawn, policy.model_copy(update={"release": None})

    def _names(self, original: Engine, *, several: bool = False) -> pl.Series:
        """Return who each row of the original is; persons may have `several`, where a unit says so."""
        if self.person not in original.columns:
            raise InputError(f"--person: the original has no column {self.person!r}")
        ids = row_texts(original, self.person)
        counted = original.named(self.person, ()) if original.row_wise else None  # it was counted once already
        persons = ids.n_unique() if counted is None else counted[1]
        if ids.null_count() or (not several and persons < original.rows):
            once = "" if several else ", and in no two rows the same"
            raise InputError(f"--person: {self.person!r} must be there in each row{once}")
        return self.secret.names(ids)

    def earlier(self, released: Engine, original: Engine, matches: Matches | None) -> EarlierReleases:
        """Return the releases that came before, with whose rows they tell of."""
        places, there = places_of(matches), self._names(original)
        certain = places is not None or (matches is None and released.rows == original.rows)
        before = self.past[: len(self.past) - self.since]
        return EarlierReleases(before, there, self.persons(original, places) if certain else None)

    def persons(self, original: Engine, places: Ints | None, *, several: bool = False) -> pl.Series:
        """Return who each released row is; `places` are theirs in the original, all in order when absent."""
        names = self._names(original, several=several)
        return names if places is None else names.gather(pl.Series(places).cast(pl.UInt32))

    def rows(self, original: Engine, places: Ints | None) -> pl.Series | None:
        """Return the name of each released row, where a key links them to rows of other releases."""
        if self.row_key is None:
            return None
        if self.row_key not in original.columns:
            raise InputError(f"--row-key: the original has no column {self.row_key!r}")
        texts = row_texts(original, self.row_key)
        if texts.null_count():
            raise InputError(f"--row-key: {self.row_key!r} must be there in each row")
        if pl.DataFrame({"person": row_texts(original, self.person), "row": texts}).is_duplicated().any():
            raise InputError(f"--row-key: no two rows of a {self.person} may have the same {self.row_key!r}")
        names = self.secret.row_names(texts)
        return names if places is None else names.gather(pl.Series(places).cast(pl.UInt32))

    def linked(self, original: Engine, places: Ints, *, several: bool) -> LinkedReleases:
        """Return the earlier releases with whose row each released one is, for whoever attacks them together."""
        persons = self.persons(original, places, several=several)
        return LinkedReleases(self.past, persons, self.rows(original, places))

    def checked(
        self, released: Engine, policy: Policy, original: Engine, places: Ints | None, unmatched: str | None = None
    ) -> JointVerification:
        """Count every promise on all releases; `places` are those of the released rows in the original.

        Where they are not known, rows are taken in order, unless some are missing or `unmatched` says why not.
        """
        if places is None and (unmatched is not None or released.rows != original.rows):
            return not_checkable(unmatched or LACKING)
        last = self.told(released, policy, original, places)
        found, wrong = check_joint(self.past, last), self._recorded_wrongly(last)
        if not wrong:
            return found
        of = JointFinding((self.name,), 0, "several-releases", RECORDED, PERSONS, Answer.BROKEN, wrong)
        return replace(found, findings=(*found.findings, of))

    def _recorded_wrongly(self, last: PastRelease) -> int:
        """Return of how many persons the ledger says that this release tells something else than it does."""
        kept = self.recorded
        if kept is None:
            return 0
        if kept.columns != last.columns:
            return last.persons.n_unique()
        labels = [PERSON, *map(last.label, last.columns)]
        mine, theirs = (each.people.select(labels).cast({pl.Enum: pl.String}) for each in (last, kept))
        return different(mine, theirs).get_column(PERSON).n_unique()

    def told(self, released: Engine, policy: Policy, original: Engine, places: Ints | None) -> PastRelease:
        """Return what a release tells of everybody: its cells row by row, and whose row each is in the original.

        `places` are those of the released rows in the original, all in order when absent.
        """
        persons = self.persons(original, places, several=policy.unit is not None)
        texts = [told_texts(row_texts(released, column)) for column in released.columns]
        secrets = {
            released.columns.index(column): rows if places is None else rows[places]
            for column, rows in confidential_flags(policy, original).items()
            if column in released.columns
        }
        people = people_frame(persons, texts, secrets, rows=self.rows(original, places))
        return PastRelease(self.name, policy, tuple(released.columns), people)

    def told_as_made(
        self, released: Engine, policy: Policy, original: Engine, medians: Mapping[str, Ranges]
    ) -> PastRelease:
        """Return what a release tells of everybody that was just made of a table.

        Nobody who made it is asked what it tells, but for one thing: where rows were left out, which of them are there.
        Then each cell is compared with that of the row that it is said to be.
        """
        if released.rows == original.rows:
            return self.told(released, policy, original, None)
        places: Ints = np.searchsorted(original.numbers(), released.numbers())
        problems = [] if (places < original.rows).all() else ["it has rows that the table does not have"]
        problems = problems or list(
            cell_problems(released, original.only(places), bind(policy, original.columns), medians)
        )
        if problems:
            raise PromiseError(f"{MISLAID}: {problems[0]}")
        return self.told(released, policy, original, places)


def ledger_check(
    table: Table,
    policy: Policy,
    ledger: str | Path,
    person: str | None,
    secret: str | Path | None,
    row_key: str | None = None,
) -> tuple[Policy, LedgerCheck]:
    """Return the releases of a ledger beside which one is verified, and the policy with who is who."""
    whose = person_column(policy, person)
    with opened(ledger, secret) as folder:
        name, members, recorded = _known(folder, table)
        past = tuple(folder.past(but=name))
        counting = [entry.name for entry in folder.entries if entry.counts]
        since = len(counting) - counting.index(name) - 1 if name in counting else 0
        checked = LedgerCheck(whose, folder.secret, past, name or THIS, members, since, row_key, recorded)
        return with_person(policy, whose, row_key), checked


def _known(folder: LedgerFolder, table: Table) -> tuple[str | None, pl.Series | None, PastRelease | None]:
    """Return what the ledger calls a release, who is in it and, if no other reads the same, what it says of it."""
    if not isinstance(table, (str, Path)) or not Path(table).exists():
        return None, None, None
    hashed, path = digest_of(table), str(Path(table).resolve())
    alike = [entry for entry in folder.entries if entry.sha256 == hashed]
    if not alike:
        return None, None, None
    here = [entry for entry in alike if entry.path == path]
    mine = here[0] if here else alike[-1]  # two may read the same
    found = folder.read(mine)
    return mine.name, found.persons, found if len(here or alike) == 1 else None


def places_of(matches: Matches | None) -> Ints | None:
    """Return which row of the original each released row is, where that is certain."""
    if matches is None or matches.unsure or not np.array_equal(matches.first, matches.last):
        return None
    return matches.first

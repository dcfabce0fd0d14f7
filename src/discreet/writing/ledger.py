"""What an owner does with a ledger: publish a draft, add an earlier release, look, withdraw, rename persons, forget."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl

from discreet.errors import InputError, PolicyError, PromiseError
from discreet.ledger.entry import (
    DRAFT,
    PERSON,
    PUBLISHED,
    ROW,
    WITHDRAWN,
    LedgerEntry,
    PastRelease,
    in_order,
    now,
)
from discreet.ledger.folder import LedgerFolder, opened, stands
from discreet.ledger.policies import person_column, with_person
from discreet.policy import Policy, as_policy
from discreet.policy.bind import bind
from discreet.table.decimals import as_written
from discreet.table.digests import digest_of
from discreet.table.engine import Engine
from discreet.table.source import Opening, Table, open_tables
from discreet.verification.answers import Answer
from discreet.verification.joint import JointVerification, check_joint
from discreet.verification.released_file import tells_the_same
from discreet.verification.true_release import truth_of
from discreet.verification.with_ledger import LedgerCheck


@dataclass(frozen=True, repr=False)
class Ledger:
    """A private folder that remembers what was published about whom; see `protect(ledger=...)`.

    Parameters
    ----------
    path
        Its folder.
    secret
        The file with its secret, where that does not lie in the ledger.
    """

    path: str | Path
    secret: str | Path | None = None

    def __repr__(self) -> str:
        return f"<Ledger {str(self.path)!r}; private>"

    def releases(self) -> tuple[LedgerEntry, ...]:
        """Return its releases: drafts, and those that count."""
        with opened(self.path, self.secret) as folder:
            return folder.entries

    def check(self) -> JointVerification | None:
        """Count every promise on all releases that count together; None where there is none."""
        with opened(self.path, self.secret) as folder:
            past = folder.past()
        return check_joint(past[:-1], past[-1]) if past else None

    def publish(self, name: str) -> JointVerification:
        """Count everything once more, and let a draft count from now on: it is about to be seen.

        Its file is read anew: it must stand where it was recorded, unchanged, and its rows must be those that the
        ledger has, each as often. Whose row each is only the original says: `verify(..., ledger=...)` reads that.

        Raises
        ------
        InputError
            When its file is gone, or is another one.
        PromiseError
            When the ledger has other rows than its file, or when it breaks a promise together with what was published
            meanwhile.
        """
        with opened(self.path, self.secret) as folder:
            entry = _draft(folder, name, "published")
            _refuse_other_file(entry)
            release = folder.read(entry)
            if not tells_the_same(entry, release):
                raise PromiseError(
                    f"{name}: its file has other rows than the ledger recorded, so nobody can count on what it says of "
                    "this release; drop it, and make it anew"
                )
            past = folder.past(but=name)
            if entry.beside is not None and set(entry.beside) != {other.name for other in past}:
                raise PromiseError(
                    f"{name}: what is told of its confidential cells was decided beside other releases than the ledger "
                    "has now (or persons have other ids since): drop it, and make it anew"
                )
            found = check_joint(past, release)
            if not found.may_go_out:
                raise PromiseError(
                    f"{name}: together with the releases of the ledger it breaks a promise for {found.broken} persons; "
                    "others were published since it was made: drop it, and make it anew"
                )
            rest = [other for other in folder.entries if other.name != name]
            folder.list([*rest, replace(entry, state=PUBLISHED, time=now())])
            return found

    def withdraw(self, name: str) -> None:
        """Say that a release was taken back; what was public stays known, so it still counts."""
        with opened(self.path, self.secret) as folder:
            entry = folder.entry(name)
            if entry.state == WITHDRAWN:
                raise InputError(f"{name}: is withdrawn already; it still counts, for what was public stays known")
            if entry.state != PUBLISHED:
                raise InputError(f"{name}: is a {entry.state}, and was never public; `ledger drop` forgets a draft")
            folder.put(entry.becoming(WITHDRAWN))

    def drop(self, name: str) -> None:
        """Forget a draft."""
        with opened(self.path, self.secret) as folder:
            _draft(folder, name, "dropped")
            folder.drop(name)

    def rekey(self, changes: Mapping[str, str]) -> int:
        """Let persons be known by other ids, from old to new; two that turn out to be one become one.

        Return how many persons of its releases have another id now.
        """
        with opened(self.path, self.secret) as folder:
            old, new = folder.secret.names(list(changes)), folder.secret.names(list(changes.values()))
            to = pl.DataFrame({PERSON: old, "new": new})
            moved: set[int] = set()

            def changed(release: PastRelease) -> pl.DataFrame:
                both = release.people.join(to, on=PERSON, how="left", maintain_order="left")
                moved.update(both.filter(pl.col("new").is_not_null()).get_column(PERSON).to_list())
                people = both.with_columns(pl.coalesce("new", PERSON).alias(PERSON)).drop("new")
                if not release.of_rows and people.get_column(PERSON).is_duplicated().any():
                    raise InputError(
                        f"{release.name}: has two rows of persons that would become one, and a ledger knows one row a "
                        "person; nothing was changed"
                    )
                if release.rows is not None:
                    lines.append(both.select(PERSON, now=pl.coalesce("new", PERSON), row=ROW))
                return in_order(people) if release.of_rows else people

            lines: list[pl.DataFrame] = []
            for entry in folder.entries:
                changed(folder.read(entry))
            if lines and pl.concat(lines).unique().select("now", "row").is_duplicated().any():
                raise InputError(
                    f"{self.path}: two persons that would become one have rows with the same key, which would be taken "
                    "for one row; nothing was changed"
                )
            folder.rekeyed(changed)
            return len(moved)

    def add(
        self,
        release: Table,
        original: Table,
        policy: Policy | Mapping[str, Any] | str | Path,
        *,
        person: str | None = None,
        name: str | None = None,
        row_key: str | None = None,
    ) -> JointVerification:
        """Record an earlier release, of discreet or of another tool, as published; the ledger is made if there is none.

        Its rows are put beside those of the original, which says whose they are. That must be certain.
        """
        rules = as_policy(policy)
        whose = person_column(rules, person)
        rules = with_person(rules, whose, row_key)
        for index, made in rules.cells():
            if made.is_blind:
                message = (
                    "blind protection is recorded only where it is made with the ledger (protect --ledger), since what "
                    "its stars tell is not in the release; make it so, or leave this release out"
                )
                raise PolicyError([rules.problem(("protect", index), message)])
        tables: list[tuple[Table, bool]] = [(release, True), (original, False)]
        released, source = open_tables(tables, rules, Opening("local"))
        rules = as_written(rules, source)
        bind(rules, source.columns)
        beside = _beside(released, rules, source)
        if name is None:
            if not isinstance(release, (str, Path)):
                raise InputError("name: say what the release is called in the ledger")
            name = Path(release).name
        path = str(Path(release).resolve()) if isinstance(release, (str, Path)) else ""
        with opened(self.path, self.secret, create=True) as folder:
            if any(entry.name == name for entry in folder.entries):
                raise InputError(f"{self.path}: has a release {name!r} already; give this one another name with --name")
            people = _people(released, beside, whose, folder, rules, row_key)
            kept, _ = folder.keep(people, None)
            entry = LedgerEntry(
                name, PUBLISHED, now(), digest_of(path) if path else "", path, tuple(released.columns),
                people.get_column(PERSON).n_unique(), kept, None, rules.to_dict(),
            )  # fmt: skip
            folder.put(entry)
            past = folder.past()
            return check_joint(past[:-1], past[-1])


def _refuse_other_file(entry: LedgerEntry) -> None:
    """Refuse a release whose file is not where it was recorded, as it was recorded."""
    if stands(entry):
        return
    if not Path(entry.path).exists():
        raise InputError(
            f"{entry.path}: is not there as recorded; put the file back where it was written, or drop the draft and "
            "make it anew"
        )
    raise InputError(
        f"{entry.path}: is not there as recorded: the file was changed since, or is another one; publish what was "
        "verified, or drop the draft and make it anew"
    )


def _draft(folder: LedgerFolder, name: str, what: str) -> LedgerEntry:
    entry = folder.entry(name)
    if entry.state != DRAFT:
        raise InputError(f"{name}: is {entry.state}; only a draft can be {what}")
    return entry


def _beside(released: Engine, policy: Policy, source: Engine) -> Engine:
    """Return the rows of the original that the released ones are; refuse what is not certain, or not true."""
    if policy.shuffle:
        raise InputError("the rows of this release were shuffled, so nobody can tell whose they are")
    truth, matches = truth_of(released, policy, source, {})
    if truth.answer is Answer.BROKEN:
        raise InputError(f"this is no release of that table by this policy: {truth.problems[0]}")
    if matches is None:
        if released.rows != source.rows:
            raise InputError("the release has other rows than the original, and nobody can tell whose they are")
        return source
    if matches.unsure or (matches.first != matches.last).any():
        raise InputError("rows are missing, and nobody can tell for sure whose the others are")
    return source.only(matches.first)


def _people(
    released: Engine, beside: Engine, person: str, folder: LedgerFolder, policy: Policy, row_key: str | None
) -> pl.DataFrame:
    """Return what a release tells of each person."""
    known = LedgerCheck(person, folder.secret, (), "", None, row_key=row_key)
    people = known.told(released, policy, beside, None).people
    return people if policy.unit is None else in_order(people)

"""A table that meets the people of earlier releases: who is who, one row a person or several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from discreet.encoded import Combinations, Encoded
from discreet.errors import InputError, PolicyError
from discreet.ledger.entry import PastRelease
from discreet.ledger.names import ColumnNames
from discreet.ledger.secret import LedgerSecret
from discreet.plan.plan import Plan
from discreet.planning.joint import JointPast, JointRows
from discreet.planning.joint_rows import JointPeople, RowsNow
from discreet.planning.joint_table import table_now
from discreet.planning.past_people import PastPeople
from discreet.planning.past_rows import PastRows
from discreet.planning.rows_of_persons import RowsOfPersons, rows_of_persons
from discreet.policy import Policy
from discreet.policy.bind import Bound, known_to_groups
from discreet.table.coded import text_series
from discreet.table.engine import Engine
from discreet.table.local import LocalEngine
from discreet.table.row_texts import row_texts


@dataclass(frozen=True)
class KnownPeople:
    """Who is who, now and before."""

    person: str
    """The column that says it."""
    secret: LedgerSecret
    past: Sequence[PastRelease]
    name: str
    """What the new release is called."""
    last_plan: Plan | None = None
    row_key: str | None = None
    """The column that links rows of a person across releases, where she has several."""


def known_persons(source: Engine, person: str, policy: Policy) -> None:
    """Refuse a table in which somebody is not known, or has several rows."""
    if person not in source.columns:
        raise InputError(f"--person: the table has no column {person!r}")
    if isinstance(source, LocalEngine) and (found := source.named(person, policy.missing_values)) is not None:
        known, total = found
        nobodys = source.rows - known
        several = 0 if total == known else int((source.texts(person).value_counts().get_column("count") > 1).sum())
    elif policy.unit is None:
        ids = row_texts(source, person)
        nobodys = int((ids.is_null() | ids.is_in([text for text in policy.missing_values if text is not None])).sum())
        total = ids.n_unique()
        several = 0 if total == len(ids) else int((ids.value_counts().get_column("count") > 1).sum())
    else:
        counted = source.count([person])
        missing = [value is None or value in policy.missing_values for value in counted.domain(person)]
        nobodys = int(counted.counts[np.array(missing, dtype=np.bool_)[counted.code(person)]].sum())
        several, total = int((counted.counts > 1).sum()), len(counted.counts)
    if nobodys:
        have = "1 row has" if nobodys == 1 else f"{nobodys} rows have"
        raise InputError(f"--person: {have} no {person!r}, and nobody knows whose they are; fill it in")
    if several and policy.unit is None:
        raise InputError(
            f"--person: {several} of the {total} {person!r} have several rows, and a ledger needs one row a person; "
            f"if they may have several write unit: {person} in the policy"
        )


def known_rows(source: Engine, person: str, row_key: str, policy: Policy) -> None:
    """Refuse a table in which a row is not known by its key, or two rows of a person have the same."""
    if row_key not in source.columns:
        raise InputError(f"--row-key: the table has no column {row_key!r}")
    counted = source.count([person, row_key])
    missing = [value is None or value in policy.missing_values for value in counted.domain(row_key)]
    lacking = int(counted.counts[np.array(missing, dtype=np.bool_)[counted.code(row_key)]].sum())
    if lacking:
        have = "1 row has" if lacking == 1 else f"{lacking} rows have"
        raise InputError(f"--row-key: {have} no {row_key!r}, and nobody can find them in other releases; fill it in")
    twice = int(counted.counts[counted.counts > 1].sum())
    if twice:
        raise InputError(
            f"--row-key: {twice} rows have the same {row_key!r} as another row of the same {person}; name a column "
            "that tells the rows of a person apart"
        )


class Meeting:
    """The people of earlier releases, and how those of a table are found among them."""

    def __init__(self, bound: Bound, people: KnownPeople) -> None:
        self.bound, self.people = bound, people
        policy = bound.policy
        several = [release.name for release in people.past if release.of_rows]
        if several and policy.unit is None:
            message = (
                f"{several[0]} has persons with several rows; write unit: {people.person} here too, also where each "
                "has one row"
            )
            raise PolicyError([policy.problem(("unit",), message)])
        if policy.unit is not None:
            for release in people.past:
                if release.confidential_columns:
                    raise InputError(
                        f"ledger: {release.name} has confidential cells, which a ledger remembers for tables with one "
                        "row a person only; give tables with several a ledger of their own"
                    )
        self.past: PastPeople | PastRows = (PastPeople if policy.unit is None else PastRows)(people.past, policy)
        self._needed = needed_now(bound, people.past, people.person)

    def joint(self, source: Engine) -> tuple[JointPast, pl.Series]:
        """Return everybody in earlier releases or in a table, and the ids of the persons of that."""
        people, policy = self.people, self.bound.policy
        if isinstance(self.past, PastPeople):
            by_row = any(policy.cells())
            table, ids = table_now(
                source, people.person, self.bound.released, self._needed, people.secret, by_row=by_row
            )
            return JointPast(self.past, policy, table, people.name), ids
        columns = [*self._needed, *([] if people.row_key is None else [people.row_key])]
        rows = rows_of_persons(source, policy, columns)
        ids = pl.Series(rows.ids, dtype=pl.String)
        names = None
        if people.row_key is not None:
            counted = rows.counted
            names = people.secret.row_names(
                text_series(Encoded(counted.domain(people.row_key), counted.code(people.row_key)))
            )
        now = RowsNow(tuple(self.bound.released), rows, people.secret.names(ids), names)
        return JointPeople(self.past, policy, now, people.name), ids

    def nobody(self, earlier: Sequence[PastRelease], asked: Policy) -> JointPast:
        """Return everybody in earlier releases beside an empty table, with what was promised then and what is asked."""
        name = self.people.name
        if isinstance(self.past, PastPeople):
            past = self.past if earlier is self.people.past else PastPeople(earlier, asked)
            empty: dict[str, Encoded] = {}
            return JointPast(past, asked, JointRows((), past.persons.clear(), empty.__getitem__), name)
        none = np.zeros(0, dtype=np.int64)
        rows = RowsOfPersons(Combinations((), (), (), none), none, none, ())
        names = None if self.people.row_key is None else self.past.persons.clear()
        return JointPeople(self.past, asked, RowsNow((), rows, self.past.persons.clear(), names), name)


def needed_now(bound: Bound, past: Sequence[PastRelease], person: str) -> list[str]:
    """Return the columns of the table that promises over all releases may speak of."""
    names = ColumnNames([*(release.policy for release in past), bound.policy])
    spoken: set[str] = set()
    for policy in (bound.policy, *(release.policy for release in past)):
        spoken |= {names.one(name) for name in known_to_groups(policy) | policy.sensitive}
    needed = {*bound.counted, *(name for name in bound.released if names.one(name) in spoken)}
    return [name for name in bound.columns if name in needed and name != person]

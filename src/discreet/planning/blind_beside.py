"""Blind protection beside earlier releases: what they told of the rows with confidential cells.

What is told from the start is read off the earlier releases alone, as somebody reads them who knows whose row is whose.
It is no news only if no earlier release looked at the cells: where one may have, or told what nobody can reckon with,
nothing is released (`refuse_beside`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from discreet.errors import InputError, PromiseError
from discreet.fit.cells import confidential_flags
from discreet.ledger.entry import PERSON, PastRelease
from discreet.ledger.names import ColumnNames
from discreet.method.cells.blind_before import Before, ToldBefore
from discreet.planning.blind_tellings import TellingReader
from discreet.policy import Policy
from discreet.policy.bind import binned
from discreet.table.engine import Engine
from discreet.table.row_texts import row_texts

if TYPE_CHECKING:
    from discreet.planning.blind import BlindPlanning
    from discreet.planning.meeting import KnownPeople


class CellTold(NamedTuple):
    """What a release tells of a cell."""

    person: int
    column: str
    text: str | None
    block: str | None
    """Of a hidden cell, what it may be (see `block_json`)."""
    star: bool
    """Whether only who knows the method reads that."""


class EarlierTold:
    """Earlier releases, of which it is asked what they told of rows."""

    def __init__(self, people: KnownPeople, policy: Policy) -> None:
        self.people, self.past = people, tuple(people.past)
        self.names = ColumnNames([*(release.policy for release in self.past), policy])

    @property
    def releases(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(release.name for release in self.past)

    def told(self, planning: BlindPlanning) -> dict[int, Before]:
        """Return what they told of each row with confidential cells, by its place in the release."""
        rows = np.flatnonzero(planning.secret)
        places = np.searchsorted(planning.source.numbers(), planning.numbers[rows])
        ids = row_texts(planning.source, self.people.person).gather(pl.Series(places).cast(pl.UInt32))
        row_of = dict(zip(self.people.secret.names(ids).to_list(), rows.tolist(), strict=True))
        readers = {
            name: TellingReader(column, planning.reading(name))
            for name, column in zip(planning.columns, planning.read, strict=True)
        }
        found: dict[int, list[tuple[ToldBefore, ...]]] = {}
        for release in self.past:
            of_row: dict[int, list[ToldBefore]] = {}
            for each in self.tellings(release, list(row_of)):
                name = self.names.among(planning.columns, each.column)
                if name is None:
                    continue
                last = len(readers[name].read.elements) - 1
                elements = (
                    readers[name].of_text(each.text) if each.block is None else readers[name].of_block(each.block)
                )
                if elements != (last,) and len(elements) <= last:  # else nobody of the rest has it, or it says nothing
                    told = ToldBefore(planning.columns.index(name), elements, each.star)
                    of_row.setdefault(row_of[each.person], []).append(told)
            for row, tellings in of_row.items():
                found.setdefault(row, []).append(tuple(tellings))
        return {row: tuple(releases) for row, releases in found.items()}

    def tellings(self, release: PastRelease, persons: Sequence[int]) -> Iterator[CellTold]:
        """Yield what a release tells of some persons, cell by cell."""
        asked = pl.Series(PERSON, persons, dtype=pl.UInt128).implode()
        there = release.people.filter(release.people.get_column(PERSON).is_in(asked))
        whose = there.get_column(PERSON).to_list()
        protected = np.zeros(len(whose), dtype=np.bool_)
        for column in release.confidential_columns:
            protected |= release.secret_of(column, there).to_numpy()
        for column in release.columns:
            texts = there.get_column(release.label(column)).cast(pl.String).to_list()
            blocks = release.blocks_of(column, there)
            secret = release.secret_of(column, there).to_list()
            for person, text, block, cell, row in zip(whose, texts, blocks, secret, protected.tolist(), strict=True):
                starred = row and text == release.policy.marker
                if block is not None or not (cell or starred):
                    yield CellTold(person, column, text, block, star=block is not None and starred)


def refuse_beside(people: KnownPeople, policy: Policy, whole: Engine) -> None:
    """Refuse it beside earlier releases that may have looked at its cells, or told what nobody can reckon."""
    earlier = EarlierTold(people, policy)
    for said, rules in (("the policy", policy), *((release.name, release.policy) for release in earlier.past)):
        if any(rules.groups()):
            raise InputError(
                f"blind protection beside earlier releases does not know promises about groups, and {said} has some: "
                "protect the cells by a policy of their own, in a ledger of their own"
            )
    if any("kernel" in made.references_used for _, made in policy.cells()):
        raise InputError("references: kernel is not known beside earlier releases; leave it out")
    flags = {earlier.names.one(column): rows for column, rows in confidential_flags(policy, whole).items()}
    rows = np.logical_or.reduce([*flags.values(), np.zeros(whole.rows, dtype=np.bool_)])
    persons = people.secret.names(row_texts(whole, people.person).filter(pl.Series(rows)))
    own = {
        person: {column for column, mine in flags.items() if mine[place]}
        for person, place in zip(persons.to_list(), np.flatnonzero(rows).tolist(), strict=True)
    }
    left_out = {*policy.identifiers, *([policy.token] if policy.token else [])}
    columns = [name for name in whole.columns if name not in left_out]
    for release in earlier.past:
        if not release.persons.is_in(persons.implode()).any():
            continue
        if why := _may_have_looked(release, set(flags), earlier.names, policy):
            raise PromiseError(
                f"ledger: {release.name} {why}, so that what it tells of people may depend on cells that are now to be "
                "protected blindly: protect them by another method (against), or leave their column out"
            )
        told = _told_columns(earlier, release, own)
        for column in release.columns:
            now = earlier.names.among(columns, column)
            if column in told and now is None:
                raise PromiseError(
                    f"ledger: {release.name} tells the {column!r} of people with confidential cells, and the table has "
                    "no such column from which one could reckon what that tells: keep the column in the table, or "
                    "join it with its new name (ledger: {same: ...})"
                )
            if now is not None and column in told and _cut_otherwise(release.policy, column, policy, now):
                raise PromiseError(
                    f"ledger: {release.name} cuts {column!r} at other ends, so that nobody can reckon what its "
                    "intervals tell; write the same ends"
                )


def _told_columns(earlier: EarlierTold, release: PastRelease, own: Mapping[int, set[str]]) -> set[str]:
    """Return the columns of which a release told something of people; refuse what it told of their secrets (`own`).

    Of a secret that was shown, and is all that they have, the policy's `released` says enough.
    """
    told = set()
    for each in earlier.tellings(release, list(own)):
        told.add(each.column)
        mine = own[each.person]
        if earlier.names.one(each.column) in mine and (each.block is not None or len(mine) > 1):
            raise PromiseError(
                f"ledger: {release.name} tells by what it hides, or of several cells of a row, what is in a cell "
                "that is to be confidential now, and nobody can reckon with that: take these people's cells out of "
                "the policy, or their column out of the table"
            )
    return told


def _may_have_looked(release: PastRelease, secret: set[str], names: ColumnNames, policy: Policy) -> str | None:
    """Return why an earlier release may depend on cells of these columns that it does not show, or reads otherwise."""
    if not release.made_here:
        return "was added, and nobody knows how it was made"
    if release.policy.missing != policy.missing:
        return "takes other values for missing"
    for _, made in release.policy.cells():
        if not made.is_blind:
            return "protects cells by a method that looks at them"
        if any(names.one(column) in secret for _, column in made.looks_up()):
            return f"chooses rows by {made.column!r}"
    return None


def _cut_otherwise(before: Policy, column: str, policy: Policy, now: str) -> bool:
    """Whether a column is released by intervals in one of two releases, and not by the same in the other."""
    if column not in binned(before) and now not in binned(policy):
        return False
    return before.columns.get(column) != policy.columns.get(now)

"""Who of a table stays in a release beside earlier ones about the same people, and what becomes of the others.

Before anything is planned it is found what no plan mends (`leavers`): what earlier releases break together already, who
left with a rare past, who came in too small a number. The policy says what becomes of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from discreet.chance import chance_from
from discreet.errors import InputError, PromiseError
from discreet.fit.cells import hides
from discreet.ledger.entry import DRAFT, PastRelease
from discreet.ledger.folder import opened
from discreet.ledger.names import ColumnNames
from discreet.ledger.note import LedgerUse
from discreet.ledger.policies import person_column, with_person
from discreet.ledger.secret import LedgerSecret
from discreet.plan.plan import Plan
from discreet.planning.blind_beside import refuse_beside
from discreet.planning.joint import JointItem, JointPast
from discreet.planning.leavers import ROUNDS, Seeing, Unmendable, to_leave_out, unmendable
from discreet.planning.meeting import KnownPeople, Meeting, known_persons, known_rows
from discreet.planning.past_people import PastPeople, places_among
from discreet.planning.shown_cells import refuse_shown_cells, still_there
from discreet.policy import Policy
from discreet.policy.bind import Bound, known_to_groups
from discreet.policy.ledger_options import over_time
from discreet.policy.requirements.base import Flags
from discreet.policy.requirements.seen import SeenColumn
from discreet.policy.seen_values import seen_values
from discreet.table.engine import Engine
from discreet.table.row_texts import row_texts
from discreet.table.source import Opening, Table, open_table

LEAVING = 5
"""The stream of a seed by which it is drawn who is left out."""


@dataclass(frozen=True)
class BesideLedger:
    """A table that is open, the policy with who is who, and the releases before it."""

    source: Engine
    policy: Policy
    people: KnownPeople


def open_beside(
    table: Table, policy: Policy, opening: Opening, use: LedgerUse, *, create: bool = True, decides: bool = False
) -> BesideLedger:
    """Open a table, and the ledger of the releases before it; `create` makes one where there is none.

    Only who `decides` serves blind decisions.
    """
    if policy.decide is not None and not decides:
        raise InputError(
            "decide: blind beside a ledger is for `protect` alone, which asks for one k after another; leave 'decide' "
            "or the ledger out"
        )
    if opening.engine == "spark":
        raise InputError("a ledger lies beside one machine, and Spark may run on many: use --engine duckdb or local")
    person = person_column(policy, use.person)
    policy = with_person(policy, person, use.row_key)
    source = open_table(table, policy, opening=opening)
    known_persons(source, person, policy)
    if use.row_key is not None:
        known_rows(source, person, use.row_key, policy)
    return BesideLedger(source, policy, replace(known_people(use, person, create=create), row_key=use.row_key))


def known_people(use: LedgerUse, person: str, *, create: bool = True) -> KnownPeople:
    """Return who is in the releases of a ledger; where there is none one is made, unless nothing is to be recorded."""
    if not create and not use.path.exists():
        return KnownPeople(person, LedgerSecret(b""), (), use.name or "this release")
    with opened(use.path, use.secret, create=create) as folder:
        if use.name is not None and any(entry.name == use.name and entry.state != DRAFT for entry in folder.entries):
            raise InputError(f"{use.path}: has a release {use.name!r} already; give this one another name with --name")
        counting = [entry for entry in folder.entries if entry.counts]
        plan = folder.plan_of(counting[-1]) if counting else None
        last = None if plan is None else Plan.from_json(plan)
        return KnownPeople(person, folder.secret, folder.past(), use.name or "this release", last)


@dataclass(frozen=True)
class Staying:
    """A table without those who are left out, and everybody's past."""

    source: Engine
    joint: JointPast
    items: tuple[JointItem, ...]
    ids: pl.Series
    held: int = 0
    """New persons who are kept back for a later release."""
    left_out: int = 0
    """Persons left out because too few others with their past are gone, or stay."""
    merged: dict[int, Flags] | None = None
    """For some promises, who breaks them whatever is hidden, where the policy wants that reported."""
    shown: Engine | None = None
    """Where cells are confidential, which `source` hides: the same rows as the table has them."""

    @property
    def table(self) -> Engine:
        """The rows of those who stay as the table has them."""
        return self.source if self.shown is None else self.shown


def met(beside: BesideLedger) -> tuple[int, int, int]:
    """Return how many persons of a table are in earlier releases, are new, and how many of those are not in it."""
    people = beside.people
    now = people.secret.names(row_texts(beside.source, people.person).unique())
    if not people.past:
        return 0, len(now), 0
    before = pl.concat([release.persons for release in people.past]).unique().sort()
    matched = int((places_among(now, before) >= 0).sum())
    return matched, len(now) - matched, len(before) - matched


def refuse_lost_columns(past: Sequence[PastRelease], policy: Policy, columns: Sequence[str]) -> None:
    """Refuse a table without a column that an earlier promise knows, unless the policy says that it is gone."""
    names = ColumnNames([*(release.policy for release in past), policy])
    for release in past:
        lost = names.missing(sorted(known_to_groups(release.policy)), columns, over_time(policy).gone)
        if lost:
            message = (
                f"{release.name} knows {lost[0]!r}, which is found under no name now; if it has another name write "
                f"same: {{NEW NAME: {lost[0]}}}, if it is no longer released gone: [{lost[0]}]"
            )
            raise InputError(str(policy.problem(("ledger",), message)))


def refuse_strange_persons(joint: JointPast, *, new_persons: bool) -> None:
    """Refuse a table of which under half of the persons are known, unless that is right."""
    total = len(joint.table.persons)
    matched = total - joint.fresh
    if 2 * matched < total and not new_persons:
        raise PromiseError(
            f"only {matched} of {total} persons are known from earlier releases: are ids written as they were (007 and "
            "7 are two persons)? If so many are new, say --new-persons (in Python new_persons=True)"
        )


def who_stays(
    source: Engine,
    bound: Bound,
    people: KnownPeople,
    seed: int | None,
    *,
    new_persons: bool,
    promised: tuple[Sequence[PastRelease], Policy] | None = None,
) -> Staying:
    """Return the table without those who have to be left out; refuse it where the policy wants nobody left out.

    `promised` are earlier releases and the policy as they promised, where the others ask something else (`decide`).
    """
    policy, said, whole = bound.policy, over_time(bound.policy), source
    refuse_lost_columns(people.past, policy, bound.released)
    source = source.edited(hides(policy, source))
    meeting = Meeting(bound, people)
    joint, ids = meeting.joint(source)
    refuse_strange_persons(joint, new_persons=new_persons)
    if isinstance(meeting.past, PastPeople):
        refuse_shown_cells(meeting.past, joint, whole, policy)
    if policy.is_blind:
        refuse_beside(people, policy, whole)
    fixed = frozenset(bound.columns) - frozenset(bound.changeable)
    earlier, asked = (people.past, policy) if promised is None else promised
    warn = said.leavers == "warn"
    before = _broken_before(meeting.nobody(earlier, asked), warn=warn)
    chance = chance_from(seed, stream=LEAVING)
    held = left_out = 0
    for _ in range(ROUNDS):
        items = tuple(joint.items())
        seen = _seeing(joint)
        found = unmendable(joint, items, fixed, seen)
        out = to_leave_out(joint, items, found, seen, chance, before, hold=said.hold, leavers=said.leavers)
        gone = out[joint.now]
        if not gone.any():
            break
        new = int((out & ~joint.known_before).sum())
        held, left_out = held + new, left_out + int(out.sum()) - new
        if gone.all():
            raise PromiseError(
                "all persons would have to be left out for the sake of earlier releases, so nothing is left to "
                "release; ask for less, or wait until more have come"
            )
        source = _without(source, policy, people.person, ids, gone)
        joint, ids = meeting.joint(source)
    else:
        items, seen = tuple(joint.items()), _seeing(joint)
        found = unmendable(joint, items, fixed, seen)
    merged = _judged(found, policy, items)
    shown = still_there(policy, whole, source) if any(policy.cells()) else None
    return Staying(source, joint, items, ids, held, left_out, merged, shown)


def _without(source: Engine, policy: Policy, person: str, ids: pl.Series, gone: Flags) -> Engine:
    """Return a table without some of its persons; where they may have several rows they have an order of their own."""
    if source.row_wise and policy.unit is None:
        return source.only(np.flatnonzero(~gone))
    out = set(ids.filter(pl.Series(gone)).to_list())
    whose = source.encoded(person)
    stays = np.array([value not in out for value in whose.domain], dtype=np.bool_)
    return source.only(np.flatnonzero(stays[whose.codes]))


def _seeing(joint: JointPast) -> Seeing:
    """Return what the new table shows of its columns."""

    def seen(name: str) -> SeenColumn:
        encoded = joint.table.encoded(name)
        rows = np.bincount(encoded.codes, minlength=len(encoded.domain)).tolist()
        return seen_values(joint.policy, name, encoded.domain, rows)

    return seen


def _broken_before(joint: JointPast, *, warn: bool) -> Flags:
    """Return for whom of earlier releases these break a promise together already; refuse to go on unless asked to."""
    found = unmendable(joint, joint.items(), frozenset(), _seeing(joint))
    broken = int(found.leavers.sum())
    if broken and not warn:
        raise PromiseError(
            f"ledger: earlier releases together already break a promise for {_persons(broken)}, and no release mends "
            "that; to release all the same, with the promise reported broken, write ledger: {leavers: warn}"
        )
    return found.leavers


def _judged(found: Unmendable, policy: Policy, items: Sequence[JointItem]) -> dict[int, Flags] | None:
    """Refuse what no plan mends, or return whom to look at together where the policy wants it reported."""
    said = over_time(policy)
    if found.newcomers.any():
        raise PromiseError(
            f"ledger: {_persons(int(found.newcomers.sum()), 'is', 'are')} here for the first time, too few of a kind "
            "to hide among each other: wait until more have come, or write ledger: {hold: true} to keep them back for "
            "a later release"
        )
    if said.leavers == "warn":
        return found.by_item or None
    if found.leavers.any() or found.rare.any():
        gone, few = int(found.leavers.sum()), int(found.rare.sum())
        parts = [f"{_persons(gone)} of earlier releases {'is' if gone == 1 else 'are'} not in this one"] if gone else []
        parts += [f"{_persons(few, 'has', 'have')} a past that too few others in this release share"] if few else []
        remedy = (
            "ask for less" if said.leavers == "remove" else "write ledger: {leavers: remove} to leave out more people"
        )
        raise PromiseError(
            f"ledger: {' and '.join(parts)}, and would be known by that: {remedy}, or {{leavers: warn}} to release "
            f"with the promise reported broken for them{_which(found, items)}"
        )
    return None


def _which(found: Unmendable, items: Sequence[JointItem], most: int = 3) -> str:
    """Return which promises those in the release break whatever is hidden, and what else may help."""
    named = list(dict.fromkeys(str(items[number]) for number in found.by_item))
    if not named:
        return ""
    more = f" and {len(named) - most} more" if len(named) > most else ""
    told = f". Broken whatever is hidden: {'; '.join(named[:most])}{more}"
    return f"{told}; a known column that goes out as it is splits every group: name it in a promise to let it change"


def _persons(number: int, one: str = "", several: str = "") -> str:
    """Return so many persons, with the verb that goes with them."""
    return f"1 person {one}".strip() if number == 1 else f"{number} persons {several}".strip()

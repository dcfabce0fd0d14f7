"""A release gets its name and its place in a ledger together: pending with its hash, then the name, then recorded.

Whoever kills the program in between leaves a pending entry. It is completed, or dropped, when the ledger is opened.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.plan.plan import Plan
    from discreet.release import Release
    from discreet.writing.destinations import Destination


def _without_ids(plan: Plan) -> Plan:
    """Return what a ledger keeps of a plan: how columns are recoded, nothing of single rows, and nobody's id."""
    by_person = [told for each in plan.groupings for told in each.beside if told.column in plan.policy.identifiers]
    return replace(plan.for_new_rows(), groupings=() if by_person else plan.groupings)


@contextlib.contextmanager
def recording(release: Release, to: Destination) -> Iterator[None]:
    """Record a release as a draft while it gets its name; nothing where no ledger is kept."""
    note = release.note
    if note is None:
        yield
        return
    from discreet.ledger.entry import DRAFT, PENDING, PERSON, LedgerEntry, now  # with a ledger only
    from discreet.ledger.folder import opened

    if to.file is None:
        raise InputError(f"{to.place}: with a ledger a release goes to a file, by which it is known again")
    use = note.use
    name = use.name or to.place.name
    with opened(use.path, use.secret, create=True) as folder:
        before = [entry for entry in folder.entries if entry.name == name]
        if before and before[0].state != DRAFT:
            raise InputError(f"{use.path}: has a release {name!r} already; give this one another name with --name")
        people, plan = folder.keep(note.people, _without_ids(release.plan).to_json())
        entry = LedgerEntry(
            name=name,
            state=PENDING,
            time=now(),
            sha256=to.sha256,
            path=str(to.file.resolve()),
            columns=tuple(release.engine.columns),
            persons=note.people.get_column(PERSON).n_unique(),
            people=people,
            plan=plan,
            policy=release.plan.policy.to_dict(),
            held=note.held,
            left_out=note.left_out,
            beside=tuple(each.name for each in note.past) if release.plan.policy.is_blind else None,
        )
        listed = folder.entries
        folder.list([*listed, entry])  # a draft of this name stays until the new release has the name
        try:
            yield
        except BaseException:
            folder.list(listed)
            folder.sweep()
            raise
        folder.list([*(old for old in listed if old.name != name), entry.becoming(DRAFT)])
        folder.sweep()

"""Confidential cells beside earlier releases: one that was confidential stays so, and one that was shown is no secret.

Guarantee: unless the policy accepts it, nothing is released that shows a cell of a person whose cell of that column was
confidential in an earlier release, or that hides one of which an earlier release tells something. Numbers of cells are
said, never whose. Nor, unless accepted, anything of people of whose cells an earlier release bounds what one can infer
(blind protection), without the same bound. Not counted is what the adversaries of other methods guess from the other
cells of several releases.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from discreet.encoded import Ints
from discreet.errors import InputError, PromiseError
from discreet.fit.cells import absent, confidential_flags
from discreet.ledger.entry import PastRelease
from discreet.planning.joint import JointPast
from discreet.planning.past_people import PastPeople
from discreet.policy import Policy
from discreet.policy.blind import as_strict
from discreet.policy.ledger_options import over_time
from discreet.policy.requirements.base import Flags
from discreet.table.engine import Engine


def refuse_shown_cells(past: PastPeople, joint: JointPast, whole: Engine, policy: Policy) -> None:
    """Refuse a table with cells that are confidential in one release and shown in another, unless that is accepted.

    Parameters
    ----------
    past, joint
        Everybody in earlier releases, and in the table too.
    whole
        The table, with its confidential cells.
    policy
        What is asked of it.
    """
    if over_time(policy).released == "accept":
        return
    secret = confidential_flags(policy, whole)
    now: dict[str, Flags] = {}
    for column in joint.table.columns:
        now[column] = secret.get(column, np.zeros(whole.rows, dtype=np.bool_))
    opened, by = _opened(past, joint, whole, policy, now)
    if opened:
        raise PromiseError(
            f"ledger: {_cells(opened)} confidential in an earlier release ({', '.join(by)}) and would be shown now: "
            "name them in the policy as that release did, leave the column out (role: identifier), or write ledger: "
            "{released: accept} to release them all the same, reported as broken"
        )
    if shown := sum(int(rows.sum()) for rows in _shown_before(past, joint, now)):
        raise PromiseError(
            f"ledger: {_cells(shown)} shown in an earlier release and are to be confidential now, and no release takes "
            "that back: take them out of the policy, or write ledger: {released: accept} to hide them all the same, "
            "reported as broken"
        )
    if weaker := _no_longer_blind(past, joint, policy, secret):
        raise PromiseError(
            f"ledger: {_cells(weaker)} protected blindly in an earlier release, and this one tells of the same people "
            "without that: name them again, with at_most, margin, references and predictors at least as strict, leave "
            "these people out of the table, or write ledger: {released: accept} to release all the same, reported as "
            "broken"
        )
    for release, column in _lost(past, joint, whole, policy):
        message = (
            f"{release} has confidential cells in {column!r}, which is found under no name now, so that nobody sees "
            f"whether they are shown; if it has another name write same: {{NEW NAME: {column}}}, if the table no "
            f"longer has it gone: [{column}]"
        )
        raise InputError(str(policy.problem(("ledger",), message)))


def still_there(policy: Policy, whole: Engine, staying: Engine) -> Engine:
    """Return the table with its confidential cells, without those who are left out; refuse if one of these has some."""
    if staying.rows == whole.rows:
        return whole
    rest = whole.only(np.searchsorted(whole.numbers(), staying.numbers()))
    if lost := sum(absent(made, rest) for _, made in policy.cells()):
        raise PromiseError(
            f"ledger: {_cells(lost)} to be confidential, of people who have to be left out for the sake of earlier "
            "releases; take these cells out of the policy, or wait until more people have come"
        )
    return rest


def _opened(
    past: PastPeople, joint: JointPast, whole: Engine, policy: Policy, now: dict[str, Flags]
) -> tuple[int, list[str]]:
    """Return how many cells of the table were confidential before and are not now, and in which releases."""
    number, names = 0, dict[str, None]()
    for column, secret in now.items():
        before = np.zeros(joint.size, dtype=np.bool_)
        for release, places, name in _having(past, column):
            if (whose := release.confidential(name)) is not None and whose.any():
                before[places] |= whose.to_numpy()
                names[release.name] = None
        if before.any():
            told = whole.encoded(column)
            says = np.array([not policy.is_unknown(text) for text in told.domain], dtype=np.bool_)[told.codes]
            number += int((before[joint.now] & says & ~secret).sum())
    return number, list(names)


def _lost(past: PastPeople, joint: JointPast, whole: Engine, policy: Policy) -> Iterator[tuple[str, str]]:
    """Yield releases with columns in which people of the table had confidential cells, and that it does not have.

    One that has another name now, and is not said to be the same, would be shown as if it were new.
    """
    for release, places in zip(past.past, past.places, strict=True):
        for column in past.names.missing(release.confidential_columns, whole.columns, over_time(policy).gone):
            whose = release.confidential(column)
            before = np.zeros(joint.size, dtype=np.bool_)
            before[places] = False if whose is None else whose.to_numpy()
            if before[joint.now].any():
                yield release.name, column


def _no_longer_blind(past: PastPeople, joint: JointPast, policy: Policy, secret: dict[str, Flags]) -> int:
    """Return how many cells of people in the table an earlier release protects blindly, and this one does not so."""
    found, one = 0, past.names.one
    columns = {one(made.column) for release in past.past for _, made in release.policy.cells() if made.is_blind}
    for column in sorted(columns):
        now = [made for _, made in policy.cells() if one(made.column) == column]
        kept = np.logical_or.reduce(
            [np.zeros(len(joint.now), dtype=np.bool_), *(rows for name, rows in secret.items() if one(name) == column)]
        )
        open_ = np.zeros(joint.size, dtype=np.bool_)
        for release, places, name in _having(past, column):
            before = [made for _, made in release.policy.cells() if one(made.column) == column]
            whose = release.confidential(name)
            if whose is not None and any(made.is_blind for made in before):
                stays = np.zeros(joint.size, dtype=np.bool_)
                stays[joint.now] = kept & as_strict(now, before, one)
                open_[places] |= whose.to_numpy() & ~stays[places]
        found += int(open_[joint.now].sum())
    return found


def _shown_before(past: PastPeople, joint: JointPast, now: dict[str, Flags]) -> Iterator[Flags]:
    """Yield, for each column with confidential cells, in which rows an earlier release tells something of them."""
    for column, secret in now.items():
        shown = np.zeros(joint.size, dtype=np.bool_)
        if not secret.any():
            continue
        for release, places, name in _having(past, column):
            told = release.encoded(name)
            silent = release.policy.hidden_texts()
            says = np.array([text not in silent for text in told.domain], dtype=np.bool_)[told.codes]
            whose = release.confidential(name)
            shown[places] |= says if whose is None else says & ~whose.to_numpy()
        yield shown[joint.now] & secret


def _having(past: PastPeople, column: str) -> Iterator[tuple[PastRelease, Ints, str]]:
    """Yield the releases that have a column, where their persons stand among all, and its name there."""
    for release, places in zip(past.past, past.places, strict=True):
        if (name := past.names.among(release.columns, column)) is not None:
            yield release, places, name


def _cells(number: int) -> str:
    return "1 cell was" if number == 1 else f"{number} cells were"

"""What no recoding mends: people who left with a rare past, few who stay with one, small batches of newcomers.

Whoever is in an earlier release and not in this one stands among those with the same past who are absent as well.
Whoever is in it stands, with everything hidden, among those with the same past (and the same texts of columns that
never change). Where such a group breaks a promise, masking does not help. Leaving out more people does: those with the
same past, drawn by lot, until who is absent keeps every promise; and all of a past that too few share to stay.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.chance import Source
from discreet.encoded import Ints
from discreet.planning.joint import JointItem, JointPast, SpreadColumn
from discreet.policy import GroupPromise
from discreet.policy.requirements.base import Flags
from discreet.policy.requirements.seen import SeenColumn

ROUNDS = 200
"""How often people are left out, each time because of those before."""
MOST_CELLS = 8
"""Cells of a table of groups and values, for each person, that are counted at once."""


@dataclass(frozen=True)
class PastGroups:
    """The groups of one promise among some people."""

    key: Ints
    """Of everybody, the group."""
    whom: Flags
    """Of everybody: who counts."""
    lacking: Ints
    """Of each group, how many more it lacks to keep the promise."""

    @property
    def any(self) -> bool:
        """Whether some group breaks the promise."""
        return bool((self.lacking > 0).any())

    @property
    def broken(self) -> Flags:
        """Who stands in a group that breaks the promise."""
        found: Flags = (self.lacking > 0)[self.key] & self.whom
        return found


@dataclass(frozen=True)
class Unmendable:
    """Who stands in a group that breaks a promise whatever is hidden."""

    leavers: Flags
    """Of everybody: who is absent now."""
    rare: Flags
    """Of everybody: who is here, with a past."""
    newcomers: Flags
    """Of everybody: who is here for the first time."""
    by_item: dict[int, Flags]
    """For each item that some who are here break: who they are."""
    gone: dict[int, PastGroups]
    """For each item that some who are absent break: their groups."""


def unmendable(joint: JointPast, items: Sequence[JointItem], fixed: frozenset[str], seen: Seeing) -> Unmendable:
    """Return who breaks a promise whatever is hidden; `fixed` are the columns of the table that never change."""
    here = joint.here
    leavers, staying = np.zeros_like(here), np.zeros_like(here)
    by_item: dict[int, Flags] = {}
    of_absent: dict[int, PastGroups] = {}
    for number, item in enumerate(items):
        promise = item.make(seen)
        if promise is None:
            continue
        gone = _groups(joint, item, promise, ~here, *joint.looks_for(item))
        if gone.any:
            of_absent[number] = gone
            leavers |= gone.broken
        stay = _groups(joint, item, promise, here, *joint.at_best(item, fixed))
        if stay.any:
            by_item[number] = found = stay.broken
            staying |= found
    new = staying & ~joint.known_before
    return Unmendable(leavers, staying & joint.known_before, new, by_item, of_absent)


def to_leave_out(
    joint: JointPast,
    items: Sequence[JointItem],
    found: Unmendable,
    seen: Seeing,
    chance: Source,
    before: Flags,
    *,
    hold: bool,
    leavers: str,
) -> Flags:
    """Return who of those here is left out next of those `found`: newcomers (`hold`), and people with a rare past.

    For those who left, others are left out only where the policy says `remove`. Where it only warns, they are reported.
    For whom earlier releases break a promise already (`before`, of the first of everybody) nothing can be mended: where
    the policy warns, they stay and are looked at together, or are left out where even so they are too few.
    """
    out = np.zeros(joint.size, dtype=np.bool_)
    if hold:
        out |= found.newcomers
    if leavers == "warn":
        together = np.zeros(joint.size, dtype=np.int64), 1
        lost = np.zeros(joint.size, dtype=np.bool_)
        lost[: len(before)] = before
        out |= found.rare & ~lost
        for number, whom in found.by_item.items():
            promise, known = items[number].make(seen), whom & joint.known_before & lost
            if promise is not None and _groups(joint, items[number], promise, known, *together).any:
                out |= known
    if leavers != "remove":
        return out
    out |= found.rare
    for number, groups in found.gone.items():
        past = joint.looks_for(items[number])[0]
        taken = drawn_of(past[joint.now], ~out[joint.now], groups.lacking, chance)  # as in the table, not by hashes
        out[joint.now[taken]] = True
    return out


def drawn_of(group: Ints, among: Flags, wanted: Ints, chance: Source) -> Flags:
    """Draw so many of each group by lot, evenly; all where there are fewer."""
    places = np.flatnonzero(among & (wanted[group] > 0))
    lots = np.frombuffer(chance(8 * len(places)), dtype=np.uint64)
    order = np.lexsort((lots, group[places]))
    mine = group[places][order]
    first = np.searchsorted(mine, mine, side="left")
    taken = np.arange(len(mine)) - first < wanted[mine]
    found = np.zeros(len(among), dtype=np.bool_)
    found[places[order[taken]]] = True
    return found


def _groups(joint: JointPast, item: JointItem, promise: GroupPromise, whom: Flags, key: Ints, bound: int) -> PastGroups:
    """Return the groups of some people, and how many more each lacks to keep a promise."""
    told = item.told
    if told is None and item.column is not None:
        told = told_now(joint, item.column)
    if told is None:
        rows, tallies = np.bincount(key[whom], minlength=bound), np.zeros((0, bound), dtype=np.int64)
        return PastGroups(key, whom, np.where(rows > 0, promise.lacking(rows, tallies, joint.size), 0))
    counts = whom & (told.codes >= 0)
    tells = np.array([not joint.policy.is_unknown(value) for value in told.values], dtype=np.bool_)
    marks = promise.marks(told.values, tells)
    if bound * len(told.values) <= MOST_CELLS * joint.size:
        cells = np.bincount((key * len(told.values) + told.codes)[counts], minlength=bound * len(told.values))
        cells = cells.reshape(bound, len(told.values))
        rows = (cells[:, tells] if promise.known_only else cells).sum(axis=1)
        lines = [cells[:, mark].sum(axis=1) for mark in marks]
    else:
        group, value = key[counts], told.codes[counts]
        rows = np.bincount(group[tells[value]] if promise.known_only else group, minlength=bound)
        lines = [np.bincount(group[mark[value]], minlength=bound) for mark in marks]
    tallies = np.array(lines, dtype=np.int64).reshape(len(marks), bound)
    lacking = promise.lacking(rows.astype(np.int64), tallies, joint.size)
    return PastGroups(key, counts, np.where(rows > 0, lacking, 0))


def told_now(joint: JointPast, column: str) -> SpreadColumn:
    """Return a column of the table, of everybody."""
    encoded = joint.table.encoded(column)
    codes = np.full(joint.size, -1, dtype=np.int64)
    codes[joint.now] = encoded.codes
    return SpreadColumn(encoded.domain, codes)


Seeing = Callable[[str], SeenColumn]

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
from discreet.encoded import Ints, keys
from discreet.planning.joint import JointItem, JointPast, SpreadColumn
from discreet.policy import GroupPromise
from discreet.policy.requirements.base import Flags
from discreet.policy.requirements.seen import SeenColumn

ROUNDS = 200
"""How often people are left out, each time because of those before."""


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

    @property
    def any(self) -> bool:
        """Whether there is anybody."""
        return bool(self.leavers.any() or self.rare.any() or self.newcomers.any())


@dataclass(frozen=True)
class _PastGroups:
    """The groups of one promise among some people."""

    group: Ints
    """Of everybody; -1 for who does not count."""
    lacking: Ints

    @property
    def broken(self) -> Flags:
        """Who stands in a group that breaks the promise."""
        found: Flags = np.append(self.lacking > 0, False)[self.group]
        return found


def unmendable(joint: JointPast, items: Sequence[JointItem], fixed: frozenset[str], seen: Seeing) -> Unmendable:
    """Return who breaks a promise whatever is hidden; `fixed` are the columns of the table that never change."""
    here = np.zeros(joint.size, dtype=np.bool_)
    here[joint.now] = True
    leavers, staying = np.zeros_like(here), np.zeros_like(here)
    by_item: dict[int, Flags] = {}
    for number, item in enumerate(items):
        promise = item.make(seen)
        if promise is None:
            continue
        leavers |= _groups(joint, item, promise, ~here, joint.past_of(item.over)).broken
        found = _groups(joint, item, promise, here, _at_best(joint, item, fixed)).broken
        if found.any():
            by_item[number] = found
            staying |= found
    new = staying & ~joint.known_before
    return Unmendable(leavers, staying & joint.known_before, new, by_item)


def to_leave_out(
    joint: JointPast,
    items: Sequence[JointItem],
    fixed: frozenset[str],
    seen: Seeing,
    chance: Source,
    before: Flags,
    *,
    hold: bool,
    leavers: str,
) -> Flags:
    """Return who of those here is left out next: newcomers (`hold`), and people with a rare past.

    For those who left, others are left out only where the policy says `remove`. Where it only warns, they are reported.
    For whom earlier releases break a promise already (`before`, of the first of everybody) nothing can be mended: where
    the policy warns, they stay and are looked at together, or are left out where even so they are too few.
    """
    found = unmendable(joint, items, fixed, seen)
    out = np.zeros(joint.size, dtype=np.bool_)
    if hold:
        out |= found.newcomers
    if leavers == "warn":
        together = np.zeros(joint.size, dtype=np.int64)
        lost = np.zeros(joint.size, dtype=np.bool_)
        lost[: len(before)] = before
        out |= found.rare & ~lost
        for number, whom in found.by_item.items():
            promise, known = items[number].make(seen), whom & joint.known_before & lost
            if promise is not None and _groups(joint, items[number], promise, known, together).broken.any():
                out |= known
    if leavers != "remove":
        return out
    out |= found.rare
    here = np.zeros(joint.size, dtype=np.bool_)
    here[joint.now] = True
    for item in items:
        promise = item.make(seen)
        if promise is None:
            continue
        past = joint.past_of(item.over)
        groups = _groups(joint, item, promise, ~here, past)
        if not (groups.lacking > 0).any():
            continue
        absent = groups.group >= 0
        lacks = np.zeros(int(past.max()) + 1, dtype=np.int64)
        lacks[past[absent]] = groups.lacking[groups.group[absent]]
        taken = drawn_of(past[joint.now], ~out[joint.now], lacks, chance)  # in the order of the table, not of hashes
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


def _at_best(joint: JointPast, item: JointItem, fixed: frozenset[str]) -> Ints:
    """Return who looks alike with everything hidden that can be: the past, and columns that never change."""
    codes, sizes = [joint.past_of(item.over)], [int(joint.past_of(item.over).max(initial=0)) + 1]
    for name in item.given:
        if name in fixed:
            encoded = joint.table.encoded(name)
            mine = np.zeros(joint.size, dtype=np.int64)
            mine[joint.now] = encoded.codes
            codes.append(mine)
            sizes.append(len(encoded.domain))
    return keys(codes, sizes, joint.size)[0]


def _groups(joint: JointPast, item: JointItem, promise: GroupPromise, whom: Flags, key: Ints) -> _PastGroups:
    """Return the groups of some people, and how many more each lacks to keep a promise."""
    told = item.told
    if told is None and item.column is not None:
        told = told_now(joint, item.column)
    counts = whom if told is None else whom & (told.codes >= 0)
    known = counts
    if told is not None and promise.known_only:
        silent = np.array([joint.policy.is_unknown(value) for value in told.values] + [True], dtype=np.bool_)
        known = counts & ~silent[told.codes]
    group = np.full(joint.size, -1, dtype=np.int64)
    kinds, group[counts] = np.unique(key[counts], return_inverse=True)
    rows = np.bincount(group[known], minlength=len(kinds)).astype(np.int64)
    tallies = np.zeros((0, len(kinds)), dtype=np.int64)
    if told is not None:
        tells = np.array([not joint.policy.is_unknown(value) for value in told.values], dtype=np.bool_)
        marks = promise.marks(told.values, tells)
        lines = [np.bincount(group[counts][mark[told.codes[counts]]], minlength=len(kinds)) for mark in marks]
        tallies = np.array(lines, dtype=np.int64).reshape(len(marks), len(kinds))
    lacking = promise.lacking(rows, tallies, joint.size)
    return _PastGroups(group, np.where(rows > 0, lacking, 0))


def told_now(joint: JointPast, column: str) -> SpreadColumn:
    """Return a column of the table, of everybody."""
    encoded = joint.table.encoded(column)
    codes = np.full(joint.size, -1, dtype=np.int64)
    codes[joint.now] = encoded.codes
    return SpreadColumn(encoded.domain, codes)


Seeing = Callable[[str], SeenColumn]

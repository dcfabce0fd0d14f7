"""Which rows are suppressed, row by row: what the version on counted combinations must equal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from discreet.policy import GroupPromise, Inference, Policy
from discreet.policy.requirements.k_anonymity import Crowd
from discreet.policy.requirements.l_diversity import Diversity

Row = Mapping[str, str | None]


@dataclass
class Table:
    """Rows as recoded, and what is promised of them."""

    rows: Sequence[Row]
    policy: Policy
    changeable: Set[str]
    told: Sequence[bool]

    def looks(self, number: int, given: Sequence[str], masked: bool) -> tuple[str | None, ...]:
        """How a row looks on some columns."""
        hidden = self.changeable if masked else ()
        return tuple(self.policy.marker if name in hidden else self.rows[number][name] for name in given)

    def lacks(self, group: Sequence[int], promise: GroupPromise) -> int:
        """How many more rows a group needs for a promise: of any kind for k, without the property for a template.

        For l-diversity it needs at least as many as it lacks values.
        """
        if isinstance(promise, Crowd):
            return max(promise.k - len(group), 0)
        assert isinstance(promise, (Inference, Diversity))
        told = [self.rows[number][promise.column] for number in group if self.told[number]]
        if isinstance(promise, Diversity):
            different = len({value for value in told if not self.policy.is_unknown(value)})
            return max(promise.l - different, 0) if different else 0
        hits = sum(value == promise.value for value in told)
        known = sum(not self.policy.is_unknown(value) for value in told)
        if not promise.at_most:
            return len(self.rows) if hits else 0
        return min(max(ceil(Fraction(hits) / promise.at_most) - known, 0), len(self.rows))


def suppressed(table: Table, choose: Callable[[Sequence[int], int], Sequence[int]]) -> tuple[set[int], int]:
    """Return the suppressed rows, and how many of them (that are told) were drawn; `choose` draws from some rows."""
    gone: set[int] = set()
    drawn = 0
    while True:
        groups = _groups(table, gone)
        broken = {number for promise, group in groups for number in group if table.lacks(group, promise)}
        if broken - gone:
            gone |= broken
            continue
        if table.policy.removes or not broken:
            return gone, drawn
        taken = _more(table, gone, groups, choose)
        if not taken:
            return gone, drawn
        gone |= set(taken)
        drawn += sum(table.told[number] for number in taken)


def _groups(table: Table, gone: set[int]) -> list[tuple[GroupPromise, list[int]]]:
    found = []
    for promise in table.policy.promises():
        groups: dict[tuple[str | None, ...], list[int]] = {}
        for number in range(len(table.rows)):
            if not (table.policy.removes and number in gone):
                groups.setdefault(table.looks(number, promise.given, number in gone), []).append(number)
        found += [(promise, group) for group in groups.values()]
    return found


def _more(
    table: Table,
    gone: set[int],
    groups: list[tuple[GroupPromise, list[int]]],
    choose: Callable[[Sequence[int], int], Sequence[int]],
) -> Sequence[int]:
    few = sure = 0
    tight: set[int] = set()
    least = {frozenset(promise.given): 1 for promise, _ in groups}
    for promise, _ in groups:
        if isinstance(promise, Crowd):
            least[frozenset(promise.given)] = max(least[frozenset(promise.given)], promise.k)
    for promise, group in groups:
        if set(group) & gone:
            lacking = table.lacks(group, promise)
            few, sure = (max(few, lacking), sure) if isinstance(promise, Crowd) else (few, max(sure, lacking))
        if len(group) <= least[frozenset(promise.given)]:
            tight |= set(group)
    possible = [n for n in range(len(table.rows)) if n not in gone and (table.told[n] or not sure)]
    among = [n for n in possible if n not in tight] or possible
    return choose(among, min(sure or few, len(among)))

"""Several releases about the same people, as searches see them: the past as further known columns that never change.

Whoever links a person's rows through all releases knows how she looked in each. So each set of known columns gets one
more: the past on these columns, a number for each combination of texts and presence in earlier releases. A promise over
X becomes one over X and that past; the values of earlier releases, and whether somebody was shown with something in any
release, become sensitive columns. Then everything is searched for as if this were a single table.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl

from discreet.encoded import Encoded, Ints
from discreet.errors import InputError
from discreet.planning.past_people import PastPeople, numbered, places_among
from discreet.planning.past_rows import PastRows
from discreet.policy import GroupPromise, Policy
from discreet.policy.persons import free_name
from discreet.policy.requirements.any_of import sets_of
from discreet.policy.requirements.base import Flags, GroupRequirement
from discreet.policy.requirements.seen import SeenColumn, SeenOf
from discreet.policy.seen_values import seen_values

PERSONS, NOW, ANY = "persons", "this release", "any release"
MOST_ITEMS = 4_000
"""Promises over all releases, each with columns of its own."""


@dataclass(frozen=True)
class JointRows:
    """The table that is to be released: one row a person."""

    columns: tuple[str, ...]
    """Those that are released."""
    persons: pl.Series
    encoded: Callable[[str], Encoded]
    """A column of it, in the order of `persons`."""


@dataclass(frozen=True)
class SpreadColumn:
    """A sensitive column as codes of everybody, with its values; -1 for whoever it is not told of."""

    values: tuple[str | None, ...]
    codes: Ints

    def same(self, other: SpreadColumn) -> bool:
        """Whether the same is told of everybody."""
        return self.values == other.values and np.array_equal(self.codes, other.codes)


@dataclass(frozen=True)
class JointItem:
    """One promise over all releases: what it knows now, the past it knows, and what it counts."""

    of: str
    """The release that promised it."""
    policy: Policy
    about: str
    given: tuple[str, ...]
    """The columns of the new table that it knows."""
    over: tuple[str, ...]
    """All columns that it knows, by the names that stand for all their names."""
    kind: type[GroupPromise]
    column: str | None
    """Under which name its column stands beside those of the table; None for k."""
    told: SpreadColumn | None
    """The values that it counts, where they are not those of the new table alone."""
    make: Callable[[SeenOf | None], GroupPromise | None]
    """From what is seen of the new table to the promise over `given` alone."""
    text: str = ""
    index: int = 0
    """The position in that policy of what asks for it."""
    of_promise: int = 0
    """Which of the promises it is that are asked for there."""

    def __str__(self) -> str:
        return f"{self.text} ({self.of}; counted on {self.about})"


class JointPast:
    """Everybody in earlier releases or in the table, and what each promise over all of them knows and counts."""

    def __init__(self, before: PastPeople | PastRows, policy: Policy, table: JointRows, name: str) -> None:
        self.before, self.past, self.policy, self.table, self.name = before, before.past, policy, table, name
        self.names, self.places = before.names, before.places
        self.now = places_among(table.persons, before.persons)
        """The place of each row of the table among everybody: those before in order, then others as the table has
        them."""
        fresh = self.now < 0
        self.fresh = int(fresh.sum())
        self.now[fresh] = len(before.persons) + np.arange(self.fresh)
        self._pasts: dict[tuple[str, ...], tuple[Ints, int]] = {}

    @property
    def size(self) -> int:
        """How many people there are."""
        return len(self.before.persons) + self.fresh

    @cached_property
    def known_before(self) -> Flags:
        """Who is in an earlier release."""
        return np.arange(self.size) < len(self.before.persons)

    @cached_property
    def here(self) -> Flags:
        """Who is in the table."""
        found = np.zeros(self.size, dtype=np.bool_)
        found[self.now] = True
        return found

    def past_of(self, over: Sequence[str]) -> Ints:
        """Return a number for how each person looked in earlier releases on some columns, presence included."""
        return self.looks(over)[0]

    def looks(self, over: Sequence[str]) -> tuple[Ints, int]:
        """Return the same, and how many numbers there are."""
        which = self.names.ones(over)
        if which not in self._pasts:
            assert isinstance(self.before, PastPeople)
            looks, number = self.before.looks(which)
            if self.fresh:  # who is absent everywhere comes first
                looks, number = np.concatenate((looks + 1, np.zeros(self.fresh, dtype=np.int64))), number + 1
            self._pasts[which] = looks, number
        return self._pasts[which]

    def looks_for(self, item: JointItem) -> tuple[Ints, int]:
        """Return who looked alike to a promise in earlier releases, by numbers, and how many there are."""
        return self.looks(item.over)

    def at_best(self, item: JointItem, fixed: frozenset[str]) -> tuple[Ints, int]:
        """Return who looks alike with everything hidden that can be: the past, and columns that never change."""
        key, bound = self.looks(item.over)
        for name in item.given:
            if name in fixed:
                encoded = self.table.encoded(name)
                mine = np.zeros(self.size, dtype=np.int64)
                mine[self.now] = encoded.codes
                key, bound = numbered(key * len(encoded.domain) + mine, bound * len(encoded.domain))
        return key, bound

    def items(self) -> list[JointItem]:
        """Return everything that is promised over all releases: by the new policy, and by earlier ones."""
        found: list[JointItem] = []
        said: set[tuple[object, ...]] = set()
        for name, policy in [(self.name, self.policy), *((one.name, one.policy) for one in reversed(self.past))]:
            for index, made in policy.groups():
                column = "" if made.sensitive is None else policy.column(made.sensitive).model_dump_json()
                counts_rows = policy.unit is None or policy.unit.counts_rows
                key = (made.model_dump_json(), column, repr(policy.missing), policy.marker, counts_rows)
                if key not in said:
                    said.add(key)
                    found += self._items(name, policy, index, made)
                if len(found) > MOST_ITEMS:
                    raise InputError(f"the ledger: more than {MOST_ITEMS:,} promises over all releases; ask for fewer")
        return found

    def _items(self, of: str, policy: Policy, index: int, made: GroupRequirement) -> Iterator[JointItem]:
        for over in sets_of(made.known):
            there = (self.names.among(self.table.columns, name) for name in over)
            given = tuple(name for name in there if name is not None)
            ones = self.names.ones(over)
            if made.sensitive is None:
                for promise in policy.promises_of(index):
                    text, this = str(promise), replace(_any(promise), given=given)
                    yield JointItem(
                        of, policy, PERSONS, given, ones, type(promise), None, None, always(this), text, index
                    )
            else:
                yield from self._of_values(of, policy, index, made, given, ones)

    def _of_values(
        self, of: str, policy: Policy, index: int, made: GroupRequirement, given: tuple[str, ...], over: tuple[str, ...]
    ) -> Iterator[JointItem]:
        """Yield what is promised of a sensitive column: in the new release, in each earlier one, in any."""
        assert made.sensitive is not None
        sensitive, texts = made.sensitive, [str(promise) for promise in policy.promises_of(index)]
        now = self.names.among(self.table.columns, sensitive)
        if now is not None:
            for place, text in enumerate(texts):

                def anew(seen: SeenOf | None, place: int = place, now: str = now) -> GroupPromise | None:
                    there = None if seen is None else replace(seen(now), column=policy.column(sensitive))
                    made_of = list(policy.promises_of(index, None if there is None else lambda _: there))
                    return about_column(made_of[place], given, now) if place < len(made_of) else None

                yield JointItem(of, policy, NOW, given, over, made.kind_made, now, None, anew, text, index)
        earlier = [
            (place, column)
            for place, release in enumerate(self.past)
            if (column := self.names.among(release.columns, sensitive)) is not None
        ]
        spread = [self._told(place, column, policy) for place, column in earlier]
        known = [] if now is None or not self._silent_alike(now, policy) else [self._told_now(now, policy)]
        for (place, column), told in zip(earlier, spread, strict=True):
            if any(map(told.same, known)):  # what another release tells of the same persons: the same promise again
                continue
            known.append(told)
            label = free_name(f"{column} in {self.past[place].name} for {of} {index}", self.table.columns)
            seen = self._seen(told, policy, sensitive)
            for promise, text in zip(policy.promises_of(index, seeing(seen)), texts, strict=False):
                make = always(about_column(promise, given, label))
                yield JointItem(
                    of, policy, self.past[place].name, given, over, type(promise), label, told, make, text, index
                )
        spread += [] if now is None else [self._told_now(now, policy)]
        if made.kind_made.template and not all(told.same(spread[0]) for told in spread):
            yield from self._shown_in_any(of, policy, index, made, given, over, spread, texts)

    def _shown_in_any(
        self,
        of: str,
        policy: Policy,
        index: int,
        made: GroupRequirement,
        given: tuple[str, ...],
        over: tuple[str, ...],
        columns: Sequence[SpreadColumn],
        texts: Sequence[str],
    ) -> Iterator[JointItem]:
        """Yield a promise for each property that somebody was shown with in any release."""
        assert made.sensitive is not None
        values = {value for told in columns for value in told.values}
        domain = tuple(sorted(values, key=lambda value: (value is not None, value or "")))
        place_of = {value: place for place, value in enumerate(domain)}
        codes = []
        for told in columns:
            to = np.array([place_of[value] for value in told.values] + [-1], dtype=np.int64)
            codes.append(to[told.codes])
        rows = np.bincount(np.concatenate([each[each >= 0] for each in codes]), minlength=len(domain))
        known = np.array([not self.policy.is_unknown(value) for value in domain], dtype=np.bool_)
        seen = seen_values(policy, made.sensitive, domain, np.where(known, rows, 0).tolist())
        seen = replace(seen, rows=int(rows.sum()))
        there = np.logical_or.reduce([each >= 0 for each in codes])
        promises = list(policy.promises_of(index, lambda _: seen))
        for which, (promise, text) in enumerate(zip(promises, texts, strict=False)):
            for number, line in enumerate(promise.properties(domain, known)):
                has = self._anywhere(codes, line)
                if not has.any():
                    continue
                opened = ~has & self._anywhere(codes, ~known)
                label = f"{made.sensitive}: shown {of} {index} {which} {number}"
                label = free_name(label, self.table.columns)
                shown = np.where(opened, 2, np.where(has, 0, 1))
                told = SpreadColumn((label, "no", self.policy.marker), np.where(there, shown, -1).astype(np.int64))
                one = self._seen(told, self.policy, label)
                make = always(promise.of_property(given, label, label, seeing(one)))
                yield JointItem(of, policy, ANY, given, over, type(make(None)), label, told, make, text, index)

    def _anywhere(self, codes: Sequence[Ints], line: Flags) -> Flags:
        """Return who was shown with one of some values in any release."""
        padded = np.append(line, False)
        found: Flags = np.logical_or.reduce([padded[each] for each in codes])
        return found

    def _told(self, place: int, column: str, policy: Policy) -> SpreadColumn:
        """Return what an earlier release tells of a column; what tells nothing there is the policy's marker."""
        release = self.past[place]
        return self._spread(release.encoded(column), self.places[place], release.policy, policy)

    def _told_now(self, column: str, policy: Policy) -> SpreadColumn:
        return self._spread(self.table.encoded(column), self.now, self.policy, policy)

    def _spread(self, encoded: Encoded, places: Ints, said: Policy, policy: Policy) -> SpreadColumn:
        silent = [said.is_unknown(value) or policy.is_unknown(value) for value in encoded.domain]
        values = [self.policy.marker if hidden else value for value, hidden in zip(encoded.domain, silent, strict=True)]
        codes = np.full(self.size, -1, dtype=np.int64)
        codes[places] = encoded.codes
        return SpreadColumn(tuple(values), codes)

    def _silent_alike(self, column: str, policy: Policy) -> bool:
        """Whether all texts of a column of the table that tell nothing to a policy tell nothing to the new one."""
        domain = self.table.encoded(column).domain
        return all(self.policy.is_unknown(value) for value in domain if policy.is_unknown(value))

    def _seen(self, told: SpreadColumn, policy: Policy, column: str) -> SeenColumn:
        """Return the different values of a column that are told, with how many persons have each."""
        rows = np.bincount(told.codes[told.codes >= 0], minlength=len(told.values)).tolist()
        counts: dict[str | None, int] = {}
        for value, number in zip(told.values, rows, strict=True):
            counts[value] = counts.get(value, 0) + number
        ordered = sorted(counts, key=lambda value: (value is not None, value or ""))
        known = [0 if self.policy.is_unknown(value) else counts[value] for value in ordered]
        return replace(seen_values(policy, column, ordered, known), rows=sum(rows))


def _any(promise: GroupPromise) -> Any:
    return promise


def about_column(promise: GroupPromise, given: tuple[str, ...], column: str) -> GroupPromise:
    """Return the same promise over other columns, about the same column by another name."""
    made: GroupPromise = replace(_any(promise), given=given, column=column)
    return made


def seeing(seen: SeenColumn) -> SeenOf:
    """Return what is seen of any column."""
    return lambda _: seen


def always(promise: GroupPromise) -> Callable[[SeenOf | None], GroupPromise]:
    """Return what makes a promise whatever is seen."""
    return lambda _: promise

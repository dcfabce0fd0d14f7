"""Persons with several rows, in the table and in earlier releases: what each promise over all of them knows and counts.

As `joint`, but what is known of a person are all her lines: each row that is linked to rows of other releases is one
line with them. She has a property in a release if one of her rows there has it (for an absence all of them), and was
shown with it in any release if she has it in one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import polars as pl

from discreet.encoded import Encoded, Ints
from discreet.errors import InputError
from discreet.planning.joint import (
    ANY,
    NOW,
    JointItem,
    JointPast,
    JointRows,
    SpreadColumn,
    about_column,
    always,
    seeing,
)
from discreet.planning.past_people import numbered
from discreet.planning.past_rows import PastRows, profiles
from discreet.planning.rows_of_persons import RowsOfPersons
from discreet.policy import GroupPromise, Policy
from discreet.policy.persons import free_name
from discreet.policy.requirements.base import Flags, GroupRequirement
from discreet.policy.seen_values import seen_values


@dataclass(frozen=True)
class RowsNow:
    """The table that is to be released: the rows of each person."""

    columns: tuple[str, ...]
    """Those that are released."""
    rows: RowsOfPersons
    persons: pl.Series
    """The names of its persons, in the order of `rows`."""
    names: pl.Series | None
    """The names of its rows, in the order of `rows`; None where nobody links them."""


@dataclass(frozen=True)
class RowsTold:
    """What a release tells of a column: of each row whose it is, and which value."""

    about: str
    values: tuple[str | None, ...]
    known: Flags
    """Which of them tell something."""
    whose: Ints
    codes: Ints
    often: Ints
    """For how many rows each stands."""
    there: Flags
    """Of everybody, who is in it."""

    def having(self, values: Flags) -> Flags:
        """Return who has one of some values in one of her rows."""
        found = np.zeros(len(self.there), dtype=np.bool_)
        found[self.whose[values[self.codes]]] = True
        return found

    def owners(self, line: Flags, *, all_rows: bool) -> tuple[Flags, Flags]:
        """Return who has a property, which some values say, and of whom nobody knows."""
        silent = self.having(~self.known)
        if all_rows:
            lacks = self.having(~line & self.known)
            return self.there & ~lacks & ~silent, ~lacks & silent
        has = self.having(line)
        return has, silent & ~has

    def over(self, values: Sequence[str | None], known: Flags) -> RowsTold:
        """Return the same with other values, among which are all of it."""
        place_of = {value: place for place, value in enumerate(values)}
        to = np.array([place_of[value] for value in self.values], dtype=np.int64)
        return replace(self, values=tuple(values), known=known, codes=to[self.codes])


class JointPeople(JointPast):
    """Everybody in earlier releases or in the table, with all their rows."""

    def __init__(self, before: PastRows, policy: Policy, now: RowsNow, name: str) -> None:
        super().__init__(before, policy, JointRows(now.columns, now.persons, _no_column), name)
        self.lines_before, self.rows = before, now.rows
        whose = self.now[now.rows.person]
        known = np.full(len(whose), -1, dtype=np.int64)
        if now.names is not None:
            known = before.known_lines(whose, now.names)
        fresh, lines = known < 0, len(before.whose)
        self._line_now = np.where(fresh, lines + np.cumsum(fresh) - 1, known)
        self._whose: Ints = np.concatenate((before.whose, whose[fresh]))
        self._often: Ints = np.ones(len(self._whose), dtype=np.int64)
        self._often[self._line_now] = now.rows.counted.counts
        self._at_best: dict[tuple[object, ...], tuple[Ints, int]] = {}
        self._profiles: dict[tuple[tuple[str, ...], bool], tuple[Ints, int]] = {}

    def looks_for(self, item: JointItem) -> tuple[Ints, int]:
        """Return a number for how each person looked in earlier releases, and how many numbers there are."""
        key = self.names.ones(item.over), _counts_rows(item.policy)
        if key not in self._profiles:
            look, _ = self.lines_before.looks(item.over)
            often = np.ones(len(look), dtype=np.int64)
            self._profiles[key] = profiles(self.lines_before.whose, look, often, self.size, counts_rows=key[1])
        return self._profiles[key]

    def at_best(self, item: JointItem, fixed: frozenset[str]) -> tuple[Ints, int]:
        """Return who looks alike with everything hidden that can be: the past, and columns that never change."""
        split = tuple(name for name in item.given if name in fixed)
        key = self.names.ones(item.over), split, _counts_rows(item.policy)
        if key not in self._at_best:
            counted = self.rows.counted
            look, number = np.zeros(len(self.rows.person), dtype=np.int64), 1
            for name in split:
                wide = len(counted.domain(name))
                look, number = numbered(look * wide + counted.code(name), number * wide)
            self._at_best[key] = self.with_now(item, look)
        return self._at_best[key]

    def with_now(self, item: JointItem, look: Ints) -> tuple[Ints, int]:
        """Return a number for how each person looks in all releases, her rows in the table as they are told there."""
        before, _ = self.lines_before.looks(item.over)
        told = np.zeros(len(self._whose), dtype=np.int64)  # 0: not in an earlier release, or not in the table
        told[: len(before)] = before + 1
        now = np.zeros(len(self._whose), dtype=np.int64)
        now[self._line_now] = look + 1
        wide = int(now.max(initial=0)) + 1
        both, _ = numbered(told * wide + now, (int(told.max(initial=0)) + 1) * wide)
        return profiles(self._whose, both, self._often, self.size, counts_rows=_counts_rows(item.policy))

    def alone(self, item: JointItem, look: Ints) -> Ints:
        """Return a number for how each person of the table looks there, whatever her past."""
        rows, whose = self.rows.counted.counts, self.now[self.rows.person]
        return profiles(whose, look, rows, self.size, counts_rows=_counts_rows(item.policy))[0]

    def _of_values(
        self, of: str, policy: Policy, index: int, made: GroupRequirement, given: tuple[str, ...], over: tuple[str, ...]
    ) -> Iterator[JointItem]:
        """Yield what is promised of a sensitive column: in the new release, in each earlier one, in any."""
        assert made.sensitive is not None
        column = made.sensitive
        texts = [str(promise) for promise in policy.promises_of(index)]
        told = list(self._tellings(column, policy))
        said: set[tuple[int, bytes]] = set()
        for each in told:
            if made.kind_made.template:
                found = self._properties(of, policy, index, column, given, over, [each], texts)
            else:
                found = self._one_value(of, policy, index, column, given, over, each, texts)
            for item in found:
                assert item.told is not None
                key = item.of_promise, item.told.codes.tobytes()
                if not made.kind_made.template or key not in said:  # else another release tells of her the same
                    said.add(key)
                    yield item
        if made.kind_made.template and len(told) > 1:
            for item in self._properties(of, policy, index, column, given, over, told, texts):
                assert item.told is not None
                if (item.of_promise, item.told.codes.tobytes()) not in said:
                    yield item

    def _tellings(self, column: str, policy: Policy) -> Iterator[RowsTold]:
        """Yield what the table and each release tell of a column."""
        now = self.names.among(self.table.columns, column)
        if now is not None:
            counted = self.rows.counted
            encoded = Encoded(counted.domain(now), counted.code(now))
            yield self._told_rows(NOW, encoded, self.now[self.rows.person], counted.counts, (self.policy, policy))
        for release, whose in zip(self.past, self.before.places, strict=True):
            if (name := self.names.among(release.columns, column)) is not None:
                ones = np.ones(len(whose), dtype=np.int64)
                yield self._told_rows(release.name, release.encoded(name), whose, ones, (release.policy, policy))

    def _told_rows(
        self, about: str, encoded: Encoded, whose: Ints, often: Ints, policies: Sequence[Policy]
    ) -> RowsTold:
        """Return what a release tells of a column; what tells nothing by one of some policies is the marker."""
        silent = [any(policy.is_unknown(value) for policy in policies) for value in encoded.domain]
        marker = self.policy.marker
        values = [marker if hidden else value for value, hidden in zip(encoded.domain, silent, strict=True)]
        there = np.zeros(self.size, dtype=np.bool_)
        there[whose] = True
        known = ~np.array(silent, dtype=np.bool_)
        return RowsTold(about, tuple(values), known, whose, encoded.codes.astype(np.int64), often, there)

    def _properties(
        self,
        of: str,
        policy: Policy,
        index: int,
        column: str,
        given: tuple[str, ...],
        over: tuple[str, ...],
        told: Sequence[RowsTold],
        texts: Sequence[str],
    ) -> Iterator[JointItem]:
        """Yield a promise for each property that somebody has in one of some releases."""
        known_of = {value: flag for each in told for value, flag in zip(each.values, each.known.tolist(), strict=True)}
        domain = tuple(sorted(known_of, key=lambda value: (value is not None, value or "")))
        known = np.array([known_of[value] for value in domain], dtype=np.bool_)
        same = [each.over(domain, known) for each in told]
        rows = sum((np.bincount(each.codes, each.often, len(domain)) for each in same), np.zeros(len(domain)))
        seen = seen_values(policy, column, domain, np.where(known, rows, 0).astype(np.int64).tolist())
        seen = replace(seen, rows=int(rows.sum()))
        there = np.logical_or.reduce([each.there for each in same])
        about = told[0].about if len(told) == 1 else ANY
        for which, (promise, text) in enumerate(zip(policy.promises_of(index, seeing(seen)), texts, strict=False)):
            for number, line in enumerate(promise.properties(domain, known)):
                owners = [each.owners(line, all_rows=promise.needs_all_rows) for each in same]
                has = np.logical_or.reduce([mine for mine, _ in owners])
                if not has.any():
                    continue
                opened = np.logical_or.reduce([unknown for _, unknown in owners]) & ~has
                label = free_name(f"{column} in {about} for {of} {index} {which} {number}", self.table.columns)
                codes = np.where(there, np.where(opened, 2, np.where(has, 0, 1)), -1).astype(np.int64)
                spread = SpreadColumn((label, "no", self.policy.marker), codes)
                one = self._seen(spread, self.policy, label)
                make = always(promise.of_property(given, label, label, seeing(one)))
                yield JointItem(
                    of, policy, about, given, over, type(make(None)), label, spread, make, text, index, which
                )

    def _one_value(
        self,
        of: str,
        policy: Policy,
        index: int,
        column: str,
        given: tuple[str, ...],
        over: tuple[str, ...],
        told: RowsTold,
        texts: Sequence[str],
    ) -> Iterator[JointItem]:
        """Yield a promise that needs one value of each person."""
        tells = told.known[told.codes]
        most = np.full(self.size, -1, dtype=np.int64)
        most[told.whose] = told.codes  # what tells nothing, unless she has something else
        known = np.full(self.size, -1, dtype=np.int64)
        np.maximum.at(known, told.whose[tells], told.codes[tells])
        several = np.zeros(self.size, dtype=np.bool_)
        several[told.whose[tells][told.codes[tells] != known[told.whose[tells]]]] = True
        if several.any():
            raise InputError(
                f"ledger: in {told.about} {int(several.sum())} persons have several values of {column!r}, and a "
                f"promise of {of} needs one of each; write infer: {{{column}: {{any: true}}}}"
            )
        spread = SpreadColumn(told.values, np.where(known >= 0, known, most))
        label = free_name(f"{column} in {told.about} for {of} {index}", self.table.columns)
        seen = self._seen(spread, policy, column)
        for which, (promise, text) in enumerate(zip(policy.promises_of(index, seeing(seen)), texts, strict=False)):
            make = always(about_column(promise, given, label))
            kind: type[GroupPromise] = type(promise)
            yield JointItem(of, policy, told.about, given, over, kind, label, spread, make, text, index, which)


def _counts_rows(policy: Policy) -> bool:
    """Whether the number of a person's rows is known to whom a promise is about."""
    return policy.unit is None or policy.unit.counts_rows


def _no_column(name: str) -> Encoded:
    raise AssertionError(name)

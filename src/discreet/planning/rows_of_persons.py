"""Persons in the making: their rows, counted; and what is promised of them where each is one row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from discreet.encoded import Combinations, Ints
from discreet.fit.persons import known_ids
from discreet.policy import GroupPromise, Policy
from discreet.policy.bind import Bound, known_to_groups
from discreet.policy.places import Path
from discreet.policy.requirements.base import Flags, GroupRequirement
from discreet.policy.requirements.seen import SeenColumn, SeenOf
from discreet.table.engine import Engine


@dataclass(frozen=True)
class RowsOfPersons:
    """The different rows of each person on some columns, with how many there are, sorted by person."""

    counted: Combinations
    person: Ints
    """The person of each combination, by her place."""
    starts: Ints
    """Where the combinations of each person begin."""
    ids: tuple[str | None, ...]

    @cached_property
    def rows(self) -> Ints:
        """How many rows each person has."""
        return np.add.reduceat(self.counted.counts, self.starts)

    def any_of(self, which: Flags) -> Flags:
        """Return which persons have one of some combinations."""
        found: Flags = np.logical_or.reduceat(which, self.starts)
        return found

    def is_constant(self, column: str) -> bool:
        """Whether every person has the same value of a column in all her rows."""
        codes = self.counted.code(column).astype(np.int64)
        return bool((np.minimum.reduceat(codes, self.starts) == np.maximum.reduceat(codes, self.starts)).all())

    def first(self, column: str) -> list[str | None]:
        """Return the value of a column in one of the rows of each person."""
        return self.texts(column, self.counted.code(column)[self.starts].astype(np.int64))

    def commonest(self, column: str) -> list[str | None]:
        """Return the value of a column that most of the rows of each person have, the first of those in order."""
        codes = self.counted.code(column).astype(np.int64)
        key = self.person * (int(codes.max(initial=0)) + 1) + codes
        each, at = np.unique(key, return_inverse=True)
        often = np.bincount(at, weights=self.counted.counts).astype(np.int64)
        whose, code = np.divmod(each, int(codes.max(initial=0)) + 1)
        order = np.lexsort((code, -often, whose))
        best = order[np.unique(whose[order], return_index=True)[1]]
        return self.texts(column, code[best])

    def texts(self, column: str, codes: Ints) -> list[str | None]:
        """Return codes of a column as its values."""
        domain = self.counted.domain(column)
        return [domain[code] for code in codes.tolist()]


def rows_of_persons(source: Engine, policy: Policy, columns: Sequence[str]) -> RowsOfPersons:
    """Count the rows of each person; only counts are asked of the table."""
    assert policy.unit is not None
    names = (policy.unit.id, *(name for name in columns if name != policy.unit.id))
    counted = source.count(names)
    known_ids(policy, counted)
    code = counted.code(policy.unit.id).astype(np.int64)
    order = np.argsort(code, kind="stable")
    counted = replace(counted, codes=tuple(each[order] for each in counted.codes), counts=counted.counts[order])
    there, starts = np.unique(code[order], return_index=True)
    person = np.repeat(np.arange(len(there)), np.diff(np.append(starts, len(code))))
    ids = counted.domain(policy.unit.id)
    return RowsOfPersons(counted, person, starts, tuple(ids[place] for place in there.tolist()))


KnownAs = Callable[[tuple[str, ...]], Sequence[tuple[str, ...]]]
"""What is known of persons where some columns of their rows are: one set of columns, or several."""


class PersonItem(GroupRequirement):
    """A requirement about persons where each is one row."""

    tag = ""
    hint = ""
    item: Any
    index: int
    known_as: Any

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that an adversary may know."""
        return tuple(dict.fromkeys(name for some in self.known_as(self.item.known) for name in some))

    @property
    def sensitive(self) -> str | None:
        """The column of which something must not be inferred."""
        sensitive: str | None = self.item.sensitive
        return sensitive

    @property
    def kind_made(self) -> type[GroupPromise]:
        """The kind of promise that it makes."""
        kind: type[GroupPromise] = self.item.kind_made
        return kind

    def promises(self, index: int, seen: SeenOf | None = None) -> Iterator[GroupPromise]:
        """Yield its promises, under the position that the owner knows."""
        del index
        for promise in self.item.promises(self.index, seen):
            for known in self.known_as(promise.given):
                yield replace(promise, given=known)

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield nothing: the owner names columns of rows."""
        yield from ()

    def problems(self, column: SeenColumn) -> Iterator[tuple[Path, str]]:
        """Yield nothing: it was looked at on the rows."""
        del column
        yield from ()

    def on_share(self, share: Any) -> PersonItem:
        """Return the requirement as it is where only a share of the persons is searched."""
        return self.model_copy(update={"item": self.item.on_share(share)})

    def with_limit(self, limit: Any) -> PersonItem:
        """Return the same requirement with another limit."""
        return self.model_copy(update={"item": self.item.with_limit(limit)})


class PropertyItem(GroupRequirement):
    """One property of a promise, which a column says of each person: its own name is the text of who has it."""

    tag = ""
    hint = ""
    promise: Any
    """The promise about rows."""
    given: tuple[str, ...]
    column: str

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that an adversary may know."""
        return self.given

    @property
    def sensitive(self) -> str:
        """The column that says who has the property."""
        return self.column

    @property
    def kind_made(self) -> type[GroupPromise]:
        """The kind of promise that it makes."""
        return type(self.promise.of_property(self.given, self.column, self.column, None))

    def promises(self, index: int, seen: SeenOf | None = None) -> Iterator[GroupPromise]:
        """Yield the promise."""
        del index
        yield self.promise.of_property(self.given, self.column, self.column, seen)

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield nothing: the owner names columns of rows."""
        yield from ()

    def with_limit(self, limit: Any) -> PropertyItem:
        """Return the same with another limit."""
        return self.model_copy(update={"promise": replace(self.promise, at_most=limit)})


def needed_of_rows(bound: Bound) -> list[str]:
    """Return the columns that count for persons."""
    policy = bound.policy
    needed = {*known_to_groups(policy), *policy.sensitive, *policy.targets}
    needed |= {name for goal in policy.goals for name in goal.inputs or ()}
    return [name for name in bound.columns if name in needed]


def differing(source: Engine, bound: Bound) -> list[str]:
    """Return the known columns that differ between the rows of a person."""
    known = known_to_groups(bound.policy)
    names = [name for name in bound.columns if name in known]
    rows = rows_of_persons(source, bound.policy, needed_of_rows(bound))
    return [name for name in names if not rows.is_constant(name)]

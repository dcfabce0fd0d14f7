"""Persons with several rows, as searches see them: one row each.

Where the known columns are the same in all rows of every person, a person is one row with these values and, unless
nobody knows it, her number of rows as a further known column that never changes. What is promised of her sensitive
values is about the values of all her rows: where a column has several, each property that a promise speaks of becomes
a column of its own that says whether she has it (one of her rows does; for an absence all of them), has it not, or
leaves it open. Then everything is searched for as if these were the rows of a table, at the same cost.

What is found is carried to all her rows (`People.in_rows`), and verified there by other code.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from discreet.common.wording import in_persons
from discreet.encoded import Ints
from discreet.errors import ImpossiblePromise, InputError, PolicyError, TooManySuppressed
from discreet.plan.masks import ALL, Masked, Masks
from discreet.plan.parts import Recoding
from discreet.plan.plan import Plan
from discreet.planning.limits import which_known
from discreet.planning.rows_of_persons import (
    KnownAs,
    PersonItem,
    PropertyItem,
    RowsOfPersons,
    needed_of_rows,
    rows_of_persons,
)
from discreet.policy import GroupPromise
from discreet.policy.bind import Bound, known_to_groups
from discreet.policy.part import Frozen
from discreet.policy.persons import free_name, number_column
from discreet.policy.requirements import KAnonymity
from discreet.policy.requirements.any_of import also_knowing
from discreet.policy.requirements.base import GroupRequirement
from discreet.table.engine import Engine
from discreet.table.local import LocalEngine

NO = "no"
MOST_PROPERTIES = 2_000
"""Properties of persons that are looked at, each a column of its own."""


@dataclass(frozen=True)
class People:
    """The persons of a table, one row each, with the policy as it is about them."""

    source: Engine
    """The table with all their rows."""
    rows: Bound
    """The policy on that."""
    table: LocalEngine
    bound: Bound
    """The policy on the persons."""
    ids: tuple[str | None, ...]
    meant: dict[str, GroupPromise]
    """For each column that says who has a property, which promise that is of."""
    binned: tuple[Recoding, ...] = ()
    """What becomes of columns of their rows that no search cuts."""

    def said(self, promise: GroupPromise) -> GroupPromise:
        """Return a promise as the owner knows it."""
        if promise.column in self.meant:
            return self.meant[promise.column]
        of_rows = self.rows.policy.promises_of(promise.index, self.rows.seen)
        return next((one for one in of_rows if one.about == promise.about), promise)

    @contextmanager
    def speaking(self) -> Iterator[None]:
        """Let errors of a search on persons speak of persons, and of promises as the owner knows them."""
        try:
            with speaking_of_persons():
                yield
        except ImpossiblePromise as impossible:
            worst: dict[str, tuple[GroupPromise, Any]] = {}
            for promise, share in impossible.least:
                said = self.said(promise)
                known = worst.setdefault(f"{said.index} {said}", (said, share))
                worst[f"{said.index} {said}"] = (said, max(known[1], share))
            raise ImpossiblePromise(list(worst.values()), in_persons) from None

    def in_rows(self, plan: Plan, gone: Sequence[int]) -> Plan:
        """Return a plan for persons as one for all their rows; `gone` are the persons that it suppresses."""
        policy, source = self.rows.policy, self.source
        kinds = {name: source.kind(name) for name in plan.kinds if name in source.columns}
        kept = tuple(self._kept(plan))
        recodings = (*plan.recodings, *self.binned)
        plan = replace(plan, policy=policy, columns=source.columns, kinds=kinds, kept=kept, redundant=())
        plan = replace(plan, recodings=recodings)
        if plan.sampled is not None:
            plan = replace(plan, sampled=self._numbers(plan.sampled))
        if source.row_wise:
            return replace(plan, suppressed=self._numbers(gone), masks=None)
        whose = tuple(self.ids[number - 1] for number in gone)
        masks = Masks((Masked(self._id, whose, tuple(range(len(whose)))),), (ALL,) * len(whose)) if whose else None
        return replace(plan, suppressed=(), masks=masks)

    @property
    def _id(self) -> str:
        assert self.rows.policy.unit is not None
        return self.rows.policy.unit.id

    def _kept(self, plan: Plan) -> Iterator[Any]:
        """Yield what stays hidden, with the values that the owner knows."""
        for kept in plan.kept:
            meant = self.meant.get(kept.infers or "")
            yield kept if meant is None else replace(kept, infers=meant.value)

    def places(self, persons: Sequence[int]) -> Ints:
        """Return the places of all rows of some persons, by their numbers."""
        encoded = self.source.encoded(self._id)
        wanted = {self.ids[number - 1] for number in persons}
        return np.flatnonzero(np.array([value in wanted for value in encoded.domain], dtype=np.bool_)[encoded.codes])

    @property
    def whose(self) -> Ints:
        """The person of each row, by her place."""
        encoded = self.source.encoded(self._id)
        place = {value: at for at, value in enumerate(self.ids)}
        return np.array([place.get(value, -1) for value in encoded.domain], dtype=np.int64)[encoded.codes]

    def _numbers(self, persons: Sequence[int]) -> tuple[int, ...]:
        return tuple(self.source.numbers()[self.places(persons)].tolist())


@contextmanager
def speaking_of_persons() -> Iterator[None]:
    """Let what is said of suppressed rows, or of promises that cannot be kept, be said of persons."""
    try:
        yield
    except ImpossiblePromise as impossible:
        raise ImpossiblePromise(impossible.least, in_persons) from None
    except TooManySuppressed as many:
        raise TooManySuppressed(many.rows, many.total, many.limit, "persons") from None


def people_of(source: Engine, bound: Bound, seen: Engine | None = None, binned: Sequence[Recoding] = ()) -> People:
    """Return the persons of a table, where their known columns are the same in all rows.

    `seen` is the table with its confidential cells hidden, as promises about groups find it.
    """
    policy, unit = bound.policy, bound.policy.unit
    assert unit is not None
    rows = rows_of_persons(seen or source, policy, needed_of_rows(bound))
    number = number_column(bound.columns) if unit.counts_rows else None

    def known_as(given: tuple[str, ...]) -> Sequence[tuple[str, ...]]:
        return (given if number is None else also_knowing(given, number),)

    made = PersonColumns(bound, rows, known_as)
    made.run()
    if number is not None:
        made.columns[number] = list(map(str, rows.rows.tolist()))
    table = made.table()
    fixed = (*bound.fixed, *(() if number is None else (number,)))
    about = made.bound(table.columns, bound.changeable, fixed)
    return People(source, bound, table, about, rows.ids, made.meant, tuple(binned))


class PersonColumns:
    """Persons in the making: their columns, and what is promised of them."""

    def __init__(self, bound: Bound, rows: RowsOfPersons, known_as: KnownAs) -> None:
        self.rows_bound, self.rows, self.known_as = bound, rows, known_as
        self.policy = bound.policy
        self.columns: dict[str, list[str | None]] = {}
        self.protect: list[GroupRequirement] = []
        self.meant: dict[str, GroupPromise] = {}

    def run(self) -> None:
        """Make columns and requirements."""
        known = known_to_groups(self.policy)
        for name in self.rows.counted.columns[1:]:
            if name in known:
                self.columns[name] = self.rows.first(name)
            elif name not in self.policy.sensitive:
                self.columns[name] = self.rows.commonest(name)
        self.require()
        for name in self.policy.targets - set(self.columns):  # a target of which something must not be inferred
            self.columns[name] = self.rows.commonest(name)

    def require(self) -> None:
        """Make what is promised, with the columns that it speaks of."""
        for index, requirement in self.policy.groups():
            self._require(index, requirement)

    def table(self) -> LocalEngine:
        """Return the persons as a table."""
        frame = pl.DataFrame({name: pl.Series(values, dtype=pl.String) for name, values in self.columns.items()})
        return LocalEngine(frame)

    def _require(self, index: int, requirement: GroupRequirement) -> None:
        column = requirement.sensitive
        if column is None or self._has_one(column, requirement.kind_made):
            self.protect.append(PersonItem(item=requirement, index=index, known_as=self.known_as))
            return
        if not requirement.kind_made.template:
            several = self._several(column)
            message = (
                f"{several} have several values of {column!r}, and this promise needs one of each; "
                f"write infer: {{{column}: {{any: true}}}}"
            )
            raise PolicyError([self.policy.problem(("protect", index), message)])
        before = len(self.protect)
        for promise in requirement.promises(index, self.rows_bound.seen):
            self._properties(promise, column)
        if len(self.protect) == before:  # nobody has any of the properties, and the columns must be known to somebody
            nothing = KAnonymity(k=1, over=requirement.known)
            self.protect.append(PersonItem(item=nothing, index=index, known_as=self.known_as))

    def _has_one(self, column: str, kind: type[GroupPromise]) -> bool:
        """Take a sensitive column as it is, if every person has one value of it."""
        if self.rows.is_constant(column):
            self.columns[column] = self.rows.first(column)
            return True
        if kind.template:
            return False
        # A value and cells that tell nothing are one value.
        codes = self.rows.counted.code(column).astype(np.int64)
        known = which_known(self.rows_bound, self.rows.counted.domain(column))[codes]
        largest = np.maximum.reduceat(np.where(known, codes, -1), self.rows.starts)
        if (known & (codes != largest[self.rows.person])).any():
            return False
        told = np.where(largest < 0, codes[self.rows.starts], largest)
        self.columns[column] = self.rows.texts(column, told)
        return True

    def _several(self, column: str) -> str:
        codes = self.rows.counted.code(column).astype(np.int64)
        known = which_known(self.rows_bound, self.rows.counted.domain(column))[codes]
        least = np.minimum.reduceat(np.where(known, codes, 2**62), self.rows.starts)
        many = int(self.rows.any_of(known & (codes != least[self.rows.person])).sum())
        return f"{many} of the {len(self.rows.ids)} {self.rows.counted.columns[0]}"

    def _properties(self, promise: GroupPromise, column: str) -> None:
        """Make a column of each property of a promise that somebody has."""
        domain = self.rows.counted.domain(column)
        known, codes = which_known(self.rows_bound, domain), self.rows.counted.code(column)
        is_open = ~known[codes]
        lines = promise.properties(domain, known)
        if len(lines) + len(self.meant) > MOST_PROPERTIES:
            raise InputError(
                f"protect[{promise.index}]: persons have several values of {column!r}, and {len(lines):,} of them are "
                f"more than can be looked at ({MOST_PROPERTIES:,}); release it with fewer (years instead of days)"
            )
        for line in lines:
            has = line[codes]
            if promise.needs_all_rows:
                lacks = self.rows.any_of(~has & ~is_open)
                opened = ~lacks & self.rows.any_of(is_open)
                owns = ~lacks & ~opened
            else:
                owns = self.rows.any_of(has)
                opened = ~owns & self.rows.any_of(is_open)
            if not owns.any():
                continue
            name = free_name(f"{column}: property {len(self.meant) + 1}", self.rows_bound.columns)
            said = [name if has else NO for has in owns.tolist()]
            hidden = self.policy.marker
            self.columns[name] = [hidden if unknown else text for text, unknown in zip(said, opened, strict=True)]
            for given in self.known_as(promise.given):
                self.protect.append(PropertyItem(promise=promise, given=given, column=name))
            self.meant[name] = promise

    def bound(self, columns: Sequence[str], changeable: Sequence[str], fixed: Sequence[str]) -> Bound:
        """Return the policy about persons on their columns."""
        policy = self.policy
        said = Frozen({name: column for name, column in policy.columns.items() if name in columns})
        search = None if policy.is_local else policy.method
        protect = tuple(self.protect)
        about = policy.model_copy(update={"unit": None, "protect": protect, "columns": said, "search": search})
        return Bound(
            policy=about,
            columns=tuple(columns),
            released=tuple(columns),
            changeable=tuple(name for name in columns if name in changeable),
            fixed=tuple(name for name in columns if name in fixed),
            edited=(),
            binned=(),
            warnings=(),
        )

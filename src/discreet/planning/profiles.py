"""Persons whose known columns differ between their rows, and persons of whom one row is known.

Two persons look alike when they have the same released rows on the known columns, each as often. A coarser recoding
merges such groups whole, but no search of cuts counts them. So recodings are searched for on the rows, with k rows
alike for ever larger k, until everything is hidden; what each is worth to persons is counted exactly: who does not fit
then is suppressed whole. The recoding that leaves the most detail is taken, the first that suppresses nobody at the
latest. Guarantee: all groups of persons keep every promise, those of the suppressed included; nothing is best.

Where one row of a person is known, the different persons behind each group of rows are counted instead, and whoever is
in a group with too few is suppressed whole; everything is counted again until nothing changes.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from discreet.chance import Source, chance_from, some_of
from discreet.common.watch import Watch
from discreet.encoded import Ints, keys
from discreet.errors import ImpossiblePromise, PolicyError, TooManySuppressed
from discreet.fit.fitting import seen_column
from discreet.plan.parts import UNSEEN, Recoding
from discreet.plan.plan import Plan
from discreet.planning.cutting import CutPlanner
from discreet.planning.fitting_columns import changeable_columns
from discreet.planning.persons import People, PersonColumns
from discreet.planning.problem import cut_problem
from discreet.planning.rows_of_persons import RowsOfPersons, differing, needed_of_rows, rows_of_persons
from discreet.planning.suppression import rows_to_suppress
from discreet.planning.task import Task, require_possible
from discreet.policy import GroupPromise
from discreet.policy.bind import Bound, known_to_groups
from discreet.policy.persons import PersonUnit
from discreet.policy.requirements import KAnonymity
from discreet.policy.requirements.any_of import sets_of
from discreet.policy.requirements.base import Flags
from discreet.policy.uses import General
from discreet.table.engine import Engine

FULL, FIXED = "rows on", "fixed on"


@dataclass(frozen=True)
class JudgedProfiles:
    """What a recoding is worth to persons."""

    gone: tuple[int, ...]
    """The persons that are suppressed, by their numbers."""
    drawn: int
    """How many of them by lot."""


@dataclass(frozen=True)
class FoundProfiles:
    """A recoding of the rows, the persons that it suppresses, and the share of detail that it leaves."""

    plan: Plan
    judged: JudgedProfiles
    detail: float


class Profiles:
    """The persons of a table, by all their rows."""

    def __init__(self, source: Engine, bound: Bound) -> None:
        self.source, self.bound = source, bound
        self.rows: RowsOfPersons = rows_of_persons(source, bound.policy, needed_of_rows(bound))
        self.persons = len(self.rows.ids)

    @property
    def one_row(self) -> bool:
        """Whether one row of a person is known."""
        return self.unit.one_row

    @property
    def unit(self) -> PersonUnit:
        """Whose rows are whose."""
        assert self.bound.policy.unit is not None
        return self.bound.policy.unit

    def people(self) -> People:
        """Return the persons, for a plan that is to be carried to their rows."""
        columns = PersonColumns(self.bound, self.rows, lambda given: (given,))
        return People(self.source, self.bound, columns.table(), self.bound, self.rows.ids, {})

    def find(self, watch: Watch, seed: int | None) -> FoundProfiles:
        """Return the recoding that leaves the most detail."""
        self.require_possible()
        best: FoundProfiles | None = None
        limit = self._limit()
        fewest = self.persons
        for plan in self._candidates(watch, seed):
            judged = self.judged(plan, chance_from(seed))
            found, gone = FoundProfiles(plan, judged, self._detail(plan.recodings, judged)), len(judged.gone)
            fewest = min(fewest, gone)
            fits = gone <= limit and (gone < self.persons or not self.bound.policy.removes)
            if fits and (best is None or found.detail > best.detail):
                best = found
            if not gone:
                break
        if best is None:
            raise TooManySuppressed(fewest, self.persons, Fraction(limit, max(self.persons, 1)), "persons")
        return best

    def _limit(self) -> int:
        policy = self.bound.policy
        return 0 if policy.method == "disclosure" else math.floor(policy.suppress.limit * self.persons)

    def _candidates(self, watch: Watch, seed: int | None) -> Iterator[Plan]:
        """Yield recodings of the rows, from fine to coarse; with the last everything is hidden."""
        rows = int(self.rows.counted.counts.sum())
        wanted = 1
        while True:
            task = self._task(wanted)
            none = 0 if self.bound.policy.method == "disclosure" else None
            try:
                yield CutPlanner(task, none, seed).run(watch)
            except ImpossiblePromise as impossible:  # columns that never change have fewer rows alike
                most = min(share.denominator for _, share in impossible.least)
                if most < wanted:
                    yield CutPlanner(self._task(most), none, seed).run(watch)
                return
            except TooManySuppressed:
                pass
            if wanted == rows:
                return
            wanted = min(2 * wanted, rows)

    def _task(self, wanted: int) -> Task:
        """Return the search for a recoding with so many rows alike."""
        policy, bound = self.bound.policy, self.bound
        asked: dict[tuple[str, ...], int] = {}
        for index, requirement in policy.groups():
            least = max(
                (promise.least_rows for promise in policy.promises_of(index) if promise.column is None), default=1
            )
            asked[requirement.known] = max(asked.get(requirement.known, 1), least, wanted)
        protect = tuple(KAnonymity(k=k, over=known) for known, k in asked.items())
        search = "coordinate" if policy.method == "disclosure" else policy.method
        alike = policy.model_copy(update={"unit": None, "protect": protect, "release": None, "search": search})
        bound = replace(bound, policy=alike, seen=None)
        counted = self.source.count(bound.counted)
        columns, _ = changeable_columns(bound, counted)
        return Task(replace(bound, seen=partial(seen_column, alike, counted)), columns, counted)

    def judged(self, plan: Plan, chance: Source) -> JudgedProfiles:
        """Return what a recoding is worth: who must be suppressed."""
        recoded = self._recoded(plan.recodings)
        return self._judged(recoded, self._unseen(recoded), chance)

    def as_told(self, gone: Collection[str | None], chance: Source) -> JudgedProfiles:
        """Return who must be suppressed if the rows are told as they stand; some persons, by their ids, are already."""
        return self._judged({}, np.array([who in gone for who in self.rows.ids], dtype=np.bool_), chance)

    def _judged(self, recoded: dict[str, Ints | None], gone: Flags, chance: Source) -> JudgedProfiles:
        found, drawn = (self._behind_rows if self.one_row else self._unlike)(recoded, gone, chance)
        return JudgedProfiles(tuple((np.flatnonzero(found) + 1).tolist()), drawn)

    def _recoded(self, recodings: Sequence[Recoding]) -> dict[str, Ints | None]:
        """Return the released text of each known column by codes, -1 where the plan has not seen the value."""
        counted, found = self.rows.counted, dict[str, Ints | None]()
        for recoding in recodings:
            if recoding.column in counted.columns:
                scale = self.bound.policy.column(recoding.column).scale
                texts = recoding.texts(counted.domain(recoding.column), scale)
                place: dict[object, int] = {UNSEEN: -1}
                codes = np.array([place.setdefault(text, len(place) - 1) for text in texts], dtype=np.int64)
                found[recoding.column] = codes[counted.code(recoding.column)]
        return found

    def _unseen(self, recoded: dict[str, Ints | None]) -> Flags:
        """Return the persons with a value that a plan has not seen."""
        unseen = np.zeros(len(self.rows.person), dtype=np.bool_)
        for codes in recoded.values():
            unseen |= np.asarray(codes) < 0
        return self.rows.any_of(unseen)

    def _groups_of_rows(self, names: Sequence[str], recoded: dict[str, Ints | None]) -> Ints:
        """Return which rows look alike on some columns as they are released."""
        codes = []
        for name in names:
            own = recoded.get(name)
            codes.append(self.rows.counted.code(name).astype(np.int64) if own is None else own + 1)
        sizes = [int(code.max(initial=0)) + 1 for code in codes]
        key, _ = keys(codes, sizes, len(self.rows.person))
        return np.unique(key, return_inverse=True)[1].astype(np.int64)

    @cached_property
    def _sets(self) -> list[tuple[str, ...]]:
        known = dict.fromkeys(one for _, made in self.bound.policy.groups() for one in sets_of(made.known))
        return list(known)

    def _fixed(self, known: Sequence[str]) -> list[str]:
        return [name for name in known if name in self.bound.fixed]

    # All rows are known

    def _profile(self, looks: Ints) -> list[str]:
        """Return the rows of each person as one text: each look and, if that is known, how often she has it."""
        counts_rows = self.unit.counts_rows
        width = int(looks.max(initial=0)) + 1
        each, at = np.unique(self.rows.person * width + looks, return_inverse=True)
        often = np.bincount(at, weights=self.rows.counted.counts).astype(np.int64)
        texts: list[list[str]] = [[] for _ in range(self.persons)]
        for key, many in zip(each.tolist(), often.tolist(), strict=True):
            person, look = divmod(key, width)
            texts[person].append(f"{look}x{many}" if counts_rows else str(look))
        return ["+".join(some) for some in texts]

    def _columns(self, recoded: dict[str, Ints | None], unseen: Flags) -> tuple[PersonColumns, Bound]:
        """Return the persons with how they look on each set of columns, and what is promised of them."""
        sets, marker = self._sets, self.bound.policy.marker
        names = {known: (f"{FULL} {at}", f"{FIXED} {at}") for at, known in enumerate(sets)}
        made = PersonColumns(self.bound, self.rows, lambda given: [names[one] for one in sets_of(given)])
        for known in sets:
            full, fixed = names[known]
            looks = self._profile(self._groups_of_rows(known, recoded))
            made.columns[full] = [marker if strange else look for look, strange in zip(looks, unseen, strict=True)]
            made.columns[fixed] = list(self._profile(self._groups_of_rows(self._fixed(known), recoded)))
        made.require()
        full_ones = [full for full, _ in names.values()]
        fixed_ones = [fixed for _, fixed in names.values()]
        bound = made.bound(list(made.columns), full_ones, fixed_ones)
        return made, replace(bound, policy=bound.policy.model_copy(update={"use": General()}))

    def _unlike(self, recoded: dict[str, Ints | None], gone: Flags, chance: Source) -> tuple[Flags, int]:
        """Return the persons who must be suppressed, so that all groups of persons keep every promise."""
        made, bound = self._columns(recoded, gone)
        table = made.table()
        found = rows_to_suppress(table, bound, chance)
        if found.masks is not None:
            gone = gone.copy()
            gone[table.numbers_of(found.masks, table) - 1] = True
        return gone, found.drawn

    # One row is known

    def _behind_rows(self, recoded: dict[str, Ints | None], gone: Flags, chance: Source) -> tuple[Flags, int]:
        """Return the persons who must be suppressed, so that enough persons are behind every group of rows."""
        asked = [
            (self._groups_of_rows(one, recoded), self._groups_of_rows(self._fixed(one), recoded), promise.least_rows)
            for promise in self.bound.promises
            for one in sets_of(promise.given)
        ]
        drawn = 0
        while True:
            fresh, lacking = gone.copy(), 0
            for looks, fixed, k in asked:
                few = self._few(looks, ~gone, k)
                fresh[self.rows.person[few[looks] > 0]] |= True
                if not self.bound.policy.removes:
                    lacking = max(lacking, int(self._few(fixed, gone, k).max(initial=0)))
            if not np.array_equal(fresh, gone):
                gone = fresh
                continue
            left = np.flatnonzero(~gone)
            if not lacking or not len(left):
                return gone, drawn
            taken = left[some_of(len(left), min(lacking, len(left)), chance)]
            gone = gone.copy()
            gone[taken] = True
            drawn += len(taken)

    def _few(self, looks: Ints, which: Flags, k: int) -> Ints:
        """Return how many persons each group of rows of some persons lacks; none where it has nobody."""
        kept = which[self.rows.person]
        width = int(looks.max(initial=0)) + 1
        pairs = np.unique(looks[kept] * self.persons + self.rows.person[kept])
        behind = np.bincount(pairs // max(self.persons, 1), minlength=width)
        return np.where(behind > 0, np.maximum(k - behind, 0), 0).astype(np.int64)

    # Whether anything can be released

    def require_possible(self) -> None:
        """Raise `ImpossiblePromise` where everything hidden is not enough."""
        nothing: dict[str, Ints | None] = {
            name: np.zeros(len(self.rows.person), dtype=np.int64) for name in self.bound.changeable
        }
        removes = self.bound.policy.removes
        if self.one_row:
            least = list(self._too_few(nothing, removes=removes))
            if least:
                raise ImpossiblePromise(least)
            return
        made, bound = self._columns(nothing, np.zeros(self.persons, dtype=np.bool_))
        counted = made.table().count(bound.counted)
        bound = replace(bound, seen=partial(seen_column, bound.policy, counted))
        columns, _ = changeable_columns(bound, counted)
        promises = list(bound.each_promise)
        try:
            require_possible(cut_problem(bound, columns, promises, counted).tables, promises, removes=removes)
        except ImpossiblePromise as impossible:
            said = People(self.source, self.bound, made.table(), bound, self.rows.ids, made.meant).said
            raise ImpossiblePromise([(said(promise), share) for promise, share in impossible.least]) from None

    def _too_few(self, nothing: dict[str, Ints | None], *, removes: bool) -> Iterator[tuple[GroupPromise, Fraction]]:
        everybody = np.ones(self.persons, dtype=np.bool_)
        for promise in self.bound.promises:
            for one in sets_of(promise.given):
                looks = self._groups_of_rows([] if removes else self._fixed(one), nothing)
                lacking = int(self._few(looks, everybody, promise.least_rows).max(initial=0))
                if lacking:
                    yield promise, Fraction(1, promise.least_rows - lacking)
                    break

    def _detail(self, recodings: Sequence[Recoding], judged: JudgedProfiles) -> float:
        """Return the share of detail that is released (1 - LM), rows of suppressed persons counted as told nothing."""
        counted = self.rows.counted
        gone = np.zeros(self.persons, dtype=np.bool_)
        gone[np.array(judged.gone, dtype=np.int64) - 1] = True
        kept = np.where(gone[self.rows.person], 0, counted.counts)
        rows, gone_rows = float(counted.counts.sum()), float(counted.counts.sum() - kept.sum())
        told = {recoding.column: recoding for recoding in recodings}
        columns, _ = changeable_columns(self.bound, counted)
        lost = weights = 0.0
        for column in columns:
            loss_of = dict(zip(column.domain, column.losses(told[column.name]), strict=True))
            losses = np.array([loss_of[value] for value in counted.domain(column.name)])
            here = np.bincount(counted.code(column.name), weights=kept, minlength=len(losses))
            weight = float(self.bound.policy.column(column.name).weight)
            lost += weight * (float(here @ losses) + gone_rows) / rows
            weights += weight
        return 1 - lost / weights if weights else 1.0


def needs_profiles(source: Engine, bound: Bound) -> bool:
    """Whether persons must be compared by all their rows, one of them being known or known columns differing."""
    unit = bound.policy.unit
    if unit is None:
        return False
    rows = rows_of_persons(source, bound.policy, needed_of_rows(bound))
    known = known_to_groups(bound.policy)
    return unit.one_row or not all(rows.is_constant(name) for name in bound.columns if name in known)


def refuse_local(bound: Bound, source: Engine) -> None:
    """Refuse groups with labels of their own where the rows of a person differ on known columns."""
    if not bound.policy.is_local:
        return
    names = ", ".join(map(repr, differing(source, bound)))
    message = f"local recoding needs known columns that are the same in all rows of a person, and {names} differ"
    raise PolicyError([bound.policy.problem(("recoding",), f"{message}; write recoding: global")])

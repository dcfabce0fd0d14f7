"""Why cells were not protected, and what would help: found out after a job, on the table as it left it.

Guarantee: a reason is a fact about that table, for which the adversary was asked once more; a way that is named was
tried on some of the rows, each by itself, and kept their cells from all classifiers of the ward. That there is no way
at all is said against rules only, where it is proven. The table is left as it was.

Not covered: whether a way still works when all cells are protected anew together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import islice, product

import numpy as np

from discreet.method.cells.guards import (
    AgainstBayes,
    AgainstLearner,
    AgainstRules,
    Flags,
    Guard,
    RowRemoved,
)
from discreet.method.cells.job import Job
from discreet.method.cells.kernels import REFUSE

TRIED = 3
"""Rows that a way is tried on."""
TURNS = 3
"""How often the defences take turns for it."""
OWN = frozenset({"dropp", "e-dropp", "hid3", "greedy"})
"""Methods that change the row itself."""
REGIONS = ("others_sensitive", "others_conditions", "own_conditions")
"""What may be hidden against rules, as `RuleDefence` has it; what costs least, or tells least, first."""

_Act = Callable[[int], None]
"""What is done for a member, by its place."""


class Why(StrEnum):
    """Why cells were not protected."""

    STOPPED = "stopped"
    """There was no time to try everything."""
    TWO_VALUES = "two_values"
    """Only two values are possible, and that is refused."""
    ANYBODY = "anybody"
    """The value is what the adversary guesses of a row of which nothing is known."""
    NOTHING = "nothing"
    """Nothing that the method would change may be changed."""
    KEPT = "kept"
    """What may not be changed of the row leads to the value."""
    ALONE = "alone"
    """No other value goes with what is known of the row, and the method needs one that does."""
    MISSED = "missed"
    """The method found no way, though to hide all that may be hidden of the row would do."""
    OTHERS = "others"
    """Other rows were changed as far as the method may."""
    TIE = "tie"
    """Another value is as probable at best, and that is not enough."""
    ORIGINAL = "original"
    """The row as it is released would do, but not for who knows its original values."""
    UNDONE = "undone"
    """What is changed for other cells, or against other adversaries, exposes the cell again."""
    PRIOR = "prior"
    """Rules: the value is too common without any condition."""
    PROVEN = "proven"
    """Rules: a rule leaks whatever is hidden of what may be."""
    NOT_FOUND = "not_found"
    """Rules: no way was found, and not all were tried."""


@dataclass(frozen=True)
class Failure:
    """Some rows of a ward that were not protected, all for one reason."""

    why: Why
    places: tuple[int, ...]
    """The defences that did not suffice, by their places."""
    rows: tuple[int, ...]
    kept: tuple[int, ...] = ()
    """`NOTHING`, `KEPT`: the columns that may not be changed."""
    proven: bool = False
    """`PRIOR`: whether it is so whatever is hidden of what may be."""
    methods: tuple[str, ...] = ()
    """Other methods that would do."""
    lifted: tuple[int, ...] = ()
    """Columns that would do if they could be changed."""
    lifted_by: str | None = None
    """With which other method, where one is needed for it."""
    region: str | None = None
    """What else would do if it could be hidden: one of `REGIONS`."""
    lenient: bool = False
    """Whether it would do if a tie were enough."""
    without: bool = False
    """Whether all others would be held off, but for these adversaries."""


def failures(job: Job, number: int, rows: Sequence[int], bound: frozenset[int] = frozenset()) -> list[Failure]:
    """Return why some rows of a ward, which fail, were not protected, reason by reason.

    `bound` are columns that nobody could let be changed for these cells alone: other promises need them.
    """
    return _Inquiry(job, number, rows, bound).found()


class _Inquiry:
    """The rows of one ward that fail, with their shadows, and the adversaries who know them."""

    def __init__(self, job: Job, number: int, rows: Sequence[int], bound: frozenset[int]) -> None:
        self.job, self.number, self.bound = job, number, bound
        self.table, self.ward, self.guards = job.table, job.wards[number], job.guards[number]
        self.classifiers = [g for g in self.guards if not isinstance(g, AgainstRules | RowRemoved)]
        self.open = job.open(number)
        self.mine = np.isin(self.table.frame.real[self.open[0]], np.array(rows, dtype=np.int64))
        self.members, self.actuals = self.open[0][self.mine], self.open[1][self.mine]
        self.real = self.table.frame.real[self.members]
        self.exposed = [guard.exposed(*self.open)[self.mine] for guard in self.guards]
        self.family: dict[int, list[int]] = {}
        """Where each row stands with its shadows among the members."""
        for at, row in enumerate(self.real.tolist()):
            self.family.setdefault(row, []).append(at)

    def found(self) -> list[Failure]:
        """Return the reasons, those of the first defence first."""
        told: list[tuple[Failure, int]] = []
        if not self.job.stopped:
            for place, guard in enumerate(self.guards):
                asked = self._of_rules if isinstance(guard, AgainstRules) else self._of_classifier
                told += asked(place)
        rest, known = Why.STOPPED if self.job.stopped else Why.UNDONE, {row for _, row in told}
        hit = [set(self._rows(flags)) for flags in self.exposed]
        for row in sorted(self.family.keys() - known):
            told.append((Failure(rest, tuple(place for place, rows in enumerate(hit) if row in rows), ()), row))
        grouped: dict[Failure, list[int]] = {}
        for failure, row in told:
            grouped.setdefault(failure, []).append(row)
        return [self._with_ways(replace(failure, rows=tuple(some))) for failure, some in grouped.items()]

    # Reasons

    def _of_rules(self, place: int) -> Iterator[tuple[Failure, int]]:
        """Yield why rows are not safe from rules."""
        guard = self.guards[place]
        if not isinstance(guard, AgainstRules):
            return
        leaking, common = guard.leaks(*self.open)[self.mine], guard.too_common(self.actuals)
        surely = common & guard.too_common(self.actuals, whatever=True)
        status = guard.answer.status if guard.answer is not None else "safe"
        why = {"infeasible": Why.PROVEN, "not found": Why.NOT_FOUND}.get(status, Why.UNDONE)
        proven, by_rules = set(self._rows(surely)), set(self._rows(leaking))
        for row in self._rows(leaking | common):
            if row in proven or row not in by_rules:  # else what is hidden against rules may help here, too
                yield Failure(Why.PRIOR, (place,), (), proven=row in proven), row
            if row in by_rules:
                yield Failure(why, (place,), ()), row

    def _of_classifier(self, place: int) -> Iterator[tuple[Failure, int]]:
        """Yield why rows are guessed by a classifier against which its method found no way."""
        guard, method = self.guards[place], self.ward.defences[place].method
        given = np.array([self.job.given_up.get((self.number, row)) == place for row in self.members.tolist()])
        rows = self._rows(self.exposed[place] & given) if len(given) else []
        if not rows:
            return
        itself = self._rows(self.exposed[place] & (self.members == self.real))
        tied = self._tied(guard)
        with self._trial():
            self._hide(rows)
            hidden, tied = self._guessed(guard), tied | (self._tied(guard) if method in OWN else set())
            self._hide(rows, everything=True)
            unknown = self._guessed(guard)
        for row in rows:
            kept: tuple[int, ...] = ()
            if self._refused(guard, row):
                why = Why.TWO_VALUES
            elif row not in itself:
                why = Why.ORIGINAL
            elif row in tied:
                why = Why.TIE
            elif method in OWN and row in unknown:
                why = Why.ANYBODY
            elif kept := self._all_kept(row, method):
                why = Why.NOTHING
            elif method in OWN and row in hidden:
                why, kept = Why.KEPT, self._kept(row)
            elif self._alone(place, row):
                why = Why.ALONE
            else:
                why = Why.OTHERS if method not in OWN else Why.UNDONE if method == "greedy" else Why.MISSED
            yield Failure(why, (place,), (), kept), row

    def _rows(self, flags: Flags) -> list[int]:
        """Return the rows that are flagged, or have a shadow that is."""
        return sorted(set(self.real[flags].tolist()))

    def _guessed(self, guard: Guard) -> set[int]:
        """Return the rows that an adversary guesses now."""
        return set(self._rows(guard.exposed(self.members, self.actuals)))

    def _tied(self, guard: Guard) -> set[int]:
        """Return the rows that are guessed now, and would not be if a tie were enough."""
        return self._guessed(guard) - self._guessed(guard.lenient()) if self.ward.strict else set()

    def _kept(self, row: int) -> tuple[int, ...]:
        """Return the predictors that tell something of a row and may not be changed."""
        locked = self.table.frame.locked
        return tuple(c for c in self.ward.predictors if locked[c, row] and self.table.node(c, row))

    def _all_kept(self, row: int, method: str) -> tuple[int, ...]:
        """Return all columns that a method would change for a row, if none of them may be changed there."""
        if method in OWN:
            told = tuple(c for c in self.ward.predictors if self.table.node(c, row))
            return told if all(self.table.frame.locked[c, row] for c in told) else ()
        columns = self._of_others(method)
        return columns if all(self.free_cells[c] <= (not self.table.frame.locked[c, row]) for c in columns) else ()

    @cached_property
    def free_cells(self) -> list[int]:
        """How many cells of each column may be changed."""
        real = self.table.frame.real == np.arange(self.table.rows)
        return [int((~locked & real).sum()) for locked in self.table.frame.locked]

    def _of_others(self, method: str) -> tuple[int, ...]:
        """Return the columns that a method changes in other rows."""
        if method != "incp":
            return self.ward.predictors
        return (self.ward.column, *(self.ward.predictors if self.ward.fall_back else ()))

    def _refused(self, guard: Guard, row: int) -> bool:
        """Whether a column has only two values, and its cells are not to be tried."""
        two = int(self.table.frame.domain[self.ward.column]) == 2
        return two and not isinstance(guard, AgainstLearner) and self.job.cells[self.number, row][1].coin == REFUSE

    def _alone(self, place: int, row: int) -> bool:
        """Whether naive Bayes has no other value for a row."""
        guard = self.guards[place]
        if not isinstance(guard, AgainstBayes):
            return False
        here = [at for at in self.family[row] if self.exposed[place][at]]
        return any(not guard.possible(int(self.members[at]), int(self.actuals[at])) for at in here)

    # Ways

    def _with_ways(self, failure: Failure) -> Failure:
        """Return a failure with what would help."""
        if failure.why in (Why.STOPPED, Why.TWO_VALUES, Why.UNDONE, Why.PRIOR):
            return failure
        (place,) = failure.places
        guard = self.guards[place]
        if isinstance(guard, AgainstRules):
            return self._with_rules(failure, guard)
        rows, method = failure.rows[:TRIED], self.ward.defences[place].method
        found = replace(failure, methods=tuple(self._methods(guard, rows, method)))
        if self.ward.strict:
            lenient = [each.lenient() for each in self.classifiers]
            found = replace(found, lenient=self._works(rows, [self._turn(each) for each in lenient], lenient))
        if failure.why in (Why.KEPT, Why.NOTHING) or not found.methods:
            found = self._with_lifted(found, rows, method)
        others = [each for each in self.classifiers if each is not guard]
        return replace(found, without=self._works(rows, [self._turn(each) for each in others], others))

    def _methods(self, guard: Guard, rows: Sequence[int], method: str) -> Iterator[str]:
        """Yield other methods that would do: one that changes the row, and one that changes other rows."""
        bayes = guard if isinstance(guard, AgainstBayes) else None
        if bayes is not None and method not in OWN and self._by(bayes, "dropp", rows):
            yield "dropp"
        elif self.ward.deletes and method != "greedy" and self._works(rows, [self._hide_member]):
            yield "greedy"
        if bayes is None or any(isinstance(each, AgainstLearner) for each in self.guards):
            return  # to train learners again and again takes too long
        others = (each for each in ("decp", "incp") if each not in method and self._by(bayes, each, rows))
        yield from islice(others, 1)

    def _by(self, guard: AgainstBayes, method: str, rows: Sequence[int]) -> bool:
        """Whether another method against naive Bayes would do; the other defences keep theirs."""

        def protect(at: int) -> None:
            row = int(self.members[at])
            guard.protect_by(method, row, *self.job.cells[self.number, row])

        return self._works(rows, [protect if each is guard else self._turn(each) for each in self.classifiers])

    def _with_lifted(self, failure: Failure, rows: Sequence[int], method: str) -> Failure:
        """Return a failure with the columns that would do if they could be changed, if there are any."""
        locked = self.table.frame.locked
        if method in OWN:
            columns = [
                c for c in self.ward.predictors if any(locked[c, row] and self.table.node(c, row) for row in rows)
            ]
        else:
            columns = [c for c in self._of_others(method) if locked[c].any()]
        columns = [c for c in columns if c not in self.bound]
        before = locked[columns]
        locked[columns] = False
        try:
            if columns and self._works(rows, [self._turn(each) for each in self.classifiers]):
                return replace(failure, lifted=tuple(columns))
            if columns and self.ward.deletes and method != "greedy" and self._works(rows, [self._hide_member]):
                return replace(failure, lifted=tuple(columns), lifted_by="greedy")
        finally:
            locked[columns] = before
        return failure

    def _with_rules(self, failure: Failure, guard: AgainstRules) -> Failure:
        """Return a failure with what else would have to be hidden against rules, if all of it would do."""
        locked, defence = self.table.frame.locked, guard.defence

        def enough(regions: Sequence[str], where: Flags = locked) -> bool:
            wider = replace(
                defence,
                own_conditions="own_conditions" in regions,
                others_conditions="others_conditions" in regions,
                others_sensitive="others_sensitive" in regions,
            )
            return guard.safe_without(*self.open, wider, where)

        allowed = [region for region in REGIONS if getattr(defence, region)]
        for region in (region for region in REGIONS if region not in allowed):
            if enough([region]) or enough([region, *allowed]):
                failure = replace(failure, region=region)
                break
        columns = [c for c in (self.ward.column, *defence.conditions) if locked[c].any() and c not in self.bound]
        unlocked = locked.copy()
        unlocked[columns] = False
        if columns and enough(allowed, unlocked):
            failure = replace(failure, lifted=tuple(columns))
        return failure

    # Trials

    @contextmanager
    def _trial(self) -> Iterator[None]:
        """Let the table be changed, and take all changes back."""
        codes, first = self.table.frame.codes, self.table.first
        before = codes.copy()
        try:
            yield
        finally:
            for column, row in np.argwhere(codes != before).tolist():
                self.table.put(column, row, int(before[column, row] - first[column]))

    def _works(self, rows: Sequence[int], turns: Sequence[_Act], guards: Sequence[Guard] | None = None) -> bool:
        """Whether what is done in turns for each row, and each shadow, keeps it from all classifiers."""
        for row in rows:
            here = self.family[row]
            members, actuals = self.members[here], self.actuals[here]
            with self._trial():
                for _ in range(TURNS):
                    for at, act in product(here, turns):
                        act(at)
                    if not any(
                        guard.exposed(members, actuals).any()
                        for guard in (self.classifiers if guards is None else guards)
                    ):
                        break
                else:
                    return False
        return True

    def _turn(self, guard: Guard) -> _Act:
        """Return what a defence does for a member."""

        def act(at: int) -> None:
            row = int(self.members[at])
            guard.protect(row, *self.job.cells[self.number, row])

        return act

    def _hide_member(self, at: int) -> None:
        self._hide([int(self.real[at])])

    def _hide(self, rows: Sequence[int], *, everything: bool = False) -> None:
        """Hide the predictors of some rows that may be hidden, or all of them."""
        for row in rows:
            for column in self.ward.predictors:
                if everything or not self.table.frame.locked[column, row]:
                    self.table.set(column, row, 0)

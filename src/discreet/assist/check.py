"""Is a policy in order, what does it promise, and does it fit a table: before anything is made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

from discreet.assist.beside_ledger import CheckedLedger, checked_beside, opened_beside
from discreet.assist.preview import Preview, preview_columns
from discreet.audit.about import not_covered
from discreet.common.private import private_line
from discreet.errors import InputError
from discreet.fit.cells import hides, looking_warnings, predictors_of, untouchable
from discreet.fit.telling import refuse_own_values
from discreet.ledger.names import unjoined
from discreet.ledger.note import LedgerUse
from discreet.planning.prepared import PreparedJob, prepare
from discreet.policy import Confidential, GroupPromise, Policy
from discreet.policy.persons import worded
from discreet.policy.requirements.any_of import restricted
from discreet.table.source import DEFAULT, Opening, Table
from discreet.verification.answers import Answer
from discreet.verification.cell_answers import CellsFound
from discreet.verification.cells import check_cells
from discreet.verification.findings import Worst
from discreet.verification.persons import counting_of
from discreet.verification.telling import judged
from discreet.verification.worst_groups import worst_of

if TYPE_CHECKING:
    from discreet.plan.rehearsed import RehearsedColumn

ABOUT_THE_TABLE = "this tells about the table as it is. Keep it; never publish it."


@dataclass(frozen=True)
class Promise:
    """One promise in words, and with a table its risk now and the least that any release can have."""

    made: GroupPromise
    now: Worst | None = None
    least: Worst | None = None
    policy: Policy | None = field(default=None, repr=False)
    """What it is a promise of."""

    def said(self, text: str) -> str:
        """Return what is said of it, of rows or of persons."""
        return text if self.policy is None else worded(self.policy, self.made, text)

    @property
    def possible(self) -> bool:
        """Whether some release can keep it (as far as is known without the table)."""
        return self.least is None or self.least.within

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "index": self.made.index,
            "promise": self.said(str(self.made)),
            "words": self.said(self.made.in_words()),
            "now": None if self.now is None else self.now.to_dict(),
            "least_possible": None if self.least is None else str(self.least.share),
            "possible": self.possible,
        }


@dataclass(frozen=True)
class CheckedCells:
    """A promise about single cells, and with a table what is guessed if the cells themselves are hidden."""

    index: int
    made: Confidential
    hidden: CellsFound | None = None
    alone: tuple[str, ...] = ()
    """Predictors that are not edited: other promises, the use or their role need them as they are."""
    refused: str | None = None
    """Why no release can keep it: to be hidden would tell the value, whatever else is hidden."""
    rehearsed: RehearsedColumn | None = None
    """What blind protection comes to, rehearsed on the other rows."""

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "index": self.index,
            "promise": str(self.made),
            "words": self.made.in_words(),
            "methods": {adversary.name: method for adversary, method in self.made.defences}
            if not self.made.is_blind
            else dict.fromkeys(self.made.references_used, "blind"),
            "only_hidden": None if self.hidden is None else [found.to_dict() for found in self.hidden.against],
            "not_edited": list(self.alone),
            "refused": self.refused,
            **({} if self.rehearsed is None else {"rehearsed": self.rehearsed.to_dict()}),
        }


@dataclass(frozen=True, repr=False)
class CheckedPolicy:
    """What was found out about a policy that is in order."""

    promises: tuple[Promise, ...]
    not_covered: tuple[str, ...]
    warnings: tuple[str, ...] = ()
    rows: int | None = None
    persons: int | None = None
    """Whose rows they are, where promises are about persons with several."""
    dropped: int = 0
    may_change: tuple[str, ...] = ()
    cells: tuple[CheckedCells, ...] = ()
    previews: tuple[Preview, ...] = ()
    """The columns that are released as groups or intervals, at each level."""
    over_time: CheckedLedger | None = None
    """What a release would meet in a ledger, where one is kept."""

    def __repr__(self) -> str:
        table = "" if self.rows is None else f", rows {self.rows}; private"
        return f"<CheckedPolicy: promises {len(self.promises) + len(self.cells)}{table}>"

    def _repr_html_(self) -> str:
        from discreet.assist.shown import checked_html

        return checked_html(self)

    @property
    def possible(self) -> bool:
        """Whether every promise can be kept."""
        if self.over_time is not None and self.over_time.refused is not None:
            return False
        return all(promise.possible for promise in self.promises) and not any(each.refused for each in self.cells)

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            **({} if self.rows is None else {"private": private_line(ABOUT_THE_TABLE)}),
            "possible": self.possible,
            "promises": [promise.to_dict() for promise in self.promises],
            "cells": [cells.to_dict() for cells in self.cells],
            "rows": self.rows,
            **({} if self.persons is None else {"persons": self.persons}),
            "dropped_rows": self.dropped,
            "may_change": list(self.may_change),
            "warnings": list(self.warnings),
            "columns": [preview.to_dict() for preview in self.previews],
            **({} if self.over_time is None else {"ledger": self.over_time.to_dict()}),
            "not_covered": list(self.not_covered),
        }


def _least(
    found: Sequence[Worst | None],
    promise: GroupPromise,
    policy: Policy,
    whole: Callable[[], Sequence[Worst | None]],
    *,
    split: bool,
) -> list[Worst | None]:
    """Return the least that any release can have, of what everything hidden has; None where that is not known.

    Without the rows that are removed a promise may be kept, and what a sample will hold is not known; only that k rows
    can never be alike where there are fewer (unless columns that do not change `split` them anyway), and no more
    different values than the `whole` table has.
    """
    if promise.among is not None:  # the people are all there, whoever is drawn; how many of them are is not known
        sure = (promise.unit is not None or policy.release is None) and not (policy.removes and split)
        return list(found) if sure and (promise.unit is not None or not policy.removes) else [None] * len(found)
    size = None if policy.release is None or policy.k_on_population else policy.release.size
    known = promise.column is None and (not split or (size is None and not policy.removes))
    if not (known or (policy.release is None and not policy.removes)):
        return [None] * len(found) if promise.unit is None or promise.column is None else list(whole())
    if size is None:
        return list(found)
    return [None if worst is None else _fewer(worst, max(size(worst.rows), 1)) for worst in found]


def _said(found: Sequence[Worst | None], policy: Policy) -> list[Worst | None]:
    """Return groups that are of persons where these are counted."""
    return [None if worst is None else replace(worst, persons=policy.unit is not None) for worst in found]


def _fewer(worst: Worst, rows: int) -> Worst:
    return replace(worst, rows=rows, share=Fraction(1, rows))


def _cells(job: PreparedJob) -> Iterator[CheckedCells]:
    """Yield the promises about single cells, guessed on the table with only these hidden."""
    policy, source = job.bound.policy, job.source
    if policy.is_blind:
        from discreet.planning.blind import BlindPlanning
        from discreet.planning.rehearsal import rehearsed, settled  # loads learners

        found_of = rehearsed(settled(BlindPlanning(source, source, policy)))
        for index, made in policy.cells():
            yield CheckedCells(index, made, rehearsed=found_of[made.column])
        return
    hidden = source.edited(hides(policy, source))
    for index, requirement in policy.cells():
        found = check_cells(hidden, policy, index, requirement, source)
        predictors = predictors_of(requirement, policy, source.columns)
        left_alone = tuple(name for name in predictors if name in untouchable(policy))
        others = [made for _, made in policy.cells() if made.column == requirement.column]
        more = any(made.decoys or made.may("others.sensitive") for made in others)
        refused = None if more or found.answer is Answer.NOT_CHECKABLE else found.reason
        yield CheckedCells(index, requirement, found, left_alone, refused)


def _telling(cells: Sequence[CheckedCells]) -> Iterator[str]:
    """Yield what the confidential cells would tell by being hidden, if they alone were."""
    for each in cells:
        if each.hidden is not None and not each.refused and not each.made.decoys:
            _, reason, warnings = judged(each.made, each.hidden.telling)
            for text in (*(() if reason is None else (reason,)), *warnings):
                yield f"protect[{each.index}]: {text}"


def _passing(cells: Sequence[CheckedCells]) -> Iterator[str]:
    """Yield where a learner passes its limit in the rehearsal of blind protection."""
    yield from dict.fromkeys(text for each in cells if each.rehearsed is not None for text in each.rehearsed.warnings)


def check_policy(
    policy: Policy, table: Table | None = None, opening: Opening = DEFAULT, use: LedgerUse | None = None
) -> CheckedPolicy:
    """Return what the policy promises; with a table, raise `PolicyError` with all that does not fit.

    With a ledger to `use`, also what a release of the table would meet there.
    """
    refuse_own_values(policy)
    if use is not None:
        if table is None:
            raise InputError("--ledger is for --table: who is in earlier releases, and what becomes of them")
        beside, job = opened_beside(table, policy, opening, use)
        found = check_job(beside.policy, job)
        warnings = (*found.warnings, *unjoined(beside.people.past, policy, job.bound.released))
        met = checked_beside(beside, job, new_persons=use.new_persons)
        return replace(found, warnings=warnings, over_time=met)
    if table is None:
        stated = tuple(Promise(made, policy=policy) for made in policy.promises())
        cells = tuple(CheckedCells(*pair) for pair in policy.cells())
        return CheckedPolicy(stated, not_covered(policy), cells=cells, warnings=tuple(looking_warnings(policy)))
    return check_job(policy, prepare(table, policy, opening=opening))


def check_job(policy: Policy, job: PreparedJob) -> CheckedPolicy:
    """Return what a policy promises on a table that it fits."""
    source, bound = job.source, job.bound
    promises: list[Promise] = []
    for index, _ in policy.groups():
        made = list(policy.promises_of(index, bound.seen))
        if not made:
            continue
        counting = counting_of(policy)
        now = worst_of(source, policy, made[0].given, made, counting)
        unchangeable = restricted(made[0].given, bound.fixed)
        hidden = worst_of(source, policy, unchangeable, made, counting)
        whole = partial(worst_of, source, policy, (), made, counting)
        least = _least(hidden, made[0], policy, whole, split=bool(unchangeable))
        promises += [
            Promise(*found, policy) for found in zip(made, _said(now, policy), _said(least, policy), strict=True)
        ]
    cells = tuple(_cells(job))
    return CheckedPolicy(
        tuple(promises),
        not_covered(policy, bound.released),
        (*bound.warnings, *_telling(cells), *_passing(cells)),
        source.rows,
        None if policy.unit is None else len(source.recount((policy.unit.id,), None, (), ()).rows),
        source.dropped,
        tuple(name for name in bound.columns if name in bound.changeable or name in bound.edited),
        cells,
        tuple(_previews(policy, job)),
    )


def _previews(policy: Policy, job: PreparedJob) -> Iterator[Preview]:
    """Yield the columns at each level: by persons where each is one row, else by rows, of which k says nothing."""
    for preview in preview_columns(policy, job.task.columns, job.task.counted, by_size=not job.profiles):
        yield replace(preview, persons=job.people is not None)

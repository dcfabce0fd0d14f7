"""A table that is to be released beside earlier releases about the same people: a plan for those who stay (`staying`).

It is a search on the table beside the past (`joint_table`), and the recoding of the last release is tried as well:
equal recodings of unchanged rows tell nothing new.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl

from discreet.common.watch import Watch
from discreet.encoded import Encoded, Ints
from discreet.errors import InputError, PromiseError, TooManySuppressed, Unsettled
from discreet.fit.fitting import fitted_persons
from discreet.ledger.entry import people_frame, told_column
from discreet.ledger.secret import LedgerSecret
from discreet.plan.plan import Plan
from discreet.planning.carrying_out import CarriedOut, carry_out, carry_out_again
from discreet.planning.detail import detail_of
from discreet.planning.find import find_plan
from discreet.planning.fitting_columns import columns_of
from discreet.planning.joint_table import JointTable, ids_of, joint_table, text_series
from discreet.planning.staying import KnownPeople, Staying
from discreet.planning.task import Task, task_of
from discreet.policy.bind import Bound
from discreet.policy.ledger_options import over_time
from discreet.policy.part import Frozen
from discreet.table.engine import Engine


def planned(staying: Staying, rows: Bound, people: KnownPeople, watch: Watch, seed: int | None) -> CarriedOut:
    """Return the release that the best plan makes, for promises over all releases; not verified yet."""
    joint, found = searched(staying, rows, people, watch, seed)
    return _in_rows(found, joint)


def searched(
    staying: Staying, rows: Bound, people: KnownPeople, watch: Watch, seed: int | None
) -> tuple[JointTable, CarriedOut]:
    """Return the table beside the past, and what the best plan makes of it."""
    joint, task = _task(staying, rows, people, seed)
    with joint.speaking():
        found = _searched(joint, task, watch, seed)
        again = _reused(joint, task, people, watch, seed) if over_time(rows.policy).reuse else None
    if found is None or (again is not None and (again.detail or 0) >= (found.detail or 0)):
        found = again
    assert found is not None
    return joint, found


def used_again(staying: Staying, rows: Bound, people: KnownPeople, plan: Plan, watch: Watch) -> CarriedOut:
    """Return the release that a kept plan makes of those who stay, for promises over all releases; not verified yet."""
    if plan.groupings:
        raise InputError(
            "the plan gives groups of rows labels of their own, which would tell who shares a past; beside earlier "
            "releases make one with recoding: global"
        )
    if plan.policy.method == "disclosure":  # it masks no row: verification says whether that is enough
        return carry_out_again(plan, rows, rows, staying.source, watch)
    joint, task = _task(staying, rows, people, None)
    if {recoding.column for recoding in plan.recodings} != set(joint.bound.changeable):
        raise InputError(
            "beside earlier releases other columns have to be recoded than the plan recodes; make a new plan with "
            "`protect`"
        )
    with joint.speaking():
        return _in_rows(_again(joint, task, plan, watch, None), joint)


def _task(staying: Staying, rows: Bound, people: KnownPeople, seed: int | None) -> tuple[JointTable, Task]:
    """Return the table beside the past, and what is to be planned on it."""
    joint = joint_table(
        staying.source, rows, staying.joint, staying.items, people.person, staying.ids, staying.merged or {}
    )
    counted = joint.table.count(joint.bound.counted)
    columns = columns_of(joint.bound, joint.table, counted)
    fits = fitted_persons(joint.bound, joint.table, counted, columns.problems)
    task = task_of(fits, columns, joint.table, seed)
    return replace(joint, bound=task.bound), task


def _in_rows(made: CarriedOut, joint: JointTable) -> CarriedOut:
    """Return what became of the table beside the past as what becomes of the table."""
    plan, source = joint.in_rows(made.plan), joint.source
    return replace(made, plan=plan, source=source, released=source.apply(plan), judge=joint.rows)


def _searched(joint: JointTable, task: Task, watch: Watch, seed: int | None) -> CarriedOut:
    plan = find_plan(task, watch, seed=seed)
    try:
        return carry_out(plan, task, joint.table, watch, seed)
    except (TooManySuppressed, Unsettled) as refused:  # the lot needed more rows than were reckoned with
        try:
            plan = find_plan(task, watch, most_suppressed=0, seed=seed)
        except TooManySuppressed:
            raise refused from None
        return carry_out(plan, task, joint.table, watch, seed)


def _reused(joint: JointTable, task: Task, people: KnownPeople, watch: Watch, seed: int | None) -> CarriedOut | None:
    """Return what the recoding of the last release makes of the table, where it has the same columns to recode."""
    last = people.last_plan
    if last is None or last.groupings or task.bound.policy.is_local or task.bound.policy.method == "disclosure":
        return None
    recodings = {recoding.column: recoding for recoding in last.recodings}
    if set(recodings) != set(joint.bound.changeable):
        return None
    try:
        made = _again(joint, task, last, watch, seed)
        masks = [each.masks for each in made.suppressed]
        return replace(made, detail=detail_of(task, made.plan, joint.table, masks))
    except (InputError, PromiseError, KeyError):
        return None


def _again(joint: JointTable, task: Task, plan: Plan, watch: Watch, seed: int | None) -> CarriedOut:
    """Carry the recodings of a plan out on the table beside the past."""
    again = Plan(task.bound.policy, joint.table.columns, plan.recodings, kinds=task.kinds)
    return carry_out_again(again, task.bound, task.bound, joint.table, watch, seed)


def told_of(source: Engine, released: Engine, plan: Plan, person: str, secret: LedgerSecret) -> pl.DataFrame:
    """Return what a release tells of each person, as the ledger keeps it."""
    if source.row_wise:
        ids = ids_of(source, person)
        if released.rows < source.rows:
            places: Ints = np.searchsorted(source.numbers(), released.numbers())
            ids = ids.gather(pl.Series(places).cast(pl.UInt32))
        encoded = [released.encoded(name) for name in released.columns]
    else:
        columns = {name: said for name, said in plan.policy.columns.items() if name != person}
        policy = plan.policy.model_copy(update={"columns": Frozen(columns)})
        counted = source.apply(replace(plan, policy=policy)).count([person, *released.columns])
        ids = text_series(Encoded(counted.domain(person), counted.code(person)))
        encoded = [Encoded(counted.domain(name), counted.code(name)) for name in released.columns]
    return people_frame(secret.names(ids), [told_column(each) for each in encoded])

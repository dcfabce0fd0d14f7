"""A table that is to be released beside earlier releases about the same people: a plan for those who stay (`staying`).

It is a search on the table beside the past (`joint_table`), and the recoding of the last release is tried as well:
equal recodings of unchanged rows tell nothing new.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from discreet.common.watch import Watch
from discreet.errors import InputError, PromiseError, TooManySuppressed, Unsettled
from discreet.fit.fitting import fitted_persons
from discreet.ledger.entry import PastRelease
from discreet.ledger.names import ColumnNames
from discreet.plan.decided import Decided
from discreet.plan.plan import Plan
from discreet.planning.blind_beside import EarlierTold
from discreet.planning.carrying_out import CarriedOut, carried_out_blindly, carry_out, carry_out_again, with_cells
from discreet.planning.detail import detail_of
from discreet.planning.find import find_plan
from discreet.planning.fitting_columns import columns_of
from discreet.planning.joint_table import JointTable, joint_table
from discreet.planning.meeting import KnownPeople
from discreet.planning.prepared import PreparedJob, prepare_rows
from discreet.planning.staying import BesideLedger, Staying, who_stays
from discreet.planning.task import Task, task_of
from discreet.policy import Policy
from discreet.policy.bind import Bound, known_to_groups
from discreet.policy.deciding import without_secrets
from discreet.policy.ledger_options import over_time


def planned(staying: Staying, rows: Bound, people: KnownPeople, watch: Watch, seed: int | None) -> CarriedOut:
    """Return the release that the best plan makes, for promises over all releases; not verified yet."""
    if rows.policy.unit is not None:
        from discreet.planning.profiles_beside import planned_persons

        return planned_persons(staying, rows, people, watch, seed)
    joint, found = searched(staying, rows, people, watch, seed)
    made = _in_rows(found, joint)
    if staying.shown is None:
        return made
    source = staying.shown  # with the confidential cells, which were hidden before anything was planned
    made = replace(made, source=source, released=source.apply(made.plan), seed=seed)
    return with_cells(made, watch)


def told_blindly(job: PreparedJob, people: KnownPeople, watch: Watch, seed: int | None) -> CarriedOut:
    """Return the release with cells that are protected blindly, starting from what earlier releases told of them."""
    plan = find_plan(job.task, watch, seed=seed)
    earlier = EarlierTold(people, job.bound.policy)
    return job.judged(carried_out_blindly(plan, job.task, job.source, watch, seed, earlier))


def decided_beside(
    beside: BesideLedger, decided: Decided, watch: Watch, seed: int | None, *, new_persons: bool
) -> tuple[CarriedOut, Staying | None]:
    """Return the release that a search makes beside earlier ones which is given no secret, and who stays.

    In the place of every promise about a secret, also of earlier releases, it has k: known columns, the target and what
    was published are all that it depends on. Nor is an earlier plan tried again, which may have been found by secrets.
    """
    policy, people = beside.policy, beside.people
    _refuse_known_secrets(policy, people.past)
    blind = without_secrets(policy, decided.k)
    job, staying = prepare_rows(beside.source, blind, "the table", watch, seed), None
    table = beside.source
    if people.past:
        past = [replace(each, policy=without_secrets(each.policy, decided.k)) for each in people.past]
        asked = replace(people, past=past, last_plan=None)
        staying = who_stays(table, job.bound, asked, seed, new_persons=new_persons, promised=(people.past, policy))
        if staying.table is not table:
            table = staying.table
            job = prepare_rows(table, blind, "the table", watch, seed)
        watch.begins("plan")
        made = planned(staying, job.bound, asked, watch, seed)
    else:
        made = job.carried_out(find_plan(job.task, watch, seed=seed), watch, seed)
    judge = prepare_rows(table, policy, "the table", watch, seed).bound
    return replace(made, judge=judge, plan=replace(made.plan, decided=decided)), staying


def _refuse_known_secrets(policy: Policy, past: Sequence[PastRelease]) -> None:
    """Refuse releases of which one takes for known, or wants to show, what another one protects."""
    names = ColumnNames([*(release.policy for release in past), policy])
    secret = {names.one(name) for each in (policy, *(release.policy for release in past)) for name in each.sensitive}
    for of, each in (("this release", policy), *((release.name, release.policy) for release in past)):
        for name in sorted(known_to_groups(each) | (policy.targets if each is policy else frozenset())):
            if names.one(name) in secret:
                raise InputError(
                    f"decide: blind does not look at secrets, and {name!r} is one in some release of the ledger, while "
                    f"{of} takes it for known or predicts it; leave 'decide' out"
                )


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
    if {recoding.column for recoding in plan.recodings} != set(rows.changeable):
        raise InputError(
            "beside earlier releases other columns have to be recoded than the plan recodes; make a new plan with "
            "`protect`"
        )
    if rows.policy.unit is not None:
        from discreet.planning.profiles_beside import used_on_persons

        return used_on_persons(staying, rows, plan)
    joint, task = _task(staying, rows, people, None)
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


def told_by_stars(made: CarriedOut) -> dict[int, pl.Series]:
    """Return what stars tell who knows the method, for each column by its place, row by row."""
    if not made.stars:
        return {}
    place_of = {number: place for place, number in enumerate(made.released.numbers().tolist())}
    texts: dict[int, list[str | None]] = {}
    for number, column, block in made.stars:
        if number in place_of:
            line = texts.setdefault(made.released.columns.index(column), [None] * made.released.rows)
            line[place_of[number]] = block
    return {place: pl.Series(line, dtype=pl.String) for place, line in texts.items()}

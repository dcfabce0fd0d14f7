"""Blind decisions: whether they can come to anything, and a recoding decided again by who knows no secret."""

from __future__ import annotations

from discreet.common.watch import Watch
from discreet.plan.plan import Plan
from discreet.planning.find import find_plan
from discreet.planning.prepared import prepare_rows
from discreet.planning.problem import group_problem
from discreet.planning.task import Task, require_possible
from discreet.policy import Policy
from discreet.policy.deciding import without_secrets
from discreet.policy.redundant import without_redundant
from discreet.table.engine import Engine


def refuse_impossible(task: Task) -> None:
    """Raise `ImpossiblePromise` where no k would do, for even everything hidden is not enough."""
    promises, _ = without_redundant(list(task.bound.each_promise))
    problem = group_problem(task.bound, task.columns, promises, task.counted)
    require_possible(problem.tables, promises, removes=task.bound.policy.removes)


def decided_again(source: Engine, policy: Policy, k: int, watch: Watch) -> Plan:
    """Return what a blind search finds with k: anybody can reckon it who has the known columns and the target.

    Nothing is drawn, and no row suppressed yet.
    """
    return find_plan(prepare_rows(source, without_secrets(policy, k), "the table").task, watch)

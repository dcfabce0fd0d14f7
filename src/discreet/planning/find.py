"""From a bound policy and counted combinations to a plan: which method, with which options."""

from __future__ import annotations

from dataclasses import replace

from discreet.common.watch import Watch
from discreet.plan.plan import Plan
from discreet.planning.cutting import CutPlanner
from discreet.planning.disclosing import Planner
from discreet.planning.task import Task
from discreet.policy import Policy


def find_plan(task: Task, watch: Watch, most_suppressed: int | None = None, seed: int | None = None) -> Plan:
    """Return a plan that keeps all promises; the genetic search draws other cuts with another seed.

    Raises
    ------
    ImpossiblePromise
        When none can, with the least possible share of each broken promise.
    """
    plan = _found(task, watch, most_suppressed, seed)
    return replace(plan, recodings=(*plan.recodings, *task.binned), kinds=task.kinds, sampled=task.sampled)


def loops_for(policy: Policy) -> dict[str, tuple[str, ...]]:
    """Return the modules that a search needs whatever the table, where it is a short one, and which of their loops."""
    if policy.method == "disclosure" and not policy.is_local and any(policy.groups()):
        return {"discreet.method.base.kernels": ("split", "rescore"), "discreet.method.disclosure.search": ()}
    return {}


def _found(task: Task, watch: Watch, most_suppressed: int | None, seed: int | None) -> Plan:
    """Return what a search finds for the columns of group requirements."""
    if not task.bound.promises:
        return Plan(task.bound.policy, task.bound.columns, ())
    if task.bound.policy.is_local:
        from discreet.planning.local import LocalPlanner

        return LocalPlanner(task, most_suppressed).run(watch)
    if task.bound.policy.method == "disclosure":
        return Planner(task).run(watch)
    return CutPlanner(task, most_suppressed, seed).run(watch)

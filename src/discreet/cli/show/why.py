"""Why a plan tells what it tells: what was disclosed, best first, and what was not."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from discreet.cli.show.texts import MOST, listed, text_of
from discreet.cli.terminal import escape
from discreet.plan.parts import Kept, Step
from discreet.plan.plan import Plan
from discreet.plan.reasons import KeptReason
from discreet.policy import Policy
from discreet.policy.persons import worded


def print_why(to: Console, plan: Plan) -> None:
    """Show the steps of a plan, and for what reasons it tells no more."""
    if plan.steps:
        table = Table(
            "",
            "disclosed",
            "score",
            "gain",
            "privacy loss",
            title="Disclosed, best first",
            title_justify="left",
            box=None,
        )
        for place, step in enumerate(plan.steps[:MOST], start=1):
            value = escape(_disclosure(step))
            table.add_row(str(place), value, *(f"{figure:.6g}" for figure in (step.score, step.gain, step.loss)))
        to.print()
        to.print(table)
        if len(plan.steps) > MOST:
            to.print(f"and {len(plan.steps) - MOST} more; the plan has them all")
    if plan.kept:
        to.print("\nNot told, or not finer, and why", style="italic")
    reasons: dict[str, list[str]] = {}
    for kept in plan.kept:
        reasons.setdefault(why_kept(kept, plan.searched), []).append(f"{kept.column} = {text_of(kept.value)}")
    for reason, values in list(reasons.items())[:MOST]:
        to.print(f"  {escape(listed(values, 6))}: {escape(reason)}", soft_wrap=True)
    if len(reasons) > MOST:
        to.print(f"  and values with {len(reasons) - MOST} more reasons; the plan has them all")
    to.print()


def _disclosure(step: Step) -> str:
    """Return what a step told."""
    value = f"{step.column} = {text_of(step.value)}"
    return (
        value
        if step.kind == "disclose"
        else f"{value} into its parts"
        if step.cut is None
        else f"{value} at {step.cut}"
    )


def why_kept(kept: Kept, policy: Policy) -> str:
    """Return why something is not told, or not finer."""
    if kept.requirement is None:
        if policy.target and kept.reason is KeptReason.NO_BENEFIT:
            return f"{kept.reason} (the hidden rows all have the same {policy.target})"
        return kept.reason
    promises = list(policy.promises())
    number, promise = next(
        (place, promise)
        for place, promise in enumerate(promises, start=1)
        if promise.index == kept.requirement and promise.value == kept.infers
    )
    cut = f" (best cut at {kept.cut})" if kept.cut is not None else ""
    breaks = worded(policy, promise, promise.would_break(kept.hits or 0, kept.rows or 0))
    return f"would break promise {number}: {breaks}{cut}"

"""What notebooks show of a plan: how much of each column it tells, in numbers. No value is shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from discreet.common.notebook import card, line, rows
from discreet.common.private import private_line

if TYPE_CHECKING:
    from discreet.plan.parts import Recoding
    from discreet.plan.plan import Plan


def plan_html(plan: Plan, warning: str) -> str:
    """Return a plan as numbers of values and texts."""
    many = len(plan.recoded)
    verdict = f"A plan for {many} column{'' if many == 1 else 's'}: {plan.detail:.1%} of their detail is released."
    head = ("Column", "Before", "After", "Hidden")
    table = rows(head, [_row(recoding) for recoding in plan.recodings])
    parts = [table, *map(line, _said(plan))]
    return card("good" if plan.complete else "look", verdict, parts, private=private_line(warning))


def _row(recoding: Recoding) -> tuple[str, str, str, str]:
    if recoding.intervals:
        count = len(recoding.intervals)
        return recoding.column, "numbers or dates", f"{count} interval{'' if count == 1 else 's'}", "–"
    texts, hidden = len(recoding.released), len(recoding.hidden)
    return recoding.column, f"{len(recoding.to)} values", f"{texts} texts", f"{hidden} values"


def _said(plan: Plan) -> Iterator[str]:
    """Yield what else it does, by counts."""
    if plan.groupings:
        groups = sum(len(grouping.losses) for grouping in plan.groupings)
        yield f"{groups} groups of rows have labels of their own (local recoding)."
    if plan.steps:
        yield f"{len(plan.steps)} steps, each the best that was safe."
    if plan.suppressed or plan.edits or plan.removed:
        yield f"{len(plan.suppressed)} rows suppressed, {len(plan.removed)} removed, {len(plan.edits)} cells edited."
    if not plan.complete:
        yield "The search was ended early: more may be told without harm."

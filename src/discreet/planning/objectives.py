"""What a search for a cut makes small: the costs of the uses and the loss of detail, in whole units."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from discreet.policy import Policy

if TYPE_CHECKING:
    from discreet.method.base.loss import Units
    from discreet.method.base.problem import CutProblem
    from discreet.method.cuts.evaluation import Evaluator
    from discreet.method.cuts.objective import Objective
    from discreet.method.local.shapes import Labels


LARGEST = 2**61
"""Costs of all rows together stay below this."""
FEW = 2**38
"""Units that leave room for those of others."""


HARDLY_ANYTHING = Fraction(1, 10**6)
"""What detail weighs beside a use that does not ask for it."""


def loss_bound(problem: CutProblem, policy: Policy) -> int:
    """Return how large the loss of all rows may be in units, beside what the targets cost."""
    if not problem.targets:
        return LARGEST
    most = sum(target.most for target in problem.targets)
    if len(policy.uses) == 1 and most < FEW:
        return LARGEST // (most + 1)
    return FEW


def objectives(evaluator: Evaluator, policy: Policy, most_gone: int) -> tuple[Objective | None, Objective]:
    """Return what a search makes small, and what it may make small before that.

    One target comes before all detail: among cuts as good for it the coarsest leaves the other columns most room, so
    it is looked for first; the finest is taken in the end. Where that would need too large numbers, and for several
    uses, everything is added up by its weight, with a very small one for detail that nobody asks for.
    """
    from discreet.method.cuts.objective import Objective

    problem = evaluator.problem
    row, total = evaluator.units.per_row, problem.total
    targets = problem.targets
    if not targets:
        return None, Objective(1, row, (), most_gone, total)
    bound = row * total + 1
    if len(policy.uses) == 1 and bound * targets[0].most < LARGEST:
        usual = bound * evaluator.usual[0] // max(total, 1)
        return (
            Objective(-1, -row, (bound,), most_gone, total, usual),
            Objective(1, row, (bound,), most_gone, total, usual),
        )
    general = sum((use.importance for use in policy.uses if use.weighs_columns), Fraction(0)) or HARDLY_ANYTHING
    worth = [Fraction(goal.weight, target.whole) for goal, target in zip(policy.goals, targets, strict=True)]
    worth.append(general / max(row * total, 1))
    heaviest = sum(each * most for each, most in zip(worth, [*(t.most for t in targets), row * total], strict=True))
    *weights, loss = (round(each * (LARGEST // 2) / max(heaviest, Fraction(1, 2**60))) for each in worth)
    usual = sum(weight * all_gone for weight, all_gone in zip(weights, evaluator.usual, strict=True)) // max(total, 1)
    return None, Objective(loss, loss * row, tuple(weights), most_gone, total, usual)


ROOM = 2**57
"""What all groups of a local recoding cost stays below this; room is left for what is forbidden."""
FEW_FOR_ALL = 2**32
"""Units of loss beside those of targets that are added up by their weights."""


def local_aims(
    problem: CutProblem, policy: Policy, labels: Sequence[Labels], weights: Sequence[Fraction]
) -> tuple[Units, tuple[int, ...]]:
    """Return the units of loss of a local recoding, and what a unit of each target counts beside one of these.

    As `objectives` has it: one target comes before all detail where that fits the numbers; else all is added up.
    """
    from discreet.method.local.shapes import units_of

    total, targets = problem.total, problem.targets
    if not targets:
        return units_of(problem.columns, labels, weights, total), ()
    most = sum(target.most for target in targets)
    if len(policy.uses) == 1 and most < FEW:
        units = units_of(problem.columns, labels, weights, total, largest=LARGEST // (most + 1))
        bound = units.per_row * total + 1
        if bound * most < ROOM:
            return units, (bound,)
    units = units_of(problem.columns, labels, weights, total, largest=16 * FEW_FOR_ALL)
    whole = max(units.per_row * total, 1)
    general = sum((use.importance for use in policy.uses if use.weighs_columns), Fraction(0)) or HARDLY_ANYTHING
    worth = [goal.weight / target.whole for goal, target in zip(policy.goals, targets, strict=True)]
    heaviest = general + sum(each * target.most for each, target in zip(worth, targets, strict=True))
    times = max(round(general / whole * ROOM / heaviest), 1)
    return units.times(times), tuple(round(each * ROOM / heaviest) for each in worth)

"""What searches do for each use: what a disclosure is worth to it, what it counts of rows, what a cut makes small.

A new use has its lines here, and what it counts in `method/base/gain.py` and `method/base/targets.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.common.registry import Sides
from discreet.encoded import Codes, Combinations, Ints
from discreet.method.base import targets
from discreet.method.base.gain import (
    Gain,
    cells_gain,
    information_gain,
    information_kept,
    loss_gain,
    variance_gain,
    variance_kept,
)
from discreet.method.base.targets import CutTarget
from discreet.planning.weighing import weighed
from discreet.policy.bind import Bound
from discreet.policy.uses import Classify, Counts, General, PredictingUse, Regress

Tallies = npt.NDArray[np.int64] | npt.NDArray[np.float64]


@dataclass(frozen=True)
class Collapsing:
    """Counted combinations, how those that look alike to a cut are summed up, and what of them a use sees."""

    bound: Bound
    counted: Combinations
    collapse: Callable[[Ints], Ints]
    by_value: Callable[[Codes, Ints, int], Ints]
    """How often each value (its code, of so many) counts in what looks alike."""
    seen: tuple[int, ...]
    """The places of the changeable columns that the target is predicted from."""
    largest: int
    """What the costs of all rows may come to."""


@dataclass(frozen=True)
class PlannedUse:
    """What searches do for one use: for all `gain`, for those that predict something the rest."""

    gain: Gain
    tallies: Callable[[Bound, Any, Combinations], Tallies] | None = None
    """What disclosure counts of each combination."""
    kept: Callable[[Sequence[tuple[Tallies, Tallies]]], float] | None = None
    """The share of what columns tell of the target that they tell as released."""
    cut_target: Callable[[Collapsing, Any], CutTarget] | None = None
    """What a cut makes small."""


PLANNED: Sides[PlannedUse] = Sides("planning")


def tallies(bound: Bound, counted: Combinations) -> Tallies:
    """Return what disclosure counts of each combination for the first target; rows where there is none."""
    if not bound.policy.goals:
        return counted.counts.reshape(-1, 1)
    goal = bound.policy.goals[0]
    count = PLANNED.of(goal).tallies
    return counted.counts.reshape(-1, 1) if count is None else count(bound, goal, counted)


def cut_target(rows: Collapsing, goal: PredictingUse) -> CutTarget:
    """Return what a use that predicts something counts of the collapsed rows."""
    made = PLANNED.of(goal).cut_target
    if made is None:
        raise LookupError(f"no search over cuts serves {goal.name}")
    return made(rows, goal)


def _class_counts(bound: Bound, goal: PredictingUse, counted: Combinations) -> Ints:  # noqa: ARG001
    """Return the rows of each class."""
    rows = len(counted.counts)
    classes = np.zeros((rows, len(counted.domain(goal.target))), dtype=np.int64)
    classes[np.arange(rows), counted.code(goal.target)] = counted.counts
    return classes


def _class_target(rows: Collapsing, goal: Classify) -> CutTarget:
    counted, domain = weighed(rows.bound, goal, rows.counted), rows.counted.domain(goal.target)
    classes = rows.by_value(counted.code(goal.target), counted.counts, len(domain))
    costs = None if goal.costs is None else [[goal.costs.cost(one, other) for other in domain] for one in domain]
    return targets.classes(classes, rows.seen, costs, suppressed=goal.suppressed, largest=rows.largest)


def _numbers(bound: Bound, counted: Combinations, target: str) -> list[Decimal | None]:
    """Return the number of each value of a target; None for missing ones."""
    scale = bound.policy.numbers_of(target)
    return [scale.read(value) for value in counted.domain(target)]


def _sums_of_numbers(bound: Bound, goal: PredictingUse, counted: Combinations) -> Tallies:
    """Return the sums of 1, y and y², where y has the mean 0 and the variance 1."""
    numbers = _numbers(bound, counted, goal.target)
    code = counted.code(goal.target)
    known = np.array([number is not None for number in numbers])[code]
    y = np.array([float(number) if number is not None else 0.0 for number in numbers])[code]
    weights = np.where(known, counted.counts, 0).astype(np.float64)
    everyone = max(weights.sum(), 1.0)
    y = y - (weights * y).sum() / everyone
    spread = np.sqrt((weights * y * y).sum() / everyone)
    y = y / spread if spread > 0 else np.zeros_like(y)
    return np.stack([weights, weights * y, weights * y * y], axis=1)


def _number_target(rows: Collapsing, goal: Regress) -> CutTarget:
    numbers = _numbers(rows.bound, rows.counted, goal.target)
    known = [Fraction(number) for number in numbers if number is not None]
    code = np.array([number is not None for number in numbers]).cumsum() - 1
    code[[number is None for number in numbers]] = -1
    return targets.numbers(
        known, code[rows.counted.code(goal.target)], weighed(rows.bound, goal, rows.counted).counts, rows.collapse,
        rows.seen, by=goal.by, suppressed=goal.suppressed, largest=rows.largest,
    )  # fmt: skip


PLANNED.add(Classify, PlannedUse(information_gain, _class_counts, information_kept, _class_target))
PLANNED.add(Regress, PlannedUse(variance_gain, _sums_of_numbers, variance_kept, _number_target))
PLANNED.add(Counts, PlannedUse(cells_gain))
PLANNED.add(General, PlannedUse(loss_gain))

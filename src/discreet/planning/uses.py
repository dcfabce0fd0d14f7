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
from discreet.method.base import class_pairs, targets
from discreet.method.base.class_pairs import ClassPairs
from discreet.method.base.gain import (
    Counted,
    Gain,
    cells_gain,
    information_gain,
    information_kept,
    loss_gain,
    variance_gain,
    variance_kept,
)
from discreet.method.base.guesses import levels_of
from discreet.method.base.targets import CutTarget
from discreet.planning.guessing import class_guesses, number_guesses
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
    pairs_by_value: Callable[[Codes, Ints, int], ClassPairs]
    """The same where there are very many values."""
    row: Ints
    """Which collapsed row each combination is of."""
    collapsed: int
    """How many there are."""
    seen: tuple[int, ...]
    """The places of the changeable columns that the target is predicted from."""
    largest: int
    """What the costs of all rows may come to."""


@dataclass(frozen=True)
class PlannedUse:
    """What searches do for one use: for all `gain`, for those that predict something the rest."""

    gain: Gain
    tallies: Callable[[Bound, Any, Combinations], Counted] | None = None
    """What disclosure counts of each combination."""
    kept: Callable[[Sequence[tuple[Counted, Counted]]], float] | None = None
    """The share of what columns tell of the target that they tell as released."""
    cut_target: Callable[[Collapsing, Any], CutTarget] | None = None
    """What a cut makes small."""
    in_pairs: Callable[[Combinations, Any], bool] | None = None
    """Whether what a cut makes small is counted in pairs of row and class."""


PLANNED: Sides[PlannedUse] = Sides("planning")


def tallies(bound: Bound, counted: Combinations) -> Counted:
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


def _class_counts(bound: Bound, goal: PredictingUse, counted: Combinations) -> Ints | ClassPairs:  # noqa: ARG001
    """Return the rows of each class: of each combination, all of its rows are of one."""
    rows, number = len(counted.counts), len(counted.domain(goal.target))
    if number > class_pairs.MOST_FIELDS:
        return ClassPairs(np.arange(rows + 1), counted.code(goal.target).astype(np.int32), counted.counts, number)
    classes = np.zeros((rows, number), dtype=np.int64)
    classes[np.arange(rows), counted.code(goal.target)] = counted.counts
    return classes


def classes_in_pairs(counted: Combinations, goals: Sequence[PredictingUse]) -> int:
    """Return how many classes there are of which searches over cuts count pairs of row and class, of all goals."""
    found = 0
    for goal in goals:
        in_pairs = PLANNED.of(goal).in_pairs
        if in_pairs is not None and in_pairs(counted, goal):
            found += len(counted.domain(goal.target))
    return found


def _many_classes(counted: Combinations, goal: Classify) -> bool:
    """Whether classes are so many that pairs of row and class are counted; costs and guesses ask for a table."""
    return goal.costs is None and goal.beside is None and len(counted.domain(goal.target)) > class_pairs.MOST_FIELDS


def _class_target(rows: Collapsing, goal: Classify) -> CutTarget:
    counted, domain = rows.counted, rows.counted.domain(goal.target)
    costs = None if goal.costs is None else [[goal.costs.cost(one, other) for other in domain] for one in domain]
    if goal.beside is None:
        of_values = rows.pairs_by_value if _many_classes(counted, goal) else rows.by_value
        classes = of_values(counted.code(goal.target), counted.counts, len(domain))
        return targets.classes(classes, rows.seen, costs, suppressed=goal.suppressed, largest=rows.largest)
    guesses = class_guesses(rows.bound, goal, counted)
    level, levels = levels_of(guesses, len(domain))
    true = counted.code(goal.target).astype(np.int64)[guesses.at]
    return targets.guessed_classes(
        targets.GuessedRows(rows.row[guesses.at], true, guesses.guess, level, guesses.rows),
        (rows.collapsed, levels, len(domain)), rows.seen, costs,
        suppressed=_price(rows.bound, goal.suppressed, "one"), largest=rows.largest,
    )  # fmt: skip


def _price(bound: Bound, suppressed: str, usual: str) -> str:
    """Return what a row left out costs: of one that does not go out at all, nothing is told by columns beside."""
    return usual if suppressed == "beside" and bound.policy.removes else suppressed


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
    code = code[rows.counted.code(goal.target)]
    if goal.beside is None:
        return targets.numbers(
            known, code, rows.counted.counts, rows.collapse, rows.seen, by=goal.by, suppressed=goal.suppressed,
            largest=rows.largest,
        )  # fmt: skip
    guesses, steps = number_guesses(rows.bound, goal, rows.counted)

    def collapse(figures: Ints) -> Ints:
        summed = np.zeros(len(code), dtype=np.int64)
        np.add.at(summed, guesses.at, figures)
        return rows.collapse(summed)

    return targets.numbers(
        known, code[guesses.at], guesses.rows, collapse, rows.seen, by=goal.by,
        suppressed=_price(rows.bound, goal.suppressed, "all"), largest=rows.largest, guesses=(steps, guesses.step),
    )  # fmt: skip


PLANNED.add(Classify, PlannedUse(information_gain, _class_counts, information_kept, _class_target, _many_classes))
PLANNED.add(Regress, PlannedUse(variance_gain, _sums_of_numbers, variance_kept, _number_target))
PLANNED.add(Counts, PlannedUse(cells_gain))
PLANNED.add(General, PlannedUse(loss_gain))

"""How columns that go out as they are (`beside`) guess the target of a use, from the counts of a table."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.columns.scale import Scale
from discreet.encoded import Combinations, Ints, keys
from discreet.method.base.guesses import (
    STEPS,
    TARGET_PARTS,
    BesideColumn,
    TargetGuesses,
    guessed,
    parts_of_numbers,
    parts_of_values,
)
from discreet.policy.bind import Bound
from discreet.policy.uses import PredictingUse


def class_guesses(bound: Bound, goal: PredictingUse, counted: Combinations) -> TargetGuesses:
    """Return which class the rows of each combination are taken for."""
    order = in_order(counted)
    own = counted.code(goal.target).astype(np.int64)[order]
    classes = len(counted.domain(goal.target))
    found = guessed(own, classes, _columns(bound, goal, counted, order), counted.counts[order])
    return TargetGuesses(order[found.at], found.rows, found.guess, found.step)


def number_guesses(bound: Bound, goal: PredictingUse, counted: Combinations) -> tuple[TargetGuesses, list[Fraction]]:
    """Return which number is expected of the rows of each combination, and the number of each step."""
    order = in_order(counted)
    scale, domain, rows = bound.policy.numbers_of(goal.target), counted.domain(goal.target), counted.rows(goal.target)
    part = number_parts(rows, domain, scale, TARGET_PARTS)
    sums = [(Fraction(0), 0)] * (int(part.max(initial=-1)) + 1)
    for value, place, n in zip(map(scale.read, domain), part.tolist(), rows.tolist(), strict=True):
        if value is not None:
            sums[place] = sums[place][0] + Fraction(value) * n, sums[place][1] + n
    means = [total / max(n, 1) for total, n in sums] or [Fraction(0)]
    least, width = min(means), max(means) - min(means)
    places = [(mean - least) / (width or 1) for mean in means]
    columns = _columns(bound, goal, counted, order)
    found = guessed(part[counted.code(goal.target)][order], len(means), columns, counted.counts[order], places)
    steps = [least + width * Fraction(step, STEPS) for step in range(STEPS + 1)]
    return TargetGuesses(order[found.at], found.rows, found.guess, found.step), steps


def in_order(counted: Combinations) -> Ints:
    """Return the combinations in the order of all that is counted, whichever way it was counted."""
    key, _ = keys(counted.codes, [int(codes.max(initial=0)) + 1 for codes in counted.codes], len(counted.counts))
    return np.argsort(key, kind="stable")


def _columns(bound: Bound, goal: PredictingUse, counted: Combinations, order: Ints) -> list[BesideColumn]:
    columns = []
    for name in goal.beside or ():
        scale, own = bound.policy.column(name).scale, counted.rows(name)
        parts = parts_of_values(own) if scale is None else number_parts(own, counted.domain(name), scale)
        parts = np.where(parts < 0, parts.max(initial=-1) + 1, parts)  # cells that are no number are one more
        columns.append(BesideColumn(parts[counted.code(name)][order], int(parts.max(initial=0)) + 1))
    return columns


def number_parts(rows: Ints, domain: tuple[str | None, ...], scale: Scale, parts: int | None = None) -> Ints:
    """Return the part of each value of a column of numbers or dates; -1 for what is none."""
    numbers = [scale.read(value) for value in domain]
    different = sorted({number for number in numbers if number is not None})
    place = {number: rank for rank, number in enumerate(different)}
    rank = np.array([-1 if number is None else place[number] for number in numbers], dtype=np.int64)
    summed = np.zeros(len(different) + 1, dtype=np.int64)
    np.add.at(summed, rank, rows)
    found = parts_of_numbers(summed[:-1]) if parts is None else parts_of_numbers(summed[:-1], parts)
    return np.append(found, -1)[rank]

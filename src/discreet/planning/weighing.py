"""What rows weigh for a use that counts with columns which go out as they are (`beside`)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from discreet.columns.scale import Scale
from discreet.encoded import Combinations, Ints, keys
from discreet.method.base.row_weights import (
    TARGET_PARTS,
    BesideColumn,
    parts_of_numbers,
    parts_of_values,
    weighted_rows,
)
from discreet.policy.bind import Bound
from discreet.policy.uses import PredictingUse


def weighed(bound: Bound, goal: PredictingUse, counted: Combinations) -> Combinations:
    """Return the combinations with the weights of their rows in the place of their numbers, if the use has `beside`."""
    if goal.beside is None:
        return counted
    policy = bound.policy
    rows = counted.rows(goal.target)
    classes = np.arange(len(rows))
    if goal.reads_numbers:
        classes = number_parts(rows, counted.domain(goal.target), policy.numbers_of(goal.target), TARGET_PARTS)
    columns = []
    for name in goal.beside:
        scale, own = policy.column(name).scale, counted.rows(name)
        parts = parts_of_values(own) if scale is None else number_parts(own, counted.domain(name), scale)
        parts = np.where(parts < 0, parts.max(initial=-1) + 1, parts)  # cells that are no number are one more
        columns.append(BesideColumn(parts[counted.code(name)], int(parts.max(initial=0)) + 1))
    # Rows are dealt to folds in the order of all that is counted, whichever way it was counted.
    key, _ = keys(counted.codes, [int(codes.max(initial=0)) + 1 for codes in counted.codes], len(counted.counts))
    order = np.argsort(key, kind="stable")
    found = np.empty(len(order), dtype=np.int64)
    found[order] = weighted_rows(
        classes[counted.code(goal.target)][order],
        int(classes.max(initial=-1)) + 1,
        [BesideColumn(column.codes[order], column.size) for column in columns],
        counted.counts[order],
        ordered=goal.reads_numbers,
    )
    return replace(counted, counts=found)


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

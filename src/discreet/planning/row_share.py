"""A search over cuts on a random share of the rows.

A cut found so is a guess like any other: it is made better once on the whole table, where it is decided anew which
rows do not fit, and verified. Sizes scale with the share, so k does too: k rows of the table are about share * k of
those drawn. Shares of a property stay as they are. The spaces of the columns are those of the whole table, but plain
values and numbers that were not drawn are not told apart: nothing is known of them.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.encoded import Combinations

if TYPE_CHECKING:
    from discreet.method.base.problem import ColumnCounts, CutProblem
    from discreet.planning.task import Task


def thinned(task: Task, share: Fraction) -> Task:
    """Return the task on a random share of the rows, with k scaled to it."""
    size = math.ceil(share * int(task.counted.counts.sum()))
    policy = task.bound.policy
    scaled = list(policy.protect)
    for index, requirement in policy.groups():
        scaled[index] = requirement.on_share(share)
    policy = policy.model_copy(update={"protect": tuple(scaled), "search_on": None})
    return replace(task, bound=replace(task.bound, policy=policy), counted=_drawn(task.counted, size))


def _drawn(counted: Combinations, size: int) -> Combinations:
    """Return so many rows drawn from counted combinations; the draw protects nobody and may repeat itself."""
    counts = np.random.default_rng(0).multivariate_hypergeometric(counted.counts, size)
    kept = counts > 0
    return replace(counted, codes=tuple(codes[kept] for codes in counted.codes), counts=counts[kept])


def seen_only(problem: CutProblem) -> CutProblem:
    """Return the problem with nothing to tell apart but what its rows have."""
    return replace(problem, columns=tuple(map(_seen_only, problem.columns)))


def _seen_only(column: ColumnCounts) -> ColumnCounts:
    """Hide values of a plain column that no row has; let each interval of numbers begin where it has some row.

    (Unseen numbers would be cut off: an interval without them is shorter, and they cost nothing.)
    """
    if column.space.plain:
        return replace(column, pinned=column.pinned | (column.rows == 0))
    before = np.concatenate([[0], np.cumsum(column.rows)])
    cuts, begin = np.zeros_like(column.space.cuts), _first_number(column)
    for cut in np.flatnonzero(column.space.cuts).tolist():
        if before[cut] > before[begin] and before[-1] > before[cut]:
            cuts[cut], begin = True, cut
    return replace(column, space=replace(column.space, cuts=cuts))


def _first_number(column: ColumnCounts) -> int:
    return next((node.first for node in column.space.nodes if node.interval), 0)

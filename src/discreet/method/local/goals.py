"""What local recoding makes small beside the loss of detail: what its groups cost those who predict something."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.encoded import Ints
from discreet.method.base.problem import CutProblem
from discreet.method.base.space import Flags
from discreet.method.base.targets import fields_of, shape_of
from discreet.method.local import goal_kernels
from discreet.method.local.goal_kernels import GroupGoals
from discreet.method.local.split_kernels import merge

if TYPE_CHECKING:
    from discreet.method.local.group_kernels import ItemGroups
    from discreet.method.local.items import ItemPart


def with_goals(
    problem: CutProblem, columns: Sequence[int], worth: Sequence[int], figures: Ints, order: Ints, starts: Ints,
    whole: int,
) -> tuple[Ints, GroupGoals]:  # fmt: skip
    """Return the figures of the items with those of the targets behind them, and what the targets make of these.

    A target that is predicted from none of these columns has no part in it.
    """
    told = [
        (target.with_fields(), weight)
        for target, weight in zip(problem.targets, worth, strict=bool(worth))
        if not {*columns}.isdisjoint(target.columns)
    ]
    shape = shape_of([target for target, _ in told])
    fields = fields_of([target for target, _ in told], len(problem.sizes))
    sums = np.add.reduceat(fields[order], starts, axis=0) if len(starts) else fields[:0]
    goals = GroupGoals(
        shape.kinds, shape.begins + figures.shape[1], shape.at, shape.params, shape.gone,
        np.array([target.own_group for target, _ in told], dtype=np.int64),
        np.array([weight for _, weight in told], dtype=np.int64), np.array([whole], dtype=np.int64),
    )  # fmt: skip
    return np.ascontiguousarray(np.concatenate([figures, sums], axis=1)), goals


def left_out_cost(goals: GroupGoals, figures: Ints) -> int:
    """Return what it costs those who predict something that rows with these figures are left out."""
    worth = np.repeat(goals.weights, np.diff(goals.begins))
    return int((worth * goals.gone) @ figures[goals.begins[0] :])


def judged_of_all(goals: GroupGoals, figures: Ints, hidden: Flags, gone: Flags) -> int:
    """Return what groups with these figures cost; those that are hidden are one, those that are gone removed."""
    kept = sum(goal_kernels.judged_figures(goals, each, goals.whole[0] - 1) for each in figures[~hidden & ~gone])
    masked = goal_kernels.judged_figures(goals, figures[hidden & ~gone].sum(axis=0), goals.whole[0])
    return int(kept + masked) + left_out_cost(goals, figures[gone].sum(axis=0))


def unite(part: ItemPart, groups: ItemGroups, hidden: Flags) -> None:
    """Make groups that look alike one: as released they are, and it counts which rows are together."""

    some = np.flatnonzero(groups.head[: groups.numbers[0]] >= 0)
    first, stop, sets, _ = part.labels(groups.first[some], groups.last[some], hidden[some])
    apart = groups.first[some, len(part.columns) :]  # what must be told apart is no label
    told = np.concatenate([first, stop, apart, *(has.astype(np.int64) for has in sets.values())], axis=1)
    _, alike = np.unique(told, axis=0, return_inverse=True)
    order = np.argsort(alike.ravel(), kind="stable")
    same = np.flatnonzero(np.diff(alike.ravel()[order]) == 0)
    for one, other in zip(some[order[same]].tolist(), some[order[same + 1]].tolist(), strict=True):
        merge(part.shapes, part.items, groups, other, one)

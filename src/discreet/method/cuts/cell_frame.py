"""What the loops of an exact search by cells take: the figures of rows, what groups must keep, and scratch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.common.compiled import room
from discreet.encoded import Ints
from discreet.method.base.targets import TargetShape
from discreet.method.cuts.cell_columns import PartColumn
from discreet.method.cuts.evaluation import Evaluator
from discreet.method.cuts.objective import Objective

NEVER = 2**61
"""More than any cut costs."""
MOST_TREES, MOST_LINES, MOST_GROUPS = 2**20, 2**16, 2**14
"""Room for the groups that a plain column may split: figures of subsets, values, groups."""


class GroupRule(NamedTuple):
    """What groups must keep, and what they cost."""

    enough: int
    hits: int
    limits: Ints
    shape: TargetShape
    weights: Ints
    never: int


@room
class CellScratch(NamedTuple):
    """Scratch."""

    there: Ints
    room: Ints
    sums: Ints
    own: Ints
    ahead: Ints
    t: Ints
    best: Ints
    place: Ints
    path: Ints
    at: Ints
    rise: Ints
    top: Ints
    lines: Ints
    most: Ints
    costs: Ints
    shown: Ints
    saved: Ints
    many: Ints
    tree: Ints


@room
class SplitGroups(NamedTuple):
    """Groups that a plain column may split: their values with figures, and what hiding some of them costs at least."""

    many: Ints
    line_at: Ints
    tree_at: Ints
    codes: Ints
    sums: Ints
    trees: Ints
    value_at: Ints
    who: Ints
    node: Ints
    depth: Ints
    way: Ints
    hidden: Ints
    bounds: Ints
    whole: Ints


def figures_of(evaluator: Evaluator, objective: Objective) -> Ints:
    """Return the figures of each collapsed row: rows, loss, what leaving it out costs, tallies, fields."""
    problem = evaluator.problem
    dropped = objective.gone * problem.sizes
    for weight, target in zip(objective.weights, problem.targets, strict=True):
        dropped = dropped + weight * (target.fields @ target.gone)
    lines = [problem.sizes, np.zeros_like(dropped), dropped, *problem.tables[0].hits, *evaluator.fields.T]
    return np.ascontiguousarray(np.stack(lines, axis=1))


def rule_of(evaluator: Evaluator, objective: Objective) -> GroupRule:
    """Return what groups must keep, and what they cost."""
    table = evaluator.problem.tables[0]
    enough = max((limit.needs_rows for limit in table.limits), default=1)
    weights = np.array(objective.weights, dtype=np.int64)
    return GroupRule(enough, len(table.hits), evaluator.limits[0], evaluator.shape, weights, NEVER)


def scratch_of_cells(rough: PartColumn, fine: PartColumn, figures: int) -> CellScratch:
    """Return scratch for the last two columns."""
    one, two = rough.frame, fine.frame
    widest, nodes = max(one.size, two.size) + 2, max(len(two.above), 1)
    subsets = 1 << two.size if two.plain else 1
    many = max(subsets, widest)
    return CellScratch(
        _ints(2, widest), _ints(one.size, two.size, figures), _ints(two.size, figures), _ints(widest),
        _ints(figures, two.size + 1), _ints(figures), _ints(nodes), _ints(two.size + 2), _ints(widest), _ints(widest),
        _ints(widest), _ints(widest), _ints(figures, many), _ints(many), _ints(many), _ints(two.size), _ints(subsets),
        _ints(subsets), _ints(2 * subsets),
    )  # fmt: skip


def split_groups(fine: PartColumn, figures: int) -> SplitGroups:
    """Return room for the groups that a plain column may split; hardly any for another."""
    size = fine.frame.size
    trees, lines, groups = (MOST_TREES, MOST_LINES, MOST_GROUPS) if fine.frame.plain else (1, 1, 1)
    return SplitGroups(
        _ints(1), _ints(groups + 1), _ints(groups + 1), _ints(lines), _ints(lines, figures), _ints(trees),
        _ints(size + 1), _ints(lines), _ints(groups), _ints(groups), _ints(size + 1), _ints(size), _ints(size + 1),
        _ints(figures),
    )  # fmt: skip


def _ints(*shape: int) -> Ints:
    return np.zeros(shape, dtype=np.int64)

"""A problem as the kernels of exact search take it: all columns one after the other, and scratch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.base.problem import CutProblem
from discreet.method.base.space import Flags
from discreet.method.cuts.evaluation import Evaluator
from discreet.method.cuts.objective import Objective

MOST_BLOCKS = 512
"""Places where numbers may be cut; of a column with more nothing is bounded."""
NEVER = 2**62
"""More rows than there are."""


class CutFrame(NamedTuple):
    """A problem as the kernels take it, all columns one after the other; losses in units of the objective."""

    codes: npt.NDArray[np.int32]
    sizes: Ints
    dropped: Ints
    """What each collapsed row costs at least when it is left out."""
    main: Flags
    """The columns whose groups are bounded."""
    plain: Flags
    code_at: Ints
    node_at: Ints
    interval_of: Ints
    """The node of each column that is an interval, -1 for none."""
    vast: Flags
    first: Ints
    stop: Ints
    parent: Ints
    children: Ints
    interval: Flags
    stride: Ints
    """1 where the losses of a node differ by code."""
    loss_at: Ints
    losses: Ints
    leaf: Ints
    positions: Ints
    hidden: Ints
    """Of a plain column: the loss of a hidden cell by the number of hidden values less one."""


class CellLists(NamedTuple):
    """The codes of each column (first axis) in each cell, with their rows."""

    start: Ints
    used: Ints
    code: Ints
    rows: Ints


class BoundScratch(NamedTuple):
    """Scratch."""

    pick: Ints
    loss: Ints
    code_yes: Ints
    code_no: Ints
    node_yes: Ints
    node_no: Ints
    cost: Ints
    best: Ints
    below: Ints
    n_at: Ints
    kept_at: Ints
    touched: Ints
    begins: Ints
    block: Ints
    come: Ints
    between: Ints
    one: Ints
    two: Ints
    three: Ints


def frame_of(problem: CutProblem, evaluator: Evaluator, objective: Objective, main: Flags) -> CutFrame:
    """Return the columns side by side."""
    spaces = [column.space for column in problem.columns]
    units = evaluator.units.columns
    code_at = np.cumsum([0, *(space.size for space in spaces)], dtype=np.int64)
    node_at = np.cumsum([0, *(len(space.nodes) for space in spaces)], dtype=np.int64)
    codes, nodes = int(code_at[-1]), int(node_at[-1])
    first, stop, children, stride, loss_at = (np.zeros(nodes, dtype=np.int64) for _ in range(5))
    parent, leaf = np.full(nodes, -1, dtype=np.int64), np.full(codes, -1, dtype=np.int64)
    interval = np.zeros(nodes, dtype=np.bool_)
    positions, hidden = (np.zeros(codes, dtype=np.int64) for _ in range(2))
    interval_of = np.full(len(spaces), -1, dtype=np.int64)
    vast = np.zeros(len(spaces), dtype=np.bool_)
    losses: list[Ints] = []
    at = 0
    for c, space in enumerate(spaces):
        own = slice(int(code_at[c]), int(code_at[c + 1]))
        if space.plain:
            hidden[own] = units[c].nodes[: space.size]
        if len(units[c].positions):
            positions[own] = units[c].positions
        for number, node in enumerate(space.nodes):
            place = int(node_at[c]) + number
            first[place], stop[place], children[place] = node.first, node.stop, len(node.children)
            interval[place] = node.interval
            lines = units[c].by_code[number]
            stride[place], loss_at[place] = int(len(lines) > 1), at
            losses.append(lines)
            at += len(lines)
            for child in node.children:
                parent[int(node_at[c]) + child] = place
            if not node.children:
                leaf[own][node.first : node.stop] = place
            if node.interval:
                interval_of[c] = place
                vast[c] = int(space.cuts[node.first : node.stop].sum()) > MOST_BLOCKS
    flat = np.concatenate(losses) if losses else np.zeros(0, dtype=np.int64)
    return CutFrame(
        problem.codes, problem.sizes, _dropped(evaluator, objective), main,
        np.array([space.plain for space in spaces], dtype=np.bool_), code_at, node_at, interval_of, vast, first,
        stop, parent, children, interval, stride, loss_at, objective.loss * flat, leaf,
        objective.loss * positions, objective.loss * hidden,
    )  # fmt: skip


def scratch_of(frame: CutFrame) -> BoundScratch:
    """Return scratch for a problem."""
    codes, nodes = int(frame.code_at[-1]), int(frame.node_at[-1])
    widest = int(np.diff(frame.code_at).max(initial=0)) + 2
    blocks = 1
    for c in range(len(frame.plain)):
        if frame.interval_of[c] >= 0 and not frame.vast[c]:
            blocks = max(blocks, int(frame.code_at[c + 1] - frame.code_at[c]))
    blocks = min(blocks, MOST_BLOCKS + 1)

    def ints(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return BoundScratch(
        ints(codes), ints(codes), ints(codes), ints(codes), ints(nodes), ints(nodes), ints(nodes), ints(nodes),
        ints(nodes), ints(nodes), ints(nodes), ints(nodes), ints(widest), ints(widest), ints(widest),
        ints(blocks, blocks), ints(widest), ints(widest), ints(widest),
    )  # fmt: skip


def _dropped(evaluator: Evaluator, objective: Objective) -> Ints:
    """Return what each collapsed row costs at least when it is left out."""
    cost = objective.gone * evaluator.problem.sizes
    for weight, target in zip(objective.weights, evaluator.problem.targets, strict=True):
        if not target.own_group:
            cost = cost + weight * (target.fields @ target.gone)
    return cost

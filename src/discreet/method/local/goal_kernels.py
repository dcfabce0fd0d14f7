"""What groups of local recoding cost those who predict something from them. Integers only.

The sums that targets count stand among the figures of items and groups, behind those of limits. A group that tells
nothing is suppressed: its rows cost what rows left out do. The loops of `target_kernels` are compiled into these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from discreet.common.compiled import kernel, seldom
from discreet.encoded import Ints
from discreet.method.base.targets import MAJORITY
from discreet.method.cuts.target_kernels import target_cost


class GroupGoals(NamedTuple):
    """What is to be predicted; see `base.targets`."""

    kinds: Ints
    begins: Ints
    """The figure with which each target begins, and the one after the last."""
    at: Ints
    params: Ints
    gone: Ints
    """What a row left out costs, for each unit of each figure from the first target on."""
    own: Ints
    """Whether (1) rows left out are a group like any other."""
    weights: Ints
    """Of a unit of each target."""
    whole: Ints
    """The loss of a row that tells nothing."""


@kernel
def judged_figures(goals, figures, loss):  # type: ignore[no-untyped-def]
    """Return what a group with these figures, whose rows lose so much, costs all targets.

    O(figures); of cost matrices O(figures²).
    """
    cost = 0
    hidden = loss >= goals.whole[0]
    for t in range(len(goals.weights)):
        if hidden and not goals.own[t]:
            gone = 0
            for f in range(goals.begins[t], goals.begins[t + 1]):
                gone += figures[f] * goals.gone[f - goals.begins[0]]
            cost += goals.weights[t] * gone
        else:
            cost += goals.weights[t] * target_cost(figures, goals.kinds, goals.begins, goals.at, goals.params, t)
    return cost


@kernel
def _no_goal(goals, figures, more, loss):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Stand in for `judged_with` in loops that have nothing to predict. O(1)."""
    if len(goals.weights) > 0:
        raise ValueError("something is to be predicted, and the loop was compiled without")
    return 0


@seldom(_no_goal)
def judged_with(goals, figures, more, loss):  # type: ignore[no-untyped-def]
    """Return what a group costs all targets with further figures, once its rows lose so much. O(figures)."""
    if len(goals.weights) == 1 and goals.kinds[0] == MAJORITY and loss < goals.whole[0]:
        most = 0
        rows = 0
        for f in range(goals.begins[0], goals.begins[1]):
            tally = figures[f] + more[f]
            rows += tally
            if tally > most:
                most = tally
        return goals.weights[0] * (rows - most)
    together = np.empty(len(figures), np.int64)
    for f in range(len(together)):
        together[f] = figures[f] + more[f]
    return judged_figures(goals, together, loss)


@kernel
def _nothing_judged(goals, figures, loss):  # type: ignore[no-untyped-def]  # noqa: ARG001
    """Stand in for `judged_group` in loops that have nothing to predict. O(1)."""
    if len(goals.weights) > 0:
        raise ValueError("something is to be predicted, and the loop was compiled without")
    return 0


@seldom(_nothing_judged)
def judged_group(goals, figures, loss):  # type: ignore[no-untyped-def]
    """Return what a group costs all targets. O(figures)."""
    return judged_figures(goals, figures, loss)

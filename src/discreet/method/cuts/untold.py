"""Rows of which a cut tells nothing: they read like rows that are suppressed, and stand in one group with them.

An evaluation takes rows left out for a group of their own. In a release they read like rows that are kept with every
cell hidden. That may spare a lot: together they may be enough. And with several sets of known columns, rows that are
left out do not leave such a group of another set: it does not get too small. So a release may cost less than its cut
was said to. Here is what it costs at least; `exact` proves nothing that is not so of releases.

Nothing is read: whether a part has the text of a hidden cell is not known here, so whatever may have it is taken to.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discreet.method.base.space import Flags, Space
from discreet.method.cuts.evaluation import Cut, Evaluator
from discreet.method.cuts.parts import Firsts

Rows = npt.NDArray[np.bool_]


def may_be_untold(space: Space, firsts: Firsts, *, several: bool, twins: bool = False) -> Flags:
    """Return the codes of a column whose part may read like a hidden cell: hidden values, a root, uncut numbers.

    Where a plain column hides no value, any single one may as well be hidden: another cut with the same groups, one of
    its `twins`. With `several` sets of known columns intervals, too, of which a search wrongly took no row to be kept.
    """
    if space.plain:
        hidden: Flags = firsts < 0
        return ~hidden if twins and not hidden.any() else hidden
    found = np.zeros(space.size, dtype=np.bool_)
    for place, node in enumerate(space.nodes):
        if place == 0 or node.interval:
            ends = node.stop == space.size or firsts[node.stop] != node.first
            whole = ends and bool((firsts[node.first : node.stop] == node.first).all())
            found[node.first : node.stop] |= whole or (several and node.interval)
    return found


def untold_rows(evaluator: Evaluator, cut: Cut, *, everything: bool, twins: bool) -> list[Rows]:
    """Return for each set of known columns the rows of which a cut may tell nothing; or `everything` may be so."""
    problem, several = evaluator.problem, several_sets(evaluator)
    spaces = [column.space for column in problem.columns]
    codes = [
        may_be_untold(space, firsts, several=several, twins=twins) for space, firsts in zip(spaces, cut, strict=True)
    ]
    found = []
    for table in problem.tables:
        rows = np.ones(len(problem.sizes), dtype=np.bool_)
        for place in table.columns:
            rows &= everything | codes[place][problem.codes[place]]
        found.append(rows)
    return found


def several_sets(evaluator: Evaluator) -> bool:
    """Whether rows that are left out for one set of known columns stay in groups of another: masked, not removed."""
    return len(evaluator.problem.tables) > 1 and not evaluator.few_may_pass


def surely_left_out(evaluator: Evaluator, cut: Cut, untold: Sequence[Rows]) -> Rows:
    """Return the rows that every release by a cut leaves out: of `untold` ones only those of groups broken at first."""
    problem = evaluator.problem
    part = evaluator.parts(cut)
    left_out = np.zeros(len(problem.sizes), dtype=np.bool_)
    first = True
    while True:
        more = left_out.copy()
        for place, table in enumerate(problem.tables):
            groups = evaluator.group(evaluator.known[place], part, table.fixed)
            if evaluator.find_broken(place, groups, left_out):
                broken = evaluator.broken[evaluator.ids]
                more |= broken if first else broken & ~untold[place]
        if np.array_equal(more, left_out):
            return left_out
        left_out, first = more, False


def beside_rows(evaluator: Evaluator, left_out: Rows, untold: Sequence[Rows]) -> list[Rows]:
    """Return for each set of known columns the kept rows beside which those left out may stand."""
    kept = ~left_out & (evaluator.problem.sizes > 0)
    return [rows & kept for rows in untold]

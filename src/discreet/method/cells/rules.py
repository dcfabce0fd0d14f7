"""Confidential cells against association rules: safe partial tables (Li, Shirani-Mehr, Yang).

Guarantee: an answer `safe` means that in the table as it is then no rule from any conditions of a confidential row to
its true value has both support and confidence above what is allowed; `infeasible` means that no choice of the cells
that may be hidden makes it so, and is said only with a proof; `not found` is neither.

Each family of methods is a module of its own: `rules_cover`, `rules_graph`, `rules_baseline`, `rules_greedy`,
`rules_search`, `rules_exact`; here the best of them is chosen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf

import numpy as np

from discreet.method.cells.rule_kernels import NOTHING
from discreet.method.cells.rule_table import (
    SENSITIVE,
    Cell,
    Codes,
    HidingAnswer,
    Limits,
    RuleTable,
    largest_share,
    prune,
)
from discreet.method.cells.rules_baseline import cr
from discreet.method.cells.rules_cover import hitting_sets, smc
from discreet.method.cells.rules_decoys import decoys
from discreet.method.cells.rules_exact import exact
from discreet.method.cells.rules_graph import Chooser, r_graph
from discreet.method.cells.rules_greedy import all_hidden, certificate, greedy
from discreet.method.cells.rules_search import WORK, search

__all__ = [
    "SENSITIVE",
    "Cell",
    "Chooser",
    "Codes",
    "HidingAnswer",
    "Limits",
    "RuleTable",
    "certificate",
    "cr",
    "decoys",
    "greedy",
    "hitting_sets",
    "largest_share",
    "prune",
    "r_graph",
    "search",
    "smc",
    "solve",
]


MOST_CELLS = 5_000
"""Condition cells of a table up to which the general search is tried beside the special ones."""
MOST_COUNTED = 50_000_000
"""Pairs of rules times rows up to which the baseline is tried beside them."""
MORE_WORK = 10
"""How many times as long all choices are searched when nothing else found a way."""


def solve(
    table: RuleTable,
    method: str = "best",
    choose: Chooser | None = None,
    carry_on: Callable[[], bool] = lambda: True,
    seconds_left: Callable[[], float] = lambda: inf,
) -> HidingAnswer:
    """Make a table safe by a method, or by the best of those that fit what may be hidden; then show what need not hide.

    `best`: set multi-cover where other rows' sensitive cells may be hidden; the R-graph where their conditions may,
    and the sensitive cells alone need not be best; hitting sets where the rows' own conditions may; the baseline and
    the general search where that is quick; and all choices where they are few. The fewest cells count.

    Whatever the method, where it finds nothing all choices are tried if they are few, and else whole regions.
    """
    if table.is_safe():
        return HidingAnswer("safe", [], method, least=0)
    if method == "exact":
        return _exact(table, choose, carry_on, seconds_left)
    best = _best_of(table, _runs(table, method, choose, carry_on))
    if best is None and (why := certificate(table)):
        return HidingAnswer("infeasible", [], method, why)
    if best is None or method == "best":
        best = _searched(table, best, carry_on)
    if best is None:
        best = _best_of(table, [all_hidden])
    if best is None:
        return HidingAnswer("not found", [], method)
    for cell in best.hidden:
        table.hide(cell)
    return best


def _best_of(table: RuleTable, runs: Sequence[Callable[[RuleTable], HidingAnswer]]) -> HidingAnswer | None:
    """Return the safe answer with the fewest cells after pruning, if there is any; the table is left as it was."""
    best: HidingAnswer | None = None
    for run in runs:
        found = run(table)
        if found.status == "safe":
            prune(table)
            if best is None or len(table.hidden) < len(best.hidden):
                best = HidingAnswer("safe", list(table.hidden), found.method)
        table.take_back(0)
    return best


def _searched(table: RuleTable, best: HidingAnswer | None, carry_on: Callable[[], bool]) -> HidingAnswer | None:
    """Return the best of all choices, if it is better; or that there is none. The table is left as it was."""
    if best is None:
        found = search(table, None, carry_on, MORE_WORK * WORK)
    else:
        found = search(table, len(best.hidden), carry_on)
    if found.status == "not found":
        return None if best is None else replace(best, least=found.least)
    if found.status == "safe" and found.least is None:

        def hide(table: RuleTable) -> HidingAnswer:
            for cell in found.hidden:
                table.hide(cell)
            return found

        return _best_of(table, [hide])
    return found


def _exact(
    table: RuleTable, choose: Chooser | None, carry_on: Callable[[], bool], seconds_left: Callable[[], float]
) -> HidingAnswer:
    """Return the fewest cells; where time is limited, the best that other methods find in the meantime is at hand."""
    limited = seconds_left() < inf
    spare = solve(table, "best", choose, carry_on) if limited else search(table, None, carry_on)
    if spare.status == "infeasible":
        return spare
    table.take_back(0)
    if spare.gap == 0:
        found = replace(spare, method="exact")
        for cell in found.hidden:
            table.hide(cell)
        return found
    found = exact(table, seconds_left)
    if found.status == "infeasible":
        return found
    if found.status == "not found" and not limited:  # the solver gave up
        spare = solve(table, "best", choose, carry_on)
    if spare.status == "safe" and (found.status != "safe" or len(spare.hidden) < len(found.hidden)):
        table.take_back(0)
        for cell in spare.hidden:
            table.hide(cell)
        return replace(spare, least=max(found.least or 0, 1))
    return found


def _runs(
    table: RuleTable, method: str, choose: Chooser | None, carry_on: Callable[[], bool]
) -> list[Callable[[RuleTable], HidingAnswer]]:
    """Return what is to be tried."""
    own = np.zeros(len(table.values), dtype=np.bool_)
    own[list(table.rows)] = True
    sensitive, others, mine = table.free_sensitive.any(), table.free[:, ~own].any(), table.free[:, own].any()
    if method in ("max-descendant", "random-max", "random"):
        return [lambda found: r_graph(found, method, choose)]
    if method == "cr":
        return [lambda found: cr(found, conditions=not sensitive)]
    named = {"smc": smc, "hitting-set": hitting_sets, "greedy": lambda found: greedy(found, carry_on)}
    if method in named:
        return [named[method]]
    runs: list[Callable[[RuleTable], HidingAnswer]] = []
    if sensitive:
        runs.append(smc)
    if others and not _lemma_1_holds(table):
        runs.append(r_graph)
    if mine:
        runs.append(hitting_sets)
    if (sensitive or others) and len(table.unsafe()) ** 2 * (1000 + len(table.values)) <= MOST_COUNTED:
        runs.append(lambda found: cr(found, conditions=not sensitive))
    if table.cells.size <= MOST_CELLS:
        runs.append(named["greedy"])
    return runs


def _lemma_1_holds(table: RuleTable) -> bool:
    """Whether other rows need not hide conditions: all may hide their value, and still count in denominators."""
    return not table.limits.published and bool(table.free_sensitive[table.values != NOTHING].all())

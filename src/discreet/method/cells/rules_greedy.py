"""Any mix of cells by a greedy search, and the proof that no mix is enough.

Guarantee: that of `rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, combinations

import numpy as np

from discreet.method.cells import rule_kernels as kernels
from discreet.method.cells.rule_table import SENSITIVE, Cell, HidingAnswer, RuleTable, columns_of, relevant, subsets

PATIENCE = 5
"""Cells that are hidden in a row without less being left to do than ever before."""


def greedy(table: RuleTable, carry_on: Callable[[], bool] = lambda: True) -> HidingAnswer:
    """Hide the cell that makes the rest cheapest, again and again.

    What is left to do are the unsafe rules that nothing mends any more, and the sum over the others of the cheapest
    way to mend each by itself. The best cell need not lower it, for two may help where one does not: then a few more
    are tried.
    """
    begun = len(table.hidden)
    left = least = _left(table)
    idle = 0
    while left > (0, 0):
        best: tuple[tuple[int, int], Cell] | None = None
        for cell in _candidates(table):
            table.hide(cell)
            after = _left(table)
            table.show(cell)
            if best is None or (after, cell) < best:
                best = (after, cell)
        idle = 0 if best is not None and best[0] < least else idle + 1
        if best is None or idle > PATIENCE or not carry_on():
            return HidingAnswer("not found", table.hidden[begun:], "greedy")
        left, cell = best
        least = min(least, left)
        table.hide(cell)
    return HidingAnswer("safe", table.hidden[begun:], "greedy")


def _left(table: RuleTable) -> tuple[int, int]:
    """Return how many unsafe rules nothing mends, and what the others cost."""
    stuck, cost = kernels.to_mend(table.rules, table.lines())
    return int(stuck), int(cost)


def _candidates(table: RuleTable) -> Iterator[Cell]:
    """Yield cells that may be hidden of rows that unsafe rules are about: of rows alike the first."""
    about = np.zeros(len(table.values), dtype=np.bool_)
    wanted = np.zeros(table.conditions, dtype=np.bool_)
    for p, mask in table.unsafe().tolist():
        about |= relevant(table, p, mask)
        wanted[columns_of(mask)] = True
    about[table.real[table.leaking()]] = True
    free = np.vstack([table.free, table.free_sensitive])
    seen: set[tuple[object, ...]] = set()
    for row in np.flatnonzero(about).tolist():
        kind = (table.actual.get(row), int(table.values[row]), table.cells[:, row].tobytes(), free[:, row].tobytes())
        for column in [SENSITIVE, *np.flatnonzero(wanted).tolist()]:
            if table.may((row, column)) and (kind, column) not in seen:
                seen.add((kind, column))
                yield row, column


def all_hidden(table: RuleTable) -> HidingAnswer:
    """Hide all cells that may be hidden of one region (sensitive cells, conditions of others, the own), else of more.

    To hide more is not always safer: conditions that are hidden can make other rules unsafe.
    """
    own = set(table.rows)
    sensitive = [(row, SENSITIVE) for row in np.flatnonzero(table.free_sensitive).tolist()]
    cells = [(int(row), int(column)) for column, row in zip(*np.nonzero(table.free), strict=True)]
    regions = [sensitive, [cell for cell in cells if cell[0] not in own], [cell for cell in cells if cell[0] in own]]
    regions = [region for region in regions if region]
    begun = len(table.hidden)
    for chosen in (some for size in range(len(regions)) for some in combinations(regions, size + 1)):
        for cell in chain.from_iterable(chosen):
            if table.may(cell):
                table.hide(cell)
        if table.is_safe():
            return HidingAnswer("safe", table.hidden[begun:], "greedy")
        table.take_back(begun)
    return HidingAnswer("not found", [], "greedy")


def certificate(table: RuleTable) -> str:
    """Return why nothing that may be hidden makes the table safe, by a single rule; nothing if there is no such rule.

    A rule of a row that may not hide its own conditions is unsafe whatever is hidden, if it is so when all other rows
    that it is about lose their value, or else a condition.
    """
    rules = table.rules
    for row in table.rows:
        p = table.pattern_of[row]
        for mask in subsets(int(rules.known[p])):
            real = int(table.real[row])
            if not kernels.is_unsafe(rules, p, mask) or any(table.free[column, real] for column in columns_of(mask)):
                continue
            about = np.flatnonzero(relevant(table, p, mask))
            by_value = int(table.free_sensitive[about].sum())
            lost = table.free[columns_of(mask)][:, about].any(axis=0) & ~table.free_sensitive[about]
            num = int(rules.num[p, mask]) - by_value
            den = int(rules.den[p, mask]) - (by_value if table.limits.published else 0)
            confidence, both = table.limits.confidence, int(lost.sum())
            num, den = num - both, den - both
            if num > table.limits.support and num > confidence * den:
                return f"a rule with {_counted(len(columns_of(mask)), 'condition')} keeps {num} of {den} rows"
    return ""


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"

"""Any mix of cells by a greedy search, and the proof that no mix is enough.

Guarantee: that of `rules`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from discreet.method.cells import rule_kernels as kernels
from discreet.method.cells.rule_table import SENSITIVE, Answer, Cell, RuleTable, columns_of, relevant, subsets


def greedy(table: RuleTable, carry_on: Callable[[], bool] = lambda: True) -> Answer:
    """Hide the cell that makes the rest cheapest, again and again; whole regions when no single cell helps.

    What is left to do is the sum over the unsafe rules of the cheapest way to mend each by itself.
    """
    begun = len(table.hidden)
    left = _left(table)
    while left:
        best: tuple[int, int, int] | None = None
        for row, column in _candidates(table):
            table.hide((row, column))
            after = _left(table)
            table.show((row, column))
            if best is None or (after, row, column) < best:
                best = (after, row, column)
        if best is None or best[0] >= left or not carry_on():
            return all_hidden(table, begun)
        table.hide(best[1:])
        left = best[0]
    return Answer("safe", table.hidden[begun:], "greedy")


def _left(table: RuleTable) -> int:
    """Return what the unsafe rules cost, each by itself."""
    rules = table.rules
    total = 0
    for p, mask in table.unsafe().tolist():
        num, den = int(rules.num[p, mask]), int(rules.den[p, mask])
        total += int(kernels.least_hidden(num, den, rules.support, rules.confidence, table.limits.published))
    return total


def _candidates(table: RuleTable) -> Iterator[Cell]:
    """Yield cells that may be hidden of rows that unsafe rules are about: of rows alike the first."""
    about = np.zeros(len(table.values), dtype=np.bool_)
    wanted = np.zeros(table.conditions, dtype=np.bool_)
    for p, mask in table.unsafe().tolist():
        about |= relevant(table, p, mask)
        wanted[columns_of(mask)] = True
    about[table.real[table.leaking()]] = True
    seen: set[tuple[object, ...]] = set()
    for row in np.flatnonzero(about).tolist():
        own = row in table.actual
        kind = (own, int(table.values[row]), tuple(table.cells[:, row].tolist()), table.actual.get(row))
        for column in [SENSITIVE, *np.flatnonzero(wanted).tolist()]:
            if table.may((row, column)) and (kind, column) not in seen:
                seen.add((kind, column))
                yield row, column


def all_hidden(table: RuleTable, begun: int) -> Answer:
    """Hide everything that may be hidden: first the sensitive cells, then the conditions of others, then the own."""
    own = set(table.rows)
    everything = [(row, SENSITIVE) for row in np.flatnonzero(table.free_sensitive).tolist()]
    cells = [(int(row), int(column)) for column, row in zip(*np.nonzero(table.free), strict=True)]
    regions = [everything, [cell for cell in cells if cell[0] not in own], [cell for cell in cells if cell[0] in own]]
    for region in regions:
        for cell in region:
            if table.may(cell):
                table.hide(cell)
        if table.is_safe():
            return Answer("safe", table.hidden[begun:], "greedy")
    return Answer("not found", table.hidden[begun:], "greedy")


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

"""The fewest cells to hide against association rules, by a search through all choices: where there are few.

Guarantee: an answer `safe` with `least` hides as few cells as any safe choice of the cells that may be hidden;
`infeasible` means that there is none. Whole numbers only, and nothing but what discreet always needs. A search that
would take too many steps ends without a proof, with what it found; how many is counted, not timed.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from discreet.method.cells import search_kernels as kernels
from discreet.method.cells.rule_kernels import NOTHING
from discreet.method.cells.rule_table import SENSITIVE, Cell, Flags, HidingAnswer, Ints, RuleTable, columns_of, masks_of

MOST = 100_000
"""Rules times rows that are searched."""
WORK = 20_000_000
"""Rows of rules that a search looks at: about a second."""
AT_ONCE = 1_000_000
"""As many between two questions whether to go on."""
NO_CHOICE = "no choice of the cells that may be hidden is safe"


def search(
    table: RuleTable,
    fewer_than: int | None = None,
    carry_on: Callable[[], bool] = lambda: True,
    work: int = WORK,
) -> HidingAnswer:
    """Find the fewest cells that make a table safe, and hide nothing yet.

    `least` is given where all choices were tried. With `fewer_than` only choices of fewer cells are looked for, and
    `not found` with `least` means that there are none.
    """
    nothing = HidingAnswer("not found", [], "search")
    if int(_can_leak(table).sum()) * len(table.values) > MOST:
        return nothing
    free = _free(table)
    problem = _problem(table, free)
    state = _state(problem, free, table.conditions, fewer_than)
    size = len(problem.rows) + len(problem.line_rows) + len(problem.masks)
    left, done = work // size, False
    while not done and left > 0 and carry_on():
        steps = min(left, AT_ONCE // size + 1)
        done = kernels.search(problem, state, steps)
        left -= steps
    cells = _cells(state.best, table.conditions)
    if cells:
        return HidingAnswer("safe", cells, "search", least=len(cells) if done else None)
    if done and fewer_than is None:
        return HidingAnswer("infeasible", [], "search", NO_CHOICE)
    return HidingAnswer("not found", [], "search", least=fewer_than) if done else nothing


def _can_leak(table: RuleTable) -> Flags:
    """Say which rules have enough support; hiding never gives a rule more. Each once."""
    rules = table.rules
    found: Flags = rules.first & (rules.num > rules.support)
    return found


def _free(table: RuleTable) -> Ints:
    """Return which cells of each row may be hidden, as bits.

    Where another row may hide its value and rows with a hidden value count, it need hide nothing else: that takes it
    from all rules at once, and from no denominator (Lemma 1 of the paper).
    """
    free = masks_of(table.free & (table.cells != NOTHING))
    value = table.free_sensitive & (table.values != NOTHING)
    if not table.limits.published:
        free[value] = 0
    bits: Ints = free | value.astype(np.int64) << table.conditions
    return bits


def _problem(table: RuleTable, free: Ints) -> kernels.HidingProblem:
    """Return all rules that can leak: those that would, if of their rows none with the value but all others hid."""
    rules, lines = table.rules, table.lines()
    over, under = rules.confidence.tolist()
    value = 1 << table.conditions
    counted = (table.values != NOTHING) if table.limits.published else np.ones(len(table.values), dtype=np.bool_)
    masks, rows, telling, line_rows, line_own = [], [], [], [], []
    order = np.argsort(lines.rows, kind="stable")
    for p, mask in np.argwhere(_can_leak(table)).tolist():
        columns = columns_of(mask)
        pattern = rules.patterns[p, columns][:, None]
        having = np.flatnonzero((table.cells[columns] == pattern).all(axis=0) & counted)
        tells = table.values[having] == rules.values[p]
        stay = (free[having] & (mask | value if table.limits.published else mask)) == 0
        num = int(tells.sum())
        if num * under <= over * (num + int((stay & ~tells).sum())):
            continue
        same = (rules.patterns[:, columns] == pattern.T).all(axis=1) & (rules.values == rules.values[p])
        about = order[same[lines.patterns[order]]]
        masks.append(mask)
        rows.append(having)
        telling.append(tells)
        line_rows.append(lines.rows[about])
        line_own.append(lines.own[about] & mask)
    return kernels.HidingProblem(
        masks=np.array(masks, dtype=np.int64),
        starts=_starts(rows),
        rows=np.concatenate(rows).astype(np.int64),
        telling=np.concatenate(telling),
        line_starts=_starts(line_rows),
        line_rows=np.concatenate(line_rows),
        line_own=np.concatenate(line_own),
        kinds=_kinds(table, free),
        value=value,
        confidence=rules.confidence,
        support=rules.support,
        published=rules.published,
    )


def _starts(parts: list[Ints]) -> Ints:
    return np.cumsum([0, *map(len, parts)], dtype=np.int64)


def _kinds(table: RuleTable, free: Ints) -> Ints:
    """Number the rows so that those with the same number can stand for each other."""
    rows = np.array(table.rows, dtype=np.int64)
    secret = np.full(len(free), NOTHING, dtype=np.int64)
    secret[rows] = [table.actual[row] for row in table.rows]
    seen_otherwise = np.zeros(len(free), dtype=np.int64)
    shadowed = table.real[rows[table.real[rows] != rows]]
    seen_otherwise[shadowed] = shadowed + 1
    kinds = np.unique(np.vstack([table.cells, table.values, secret, free, seen_otherwise]), axis=1, return_inverse=True)
    return kinds[1].reshape(-1).astype(np.int64)


def _state(problem: kernels.HidingProblem, free: Ints, conditions: int, fewer_than: int | None) -> kernels.State:
    """Return the beginning of a search."""
    number = int(np.bitwise_count(free).sum())
    rules, rows = len(problem.masks), len(free)
    most = number if fewer_than is None else fewer_than - 1

    def zeros(*shape: int) -> Ints:
        return np.zeros(shape, dtype=np.int64)

    return kernels.State(
        hidden=zeros(rows),
        free=free.copy(),
        best=zeros(rows),
        at=np.array([0, 0, 0, most], dtype=np.int64),
        row=zeros(number),
        bit=zeros(number),
        refused=np.zeros(number, dtype=np.bool_),
        mark=zeros(number),
        refused_row=zeros(number),
        refused_bit=zeros(number),
        costs=zeros(rules),
        degrees=zeros(rows, conditions + 1),
        reach=zeros(rows),
        gains=zeros(_most_gain(problem) + 1),
        used=zeros(rows),
    )


def _most_gain(problem: kernels.HidingProblem) -> int:
    """Return how many times the rules are about any one row at most."""
    return int(np.bincount(np.concatenate([problem.rows, problem.line_rows])).max())


def _cells(hidden: Ints, conditions: int) -> list[Cell]:
    """Return the hidden cells, row by row."""
    return [
        (row, SENSITIVE if column == conditions else column)
        for row in np.flatnonzero(hidden).tolist()
        for column in columns_of(int(hidden[row]))
    ]

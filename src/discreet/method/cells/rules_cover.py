"""Sets that cover: sensitive cells of other rows (set multi-cover), conditions of the rows themselves (hitting sets).

Guarantee: that of `rules`. Set multi-cover hides at most H(2^k - 1) times as many cells as needed; a hitting set is
the smallest for its row.
"""

from __future__ import annotations

import heapq

import numpy as np

from discreet.method.cells import rule_kernels as kernels
from discreet.method.cells.rule_table import SENSITIVE, HidingAnswer, Ints, RuleTable, columns_of


def smc(table: RuleTable) -> HidingAnswer:
    """Hide sensitive cells of other rows by greedy set multi-cover: the row with most unsafe rules, again and again.

    Of several the first row. Hides at most H(2^k - 1) times as many cells as needed, for one value and k conditions.
    """
    rules = table.rules
    active = np.zeros(rules.num.shape, dtype=np.int64)
    begun = len(table.hidden)
    while True:
        kernels.needed(rules, active)
        if not active[:, -1].any():
            return HidingAnswer("safe", table.hidden[begun:], "smc")
        before = len(table.hidden)
        for value in sorted(set(rules.values.tolist())):
            if rules.published:  # what is hidden of one value raises the shares of others
                kernels.needed(rules, active)
            if active[rules.values == value, -1].any():
                _cover(table, active, value)
        if len(table.hidden) == before:
            return HidingAnswer("not found", table.hidden[begun:], "smc")


def _cover(table: RuleTable, active: Ints, value: int) -> None:
    """Hide cells with a value until its unsafe rules are covered, or none is left."""
    rules = table.rules
    rows = np.flatnonzero((table.values == value) & table.free_sensitive).astype(np.int64)
    if not len(rows):
        return
    kinds, kind = np.unique(table.cells[:, rows], axis=1, return_inverse=True)
    order = np.argsort(kind.reshape(-1), kind="stable")
    members = np.split(rows[order], np.cumsum(np.bincount(kind.reshape(-1), minlength=kinds.shape[1]))[:-1])
    gains = kernels.gains_of(rules, active, np.array([each[0] for each in members], dtype=np.int64), value)
    heap = [
        (-int(gain), int(each[0]), place) for place, (gain, each) in enumerate(zip(gains, members, strict=True)) if gain
    ]
    heapq.heapify(heap)
    taken = [0] * len(members)
    while heap:
        gain, row, place = heap[0]
        now = int(kernels.gain_of(rules, active, row, value))
        if now == 0:
            heapq.heappop(heap)
        elif now < -gain:
            heapq.heapreplace(heap, (-now, row, place))
        else:
            table.hide((row, SENSITIVE))
            kernels.needed_again(rules, active, row, value)
            taken[place] += 1
            if taken[place] == len(members[place]):
                heapq.heappop(heap)
            else:
                heapq.heapreplace(heap, (gain, int(members[place][taken[place]]), place))


def hitting_sets(table: RuleTable) -> HidingAnswer:
    """Hide conditions of the confidential rows themselves: for each the fewest that hit all its unsafe rules.

    Of several sets the first columns. Hiding one row's conditions can make another's rules unsafe: until all are safe.
    """
    begun = len(table.hidden)
    while not table.is_safe():
        before = len(table.hidden)
        for row in table.rows:
            if kernels.leaks(table.rules, table.pattern_of[row]):
                for column in _hitting_set(table, row) or ():
                    table.hide((int(table.real[row]), column))
        if len(table.hidden) == before:
            return HidingAnswer("not found", table.hidden[begun:], "hitting-set")
    return HidingAnswer("safe", table.hidden[begun:], "hitting-set")


def _hitting_set(table: RuleTable, row: int) -> list[int] | None:
    """Return the fewest conditions of a row that are in all its unsafe rules; None if it may not hide them."""
    real = int(table.real[row])
    own = table.original[:, row] == table.original[:, real]
    free = sum(1 << column for column in range(table.conditions) if own[column] and table.may((real, column)))
    found = int(kernels.fewest_hitting(table.rules, table.pattern_of[row], free))
    return None if found < 0 else columns_of(found)

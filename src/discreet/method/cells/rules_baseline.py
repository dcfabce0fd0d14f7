"""CR (Saygin et al.), the baseline of the paper.

Guarantee: that of `rules`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.method.cells import rule_kernels as kernels
from discreet.method.cells.rule_table import SENSITIVE, HidingAnswer, RuleTable, columns_of, relevant


def cr(table: RuleTable, *, conditions: bool, largest_first: bool = True) -> HidingAnswer:
    """CR (Saygin et al.), the baseline: rule by rule, the rows that support fewest of them first."""
    begun = len(table.hidden)
    rules = table.rules
    while True:
        before = len(table.hidden)
        unsafe = [(int(p), int(mask)) for p, mask in table.unsafe()]
        sign = -1 if largest_first else 1
        unsafe.sort(key=lambda rule: (sign * rule[1].bit_count(), -int(rules.num[rule]), *_named(table, *rule)))
        for p, mask in unsafe:
            _make_safe(table, p, mask, unsafe, conditions=conditions)
        if table.is_safe() or len(table.hidden) == before:
            return HidingAnswer("safe" if table.is_safe() else "not found", table.hidden[begun:], "cr")


def _named(table: RuleTable, p: int, mask: int) -> tuple[object, ...]:
    pattern = table.rules.patterns[p]
    columns = columns_of(mask)
    return tuple((column, int(pattern[column])) for column in columns), int(table.rules.values[p])


def _make_safe(table: RuleTable, p: int, mask: int, unsafe: Sequence[tuple[int, int]], *, conditions: bool) -> None:
    """Hide cells of the rows that a rule is about until it is safe."""
    rows = np.flatnonzero(relevant(table, p, mask))
    cells, values = table.cells[:, rows], table.values[rows]
    support = np.zeros(len(rows), dtype=np.int64)
    for other, columns in ((other, columns_of(conditions)) for other, conditions in unsafe):
        pattern = table.rules.patterns[other, columns][:, None]
        support += (values == table.rules.values[other]) & (cells[columns] == pattern).all(axis=0)
    for row in rows[np.lexsort((rows, support))].tolist():
        if not kernels.is_unsafe(table.rules, p, mask):
            return
        if not conditions:
            if table.may((row, SENSITIVE)):
                table.hide((row, SENSITIVE))
            continue
        columns = [column for column in columns_of(mask) if table.may((row, column))]
        having = {column: int((table.cells[column] == table.cells[column, row]).sum()) for column in columns}
        if columns:
            table.hide((row, max(columns, key=lambda column: (having[column], -column))))

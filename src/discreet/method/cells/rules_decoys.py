"""Decoys: sensitive cells with other values that are hidden, too, so that a hidden cell does not tell its value.

Not a guarantee: as far as cells may be hidden.
"""

from __future__ import annotations

import numpy as np

from discreet.method.cells import rule_kernels as kernels
from discreet.method.cells.rule_kernels import NOTHING
from discreet.method.cells.rule_table import SENSITIVE, Ints, RuleTable


def decoys(table: RuleTable) -> list[int]:
    """Hide sensitive cells with other values, so that of the hidden ones few have the protected value.

    For each pattern and all its conditions, the share of the protected value among the rows with a hidden sensitive
    cell is brought within the confidence allowed, as far as cells may be hidden without a rule becoming unsafe. Cells
    that were unknown from the beginning do not count. Returns the rows.
    """
    hidden: list[int] = []
    if table.limits.confidence == 0:  # no number of others is enough
        return hidden
    while (within := _too_telling(table)).any():
        rows = np.flatnonzero(table.free_sensitive & (table.values != NOTHING)).astype(np.int64)
        gains = kernels.decoy_gains(table.rules, within, rows, table.original_sensitive)
        best = np.argsort(-gains, kind="stable")
        found = next((row for row in rows[best[gains[best] > 0]].tolist() if _hide_if_safe(table, row)), None)
        if found is None:
            break
        hidden.append(found)
    return hidden


def _too_telling(table: RuleTable) -> Ints:
    """Return for each pattern and mask how many rules (each once) within it have a too large share of hidden cells."""
    rules = table.rules
    told, true = np.zeros(rules.num.shape, dtype=np.int64), np.zeros(rules.num.shape, dtype=np.int64)
    gone = (table.values == NOTHING) & (table.truth != NOTHING)
    kernels.count_hidden(rules, gone, table.truth, told, true)
    confidence = rules.confidence
    within = (rules.first & (true * int(confidence[1]) > int(confidence[0]) * told)).astype(np.int64)
    kernels.sum_within(within)
    return within


def _hide_if_safe(table: RuleTable, row: int) -> bool:
    """Hide a sensitive cell unless a rule becomes unsafe: one to another value may, if hidden cells do not count."""
    table.hide((row, SENSITIVE))
    if table.limits.published and not table.is_safe():
        table.show((row, SENSITIVE))
        return False
    return True

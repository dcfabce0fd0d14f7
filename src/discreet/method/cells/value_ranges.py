"""Which values stand below each node of the columns' trees."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet.method.cells.table import CellTable

Ints = npt.NDArray[np.int64]


def ranges(table: CellTable) -> tuple[Ints, Ints]:
    """Return for each node the range of values (places in the domain) at or below it."""
    low, high = [], []
    for tree in table.trees:
        is_leaf = np.zeros(len(tree.parent) + 1, dtype=np.int64)
        is_leaf[tree.leaves] = 1
        before = np.concatenate([[0], np.cumsum(is_leaf)])
        low.append(before[np.arange(len(tree.parent))])
        high.append(before[tree.end])
    return np.concatenate(low).astype(np.int64), np.concatenate(high).astype(np.int64)

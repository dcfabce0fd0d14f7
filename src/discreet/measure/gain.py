"""What disclosing one more value of a column is worth, one function per use.

Each function takes the rows per value and class of a column and which of its values are still hidden, and
returns the gain of disclosing each value (meaningless for values that are not hidden). Disclosing a value
concerns only the rows whose value is hidden, so nothing else is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from discreet.table.encode import Ints

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class ColumnCounts:
    """A changeable column: how many rows (by class, where there is one) have each value."""

    rows: Ints
    """Rows per value."""
    classes: Ints
    """Rows per value and class; one class when the use has no target."""
    pinned: npt.NDArray[np.bool_]
    """Values that are never disclosed because they already are the marker."""


class Gain(Protocol):
    """A use's worth of a disclosure."""

    def __call__(self, column: ColumnCounts, hidden: npt.NDArray[np.bool_], total: int) -> Floats:
        """Return the gain of disclosing each value."""
        ...


def information_gain(column: ColumnCounts, hidden: npt.NDArray[np.bool_], total: int) -> Floats:  # noqa: ARG001
    """Entropy of the class among the hidden rows minus the mean entropy of the two parts (classify)."""
    together = column.classes[hidden].sum(axis=0)
    rows = together.sum()
    if rows == 0:
        return np.zeros(len(column.rows))
    apart = together - column.classes
    weighted = column.rows * _entropy(column.classes) + (rows - column.rows) * _entropy(apart)
    return np.asarray(_entropy(together[np.newaxis])[0] - weighted / rows)


def cells_gain(column: ColumnCounts, hidden: npt.NDArray[np.bool_], total: int) -> Floats:  # noqa: ARG001
    """Number of cells that would no longer be hidden (counts)."""
    return column.rows.astype(np.float64)


def loss_gain(column: ColumnCounts, hidden: npt.NDArray[np.bool_], total: int) -> Floats:
    """Loss of detail (LM) that would be taken away, as a mean over all rows (general).

    A hidden cell of a column with D values, m of them hidden, has lost (m - 1)/(D - 1).
    """
    values, still = len(column.rows), int(hidden.sum())
    if values == 1:
        return np.zeros(1)
    rows = int(column.rows[hidden].sum())
    before = rows * (still - 1)
    after = (rows - column.rows) * max(still - 2, 0)
    return (before - after) / (values - 1) / total


def _entropy(counts: npt.NDArray[np.int64]) -> Floats:
    """Return the entropy in bits of each row of counts; 0 for a row without any."""
    size = counts.sum(axis=1, keepdims=True)
    share = counts / np.maximum(size, 1)
    terms = np.where(counts > 0, share * np.log2(np.where(counts > 0, share, 1.0)), 0.0)
    return np.asarray(-terms.sum(axis=1))

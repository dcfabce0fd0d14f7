"""What a disclosure is worth: each use is one function that scores it.

A disclosure replaces one released value (the whole) by several (the parts): a hidden value by one of its
values and the rest, a taxonomy node by its children, an interval by its two sides. Only the rows of the whole
are concerned, so each function gets the counts of the whole and those of the parts, for many disclosures of
one column at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from discreet.method.base.class_pairs import ClassPairs
from discreet.method.base.class_spread import uncertain

Floats = npt.NDArray[np.float64]
Tallies = npt.NDArray[np.float64] | npt.NDArray[np.int64]
Counted = Tallies | ClassPairs
TINY = 1e-9
"""Less than this is nothing to be kept."""


@dataclass(frozen=True)
class Pieces:
    """Released values of one column: any number of them, in an array of any shape."""

    rows: npt.NDArray[np.int64]
    tallies: npt.NDArray[np.float64] | npt.NDArray[np.int64]
    """On a last axis of their own: rows of each class (classify), or sums of 1, y and y² (regress)."""
    loss: Floats
    """The share of detail lost (LM) in a cell with this value."""
    hidden: Floats
    """How much of such a cell counts as hidden: all or nothing in a plain column, else as `loss`."""
    spread: Floats | None = None
    """The entropy of the class, where classes are too many for tallies."""


class Gain(Protocol):
    """A use's worth of a disclosure."""

    def __call__(self, whole: Pieces, parts: Pieces, total: int) -> Floats:
        """Return the gain of each disclosure: `whole` has one entry, or one for each, `parts` a line for each."""
        ...


def information_gain(whole: Pieces, parts: Pieces, total: int) -> Floats:  # noqa: ARG001
    """Entropy of the class in the whole minus the mean entropy of the parts (classify)."""
    each, before = (_entropy(own.tallies) if own.spread is None else own.spread for own in (parts, whole))
    weighted = _added(parts.rows * each)
    return np.asarray(before - weighted / np.maximum(whole.rows, 1))


def variance_gain(whole: Pieces, parts: Pieces, total: int) -> Floats:  # noqa: ARG001
    """Variance of the target in the whole minus the mean variance of the parts (regress).

    The target is scaled so that its variance over all rows is 1.
    """
    return np.asarray((_squares(whole.tallies) - _added(_squares(parts.tallies))) / np.maximum(whole.rows, 1))


def cells_gain(whole: Pieces, parts: Pieces, total: int) -> Floats:  # noqa: ARG001
    """Number of cells that would no longer be hidden (counts); a coarser one counts by the detail it has lost."""
    return np.asarray(whole.rows * whole.hidden - _added(parts.rows * parts.hidden))


def loss_gain(whole: Pieces, parts: Pieces, total: int) -> Floats:
    """Loss of detail (LM) that would be taken away, as a mean over all rows (general)."""
    return np.asarray(whole.rows * whole.loss - _added(parts.rows * parts.loss)) / total


def information_kept(columns: Sequence[tuple[Counted, Counted]]) -> float:
    """Return the share of what the columns, one by one, tell of the class that they tell as released.

    Each column comes with its tallies by original and by released value.
    """
    return _share_kept([(_uncertain(original), _uncertain(released)) for original, released in columns])


def variance_kept(columns: Sequence[tuple[Counted, Counted]]) -> float:
    """Return the share of the target's variance explained by each column that is explained as released."""
    return _share_kept([(_unexplained(original), _unexplained(released)) for original, released in columns])


def _added(figures: Floats) -> Floats:
    """Return the sums of the parts of each disclosure; of two, as most have, without a loop along a short axis."""
    return np.asarray(figures[..., 0] + figures[..., 1] if figures.shape[-1] == 2 else figures.sum(axis=-1))


def _uncertain(tallies: Counted) -> tuple[float, float]:
    """Return the (summed) entropy of the class before and after a column is known."""
    if isinstance(tallies, ClassPairs):
        return uncertain(tallies)
    rows = tallies.sum(axis=-1)
    return float(rows.sum() * _entropy(tallies.sum(axis=0))), float((rows * _entropy(tallies)).sum())


def _unexplained(tallies: Counted) -> tuple[float, float]:
    """Return the sum of squares before and after a column is known."""
    assert not isinstance(tallies, ClassPairs)
    return float(_squares(tallies.sum(axis=0))), float(_squares(tallies).sum())


def _share_kept(figures: Sequence[tuple[tuple[float, float], tuple[float, float]]]) -> float:
    told = sum(before - after for (before, after), _ in figures)
    still = sum(before - after for _, (before, after) in figures)
    return min(max(still / told, 0.0), 1.0) if told > TINY else 1.0


def _entropy(counts: npt.NDArray[np.float64] | npt.NDArray[np.int64]) -> Floats:
    """Return the entropy in bits along the last axis; 0 where there are no rows."""
    size = counts.sum(axis=-1, keepdims=True)
    share = counts / np.maximum(size, 1)
    terms = np.where(counts > 0, share * np.log2(np.where(counts > 0, share, 1.0)), 0.0)
    return np.asarray(-terms.sum(axis=-1))


def _squares(sums: npt.NDArray[np.float64] | npt.NDArray[np.int64]) -> Floats:
    """Return the sum of squared distances from the mean, from the sums of 1, y and y²."""
    rows, total, squares = sums[..., 0], sums[..., 1], sums[..., 2]
    return np.asarray(np.maximum(squares - total * total / np.maximum(rows, 1), 0.0))

"""Loss of detail (LM) in whole units, so that searches compare integers and repeat exactly on every machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.method.space import Space
from discreet.table.encode import Ints

LARGEST = 2**61
"""Sums over all rows and columns stay below this."""
ROUNDED = 2**24
"""Units of one loss where exact ones would be too many."""


@dataclass(frozen=True)
class ColumnUnits:
    """What a column's values lose, in units: by node, and by the distance between numbers."""

    nodes: Ints
    """Loss of each node of a tree; for a plain column: of a hidden value, by the number of hidden values less one."""
    positions: Ints
    """Where each number stands; the loss of an interval is the distance of its ends."""
    suppressed: int
    """Loss of a suppressed cell."""


@dataclass(frozen=True)
class Units:
    """The units of all columns."""

    columns: tuple[ColumnUnits, ...]
    per_row: int
    """Loss of a suppressed row."""

    def share(self, units: int, rows: int) -> float:
        """Return units as a mean over all rows and columns: LM."""
        return units / (self.per_row * rows)


def loss_units(spaces: Sequence[Space], weights: Sequence[Fraction], rows: int, *, whole: bool = False) -> Units:
    """Return the losses of the columns in the smallest common unit, rounded where that would be too small.

    `whole` counts a hidden value of a plain column as wholly lost, however few values are hidden with it.
    """
    parts = [_denominator(space) for space in spaces]
    common = math.lcm(*(d * w.denominator for d, w in zip(parts, weights, strict=True))) if parts else 1
    heaviest = sum(weights, Fraction(0))
    unit = common if common * heaviest * max(rows, 1) < LARGEST else ROUNDED
    columns = tuple(_column(space, weight * unit, whole) for space, weight in zip(spaces, weights, strict=True))
    return Units(columns, sum(column.suppressed for column in columns))


def _denominator(space: Space) -> int:
    if space.plain:
        return max(space.size - 1, 1)
    shares = [node.share for node in space.nodes]
    return math.lcm(*(share.denominator for share in shares), *(share.denominator for share in space.places))


def _column(space: Space, scale: Fraction, whole: bool) -> ColumnUnits:
    if space.plain:
        most = max(space.size - 1, 1)
        hidden = [round(scale * (1 if whole else Fraction(still, most))) for still in range(space.size)]
        nodes = hidden if space.size > 1 else [0]
        return ColumnUnits(np.array(nodes, dtype=np.int64), np.zeros(0, dtype=np.int64), round(scale))
    nodes = [round(scale * node.share) for node in space.nodes]
    places = [round(scale * share) for share in space.places]
    return ColumnUnits(np.array(nodes, dtype=np.int64), np.array(places, dtype=np.int64), round(scale))

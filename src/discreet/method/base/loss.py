"""Loss of detail (LM) in whole units, so that searches compare integers and repeat exactly on every machine."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.encoded import Ints
from discreet.method.base.space import Space

LARGEST = 2**61
"""Sums over all rows and columns stay below this."""
ROUNDED = 2**24
"""Units of one loss where exact ones would be too many."""


@dataclass(frozen=True)
class ColumnUnits:
    """What a column's values lose, in units: by node, and by the distance between numbers."""

    nodes: Ints
    """Loss of each node of a tree; for a plain column: of a hidden value, by the number of hidden values less one."""
    by_code: Ints
    """Loss of each node of a tree (first axis) for each code, or one loss for all codes."""
    positions: Ints
    """Where each number stands; the loss of an interval is the distance of its ends."""
    suppressed: int
    """Loss of a suppressed cell."""

    def times(self, number: int) -> ColumnUnits:
        """Return the same in units that are smaller by a whole number."""
        arrays = (self.nodes * number, self.by_code * number, self.positions * number)
        return ColumnUnits(*arrays, self.suppressed * number)


@dataclass(frozen=True)
class Units:
    """The units of all columns."""

    columns: tuple[ColumnUnits, ...]
    per_row: int
    """Loss of a suppressed row."""

    def share(self, units: int, rows: int) -> float:
        """Return units as a mean over all rows and columns: LM."""
        return units / (self.per_row * rows)

    def times(self, number: int) -> Units:
        """Return units that are smaller by a whole number."""
        return Units(tuple(column.times(number) for column in self.columns), self.per_row * number)


def loss_units(
    spaces: Sequence[Space],
    weights: Sequence[Fraction],
    rows: int,
    *,
    whole: bool = False,
    largest: int = LARGEST,
) -> Units:
    """Return the losses of the columns in the smallest common unit, rounded where sums would get too `large`.

    `whole` counts a hidden value of a plain column as wholly lost, however few values are hidden with it.
    """
    parts = [_denominator(space) for space in spaces]
    common = math.lcm(*(d * w.denominator for d, w in zip(parts, weights, strict=True))) if parts else 1
    heaviest = sum(weights, Fraction(0))
    most = largest / max(heaviest * max(rows, 1), Fraction(1))
    unit = Fraction(common) if common < most else min(Fraction(ROUNDED), most)
    columns = tuple(_column(space, weight * unit, whole) for space, weight in zip(spaces, weights, strict=True))
    return Units(columns, sum(column.suppressed for column in columns))


def _denominator(space: Space) -> int:
    if space.plain:
        return max(space.size - 1, 1)
    shares = [node.share for node in space.nodes] + [share for shares in space.shares for share in shares]
    return math.lcm(*(share.denominator for share in shares), space.places.unit)


def _column(space: Space, scale: Fraction, whole: bool) -> ColumnUnits:
    if space.plain:
        most = max(space.size - 1, 1)
        hidden = [round(scale * (1 if whole else Fraction(still, most))) for still in range(space.size)]
        nodes = hidden if space.size > 1 else [0]
        nothing = np.zeros(0, dtype=np.int64)
        return ColumnUnits(np.array(nodes, dtype=np.int64), nothing.reshape(0, 1), nothing, round(scale))
    by_node = np.array([round(scale * node.share) for node in space.nodes], dtype=np.int64)
    places = space.places.times(scale)
    by_code = by_node.reshape(-1, 1)
    if space.shares:
        by_code = np.array([[round(scale * share) for share in shares] for shares in space.shares], dtype=np.int64)
    return ColumnUnits(by_node, by_code, places, round(scale))

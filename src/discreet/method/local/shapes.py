"""What local recoding knows of the columns: the label of a group of codes, what it loses, and levels to look at.

A group's label in a column is told by its smallest and largest code: the lowest node of a tree above both, the
interval from one to the other, the value itself or nothing. Where sets are asked for it is the set of codes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, NamedTuple

import numpy as np

from discreet.encoded import Ints
from discreet.method.base.loss import LARGEST, ColumnUnits, Units, loss_units
from discreet.method.base.problem import ColumnCounts
from discreet.method.base.space import Space

Labels = Literal["tight", "fixed", "set"]
"""The tightest label that covers a group; the same with intervals at allowed end points only; a set of values."""

TABLE = 0
"""What a range of codes loses stands in a table."""
NUMBERS = 1
"""It is the distance of two numbers."""
WHOLE = 2
"""It is all, unless it is one code."""
CLIMB = 3
"""It is that of the lowest node above."""
SET = 4
"""It depends on how many codes there are."""

MOST_TABLED = 256
"""Codes of a column whose losses stand in a table."""
MOST_IN_A_SET = 62
"""Occurring codes of a column whose labels may be sets: they are bits of a number."""
MOST_BLOCKS = 64
"""Parts into which numbers are cut before they are told one by one."""

Level = tuple[Ints, Ints]
"""One way to look at a column: the cell of each code, and what a row in it loses."""


class Shapes(NamedTuple):
    """All columns for the kernels; figures of one column follow those of another, from `offset` on."""

    kind: Ints
    size: Ints
    offset: Ints
    table: Ints
    """By kind: a square of losses; where each number begins and where it ends; losses by number of codes; or the
    lowest node of each code."""
    whole: Ints
    """What a column loses when nothing is told."""
    climb: Ints
    """Where the nodes of a column begin in the next."""
    nodes: Ints
    """Of each node: the node above it, its first code, the first code after it, its loss (-1: an interval)."""


@dataclass(frozen=True)
class LabelShape:
    """One column."""

    space: Space
    kind: int
    units: ColumnUnits
    starts: Ints
    """The first code of the label of a range that begins with each code."""
    stops: Ints
    """The first code after the label of a range that ends with each code."""
    nodes: Ints
    leaf: Ints

    def ranges(self, low: Ints, high: Ints) -> tuple[Ints, Ints]:
        """Return the codes (first, and first after) that the label of each range from `low` to `high` stands for."""
        if self.space.plain:
            same = low == high
            return np.where(same, low, 0), np.where(same, low + 1, self.space.size)
        node = self._climbed(low, high)
        inside = self.nodes[node, 3] < 0
        return (
            np.where(inside, self.starts[low], self.nodes[node, 1]),
            np.where(inside, self.stops[high], self.nodes[node, 2]),
        )

    def losses(self, low: Ints, high: Ints) -> Ints:
        """Return what the label of each range from `low` to `high` loses."""
        if self.space.plain:
            return np.where(low == high, 0, self.units.suppressed)
        node = self._climbed(low, high)
        loss: Ints = self.nodes[node, 3]
        if not len(self.units.positions):
            return loss
        first, stop = self.starts[low], self.stops[high]
        return np.where(loss < 0, self.units.positions[stop - 1] - self.units.positions[first], loss)

    def _climbed(self, low: Ints, high: Ints) -> Ints:
        """Return the lowest node above each range."""
        node = self.leaf[low]
        while True:
            above = self.nodes[node, 2] <= high
            if not above.any():
                return node
            node = np.where(above, self.nodes[node, 0], node)

    def figures(self) -> Ints:
        """Return what the kernels look up."""
        codes = np.arange(self.space.size, dtype=np.int64)
        if self.kind == TABLE:
            low, high = np.meshgrid(codes, codes, indexing="ij")
            return self.losses(np.minimum(low, high).ravel(), np.maximum(low, high).ravel())
        if self.kind == NUMBERS:
            positions = self.units.positions
            return np.concatenate([positions[self.starts], positions[self.stops - 1]])
        if self.kind == SET:
            return np.append(0, self.units.nodes)
        if not len(self.units.positions):
            return self.leaf
        return np.concatenate([self.leaf, self.units.positions[self.starts], self.units.positions[self.stops - 1]])


def has_sets(column: ColumnCounts, labels: Labels) -> bool:
    """Whether the labels of a column are sets: of many different values they are the tightest instead."""
    return labels == "set" and int((column.rows > 0).sum()) <= MOST_IN_A_SET


def units_of(
    columns: Sequence[ColumnCounts],
    labels: Sequence[Labels],
    weights: Sequence[Fraction],
    rows: int,
    *,
    largest: int = LARGEST,
) -> Units:
    """Return the losses in units; sets lose by their number of values, as the hidden values of a plain column do."""
    spaces = [
        Space(column.space.size) if has_sets(column, kind) else column.space
        for column, kind in zip(columns, labels, strict=True)
    ]
    # Sixteen times as many rows leave room for losses that are forbidden.
    return loss_units(spaces, weights, 16 * rows, largest=largest)


def shape_of(column: ColumnCounts, units: ColumnUnits, labels: Labels) -> LabelShape:
    """Return the shape of a column whose labels are of this sort."""
    space = column.space
    codes = np.arange(space.size, dtype=np.int64)
    starts, stops = codes, codes + 1
    kind = CLIMB
    if has_sets(column, labels):
        kind = SET
    elif space.plain:
        kind = WHOLE
    elif space.size <= MOST_TABLED:
        kind = TABLE
    elif space.nodes[0].interval:
        kind = NUMBERS
    if labels == "fixed" and len(space.places):
        starts, stops = _at_cuts(space)
    nodes, leaf = _nodes(space, [0] * len(space.nodes) if kind == SET else units.nodes.tolist())
    return LabelShape(space, kind, units, starts, stops, nodes, leaf)


def _nodes(space: Space, losses: Sequence[int]) -> tuple[Ints, Ints]:
    nodes = np.array(
        [(-1, node.first, node.stop, -1 if node.interval else losses[place]) for place, node in enumerate(space.nodes)],
        dtype=np.int64,
    ).reshape(-1, 4)
    leaf = np.zeros(space.size, dtype=np.int64)
    for place, node in enumerate(space.nodes):
        for child in node.children:
            nodes[child, 0] = place
        if not node.children:
            leaf[node.first : node.stop] = place
    return nodes, leaf


def _at_cuts(space: Space) -> tuple[Ints, Ints]:
    """Return, for each code, where the part between two allowed end points begins and stops."""
    codes = np.arange(space.size, dtype=np.int64)
    begins = space.cuts.copy()
    for node in space.nodes:
        begins[node.first] = True
    starts = np.maximum.accumulate(np.where(begins, codes, 0))
    ends = np.append(begins[1:], True)
    stops = np.minimum.accumulate(np.where(ends, codes + 1, space.size)[::-1])[::-1]
    return starts, stops


def shapes_of(shapes: Sequence[LabelShape], apart: int = 0, loss: int = 0) -> Shapes:
    """Return all columns for the kernels; with `apart` one more of so many codes that cost `loss` when mixed."""
    figures = [shape.figures() for shape in shapes]
    nodes = [shape.nodes if shape.kind == CLIMB else shape.nodes[:0] for shape in shapes]
    kinds = [shape.kind for shape in shapes]
    sizes = [shape.space.size for shape in shapes]
    whole = [shape.units.suppressed for shape in shapes]
    if apart:
        kinds, sizes, whole = [*kinds, WHOLE], [*sizes, apart], [*whole, loss]
        figures, nodes = [*figures, figures[0][:0]], [*nodes, nodes[0][:0]]
    return Shapes(
        np.array(kinds, dtype=np.int64),
        np.array(sizes, dtype=np.int64),
        np.cumsum([0, *(len(part) for part in figures)], dtype=np.int64)[:-1],
        np.concatenate(figures).astype(np.int64),
        np.array(whole, dtype=np.int64),
        np.cumsum([0, *(len(part) for part in nodes)], dtype=np.int64)[:-1],
        np.concatenate(nodes).astype(np.int64),
    )


def levels_of(shape: LabelShape, rows: Ints) -> list[Level]:
    """Return ways to look at a column, from the finest to the coarsest; `rows` have each code."""
    size = shape.space.size
    if shape.space.plain:
        cells = [np.arange(size, dtype=np.int64), np.zeros(size, dtype=np.int64)]
    else:
        cells = _opened(shape, rows)
    levels: list[Level] = []
    for cell in cells:
        if not levels or int(cell[rows > 0].max(initial=0)) != int(levels[-1][0][rows > 0].max(initial=0)):
            levels.append((cell, _cell_losses(shape, cell, rows)))
    return levels


def _opened(shape: LabelShape, rows: Ints) -> list[Ints]:
    """Return the parts of all codes while every node is opened at once, again and again; the finest first."""
    space = shape.space
    found = [np.zeros(space.size, dtype=np.int64)]
    current, blocks = [0], 1
    while True:
        following = [child for node in current for child in (space.nodes[node].children or (node,))]
        intervals = [space.nodes[node] for node in current if space.nodes[node].interval]
        finer = max((_next(blocks, len(np.unique(shape.starts[i.first : i.stop]))) for i in intervals), default=blocks)
        if following == current and finer == blocks:
            break
        current, blocks = following, finer
        found.append(_numbered(shape, current, blocks, rows))
    return found[::-1]


def _next(blocks: int, values: int) -> int:
    """Return into how many blocks numbers are cut next: twice as many, or one by one, or (too many) as they are."""
    if blocks >= MOST_BLOCKS or 3 * blocks > values:
        return values if values <= MOST_TABLED else blocks
    return 2 * blocks


def _numbered(shape: LabelShape, nodes: Sequence[int], blocks: int, rows: Ints) -> Ints:
    """Return the part of each code: nodes, and so many blocks of an interval with about as many rows each."""
    parts = np.zeros(shape.space.size, dtype=np.int64)
    number = 0
    for place in nodes:
        node = shape.space.nodes[place]
        if node.interval:
            inside = _blocks(shape, node.first, node.stop, blocks, rows)
            parts[node.first : node.stop] = number + inside
            number += int(inside.max()) + 1
        else:
            parts[node.first : node.stop] = number
            number += 1
    return parts


def _blocks(shape: LabelShape, first: int, stop: int, blocks: int, rows: Ints) -> Ints:
    grid = shape.starts[first:stop]
    begins, inside = np.unique(grid, return_inverse=True)
    if len(begins) <= blocks:
        return inside.astype(np.int64)
    each = np.bincount(inside, weights=rows[first:stop])
    middle = np.cumsum(each) - each / 2
    block = np.minimum(middle * blocks / max(each.sum(), 1), blocks - 1).astype(np.int64)
    return np.unique(block, return_inverse=True)[1][inside].astype(np.int64)


def _cell_losses(shape: LabelShape, cell: Ints, rows: Ints) -> Ints:
    """Return what each code loses with the tightest label of the occurring codes in its cell."""
    occurring = np.flatnonzero(rows > 0)
    if shape.kind == SET:
        return shape.figures()[np.bincount(cell[occurring], minlength=int(cell.max()) + 1)][cell]
    low = np.full(int(cell.max()) + 1, shape.space.size, dtype=np.int64)
    high = np.zeros_like(low)
    np.minimum.at(low, cell[occurring], occurring)
    np.maximum.at(high, cell[occurring], occurring)
    low = np.minimum(low, high)
    return shape.losses(low, high)[cell]


def thinned(levels: Sequence[Sequence[Level]], most: float) -> list[list[Level]]:
    """Return fewer levels of the columns with most of them, so that there are at most `most` combinations, if need be.

    The finest and the coarsest stay; so with many columns there may still be more.
    """
    kept = [list(each) for each in levels]
    while np.prod([float(len(each)) for each in kept]) > most:
        longest = max(kept, key=len)
        if len(longest) <= 2:
            break
        del longest[_least_missed(longest)]
    return kept


def _least_missed(levels: Sequence[Level]) -> int:
    """Return the level between two others that is nearest to the next."""
    means = [float(loss.mean()) for _, loss in levels]
    return min(range(1, len(levels) - 1), key=lambda at: means[at + 1] - means[at - 1])

"""The columns of an exact search by cells: what may be told of each, as parts, and its cuts as lists of parts."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from discreet.common.compiled import room
from discreet.encoded import Ints
from discreet.method.base.problem import ColumnCounts
from discreet.method.base.space import Flags
from discreet.method.cuts.bits import cuts_of, number_of_cuts
from discreet.method.cuts.evaluation import Evaluator
from discreet.method.cuts.parts import Firsts

MOST_HIDDEN = 9
"""Values of a plain column that are listed in all subsets."""
MOST_OF_LAST = 15
"""The same of the last column."""
MOST_PARTS = 600
"""Parts of a column whose cuts are listed."""
MOST_LISTED = 2**15
"""Cuts of such a column."""
MOST_BLOCKS = 200
"""Places where numbers may be cut in the last column."""


@room
class PartFrame(NamedTuple):
    """A column as the kernels take it."""

    plain: bool
    size: int
    inside: Flags
    """Which codes (second axis) are in each part; only where cuts are listed."""
    losses: Ints
    """What each code loses in each part; in the last column what a node loses, or a hidden value by their number."""
    singles: int
    """Of a plain column: how many values it has, the first parts; the others are hidden together."""
    members: Ints
    members_at: Ints
    must_hide: bool
    pinned: Ints
    above: Ints
    """Of a tree, for each node: the node above, from where to where it goes, whether it has children."""
    first: Ints
    stop: Ints
    inner: Flags
    interval: int
    """Which node is an interval, -1 for none."""
    blocks: int
    """Pieces of it that are never cut, where they begin (and the last one ends), and the piece of each code."""
    ends: Ints
    block: Ints
    part_at: Ints
    """The part of each interval, by its first piece and the one after its last."""
    positions: Ints


@dataclass(frozen=True, eq=False)
class PartColumn:
    """A column with its parts."""

    place: int
    """Which column of the problem it is."""
    frame: PartFrame
    ranges: list[tuple[int, ...]]
    """The codes of each part: listed, or those of an interval or of a node from and up to."""

    @cached_property
    def parts(self) -> int:
        """How many parts there are."""
        return len(self.ranges)

    @cached_property
    def cuts(self) -> tuple[Ints, Ints]:
        """Return all cuts: where the parts of each begin, and the parts."""
        found = _plain_cuts(self.frame) if self.frame.plain else _tree_cuts(self.frame, 0)
        at = np.cumsum([0, *map(len, found)], dtype=np.int64)
        return at, np.array([part for cut in found for part in cut], dtype=np.int64)

    def firsts(self, parts: list[int]) -> Firsts:
        """Return a cut with these parts as a search over cuts has it."""
        frame = self.frame
        found = np.full(frame.size, -1, dtype=np.int64)
        for part in parts:
            if frame.plain:
                if part < frame.singles and not frame.pinned[part]:
                    found[part] = part
            else:
                first, stop = self.ranges[part]
                found[first:stop] = first
        return found

    def best(self, taken: Ints) -> list[int]:
        """Return the parts of the cut that `cheapest_cut` has taken; not of a plain column."""
        frame, parts = self.frame, list[int]()
        nodes = len(frame.above)
        reached = np.zeros(nodes, dtype=np.bool_)
        for node in range(nodes):
            above = frame.above[node]
            if above >= 0 and not (reached[above] and taken[above]):
                continue
            reached[node] = True
            if node == frame.interval:
                stop = frame.blocks
                while stop > 0:
                    begin = int(taken[nodes + stop])
                    parts.append(int(frame.part_at[begin, stop]))
                    stop = begin
            elif not taken[node]:
                parts.append(node)
        return parts


def ways(column: ColumnCounts) -> int:
    """Return how many cuts a column has."""
    return number_of_cuts(cuts_of([column.space], [column.pinned]))


def may_be_listed(column: ColumnCounts) -> bool:
    """Whether the cuts of a column may be listed: there are few, and all rows of a part lose the same."""
    space = column.space
    if space.plain:
        return space.size <= MOST_HIDDEN
    return (
        _is_simple(column)
        and not space.shares
        and number_of_parts(column) <= MOST_PARTS
        and ways(column) <= MOST_LISTED
    )


def number_of_parts(column: ColumnCounts) -> int:
    """Return about how many parts a column has where its cuts are listed."""
    pieces = _blocks(column)
    return 1 << column.space.size if column.space.plain else len(column.space.nodes) + pieces * (pieces + 1) // 2


def may_be_last(column: ColumnCounts) -> bool:
    """Whether a column may be the last one, whose cuts are not listed."""
    if column.space.plain:
        return column.space.size <= MOST_OF_LAST
    return _is_simple(column) and not column.space.shares and _blocks(column) <= MOST_BLOCKS


def _is_simple(column: ColumnCounts) -> bool:
    return sum(node.interval for node in column.space.nodes) <= 1


def _blocks(column: ColumnCounts) -> int:
    space = column.space
    return max((1 + int(space.cuts[n.first + 1 : n.stop].sum()) for n in space.nodes if n.interval), default=0)


def column_of(evaluator: Evaluator, place: int, loss: int, order: Ints | None = None) -> PartColumn:
    """Return a column with its parts; the last one is told in which `order` its codes are taken."""
    column = evaluator.problem.columns[place]
    if column.space.plain:
        return _plain(evaluator, place, loss, order)
    return _tree(evaluator, place, loss, last=order is not None)


def _plain(evaluator: Evaluator, place: int, loss: int, order: Ints | None) -> PartColumn:
    column, size = evaluator.problem.columns[place], evaluator.problem.columns[place].space.size
    hidden = loss * evaluator.units.columns[place].nodes[:size]
    pinned = column.pinned.astype(np.int64)
    masks: list[int] = []
    if order is None:
        must = int(pinned @ (1 << np.arange(size)))
        masks = [mask for mask in range(1 << size) if mask & must == must and (mask.bit_count() > 1 or mask & must)]
    else:
        pinned = pinned[order]
    members = [tuple(v for v in range(size) if mask >> v & 1) for mask in masks]
    ranges = [*((v,) for v in range(size)), *members]
    inside = np.zeros((len(ranges) if order is None else 0, size), dtype=np.bool_)
    losses = np.zeros(inside.shape, dtype=np.int64)
    for part, codes in enumerate(ranges[: len(inside)]):
        inside[part, list(codes)] = True
        if part >= size:
            losses[part, list(codes)] = hidden[len(codes) - 1]
    nothing = np.zeros(0, dtype=np.int64)
    at = np.concatenate([np.zeros(size, np.int64), np.cumsum([0, *map(len, members)], dtype=np.int64)])
    frame = PartFrame(
        True, size, inside, losses if order is None else hidden.reshape(1, -1), size,
        np.array([v for own in members for v in own], dtype=np.int64), at, bool(pinned.any()), pinned, nothing,
        nothing, nothing, np.zeros(0, dtype=np.bool_), -1, 0, nothing, nothing, nothing.reshape(0, 0), nothing,
    )  # fmt: skip
    return PartColumn(place, frame, ranges)


def _tree(evaluator: Evaluator, place: int, loss: int, *, last: bool) -> PartColumn:
    column, units = evaluator.problem.columns[place], evaluator.units.columns[place]
    space, size = column.space, column.space.size
    above = np.full(len(space.nodes), -1, dtype=np.int64)
    for number, node in enumerate(space.nodes):
        above[list(node.children)] = number
    interval = next((number for number, node in enumerate(space.nodes) if node.interval), -1)
    ranges: list[tuple[int, ...]] = [(node.first, node.stop) for node in space.nodes]
    ends, block, positions = (np.zeros(n, dtype=np.int64) for n in (1, size, size))
    if interval >= 0:
        first, stop = ranges[interval]
        cuts = np.flatnonzero(space.cuts[first + 1 : stop]) + first + 1
        ends = np.array([first, *cuts.tolist(), stop], dtype=np.int64)
        block[first:stop] = np.searchsorted(ends, np.arange(first, stop), side="right") - 1
        positions = loss * units.positions
    blocks = len(ends) - 1
    part_at = np.zeros((blocks + 1, blocks + 1), dtype=np.int64)
    for begin in range(blocks):
        for end in range(begin + 1, blocks + 1):
            part_at[begin, end] = len(ranges)
            ranges.append((int(ends[begin]), int(ends[end])))
    inside = np.zeros((0 if last else len(ranges), size), dtype=np.bool_)
    losses = loss * units.nodes.reshape(1, -1)
    if not last:
        losses = np.zeros(inside.shape, dtype=np.int64)
        for part, (first, stop) in enumerate(ranges):
            inside[part, first:stop] = True
            if part >= len(space.nodes):
                losses[part, first:stop] = positions[stop - 1] - positions[first]
            else:
                lines = units.by_code[part]
                losses[part, first:stop] = loss * (lines[first:stop] if len(lines) > 1 else lines)
    nothing = np.zeros(0, dtype=np.int64)
    frame = PartFrame(
        False, size, inside, losses, 0, nothing, nothing, False, nothing, above,
        np.array([node.first for node in space.nodes], dtype=np.int64),
        np.array([node.stop for node in space.nodes], dtype=np.int64),
        np.array([bool(node.children) for node in space.nodes], dtype=np.bool_),
        interval, blocks, ends, block, part_at, positions,
    )  # fmt: skip
    return PartColumn(place, frame, ranges)


def _plain_cuts(frame: PartFrame) -> list[list[int]]:
    """Return the cuts of a plain column."""
    values = range(frame.singles)
    hiding = (
        [*(v for v in values if not inside[v]), part] for part, inside in enumerate(frame.inside) if part >= len(values)
    )
    return [*([] if frame.must_hide else [list(values)]), *hiding]


def _tree_cuts(frame: PartFrame, node: int) -> list[list[int]]:
    """Return the cuts of what is under a node."""
    if node == frame.interval:
        found = []
        for places in range(1 << (frame.blocks - 1)):
            at = [0, *(b for b in range(1, frame.blocks) if places >> (b - 1) & 1), frame.blocks]
            found.append([int(frame.part_at[begin, stop]) for begin, stop in pairwise(at)])
        return found
    if not frame.inner[node]:
        return [[node]]
    below = [_tree_cuts(frame, int(child)) for child in np.flatnonzero(frame.above == node)]
    return [[node], *([part for own in cut for part in own] for cut in product(*below))]

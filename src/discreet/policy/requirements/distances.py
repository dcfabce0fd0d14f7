"""Distances between the values of a column, for t-closeness: how much must be moved how far (earth mover's distance).

All three are a weighted sum of differences between a group and the whole release, each over neighbouring values in
some order: of single values (equal), of all up to one (ordered), of all under a node (tree).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

import numpy as np

from discreet.columns.taxonomy import Taxonomy
from discreet.encoded import Ints
from discreet.policy.requirements.seen import SeenColumn, Value

DISTANCES = ("equal", "ordered", "tree")


@dataclass(frozen=True)
class Differences:
    """The differences that a distance sums up: values in order, from where to where with which weight, and the largest.

    With c of the n rows of a group and q of the N rows of the release, the distance is the weighted sum of the absolute
    sums of c N - q n, divided by n N and `most`.
    """

    order: tuple[tuple[Value, ...], ...] = ()
    usual: tuple[int, ...] = ()
    """Rows of the release with the values of each place."""
    sums: tuple[tuple[int, int, int], ...] = ()
    most: int = 1

    @cached_property
    def rows(self) -> int:
        """The known rows of the release."""
        return sum(self.usual)

    def of(self, tallies: Ints) -> tuple[Ints, Ints]:
        """Return the distances of groups (second axis), above and below the line."""
        known = tallies.sum(axis=0)
        usual, (first, stop, weight) = self._arrays
        apart = tallies * self.rows - usual[:, None] * known
        so_far = np.concatenate([np.zeros((1, len(known)), dtype=np.int64), np.cumsum(apart, axis=0)])
        found = (weight[:, None] * np.abs(so_far[stop] - so_far[first])).sum(axis=0)
        return found, np.maximum(known * self.rows * self.most, 1)

    @cached_property
    def _arrays(self) -> tuple[Ints, Ints]:
        sums = np.array(self.sums, dtype=np.int64).reshape(-1, 3).T
        return np.array(self.usual, dtype=np.int64), sums


def differences(distance: str, order: Sequence[Value] | None, seen: SeenColumn) -> Differences:
    """Return what a distance sums up on a table; see `misfits` for what must fit."""
    taxonomy = seen.column.taxonomy
    if distance == "tree" and taxonomy is not None:
        return _by_tree(taxonomy, seen)
    values = seen.different
    if distance == "ordered" and order is not None and seen.column.scale is None:
        place = {value: at for at, value in enumerate(order)}
        values = tuple(sorted(values, key=lambda some: place.get(some[0], len(place))))
    usual = tuple(map(seen.rows_with, values))
    if distance == "ordered":
        return Differences(
            values, usual, tuple((0, stop, 1) for stop in range(1, len(values))), max(len(values) - 1, 1)
        )
    return Differences(values, usual, tuple((at, at + 1, 1) for at in range(len(values))), 2)


def _by_tree(taxonomy: Taxonomy, seen: SeenColumn) -> Differences:
    """Return the differences over all nodes but the root, weighted by how much lower than its parent each is."""
    present = set(seen.values)
    leaves = [leaf for leaf in taxonomy.leaves if leaf in present]
    before = list(accumulate((leaf in present for leaf in taxonomy.leaves), initial=0))
    heights = heights_of(taxonomy)
    sums = set()
    for place, node in enumerate(taxonomy.nodes):
        first, stop = before[node.first], before[node.stop]
        if node.parent is not None and first < stop:
            sums.add((first, stop, heights[node.parent] - heights[place], place))
    usual = tuple(seen.rows_with([leaf]) for leaf in leaves)
    each = tuple((first, stop, weight) for first, stop, weight, _ in sorted(sums))
    return Differences(tuple((leaf,) for leaf in leaves), usual, each, max(2 * heights[0], 1))


def heights_of(taxonomy: Taxonomy) -> list[int]:
    """Return the longest way from each node to a leaf under it."""
    heights = [0] * len(taxonomy.nodes)
    for place in range(len(taxonomy.nodes) - 1, 0, -1):  # in preorder parents come first
        parent = taxonomy.nodes[place].parent
        if parent is not None:
            heights[parent] = max(heights[parent], heights[place] + 1)
    return heights


def usual_distance(seen: SeenColumn, order: Sequence[Value] | None) -> str:
    """Return the distance where none is named: ordered for numbers, dates and a given order, tree for a taxonomy."""
    if seen.column.scale is not None or order is not None:
        return "ordered"
    return "equal" if seen.column.taxonomy is None else "tree"


def misfits(distance: str, order: Sequence[Value] | None, column: str, seen: SeenColumn) -> Iterator[str]:
    """Yield what does not fit a table; no value of it is told."""
    scale, taxonomy = seen.column.scale, seen.column.taxonomy
    if distance == "tree":
        if taxonomy is None:
            yield f"distance: tree needs a taxonomy of {column!r} under 'columns'; write one, or another distance"
        elif strange := sum(value not in taxonomy.leaves for value in seen.values):
            yield f"{_of(strange, seen)} {column!r} are no leaves of its taxonomy; add them, or name missing ones"
    elif distance == "ordered" and scale is not None:
        if order is not None:
            yield f"order: {column!r} is a {scale.name}, and has its own; leave it out"
        elif bad := sum(scale.read(value) is None for value in seen.values):
            yield f"{_of(bad, seen)} {column!r} are no {scale.name}; write missing: {{values: [...], rows: unknown}}"
    elif distance == "ordered":
        if order is None:
            yield f"distance: ordered needs an order of the values of {column!r}; write order: [low, middle, high]"
        elif strange := sum(value not in order for value in seen.values):
            yield f"order: leaves out {_of(strange, seen)} {column!r}"


def _of(some: int, seen: SeenColumn) -> str:
    return f"{some} of the {len(seen.values)} different values of"

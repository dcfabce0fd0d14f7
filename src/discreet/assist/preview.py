"""What a column would look like at each level: how many labels, how small the groups, how many rows in small ones.

For the owner's eyes, before anything is made. One column at a time: groups over several columns are smaller.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import overload

import numpy as np

from discreet.assist.proposing.dates import calendar_levels
from discreet.assist.proposing.ranges import range_levels
from discreet.columns.intervals import Values, allowed_cuts, intervals
from discreet.columns.scale import Scale
from discreet.columns.taxonomy import Taxonomy
from discreet.encoded import Combinations, Ints
from discreet.planning.changeable import Changeable
from discreet.planning.number_column import NumberColumn
from discreet.planning.tree_column import TreeColumn
from discreet.policy import Policy

MOST_SHOWN = 3
"""Labels shown of each level."""
VALUES, ALL = "values", "all"


@dataclass(frozen=True)
class PreviewLevel:
    """A column with its values released as the labels of one level, the rows taken by themselves.

    `labels` occur in the table, the smallest of them in `smallest` rows; `below` rows are in groups of fewer than k.
    """

    name: str
    labels: int
    smallest: int
    below: int | None
    such_as: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        below = {} if self.below is None else {"rows_below_k": self.below}
        return {
            "level": self.name,
            "labels": self.labels,
            "smallest_group": self.smallest,
            **below,
            "such_as": list(self.such_as),
        }


@dataclass(frozen=True)
class Preview:
    """A column at each of its levels, the finest first; `k` is the largest that a promise over the column asks for."""

    column: str
    kind: str
    k: int | None
    rows: int
    levels: tuple[PreviewLevel, ...]
    persons: bool = False
    """Whether rows are persons, who have several."""

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {
            "column": self.column,
            "kind": self.kind,
            "k": self.k,
            **({"persons": True} if self.persons else {}),
            "levels": [level.to_dict() for level in self.levels],
        }


Cut = tuple[str, Ints, Sequence[str]]
"""The name of a level, the group of each value, the labels of the groups."""


def preview_columns(
    policy: Policy, columns: Sequence[Changeable], counted: Combinations, *, by_size: bool = True
) -> tuple[Preview, ...]:
    """Return a preview of each changeable column that is released as groups or intervals; `by_size` beside k."""
    previews = []
    for column in columns:
        domain = counted.domain(column.name)
        rows = np.bincount(counted.code(column.name), weights=counted.counts, minlength=len(domain)).astype(np.int64)
        crowds = [
            promise for promise in policy.promises() if promise.measure == "rows" and column.name in promise.given
        ]
        k = max((promise.least_rows for promise in crowds), default=None) if by_size else None
        if isinstance(column, TreeColumn):
            values = [value for value in domain if value is not None and value not in column.missing]
            cuts = tree_cuts(column.taxonomy, values)
            previews.append(_preview(column, "taxonomy", cuts, root_of(column.taxonomy), rows, k))
        elif isinstance(column, NumberColumn):
            previews.append(_preview(column, column.column.type, _number_cuts(column), column.marker, rows, k))
    return tuple(previews)


def root_of(taxonomy: Taxonomy) -> str:
    """Return the label for all values."""
    return taxonomy.nodes[0].labels[-1]


def tree_cuts(taxonomy: Taxonomy, values: Sequence[str]) -> Iterator[Cut]:
    """Yield the levels of a taxonomy below its root for values that are its leaves, the values themselves first.

    The levels are the columns of a file whose lines all end with the root in the same column; where lines are
    shorter, a value is itself on the levels that it lacks. Labels are those that are released.
    """
    tops, bottoms = [0] * len(taxonomy.nodes), [0] * len(taxonomy.nodes)
    for place, node in enumerate(taxonomy.nodes[1:], start=1):
        assert node.parent is not None
        tops[place] = bottoms[node.parent] + 1
        bottoms[place] = tops[place] + len(node.dropped)
    places = {leaf: place for place, leaf in enumerate(taxonomy.leaves)}
    leaves = np.array([places[value] for value in values], dtype=np.int64)
    deepest = max(bottoms)
    for depth in range(deepest, min(deepest, 1) - 1, -1):
        chosen = [
            node
            for node, top, bottom in zip(taxonomy.nodes, tops, bottoms, strict=True)
            if top <= depth <= bottom or (bottom < depth and not node.children)
        ]
        groups = np.repeat(np.arange(len(chosen)), [node.stop - node.first for node in chosen])
        name = VALUES if depth == deepest else f"level {deepest - depth}"
        yield name, groups[leaves], [node.label for node in chosen]


def _number_cuts(column: NumberColumn) -> Iterator[Cut]:
    """Yield intervals: those between the owner's ends, or some round ones, for the true ones are chosen later."""
    values, said, scale = column.values, column.column, column.column.scale
    assert scale is not None
    extra = len(column.missing)
    places = column.codes[column.codes >= extra] - extra
    yield VALUES, places, _PreviewNumbers(values.numbers, scale)
    if said.ends is not None:
        cuts = [place for place, allowed in enumerate(allowed_cuts(values, said)) if allowed and place]
        labels = [interval.text for interval in intervals(values, said, cuts, column.marker)]
        yield "ends", np.searchsorted(cuts, places, side="right"), labels
        return
    if said.tails != (None, None):  # round intervals would tell apart what is only told together
        cuts = sorted({cut for cut in _tail_cuts(values, said.tails) if 0 < cut < len(values.numbers)})
        labels = [interval.text for interval in intervals(values, said, cuts, column.marker)]
        name = " and ".join(end for end in ("top", "bottom") if getattr(said, end) is not None)
        yield name, np.searchsorted(cuts, places, side="right"), labels
        return
    if said.type == "number":
        levels = range_levels(values.numbers)
    else:
        levels = calendar_levels([date.fromordinal(int(day)) for day in values.numbers])
    for level in levels:
        yield f"e.g. by {level.name}", np.asarray(level.groups, dtype=np.int64)[places], level.labels


def _tail_cuts(values: Values, tails: tuple[Decimal | None, Decimal | None]) -> Iterator[int]:
    """Yield in front of which numbers what is only told together begins, and the rest."""
    bottom, top = tails
    if bottom is not None:
        yield bisect_right(values.numbers, bottom)
    if top is not None:
        yield bisect_left(values.numbers, top)


@dataclass(frozen=True)
class _PreviewNumbers(Sequence[str]):
    """Numbers as texts, written when asked for: there may be many, and only some are shown."""

    numbers: Sequence[Decimal]
    scale: Scale

    def __len__(self) -> int:
        return len(self.numbers)

    @overload
    def __getitem__(self, place: int) -> str: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...

    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return _PreviewNumbers(self.numbers[place], self.scale)
        return self.scale.write(self.numbers[place])


def _preview(
    column: TreeColumn | NumberColumn, kind: str, cuts: Iterator[Cut], root: str, rows: Ints, k: int | None
) -> Preview:
    absent = np.array([value in column.missing for value in column.domain], dtype=np.bool_)
    beside = rows[absent]
    names = ["(missing)" if value is None else value for value in column.domain if value in column.missing]
    levels = [
        level_of(
            name,
            np.concatenate([groups, len(labels) + np.arange(len(names))]),
            [*labels, *names] if names else labels,
            np.concatenate([rows[~absent], beside]),
            k,
        )
        for name, groups, labels in cuts
    ]
    levels.append(level_of(ALL, np.zeros(len(rows), dtype=np.int64), [root], rows, k))
    return Preview(column.name, kind, k, int(rows.sum()), tuple(levels))


def level_of(name: str, groups: Ints, labels: Sequence[str], rows: Ints, k: int | None) -> PreviewLevel:
    """Return what is to be said of a level; `rows` has those of each value, `groups` the place of its label."""
    sizes = np.bincount(groups, weights=rows, minlength=len(labels)).astype(np.int64)
    present = np.flatnonzero(sizes)
    sizes = sizes[present]
    return PreviewLevel(
        name,
        len(present),
        int(sizes.min()) if len(sizes) else 0,
        None if k is None else int(sizes[sizes < k].sum()),
        tuple(labels[place] for place in present[:MOST_SHOWN].tolist()),
    )

"""The arrays in which local recoding keeps its groups, and those for taking a change back."""

from __future__ import annotations

import numpy as np

from discreet.encoded import Ints
from discreet.method.local import group_kernels
from discreet.method.local.group_kernels import ItemGroups, Undo
from discreet.method.local.items import ItemPart

MOST_OF_AN_ITEM = 16
"""Numbers of groups there are room for, for each item."""


def collected(part: ItemPart, of: Ints, count: int) -> ItemGroups:
    """Return the groups with room for more: memory is taken as they come."""
    items, columns = part.items, len(part.shapes.kind)
    room = count + min(int(part.sizes.sum()) // part.least, MOST_OF_AN_ITEM * len(items.codes)) + 64
    groups = ItemGroups(
        of.astype(np.int64),
        np.full(room, -1, dtype=np.int64),
        np.full(len(items.codes), -1, dtype=np.int64),
        np.full(len(items.codes), -1, dtype=np.int64),
        np.zeros((room, columns), dtype=np.int64),
        np.zeros((room, columns), dtype=np.int64),
        np.zeros((room, columns + 1), dtype=np.int64),
        np.zeros((room, items.figures.shape[1]), dtype=np.int64),
        np.zeros(room, dtype=np.int64),
        np.array([count, 0], dtype=np.int64),
    )
    group_kernels.collect(part.shapes, items, groups, -1)
    return groups


def cost_of(groups: ItemGroups, g: int) -> int:
    """Return what all rows of a group lose, and what the group costs those who predict something."""
    return int(groups.figures[g, 0]) * int(groups.losses[g, -1]) + int(groups.judged[g])


def total_loss(groups: ItemGroups) -> int:
    """Return what all rows lose."""
    used = int(groups.numbers[0])
    return int((groups.figures[:used, 0] * groups.losses[:used, -1]).sum())


def total_cost(groups: ItemGroups) -> int:
    """Return what all groups cost."""
    return total_loss(groups) + int(groups.judged[: int(groups.numbers[0])].sum())


def with_rest(part: ItemPart, of: Ints, count: int) -> ItemGroups:
    """Return so many groups; items that are in none of them (-1) are groups too, one for each that is told apart."""
    return collected(part, np.where(of < 0, count + part.apart, of), count + part.fixed)


def broken_groups(part: ItemPart, groups: ItemGroups) -> list[int]:
    """Return the groups that break a limit."""
    broken = np.empty(int(groups.numbers[0]), dtype=np.int64)
    number = group_kernels.find_broken(groups, part.limits, broken)
    found: list[int] = broken[:number].tolist()
    return found


def copied(groups: ItemGroups) -> ItemGroups:
    """Return the same groups, to be changed; of thousands of figures, those of numbers that no group has had are 0."""
    used = int(groups.numbers[0])
    figures = np.zeros_like(groups.figures)
    figures[:used] = groups.figures[:used]
    return groups._replace(figures=figures, **{
        name: getattr(groups, name).copy() for name in groups._fields if name != "figures"
    })  # fmt: skip


def undo_room(part: ItemPart, size: int) -> Undo:
    """Return room for so many changes."""
    columns, figures = len(part.shapes.kind), part.items.figures.shape[1]
    widths = (columns, columns, columns + 1, figures)
    return Undo(
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        np.empty(size, dtype=np.int64),
        *(np.empty((size, width), dtype=np.int64) for width in widths),
    )

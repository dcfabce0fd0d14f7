"""The parts into which a cut puts the codes of one column, and what a cell of each code loses by it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.base.loss import ColumnUnits
from discreet.method.base.space import Space

Firsts = npt.NDArray[np.int64]
"""A cut of one column: for each code the first code of its part (for a hidden value of a plain column: -1)."""


def part_numbers(space: Space, firsts: Firsts) -> Ints:
    """Return the part of each code as a number from 0, in ascending order; all that is hidden is the first one."""
    begins = firsts == np.arange(len(firsts))
    part = np.cumsum(begins, dtype=np.int64)
    if space.plain:
        part[~begins] = 0
    return part - 1 if begins.all() or not space.plain else part


def code_losses(space: Space, units: ColumnUnits, firsts: Firsts) -> Ints:
    """Return what a cell of each code of one column loses, in units."""
    if space.plain:
        hidden = firsts < 0
        return np.where(hidden, units.nodes[max(int(hidden.sum()) - 1, 0)], 0)
    if len(units.positions):  # numbers may have very many parts, and few nodes
        begins = np.flatnonzero(np.append(True, firsts[1:] != firsts[:-1]))
        stops = np.append(begins[1:], space.size)
        loss = np.repeat(units.positions[stops - 1] - units.positions[begins], stops - begins)
        told = [(first, stop) for first, stop in space.node_at if firsts[first] == first and _ends(firsts, first, stop)]
    else:
        loss = np.zeros(space.size, dtype=np.int64)
        told = part_ranges(firsts)
    for first, stop in told:
        node = space.node_at[first, stop]
        loss[first:stop] = units.by_code[node, first:stop] if space.shares else units.nodes[node]
    return loss


def _ends(firsts: Firsts, first: int, stop: int) -> bool:
    """Whether the part that begins with a code stops there."""
    return bool(firsts[stop - 1] == first and (stop == len(firsts) or firsts[stop] != first))


def part_ranges(firsts: Firsts) -> list[tuple[int, int]]:
    """Return the parts of a tree's cut as ranges of codes."""
    begins = np.unique(firsts)
    return [(int(first), int(stop)) for first, stop in zip(begins, [*begins[1:], len(firsts)], strict=True)]

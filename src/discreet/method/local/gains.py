"""Cells that rows of a grouping would rather be in: where some lose less than in their groups.

A search that is done with its groups looks for them and releases those that pay. Rows that are missing come from
groups that can spare them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.encoded import Ints
from discreet.method.local.gain_kernels import GainedCells, find_gains
from discreet.method.local.items import ItemPart
from discreet.method.local.lattice import lattice_of
from discreet.method.local.peeling import searching
from discreet.method.local.shapes import Level

MOST_GAINS = 30_000
"""Cells that are looked for at once."""
MOST_SEEN = 40_000_000
"""Rows that are looked at for them, one counted in each cell."""
MOST_ROWS = 100_000
"""Different rows in a table for whose groups such cells are looked for."""


def gains(part: ItemPart, levels: Sequence[Sequence[Level]], lost: Ints, least: int, most: int = MOST_GAINS) -> Ints:
    """Return cells in which rows that lose so much now gain at least `least` together, if there is room for so many.

    Else those that gain twice as much, and so on. Half of the rows that a group needs must gain. What stands in a line
    is told by `find_gains`.
    """
    least = max(least, 1)
    while True:
        found = cells_in_which(part, levels, lost, max(part.least // 2, 1), least, most, 0)
        if found is not None:
            return found.cells
        least *= 2


def cells_in_which(
    part: ItemPart, levels: Sequence[Sequence[Level]], lost: Ints, near: int, least: int, most: int, members: int
) -> GainedCells | None:
    """Return the cells in which at least `near` rows lose less than `lost`, `least` less together.

    With those rows, if there shall be room for any. None if there are more cells, or more rows in them, than that.
    """
    active = np.flatnonzero(lost > 0)
    total = int(part.sizes[active].sum())
    found = GainedCells(
        np.zeros((most, 5), dtype=np.int64), np.zeros(most + 1, dtype=np.int64), np.empty(members, dtype=np.uint32)
    )
    cells, complete = 0, True
    if total >= near:
        lattice = lattice_of(levels, len(part.columns))
        room = searching(lattice, (part.sizes << 32) + 1, active, min(len(active), total // near) + 1)
        hope = np.zeros_like(room.weighed)
        codes = part.items.codes.view(np.uint32)
        cells, complete = find_gains(codes, lattice, room, lost, hope, near, least, MOST_SEEN, found)
    begin = found.begin[: cells + 1]
    return GainedCells(found.cells[:cells], begin, found.members[: begin[-1]]) if complete else None

"""Cells that rows of a grouping would rather be in: where some lose less than in their groups.

A search that is done with its groups looks for them and releases those that pay. Rows that are missing come from
groups that can spare them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.encoded import Ints
from discreet.method.local import gain_kernels
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
    near = max(part.least // 2, 1)
    active = np.flatnonzero(lost > 0)
    total = int(part.sizes[active].sum())
    found = np.zeros((most, 5), dtype=np.int64)
    if total < near:
        return found[:0]
    lattice = lattice_of(levels, len(part.columns))
    weights = (part.sizes << 32) + 1
    while True:
        room = searching(lattice, weights, active, min(len(active), total // near) + 1)
        hope = np.zeros_like(room.weighed)
        cells, complete = gain_kernels.find_gains(
            part.items.codes.view(np.uint32),
            lattice,
            room,
            lost,
            hope,
            near,
            max(least, 1),
            MOST_SEEN,
            gain_kernels.GainedCells(found),
        )
        if complete:
            return found[:cells]
        least = 2 * max(least, 1)

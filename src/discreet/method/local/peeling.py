"""Peeling: the first grouping of local recoding.

Cells of the rows left are released in ascending loss, as soon as they keep every promise, whatever the level vector.
The loss is gone through window by window: all cells in a window are looked for at once, and counted again when it is
their turn, since rows have left meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.local import peeling_kernels as kernels
from discreet.method.local.items import ItemPart
from discreet.method.local.lattice import lattice_of
from discreet.method.local.peeling_kernels import Lattice, PeeledCells, PeelingRoom
from discreet.method.local.shapes import Level

WINDOWS = 30
"""Windows of equal width to begin with; they grow where few cells are found and shrink where there are too many."""
MOST_MEMBERS = 16_000_000
"""Rows of all cells that are found in a window, a row counted in each."""
MANY_ROWS = 200_000
"""Different rows in a table in which only cells that once had enough rows are remembered as nearly missed."""
MOST_VISITS = 250_000_000
"""Rows that are looked at where there are too many level vectors for all of them."""
ALL_VISITS = 2**62
MANY_LEFT = 50_000
"""Rows left from which on two threads look for cells."""


@dataclass(frozen=True)
class PeelingWatch:
    """How far the search is: the share of the peeling that is done, and then the loss of all rows, in units."""

    share: float
    lost: int | None = None


class Peeling:
    """One peeling of the items of a part; `bounded` says that there may be too many level vectors for all of them."""

    def __init__(self, part: ItemPart, levels: Sequence[Sequence[Level]], *, bounded: bool) -> None:
        self.part = part
        self.codes = part.items.codes.view(np.uint32)
        self.lattice = lattice_of(levels, len(part.columns))
        self.whole = int(part.shapes.whole[: len(part.columns)].sum())
        self.bounded = bounded
        self.visits = MOST_VISITS if bounded else ALL_VISITS
        # Cells that nearly have enough rows are of use later, but there are many in a large table.
        scarce = bounded or len(part.sizes) > MANY_ROWS
        self.near = part.least if scarce else max(part.least * 7 // 10, 1)
        # Where rows are all that counts, a cell with the same rows as a finer one has been looked at already.
        self.once = part.counts_rows
        self.found = _room(max(MOST_MEMBERS, 2 * len(part.sizes)), most_members(part, levels))

    def run(self, carry_on: Callable[[PeelingWatch], bool], of: Ints, count: Ints, missed: Ints) -> None:
        """Write the groups to `of`, and cells that were nearly missed to `missed`; see `release`."""
        part, found = self.part, self.found
        near = max(part.least * 7 // 10, 1)
        low, width = 0, max(self.whole // WINDOWS, 1)
        while (
            low <= self.whole
            and self.visits > 0
            and (of < 0).any()
            and carry_on(PeelingWatch(low / max(self.whole, 1)))
        ):
            high = min(low + width, self.whole + 1)
            cells, complete, visits = find_cells(
                self.codes, part.sizes, of, self.lattice, self.near, low, high, self.visits, self.once, found
            )
            self.visits = visits
            if not complete and width > 1 and not self.bounded:
                width = -(-width // 2)
                continue
            # Of cells that lose the same the smaller go first: what they leave is more easily served.
            order = np.lexsort((found.end[:cells] - found.begin[:cells], found.loss[:cells]))
            before = int(count[0])
            kernels.release(found, order, part.items, part.limits, part.least, near, of, count, missed)
            members = int((found.end[:cells] - found.begin[:cells]).sum())
            if not complete and count[0] > before:  # with fewer rows left there may be room for all
                continue
            low, width = high, 2 * width if 4 * members < len(found.members) else width


def find_cells(
    codes: npt.NDArray[np.uint32], sizes: Ints, of: Ints, lattice: Lattice, near: int, low: int, high: int,
    visits: int, once: bool, found: PeeledCells, many: int = MANY_LEFT,
) -> tuple[int, bool, int]:  # fmt: skip
    """Find cells among the rows that are left, as `kernels.find_cells` does, in room made for it.

    From `many` rows on two threads look for half of them each, in half of the room; if that is too little, one for all.
    """
    active = np.flatnonzero(of < 0)
    total = int(sizes[active].sum())
    if total < near:
        return 0, True, visits
    weights = np.zeros(len(sizes), np.int64)
    weights[active] = (sizes[active] << 32) + 1
    most = min(len(active), total // near) + 1

    def part(turn: int, turns: int, into: PeeledCells) -> tuple[int, bool, int]:
        room = searching(lattice, weights, active, most)
        return kernels.find_cells(codes, lattice, room, near, low, high, visits, once, turn, turns, into)  # type: ignore[no-any-return]

    if len(active) >= many and len(lattice.order) > 1 and visits == ALL_VISITS:
        from concurrent.futures import ThreadPoolExecutor  # only loaded when needed

        halves = _halves(found)
        with ThreadPoolExecutor(2) as pool:
            told = list(pool.map(part, range(2), (2, 2), halves))
        if all(complete for _, complete, _ in told):
            return _joined(found, halves, [cells for cells, _, _ in told]), True, visits
    return part(0, 1, found)


def searching(lattice: Lattice, weights: Ints, active: Ints, most: int) -> PeelingRoom:
    """Return room to look for cells in, for at most so many in a column."""
    columns = len(lattice.order)
    widest = int(lattice.cells.max(initial=0)) + 1
    rows = np.empty((columns + 1, len(active)), np.uint32)
    rows[0] = active
    return PeelingRoom(
        weights=weights,
        rows=rows,
        start=np.zeros((columns + 1, most + 1), np.int32),
        losses=np.zeros((columns + 1, most), np.int64),
        known=np.zeros((columns + 1, most), np.bool_),
        nodes=np.zeros((6, columns), np.int64),
        vector=np.zeros(columns + 1, np.int64),
        weighed=np.zeros(widest, np.int64),
        place=np.full(widest, -1, np.int32),
        number=np.zeros(widest, np.int32),
        seen=np.empty(widest + 1, np.uint32),
        codes=np.empty(len(active), np.uint32),
    )


def _halves(found: PeeledCells) -> tuple[PeeledCells, PeeledCells]:
    """Return the two halves of the room."""
    one = [array[: len(array) // 2] for array in found]
    other = [array[len(array) // 2 :] for array in found]
    return PeeledCells._make(one), PeeledCells._make(other)


def _joined(found: PeeledCells, halves: Sequence[PeeledCells], cells: Sequence[int]) -> int:
    """Put the cells of both halves to the front of the room, as if one had looked for all; return how many there are.

    Their rows stay where they are.
    """
    halves[1].begin[: cells[1]] += len(halves[0].members)
    halves[1].end[: cells[1]] += len(halves[0].members)
    told = [[array[:number] for array in half[:-1]] for half, number in zip(halves, cells, strict=True)]
    order = np.argsort(np.concatenate([part[-1] for part in told]), kind="stable")
    for place, array in enumerate(found[:-1]):
        array[: len(order)] = np.concatenate([part[place] for part in told])[order]
    return len(order)


def most_members(part: ItemPart, levels: Sequence[Sequence[Level]]) -> int:
    """Return how many rows all cells have at most, a row counted in each: it is in one of each level vector."""
    return len(part.sizes) * math.prod(len(each) for each in levels)


def _room(members: int, most: int) -> PeeledCells:
    """Return room for cells with so many rows, and for no more than there are."""
    loss, vector, begin, end, node = (np.empty(min(members // 4, most) + 1, dtype=np.int64) for _ in range(5))
    return PeeledCells(loss, vector, begin, end, node, np.empty(min(members, most), dtype=np.uint32))

"""The loop that looks for cells in which rows lose less than in their groups, compiled by Numba. Integers only."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.common.compiled import kernel, room
from discreet.encoded import Ints


@room
class GainedCells(NamedTuple):
    """Room for what is found, and for the rows that gain in each cell, one cell after the other.

    Those of a cell stand from its place in `begin` on; where there is no room for any `members` they are not told.
    """

    cells: Ints
    begin: Ints
    members: npt.NDArray[np.uint32]


@kernel
def find_gains(codes, lattice, scratch, lost, hope, near, least, visits, found):  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    """Find the cells in which at least `near` rows lose less than now (`lost`), at least `least` less together.

    Rows that lose no less whatever the levels of the columns to come are left aside on the way; `hope` is what those of
    a cell may still gain (scratch, zeros). Writes to `found`: a row of the cell, the level vector, how many rows gain,
    what a row loses in it, and what they gain together. Returns how many were found, and whether there was room for
    all; it ends after so many visits to rows. O(visits + cells of the lattice).
    """
    columns = len(lattice.order)
    weights, row_at, start, loss_at = scratch.weights, scratch.rows, scratch.start, scratch.losses
    begin_of, end_of, loss_of = scratch.nodes[0], scratch.nodes[1], scratch.nodes[2]
    level, part, parts = scratch.nodes[3], scratch.nodes[4], scratch.nodes[5]
    vector, count, place, number, seen = scratch.vector, scratch.weighed, scratch.place, scratch.number, scratch.seen
    end_of[0] = row_at.shape[1]
    level[0] = lattice.levels[lattice.order[0]]
    cells = 0
    asked = len(found.members) > 0
    used = 0
    d = 0
    while d >= 0:
        if part[d] < parts[d]:
            p = part[d]
            part[d] += 1
            d += 1
            begin_of[d], end_of[d], loss_of[d] = start[d, p], start[d, p + 1], loss_at[d, p]
            level[d] = lattice.levels[lattice.order[d]]
            part[d] = parts[d] = 0
            continue
        level[d] -= 1
        c = lattice.order[d]
        v = level[d]
        if v < 0:
            d -= 1
            continue
        part[d] = parts[d] = 0
        base = lattice.offset[c, v]
        visits -= end_of[d] - begin_of[d]
        if visits < 0:
            return cells, True
        sure = loss_of[d] + lattice.least_left[d + 1]
        different = 0
        for z in range(begin_of[d], end_of[d]):
            row = row_at[d, z]
            cell = lattice.cells[base + codes[row, c]]
            gain = lost[row] - sure - lattice.losses[base + cell]
            if gain > 0:
                so_far = count[cell]
                seen[different] = cell
                different += so_far == 0
                count[cell] = so_far + weights[row]
                hope[cell] += gain * (weights[row] >> 32)
        m, fresh = 0, 0
        for z in range(different):
            cell = seen[z]
            if count[cell] >> 32 >= near and hope[cell] >= least:
                place[cell] = m
                number[cell] = fresh
                m += count[cell] & 0xFFFFFFFF
                loss_at[d + 1, fresh] = loss_of[d] + lattice.losses[base + cell]
                fresh += 1
                start[d + 1, fresh] = m
        if fresh > 0:
            for z in range(begin_of[d], end_of[d]):
                row = row_at[d, z]
                cell = lattice.cells[base + codes[row, c]]
                if place[cell] >= 0 and lost[row] - sure - lattice.losses[base + cell] > 0:
                    row_at[d + 1, place[cell]] = row
                    place[cell] += 1
            vector[d + 1] = vector[d] + v * lattice.strides[c]
        full = False
        for z in range(different):
            cell = seen[z]
            if place[cell] >= 0 and d + 1 == columns:
                p = number[cell]
                gainers = place[cell] - start[columns, p]
                if cells < len(found.cells) and (not asked or used + gainers <= len(found.members)):
                    found.cells[cells, 0] = row_at[columns, start[columns, p]]
                    found.cells[cells, 1] = vector[columns]
                    found.cells[cells, 2] = count[cell] >> 32
                    found.cells[cells, 3] = loss_at[columns, p]
                    found.cells[cells, 4] = hope[cell]
                    cells += 1
                    if asked:
                        for at in range(start[columns, p], place[cell]):
                            found.members[used] = row_at[columns, at]
                            used += 1
                        found.begin[cells] = used
                else:
                    full = True
            place[cell] = -1
            count[cell] = 0
            hope[cell] = 0
        if full:
            return cells, False
        if d + 1 < columns:
            parts[d] = fresh
    return cells, True

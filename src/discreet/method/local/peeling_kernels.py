"""The inner loops of peeling, compiled by Numba and cached. Integers only; see `group_kernels`.

Cells are looked for among the rows left, column within column: what too few rows share is left aside with all that is
finer. Then they are released in ascending loss. `keeps` of `group_kernels` is compiled into these: after a change
there, this file's code on disk is stale too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.common.compiled import kernel, room
from discreet.encoded import Ints
from discreet.method.local.group_kernels import keeps

DEALT = 3
"""Columns after which a search is dealt out in parts."""


class Lattice(NamedTuple):
    """The levels of all columns; what is known of codes stands in one array from `offset[column, level]` on."""

    order: Ints
    """The columns, in the order in which they are looked at."""
    levels: Ints
    """How many levels each column has."""
    offset: npt.NDArray[np.uint32]
    cells: npt.NDArray[np.uint32]
    """The cell of each code. Unsigned, as are rows and codes here: that is quicker to look up."""
    losses: Ints
    """What each cell loses."""
    low: Ints
    """The least and the most that each column (first axis) loses at each level."""
    high: Ints
    least_left: Ints
    """The least and the most that the columns from each place in the order on can lose."""
    most_left: Ints
    strides: Ints
    """What a level more of each column adds to the number of a level vector."""


class PeeledCells(NamedTuple):
    """Cells: their losses, level vectors and rows (from `begin` to `end`)."""

    loss: Ints
    vector: Ints
    begin: Ints
    end: Ints
    node: Ints
    """Where each was found: two parts of a search, put in this order, are the whole."""
    members: npt.NDArray[np.uint32]


@room
class PeelingRoom(NamedTuple):
    """Where cells are looked for: at each depth the node looked at, its level, and its parts under that level.

    Its parts stand at the next depth.
    """

    weights: Ints
    """Of a row: its size, and one in the lower half."""
    rows: npt.NDArray[np.uint32]
    """The rows at each depth, those of a part beside each other; at the first, the rows left."""
    start: npt.NDArray[np.int32]
    losses: Ints
    known: npt.NDArray[np.bool_]
    """Whether a part has the same rows as a finer one."""
    nodes: Ints
    """Begin, end and loss of the node at each depth; its level, which part is next, and how many there are."""
    vector: Ints
    weighed: Ints
    """Of each cell of a column: what its rows weigh so far."""
    place: npt.NDArray[np.int32]
    """Where its next row goes to; -1 where it is none to be looked at."""
    number: npt.NDArray[np.int32]
    seen: npt.NDArray[np.uint32]
    codes: npt.NDArray[np.uint32]
    """The code of each row looked at, in the column looked at: rows are looked up once only."""


@kernel
def find_cells(codes, lattice, scratch, near, low, high, visits, once, turn, turns, found):  # type: ignore[no-untyped-def]  # noqa: C901 - one loop nest, for speed
    """Find the cells of at least `near` rows that are left and lose at least `low` and less than `high`.

    With `once` a cell is left out if it has the same rows as a finer one. Only one of `turns` parts is looked at, which
    `turn` says (more than one where there is more than one column). Returns how many were found, whether there was
    room for all, and how many of so many visits to rows are left; it ends when there are none.
    O(visits + columns * rows left + cells of the lattice).
    """
    columns = len(lattice.order)
    weights, row_at, start, loss_at, known = (
        scratch.weights, scratch.rows, scratch.start, scratch.losses, scratch.known,
    )  # fmt: skip
    begin_of, end_of, loss_of = scratch.nodes[0], scratch.nodes[1], scratch.nodes[2]
    level, part, parts = scratch.nodes[3], scratch.nodes[4], scratch.nodes[5]
    vector, count, place, number, seen = scratch.vector, scratch.weighed, scratch.place, scratch.number, scratch.seen
    code_of = scratch.codes
    end_of[0] = row_at.shape[1]
    level[0] = lattice.levels[lattice.order[0]]
    cells, used = 0, 0
    dealt, node = min(DEALT, columns - 1), 0
    d = 0
    while d >= 0:
        if part[d] < parts[d]:
            p = part[d]
            part[d] += 1
            if not known[d + 1, p]:
                if d + 1 == dealt:
                    node += 1
                    if node % turns != turn:
                        continue
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
        loss = loss_of[d]
        lowest, highest = low - loss - lattice.most_left[d + 1], high - loss - lattice.least_left[d + 1]
        part[d] = parts[d] = 0
        if lattice.low[c, v] >= highest or lattice.high[c, v] < lowest:
            continue
        base = lattice.offset[c, v]
        here, there = row_at[d, begin_of[d] : end_of[d]], row_at[d + 1]
        visits -= len(here)
        if visits < 0:
            return cells, True, 0
        different = 0
        for z in range(len(here)):
            row = here[z]
            code = codes[row, c]
            code_of[z] = code
            cell = lattice.cells[base + code]
            so_far = count[cell]
            seen[different] = cell
            different += so_far == 0
            count[cell] = so_far + weights[row]
        m, fresh, enough = 0, 0, False
        for z in range(different):
            cell = seen[z]
            rows = count[cell] >> 32
            if rows >= near:
                enough = True
                lost = lattice.losses[base + cell]
                if lowest <= lost < highest:
                    place[cell] = m
                    number[cell] = fresh
                    m += count[cell] & 0xFFFFFFFF
                    loss_at[d + 1, fresh] = loss + lost
                    known[d + 1, fresh] = once and v > 0
                    fresh += 1
                    start[d + 1, fresh] = m
            count[cell] = 0
        if not enough:  # nor is there at a finer level
            level[d] = 0
        if fresh == 0:
            continue
        if once and v > 0:
            finer = lattice.offset[c, v - 1]
            for z in range(len(here)):
                cell = lattice.cells[base + code_of[z]]
                if place[cell] >= 0:
                    p = number[cell]
                    there[place[cell]] = here[z]
                    known[d + 1, p] &= (
                        lattice.cells[finer + code_of[z]] == lattice.cells[finer + codes[there[start[d + 1, p]], c]]
                    )
                    place[cell] += 1
        else:
            for z in range(len(here)):
                cell = lattice.cells[base + code_of[z]]
                if place[cell] >= 0:
                    there[place[cell]] = here[z]
                    place[cell] += 1
        for z in range(different):
            place[seen[z]] = -1
        vector[d + 1] = vector[d] + v * lattice.strides[c]
        if d + 1 < columns:
            parts[d] = fresh
            continue
        if cells + fresh > len(found.loss) or used + m > len(found.members):
            return cells, False, visits
        for p in range(fresh):
            if not known[columns, p]:
                found.loss[cells] = loss_at[columns, p]
                found.vector[cells] = vector[columns]
                found.node[cells] = node
                found.begin[cells] = used
                for at in range(start[columns, p], start[columns, p + 1]):
                    found.members[used] = there[at]
                    used += 1
                found.end[cells] = used
                cells += 1
    return cells, True, visits


@kernel
def release(found, order, items, limits, least, near, of, count, missed):  # type: ignore[no-untyped-def]  # noqa: C901
    """Release the cells in this order in which the rows left keep every limit.

    Writes the groups to `of` (-1: a row that is left). `count` has numbers: of groups, of near misses. Cells that
    have at least `near` rows but not enough go to `missed`: a row in it, the level vector, its rows and their loss.
    O(rows of all cells * figures).
    """
    figures = np.zeros(items.figures.shape[1], np.int64)
    for cell in order:
        begin, end = found.begin[cell], found.end[cell]
        figures[0] = 0
        some = -1
        for at in range(begin, end):
            row = found.members[at]
            if of[row] < 0:
                figures[0] += items.figures[row, 0]
                some = row
        if figures[0] < near:
            continue
        if figures[0] >= least:
            for f in range(1, len(figures)):
                figures[f] = 0
                for at in range(begin, end):
                    if of[found.members[at]] < 0:
                        figures[f] += items.figures[found.members[at], f]
            if keeps(figures, limits):
                for at in range(begin, end):
                    if of[found.members[at]] < 0:
                        of[found.members[at]] = count[0]
                count[0] += 1
                continue
        if count[1] < len(missed):
            missed[count[1], 0] = some
            missed[count[1], 1] = found.vector[cell]
            missed[count[1], 2] = figures[0]
            missed[count[1], 3] = found.loss[cell]
            count[1] += 1

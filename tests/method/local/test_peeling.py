"""Peeling: the cells that are looked for are those that a plain count finds."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.method.local.gain_kernels import GainedCells, find_gains
from discreet.method.local.lattice import lattice_of
from discreet.method.local.peeling import ALL_VISITS, find_cells, searching
from discreet.method.local.peeling_kernels import PeeledCells
from discreet.method.local.shapes import Level

Cell = tuple[int, int, frozenset[int]]
"""A loss, the number of a level vector, and rows."""


def room(cells: int, members: int) -> PeeledCells:
    loss, vector, begin, end, node = (np.zeros(cells, dtype=np.int64) for _ in range(5))
    return PeeledCells(loss, vector, begin, end, node, np.zeros(members, dtype=np.uint32))


def plain(codes: np.ndarray, sizes: np.ndarray, left: np.ndarray, levels: list[list[Level]], near: int) -> list[Cell]:
    """Return every cell with enough of the rows left."""
    found = []
    for number, chosen in enumerate(itertools.product(*levels)):
        cells: dict[tuple[int, ...], set[int]] = {}
        for row in np.flatnonzero(left).tolist():
            key = tuple(int(cell[codes[row, c]]) for c, (cell, _) in enumerate(chosen))
            cells.setdefault(key, set()).add(row)
        for rows in cells.values():
            if sum(int(sizes[row]) for row in rows) >= near:
                one = min(rows)
                loss = sum(int(losses[codes[one, c]]) for c, (_, losses) in enumerate(chosen))
                found.append((loss, number, frozenset(rows)))
    return found


@st.composite
def nested(draw: st.DrawFn, codes: int) -> list[Level]:
    """Return levels of a column, each coarser than the one before and with no less loss."""
    cell = np.arange(codes, dtype=np.int64)
    loss = np.zeros(codes, dtype=np.int64)
    levels: list[Level] = [(cell, loss)]
    for _ in range(draw(st.integers(0, 2))):
        merged = np.array([draw(st.integers(0, codes - 1)) for _ in range(codes)])
        more = np.array([draw(st.integers(0, 3)) for _ in range(codes)])
        loss = loss_of_parts(merged[cell], loss) + more[merged[cell]]
        cell = merged[cell].astype(np.int64)
        levels.append((cell, loss))
    return levels


def loss_of_parts(cell: np.ndarray, loss: np.ndarray) -> np.ndarray:
    """Return for each code the largest loss in its cell."""
    return np.array([loss[cell == here].max() for here in cell], dtype=np.int64)


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[list[Level]]]:
    columns, rows, values = draw(st.integers(1, 3)), draw(st.integers(1, 12)), draw(st.integers(1, 4))
    draws = st.lists(st.integers(0, values - 1), min_size=columns, max_size=columns)
    codes = np.array(draw(st.lists(draws, min_size=rows, max_size=rows)), dtype=np.uint32)
    sizes = np.array(draw(st.lists(st.integers(1, 3), min_size=rows, max_size=rows)), dtype=np.int64)
    of = np.array(draw(st.lists(st.sampled_from([-1, -1, 0]), min_size=rows, max_size=rows)), dtype=np.int64)
    return codes, sizes, of, [draw(nested(values)) for _ in range(columns)]


@given(tables(), st.integers(1, 6), st.integers(0, 8), st.integers(0, 12), st.booleans())
def test_cells_are_those_of_a_plain_count(
    table: tuple[np.ndarray, np.ndarray, np.ndarray, list[list[Level]]], near: int, low: int, width: int, once: bool
) -> None:
    codes, sizes, of, levels = table
    found = room(5000, 20_000)
    many, complete, _ = find_cells(
        codes, sizes, of, lattice_of(levels, len(levels)), near, low, low + width, 2**62, once, found
    )
    got = [
        (int(found.loss[at]), int(found.vector[at]), frozenset(found.members[found.begin[at] : found.end[at]].tolist()))
        for at in range(many)
    ]
    all_cells = plain(codes, sizes, of < 0, levels, near)
    wanted = [cell for cell in all_cells if low <= cell[0] < low + width]
    assert complete
    assert len(set(got)) == len(got)
    if not once:
        assert set(got) == set(wanted)
        return
    assert set(got) <= set(wanted)
    # What is left out has the same rows as a cell that loses no more, be it in the window or before it.
    for loss, _, rows in set(wanted) - set(got):
        assert any(other <= loss and same == rows for other, number, same in all_cells if (other, number, same) in got
                   or other < low)  # fmt: skip


@given(tables(), st.integers(1, 4), st.booleans(), st.integers(0, 40))
def test_two_threads_find_the_same_in_the_same_order(
    table: tuple[np.ndarray, np.ndarray, np.ndarray, list[list[Level]]], near: int, once: bool, cells: int
) -> None:
    """Even where half of the room is too little."""
    codes, sizes, of, levels = table
    lattice = lattice_of(levels, len(levels))
    found = []
    for many in (0, 2**62):
        into = room(cells, 500)
        number, complete, _ = find_cells(codes, sizes, of, lattice, near, 0, 99, ALL_VISITS, once, into, many)
        told = [
            (int(into.loss[at]), int(into.vector[at]), into.members[into.begin[at] : into.end[at]].tolist())
            for at in range(number)
        ]
        found.append((complete, told))
    assert found[0] == found[1]


@given(tables(), st.data(), st.integers(1, 4), st.integers(1, 6))
def test_gains_are_those_of_a_plain_count(
    table: tuple[np.ndarray, np.ndarray, np.ndarray, list[list[Level]]], data: st.DataObject, near: int, least: int
) -> None:
    codes, sizes, _, levels = table
    rows = len(sizes)
    lost = np.array(data.draw(st.lists(st.integers(0, 9), min_size=rows, max_size=rows)), dtype=np.int64)
    lattice, found = lattice_of(levels, len(levels)), np.zeros((2000, 5), dtype=np.int64)
    begin, members = np.zeros(2001, dtype=np.int64), np.zeros(20_000, dtype=np.uint32)
    scratch = searching(lattice, (sizes << 32) + 1, np.flatnonzero(lost > 0), int(sizes.sum()) + 1)
    hope = np.zeros_like(scratch.weighed)
    cells, complete = find_gains(
        codes, lattice, scratch, lost, hope, near, least, 2**62, GainedCells(found, begin, members)
    )
    assert complete
    got = {
        (vector, many, loss, gain, tuple(sorted(members[begin[at] : begin[at + 1]].tolist())))
        for at, (_, vector, many, loss, gain) in enumerate(found[:cells].tolist())
    }
    wanted = set()
    for loss, number, there in plain(codes, sizes, np.ones(rows, dtype=np.bool_), levels, 1):
        gainers = [row for row in there if lost[row] > loss]
        many = sum(int(sizes[row]) for row in gainers)
        gain = sum(int(sizes[row]) * (int(lost[row]) - loss) for row in gainers)
        if many >= near and gain >= least:
            wanted.add((number, many, loss, gain, tuple(sorted(gainers))))
    assert got == wanted
    for row, _, _, loss, _ in found[:cells].tolist():
        assert lost[row] > loss


def test_too_little_room_is_told() -> None:
    codes = np.array([[0], [0], [1], [1]], dtype=np.uint32)
    levels: list[list[Level]] = [[(np.arange(2), np.zeros(2, dtype=np.int64)), (np.zeros(2, int), np.ones(2, int))]]
    lattice = lattice_of(levels, 1)
    sizes, of = np.ones(4, dtype=np.int64), np.full(4, -1)
    assert find_cells(codes, sizes, of, lattice, 2, 0, 2, 100, False, room(9, 8))[:2] == (3, True)
    assert not find_cells(codes, sizes, of, lattice, 2, 0, 2, 100, False, room(9, 7))[1]
    assert not find_cells(codes, sizes, of, lattice, 2, 0, 2, 100, False, room(2, 8))[1]
    assert find_cells(codes, sizes, of, lattice, 2, 0, 2, 5, False, room(9, 8))[2] == 0

"""Prices of rows, slow and obvious: what cells are worth, the bound of the loss that prices give, the least loss there
is, and what a choice of cells costs. Cells are pairs of what a row loses and the rows, rows are counted by `sizes`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

Cell = tuple[int, frozenset[int]]


def worth(cell: Cell, sizes: Sequence[int], price: Sequence[int], need: int) -> int | None:
    """What prices are above the loss for the rows with which the cell is worth most, `need` at least; None: too few."""
    cost, rows = cell
    over = sorted((price[row] - cost for row in rows for _ in range(sizes[row])), reverse=True)
    if len(over) < need:
        return None
    return sum(each for place, each in enumerate(over) if place < need or each > 0)


def bound(cells: Sequence[Cell], sizes: Sequence[int], price: Sequence[int], need: int) -> int:
    """What all rows lose at least, whatever cells are released."""
    found = [worth(cell, sizes, price, need) for cell in cells]
    return sum(size * each for size, each in zip(sizes, price, strict=True)) - sum(max(one or 0, 0) for one in found)


def least_loss(cells: Sequence[Cell], sizes: Sequence[int], most: Sequence[int], need: int) -> int:
    """The least loss: rows are each in a cell with `need` rows, or in none and lose their `most`."""
    best = sum(size * each for size, each in zip(sizes, most, strict=True))
    for many in range(1, len(cells) + 1):
        for chosen in combinations(cells, many):
            best = min(best, _dealt(list(chosen), sizes, most, need, 0, {}))
    return best


def _dealt(
    chosen: list[Cell], sizes: Sequence[int], most: Sequence[int], need: int, row: int, have: dict[int, int]
) -> int:
    if row == len(sizes):
        return 0 if all(have.get(place, 0) >= need for place in range(len(chosen))) else sum(sizes) * 10**9
    best = sizes[row] * most[row] + _dealt(chosen, sizes, most, need, row + 1, have)
    for place, (cost, rows) in enumerate(chosen):
        if row in rows:
            more = {**have, place: have.get(place, 0) + sizes[row]}
            best = min(best, sizes[row] * cost + _dealt(chosen, sizes, most, need, row + 1, more))
    return best


def cost(
    cells: Sequence[Cell], sizes: Sequence[int], most: Sequence[int], need: int, penalty: int, home: Sequence[int]
) -> int:
    """Ten times what all rows lose where they are, and what cells cost that lack rows."""
    total = 0
    for row, cell in enumerate(home):
        total += 10 * sizes[row] * (most[row] if cell < 0 else cells[cell][0])
    for place, (lost, _) in enumerate(cells):
        have = sum(sizes[row] for row, cell in enumerate(home) if cell == place)
        if have:
            total += penalty * lost * max(need - have, 0)
    return total

"""Groups as cells with rows in them, slow and obvious: what all lose, whether a closing or an opening would pay.

Cells are pairs of what a row loses and the rows; `home` is the cell of each row, rows are counted by `sizes`.
"""

from __future__ import annotations

from collections.abc import Sequence

from tests.reference.pricing import Cell


def covered(low: Sequence[int], high: Sequence[int], is_set: Sequence[bool], codes: Sequence[int]) -> bool:
    """Whether labels cover a row: codes from low to high in each column, or those whose bit is in low."""
    return all(
        bool(first >> code & 1) if one_of else first <= code <= last
        for first, last, one_of, code in zip(low, high, is_set, codes, strict=True)
    )


def lost(cells: Sequence[Cell], sizes: Sequence[int], home: Sequence[int]) -> int:
    """What all rows lose."""
    return sum(size * cells[cell][0] for size, cell in zip(sizes, home, strict=True))


def rows_of(cells: Sequence[Cell], sizes: Sequence[int], home: Sequence[int]) -> list[int]:
    """How many rows each cell has."""
    return [sum(size for size, at in zip(sizes, home, strict=True) if at == cell) for cell in range(len(cells))]


def possible(cells: Sequence[Cell], sizes: Sequence[int], need: int, home: Sequence[int]) -> bool:
    """Whether each row is in a cell that may have it, and each cell has no rows or enough."""
    inside = all(row in cells[cell][1] for row, cell in enumerate(home))
    return inside and all(have == 0 or have >= need for have in rows_of(cells, sizes, home))


def closed(cells: Sequence[Cell], sizes: Sequence[int], home: Sequence[int], cell: int) -> list[int] | None:
    """Where rows are once a cell is closed, each of its rows in the cell with rows in which it loses least."""
    have = rows_of(cells, sizes, home)
    found = list(home)
    for row, at in enumerate(home):
        if at == cell:
            others = [(cells[c][0], c) for c in range(len(cells)) if c != cell and have[c] and row in cells[c][1]]
            if not others:
                return None
            found[row] = min(others)[1]
    return found


def opened(cells: Sequence[Cell], home: Sequence[int], cell: int) -> list[int]:
    """Where rows are once all that lose less in a cell have come to it."""
    cost, rows = cells[cell]
    return [cell if row in rows and cells[at][0] > cost else at for row, at in enumerate(home)]

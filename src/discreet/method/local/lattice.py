"""Level vectors for local recoding: all combinations of the columns' levels.

Under a level vector rows fall into cells. A lattice has the levels column by column, to look for cells. To look up the
rows of a cell the columns are two blocks: rows alike on a block's columns are one combination of it, so that a vector's
cells are told by two numbers per row.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints, keys
from discreet.method.local.peeling_kernels import Lattice
from discreet.method.local.shapes import Level, thinned

MOST_ENTRIES = 24_000_000
"""Cells that are kept of all combinations under all vectors of both blocks."""
MOST_VECTORS = 20_000
"""Level vectors that are looked at."""
MOST_COLUMNS = 14
"""Columns between which the best two blocks are looked for."""


@dataclass(frozen=True)
class LevelBlock:
    """Some columns: the combination of each row, and the cells of combinations under each vector."""

    combination: npt.NDArray[np.int32]
    cells: npt.NDArray[np.int32]


def few_levels(levels: Sequence[Sequence[Level]], rows: int) -> list[list[Level]]:
    """Return the levels of all columns, few enough for their combinations to be looked at; none if that fails."""
    most = float(MOST_VECTORS)
    while True:
        kept = thinned(levels, most)
        vectors = float(np.prod([float(len(each)) for each in kept]))
        _, _, entries = two_blocks(kept, rows)
        if vectors <= MOST_VECTORS and entries <= MOST_ENTRIES:
            return kept
        if most < 2 or all(len(each) <= 2 for each in kept):
            return []
        most = min(vectors, most) / 2


def block_of(codes: npt.NDArray[np.int32], levels: Sequence[Sequence[Level]]) -> LevelBlock:
    """Return the block of these columns (first axis)."""
    rows = codes.shape[1]
    sizes = [len(each[0][0]) for each in levels]
    # What no level tells apart is one combination.
    finest = [each[0][0][code] for each, code in zip(levels, codes, strict=True)]
    key, _ = keys([code.astype(np.uint64) for code in finest], sizes, rows)
    _, first, combination = np.unique(key, return_index=True, return_inverse=True)
    at = codes[:, first]
    vectors = list(itertools.product(*(range(len(each)) for each in levels)))
    cells = np.empty((len(vectors), len(first)), dtype=np.int32)
    for place, vector in enumerate(vectors):
        parts = [levels[c][level][0][at[c]].astype(np.uint64) for c, level in enumerate(vector)]
        key, _ = keys(parts, sizes, len(first))
        cells[place] = np.unique(key, return_inverse=True)[1]
    return LevelBlock(combination.astype(np.int32), cells)


def two_blocks(levels: Sequence[Sequence[Level]], rows: int) -> tuple[list[int], list[int], float]:
    """Return the columns of the two blocks with the fewest entries, and how many these are."""
    columns = len(levels)
    vectors = np.log([len(each) for each in levels])
    values = np.log([int(each[0][0].max()) + 1 for each in levels])
    free = min(columns, MOST_COLUMNS)
    left = (np.arange(2**free)[:, None] >> np.arange(columns)) & 1
    left[:, free:] = np.arange(columns - free) % 2 == 0

    def entries(chosen: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return np.asarray(np.exp(chosen @ vectors + np.minimum(chosen @ values, np.log(max(rows, 1)))))

    needed = entries(left) + entries(1 - left)
    best = int(np.argmin(needed))
    chosen = [c for c in range(columns) if left[best, c]]
    return chosen, [c for c in range(columns) if not left[best, c]], float(needed[best])


def by_block(missed: Ints, levels: Sequence[Sequence[Level]], rows: int) -> Ints:
    """Return cells with the two blocks' vectors in place of the numbers of level vectors (second of four or more)."""
    if not levels:
        return np.empty((0, 5), dtype=np.int64)
    at = np.unravel_index(missed[:, 1], [len(each) for each in levels])
    blocks = [np.zeros(len(missed), dtype=np.int64) for _ in range(2)]
    for block, chosen in zip(blocks, two_blocks(levels, rows)[:2], strict=True):
        for c in chosen:
            block[:] = block * len(levels[c]) + at[c]
    return np.stack([missed[:, 0], *blocks, missed[:, 2], missed[:, 3]], axis=1)


def lattice_of(levels: Sequence[Sequence[Level]], changeable: int) -> Lattice:
    """Return the levels of all columns, the finest of each first; what is told apart anyway is looked at first."""
    columns = len(levels)
    shape = (columns, max(len(each) for each in levels))
    offset, low, high = (np.zeros(shape, dtype=np.int64) for _ in range(3))
    cells, losses = [], []
    at = 0
    for c, each in enumerate(levels):
        for level, (cell, loss) in enumerate(each):
            offset[c, level], low[c, level], high[c, level] = at, loss.min(), loss.max()
            number = np.unique(cell, return_inverse=True)[1].ravel()
            of_cell = np.zeros_like(loss)
            of_cell[number] = loss
            cells.append(number)
            losses.append(of_cell)
            at += len(cell)
    # Columns with few levels first: what they tell apart is looked at for all that follow.
    few = sorted(range(changeable), key=lambda c: (len(levels[c]), len(levels[c][0][0])))
    order = np.array([*range(changeable, columns), *few], dtype=np.int64)
    least = np.array([low[c, : len(levels[c])].min() for c in order])
    most = np.array([high[c, : len(levels[c])].max() for c in order])
    vectors = np.cumprod([1.0, *(len(each) for each in levels[::-1])])[::-1]
    strides = vectors[1:] if vectors[0] < 2**62 else np.zeros(columns)  # nobody asks for numbers that large
    return Lattice(
        order,
        np.array([len(each) for each in levels], dtype=np.int64),
        offset.astype(np.uint32),
        np.concatenate(cells).astype(np.uint32),
        np.concatenate(losses),
        low,
        high,
        np.append(np.cumsum(least[::-1])[::-1], 0),
        np.append(np.cumsum(most[::-1])[::-1], 0),
        strides.astype(np.int64),
    )

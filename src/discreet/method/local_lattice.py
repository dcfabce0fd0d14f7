"""Level vectors for local recoding: all combinations of the columns' levels, as two blocks of columns.

Under a level vector rows fall into cells. Rows alike on a block's columns are one combination of it, so that a
vector's cells are looked up by two numbers per row.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.method.local_shapes import Level
from discreet.table.encode import Ints, keys

MOST_ENTRIES = 24_000_000
"""Cells that are kept of all combinations under all vectors of both blocks."""
MOST_COLUMNS = 14
"""Columns between which the best two blocks are looked for."""


@dataclass(frozen=True)
class Block:
    """Some columns: the combination of each row, and the cells and losses of combinations under each vector."""

    combination: npt.NDArray[np.int32]
    cells: npt.NDArray[np.int32]
    numbers: Ints
    """How many cells there are under each vector."""
    losses: Ints
    """What a row of each combination loses; the search overwrites it where too few rows are left."""
    order: npt.NDArray[np.int32]
    """The combinations under each vector in ascending loss."""


def block_of(codes: npt.NDArray[np.int32], levels: Sequence[Sequence[Level]]) -> Block:
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
    losses = np.zeros((len(vectors), len(first)), dtype=np.int64)
    for place, vector in enumerate(vectors):
        parts = [levels[c][level][0][at[c]].astype(np.uint64) for c, level in enumerate(vector)]
        key, _ = keys(parts, sizes, len(first))
        cells[place] = np.unique(key, return_inverse=True)[1]
        for c, level in enumerate(vector):
            losses[place] += levels[c][level][1][at[c]]
    inward = np.argsort(losses.mean(axis=1), kind="stable") if len(first) else np.arange(len(vectors))
    cells, losses = np.ascontiguousarray(cells[inward]), np.ascontiguousarray(losses[inward])
    numbers = cells.max(axis=1, initial=-1).astype(np.int64) + 1
    order = np.argsort(losses, axis=1, kind="stable").astype(np.int32)
    return Block(combination.astype(np.int32), cells, numbers, losses, order)


def two_blocks(levels: Sequence[Sequence[Level]], rows: int, steps: int) -> tuple[list[int], list[int], float]:
    """Return the columns of the two blocks that are quickest to look through in so many steps, and their entries.

    For each vector of the left block the rows are put in order once a step; under a vector of both, rows are looked
    at as often as the losses of the right block differ by a step.
    """
    columns = len(levels)
    vectors = np.log([len(each) for each in levels])
    values = np.log([int(each[0][0].max()) + 1 for each in levels])
    spread = np.array([np.mean([float(loss.max() - loss.min()) for _, loss in each]) for each in levels])
    step = max(sum(float(each[-1][1].max()) for each in levels) / steps, 1.0)
    free = min(columns, MOST_COLUMNS)
    left = (np.arange(2**free)[:, None] >> np.arange(columns)) & 1
    left[:, free:] = np.arange(columns - free) % 2 == 0
    right = 1 - left

    def entries(chosen: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return np.asarray(np.exp(chosen @ vectors + np.minimum(chosen @ values, np.log(max(rows, 1)))))

    needed = entries(left) + entries(right)
    looks = np.exp(vectors.sum()) * (1 + right @ spread / step) + np.exp(left @ vectors) * steps
    looks += needed * steps / 8 / max(rows, 1)
    best = int(np.argmin(np.where(needed <= MOST_ENTRIES, looks, np.inf)))
    best = best if needed[best] <= MOST_ENTRIES else int(np.argmin(needed))
    chosen = [c for c in range(columns) if left[best, c]]
    return chosen, [c for c in range(columns) if not left[best, c]], float(needed[best])


@dataclass(frozen=True)
class Flat:
    """The levels of all columns one after the other."""

    levels: Ints
    """How many there are of each column."""
    offset: Ints
    """Where those of a column (first axis) at a level (second axis) begin, and where the last one ends."""
    cells: Ints
    losses: Ints


def flat(levels: Sequence[Sequence[Level]]) -> Flat:
    """Return the levels of all columns, the finest of each first."""
    offset = np.zeros((len(levels), max(len(each) for each in levels) + 1), dtype=np.int64)
    at = 0
    for c, each in enumerate(levels):
        for level, (cell, _) in enumerate(each):
            offset[c, level] = at
            at += len(cell)
            offset[c, level + 1] = at
    return Flat(
        np.array([len(each) for each in levels], dtype=np.int64),
        offset,
        np.concatenate([cell for each in levels for cell, _ in each]),
        np.concatenate([loss for each in levels for _, loss in each]),
    )

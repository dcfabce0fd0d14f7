"""Level vectors for local recoding: all combinations of the columns' levels, as two blocks of columns.

Under a level vector rows fall into cells. Rows alike on a block's columns are one combination of it, so that a
vector's cells are looked up by two numbers per row.
"""

from __future__ import annotations

import heapq
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
class Listed:
    """Some of too many level vectors: those that lose least, and those that tell least, each beginning with its base."""

    hashes: Ints
    """A number that tells apart the cells of each code, level after level, column after column."""
    offset: Ints
    """Where the numbers of a column (first axis) at a level (second axis) begin."""
    fine: Ints
    coarse: Ints


def listed(levels: Sequence[Sequence[Level]], most: int) -> Listed:
    """Return at most so many vectors from the finest on, and as many from the coarsest on."""
    rng = np.random.default_rng(0)
    deepest = max(len(each) for each in levels)
    offset = np.zeros((len(levels), deepest), dtype=np.int64)
    hashes: list[Ints] = []
    at = 0
    for c, each in enumerate(levels):
        for level, (cell, _) in enumerate(each):
            offset[c, level] = at
            hashes.append(rng.integers(-(2**62), 2**62, int(cell.max()) + 1)[cell])
            at += len(cell)
    losses = [[float(loss.mean()) for _, loss in each] for each in levels]
    fine = _ascending([[loss - each[0] for loss in each] for each in losses], most)
    told = [[each[-1] - loss for loss in each[::-1]] for each in losses]
    tops = np.array([len(each) - 1 for each in levels])
    coarse = tops - _ascending(told, most)
    # Of the coarse ones those that tell most come first.
    return Listed(np.concatenate(hashes), offset, fine, coarse[::-1].copy())


def _ascending(costs: Sequence[Sequence[float]], most: int) -> Ints:
    """Return the vectors (of one place in each ascending list) with the least sums, in ascending order."""
    start = tuple(0 for _ in costs)
    heap: list[tuple[float, tuple[int, ...], int]] = [(0.0, start, 0)]
    found = []
    while heap and len(found) < most:
        cost, vector, last = heapq.heappop(heap)
        found.append(vector)
        # Each vector is reached in one way only: its places grow from the first column to the last.
        for c in range(last, len(costs)):
            level = vector[c]
            if level + 1 < len(costs[c]):
                more = cost + costs[c][level + 1] - costs[c][level]
                heapq.heappush(heap, (more, (*vector[:c], level + 1, *vector[c + 1 :]), c))
    return np.array(found, dtype=np.int64)

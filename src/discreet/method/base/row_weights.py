"""How much each row weighs where some columns go out as they are: the more, the worse these predict its target.

The learner is naive Bayes with one row added to every count. Rows are dealt to `FOLDS` folds, like with like, and each
is judged by what is learned from the other folds: how far its target is expected to be from the best guess at it, in
sixteenths of the farthest that can be, rounded up. So a weight is a whole number from 1 (all but told already) to 16
(nothing is told). The row's own target has no part in it: were a row the heavier where the guess is wrong, seldom
classes would outweigh the others, and groups would be taken for what most of their rows are not.
Floats decide where they are surely right, fractions elsewhere: weights are the same on every machine.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints, keys, regroup

FOLDS = 5
HEAVIEST = 16
PARTS = 256
"""A value of at least such a part of the rows is told from all others."""
TARGET_PARTS = 8
"""The same of numbers that are to be predicted."""
CHUNK = 2**22
"""Chances that are reckoned together."""
SURE = 1e-9
"""Floats this far from a whole number are on its right side: their errors are below 1e-10 for a thousand columns."""


@dataclass(frozen=True)
class BesideColumn:
    """A column that goes out as it is: the part of each combination, and how many parts there are."""

    codes: Ints
    size: int


@dataclass(frozen=True)
class FoldCounts:
    """What naive Bayes knows: the rows of each class, and of each class (first axis) with each part of a column."""

    classes: Ints
    parts: tuple[Ints, ...]


def parts_of_numbers(rows: Ints, parts: int = PARTS) -> Ints:
    """Return the part of each of ascending numbers that so many rows have.

    Those of a part begin and end in the same of `parts` equal shares of the rows.

    >>> parts_of_numbers(np.array([1, 1, 6, 1, 1]), 2).tolist()
    [0, 0, 1, 2, 2]
    """
    after, total = np.cumsum(rows), max(int(rows.sum()), 1)
    ends = np.stack([(after - rows) * parts // total, (after - 1) * parts // total], axis=1)
    return np.unique(ends, axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def parts_of_values(rows: Ints, parts: int = PARTS) -> Ints:
    """Return the part of each of values that so many rows have; seldom ones share the first.

    >>> parts_of_values(np.array([1, 5, 1, 3]), 4).tolist()
    [0, 1, 0, 2]
    """
    often = rows * parts >= rows.sum()
    return np.where(often, np.cumsum(often) - int(often.all()), 0).astype(np.int64)


def weighted_rows(
    target: Ints, classes: int, beside: Sequence[BesideColumn], counts: Ints, *, ordered: bool = False
) -> Ints:
    """Return the sum of the weights of the rows of each combination.

    `target` is the class of each combination, -1 for those without any, whose rows weigh 1. Where classes are `ordered`
    a guess is as far off as there are classes between, else any wrong one is as bad. Rows with equal target and
    columns are dealt to folds in the order of the combinations.
    """
    summed = counts.copy()
    known = np.flatnonzero((target >= 0) & (counts > 0))
    of = target[known]
    cells = [column.codes[known] for column in beside]
    key, _ = keys([of, *cells], [classes, *(column.size for column in beside)], len(known))
    order, starts, group = regroup(key)
    if not len(known):
        return summed
    n = counts[known][order]
    begin = np.cumsum(n) - n
    kinds = order[starts]
    kind_class, kind_cells = of[kinds], [codes[kinds] for codes in cells]
    everyone = np.add.reduceat(n, starts)
    found = np.zeros(len(known), dtype=np.int64)
    for fold in range(FOLDS):
        inside = (begin + n - 1 - fold) // FOLDS - (begin - 1 - fold) // FOLDS
        here = np.add.reduceat(inside, starts)
        learned = _learned(kind_class, classes, kind_cells, [column.size for column in beside], everyone - here)
        some = np.flatnonzero(here)
        weight = np.zeros(len(kinds), dtype=np.int64)
        weight[some] = _weights(learned, [codes[some] for codes in kind_cells], len(some), ordered=ordered)
        found[order] += inside * weight[group[order]]
    summed[known] = found
    return summed


def _learned(of: Ints, classes: int, cells: Sequence[Ints], sizes: Sequence[int], rows: Ints) -> FoldCounts:
    parts = []
    for codes, size in zip(cells, sizes, strict=True):
        table = np.zeros((classes, size), dtype=np.int64)
        np.add.at(table, (of, codes), rows)
        parts.append(table)
    totals = np.zeros(classes, dtype=np.int64)
    np.add.at(totals, of, rows)
    return FoldCounts(totals, tuple(parts))


def _weights(learned: FoldCounts, cells: Sequence[Ints], rows: int, *, ordered: bool) -> Ints:
    """Return the weight of rows with some parts of the columns."""
    classes = len(learned.classes)
    found = np.ones(rows, dtype=np.int64)
    step = max(CHUNK // classes, 1)
    for first in range(0, rows if classes > 1 else 0, step):
        some = [codes[first : first + step] for codes in cells]
        far = _far(_chances(learned, some, min(step, rows - first)), ordered=ordered)
        whole = np.rint(far)
        found[first : first + step] = np.clip(np.ceil(far), 1, HEAVIEST).astype(np.int64)
        unsure = (np.abs(far - whole) < SURE) & (whole > 0) & (whole < HEAVIEST)
        for place in np.flatnonzero(unsure).tolist():
            exact = _exactly(learned, [int(codes[place]) for codes in some], ordered=ordered)
            found[first + place] = math.ceil(exact)
    return found


def _chances(learned: FoldCounts, cells: Sequence[Ints], rows: int) -> npt.NDArray[np.float64]:
    """Return how likely each class (second axis) is, beside the likeliest but for rounding."""
    likely = np.tile((learned.classes + 1).astype(np.float64), (rows, 1))
    for table, codes in zip(learned.parts, cells, strict=True):
        likely *= ((table + 1) / (learned.classes + table.shape[1])[:, None]).T[codes]
        likely /= likely.max(axis=1, keepdims=True)
    return likely


def _far(likely: npt.NDArray[np.float64], *, ordered: bool) -> npt.NDArray[np.float64]:
    """Return how far the class is expected to be from the best guess, in parts of the farthest that can be."""
    classes = likely.shape[1]
    every = likely.sum(axis=1)
    if ordered:
        between = np.abs(np.subtract.outer(np.arange(classes), np.arange(classes)))
        return np.asarray((likely @ between).min(axis=1) / every * (2 * HEAVIEST / (classes - 1)))
    return np.asarray((every - likely.max(axis=1)) / every * (HEAVIEST * classes / (classes - 1)))


def _exactly(learned: FoldCounts, cells: Sequence[int], *, ordered: bool) -> Fraction:
    """Return the same as a fraction."""
    classes = len(learned.classes)
    likely = [Fraction(int(rows) + 1) for rows in learned.classes]
    for table, code in zip(learned.parts, cells, strict=True):
        size = table.shape[1]
        for one, rows in enumerate(learned.classes.tolist()):
            likely[one] *= Fraction(int(table[one, code]) + 1, rows + size)
    if not ordered:
        return HEAVIEST * (sum(likely) - max(likely)) / sum(likely) * classes / (classes - 1)
    least = min(sum(chance * abs(one - guess) for one, chance in enumerate(likely)) for guess in range(classes))
    return HEAVIEST * Fraction(2) * least / sum(likely) / (classes - 1)

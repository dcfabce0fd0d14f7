"""How rows are guessed by columns that go out as they are, before anything else is known of them.

The learner is naive Bayes with one row added to every count. Rows are dealt to `FOLDS` folds, like with like, and each
is guessed by what is learned from the other folds: a class by the likeliest one (of equally likely ones the first) and
how likely that is; a number by the one that is expected, as a part of the way from the least to the most. Both are
told in whole thousandths. Floats decide where they are surely right, fractions elsewhere: guesses are the same on
every machine.
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
STEPS = 1000
"""Likelihoods and places of numbers are told in so many steps."""
PARTS = 256
"""A value of at least such a part of the rows is told from all others."""
TARGET_PARTS = 8
"""The same of numbers that are to be predicted."""
CHUNK = 2**22
"""Chances that are reckoned together."""
SURE = 1e-9
"""Floats this far apart are in their true order: their errors are below 1e-10 for a thousand columns."""
LEVELS = 4
"""About so many levels of guesses are told apart."""
FEW_CLASSES = 8
"""With more classes, all guesses are of one level."""

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BesideColumn:
    """A column that goes out as it is: the part of each combination, and how many parts there are."""

    codes: Ints
    size: int


@dataclass(frozen=True)
class TargetGuesses:
    """Rows of the same combination that are guessed alike, line by line."""

    at: Ints
    """Which combination they are of."""
    rows: Ints
    guess: Ints
    """The class that they are taken for; -1 for numbers."""
    step: Ints
    """How likely that class is, or which number is expected, in steps."""


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


def guessed(
    target: Ints,
    classes: int,
    beside: Sequence[BesideColumn],
    counts: Ints,
    numbers: Sequence[Fraction] | None = None,
) -> TargetGuesses:
    """Return how the rows of each combination are guessed.

    `target` is the class of each combination; those without any (-1) are not guessed. With `numbers` from 0 to 1, one
    for each class, the expected number is guessed instead of a class. Rows with equal target and columns are dealt to
    folds in the order of the combinations.
    """
    known = np.flatnonzero((target >= 0) & (counts > 0))
    of = target[known]
    cells = [column.codes[known] for column in beside]
    key, _ = keys([of, *cells], [classes, *(column.size for column in beside)], len(known))
    order, starts, group = regroup(key)
    n = counts[known][order]
    begin = np.cumsum(n) - n
    kinds = order[starts]
    kind_class, kind_cells = of[kinds], [codes[kinds] for codes in cells]
    everyone = np.add.reduceat(n, starts) if len(starts) else n
    lines = []
    for fold in range(FOLDS if len(known) else 0):
        inside = (begin + n - 1 - fold) // FOLDS - (begin - 1 - fold) // FOLDS
        here = np.add.reduceat(inside, starts)
        learned = _learned(kind_class, classes, kind_cells, [column.size for column in beside], everyone - here)
        some = np.flatnonzero(here)
        guess, step = np.zeros((2, len(kinds)), dtype=np.int64)
        guess[some], step[some] = _guess(learned, [codes[some] for codes in kind_cells], len(some), numbers)
        kind = group[order]
        lines.append(np.stack([known[order], inside, guess[kind], step[kind]])[:, inside > 0])
    at, rows, guess, step = np.concatenate(lines, axis=1) if lines else np.zeros((4, 0), dtype=np.int64)
    return TargetGuesses(at, rows, guess, step)


def levels_of(guesses: TargetGuesses, classes: int) -> tuple[Ints, int]:
    """Return the level of each line, and how many there are.

    Rows stand in the order of the classes that they are taken for, the surest first, and are cut into `LEVELS` equal
    shares; rows taken for different classes are on different levels.
    """
    if classes > FEW_CLASSES or not len(guesses.rows):
        return np.zeros(len(guesses.rows), dtype=np.int64), 1
    order, starts, alike = regroup(guesses.guess * (STEPS + 1) + STEPS - guesses.step)
    rows = np.add.reduceat(guesses.rows[order], starts)
    middle = 2 * np.cumsum(rows) - rows
    share = middle * LEVELS // (2 * int(rows.sum()))
    level = np.unique(guesses.guess[order[starts]] * LEVELS + share, return_inverse=True)[1].astype(np.int64)
    return level[alike], int(level.max()) + 1


def _learned(of: Ints, classes: int, cells: Sequence[Ints], sizes: Sequence[int], rows: Ints) -> FoldCounts:
    parts = []
    for codes, size in zip(cells, sizes, strict=True):
        table = np.zeros((classes, size), dtype=np.int64)
        np.add.at(table, (of, codes), rows)
        parts.append(table)
    totals = np.zeros(classes, dtype=np.int64)
    np.add.at(totals, of, rows)
    return FoldCounts(totals, tuple(parts))


def _guess(
    learned: FoldCounts, cells: Sequence[Ints], rows: int, numbers: Sequence[Fraction] | None
) -> tuple[Ints, Ints]:
    """Return what rows with some parts of the columns are taken for, and the step."""
    guess, step = np.zeros((2, rows), dtype=np.int64)
    places = None if numbers is None else np.array([float(number) for number in numbers])
    size = max(CHUNK // len(learned.classes), 1)
    for first in range(0, rows, size):
        some = [codes[first : first + size] for codes in cells]
        here = slice(first, min(first + size, rows))
        likely = _chances(learned, some, here.stop - first)
        guess[here] = -1 if places is not None else likely.argmax(axis=1)
        part = (likely.max(axis=1) if places is None else likely @ places) / likely.sum(axis=1) * STEPS
        step[here] = np.floor(part + 0.5)
        unsure = np.abs(part - np.floor(part) - 0.5) < SURE * STEPS
        if places is None and likely.shape[1] > 1:
            first_two = np.partition(likely, -2, axis=1)[:, -2:]
            unsure |= first_two[:, 1] - first_two[:, 0] < SURE
        for place in np.flatnonzero(unsure).tolist():
            guess[first + place], step[first + place] = _exactly(learned, [int(c[place]) for c in some], numbers)
    return guess, step


def _chances(learned: FoldCounts, cells: Sequence[Ints], rows: int) -> Floats:
    """Return how likely each class (second axis) is, beside the likeliest but for rounding."""
    likely = np.tile((learned.classes + 1).astype(np.float64), (rows, 1))
    likely /= likely.max(axis=1, keepdims=True)
    for table, codes in zip(learned.parts, cells, strict=True):
        likely *= ((table + 1) / (learned.classes + table.shape[1])[:, None]).T[codes]
        likely /= likely.max(axis=1, keepdims=True)
    return likely


def _exactly(learned: FoldCounts, cells: Sequence[int], numbers: Sequence[Fraction] | None) -> tuple[int, int]:
    """Return the same by fractions."""
    likely = [Fraction(int(rows) + 1) for rows in learned.classes]
    for table, code in zip(learned.parts, cells, strict=True):
        size = table.shape[1]
        for one, rows in enumerate(learned.classes.tolist()):
            likely[one] *= Fraction(int(table[one, code]) + 1, rows + size)
    most = max(likely)
    if numbers is None:
        return likely.index(most), math.floor(most / sum(likely) * STEPS + Fraction(1, 2))
    expected = sum((chance * number for chance, number in zip(likely, numbers, strict=True)), Fraction(0))
    return -1, math.floor(expected / sum(likely) * STEPS + Fraction(1, 2))

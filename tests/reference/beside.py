"""Slow, obvious weights of rows where some columns go out as they are, written from the issue and its docs alone.

Every row is a list of texts: its target and the columns beside, then all else. Naive Bayes with one row added to every
count is learned from four of five folds; a row of the fifth weighs by how far its target is expected to be from the
best guess, in sixteenths of the farthest that can be, rounded up, at least 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

FOLDS = 5
HEAVIEST = 16


def weights(
    rows: Sequence[tuple[int, tuple[int, ...], int]], classes: int, sizes: Sequence[int], *, ordered: bool
) -> list[int]:
    """Return the weight of each row: a class, the parts of the columns beside, and which combination it is of."""
    order = sorted(range(len(rows)), key=lambda row: rows[row])
    fold = {row: place % FOLDS for place, row in enumerate(order)}
    found = []
    for row, (_, parts, _) in enumerate(rows):
        others = [rows[other] for other in range(len(rows)) if fold[other] != fold[row]]
        chances = [chance(others, one, parts, sizes) for one in range(classes)]
        found.append(max(math.ceil(HEAVIEST * badly(chances, ordered=ordered)), 1))
    return found


def chance(
    rows: Sequence[tuple[int, tuple[int, ...], int]], one: int, parts: Sequence[int], sizes: Sequence[int]
) -> Fraction:
    """Return how likely a class is, but for a factor that is the same for all."""
    same = [other for own, other, _ in rows if own == one]
    found = Fraction(len(same) + 1)
    for column, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        found *= Fraction(sum(other[column] == part for other in same) + 1, len(same) + size)
    return found


def badly(chances: Sequence[Fraction], *, ordered: bool) -> Fraction:
    """Return how far the class is expected to be from the best guess, beside the farthest that can be."""
    classes = len(chances)
    if classes < 2:
        return Fraction(0)
    everything = sum(chances)

    def away(one: int, other: int) -> int:
        return abs(one - other) if ordered else int(one != other)

    expected = [
        sum((chances[one] * away(one, guess) for one in range(classes)), Fraction(0)) / everything
        for guess in range(classes)
    ]
    farthest = Fraction(classes - 1, 2) if ordered else Fraction(classes - 1, classes)
    return min(expected) / farthest

"""What columns that go out as they are leave open of a target: slow and obvious, written from the docs alone.

Every row is a class, the parts of the columns beside, and which combination it is of (all else). Naive Bayes with one
row added to every count is learned from four of five folds; rows of the fifth are taken for the likeliest class, or for
the number that is expected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

FOLDS = 5
STEPS = 1000
LEVELS = 4
FEW_CLASSES = 8
OVERRULES = 5
Row = tuple[int, tuple[int, ...], int]


def guesses(
    rows: Sequence[Row], classes: int, sizes: Sequence[int], numbers: Sequence[Fraction] | None = None
) -> list[tuple[int, int]]:
    """Return what each row is taken for: a class and how likely it is, or -1 and the number, in thousandths."""
    order = sorted(range(len(rows)), key=lambda row: rows[row])
    fold = {row: place % FOLDS for place, row in enumerate(order)}
    found = []
    for row, (_, parts, _) in enumerate(rows):
        others = [rows[other] for other in range(len(rows)) if fold[other] != fold[row]]
        chances = [chance(others, one, parts, sizes) for one in range(classes)]
        if numbers is None:
            guess = max(range(classes), key=lambda one: chances[one])
            part = chances[guess] / sum(chances)
        else:
            guess = -1
            part = sum((c * n for c, n in zip(chances, numbers, strict=True)), Fraction(0)) / sum(chances)
        found.append((guess, math.floor(part * STEPS + Fraction(1, 2))))
    return found


def chance(rows: Sequence[Row], one: int, parts: Sequence[int], sizes: Sequence[int]) -> Fraction:
    """Return how likely a class is, but for a factor that is the same for all."""
    same = [other for own, other, _ in rows if own == one]
    found = Fraction(len(same) + 1)
    for column, (part, size) in enumerate(zip(parts, sizes, strict=True)):
        found *= Fraction(sum(other[column] == part for other in same) + 1, len(same) + size)
    return found


def levels(found: Sequence[tuple[int, int]], classes: int) -> list[int]:
    """Return the level of each row: by what it is taken for, and in which quarter of all rows its middle stands."""
    if classes > FEW_CLASSES:
        return [0] * len(found)
    pairs = []
    for guess, step in found:
        before = sum((other, -sure) < (guess, -step) for other, sure in found)
        middle = before + Fraction(found.count((guess, step)), 2)
        pairs.append((guess, math.floor(middle * LEVELS / len(found))))
    return [sorted(set(pairs)).index(pair) for pair in pairs]


def group_cost(rows: Sequence[tuple[int, int, int]], classes: int, cost: Callable[[int, int], Fraction]) -> Fraction:
    """Return what a group of rows (class, what it is taken for, level) costs."""
    found = Fraction(0)
    for level in {level for _, _, level in rows}:
        here = [(true, guess) for true, guess, own in rows if own == level]
        counts = [sum(true == one for true, _ in here) for one in range(classes)]
        kept = sum((cost(true, guess) for true, guess in here), Fraction(0))
        other = [
            sum((cost(true, one) for true, _ in here), Fraction(0)) + OVERRULES
            for one in range(classes)
            if counts[one] == max(counts)
        ]
        found += min(kept, *other)
    return found

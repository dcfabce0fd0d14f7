"""Adversaries as they are defined, slowly: each number is counted anew in the rows, as a fraction."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from fractions import Fraction

from tests.reference.cells_model import Probabilities, Taxonomy

Row = Sequence[str | None]


def told_of_each_other(rows: Sequence[Row], column: int, one: int, other: int) -> float:
    """The mutual information of two columns given the class, over all rows with a known class."""
    both = [row for row in rows if row[one] is not None and row[other] is not None]
    parts = []
    for v, x, y in sorted({(str(row[column]), str(row[one]), str(row[other])) for row in both}):
        mine = [row for row in both if row[column] == v]
        together = sum(row[one] == x and row[other] == y for row in mine)
        lefts, rights = sum(row[one] == x for row in mine), sum(row[other] == y for row in mine)
        parts.append(together * math.log(Fraction(together * len(mine), lefts * rights)))
    return math.fsum(parts) / len(rows) if rows else 0.0


def tree(rows: Sequence[Row], column: int, predictors: Sequence[int]) -> dict[int, int | None]:
    """On which predictor each depends: the best edges that close no circle, seen from the first of each part."""
    size = len(predictors)
    edges = []
    for second in range(size):
        for first in range(second):
            gain = round(told_of_each_other(rows, column, predictors[first], predictors[second]), 9)
            if gain > 0:
                edges.append((-gain, first, second))
    taken: list[tuple[int, int]] = []

    def reached(start: int) -> set[int]:
        found = {start}
        while more := {b for a, b in [*taken, *((b, a) for a, b in taken)] if a in found} - found:
            found |= more
        return found

    for _, first, second in sorted(edges):
        if second not in reached(first):
            taken.append((first, second))
    above: dict[int, int | None] = {}
    for start in range(size):
        if start in above:
            continue
        above[start] = None
        while True:
            new = [(a, b) for a, b in [*taken, *((b, a) for a, b in taken)] if a in above and b not in above]
            if not new:
                break
            above[new[0][1]] = new[0][0]
    return above


def network(
    table: Sequence[Row], row: int, column: int, predictors: Sequence[int], taxonomies: Sequence[Taxonomy],
    domain: Sequence[str],
) -> Probabilities:  # fmt: skip
    """Tree-augmented naive Bayes: what each candidate weighs."""
    asked = table[row]
    training = [other for other in table if other[column] in domain]
    above = tree(training, column, predictors)

    def at(other: Row, place: int) -> bool:
        return other[place] is not None and taxonomies[place].covers(asked[place], other[place])

    weights: Probabilities = {}
    for value in taxonomies[column].leaves(asked[column]):
        mine = [other for other in training if other[column] == value]
        weight = Fraction(len(mine), max(len(training), 1))
        for number, place in enumerate(predictors):
            known = [other for other in training if other[place] is not None]
            everywhere = sum(at(other, place) for other in known)
            if asked[place] is None or not everywhere:
                continue
            counted = [other for other in mine if other[place] is not None]
            parent = above[number]
            if parent is not None and asked[predictors[parent]] is not None:
                counted = [other for other in counted if at(other, predictors[parent])]
            hits = sum(at(other, place) for other in counted)
            weight *= (hits + 5 * Fraction(everywhere, len(known))) / (len(counted) + 5)
        weights[value] = weight
    return weights


def words(text: str | None) -> set[str]:
    return set(re.findall(r"\w+", (text or "").casefold()))


def bag_of_words(
    table: Sequence[Row], row: int, column: int, texts: Sequence[int], domain: Sequence[str]
) -> Probabilities:
    """Naive Bayes over the words of a row: what each value weighs."""
    bags = [set().union(*(words(other[place]) for place in texts)) for other in table]
    training = [number for number, other in enumerate(table) if other[column] in domain]
    weights: Probabilities = {}
    for value in domain:
        mine = [number for number in training if table[number][column] == value]
        weight = Fraction(len(mine), max(len(training), 1))
        for word in bags[row]:
            if any(word in bags[number] for number in training):
                weight *= Fraction(sum(word in bags[number] for number in mine) + 1, len(mine) + 2)
        weights[value] = weight
    return weights


def winnow(
    rows: Sequence[Sequence[Fraction]], classes: Sequence[int], order: Sequence[int], passes: int
) -> list[list[Fraction]]:
    """Winnow's weights, one for each class and number, and one for what holds of all rows.

    Where a class is not the only one with the largest weighted sum of its own rows, its weights double at the numbers
    that are not 0, and those of the best of the others (the first of equal ones) halve.
    """
    weights = [[Fraction(1)] * (len(rows[0]) + 1) for _ in range(max(classes) + 1)]
    for _ in range(passes):
        wrong = 0
        for place in order:
            numbers, true = [*rows[place], Fraction(1)], classes[place]
            sums = [sum((w * n for w, n in zip(line, numbers, strict=True)), Fraction(0)) for line in weights]
            other = max((one for one in range(len(sums)) if one != true), key=lambda one: sums[one])
            if sums[true] > sums[other]:
                continue
            wrong += 1
            for column, number in enumerate(numbers):
                if number:
                    weights[true][column] = min(weights[true][column] * 2, Fraction(2**40))
                    weights[other][column] = max(weights[other][column] / 2, Fraction(1, 2**40))
        if not wrong:
            break
    return weights

"""Who is who, row by row: slow and plain, what `discreet.attack.linkage` and `homogeneity` are compared with.

A table is a list of rows of texts; `covers(place, text, value)` says whether a released text of the column at a place
may stand for a value.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

Row = Sequence[str | None]
Covers = Callable[[int, str | None, str | None], bool]


def literal(released: Sequence[Row]) -> list[Fraction]:
    """The chance to pick each row among those that look alike."""
    return [Fraction(1, sum(tuple(other) == tuple(row) for other in released)) for row in released]


def fitting(released: Sequence[Row], person: Row, covers: Covers) -> list[int]:
    """The released rows that may be a person's."""
    return [
        number
        for number, row in enumerate(released)
        if all(covers(place, text, value) for place, (text, value) in enumerate(zip(row, person, strict=True)))
    ]


def compatible(released: Sequence[Row], person: Row, own: int, covers: Covers) -> Fraction:
    """The chance to pick the own row among all that fit."""
    found = fitting(released, person, covers)
    return Fraction(own in found, max(len(found), 1))


def journalist(row: Row, population: Sequence[Row], alike: int, covers: Covers) -> Fraction:
    """The chance to pick the person of a released row among the population; as one of the rows alike if none fits."""
    number = sum(
        all(covers(place, text, value) for place, (text, value) in enumerate(zip(row, person, strict=True)))
        for person in population
    )
    return Fraction(1, number or alike)


def commonest(
    rows: Sequence[int],
    texts: Sequence[str | None],
    means: Callable[[str | None], Sequence[str]],
    domain: Sequence[str],
) -> str | None:
    """The commonest value among some rows, the first of the domain among equals; None when nothing is told."""
    weights = dict.fromkeys(domain, Fraction(0))
    for row in rows:
        values = means(texts[row])
        for value in values:
            weights[value] += Fraction(1, len(values))
    best = max(weights.values(), default=Fraction(0))
    return next((value for value in domain if best and weights[value] == best), None)

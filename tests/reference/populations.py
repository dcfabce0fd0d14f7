"""Promises that look at a population, slow and obvious: how many of its rows fall into each group of a release.

The population is recoded as the table was. Rows of the release that were masked stand for whoever is not released
unmasked: for them the rows of the population count whose recoded combination no unmasked row has.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from tests.reference.promises import Cell, Row

Combination: TypeAlias = tuple[Cell, ...]


class NotCovered(ValueError):
    """A group has more rows in the release than in the population."""


@dataclass(frozen=True)
class Beside:
    """A group of the release: its rows, and those of the population."""

    rows: int
    population: int


def beside(
    released: Sequence[Row],
    population: Sequence[Row],
    over: Sequence[str],
    masked: Collection[int] = (),
    fixed: Collection[str] = (),
) -> dict[Combination, Beside]:
    """Each group of a release beside the population, which is recoded already.

    `masked`: the places of the rows that are masked, on all columns but those that are `fixed`: these still tell who is
    who among them.
    """
    unmasked = {_look(row, over) for place, row in enumerate(released) if place not in masked}
    dark = {_look(row, over) for place, row in enumerate(released) if place in masked}
    known = [name in fixed for name in over]
    found: dict[Combination, Beside] = {}
    for one, rows in Counter(_look(row, over) for row in released).items():
        people = 0
        for other in (_look(row, over) for row in population):
            same = all(left == right for left, right, counts in zip(one, other, known, strict=True) if counts)
            people += other == one or (one in dark and same and other not in unmasked)
        if people < rows:
            raise NotCovered
        found[one] = Beside(rows, people)
    return found


def _look(row: Row, over: Sequence[str]) -> Combination:
    return tuple(row[name] for name in over)


def k_map(found: dict[Combination, Beside], k: int) -> bool:
    """At least k rows of the population in every group."""
    return all(group.population >= k for group in found.values())


def membership(found: dict[Combination, Beside], at_most: Fraction) -> bool:
    """In every group at most that share of the population is in the release."""
    return membership_figure(found) <= at_most


def membership_figure(found: dict[Combination, Beside]) -> Fraction:
    """The largest share of a group of the population that is in the release."""
    return max((Fraction(group.rows, group.population) for group in found.values()), default=Fraction(0))

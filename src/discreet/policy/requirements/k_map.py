"""k-map (Sweeney; El Emam, Dankar): each row could be about at least k people of the population it was taken from.

The population is recoded as the table is. In every group of the release one person is 1/people of it, which is at most
1/k, however few rows the release has there; a union of groups has more people than each.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.encoded import Ints
from discreet.policy.populations import Population
from discreet.policy.requirements.any_of import in_short, in_words
from discreet.policy.requirements.base import GroupPromise, GroupWords, Unit, WorstGroup


def not_covering(rows: int, people: int) -> str:
    """Return in words that a group has more rows than people; no value is told."""
    here = "1 row" if rows == 1 else f"{rows} rows"
    there = "1 person" if people == 1 else f"{people or 'no'} people"
    return f"a group has {here} and {there} of the population, which does not cover the release"


@dataclass(frozen=True)
class KMap(GroupPromise):
    """One promise of k-map: of the people of the population at least `k` look like each released row on `given`."""

    kind: ClassVar[str] = "k-map"
    noun: ClassVar[tuple[str, str]] = ("k", "k")
    called: ClassVar[str] = "k-map"
    measure: ClassVar[str] = "mapped"
    threshold: ClassVar[str] = "k-map"
    unit: ClassVar[Unit | None] = Unit(
        "person of the population", "people of the population", "k", "least people alike", "fewest people"
    )
    words: ClassVar[GroupWords] = GroupWords(
        name="people",
        public=("promise of k-map", "promises of k-map"),
        title="Each row could be about at least {}",
        broken="A row could be about only {}: fewer than was promised",
        axis="people of the population in the worst group",
        caption="The group of each promise with the fewest people of the population",
        column="Promise",
        group="People of the population that look like the group",
        above="in groups with fewer than {} people of the population",
    )
    column: ClassVar[None] = None
    value: ClassVar[None] = None
    whole: ClassVar[bool] = False

    index: int
    given: tuple[str, ...]
    k: int
    among: Population

    @property
    def at_most(self) -> Fraction:
        """The largest share that one person may be of those who look alike."""
        return Fraction(1, self.k)

    @property
    def about(self) -> tuple[str, Population]:
        """Who it is, among whom."""
        return "who", self.among

    def figure(self, rows: Ints, tallies: Ints) -> tuple[Ints, Ints]:
        """Return one person where there are rows, and the people."""
        del rows
        return (tallies[0] > 0).astype(np.int64), np.maximum(tallies[1], 1)

    def lacking(self, rows: Ints, tallies: Ints, most: int) -> Ints:
        """Return `most` for groups with too few people: no row of the table would help them."""
        del rows
        return np.where((tallies[0] > 0) & ((tallies[1] < self.k) | (tallies[1] < tallies[0])), most, 0)

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        people = "at least 1 person" if self.k == 1 else f"at least {self.k} people"
        return f"Whoever knows {in_words(self.given)} finds {people} of the population for each released row."

    def cannot_be_kept(self, least: Fraction) -> str:
        """Return what an owner needs to know where no release keeps it: the largest k."""
        people = "1 person" if least.denominator == 1 else f"{least.denominator} people"
        return f"cannot be kept: with everything hidden a group has {people} of the population"

    def would_break(self, above: int, below: int) -> str:
        """Return how a group of so many people breaks it."""
        del above
        return f"{'1 person' if below == 1 else f'{below} people'} of the population alike, fewer than {self.k}"

    def leaves_open(self) -> tuple[str, ...]:
        """Return whom it does not stop."""
        return (
            "whoever knows that a person is in the release: of k people alike in the population it may have only one",
        )

    @classmethod
    def found(cls, worst: WorstGroup) -> str:
        """Return in words how few people look like a group."""
        if worst.share > 1:
            return not_covering(worst.rows, worst.hits)
        people = cls.number(worst)
        return f"a group has {'1 person' if people == 1 else f'{people} people'} of the population"

    @classmethod
    def stands(cls, worst: WorstGroup) -> str:
        """Return the same in short."""
        if worst.share > 1:
            return "not covered by the population"
        people = cls.number(worst)
        return f"fewest people: {people:,}"

    @classmethod
    def allows(cls, limit: Fraction) -> str:
        """Return how many people there must be at least."""
        return f"{limit.denominator:,} people"

    def __str__(self) -> str:
        return f"{in_short(self.given)}: at least {self.k} people alike in the population"

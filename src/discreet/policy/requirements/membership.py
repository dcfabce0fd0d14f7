"""Membership (δ-presence, its upper bound; Nergiz, Atzori, Clifton): nobody can be too sure who is in the release.

The population is recoded as the table is. In every group the released rows are at most a share of the people; the share
in a union of groups is a mean of theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field

from discreet.common.shares import Share, percent, short_percent
from discreet.encoded import Ints
from discreet.policy.places import Path
from discreet.policy.populations import Among, Population
from discreet.policy.requirements.any_of import in_short, in_words
from discreet.policy.requirements.base import GroupPromise, GroupRequirement, GroupWords, KnownColumns, WorstGroup
from discreet.policy.requirements.k_map import not_covering
from discreet.policy.requirements.seen import SeenOf

if TYPE_CHECKING:
    from collections.abc import Mapping

MEMBERSHIP = "membership"


@dataclass(frozen=True)
class Presence(GroupPromise):
    """One promise of membership: of the people who look alike on `given` at most a share is in the release."""

    kind: ClassVar[str] = MEMBERSHIP
    noun: ClassVar[tuple[str, str]] = ("membership", "membership")
    called: ClassVar[str] = MEMBERSHIP
    measure: ClassVar[str] = "present"
    template: ClassVar[bool] = True
    words: ClassVar[GroupWords] = GroupWords(
        name=MEMBERSHIP,
        public=("limit on who can be known to be in the release", "limits on who can be known to be in the release"),
        title="Nobody can be surer than {} that a person is in the release",
        broken="That a person is in the release can be known with {}: above its limit",
        axis="share of the population that is in the release, in the worst group",
        caption="The largest share of the people of a group that is in the release",
        column="Promise",
        group="Share of the people of the group that is in the release",
        above="in groups above {}",
        hits="People of the population",
        figure="In the release",
    )
    column: ClassVar[None] = None
    value: ClassVar[None] = None
    whole: ClassVar[bool] = False

    index: int
    given: tuple[str, ...]
    at_most: Fraction
    among: Population

    @property
    def about(self) -> tuple[str, Population]:
        """Whether somebody is there, among whom."""
        return "there", self.among

    def figure(self, rows: Ints, tallies: Ints) -> tuple[Ints, Ints]:
        """Return the rows, and the people."""
        del rows
        here: Ints = tallies[0]
        return here, np.maximum(tallies[1], 1)

    def lacking(self, rows: Ints, tallies: Ints, most: int) -> Ints:
        """Return `most` for groups with too few people: no row of the table would help them."""
        del rows
        limit = self.at_most
        over = tallies[0].astype(object) * limit.denominator > limit.numerator * tallies[1].astype(object)
        return np.where(np.asarray(over, dtype=np.bool_), most, 0)

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        sure = f"cannot be more than {percent(self.at_most)} sure that the person is in the release"
        return f"Whoever knows {in_words(self.given)} of the population {sure}."

    def cannot_be_kept(self, least: Fraction) -> str:
        """Return what an owner needs to know where no release keeps it: the least share possible."""
        return (
            f"cannot be kept: with everything hidden {least} ({percent(least)}) of a group of the population is in the "
            "release; allow at least that much, or release a sample"
        )

    def would_break(self, above: int, below: int) -> str:
        """Return how a group with this share breaks it."""
        people = "1 person" if below == 1 else f"{below} people"
        return f"{above} of {people} in the release, {percent(Fraction(above, below or 1))} > {percent(self.at_most)}"

    def leaves_open(self) -> tuple[str, ...]:
        """Return whom it does not stop."""
        return (
            "that a person is not in the release: only who is in it is kept uncertain",
            "which row is whose, and what is inferred of it: membership limits who is known to be in the release",
        )

    @classmethod
    def found(cls, worst: WorstGroup) -> str:
        """Return in words how sure one can be in the worst group."""
        if worst.share > 1:
            return not_covering(worst.rows, worst.hits)
        people = "1 person" if worst.hits == 1 else f"{worst.hits} people"
        return f"{worst.rows} of {people} in the release, {worst.share} ({percent(worst.share)})"

    @classmethod
    def stands(cls, worst: WorstGroup) -> str:
        """Return the same in short."""
        if worst.share > 1:
            return "not covered by the population"
        people = "1 person" if worst.hits == 1 else f"{worst.hits:,} people"
        return f"{short_percent(worst.share)} ({worst.rows:,} of {people})"

    @classmethod
    def allows(cls, limit: Fraction) -> str:
        """Return the largest share allowed."""
        return short_percent(limit)

    def __str__(self) -> str:
        return f"{in_short(self.given)} -> in the release, at most {percent(self.at_most)}"


class Membership(GroupRequirement):
    """Who shares the `given` columns must not be known to be in the release with more than `at_most` confidence.

    Parameters
    ----------
    given
        The columns an adversary may know of everybody.
    among
        The population: the people among whom those of the table are, as a table or the path of a file.
    at_most
        The largest confidence allowed: `"50%"`, `"0.5"`, `"1/2"` or `Fraction(1, 2)`.
    infer
        Always `"membership"`: how a policy file writes it.

    Examples
    --------
    >>> print(*Membership(given=["age", "sex"], among="population.csv", at_most="50%").promises(0))
    age, sex -> in the release, at most 50%
    """

    tag: ClassVar[str] = MEMBERSHIP
    written: ClassVar[str] = "infer: membership"
    hint: ClassVar[str] = "with 'given', 'among' and 'at_most'"
    needs: ClassVar[dict[str, str]] = {
        "among": "is missing; write the file with the people among whom those of the table are, such as population.csv"
    }
    made: ClassVar[type[GroupPromise]] = Presence
    positional: ClassVar[tuple[str, ...]] = ("given", "among", "at_most")

    infer: Literal["membership"] = Field(default="membership", description="whether a person is in the release")
    given: KnownColumns
    among: Among
    at_most: Share

    if TYPE_CHECKING:

        def __init__(
            self, given: Sequence[str], among: Any, at_most: str | float | Fraction, *, infer: str = MEMBERSHIP
        ) -> None: ...

    @classmethod
    def is_meant(cls, said: Mapping[str, Any]) -> bool:
        """Whether an item of `protect` is one of these."""
        return said.get("infer") == MEMBERSHIP

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that an adversary may know."""
        return self.given

    @property
    def population(self) -> Population:
        """The people among whom those of the table are."""
        return self.among

    def promises(self, index: int, seen: SeenOf | None = None) -> Iterator[Presence]:
        """Yield the promise; `index` is the position of this requirement in `protect`."""
        del seen
        yield Presence(index, self.given, self.at_most, self.among)

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield each column that it names, with its place."""
        for place, column in enumerate(self.given):
            yield ("given", place), column

    def on_share(self, share: Fraction) -> Self:
        """Return the same requirement where only a share of the rows is searched: of the population it is smaller."""
        return self.model_copy(update={"at_most": self.at_most * share})

    def with_limit(self, limit: Fraction) -> Self:
        """Return the same requirement with another largest confidence."""
        return self.model_copy(update={"at_most": limit})

    def with_population(self, population: Population) -> Self:
        """Return the same requirement among other people."""
        return self.model_copy(update={"among": population})

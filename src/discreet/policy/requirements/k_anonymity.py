"""k-anonymity (Samarati, Sweeney; Iyengar): everybody is one of at least k who look alike.

In every group one person is 1/rows of it, which is at most 1/k; a union of groups is larger than each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from pydantic import Field

from discreet.encoded import Ints
from discreet.policy.part import Whole
from discreet.policy.places import Path
from discreet.policy.populations import Among, Population
from discreet.policy.requirements.any_of import in_short, in_words
from discreet.policy.requirements.base import (
    GroupPromise,
    GroupRequirement,
    GroupWords,
    KnownColumns,
    Unit,
    WorstGroup,
)
from discreet.policy.requirements.k_map import KMap
from discreet.policy.requirements.seen import SeenOf


@dataclass(frozen=True)
class Crowd(GroupPromise):
    """One promise of k-anonymity: who looks alike on `given` is one of at least `k`, by share at most 1/k."""

    kind: ClassVar[str] = "k-anonymity"
    noun: ClassVar[tuple[str, str]] = ("k", "k")
    called: ClassVar[str] = "k-anonymity"
    measure: ClassVar[str] = "rows"
    threshold: ClassVar[str] = "k"
    unit: ClassVar[Unit | None] = Unit("row", "rows", "k", "least rows alike", "smallest group")
    words: ClassVar[GroupWords] = GroupWords(
        name="sizes",
        public=("promise of k-anonymity", "promises of k-anonymity"),
        title="Everybody is one of at least {} that look alike",
        broken="A group has only {}: fewer than was promised",
        axis="rows in the smallest group",
        caption="The smallest group of each promise",
        column="Promise",
        group="Rows in the group",
        above="in groups of fewer than {} rows",
    )
    column: ClassVar[None] = None
    value: ClassVar[None] = None

    index: int
    given: tuple[str, ...]
    k: int
    whole: bool = False
    """Whether the rows of the whole table count, of which a sample is released."""

    @property
    def at_most(self) -> Fraction:
        """The largest share that one person may be of a group."""
        return Fraction(1, self.k)

    @property
    def about(self) -> None:
        """No sensitive property: what must not be known is who it is."""
        return

    @property
    def least_rows(self) -> int:
        """How many rows every group needs."""
        return self.k

    def figure(self, rows: Ints, tallies: Ints) -> tuple[Ints, Ints]:
        """Return one person, and the rows."""
        del tallies
        return (rows > 0).astype(np.int64), np.maximum(rows, 1)

    def lacking(self, rows: Ints, tallies: Ints, most: int) -> Ints:
        """Return how many rows each group lacks."""
        del tallies, most
        return np.where(rows > 0, np.maximum(self.k - rows, 0), 0)

    def in_whole_table(self) -> Crowd:
        """Return the promise that the whole table has so many rows alike."""
        return replace(self, whole=True)

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        rows = f"at least {self.k} rows{' of the whole table' if self.whole else ''} that could be theirs"
        unless = ", unless they know that the person is in the sample" if self.whole else ""
        return f"Whoever knows {in_words(self.given)} finds {rows}{unless}."

    def cannot_be_kept(self, least: Fraction) -> str:
        """Return what an owner needs to know where no release keeps it: the largest smallest group."""
        rows = least.denominator
        return f"cannot be kept: with everything hidden the smallest group has {rows} row{'s' if rows > 1 else ''}"

    def would_break(self, above: int, below: int) -> str:
        """Return how a group of so many rows breaks it."""
        del above
        return f"a group of {'1 row' if below == 1 else f'{below} rows'}, fewer than {self.k}"

    @classmethod
    def found(cls, worst: WorstGroup) -> str:
        """Return in words how small the smallest group is."""
        return f"the smallest group has {worst.rows} row{'' if worst.rows == 1 else 's'}"

    @classmethod
    def stands(cls, worst: WorstGroup) -> str:
        """Return the same in short."""
        return f"smallest group: {worst.rows:,} row{'' if worst.rows == 1 else 's'}"

    @classmethod
    def allows(cls, limit: Fraction) -> str:
        """Return how many rows there must be at least."""
        return f"{limit.denominator:,} rows"

    @classmethod
    def number(cls, worst: WorstGroup) -> int:
        """Return the rows of the smallest group."""
        return worst.rows

    def __str__(self) -> str:
        return f"{in_short(self.given)}: at least {self.k} rows alike{' in the whole table' if self.whole else ''}"


class KAnonymity(GroupRequirement):
    """Every combination of released values on the columns `over` is shared by at least `k` rows.

    Parameters
    ----------
    k
        The least number of rows that look alike.
    over
        The columns an adversary may know.
    among
        The population, as a table or the path of a file: `k` then counts its people, not the rows (k-map).

    Examples
    --------
    >>> print(*KAnonymity(k=10, over=["age", "sex"]).promises(0))
    age, sex: at least 10 rows alike
    """

    tag: ClassVar[str] = "k"
    hint: ClassVar[str] = "with 'over'"
    needs: ClassVar[dict[str, str]] = {
        "over": "is missing; write the columns an adversary may know, such as [age, sex]",
    }
    made: ClassVar[type[GroupPromise]] = Crowd
    makes: ClassVar[tuple[type[GroupPromise], ...]] = (Crowd, KMap)

    k: Whole = Field(ge=1, description="the least number of rows that look alike, or of people with `among`")
    over: KnownColumns
    among: Among | None = None

    if TYPE_CHECKING:

        def __init__(self, *, k: int, over: Sequence[str], among: Any = None) -> None: ...

    @property
    def kind_made(self) -> type[GroupPromise]:
        """The kind of promise that this one makes."""
        return Crowd if self.among is None else KMap

    @property
    def population(self) -> Population | None:
        """The people who are counted, where they are not the rows."""
        return self.among

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that an adversary may know."""
        return self.over

    def promises(self, index: int, seen: SeenOf | None = None) -> Iterator[GroupPromise]:
        """Yield the promise; `index` is the position of this requirement in `protect`."""
        del seen
        yield Crowd(index, self.over, self.k) if self.among is None else KMap(index, self.over, self.k, self.among)

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield each column that it names, with its place."""
        for place, column in enumerate(self.over):
            yield ("over", place), column

    def on_share(self, share: Fraction) -> Self:
        """Return the same requirement where only a share of the rows is searched: k rows are about so many of them."""
        if self.among is not None:  # the people are all there
            return self
        return self.model_copy(update={"k": scaled_k(self.k, share)})

    def with_limit(self, limit: Fraction) -> Self:
        """Return the same requirement with another k."""
        return self.model_copy(update={"k": limit.denominator})

    def with_population(self, population: Population) -> Self:
        """Return the same requirement among other people, where it counts them."""
        return self if self.among is None else self.model_copy(update={"among": population})


def scaled_k(k: int, share: Fraction) -> int:
    """Return how many drawn rows stand for k rows of the table: rounded up, and not one row unless k is 1.

    A single drawn row would say nothing about how many there are like it.

    >>> scaled_k(100, Fraction(1, 10)), scaled_k(25, Fraction(1, 10)), scaled_k(5, Fraction(1, 10))
    (10, 3, 2)
    """
    return 1 if k == 1 else max(math.ceil(k * share), 2)

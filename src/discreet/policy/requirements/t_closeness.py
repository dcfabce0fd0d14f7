"""t-closeness (Li, Li, Venkatasubramanian): in no group is a sensitive column distributed much unlike in the release.

The distance between two distributions is what must be moved, times how far (`distances`); it is convex, so a union of
groups is no further from the whole than the further of the two. Rows whose value is hidden or unknown count nowhere,
and a group of which no value is known keeps it. The release itself is what is compared with: where rows leave it or
cells of the column are hidden, everything is counted again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from pydantic import Field, SerializerFunctionWrapHandler, field_validator, model_serializer, model_validator

from discreet.common.shares import Share, largest_below, percent, short_percent
from discreet.encoded import Ints
from discreet.policy.part import Text
from discreet.policy.places import Path
from discreet.policy.requirements.any_of import in_short, in_words
from discreet.policy.requirements.base import (
    Flags,
    GroupPromise,
    GroupWords,
    KnownColumns,
    WorstGroup,
)
from discreet.policy.requirements.distances import Differences, differences, misfits, usual_distance
from discreet.policy.requirements.of_values import OfColumn
from discreet.policy.requirements.seen import SeenColumn, SeenOf, Value, lines_for

_HOW = {
    "equal": "",
    "ordered": ", values near each other counting less",
    "tree": ", values of one group of the taxonomy counting less",
}


@dataclass(frozen=True)
class Closeness(GroupPromise):
    """One promise of t-closeness: who looks alike on `given` is distributed over `column` nearly as the release is."""

    kind: ClassVar[str] = "t-closeness"
    noun: ClassVar[tuple[str, str]] = ("t", "t")
    called: ClassVar[str] = "t-closeness"
    measure: ClassVar[str] = "distance"
    threshold: ClassVar[str] = "t"
    decides: ClassVar[bool] = True
    moves: ClassVar[bool] = True
    words: ClassVar[GroupWords] = GroupWords(
        name="closeness",
        public=("promise of t-closeness", "promises of t-closeness"),
        title="No group is further than {} from the whole release",
        broken="A group is {} from the whole release: further than was promised",
        axis="distance of the worst group from the whole release",
        caption="The distance of the worst group of each promise",
        column="Promise",
        group="Distance of the group",
        above="in groups further away than {}",
        figure="Distance",
    )
    value: ClassVar[None] = None
    whole: ClassVar[bool] = False

    index: int
    given: tuple[str, ...]
    column: str
    at_most: Fraction
    distance: str | None
    """How far values are apart; None where that depends on the table."""
    order: tuple[Value, ...] | None = None
    told: Differences = field(default=Differences(), compare=False, repr=False)

    @property
    def about(self) -> tuple[str, str, str | None, tuple[Value, ...] | None]:
        """The distribution of a column, by a distance."""
        return self.kind, self.column, self.distance, self.order

    def marks(self, values: Sequence[Value], known: Flags) -> Flags:
        """Return each value on a line of its own, in the order of the distance."""
        return lines_for(self.told.order, values) & known

    def numbers(self, at_most: Fraction, total: int) -> Ints:
        """Return what the distance sums up, and its limit in the same numbers."""
        told = self.told
        limit = at_most * told.rows * told.most
        whole = limit.numerator // limit.denominator
        beyond = largest_below(limit - whole, max(total, 1))
        own = [len(told.sums), told.rows, whole, beyond.numerator, beyond.denominator, *told.usual]
        return np.array([*own, *(number for each in told.sums for number in each)], dtype=np.int64)

    def too_large(self, total: int) -> str | None:
        """Return why so many rows cannot be counted exactly, if that is so."""
        if total * max(total, self.told.rows) * self.told.most < 2**62:
            return None
        return f"{total} rows are too many for distances over {len(self.told.order)} values of {self.column!r}"

    def figure(self, rows: Ints, tallies: Ints) -> tuple[Ints, Ints]:
        """Return the distance from the whole release."""
        del rows
        return self.told.of(tallies)

    def lacking(self, rows: Ints, tallies: Ints, most: int) -> Ints:
        """Return one row where a group breaks it: more are needed, and how many depends on them."""
        del rows, most
        above, below = self.told.of(tallies)
        over, under = self.at_most.numerator, self.at_most.denominator
        return np.array([a * under > over * b for a, b in zip(above.tolist(), below.tolist(), strict=True)], np.int64)

    def lacking_by_lot(self, rows: int, tallies: Ints, all_rows: int, all_tallies: Ints, most: int) -> int:
        """Return about how many rows a group lacks where the others are as usual: they bring it nearer."""
        above, below = self.told.of(tallies.reshape(-1, 1))
        far, limit = Fraction(int(above[0]), int(below[0])), self.at_most
        if far <= limit:
            return 0
        known, everyone = int(tallies.sum()), int(all_tallies.sum())
        del rows, all_rows
        # m others out of the r that are not in the group are further from it than the usual by n/r.
        toward = limit * (everyone - known) + far * known if everyone > known else Fraction(0)
        if not toward:
            return most
        more = (far - limit) * known * (everyone - known) / toward
        return min(max(int(-(-more.numerator // more.denominator)), 1), most)

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        apart = (
            f"shares of the values of {self.column} that differ from those of all by at most {percent(self.at_most)}"
        )
        how = _HOW.get(self.distance or "", "")
        return f"Whoever knows {in_words(self.given)} and sees the release finds {apart}{how}."

    def cannot_be_kept(self, least: Fraction) -> str:
        """Return what an owner needs to know where no release keeps it: the least distance possible."""
        return f"cannot be kept: with everything hidden a group is still {self.shown(least)} away; allow at least that"

    def would_break(self, above: int, below: int) -> str:
        """Return how a group breaks it."""
        return f"a group too far from the whole release (about {above / (below or 1):.2g} times what is allowed)"

    def leaves_open(self) -> tuple[str, ...]:
        """Return that the release itself tells something, and what is rare."""
        return (
            f"what {self.column} is like in the whole release: t-closeness limits what a group tells beyond that",
            f"how much likelier a rare value of {self.column} is in a group: write at_most: 2x for that",
        )

    @classmethod
    def found(cls, worst: WorstGroup) -> str:
        """Return in words how far the worst group is away."""
        return f"the furthest group is {worst.share} ({percent(worst.share)}) away"

    @classmethod
    def stands(cls, worst: WorstGroup) -> str:
        """Return the same in short."""
        return f"furthest group: {short_percent(worst.share)}"

    @classmethod
    def allows(cls, limit: Fraction) -> str:
        """Return the largest distance allowed."""
        return short_percent(limit)

    def __str__(self) -> str:
        by = "" if self.distance is None else f" ({self.distance} distance)"
        return f"{in_short(self.given)}: {self.column} at most {percent(self.at_most)} from the release{by}"


class TCloseness(OfColumn):
    """On every combination of released values of `over`, the column `of` is distributed nearly as in the release.

    Parameters
    ----------
    t
        The largest distance, as a share: `"20%"`.
    of
        The sensitive column.
    over
        The columns an adversary may know.
    distance
        `equal` (how much is distributed otherwise), `ordered` (values near each other count less) or `tree` (values of
        one group of the taxonomy count less). When absent: `ordered` for numbers, dates and a given order, `tree` for
        a column with a taxonomy, else `equal`.
    order
        The values of a category from the lowest to the highest, for `ordered`.

    Examples
    --------
    >>> print(*TCloseness(t="20%", of="Illness", over=["age", "sex"], distance="equal").promises(0))
    age, sex: Illness at most 20% from the release (equal distance)
    """

    tag: ClassVar[str] = "t"
    made: ClassVar[type[GroupPromise]] = Closeness

    t: Share = Field(description="the largest distance from the whole release")
    of: str = Field(description="the sensitive column")
    over: KnownColumns
    distance: Literal["equal", "ordered", "tree"] | None = Field(
        default=None, description="how far values are apart; when absent, as fits the column"
    )
    order: tuple[Text, ...] | None = Field(
        default=None, description="ordered: the values of a category from the lowest to the highest"
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            t: str | float | Fraction,
            of: str,
            over: Sequence[str],
            distance: Literal["equal", "ordered", "tree"] | None = None,
            order: Sequence[str | int | float | bool | None] | None = None,
        ) -> None: ...

    @model_serializer(mode="wrap")
    def _without_defaults(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what was not said."""
        said: dict[str, Any] = plain(self)
        return {name: value for name, value in said.items() if value is not None}

    @field_validator("order")
    @classmethod
    def _each_once(cls, order: tuple[Value, ...] | None) -> tuple[Value, ...] | None:
        if order is not None and (len(order) < 2 or len(set(order)) < len(order)):
            raise ValueError("write at least two values, each once, from the lowest to the highest")
        return order

    @model_validator(mode="after")
    def _fits_together(self) -> TCloseness:
        if self.order is not None and self.distance not in (None, "ordered"):
            raise ValueError(f"order: is for distance: ordered, not for {self.distance}; drop one of the two")
        return self

    @property
    def reads(self) -> frozenset[str]:
        """How its values are put in order, and to which groups they belong."""
        return frozenset({"type", "taxonomy"})

    def promises(self, index: int, seen: SeenOf | None = None) -> Iterator[Closeness]:
        """Yield the promise; `index` is the position of this requirement in `protect`."""
        if seen is None:
            yield Closeness(index, self.over, self.of, self.t, self.distance, self.order)
            return
        column = seen(self.of)
        distance = self.distance or usual_distance(column, self.order)
        told = differences(distance, self.order, column)
        yield Closeness(index, self.over, self.of, self.t, distance, self.order, told)

    def problems(self, column: SeenColumn) -> Iterator[tuple[Path, str]]:
        """Yield where the distance does not fit the column."""
        distance = self.distance or usual_distance(column, self.order)
        for message in misfits(distance, self.order, self.of, column):
            yield ("distance",), message

    def with_limit(self, limit: Fraction) -> Self:
        """Return the same requirement with another t."""
        return self.model_copy(update={"t": limit})

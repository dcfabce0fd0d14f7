"""So many times the usual share (basic β-likeness, Cao and Karras, with β one less): `at_most: 2x`.

No property may be more than x times as common in a group as in the whole release: c/n <= x q/N, with c of the n known
rows of the group, and q of the N known rows of the release; and the same with all rows, known or not. q and N are the
same for all groups, so a union of groups keeps it as it keeps a template. The release itself is what is compared with:
where rows leave it or cells of the column are hidden, everything is counted again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from pydantic import PlainSerializer, PlainValidator, WithJsonSchema

from discreet.common.shares import SHARE_SCHEMA, decimal, largest_below, parse_share
from discreet.encoded import Ints
from discreet.policy.part import Text
from discreet.policy.requirements.any_of import in_short, in_words
from discreet.policy.requirements.base import Flags, GroupPromise, GroupWords, WorstGroup
from discreet.policy.requirements.seen import SeenColumn, SeenOf, Value, lines_for
from discreet.policy.requirements.template_promise import Inference
from discreet.policy.requirements.value_kinds import ValueKind, ValueParts

_TIMES = re.compile(r"\s*(?:(?P<over>\d+)\s*/\s*(?P<under>\d+)|(?P<plain>\d+(?:\.\d*)?|\.\d+))\s*[xX×]\s*")
MOST_DIGITS = 12
_WRITE = "write how many times what is usual, above 1, such as 2x, 1.5x or 3/2x"


def times_text(times: Fraction) -> str:
    """Return how many times, as a policy writes it: a decimal number if that is exact."""
    exact = decimal(times)
    return f"{exact}x" if Fraction(exact) == times else f"{times}x"


class OneValue(ValueKind):
    """A single value, as a kind like the others."""

    tag: ClassVar[str] = "value"
    positional: ClassVar[tuple[str, ...]] = ("value",)
    made: ClassVar[type[GroupPromise]] = Inference

    value: Text

    if TYPE_CHECKING:

        def __init__(self, value: str | None) -> None: ...

    def parts(self, seen: SeenColumn) -> ValueParts:
        """Return the value."""
        del seen
        return ValueParts(((self.value,),), ((0, 1),))

    def promise(
        self, index: int, given: tuple[str, ...], column: str, at_most: Fraction, parts: ValueParts
    ) -> Inference:
        """Return the template."""
        del parts
        return Inference(index, given, column, self.value, at_most)

    def short(self, column: str) -> str:
        """Return what is meant in short."""
        return f"{column} = {'a missing value' if self.value is None else self.value}"

    def in_words(self, column: str) -> str:
        """Return what somebody may be sure of."""
        return f"that {column} is {'missing' if self.value is None else self.value}"

    def named(self) -> tuple[Value, ...]:
        """Return the value."""
        return (self.value,)

    def sought(self) -> tuple[Value, ...]:
        """Return the value."""
        return (self.value,)


@dataclass(frozen=True)
class TimesUsual(GroupPromise):
    """Nothing that is asked about is more than `at_most` times as common in a group as in the whole release."""

    kind: ClassVar[str] = "relative"
    noun: ClassVar[tuple[str, str]] = ("a template", "templates")
    called: ClassVar[str] = "a template"
    measure: ClassVar[str] = "relative"
    threshold: ClassVar[str] = "times"
    holds_at_one: ClassVar[bool] = False
    thresholds: ClassVar[tuple[Fraction, ...] | None] = tuple(
        Fraction(x) for x in ("1.1", "1.2", "1.3", "1.5", "1.75", "2", "2.5", "3", "4", "5", "7.5", "10", "20", "50")
    )
    spread: ClassVar[tuple[Fraction, ...]] = tuple(Fraction(half, 2) for half in range(21))
    decides: ClassVar[bool] = True
    known_only: ClassVar[bool] = False
    moves: ClassVar[bool] = True
    template: ClassVar[bool] = True
    words: ClassVar[GroupWords] = GroupWords(
        name="relative",
        public=("limit on how much commoner a value is in a group", "limits on how much commoner values are in groups"),
        title="Nothing is more than {} as common in a group as in the whole release",
        broken="Something is {} as common in a group as in the whole release: above its limit",
        axis="times the usual share in the worst group",
        caption="Times the usual share, in the worst group of each promise",
        column="Promise",
        group="Times the usual share",
        above="in groups where something is more than {} as common",
        hits="With the worst value",
        figure="Times the usual share",
    )
    value: ClassVar[None] = None
    whole: ClassVar[bool] = False

    index: int
    given: tuple[str, ...]
    column: str
    asked: ValueKind
    at_most: Fraction
    parts: ValueParts = field(default=ValueParts(), compare=False, repr=False)
    usual: tuple[int, ...] = field(default=(), compare=False, repr=False)
    """How many rows of the release have each property."""
    known: int = field(default=0, compare=False, repr=False)
    rows: int = field(default=0, compare=False, repr=False)
    """How many rows of the release are known, and how many there are."""

    @property
    def about(self) -> tuple[str, str, str]:
        """What is compared with what is usual."""
        return self.kind, self.column, self.asked.short(self.column)

    def marks(self, values: Sequence[Value], known: Flags) -> Flags:
        """Return the known values on the first line, then the values of each set on a line of their own."""
        return np.concatenate([known.reshape(1, -1), lines_for(self.parts.order, values) & known])

    def properties(self, values: Sequence[Value], known: Flags) -> Flags:
        """Return the values of each property."""
        return self.parts.unions(self.marks(values, known)[1:])

    @property
    def needs_all_rows(self) -> bool:
        """As what is asked about."""
        return self.asked.needs_all_rows

    def of_property(self, given: tuple[str, ...], column: str, value: str, seen: SeenOf | None) -> TimesUsual:
        """Return the same of a value that says who has one of the properties."""
        there = None if seen is None else seen(column)
        return Times(self.at_most).promise(self.index, given, column, OneValue(value), there)

    @cached_property
    def _at_limit(self) -> dict[int, Ints]:
        """What is allowed for so many rows in all, once it was reckoned."""
        return {}

    def _allowed(self, at_most: Fraction, total: int) -> list[tuple[int, int, int, int]]:
        """Return the largest share allowed of each property among known rows, and among all."""
        found = []
        for usual in self.usual:
            shares = [
                min(at_most * Fraction(usual, all_rows or 1), Fraction(1)) for all_rows in (self.known, self.rows)
            ]
            near = [largest_below(share, max(total, 1)) for share in shares]
            found.append((near[0].numerator, near[0].denominator, near[1].numerator, near[1].denominator))
        return found

    def numbers(self, at_most: Fraction, total: int) -> Sequence[int]:
        """Return how many properties there are, and of each from which line to which it goes and what is allowed."""
        numbers = [len(self.parts.ranges)]
        for (first, stop), allowed in zip(self.parts.ranges, self._allowed(at_most, total), strict=True):
            numbers += [first + 1, stop + 1, *allowed]
        return numbers

    def _broken(self, rows: Ints, tallies: Ints) -> Flags:
        """Return which properties (first axis) are too common in which groups."""
        total = max(self.rows, int(rows.max(initial=0)))
        if total not in self._at_limit:
            self._at_limit[total] = np.array(self._allowed(self.at_most, total), dtype=np.int64)
        allowed = self._at_limit[total]
        sums, known = self.parts.sums(tallies[1:]), tallies[0]
        if not len(allowed):
            return np.zeros(sums.shape, dtype=np.bool_)
        over, under, over_all, under_all = allowed.T[:, :, None]
        found: Flags = (sums * under > over * known) | (sums * under_all > over_all * rows)
        return found

    def figure(self, rows: Ints, tallies: Ints) -> tuple[Ints, Ints]:
        """Return how many times as common as usual the worst property is: rows here times all rows, and the reverse."""
        sums, known, broken = self.parts.sums(tallies[1:]), tallies[0], self._broken(rows, tallies)
        usual = np.maximum(np.array(self.usual or (1,), dtype=np.int64), 1)
        # Floats choose which is told; that it is one that breaks the promise, if any does, is exact.
        times = np.where(broken | ~broken.any(axis=0), sums / usual[:, None], -1.0)
        worst = times.argmax(axis=0)
        hits, often = sums[worst, np.arange(len(rows))], usual[worst]
        here = hits * max(self.known, 1) / np.maximum(known, 1)
        all_here = hits * max(self.rows, 1) / np.maximum(rows, 1)
        by_all = all_here > here
        above = hits * np.where(by_all, self.rows, self.known)
        below = often * np.where(by_all, np.maximum(rows, 1), np.maximum(known, 1))
        return np.asarray(above, dtype=np.int64), np.asarray(below, dtype=np.int64)

    def lacking(self, rows: Ints, tallies: Ints, most: int) -> Ints:
        """Return one row where a group breaks it: more are needed, and how many depends on them."""
        del most
        return np.asarray(self._broken(rows, tallies).any(axis=0), dtype=np.int64)

    def lacking_by_lot(self, rows: int, tallies: Ints, all_rows: int, all_tallies: Ints, most: int) -> int:
        """Return about how many rows a group lacks where the others are as usual."""
        del all_rows, all_tallies
        here = np.array([rows]), tallies.reshape(-1, 1)
        if not self._broken(*here).any():
            return 0
        above, below = self.figure(*here)
        times, limit = float(above[0]) / float(below[0]), float(self.at_most)
        return min(max(int(np.ceil(rows * (times - limit) / (limit - 1))), 1), most)

    def sought(self) -> tuple[Value, ...]:
        """Return the values that are asked about."""
        return self.asked.sought()

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        times = f"{times_text(self.at_most)[:-1]} times as sure {self.asked.in_words(self.column)} as of anybody"
        return f"Whoever knows {in_words(self.given)} and sees the release cannot be more than {times} in the release."

    def cannot_be_kept(self, least: Fraction) -> str:
        """Return what an owner needs to know where no release keeps it: how many times it is at best."""
        return f"cannot be kept: with everything hidden it is still {self.shown(least)}; allow at least that much"

    def would_break(self, above: int, below: int) -> str:
        """Return how a group breaks it."""
        return f"{self.asked.short(self.column)} is about {above / (below or 1):.2g} times what is allowed"

    def leaves_open(self) -> tuple[str, ...]:
        """Return that what is common anyway is not limited."""
        usual = f"what {self.column} is like in the whole release: {times_text(self.at_most)} limits how much commoner"
        return (f"{usual} something is in a group, so what most have is known of most",)

    @classmethod
    def found(cls, worst: WorstGroup) -> str:
        """Return in words how much commoner than usual something is in the worst group."""
        rows = worst.rows - worst.hidden
        among = f"{rows} known rows" if worst.hidden else "1 row" if rows == 1 else f"{rows} rows"
        return f"{worst.hits} of {among}, {cls.shown(worst.share)} what is usual"

    @classmethod
    def stands(cls, worst: WorstGroup) -> str:
        """Return the same in short."""
        return f"{cls.shown(worst.share)} ({worst.hits:,} of {worst.rows - worst.hidden:,} rows)"

    @classmethod
    def allows(cls, limit: Fraction) -> str:
        """Return how many times is allowed."""
        return times_text(limit)

    @classmethod
    def shown(cls, figure: float | Fraction) -> str:
        """Return how many times."""
        return f"{float(figure):.2f}".rstrip("0").rstrip(".") + "x"

    @classmethod
    def read_limit(cls, text: object) -> Fraction:
        """Return how many times somebody writes as a threshold."""
        times = Times.read(text if isinstance(text, str) and text.strip()[-1:] in "xX×" else f"{text}x")
        return Fraction(times.numerator, times.denominator)

    @classmethod
    def limit_text(cls, limit: Fraction) -> str:
        """Return how many times, as people write it."""
        return times_text(limit)

    def __str__(self) -> str:
        times = f"at most {times_text(self.at_most)} its usual share"
        return f"{in_short(self.given)} -> {self.asked.short(self.column)}, {times}"


class Times(Fraction):
    """So many times the usual share, and how the owner wrote it."""

    __slots__ = ("text",)

    text: str

    def __new__(cls, times: Fraction, text: str | None = None) -> Times:
        """Return so many times."""
        made = super().__new__(cls, times)
        made.text = times_text(Fraction(times)) if text is None else text
        return made

    @classmethod
    def read(cls, text: str) -> Times:
        """Return how many times a text says; raise ValueError with the fix otherwise.

        >>> Times.read("3/2x") == Times.read("1.5x"), Times.read("3/2x").text
        (True, '3/2x')
        """
        match = _TIMES.fullmatch(text)
        if match is None or len(text) > 2 * MOST_DIGITS or (match["under"] or "1").strip("0") == "":
            raise ValueError(f"{text!r} says no number of times; {_WRITE}")
        plain = match["plain"]
        times = Fraction(plain) if plain is not None else Fraction(int(match["over"]), int(match["under"]))
        if times <= 1:
            raise ValueError(f"{text.strip()} is not above 1, and nothing can be rarer than usual everywhere; {_WRITE}")
        return cls(times, text.strip())

    def __reduce__(self) -> tuple[type[Times], tuple[Fraction, str]]:
        return Times, (Fraction(self.numerator, self.denominator), self.text)

    def __copy__(self) -> Times:
        return self

    def __deepcopy__(self, memo: object) -> Times:
        return self

    def promise(
        self, index: int, given: tuple[str, ...], column: str, asked: ValueKind, seen: SeenColumn | None
    ) -> TimesUsual:
        """Return the promise that nothing asked about is so much commoner in a group."""
        times = Fraction(self.numerator, self.denominator)
        if seen is None:
            return TimesUsual(index, given, column, asked, times)
        parts = asked.parts(seen)
        return TimesUsual(index, given, column, asked, times, parts, parts.counts(seen), seen.known, seen.rows)


def _limit(value: object) -> object:
    if isinstance(value, Times):
        return value
    if isinstance(value, str) and value.strip()[-1:] in ("x", "X", "×"):
        return Times.read(value)
    return parse_share(value)


_SCHEMA = {
    "anyOf": [
        *SHARE_SCHEMA["anyOf"],
        {"type": "string", "pattern": r"^\s*(\d+\s*/\s*\d+|\d+(\.\d*)?|\.\d+)\s*[xX×]\s*$"},
    ],
    "description": "an exact share (75%, 0.75 or 3/4), or so many times the usual one (2x, 1.5x, 3/2x)",
}
Limit = Annotated[
    Fraction,
    PlainValidator(_limit),
    PlainSerializer(lambda limit: limit.text if isinstance(limit, Times) else str(limit), return_type=str),
    WithJsonSchema(_SCHEMA),
]
"""A share, or so many times the usual one."""

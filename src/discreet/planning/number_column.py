"""A changeable column of numbers or dates, which are released as intervals."""

from __future__ import annotations

import bisect
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from discreet.columns.intervals import (
    Border,
    Interval,
    Values,
    allowed_cuts,
    between,
    between_all_ends,
    between_ends,
    closed,
    cut_values,
    intervals,
)
from discreet.columns.scale import share_of_range, whole_distances
from discreet.encoded import Ints
from discreet.method.base.space import Flags, Node, Places, Space
from discreet.plan.local_groups import Label
from discreet.plan.parts import Recoding
from discreet.planning.changeable import Domain, as_parts
from discreet.policy.columns import Column

if TYPE_CHECKING:
    from discreet.method.disclosure.search import Parts


@dataclass(frozen=True)
class NumberColumn:
    """Numbers or dates are released as intervals; missing values stand beside them."""

    name: str
    column: Column
    values: Values
    domain: Domain
    missing: Domain
    marker: str
    numbers: tuple[Decimal | None, ...] = field(repr=False, compare=False)
    """The number of each of the table's values; None for the missing ones."""

    @cached_property
    def space(self) -> Space:
        """The missing values first, then the numbers in ascending order."""
        numbers, extra = self.values.numbers, len(self.missing)
        size = extra + len(numbers)
        lowest, highest = numbers[0], numbers[-1]
        away = whole_distances(numbers)
        places = Places((0,) * extra + tuple(away), max(away[-1], 1))
        cuts = np.zeros(size, dtype=np.bool_)
        cuts[extra:] = allowed_cuts(self.values, self.column)
        cuts[extra] = False
        whole = Node(extra, size, share=Fraction(int(lowest != highest)), interval=True)
        if not extra:
            return Space(size, (whole,), cuts, places)
        leaves = [Node(code, code + 1) for code in range(extra)]
        root = Node(0, size, tuple(range(1, extra + 2)), Fraction(1))
        return Space(size, (root, *leaves, whole), cuts, places)

    @cached_property
    def codes(self) -> Ints:
        """The places of the table's values among the missing values and numbers."""
        places: dict[str | Decimal | None, int] = {value: place for place, value in enumerate(self.missing)}
        places |= {number: place for place, number in enumerate(self.values.numbers, start=len(self.missing))}
        return np.array(
            [
                places[value if number is None else number]
                for value, number in zip(self.domain, self.numbers, strict=True)
            ],
            dtype=np.int64,
        )

    def codes_of(self, values: Sequence[str | None]) -> Ints:
        """Return the codes of the last numbers that are cut before each; none where no interval has it for sure."""
        scale, extra = self.column.scale, len(self.missing)
        assert scale is not None
        cuts = np.flatnonzero(self.space.cuts).tolist()
        borders = cut_values(self.values, self.column, [code - extra for code in cuts])
        lowest, highest, whole = self.values.numbers[0], self.values.numbers[-1], self.values.whole
        missing = {value: code for code, value in enumerate(self.missing)}
        found = []
        for value in values:
            number = None if value in missing else scale.read(value)
            beyond = number is not None and not self.column.open_ends and not lowest <= number <= highest
            if number is None or beyond or (whole and number != number.to_integral_value()):
                found.append(missing.get(value, -1))
            else:
                at = bisect.bisect_right(borders, Border(number))
                found.append(cuts[at - 1] if at else extra)
        return np.array(found, dtype=np.int64)

    @property
    def pinned(self) -> Flags:
        """None."""
        return np.zeros(len(self.missing) + len(self.values.numbers), dtype=np.bool_)

    def describe(self, slot: int, first: int, stop: int) -> tuple[str | None, str]:
        """Return the interval."""
        return (self.marker, "specialise") if slot < self._nodes else (self._interval(first, stop), "split")

    def cut(self, slot: int) -> str | None:
        """Return the number in front of which an interval is cut."""
        if slot < self._nodes:
            return None
        (cut,) = cut_values(self.values, self.column, [slot - self._nodes - len(self.missing)])
        return self._write_border(cut)

    @property
    def _nodes(self) -> int:
        """How many nodes the space has."""
        return len(self.missing) + 2 if self.missing else 1

    def recoding(self, found: Flags | Parts, empty: Collection[int] = ()) -> Recoding:
        """Return the intervals, and what becomes of missing values.

        Outermost intervals without a kept row are hidden, so that their neighbours do not tell where they begin.
        """
        extra = len(self.missing)
        parts = as_parts(found)
        if extra and len(parts) == 1:
            to: tuple[tuple[str | None, str | None], ...] = tuple((value, self.marker) for value in self.missing)
            return Recoding(self.name, to, (Interval(None, None, self.marker),))
        numbers = [(first - extra, stop - extra) for first, stop, _ in parts if first >= extra]
        gone = [first + extra in empty for first, _ in numbers]
        if all(gone):
            gone = [False] * len(gone)
        low = gone.index(False)
        high = len(gone) - gone[::-1].index(False)
        to = tuple((value, value) for value in self.missing)
        made = Recoding(self.name, to, tuple(self._intervals(numbers[low:high])))
        if self.column.scale is not None:
            made.read_already(self.domain, self.column.scale, self.numbers)
        return made

    def binned(self) -> Recoding:
        """Return the recoding by all intervals between the owner's ends."""
        to = tuple((value, value) for value in self.missing)
        return Recoding(self.name, to, tuple(between_all_ends(self.values, self.column, self.marker)))

    def _intervals(self, numbers: Sequence[tuple[int, int]]) -> list[Interval]:
        """Return the intervals of these ranges, and hidden ones for what lies outside."""
        first, stop = numbers[0][0], numbers[-1][1]
        inside = replace(
            self.values,
            numbers=self.values.numbers[first:stop],
            rows=self.values.rows[first:stop],
            spellings=self.values.spellings[first:stop],
        )
        made = intervals(inside, self.column, [begin - first for begin, _ in numbers[1:]], self.marker)
        if made[0].text == self.marker and stop - first < len(self.values.numbers):
            made = [self._alone(first, stop)]
        if first > 0:
            (begin,) = cut_values(self.values, self.column, [first])
            made = [between(None, begin, self.marker), made[0].beginning(begin), *made[1:]]
        if stop < len(self.values.numbers):
            (end,) = cut_values(self.values, self.column, [stop])
            made = [*made[:-1], made[-1].stopping(end), between(end, None, self.marker)]
        return made

    def _alone(self, first: int, stop: int) -> Interval:
        """Return the only interval that is told, with a text of its own: the marker stands for those that are hidden.

        Without `ends` it is told by one value of its own rows; those of the others are not told.
        """
        if self.column.ends is not None or self.column.released_form != "interval":
            return between_ends(self.values, self.column, first, stop, self.marker)
        low, high, (bottom, top) = self.values.numbers[first], self.values.numbers[stop - 1], self.column.tails
        if first > 0:
            return Interval(None, None, f">={self._write(low if top is None else min(low, top))}")
        high = high if bottom is None else max(high, bottom)
        return Interval(None, None, f"<={self._write(high)}", high=high)

    def losses(self, recoding: Recoding) -> list[float]:
        """Return the share of the range between the smallest and largest value with the same text."""
        scale = self.column.scale
        assert scale is not None
        texts = recoding.texts(self.domain, scale)
        reach: dict[object, tuple[Decimal, Decimal]] = {}
        for text, number in zip(texts, self.numbers, strict=True):
            if number is not None:
                low, high = reach.get(text, (number, number))
                reach[text] = (min(low, number), max(high, number))
        lowest, highest = self.values.numbers[0], self.values.numbers[-1]
        width = {
            text: float(share_of_range(high, lowest, highest) - share_of_range(low, lowest, highest))
            for text, (low, high) in reach.items()
        }
        # The marker for missing values too hides more than the numbers have to tell.
        width[self.marker] = float(lowest != highest or any(text == self.marker for _, text in recoding.to))
        return [
            (0.0 if text == value != self.marker else 1.0) if number is None else width[text]
            for value, text, number in zip(self.domain, texts, self.numbers, strict=True)
        ]

    def coarse(self, found: Flags | Parts) -> Iterator[tuple[int, str | None]]:
        """Yield the intervals with more than one number, and the root above missing values."""
        for first, stop, _ in as_parts(found):
            if stop - first > 1:
                yield first, self.marker if first < len(self.missing) else self._interval(first, stop)

    @property
    def values_of_codes(self) -> Domain:
        """The missing values and the numbers, each as it stands somewhere in the table."""
        spelled = dict(zip(self.codes.tolist(), self.domain, strict=True))
        return tuple(spelled[code] for code in range(len(spelled)))

    def label(self, first: int, stop: int) -> Label:
        """Return a missing value, the marker for all, or the interval."""
        extra = len(self.missing)
        if first < extra:
            text = self.missing[first] if stop - first == 1 else self.marker
            return Label(text, first, stop)
        write = closed if self.column.ends is None else between_ends
        interval = write(self.values, self.column, first - extra, stop - extra, self.marker)
        return Label(interval.text, first, stop, interval=interval)

    def set_label(self, codes: Sequence[int]) -> Label:
        """Return the interval: numbers have no sets."""
        return self.label(codes[0], codes[-1] + 1)

    def _interval(self, first: int, stop: int) -> str:
        """Return an interval for the eyes of the owner: as far as the values reach, the last closed."""
        extra, scale = len(self.missing), self.column.scale
        low, high = Border(self.values.numbers[0]), Border(self.values.numbers[-1], after=True)
        link = ", " if scale is None else scale.link
        if first > extra:
            (low,) = cut_values(self.values, self.column, [first - extra])
        if stop < extra + len(self.values.numbers):
            (high,) = cut_values(self.values, self.column, [stop - extra])
        begin, end = "(" if low.after else "[", "]" if high.after else ")"
        return f"{begin}{self._write(low.value)}{link}{self._write(high.value)}{end}"

    def _write_border(self, border: Border) -> str:
        return f"{'>' if border.after else ''}{self._write(border.value)}"

    def _write(self, value: Decimal) -> str:
        scale = self.column.scale
        assert scale is not None
        return scale.write(value)

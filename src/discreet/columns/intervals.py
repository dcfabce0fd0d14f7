"""Intervals of numbers and dates: where they begin and stop, and the text that is released for each."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Protocol

from discreet.columns.scale import EXACT, Scale


@dataclass(frozen=True)
class Interval:
    """All values from `start` (None: without end) up to but not including `stop`, released as `text`.

    `low` and `high` are set where the text covers less: the values from `low` to `high`, both included.
    """

    start: Decimal | None
    stop: Decimal | None
    text: str
    low: Decimal | None = None
    high: Decimal | None = None

    def has(self, value: Decimal) -> bool:
        """Whether the text may be released for a value."""
        inside = (self.start is None or self.start <= value) and (self.stop is None or value < self.stop)
        return inside and (self.low is None or self.low <= value) and (self.high is None or value <= self.high)


def finder(intervals: Sequence[Interval]) -> Callable[[Decimal | None], str | None]:
    """Return what finds the text that may be released for a number, among ascending intervals; None for none."""
    starts = [interval.start for interval in intervals[1:]]

    def text(value: Decimal | None) -> str | None:
        if value is None:
            return None
        place = bisect.bisect_right(starts, value)  # type: ignore[type-var]  # only the first has no start
        return intervals[place].text if intervals[place].has(value) else None

    return text


@dataclass(frozen=True)
class Values:
    """The numbers (or dates) of a column in ascending order, with the rows that have each and how it is written."""

    numbers: tuple[Decimal, ...]
    rows: tuple[int, ...]
    spellings: tuple[str, ...]
    """The text of each number as it stands in the table, where there is only one."""

    def whole(self) -> bool:
        """Whether all are integers."""
        return all(number == number.to_integral_value() for number in self.numbers)


class ToldAs(Protocol):
    """How the owner wants the intervals of a column told."""

    @property
    def scale(self) -> Scale | None:
        """How its values are read and written."""

    @property
    def ends(self) -> object:
        """Where it may be cut, as the owner wrote it; None for anywhere."""

    @property
    def end_points(self) -> tuple[Decimal, ...] | None:
        """Where it may be cut; None for anywhere."""

    @property
    def labels(self) -> tuple[str, ...] | None:
        """A text for each interval between two ends."""

    @property
    def released_form(self) -> str:
        """`interval`, `label` or `median`."""

    @property
    def open_ends(self) -> bool:
        """Whether outermost intervals tell no extreme value."""

    @property
    def whole_is_marker(self) -> bool:
        """Whether an interval of everything is written as the marker."""


def cut_values(values: Values, column: ToldAs, cuts: Sequence[int]) -> list[Decimal]:
    """Return the value at which each cut (in front of a number, by its place) is made.

    It is the smallest number of the right part, or the owner's end point.
    """
    ends = column.end_points
    if ends is None:
        return [values.numbers[cut] for cut in cuts]
    return [ends[bisect.bisect_right(ends, values.numbers[cut - 1])] for cut in cuts]


def allowed_cuts(values: Values, column: ToldAs) -> list[bool]:
    """Return in front of which numbers the column may be cut."""
    ends = column.end_points
    if ends is None:
        return [True] * len(values.numbers)
    places = {bisect.bisect_left(values.numbers, end) for end in ends}
    return [place in places for place in range(len(values.numbers))]


def intervals(values: Values, column: ToldAs, cuts: Sequence[int], marker: str) -> list[Interval]:
    """Return the intervals that the cuts make (each in front of a number, by its place), with their texts."""
    if not values.numbers:
        return []
    scale = column.scale
    assert scale is not None
    borders = [None, *cut_values(values, column, cuts), None]
    edges = [0, *cuts, len(values.numbers)]
    whole = scale.always_whole or (values.whole() and all(b is None or b == b.to_integral_value() for b in borders))
    write = _Writer(scale, column, values, whole=whole)
    return [
        write.interval(borders[place], borders[place + 1], edges[place], edges[place + 1], marker)
        for place in range(len(edges) - 1)
    ]


def between_all_ends(values: Values, column: ToldAs, marker: str) -> list[Interval]:
    """Return the intervals between all of the owner's end points, with their texts.

    Those without a number are there too, so that the others do not depend on what occurs; but a median or the extremes
    can only be told of numbers that there are.
    """
    ends = column.end_points
    if ends is None or not column.open_ends or column.released_form == "median":
        cuts = [place for place, allowed in enumerate(allowed_cuts(values, column)) if allowed and place]
        return intervals(values, column, cuts, marker)
    scale = column.scale
    assert scale is not None
    whole = scale.always_whole or (values.whole() and all(end == end.to_integral_value() for end in ends))
    write = _Writer(scale, column, values, whole=whole)
    return [write.interval(start, stop, 0, 0, marker) for start, stop in pairwise([None, *ends, None])]


def closed(values: Values, column: ToldAs, first: int, stop: int, marker: str) -> Interval:
    """Return the interval from one number to another (by their places), both told; the marker for all numbers."""
    low, high = values.numbers[first], values.numbers[stop - 1]
    scale = column.scale
    assert scale is not None
    if stop - first == 1:
        return Interval(None, None, values.spellings[first] or scale.write(low), low, high)
    if stop - first == len(values.numbers):
        return Interval(None, None, marker)
    if scale.always_whole or values.whole():
        return Interval(None, None, _closed_text(scale, low, high, values.numbers[0]), low, high)
    return Interval(None, None, f"[{scale.write(low)}{scale.link}{scale.write(high)}]", low, high)


def between_ends(values: Values, column: ToldAs, first: int, stop: int, marker: str) -> Interval:
    """Return the interval between two of the owner's end points that has the numbers from `first` up to `stop`."""
    inner = [cut for cut in (first, stop) if 0 < cut < len(values.numbers)]
    return intervals(values, column, inner, marker)[1 if first else 0]


def _closed_text(scale: Scale, low: Decimal, high: Decimal, lowest: Decimal) -> str:
    """Return the text of an interval of whole values, both ends included; without a dash where minus signs are."""
    link = " to " if scale.always_whole or lowest < 0 or low < 0 else "-"
    return f"[{scale.write(low)}{link}{scale.write(high)}]"


@dataclass(frozen=True)
class _Writer:
    """Writes intervals of one column in the form the owner chose."""

    scale: Scale
    column: ToldAs
    values: Values
    whole: bool

    def interval(self, start: Decimal | None, stop: Decimal | None, first: int, end: int, marker: str) -> Interval:
        everything = start is None and stop is None
        form = self.column.released_form
        if everything and self.column.whole_is_marker:
            return Interval(start, stop, marker)
        if form == "label":
            return Interval(start, stop, self._label(start, stop))
        if form == "median":
            return Interval(start, stop, self._spelled(self._median(first, end)))
        outermost = start is None or stop is None
        if end - first == 1 and self.column.ends is None and not (outermost and self.column.open_ends):
            only = self.values.numbers[first]
            return Interval(start, stop, self._spelled(first), only, only)
        if self.column.open_ends and outermost:
            text = f"<{self._write(stop)}" if start is None else f">={self._write(start)}"
            return Interval(start, stop, text)
        return self._closed(start, stop)

    def _closed(self, start: Decimal | None, stop: Decimal | None) -> Interval:
        """Both ends are told; an outermost interval ends with the extreme value."""
        low = self.values.numbers[0] if start is None else start
        high = self.values.numbers[-1] if stop is None else stop
        if not self.whole:
            text = f"[{self._write(low)}{self.scale.link}{self._write(high)}{']' if stop is None else ')'}"
            return Interval(start, stop, text, low, high if stop is None else None)
        if stop is not None:
            high = EXACT.subtract(high, Decimal(1))
        text = self._write(low) if low == high else _closed_text(self.scale, low, high, self.values.numbers[0])
        return Interval(start, stop, text, low, high)

    def _label(self, start: Decimal | None, stop: Decimal | None) -> str:
        ends, labels = self.column.end_points, self.column.labels
        assert ends is not None
        assert labels is not None
        low = 0 if start is None else ends.index(start) + 1
        high = len(ends) if stop is None else ends.index(stop)
        return labels[low] if low == high else f"{labels[low]} to {labels[high]}"

    def _median(self, first: int, end: int) -> int:
        """Return the place of the (lower) median of the rows."""
        rows = self.values.rows[first:end]
        half, seen = (sum(rows) + 1) // 2, 0
        for place, count in enumerate(rows, start=first):
            seen += count
            if seen >= half:
                return place
        return end - 1

    def _spelled(self, place: int) -> str:
        return self.values.spellings[place] or self._write(self.values.numbers[place])

    def _write(self, value: Decimal | None) -> str:
        return "" if value is None else self.scale.write(value)

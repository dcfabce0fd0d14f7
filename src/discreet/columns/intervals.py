"""Intervals of numbers and dates: where they begin and stop, and the text that is released for each."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple, Protocol

from discreet.columns.scale import EXACT, Scale


@dataclass(frozen=True)
class Interval:
    """All values from `start` (None: without end) up to but not including `stop`, released as `text`.

    `low` and `high` are set where the text covers less: the values from `low` to `high`, both included. `after`:
    `start` itself is not among the values; `through`: `stop` itself is. Only what lies at a column's bottom ends so.
    """

    start: Decimal | None
    stop: Decimal | None
    text: str
    low: Decimal | None = None
    high: Decimal | None = None
    after: bool = field(default=False, repr=False)
    through: bool = field(default=False, repr=False)

    def has(self, value: Decimal) -> bool:
        """Whether the text may be released for a value."""
        begun = self.start is None or self.start < value or (value == self.start and not self.after)
        going_on = self.stop is None or value < self.stop or (value == self.stop and self.through)
        inside = begun and going_on
        return inside and (self.low is None or self.low <= value) and (self.high is None or value <= self.high)

    def beginning(self, border: Border | None) -> Interval:
        """Return the same, from another border on."""
        start, after = (None, False) if border is None else border
        return replace(self, start=start, after=after)

    def stopping(self, border: Border | None) -> Interval:
        """Return the same, up to another border."""
        stop, through = (None, False) if border is None else border
        return replace(self, stop=stop, through=through)


class Border(NamedTuple):
    """Where one interval stops and the next begins: at a value that belongs to the next, or (`after`) to the first.

    A number n stands before a border exactly if (n, False) is less than it.
    """

    value: Decimal
    after: bool = False


def between(start: Border | None, stop: Border | None, text: str) -> Interval:
    """Return the interval from one border to another."""
    return Interval(None, None, text).beginning(start).stopping(stop)


def finder(intervals: Sequence[Interval]) -> Callable[[Decimal | None], str | None]:
    """Return what finds the text that may be released for a number, among ascending intervals; None for none."""
    starts = [(interval.start, interval.after) for interval in intervals[1:]]

    def text(value: Decimal | None) -> str | None:
        if value is None:
            return None
        place = bisect.bisect_right(starts, (value, False))  # only the first has no start
        return intervals[place].text if intervals[place].has(value) else None

    return text


@dataclass(frozen=True)
class Values:
    """The numbers (or dates) of a column in ascending order, with the rows that have each and how it is written."""

    numbers: tuple[Decimal, ...]
    rows: tuple[int, ...]
    spellings: tuple[str, ...]
    """The text of each number as it stands in the table, where there is only one."""
    others: bool = False
    """Whether a population has other numbers: then one by itself is told as the interval up to the next, with them."""

    @cached_property
    def whole(self) -> bool:
        """Whether all are integers: asked for each label, looked at once."""
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
    def tails(self) -> tuple[Decimal | None, Decimal | None]:
        """What lies up to the first, and what lies from the second on, is only told together; None: no such end."""

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


def cut_values(values: Values, column: ToldAs, cuts: Sequence[int]) -> list[Border]:
    """Return where each cut (in front of a number, by its place) is made.

    It is the smallest number of the right part, or the owner's end point; or the end of what is only told together.
    """
    if column.end_points is None:
        return [_anywhere(values, column, cut) for cut in cuts]
    borders = _borders(column)
    return [borders[bisect.bisect_right(borders, Border(values.numbers[cut - 1]))] for cut in cuts]


def _anywhere(values: Values, column: ToldAs, cut: int) -> Border:
    """Return where a column is cut in front of a number, where that may be any."""
    (bottom, top), left, right = column.tails, values.numbers[cut - 1], values.numbers[cut]
    if bottom is not None and left <= bottom:
        return Border(bottom, after=True)
    return Border(top if top is not None and right >= top else right)


def _borders(column: ToldAs) -> list[Border]:
    """Return the owner's end points, with those of what is only told together unless labels name all intervals."""
    borders = {Border(end) for end in column.end_points or ()}
    bottom, top = column.tails
    if column.labels is None:
        borders |= {Border(bottom, after=True)} if bottom is not None else set()
        borders |= {Border(top)} if top is not None else set()
    return sorted(borders)


def allowed_cuts(values: Values, column: ToldAs) -> list[bool]:
    """Return in front of which numbers the column may be cut."""
    numbers, (bottom, top) = values.numbers, column.tails
    if column.end_points is None:
        first = 0 if bottom is None else bisect.bisect_right(numbers, bottom)
        last = len(numbers) if top is None else bisect.bisect_left(numbers, top)
        return [first <= place <= last for place in range(len(numbers))]
    places = {(bisect.bisect_right if after else bisect.bisect_left)(numbers, end) for end, after in _borders(column)}
    return [place in places for place in range(len(numbers))]


def intervals(values: Values, column: ToldAs, cuts: Sequence[int], marker: str) -> list[Interval]:
    """Return the intervals that the cuts make (each in front of a number, by its place), with their texts."""
    if not values.numbers:
        return []
    scale = column.scale
    assert scale is not None
    borders = [None, *cut_values(values, column, cuts), None]
    edges = [0, *cuts, len(values.numbers)]
    write = _Writer(scale, column, values, whole=_whole(scale, values, borders[1:-1]))
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
    borders = _borders(column)
    write = _Writer(scale, column, values, whole=_whole(scale, values, borders))
    return [write.interval(start, stop, 0, 0, marker) for start, stop in pairwise([None, *borders, None])]


def _whole(scale: Scale, values: Values, borders: Sequence[Border | None]) -> bool:
    """Whether all numbers and all ends are integers."""
    ends = [border.value for border in borders if border is not None]
    return scale.always_whole or (values.whole and all(end == end.to_integral_value() for end in ends))


def closed(values: Values, column: ToldAs, first: int, stop: int, marker: str) -> Interval:
    """Return the interval from one number to another (by their places), both told; the marker for all numbers.

    What is only told together is told by where it begins, and has no other end.
    """
    low, high = values.numbers[first], values.numbers[stop - 1]
    scale = column.scale
    assert scale is not None
    if stop - first == len(values.numbers) > 1:
        return Interval(None, None, marker)
    if (tail := _beyond(column, low, high, marker)) is not None:
        return tail
    if stop - first == 1:
        return Interval(None, None, values.spellings[first] or scale.write(low), low, high)
    if scale.always_whole or values.whole:
        return Interval(None, None, _closed_text(scale, low, high, values.numbers[0]), low, high)
    return Interval(None, None, f"[{scale.write(low)}{scale.link}{scale.write(high)}]", low, high)


def _beyond(column: ToldAs, low: Decimal, high: Decimal, marker: str) -> Interval | None:
    """Return the interval from one number to another if it has what is only told together; None if it has not."""
    (bottom, top), scale = column.tails, column.scale
    assert scale is not None
    from_bottom, to_top = bottom is not None and low <= bottom, top is not None and high >= top
    if from_bottom and to_top:
        return Interval(None, None, marker)
    if from_bottom:
        high = high if bottom is None else max(high, bottom)
        return Interval(None, None, f"<={scale.write(high)}", high=high)
    if to_top:
        low = low if top is None else min(low, top)
        return Interval(None, None, f">={scale.write(low)}", low=low)
    return None


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

    def interval(self, start: Border | None, stop: Border | None, first: int, end: int, marker: str) -> Interval:
        everything = start is None and stop is None
        form = self.column.released_form
        if everything and self.column.whole_is_marker:
            return between(start, stop, marker)
        if form == "label":
            return between(start, stop, self._label(start, stop))
        if form == "median" and not self._has_tail(start, stop):
            return between(start, stop, self._spelled(self._median(first, end)))
        outermost = start is None or stop is None
        alone = end - first == 1 and self.column.ends is None and not self.values.others
        if alone and not (outermost and self.column.open_ends):
            only = self.values.numbers[first]
            return replace(between(start, stop, self._spelled(first)), low=only, high=only)
        if self.column.open_ends and outermost:
            return between(start, stop, self._open(start, stop))
        return self._closed(start, stop)

    def _has_tail(self, start: Border | None, stop: Border | None) -> bool:
        """Whether what is only told together lies in an interval, or would if there were any."""
        bottom, top = self.column.tails
        return (start is None and bottom is not None) or (stop is None and top is not None)

    def _open(self, start: Border | None, stop: Border | None) -> str:
        """Return the text of an outermost interval that tells no extreme value."""
        if start is not None:
            return f"{'>' if start.after else '>='}{self._write(start.value)}"
        assert stop is not None
        return f"{'<=' if stop.after else '<'}{self._write(stop.value)}"

    def _closed(self, start: Border | None, stop: Border | None) -> Interval:
        """Both ends are told; an outermost interval ends with the extreme value."""
        low, after = (self.values.numbers[0], False) if start is None else start
        high = self.values.numbers[-1] if stop is None else stop.value
        found = between(start, stop, "")
        if not self.whole:
            signs = "(" if after else "[", "]" if stop is None else ")"
            text = f"{signs[0]}{self._write(low)}{self.scale.link}{self._write(high)}{signs[1]}"
            return replace(found, text=text, low=None if after else low, high=high if stop is None else None)
        if after:
            low = EXACT.add(low, Decimal(1))
        if stop is not None:
            high = EXACT.subtract(high, Decimal(1))
        text = self._write(low) if low == high else _closed_text(self.scale, low, high, self.values.numbers[0])
        return replace(found, text=text, low=low, high=high)

    def _label(self, start: Border | None, stop: Border | None) -> str:
        ends, labels = self.column.end_points, self.column.labels
        assert ends is not None
        assert labels is not None
        low = 0 if start is None else ends.index(start.value) + 1
        high = len(ends) if stop is None else ends.index(stop.value)
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

    def _write(self, value: Decimal) -> str:
        return self.scale.write(value)

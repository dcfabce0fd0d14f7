"""Whether what was released of a column is true: each text the original one, or one that covers it.

Guarantee: a pair is passed only when the two texts are equal, the released one is the marker, or it was read here, in
exactly one of the forms the column may have, as something the original value lies within. Values are exact: no float
decides on which side of an end a value stands. A text that cannot be read covers nothing. Numbers, dates and intervals
are read by code of this module only; nothing here is used in making a release.

Not covered: whether another text would have told more, or whether texts of one column fit together (but for medians,
which say nothing of their intervals: these must at least be able to exist).
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from functools import cache
from itertools import pairwise
from math import lcm
from typing import Protocol, TypeAlias

from discreet.columns.taxonomy import Taxonomy
from discreet.policy.columns import Column

Pairs = Sequence[tuple[str | None, str | None]]
"""Original and released texts of one column; None is a missing value."""

_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
_PLAIN_NUMBER = re.compile(r"(?!-0\Z)-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?", re.ASCII)
_ITEM = re.compile(r'"((?:[^"]|"")*)"|((?:(?! )[^,{}"]+(?<! ))?)', re.DOTALL)
"""A value in a set: in quotes, or without anything that could be misread."""
_BLANKS = " \t\n\r\f\v"
_TIME = re.compile(
    r"[T ](?:[01]\d|2[0-4]):[0-5]\d(?::[0-6]\d(?:[.,]\d+)?)?\s?(?:Z|UTC|[+-]\d\d(?::?\d\d){0,2})?", re.ASCII
)
"""What may stand behind a day that is written 2024-01-31."""


def untrue(
    pairs: Pairs,
    column: Column | None,
    marker: str,
    missing: Collection[str | None],
    medians: Mapping[str, tuple[str, str]] | None = None,
) -> list[bool]:
    """Say of each pair whether the released text does not cover the original.

    Parameters
    ----------
    pairs
        The distinct pairs of original and released text of one column; all of them, where medians are released.
    column
        What the policy says of the column; None when it says nothing.
    marker
        The text that covers every value.
    missing
        The texts that stand for a missing value, besides None.
    medians
        Where the interval of each released median begins and stops (blank: nowhere), as published beside the
        release. Without it, a median must lie among its originals, with no other released value between them.

    Examples
    --------
    >>> age = Column(type="number")
    >>> untrue([("30", "[30-39]"), ("40", "[30-39]"), ("40", ">=40"), ("?", ">=40"), ("?", "*")], age, "*", ["?"])
    [False, True, False, True, False]
    """
    covered = _covered(pairs, column, marker, {None, *missing}, medians)
    return [
        not (released in (original, marker) or covers)
        for (original, released), covers in zip(pairs, covered, strict=True)
    ]


def _covered(
    pairs: Pairs,
    column: Column | None,
    marker: str,
    unknown: Collection[str | None],
    medians: Mapping[str, tuple[str, str]] | None,
) -> list[bool]:
    """Say of each pair whether the column's kind of text covers the original; equal texts and markers aside."""
    if column is None:
        return [False] * len(pairs)
    if column.type == "category":
        above = [False] * len(pairs)
        if column.taxonomy is not None:
            above = _by_taxonomy(pairs, column.taxonomy, unknown)
        if column.form != "set":
            return above
        members = cache(_members)
        return [covers or original in members(text) for covers, (original, text) in zip(above, pairs, strict=True)]
    kind = _kind(column)
    read = cache(kind.value)
    values = [None if original is None or original in unknown else read(original) for original, _ in pairs]
    if column.form == "median" and medians is None:
        return _by_medians(values, _medians(pairs, kind, marker))
    if medians is not None and column.form == "median":
        stretches = _published(medians, kind)
    else:
        stretches = _named(column, kind) if column.labels is not None else _written(kind)
    return [
        value is not None and released is not None and any(value in stretch for stretch in stretches(released))
        for value, (_, released) in zip(values, pairs, strict=True)
    ]


def _by_taxonomy(pairs: Pairs, taxonomy: Taxonomy, unknown: Collection[str | None]) -> list[bool]:
    """Say where the released text is a label above the original; above a missing value is only the root."""
    root = taxonomy.nodes[0].labels[-1]

    @cache
    def above(original: str | None) -> tuple[str, ...]:
        labels = () if original is None else taxonomy.ancestors(original)
        return labels or ((root,) if original in unknown else ())

    return [released in above(original) for original, released in pairs]


def _members(text: str | None) -> frozenset[str | None]:
    """Return the values of a released set, two or more; nothing when the text is no set.

    `{a, "b, c", , ""}`: a value in quotes (doubled within) may have anything in it, nothing at all is a missing value.
    """
    if text is None or not (text.startswith("{") and text.endswith("}")):
        return frozenset()
    found: list[str | None] = []
    at, end = 1, len(text) - 1
    while True:
        item = _ITEM.match(text, at, end)
        if item is None:
            return frozenset()
        quoted, plain = item.groups()
        found.append(quoted.replace('""', '"') if quoted is not None else plain or None)
        at = item.end()
        if at == end:
            break
        if not text.startswith(", ", at, end):
            return frozenset()
        at += 2
    members = frozenset(found)
    return members if len(found) == len(members) > 1 else frozenset()


Ranges: TypeAlias = Sequence[tuple[int, int]]
"""Places from the first of each pair up to, but without, the second."""


@dataclass(frozen=True)
class Reach:
    """Which of some original texts each of some released texts covers, besides the one that it equals.

    In the order of `order` (numbers of originals), what a released text covers stands together in a few ranges.
    """

    order: Sequence[int]
    ranges: Sequence[Ranges]
    """For each released text."""


def reach(
    originals: Sequence[str | None],
    released: Sequence[str | None],
    column: Column | None,
    marker: str | None,
    missing: Collection[str | None],
    medians: Mapping[str, tuple[str, str]] | None = None,
) -> Reach:
    """Say which originals each released text covers: as `untrue`, for texts of which no pairs are known yet.

    Where medians are released and their intervals are not known, one may stand for every value as far as the next.
    Without a marker (None) nothing covers everything.

    Examples
    --------
    >>> reach(["39", "5", "30"], ["[30-39]", "*", "5"], Column(type="number"), "*", [])
    Reach(order=[1, 2, 0], ranges=[[(1, 3)], [(0, 3)], [(0, 1)]])
    """
    order, ranges = _ordered(originals, released, column, marker, {None, *missing}, medians)
    everything = [(0, len(originals))]
    found = [
        everything if text == marker and marker is not None else [] if text is None else list(ranges(text))
        for text in released
    ]
    return Reach(order, found)


_Ordered: TypeAlias = tuple[Sequence[int], Callable[[str], Ranges]]


def _ordered(
    originals: Sequence[str | None],
    released: Sequence[str | None],
    column: Column | None,
    marker: str | None,
    unknown: Collection[str | None],
    medians: Mapping[str, tuple[str, str]] | None,
) -> _Ordered:
    """Return the originals in an order, and what finds the ranges in it that a released text covers."""
    if column is None or not column.coarsens:
        return range(len(originals)), lambda _: ()
    if column.form == "set":
        return _with_sets(originals, column.taxonomy, unknown)
    if column.taxonomy is not None:
        return _in_tree_order(originals, column.taxonomy, unknown)
    kind = _kind(column)
    values = [None if text is None or text in unknown else kind.value(text) for text in originals]
    order, line = _in_line(values)
    if column.form != "median":
        stretches = _named(column, kind) if column.labels is not None else _written(kind)
    elif medians is not None:
        stretches = _published(medians, kind)
    else:
        stretches = _as_far_as_the_next(originals, released, kind, marker)
    return order, lambda text: [line.within(stretch) for stretch in stretches(text)]


def _in_tree_order(originals: Sequence[str | None], taxonomy: Taxonomy, unknown: Collection[str | None]) -> _Ordered:
    """Put the originals in the order of their ways from the root: what stands under a label then stands together."""
    root = taxonomy.nodes[0].labels[-1]
    ways = [(() if text is None else taxonomy.ancestors(text)[::-1]) for text in originals]
    ways = [way or ((root,) if text in unknown else ()) for text, way in zip(originals, ways, strict=True)]
    order = sorted(range(len(originals)), key=lambda place: ways[place])
    under: dict[str, list[tuple[int, int]]] = {}
    for place, number in enumerate(order):
        for label in ways[number]:
            found = under.setdefault(label, [])
            if found and found[-1][1] == place:
                found[-1] = (found[-1][0], place + 1)
            else:
                found.append((place, place + 1))
    return order, lambda text: under.get(text, [])


def _with_sets(originals: Sequence[str | None], taxonomy: Taxonomy | None, unknown: Collection[str | None]) -> _Ordered:
    """Put the originals in the order of a taxonomy, if there is one; a set covers its values one by one."""
    order: Sequence[int] = range(len(originals))
    above: Callable[[str], Ranges] = lambda _: ()  # noqa: E731
    if taxonomy is not None:
        order, above = _in_tree_order(originals, taxonomy, unknown)
    place = {originals[number]: at for at, number in enumerate(order)}

    def ranges(text: str) -> Ranges:
        return [*above(text), *((place[value], place[value] + 1) for value in _members(text) if value in place)]

    return order, ranges


@dataclass(frozen=True)
class _Line:
    """Values in ascending order, as whole multiples of 1/`unit` (whole numbers are compared quickly)."""

    points: Sequence[int | Fraction]
    unit: int

    def within(self, stretch: _Stretch) -> tuple[int, int]:
        """Return the places of the values in a stretch."""
        after = bisect_right if stretch.beyond else bisect_left
        begin = 0 if stretch.low is None else after(self.points, stretch.low * self.unit)
        if stretch.high is None:
            return begin, max(begin, len(self.points))
        side = bisect_right if stretch.closed else bisect_left
        return begin, max(begin, side(self.points, stretch.high * self.unit))


_LARGEST_UNIT = 10**40


def _in_line(values: Sequence[Fraction | None]) -> tuple[list[int], _Line]:
    """Put values in ascending order, with what has none behind them."""
    known = [(number, value) for number, value in enumerate(values) if value is not None]
    unit = 1
    for denominator in {value.denominator for _, value in known}:
        unit = lcm(unit, denominator) if unit <= _LARGEST_UNIT else unit
    whole = unit <= _LARGEST_UNIT
    unit = unit if whole else 1
    points = [(value.numerator * (unit // value.denominator) if whole else value, number) for number, value in known]
    points.sort()
    behind = [number for number, value in enumerate(values) if value is None]
    return [*(number for _, number in points), *behind], _Line([point for point, _ in points], unit)


class _Kind(Protocol):
    """How the texts of numbers or dates are read."""

    @property
    def dashes(self) -> bool:
        """Whether closed ranges may be written [30-39]."""
        ...

    @property
    def separators(self) -> tuple[str, str]:
        """What may stand between the ends of an interval, in any brackets."""
        ...

    def value(self, text: str) -> Fraction | None:
        """Return the value of an original text; None when it has none."""
        ...

    def single(self, text: str) -> Fraction | None:
        """Return the value of a released text that is a value; as an original, but with no blanks around."""
        ...

    def bound(self, text: str) -> Fraction | None:
        """Return the value of an end of a released interval, which is written in one way only."""
        ...


def _kind(column: Column) -> _Kind:
    """Return how the texts of a column are read, in the table and in the release."""
    if column.type == "number":
        return _Numbers(comma=column.decimal == ",")
    return _Dates(column.date_format, column.day_format)


@dataclass(frozen=True)
class _Numbers:
    comma: bool = False
    """Whether decimals come after a comma; a point is then in no number."""
    dashes: bool = True

    @property
    def separators(self) -> tuple[str, str]:
        return ("; ", ";") if self.comma else (", ", ",")

    def value(self, text: str) -> Fraction | None:
        return self.single(text.strip(_BLANKS))

    def single(self, text: str) -> Fraction | None:
        try:
            if text.isascii() and text.isdigit():  # quicker
                return Fraction(int(text))
            text = self._with_point(text)
            return Fraction(text) if _NUMBER.fullmatch(text) else None
        except ValueError:  # more digits than can be converted
            return None

    def bound(self, text: str) -> Fraction | None:
        return self.single(text) if _PLAIN_NUMBER.fullmatch(self._with_point(text)) else None

    def _with_point(self, text: str) -> str:
        return text.replace(".", "?").replace(",", ".") if self.comma else text


@dataclass(frozen=True)
class _Dates:
    """Days, by their number; what was written with a time lies on its day."""

    form: str | None
    day_form: str | None
    dashes: bool = False
    separators: tuple[str, str] = (", ", ",")

    def value(self, text: str) -> Fraction | None:
        text = text.strip()
        day = self._day(text)
        if day is None and self.form is not None:
            day = _moment(text, self.form)
        elif day is None and _TIME.fullmatch(text[10:]):
            day = self._day(text[:10])
        return None if day is None else Fraction(day.toordinal())

    def single(self, text: str) -> Fraction | None:
        return self.value(text) if text == text.strip() else None

    def bound(self, text: str) -> Fraction | None:
        day = self._day(text)
        if day is None or text != (day.isoformat() if self.day_form is None else day.strftime(self.day_form)):
            return None
        return Fraction(day.toordinal())

    def _day(self, text: str) -> date | None:
        if self.day_form is not None:
            return _moment(text, self.day_form)
        try:
            return date.fromisoformat(text)
        except ValueError:
            return None


def _moment(text: str, form: str) -> date | None:
    """Return the day that a text tells, as it is written: a time zone does not move it."""
    try:
        return datetime.strptime(text, form).date()  # noqa: DTZ007
    except ValueError:
        return None


@dataclass(frozen=True)
class _Stretch:
    """The values from `low` (if `beyond`: without it) up to `high`, with or without it; None is no end."""

    low: Fraction | None
    high: Fraction | None
    closed: bool = False
    beyond: bool = False

    def __contains__(self, value: Fraction) -> bool:
        if self.low is not None and (value < self.low or (self.beyond and value == self.low)):
            return False
        return self.high is None or value < self.high or (self.closed and value == self.high)


_Reader = Callable[[str], tuple[_Stretch, ...]]
"""Returns what a released text may mean; nothing when it is in no known form."""


_SIGNS: Mapping[str, Callable[[Fraction], _Stretch]] = {
    ">=": lambda low: _Stretch(low, None),
    "≥": lambda low: _Stretch(low, None),
    ">": lambda low: _Stretch(low, None, beyond=True),
    "<=": lambda high: _Stretch(None, high, closed=True),
    "≤": lambda high: _Stretch(None, high, closed=True),
    "<": lambda high: _Stretch(None, high),
}
"""The longer ones first: a text is read by the first sign that it begins with."""
_BRACKETS = {
    "[]": (False, True),
    "[)": (False, False),
    "(]": (True, True),
    "()": (True, False),
    "[[": (False, False),
    "]]": (True, True),
    "][": (True, False),
}
"""Whether the first end is left out, and whether the last one belongs to it; both ways to write open ends."""


def _written(kind: _Kind) -> _Reader:
    """Read released values, and intervals written with their ends."""

    @cache
    def stretches(text: str) -> tuple[_Stretch, ...]:
        sign = next((sign for sign in _SIGNS if text.startswith(sign)), None)
        if sign is not None:
            end = kind.bound(text[len(sign) :])
            return () if end is None else (_SIGNS[sign](end),)
        if text[:1] + text[-1:] in _BRACKETS:
            return tuple(_between(kind, text[1:-1], text[0] + text[-1]))
        value = kind.single(text)
        return () if value is None else (_Stretch(value, value, closed=True),)

    return stretches


def _between(kind: _Kind, inside: str, brackets: str) -> Iterator[_Stretch]:
    """Yield the readings of what stands in brackets: `A, B` and `A,B`, and in `[]` also `A to B` and `A-B`.

    Where commas belong to numbers, a semicolon stands in the place of the first.
    """
    beyond, closed = _BRACKETS[brackets]
    closed_only = (" to ", "-") if kind.dashes else (" to ",)
    for separator in (*kind.separators, *closed_only) if brackets == "[]" else kind.separators:
        for one, other in _splits(inside, separator):
            low, high = kind.bound(one), kind.bound(other)
            if low is None or high is None or low > high:
                continue
            whole = low.denominator == high.denominator == 1
            if separator in kind.separators or (whole and (separator == " to " or low >= 0)):
                yield _Stretch(low, high, closed, beyond)


def _named(column: Column, kind: _Kind) -> _Reader:
    """Read the labels of the intervals between the column's ends, and `FIRST to LAST` for neighbours."""
    labels = column.labels or ()
    plain = _Numbers() if column.type == "number" else kind  # policies have a point in numbers, whatever the table has
    ends = [None if end is None else plain.value(end) for end in column.ends or ()]
    known = [end for end in ends if end is not None]
    fit = len(labels) == len(ends) + 1 == len(known) + 1 and all(one < other for one, other in pairwise(known))
    place = {label: at for at, label in enumerate(labels)} if fit else {}
    lows, highs = [None, *known], [*known, None]

    @cache
    def stretches(text: str) -> tuple[_Stretch, ...]:
        readings = [(place[text], place[text])] if text in place else []
        for one, other in _splits(text, " to "):
            if one in place and other in place and place[one] < place[other]:
                readings.append((place[one], place[other]))
        return tuple(_Stretch(lows[first], highs[last]) for first, last in readings)

    return stretches


def _published(medians: Mapping[str, tuple[str, str]], kind: _Kind) -> _Reader:
    """Read a median as the interval that was published for it."""

    def stretches(text: str) -> tuple[_Stretch, ...]:
        begin, end = medians.get(text, ("x", "x"))
        low, high = kind.bound(begin), kind.bound(end)
        known = text in medians and (low is not None or begin == "") and (high is not None or end == "")
        stretch, median = _Stretch(low, high), kind.value(text)
        return (stretch,) if known and median is not None and median in stretch else ()

    return cache(stretches)


def _as_far_as_the_next(
    originals: Sequence[str | None], released: Sequence[str | None], kind: _Kind, marker: str | None
) -> _Reader:
    """Read a median as everything between the medians beside it, which it may stand for at most."""
    known = set(originals)

    def read(text: str) -> Fraction | None:
        return None if text == marker else kind.value(text) if text in known else kind.single(text)

    values = {text: read(text) for text in released if text is not None}
    line = sorted({value for value in values.values() if value is not None})

    def stretches(text: str) -> tuple[_Stretch, ...]:
        value = values[text]
        if value is None:
            return ()
        place = bisect_left(line, value)
        below = line[place - 1] if place else None
        above = line[place + 1] if place + 1 < len(line) else None
        return (_Stretch(below, above, beyond=True),)

    return stretches


def _splits(text: str, separator: str) -> Iterator[tuple[str, str]]:
    """Yield every way to take a text apart at a separator."""
    at = text.find(separator)
    while at >= 0:
        yield text[:at], text[at + len(separator) :]
        at = text.find(separator, at + 1)


def _medians(pairs: Pairs, kind: _Kind, marker: str) -> list[Fraction | None]:
    """Return the value each original is released as; None if it is none.

    Blanks around it are in their place where the median is the very text of an original.
    """
    originals = {original for original, _ in pairs}

    @cache
    def read(released: str | None) -> Fraction | None:
        if released is None or released == marker:
            return None
        return kind.value(released) if released in originals else kind.single(released)

    return [read(released) for _, released in pairs]


def _by_medians(values: Sequence[Fraction | None], medians: Sequence[Fraction | None]) -> list[bool]:
    """Say where the median can stand for an interval: among its originals, with no other median between them."""
    originals: dict[Fraction, set[Fraction]] = {}
    for value, median in zip(values, medians, strict=True):
        if value is not None and median is not None:
            originals.setdefault(median, set()).add(value)
    true = _apart(originals)
    return [value is not None and median in true for value, median in zip(values, medians, strict=True)]


def _apart(originals: dict[Fraction, set[Fraction]]) -> set[Fraction]:
    """Return the medians that lie among their originals, in a range that meets the range of no other median."""
    ranges = sorted((min(values), max(values), median) for median, values in originals.items())
    apart = {median for low, high, median in ranges if low <= median <= high}
    reach: Fraction | None = None
    for at, (low, high, median) in enumerate(ranges):
        meets_next = at + 1 < len(ranges) and ranges[at + 1][0] <= high
        if meets_next or (reach is not None and low <= reach):
            apart.discard(median)
        reach = high if reach is None else max(reach, high)
    return apart

"""What a released text of a number or date may mean: stretches of values, by code of verification alone."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import pairwise

from discreet.policy.columns import Column
from discreet.verification.value_texts import NumberTexts, TextKind


@dataclass(frozen=True)
class Stretch:
    """The values from `low` (if `beyond`: without it) up to `high`, with or without it; None is no end."""

    low: Fraction | None
    high: Fraction | None
    closed: bool = False
    beyond: bool = False

    def __contains__(self, value: Fraction) -> bool:
        if self.low is not None and (_less(value, self.low) or (self.beyond and value == self.low)):
            return False
        return self.high is None or _less(value, self.high) or (self.closed and value == self.high)


def _less(one: Fraction, other: Fraction) -> bool:
    """Whether a fraction is less than another: as `<`, which first asks what it compares."""
    return one.numerator * other.denominator < other.numerator * one.denominator


StretchReader = Callable[[str], tuple[Stretch, ...]]
"""Returns what a released text may mean; nothing when it is in no known form."""


_SIGNS: Mapping[str, Callable[[Fraction], Stretch]] = {
    ">=": lambda low: Stretch(low, None),
    "≥": lambda low: Stretch(low, None),
    ">": lambda low: Stretch(low, None, beyond=True),
    "<=": lambda high: Stretch(None, high, closed=True),
    "≤": lambda high: Stretch(None, high, closed=True),
    "<": lambda high: Stretch(None, high),
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


def written_reader(kind: TextKind) -> StretchReader:
    """Read released values, and intervals written with their ends."""

    @cache
    def stretches(text: str) -> tuple[Stretch, ...]:
        sign = next((sign for sign in _SIGNS if text.startswith(sign)), None)
        if sign is not None:
            end = kind.bound(text[len(sign) :])
            return () if end is None else (_SIGNS[sign](end),)
        if text[:1] + text[-1:] in _BRACKETS:
            return tuple(_between(kind, text[1:-1], text[0] + text[-1]))
        value = kind.single(text)
        return () if value is None else (Stretch(value, value, closed=True),)

    return stretches


def _between(kind: TextKind, inside: str, brackets: str) -> Iterator[Stretch]:
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
                yield Stretch(low, high, closed, beyond)


def label_reader(column: Column, kind: TextKind) -> StretchReader:
    """Read the labels of the intervals between the column's ends, and `FIRST to LAST` for neighbours."""
    labels = column.labels or ()
    plain = (
        NumberTexts() if column.type == "number" else kind
    )  # policies have a point in numbers, whatever the table has
    ends = [None if end is None else plain.value(end) for end in column.ends or ()]
    known = [end for end in ends if end is not None]
    fit = len(labels) == len(ends) + 1 == len(known) + 1 and all(one < other for one, other in pairwise(known))
    place = {label: at for at, label in enumerate(labels)} if fit else {}
    lows, highs = [None, *known], [*known, None]

    @cache
    def stretches(text: str) -> tuple[Stretch, ...]:
        readings = [(place[text], place[text])] if text in place else []
        for one, other in _splits(text, " to "):
            if one in place and other in place and place[one] < place[other]:
                readings.append((place[one], place[other]))
        return tuple(Stretch(lows[first], highs[last]) for first, last in readings)

    return stretches


def median_reader(medians: Mapping[str, tuple[str, str]], kind: TextKind) -> StretchReader:
    """Read a median as the interval that was published for it."""

    def stretches(text: str) -> tuple[Stretch, ...]:
        begin, end = medians.get(text, ("x", "x"))
        beyond = begin.startswith(">")
        low, high = kind.bound(begin[beyond:]), kind.bound(end)
        known = text in medians and (low is not None or begin == "") and (high is not None or end == "")
        stretch, median = Stretch(low, high, beyond=beyond), kind.value(text)
        return (stretch,) if known and median is not None and median in stretch else ()

    return cache(stretches)


def neighbour_reader(
    originals: Sequence[str | None], released: Sequence[str | None], kind: TextKind, marker: str | None
) -> StretchReader:
    """Read a median as everything between the medians beside it, which it may stand for at most."""
    known = set(originals)

    def read(text: str) -> Fraction | None:
        return None if text == marker else kind.value(text) if text in known else kind.single(text)

    values = {text: read(text) for text in released if text is not None}
    line = sorted({value for value in values.values() if value is not None})

    def stretches(text: str) -> tuple[Stretch, ...]:
        value = values[text]
        if value is None:
            return ()
        place = bisect_left(line, value)
        below = line[place - 1] if place else None
        above = line[place + 1] if place + 1 < len(line) else None
        return (Stretch(below, above, beyond=True),)

    return stretches


def tail_reader(column: Column, kind: TextKind) -> StretchReader:
    """Read `>=85`, `<=18` and the like where a column has a top or a bottom: these are no medians; else nothing."""
    written = written_reader(kind)
    tails = column.top is not None or column.bottom is not None
    return lambda text: written(text) if tails and text.startswith(tuple(_SIGNS)) else ()


def _splits(text: str, separator: str) -> Iterator[tuple[str, str]]:
    """Yield every way to take a text apart at a separator."""
    at = text.find(separator)
    while at >= 0:
        yield text[:at], text[at + len(separator) :]
        at = text.find(separator, at + 1)

"""Which of the original texts of a column each released text covers, for texts of which no pairs are known yet."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from discreet.columns.taxonomy import Taxonomy
from discreet.policy.columns import Column
from discreet.verification.set_texts import set_members
from discreet.verification.stretches import (
    Stretch,
    label_reader,
    median_reader,
    neighbour_reader,
    tail_reader,
    written_reader,
)
from discreet.verification.told_blocks import ToldBlocks
from discreet.verification.value_texts import kind_of

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
    *,
    blocks: Collection[str | None] | None = None,
) -> Reach:
    """Say which originals each released text covers: as `untrue`, for texts of which no pairs are known yet.

    Where medians are released and their intervals are not known, one may stand for every value as far as the next.
    Without a marker (None) nothing covers everything. `blocks` as for `untrue`.

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
    if blocks is not None:
        told = ToldBlocks(column, originals, blocks)
        for place, text in enumerate(released):
            if not found[place] and told.members(text) is not None:
                fits = [at for at, number in enumerate(order) if told.covers(originals[number], text)]
                found[place] = [(at, at + 1) for at in fits]
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
    kind = kind_of(column)
    values = [None if text is None or text in unknown else kind.value(text) for text in originals]
    order, line = _in_line(values)
    if column.form != "median":
        stretches = label_reader(column, kind) if column.labels is not None else written_reader(kind)
        return order, lambda text: [line.within(stretch) for stretch in stretches(text)]
    beyond = tail_reader(column, kind)
    if medians is not None:
        stretches = median_reader(medians, kind)
    else:
        stretches = neighbour_reader(originals, released, kind, marker)
    return order, lambda text: [line.within(stretch) for stretch in (*stretches(text), *beyond(text))]


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
        return [*above(text), *((place[value], place[value] + 1) for value in set_members(text) if value in place)]

    return order, ranges


@dataclass(frozen=True)
class _OrderedValues:
    """Values in ascending order, as whole multiples of 1/`unit` (whole numbers are compared quickly)."""

    points: Sequence[int | Fraction]
    unit: int

    def within(self, stretch: Stretch) -> tuple[int, int]:
        """Return the places of the values in a stretch."""
        after = bisect_right if stretch.beyond else bisect_left
        begin = 0 if stretch.low is None else after(self.points, stretch.low * self.unit)
        if stretch.high is None:
            return begin, max(begin, len(self.points))
        side = bisect_right if stretch.closed else bisect_left
        return begin, max(begin, side(self.points, stretch.high * self.unit))


_LARGEST_UNIT = 10**40


def _in_line(values: Sequence[Fraction | None]) -> tuple[list[int], _OrderedValues]:
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
    return [*(number for _, number in points), *behind], _OrderedValues([point for point, _ in points], unit)

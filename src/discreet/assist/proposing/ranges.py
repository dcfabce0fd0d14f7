"""Ranges of numbers with round ends: 0-4, 0-9, 0-19.

All is reckoned in whole units of the last decimal place that occurs, so that no float decides on which side of an end
a value stands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from discreet.assist.proposing.grouping import (
    FILL_MOST,
    Fill,
    GroupLevel,
    ProposedGroups,
    may_fill,
    refuse_levels,
    thinned,
)
from discreet.columns.scale import EXACT, Numbers
from discreet.errors import InputError

MOST_GROUPS = 100
"""Ranges of the finest level, at most; fewer where there are few values."""
VALUES_PER_GROUP = 2
FEWEST = 3
"""Different numbers up to which there are no ranges at all."""
MOST_PLACES = 12
"""Decimal places up to which ends of ranges are listed."""
NAME = "ranges"


@dataclass(frozen=True)
class _Ruler:
    """Numbers in whole units of the last decimal place; ranges begin at multiples of their width, plus `offset`."""

    places: int
    offset: int = 0
    negative: bool = False

    def units(self, number: Decimal) -> int:
        return int(EXACT.scaleb(number, self.places))

    def text(self, units: int) -> str:
        return Numbers().write(EXACT.scaleb(Decimal(units), -self.places))

    def group(self, units: int, width: int) -> int:
        return (units - self.offset) // width

    def first(self, group: int, width: int) -> int:
        return group * width + self.offset

    def label(self, group: int, width: int) -> str:
        """Return the range in words: both ends where there is nothing between two neighbours."""
        first = self.first(group, width)
        if self.places:
            return f"[{self.text(first)}, {self.text(first + width)})"
        link = " to " if self.negative else "-"
        return f"{self.text(first)}{link}{self.text(first + width - 1)}"


def ranges(values: Sequence[str], steps: Sequence[str] | None, levels: int | None, *, fill: bool) -> ProposedGroups:
    """Return the numbers among the values in ranges, wide and wider; others are strays.

    >>> ranges(["7", "23", "18", "35", "41"], None, None, fill=False).levels[0].labels
    ['0-19', '20-39', '40-59']
    """
    read = {value: Numbers().read(value) for value in values}
    numbers = {value: number for value, number in read.items() if number is not None}
    strays = [value for value, number in read.items() if number is None]
    widths = [_width(step) for step in steps] if steps is not None else None
    ruler = _Ruler(max((_places(number) for number in [*numbers.values(), *(widths or ())]), default=0))
    units = {value: ruler.units(number) for value, number in numbers.items()}
    if not units:
        return ProposedGroups((), (), strays, "no number")
    low, high = min(units.values()), max(units.values())
    if widths is not None:
        chosen = _checked([ruler.units(width) for width in widths], ruler)
    else:
        chosen = _widths(low, high, len(set(units.values())), levels)
    ruler = _placed(ruler, low, high, chosen)
    written, filled = _filled(units, ruler, chosen) if fill and chosen else (units, Fill.NONE)
    ordered = sorted(written, key=lambda value: (written[value], value))
    made = [_level([written[value] for value in ordered], ruler, width) for width in chosen]
    return ProposedGroups(ordered, made, strays, "no number", filled)


def range_levels(numbers: Sequence[Decimal]) -> list[GroupLevel]:
    """Return some round ranges for numbers in ascending order, each once.

    >>> [level.labels for level in range_levels([Decimal(n) for n in (7, 18, 23, 35, 41)])]
    [['0-19', '20-39', '40-59']]
    """
    ruler = _Ruler(max(map(_places, numbers)))
    units = list(map(ruler.units, numbers))
    widths = _widths(units[0], units[-1], len(units), None)
    ruler = _placed(ruler, units[0], units[-1], widths)
    return [_level(units, ruler, width) for width in widths]


def _places(number: Decimal) -> int:
    """The decimal places that a number needs."""
    exponent = EXACT.normalize(number).as_tuple().exponent
    assert isinstance(exponent, int)  # numbers are finite
    return max(-exponent, 0)


def _width(step: str) -> Decimal:
    width = Numbers().read(step)
    if width is None or width <= 0:
        raise InputError("steps: for ranges write widths, such as 5,10,20")
    return width


def _checked(widths: Sequence[int], ruler: _Ruler) -> list[int]:
    if not ruler.places and 1 in widths:
        raise InputError("steps: a range of width 1 is the number itself; begin with a wider one")
    for one, other in pairwise(widths):
        if other <= one or other % one:
            raise InputError("steps: each width must be a multiple of the one before, such as 5,10,20")
    return list(widths)


def _widths(low: int, high: int, distinct: int, levels: int | None) -> list[int]:
    """Return round widths: the finest as fits the number of values, the widest no wider than all values."""
    most = min(max(distinct // VALUES_PER_GROUP, 1), MOST_GROUPS)
    usual = 5 if high - low >= 9 else 2  # 1-5 and 6-10 rather than 1-2, 3-4, ...
    width = max(_round_up(-((low - high) // most)), usual)
    widths = []
    while width <= high - low and distinct > FEWEST:
        widths.append(width)
        width = _wider(width)
    while levels is not None and len(widths) < levels:
        finer = _finer(widths[0] if widths else width)
        if finer is None or low == high:
            break
        widths.insert(0, finer)
    refuse_levels(levels, len(widths), NAME)
    return thinned(widths, levels)


def _round_up(size: int) -> int:
    """Return the smallest of 1, 2, 5, 10, 20, 50, ... that is not below.

    >>> [_round_up(size) for size in (1, 3, 6, 14, 20, 21)]
    [1, 5, 10, 20, 20, 50]
    """
    power: int = 10 ** max(len(str(size)) - 1, 0)
    return next(width for width in (power, 2 * power, 5 * power, 10 * power) if width >= size)


def _wider(width: int) -> int:
    """Return the next of 1, 2, 5, 10, 20, 50, ... that is a multiple: 5, 10, 20, 100."""
    larger = _round_up(2 * width)
    return larger if larger % width == 0 else _round_up(larger + 1)


def _finer(width: int) -> int | None:
    """Return the next smaller round width that divides this one; None when it would be a single number."""
    for part in (2, 5):
        if width % part == 0 and _round_up(width // part) == width // part > 1:
            return width // part
    return None


def _placed(ruler: _Ruler, low: int, high: int, widths: Sequence[int]) -> _Ruler:
    """Return the ruler for these numbers: ranges begin at 0, or at 1 if that is the smallest and saves one."""
    if not widths:
        return ruler
    offset = 0
    if low == 1 and not ruler.places and (high - 1) // widths[0] < high // widths[0]:
        offset = 1
    placed = _Ruler(ruler.places, offset)
    return _Ruler(ruler.places, offset, negative=placed.group(low, widths[-1]) < 0)


def _filled(units: dict[str, int], ruler: _Ruler, widths: Sequence[int]) -> tuple[dict[str, int], Fill]:
    """Return the values with all other whole numbers of their ranges, or with the ends of the ranges if many."""
    present = set(units.values())
    if ruler.places > MOST_PLACES:
        return units, Fill.NONE
    between = _between(present, ruler, widths)
    numbers = present | set(between)
    for width in reversed(widths):  # an end of a wide range begins a narrow one, which has ends too
        groups = {ruler.group(number, width) for number in numbers}
        numbers |= {ruler.first(group + after, width) - after for group in groups for after in (0, 1)}
        if len(numbers) > FILL_MOST + len(present):
            return units, Fill.NONE
    write = _spelling(units, ruler)
    others = {write(number): number for number in sorted(numbers - present)}
    return units | others, Fill.ALL if between else Fill.ENDS


def _between(present: set[int], ruler: _Ruler, widths: Sequence[int]) -> range:
    """Return all numbers of the widest ranges, or else of the narrowest from first to last; none if too many."""
    for width in (widths[-1], widths[0]) if not ruler.places else ():
        first = ruler.first(ruler.group(min(present), width), width)
        stop = ruler.first(ruler.group(max(present), width) + 1, width)
        if may_fill(stop - first, len(present)):
            return range(first, stop)
    return range(0)


def _spelling(units: dict[str, int], ruler: _Ruler) -> Callable[[int], str]:
    """Return how numbers are written in the column, or how they are written without needless digits."""
    length = len(next(iter(units)))
    ways: list[Callable[[int], str]] = [ruler.text, "{}.0".format, lambda number: str(number).zfill(length)]
    for way in ways if not ruler.places else ():
        if all(way(number) == value for value, number in units.items()):
            return way
    return ruler.text


def _level(units: Sequence[int], ruler: _Ruler, width: int) -> GroupLevel:
    groups = [ruler.group(number, width) for number in units]
    places = {group: place for place, group in enumerate(dict.fromkeys(groups))}
    labels = [ruler.label(group, width) for group in places]
    return GroupLevel(ruler.text(width), [places[group] for group in groups], labels)

"""Groups of about equal weight: neighbours in the alphabet, in order of size or as the owner orders them."""

from __future__ import annotations

import heapq
import math
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import accumulate

from discreet.assist.proposing.grouping import NOT_IN_ANY, GroupLevel, ProposedGroups, refuse_levels
from discreet.columns.scale import Numbers
from discreet.errors import InputError

BRANCHES = 4
"""Groups that a group is divided into, about."""
MOST_LEVELS = 5
_AFTER_NUMBERS = 10**400
LONGEST = 30
"""Characters of a value in the label of a group."""


def balanced(
    values: Sequence[str], rows: Sequence[int], steps: Sequence[str] | None, levels: int | None
) -> ProposedGroups:
    """Return neighbouring values in groups of about equal numbers of rows.

    The heaviest group is divided again and again, where its halves weigh most alike, until there are enough for
    each level; so every group is part of one of the next level. A value alone in its group is itself.

    >>> found = balanced(["a", "b", "c", "d", "e", "f"], [5, 1, 1, 9, 1, 1], ["3"], None)
    >>> found.levels[0].labels
    ['a to c', 'e or f']
    """
    order = _ordered(values)
    return _neighbours([values[place] for place in order], [rows[place] for place in order], steps, levels)


def ordered(
    order: Sequence[str], rows: Mapping[str, int], steps: Sequence[str] | None, levels: int | None
) -> ProposedGroups:
    """Return values in groups of neighbours in an order that the owner gave; values that it lacks are strays.

    >>> found = ordered(["low", "medium", "high", "severe"], {"low": 9, "medium": 3, "severe": 1, "?": 1}, ["2"], None)
    >>> found.levels[0].labels, found.strays
    (['medium to severe'], ['?'])
    """
    known = set(order)
    strays = [value for value in rows if value not in known]
    if steps is None and levels is None:
        steps = [str(size) for size in _halves(len(order))]
    found = _neighbours(list(order), [rows.get(value, 0) for value in order], steps, levels)
    return replace(found, strays=strays, stray_name="not in the order")


def _halves(values: int) -> list[int]:
    """Return ever fewer groups of values in order.

    >>> _halves(2), _halves(3), _halves(5), _halves(16)
    ([], [2], [3, 2], [8, 4, 2])
    """
    sizes: list[int] = []
    while values > 2:
        values = (values + 1) // 2
        sizes.append(values)
    return sizes


def _neighbours(
    ordered: Sequence[str], rows: Sequence[int], steps: Sequence[str] | None, levels: int | None
) -> ProposedGroups:
    """Return values that are in order in groups of about equal numbers of rows."""
    sizes = _checked(steps, len(ordered)) if steps is not None else _sizes(len(ordered), levels)
    weights = [0, *accumulate(rows)]
    made: list[GroupLevel] = []
    known: set[tuple[int, int]] = set()
    for starts, size in zip(_divided(weights, sizes), sizes, strict=True):
        parts = list(zip(starts, [*starts[1:], len(ordered)], strict=True))
        made.insert(0, _level(ordered, parts, known, size))
        known.update(parts)
    return ProposedGroups(ordered, made)


def _ordered(values: Sequence[str]) -> list[int]:
    """The places of the values in the order of numbers, if all are, else in that of the alphabet (9th before 10th)."""
    numbers = [Numbers().read(value) for value in values]
    if None in numbers:
        return sorted(range(len(values)), key=lambda place: (_natural(values[place]), values[place]))
    return sorted(range(len(values)), key=lambda place: (numbers[place], values[place]))


def _natural(value: str) -> list[tuple[int, str]]:
    """A text in parts that compare as people read them: numbers by their size, words without regard to capitals.

    >>> sorted(["10th", "b", "9th", "A"], key=_natural)
    ['9th', '10th', 'A', 'b']
    """
    parts = re.findall(r"[0-9]{1,400}|[^0-9]+", value)
    return [(int(part), "") if part[0] in "0123456789" else (_AFTER_NUMBERS, part.casefold()) for part in parts]


def _checked(steps: Sequence[str], values: int) -> list[int]:
    """Return the numbers of groups, the fewest first."""
    sizes = [int(step) if step.isascii() and step.isdigit() else 0 for step in steps]
    if not all(1 < size < values for size in sizes) or sorted(set(sizes), reverse=True) != sizes:
        raise InputError(
            "steps: for balanced groups write how many there are to be, fewer and fewer, such as 16,4; "
            f"fewer than the {values} values"
        )
    return sizes[::-1]


def _sizes(values: int, levels: int | None) -> list[int]:
    """Return the numbers of groups on each level, the fewest first.

    >>> _sizes(3, None), _sizes(16, None), _sizes(41, None), _sizes(16, 2)
    ([], [4], [3, 12], [3, 6])
    """
    depth = 0
    while BRANCHES ** (depth + 1) < values and depth < MOST_LEVELS:
        depth += 1
    refuse_levels(levels, max(values - 2, 0).bit_length(), "balanced groups")
    wanted = depth if levels is None else levels
    sizes: list[int] = []
    for level in range(1, wanted + 1):
        least = sizes[-1] + 1 if sizes else 2
        sizes.append(max(round(math.exp(math.log(values) * level / (wanted + 1))), least))
    return sizes


def _divided(weights: Sequence[int], sizes: Sequence[int]) -> list[list[int]]:
    """Return for each number of groups the places where they begin; `weights` are running sums from 0."""
    found: list[list[int]] = []
    starts = [0]
    heap = [(-weights[-1], 0, len(weights) - 1)]
    for size in sizes:
        while len(starts) < size and heap:
            _, first, stop = heapq.heappop(heap)
            middle = _middle(weights, first, stop)
            starts.append(middle)
            for low, high in ((first, middle), (middle, stop)):
                if high - low > 1:
                    heapq.heappush(heap, (weights[low] - weights[high], low, high))
        found.append(sorted(starts))
    return found


def _middle(weights: Sequence[int], first: int, stop: int) -> int:
    """Return where a group is divided so that its halves weigh most alike."""
    half = weights[first] + weights[stop]
    after = bisect_left(weights, half / 2, first + 1, stop)
    places = [place for place in (after - 1, after) if first < place < stop]
    return min(places, key=lambda place: abs(2 * weights[place] - half))


def _level(
    values: Sequence[str], parts: Sequence[tuple[int, int]], known: set[tuple[int, int]], size: int
) -> GroupLevel:
    """Return the level of these parts; a single value, or a group that a coarser level has, is none here."""
    groups: list[int] = []
    labels: list[str] = []
    for first, stop in parts:
        new = stop - first > 1 and (first, stop) not in known
        groups += [len(labels) if new else NOT_IN_ANY] * (stop - first)
        if new:
            labels.append(_label(values[first:stop]))
    return GroupLevel(str(size), groups, labels)


def _label(values: Sequence[str]) -> str:
    link = "or" if len(values) == 2 else "to"
    return f"{_short(values[0])} {link} {_short(values[-1])}"


def _short(value: str) -> str:
    text = " ".join(value.split()) or repr(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 3]}..."

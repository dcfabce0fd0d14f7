"""What a release told of a cell, as a later one reads it: which of its elements the cell may be by that.

A told value may be one element, or those below it in a taxonomy. What a star of blind protection tells is kept as what
it may be, or may not be: texts, and stretches of numbers.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from discreet.columns.scale import Dates, Numbers, Scale
from discreet.planning.blind_reading import OTHER, BlindReading, Element, ReadColumn

Stretch: TypeAlias = tuple[Decimal | None, Decimal | None]


def block_json(read: ReadColumn, scale: Scale | None, block: Sequence[int]) -> str:
    """Return what a star tells, for a ledger: the texts and stretches of numbers that it may be, or may not be."""
    elements, inside = read.elements, set(block)
    denies = len(elements) - 1 in inside  # what nobody in the rest has
    listed = [place for place in range(len(elements)) if (place in inside) is not denies]
    runs: list[list[int]] = []
    for element in (elements[place] for place in listed):
        if isinstance(element, int):
            if runs and runs[-1][1] == element:
                runs[-1][1] = element + 1
            else:
                runs.append([element, element + 1])
    cuts = [None, *map(str, read.cuts or ()), None]
    said: dict[str, Any] = {
        "not": denies,
        "texts": [elements[place] for place in listed if elements[place] is None or isinstance(elements[place], str)],
        "stretches": [[cuts[first], cuts[stop]] for first, stop in runs],
    }
    if scale is not None:
        said |= {"type": scale.name}
        said |= {"decimal": scale.decimal} if isinstance(scale, Numbers) else {}
        said |= {"date_format": scale.form} if isinstance(scale, Dates) else {}
    return json.dumps(said, ensure_ascii=False)


@dataclass(frozen=True)
class TellingReader:
    """How what earlier releases told of a column is read in this one."""

    read: ReadColumn
    reading: BlindReading

    @property
    def _all(self) -> int:
        return len(self.read.elements)

    def of_text(self, text: str | None) -> tuple[int, ...]:
        """Return the elements that a released text may be."""
        elements = self.read.elements
        if self.reading.is_missing(text):
            return (elements.index(None) if None in elements else self._all - 1,)
        if self.reading.scale is not None:
            number = self.reading.scale.read(text)
            classes = number is not None and 0 in elements
            return (bisect_right(self.read.cuts or (), number) if classes and number is not None else self._all - 1,)
        if text in elements:
            return (elements.index(text),)
        below = self._below(text)
        return tuple(sorted({*(at for at, each in enumerate(elements) if each in below), self._all - 1}))

    def _below(self, label: str | None) -> set[Element]:
        """Return the labels below one, in the taxonomy of the column."""
        parents, found = self.reading.parents or {}, set[Element]()
        for each in parents:
            path: str | None = parents[each]
            while path is not None and path != label:
                path = parents.get(path)
            if path is not None:
                found.add(each)
        return found

    def of_block(self, text: str) -> tuple[int, ...]:
        """Return the elements that a star may be."""
        said = json.loads(text)
        texts = set(said["texts"])
        stretches = [tuple(None if end is None else Decimal(end) for end in each) for each in said["stretches"]]
        scale = _scale(said)
        found = []
        for place, element in enumerate(self.read.elements):
            if said["not"]:
                possible = not self._wholly(element, texts, stretches, scale)
            else:
                possible = self._partly(element, texts, stretches, scale)
            if possible:
                found.append(place)
        return tuple(found)

    def _class(self, number: int) -> Stretch:
        cuts = [None, *(self.read.cuts or ()), None]
        return cuts[number], cuts[number + 1]

    def _wholly(self, element: Element, texts: set[Any], stretches: Sequence[Any], scale: Scale | None) -> bool:
        """Whether all that an element may be is listed."""
        if element is OTHER:
            return False
        if isinstance(element, int):
            return any(_within(self._class(element), each) for each in stretches)
        return self._partly(element, texts, stretches, scale)

    def _partly(self, element: Element, texts: set[Any], stretches: Sequence[Any], scale: Scale | None) -> bool:
        """Whether something that an element may be is listed."""
        if element is OTHER:
            last = self._all - 1
            beyond = bool(stretches) and (self.reading.scale is None or 0 not in self.read.elements)
            return beyond or any(last in self.of_text(text) for text in texts)
        if isinstance(element, int):
            here = any(self.of_text(text) == (self.read.elements.index(element),) for text in texts)
            return here or any(_meet(self._class(element), each) for each in stretches)
        number = None if scale is None or element is None else scale.read(element)
        return element in texts or (number is not None and any(_has(each, number) for each in stretches))


def _scale(said: Mapping[str, Any]) -> Scale | None:
    if "type" not in said:
        return None
    return Dates(said["date_format"]) if said["type"] == "date" else Numbers(said["decimal"])


def _has(stretch: Stretch, number: Decimal) -> bool:
    low, high = stretch
    return (low is None or low <= number) and (high is None or number < high)


def _meet(one: Stretch, other: Stretch) -> bool:
    return all(low is None or high is None or low < high for low, high in ((one[0], other[1]), (other[0], one[1])))


def _within(inner: Stretch, outer: Stretch) -> bool:
    low = outer[0] is None or (inner[0] is not None and outer[0] <= inner[0])
    return low and (outer[1] is None or (inner[1] is not None and inner[1] <= outer[1]))

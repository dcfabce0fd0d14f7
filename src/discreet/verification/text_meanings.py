"""What released texts of a sensitive column say of a value: that it is so, that it may be, or that it is not.

A group of the taxonomy, a set and an interval may be any of the values in them; a group with one value in it is that
value. By code of verification alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from discreet.policy.columns import Column
from discreet.verification.set_texts import set_members
from discreet.verification.stretches import Stretch, label_reader, written_reader
from discreet.verification.value_texts import kind_of

Text = str | None
Flags = np.ndarray
End = tuple[Fraction | float, int]
"""An end of an interval; beside it 1 for the first that begins just above, -1 for the last that ends just below."""


@dataclass(frozen=True)
class TextMeaning:
    """The values that a text may stand for: categories, or stretches of numbers or days with both ends."""

    key: object
    """Equal for texts that say the same."""
    categories: frozenset[Text] = frozenset()
    stretches: tuple[tuple[End, End], ...] = ()
    several: bool = False
    """Whether it may be more than one value."""

    def inside(self, other: TextMeaning) -> bool:
        """Whether all that it may be lies in the other; of a text with several readings, by any of them."""
        if self.key == other.key or (self.categories and self.categories <= other.categories):
            return True
        return any(at[0] <= low and high <= at[1] for low, high in self.stretches for at in other.stretches)

    def meets(self, other: TextMeaning) -> bool:
        """Whether it may be something that the other may be."""
        if self.key == other.key or not self.categories.isdisjoint(other.categories):
            return True
        return any(low <= at[1] and at[0] <= high for low, high in self.stretches for at in other.stretches)


def reader_of(column: Column) -> Callable[[Text], TextMeaning]:
    """Return what reads the texts of a column, in the release or in a policy."""
    return _category_reader(column) if column.scale is None else _number_reader(column)


def _category_reader(column: Column) -> Callable[[Text], TextMeaning]:
    below: dict[Text, frozenset[Text]] = {}
    if column.taxonomy is not None:
        for node in column.taxonomy.nodes:
            below.update(dict.fromkeys(node.labels, frozenset(column.taxonomy.leaves[node.first : node.stop])))

    def read(text: Text) -> TextMeaning:
        members = set_members(text) if column.form == "set" else frozenset[Text]()
        values = frozenset[Text]().union(*(below.get(each, frozenset([each])) for each in members or (text,)))
        return TextMeaning(values, values, several=len(values) > 1)

    return read


def _number_reader(column: Column) -> Callable[[Text], TextMeaning]:
    kind = kind_of(column)
    readers = [written_reader(kind), *([] if column.labels is None else [label_reader(column, kind)])]

    def read(text: Text) -> TextMeaning:
        value = None if text is None else kind.value(text)
        found: list[tuple[End, End]] = [] if value is None else [((value, 0), (value, 0))]
        for one in [] if text is None else [one for reader in readers for one in reader(text)]:
            low, high = _ends(one, days=column.type == "date")
            if low <= high and (low, high) not in found:
                found.append((low, high))
        alone = len(found) == 1 and found[0][0] == found[0][1]
        return TextMeaning(found[0][0][0] if alone else text, stretches=tuple(found), several=bool(found) and not alone)

    return read


def _ends(one: Stretch, *, days: bool) -> tuple[End, End]:
    """Return both ends of a stretch; between days there is nothing, so that all of theirs belong to it."""
    low: End = (-math.inf, 0) if one.low is None else (one.low, int(one.beyond))
    high: End = (math.inf, 0) if one.high is None else (one.high, 0 if one.closed else -1)
    return ((low[0] + low[1], 0), (high[0] + high[1], 0)) if days else (low, high)


class TextMeanings:
    """The texts of a column as what they say."""

    def __init__(self, column: Column, texts: Sequence[Text]) -> None:
        self._read = reader_of(column)
        self._numbers = column.scale is not None
        self._texts = texts
        self.meanings = [self._read(text) for text in texts]
        keys: dict[object, int] = {}
        self._same = np.array([keys.setdefault(each.key, len(keys)) for each in self.meanings], dtype=np.int64)
        self._keys = keys  # a number for each thing that is said, and `_same` those of the texts
        self._several = [place for place, each in enumerate(self.meanings) if each.several]

    def of_named(self, value: Text) -> tuple[Flags, Flags]:
        """Return which texts say a value that somebody named, and which leave it open.

        A number is that very text, as it is where releases are made.
        """
        has, may = self._about(self._read(value))
        if self._numbers:
            single = np.array([not each.several for each in self.meanings], dtype=np.bool_)
            has &= ~single
        return has | np.array([text == value for text in self._texts], dtype=np.bool_), may & ~has

    def of_text(self, place: int) -> tuple[Flags, Flags]:
        """Return which texts say what the text at a place says, and which leave it open."""
        return self._about(self.meanings[place])

    def _about(self, asked: TextMeaning) -> tuple[Flags, Flags]:
        has: Flags = self._same == self._keys.get(asked.key, -1)
        may = np.zeros(len(has), dtype=np.bool_)
        for place in range(len(has)) if asked.several else self._several:
            has[place] |= self.meanings[place].inside(asked)
            may[place] = self.meanings[place].meets(asked)
        return has, may & ~has

    def all_but(self, but: Sequence[Text], silent: Flags) -> Iterator[int]:
        """Yield a place of everything that is said, each once, but for what some values say."""
        named = [self._read(value) for value in but]
        harmless = frozenset[Text]().union(*(each.categories for each in named))
        done: set[int] = set()
        for place, meaning in enumerate(self.meanings):
            number = int(self._same[place])
            if silent[place] or number in done:
                continue
            done.add(number)
            if not (bool(meaning.categories) and meaning.categories <= harmless) and not any(
                meaning.inside(each) for each in named
            ):
                yield place

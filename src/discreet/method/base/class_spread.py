"""How evenly the rows of released values are spread over thousands of classes, from pairs of value and class.

The entropy of n rows is log n less the sum of c log c over their classes, by n. What is added up is c log c in whole
parts: so it does not matter in which order, and equal counts come to the same entropy. It is told a little less
finely than from a table of all classes.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.encoded import Ints
from discreet.method.base.class_pairs import ClassPairs, pairs_of
from discreet.method.base.space import Floats

LARGEST = 2**60
"""Sums of whole parts stay below this."""


@dataclass(frozen=True)
class ClassSpread:
    """The values of a column, by code, with the rows of each class."""

    pairs: ClassPairs

    @cached_property
    def parts(self) -> int:
        """How many whole parts c log c is told in: a power of two, so that it is rounded once."""
        rows = max(int(self.pairs.counts.sum()), 2)
        return 1 << max((LARGEST // (rows * rows.bit_length())).bit_length() - 1, 0)

    def terms(self, counts: Ints) -> Ints:
        """Return c log c of some counts, in whole parts."""
        return np.asarray(np.rint(counts * np.log2(np.maximum(counts, 1)) * float(self.parts)), dtype=np.int64)

    def entropies(self, rows: Ints, sums: Ints) -> Floats:
        """Return the entropy of so many rows, from the sum of the terms of their classes."""
        return np.asarray((self.terms(rows) - sums) / (np.maximum(rows, 1) * float(self.parts)))

    def of_ranges(self, ranges: Ints) -> tuple[Floats, Ints]:
        """Return the entropy of the codes from each first (last axis) up to a stop, and how many classes they have."""
        flat = ranges.reshape(-1, 2)
        lengths = flat[:, 1] - flat[:, 0]
        begins = np.cumsum(lengths) - lengths
        codes = np.repeat(flat[:, 0] - begins, lengths) + np.arange(int(lengths.sum()))
        merged = self.merged(codes, np.repeat(np.arange(len(flat)), lengths), len(flat))
        sums, rows = (_by_row(merged, each) for each in (self.terms(merged.counts), merged.counts))
        classes = np.diff(merged.at)
        return self.entropies(rows, sums).reshape(ranges.shape[:-1]), classes.reshape(ranges.shape[:-1])

    def merged(self, codes: Ints, part: Ints, parts: int) -> ClassPairs:
        """Return the rows of each class of so many parts: each of the codes belongs to the part said of it."""
        some = self.pairs.of_rows(codes)
        return pairs_of(np.repeat(part, np.diff(some.at)), some.classes, some.counts, parts, some.size)

    def of_cuts(self, first: int, stop: int) -> Floats:
        """Return the entropies on both sides (second axis) of each place within codes where they may be cut."""
        at = slice(int(self.pairs.at[first]), int(self.pairs.at[stop]))
        code = np.repeat(np.arange(stop - first), np.diff(self.pairs.at[first : stop + 1]))
        order = np.argsort(self.pairs.classes[at], kind="stable")
        one, counts, code = self.pairs.classes[at][order], self.pairs.counts[at][order], code[order]
        begins = np.flatnonzero(np.append(True, one[1:] != one[:-1])) if len(one) else order
        below = np.cumsum(counts)
        lengths = np.diff(np.append(begins, len(one)))
        after = below - np.repeat((below - counts)[begins], lengths)
        every = np.repeat(np.add.reduceat(counts, begins) if len(one) else counts, lengths)
        rows, left, right = (np.zeros(stop - first, dtype=np.int64) for _ in range(3))
        np.add.at(rows, code, counts)
        np.add.at(left, code, self.terms(after) - self.terms(after - counts))
        np.add.at(right, code, self.terms(every - after + counts) - self.terms(every - after))
        rows, left = np.cumsum(rows), np.cumsum(left)
        right = right.sum() - np.cumsum(right)
        sides = [self.entropies(rows[:-1], left[:-1]), self.entropies(rows[-1] - rows[:-1], right[:-1])]
        return np.stack(sides, axis=-1)


class HiddenSpread:
    """The hidden values of a plain column, of which one after the other is shown."""

    def __init__(self, spread: ClassSpread) -> None:
        pairs = spread.pairs
        self._spread = spread
        self._order = np.argsort(pairs.classes, kind="stable")
        self._begins = np.searchsorted(pairs.classes[self._order], np.arange(pairs.size + 1))
        self._value = np.repeat(np.arange(pairs.rows), np.diff(pairs.at))
        self._rows = _by_row(pairs, pairs.counts)
        self._own = spread.entropies(self._rows, _by_row(pairs, spread.terms(pairs.counts)))
        self.of_all = pairs.of_all()
        """Hidden rows of each class."""
        self._less = self._lessened(np.arange(len(pairs.classes)))
        """By pair, what the terms of the hidden come to less without it; by value then."""
        self._without = _by_row(pairs, self._less)

    def copy(self) -> HiddenSpread:
        """Return one that goes on by itself."""
        twin = copy.copy(self)
        twin.of_all, twin._less, twin._without = self.of_all.copy(), self._less.copy(), self._without.copy()
        return twin

    def show(self, value: int) -> None:
        """Take a value from the hidden ones; others that have its classes are looked at again."""
        pairs = self._spread.pairs
        own = slice(int(pairs.at[value]), int(pairs.at[value + 1]))
        classes = pairs.classes[own]
        self.of_all[classes] -= pairs.counts[own]
        lengths = self._begins[classes + 1] - self._begins[classes]
        places = np.repeat(self._begins[classes] - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
        touched = self._order[places]
        less = self._lessened(touched)
        np.add.at(self._without, self._value[touched], less - self._less[touched])
        self._less[touched] = less

    def entropies(self, values: Ints) -> tuple[Floats, Floats]:
        """Return the entropy of the hidden ones, and of each value (first) and the others without it."""
        spread = self._spread
        rows, sums = int(self.of_all.sum()), int(spread.terms(self.of_all).sum())
        others = spread.entropies(rows - self._rows[values], sums - self._without[values])
        whole = spread.entropies(np.array([rows]), np.array([sums]))
        return whole, np.stack([self._own[values], others], axis=-1)

    def _lessened(self, places: Ints) -> Ints:
        """Return by how much the terms of the classes of some pairs go down without the pair."""
        pairs, spread = self._spread.pairs, self._spread
        now = self.of_all[pairs.classes[places]]
        return spread.terms(now) - spread.terms(np.maximum(now - pairs.counts[places], 0))


def _by_row(pairs: ClassPairs, figures: Ints) -> Ints:
    """Return the sums of what is said of the pairs of each row."""
    summed = np.append(0, np.cumsum(figures))
    return np.asarray(summed[pairs.at[1:]] - summed[pairs.at[:-1]])


def uncertain(pairs: ClassPairs) -> tuple[float, float]:
    """Return the (summed) entropy of the class before and after a column is known."""
    spread = ClassSpread(pairs)
    rows = _by_row(pairs, pairs.counts)
    each = spread.entropies(rows, _by_row(pairs, spread.terms(pairs.counts)))
    whole, _ = spread.of_ranges(np.array([[0, pairs.rows]]))
    return float(rows.sum() * whole[0]), float((rows * each).sum())

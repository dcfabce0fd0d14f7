"""A column of a release beside that of the original: what is unchanged, what each text costs, how the values lie.

A text that covers several values counts as each of them, evenly; one that tells nothing counts as none.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from discreet.compare.features import numbers_of
from discreet.compare.meanings import Flags, Floats, Sense
from discreet.compare.scene import Scene
from discreet.encoded import Ints
from discreet.policy.columns import Column

BINS = 50
"""Values or ranges of a column that are told apart beside another."""
MOST = 100_000
"""Texts of a column that has bins."""


class Beside:
    """A column of the release beside that of the original; `InputError` where it has no text form."""

    def __init__(self, scene: Scene, name: str) -> None:
        self.scene, self.name = scene, name
        self.sense: Sense = scene.sense(name)
        self.column: Column | None = scene.policy.columns.get(name)
        self.rows = np.bincount(self.sense.codes, minlength=len(self.sense.texts)).astype(np.int64)
        self.original = self.sense.values_of(scene.original)
        self.here: Flags = np.zeros(len(self.sense.values), dtype=np.bool_)
        self.here[self.original] = True
        self.here &= self.sense.known

    @cached_property
    def spread(self) -> tuple[Ints, Ints, Floats]:
        """For each text the values of the original that it covers, with even shares; none where nothing is told."""
        begin, covered, _ = self.sense.shares()
        text = np.repeat(np.arange(len(self.sense.texts)), np.diff(begin))[self.here[covered]]
        covered = covered[self.here[covered]]
        width = np.bincount(text, minlength=len(self.sense.texts))
        return text, covered, 1.0 / width[text]

    @cached_property
    def covered(self) -> Ints:
        """How many values of the original each text covers; 0 where nothing is told."""
        return np.bincount(self.spread[0], minlength=len(self.sense.texts)).astype(np.int64)

    @property
    def strange(self) -> int:
        """Cells with a text that tells something, but covers no value."""
        return int(self.rows[self.sense.tells & (self.covered == 0)].sum())

    @cached_property
    def numbers(self) -> Floats | None:
        """The values as numbers, if the column is one of numbers."""
        return numbers_of(self.sense)

    @cached_property
    def blank(self) -> Flags:
        """Which texts tell nothing: hidden, or they may be every value."""
        every = int(self.here.sum())
        return np.asarray(~self.sense.tells | ((self.covered == every) & (every > 1)))

    @cached_property
    def unchanged(self) -> Flags:
        """Which cells tell the original; where rows are not known to be whose, those that tell one value."""
        place = {value: at for at, value in enumerate(self.sense.values)}
        own = np.array([place.get(text, -1) for text in self.sense.texts], dtype=np.int64)
        if self.scene.places is None:
            return np.asarray(((own >= 0) & ~self.blank)[self.sense.codes])
        own = own[self.sense.codes]
        return np.asarray((own == self.original[self.scene.places]) & (own >= 0))

    @cached_property
    def losses(self) -> Floats:
        """What is lost by each text: nothing is 0, everything is 1."""
        if self.sense.numbers is not None:
            losses = self._widths()
        elif self.column is not None and self.column.taxonomy is not None:
            losses = self._leaves()
        else:
            losses = (self.covered - 1) / max(int(self.here.sum()) - 1, 1)
        return np.where(self.sense.tells & (self.covered > 0), losses, 1.0)

    def _widths(self) -> Floats:
        """Return the distance of the smallest and largest number that each text covers, beside that of all."""
        assert self.sense.numbers is not None
        numbers = self.sense.numbers
        known = np.isfinite(numbers) & self.here
        whole = float(np.ptp(numbers[known])) if known.any() else 0.0
        text, covered, _ = self.spread
        text, covered = text[known[covered]], covered[known[covered]]
        low, high = np.full(len(self.sense.texts), np.inf), np.full(len(self.sense.texts), -np.inf)
        np.minimum.at(low, text, numbers[covered])
        np.maximum.at(high, text, numbers[covered])
        return np.where(high >= low, high - low, 0.0) / (whole or 1.0)

    def _leaves(self) -> Floats:
        """Return the leaves below each text in the taxonomy; as with other categories where it is no label."""
        assert self.column is not None
        assert self.column.taxonomy is not None
        taxonomy = self.column.taxonomy
        below = {label: node.stop - node.first for node in taxonomy.nodes for label in node.labels}
        sizes = [below.get(text or "", count) for text, count in zip(self.sense.texts, self.covered, strict=True)]
        return (np.array(sizes, dtype=np.float64) - 1) / max(len(taxonomy.leaves) - 1, 1)

    @cached_property
    def distributions(self) -> tuple[Floats, Floats]:
        """The share of each value among the known cells, before and after; all 0 where none is known."""
        size = len(self.sense.values)
        before = np.where(self.here, np.bincount(self.original, minlength=size), 0.0)
        text, covered, share = self.spread
        after = np.bincount(covered, weights=share * self.rows[text], minlength=size)
        return before / max(before.sum(), 1), after / max(after.sum(), 1e-300)

    @cached_property
    def bins(self) -> Ints:
        """The bin of each value, at most `BINS`; -1 for what tells nothing, or that the original lacks.

        A column with very many texts, such as names, has no bins: nothing is told apart by it.
        """
        bins = np.full(len(self.sense.values), -1, dtype=np.int64)
        if max(len(self.sense.texts), len(bins)) > MOST:
            return bins
        before, _ = self.distributions
        places = np.flatnonzero(self.here)
        numbers = self.numbers
        if len(places) <= BINS:
            bins[places] = np.arange(len(places))
        elif numbers is not None and np.isfinite(numbers[places]).all():
            places = places[np.argsort(numbers[places], kind="stable")]
            share = np.cumsum(before[places]) - before[places] / 2
            bins[places] = np.unique(np.floor(share * BINS), return_inverse=True)[1]
        else:
            places = places[np.argsort(-before[places], kind="stable")]
            bins[places] = np.minimum(np.arange(len(places)), BINS - 1)
        return bins

    @cached_property
    def shares(self) -> Floats:
        """The share of each text in each bin; nothing where nothing is told."""
        texts, size = len(self.sense.texts), int(self.bins.max(initial=-1)) + 1
        if not size:
            return np.zeros((texts, 0))
        text, covered, share = self.spread
        found = np.bincount(text * size + self.bins[covered], share, texts * size)
        return found.astype(np.float64).reshape(texts, size)

"""Bottom-up suppression: the other way to keep templates, which the papers name and do not measure.

From the table as it is, hide one value after another (a column's first two together, for one alone is only
renamed) until no inference is above the threshold. Each time the value is taken that loses the least InfoGain
for each inference above the threshold that goes with it; when none goes, for each that contains the value.
InfoGain and the marker are those of top-down disclosure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

MARKER = "*"
Counts = NDArray[np.int64]
Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Candidates:
    """What could be hidden next: values `first`, and `second` with it where that is not -1."""

    column: Counts
    first: Counts
    second: Counts
    loss: Numbers
    removed: Counts
    touched: Counts

    def best(self) -> int:
        """Return the place of the best; of equal ones the first."""
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(self.removed > 0, self.loss / self.removed, np.inf)
            touching = np.where(self.touched > 0, self.loss / self.touched, np.inf)
        return int(np.lexsort((-self.touched, touching, each))[0])


class Search:
    """The groups of rows that look alike, with their sizes and hits, and what is hidden so far."""

    def __init__(self, codes: Counts, hits: Counts, classes: Counts, threshold: int) -> None:
        """Start with nothing hidden: `codes` of the known columns, `hits` 0 or 1 for each property, both by row."""
        self.threshold = threshold
        self.sizes = [int(column.max()) + 1 for column in codes.T]
        self.hidden: list[list[int]] = [[] for _ in self.sizes]
        kinds = int(classes.max()) + 1
        # Class counts by value; the last line is the marker's.
        self.classes = [
            np.bincount(column * kinds + classes, minlength=(size + 1) * kinds).reshape(-1, kinds)
            for column, size in zip(codes.T, self.sizes, strict=True)
        ]
        self._merge(codes, np.column_stack([np.ones(len(codes), np.int64), hits]))

    def violations(self) -> Counts:
        """Return how many inferences of each group are above the threshold."""
        return self._above(self.counts)

    def candidates(self) -> Candidates:
        per_group = self.violations()
        found = [self._of_column(place, per_group) for place in range(len(self.sizes))]
        return Candidates(*(np.concatenate(parts) for parts in zip(*found, strict=True)))

    def hide(self, column: int, values: Sequence[int]) -> None:
        marker = self.sizes[column]
        codes = self.codes.copy()
        codes[np.isin(codes[:, column], values), column] = marker
        self.classes[column][marker] += self.classes[column][list(values)].sum(axis=0)
        self.hidden[column].extend(values)
        self._merge(codes, self.counts)

    def _above(self, counts: Counts) -> Counts:
        above: Counts = (counts[:, 1:] * 100 > counts[:, :1] * self.threshold).sum(axis=1, dtype=np.int64)
        return above

    def _key(self, codes: Counts, without: int | None = None) -> Counts:
        key = np.zeros(len(codes), np.int64)
        for place, size in enumerate(self.sizes):
            if place != without:
                key = key * (size + 1) + codes[:, place]
        return key

    def _merge(self, codes: Counts, counts: Counts) -> None:
        key = self._key(codes)
        order = np.argsort(key, kind="stable")
        starts = np.flatnonzero(np.diff(key[order], prepend=-1))
        self.codes: Counts = codes[order[starts]]
        self.counts: Counts = np.add.reduceat(counts[order], starts, axis=0)

    def _of_column(self, place: int, per_group: Counts) -> tuple[Counts | Numbers, ...]:
        """Return the candidates of one column, all at once."""
        marker, classes = self.sizes[place], self.classes[place]
        rest = self._key(self.codes, without=place)
        order = np.lexsort((self.codes[:, place], rest))
        rest, values, counts, above = rest[order], self.codes[order, place], self.counts[order], per_group[order]
        touched = np.bincount(values, above, marker + 1).astype(np.int64)
        gone = np.zeros((marker + 1, marker + 1), np.int64)
        for left, right in self._pairs(place, rest, values):
            removed = above[left] + above[right] - self._above(counts[left] + counts[right])
            np.add.at(gone, (values[left], values[right]), removed)
        if self.hidden[place]:
            first = np.setdiff1d(np.arange(marker), self.hidden[place])
            second = np.full(len(first), marker)
        else:
            first, second = np.triu_indices(marker, 1)
        together = classes[first] + classes[second]
        loss = (_entropy(together) - _entropy(classes[first]) - _entropy(classes[second])) / together.sum(axis=1)
        with_it = np.where(second == marker, -1, second)
        hit = touched[first] + np.where(with_it < 0, 0, touched[second])
        return np.full(len(first), place), first, with_it, np.maximum(loss, 0), gone[first, second], hit

    def _pairs(self, place: int, rest: Counts, values: Counts) -> list[tuple[Counts, Counts]]:
        """Return the pairs of groups that differ in this column only and that a candidate would join."""
        if self.hidden[place]:  # the marker's group comes last among those with the same rest
            last = np.searchsorted(rest, rest, side="right") - 1
            left = np.flatnonzero((values[last] == self.sizes[place]) & (values != self.sizes[place]))
            return [(left, last[left])]
        pairs = []
        for distance in range(1, self.sizes[place]):
            left = np.flatnonzero(rest[:-distance] == rest[distance:])
            if len(left) == 0:
                break
            pairs.append((left, left + distance))
        return pairs


def bottom_up(
    table: pl.DataFrame, known: Sequence[str], infer: Sequence[tuple[str, str]], target: str, threshold: int
) -> pl.DataFrame:
    """Return the table with values hidden until no property is inferred above `threshold` per cent.

    The threshold must be one that hiding everything keeps.
    """
    codes = np.column_stack([encoded(table[column]) for column in known])
    hits = np.column_stack([(table[column] == value).to_numpy().astype(np.int64) for column, value in infer])
    search = Search(codes, hits, encoded(table[target]), threshold)
    while search.violations().any():
        candidates = search.candidates()
        if len(candidates.column) == 0:
            raise ValueError("hiding everything does not keep the threshold")
        best = candidates.best()
        first, second = int(candidates.first[best]), int(candidates.second[best])
        search.hide(int(candidates.column[best]), [first] if second < 0 else [first, second])
    columns = []
    for place, column in enumerate(known):
        hidden = pl.Series(np.isin(codes[:, place], search.hidden[place]))
        columns.append(pl.select(pl.when(hidden).then(pl.lit(MARKER)).otherwise(table[column]).alias(column)))
    return table.with_columns(*(column.to_series() for column in columns))


def encoded(column: pl.Series) -> Counts:
    """Return the values of a column as numbers from 0, in the order of their text."""
    return np.asarray(column.rank("dense").to_numpy(), np.int64) - 1


def _entropy(counts: Counts) -> Numbers:
    """Return for each line of class counts its entropy, times its sum."""
    total = counts.sum(axis=1)
    spread: Numbers = total * np.log2(np.maximum(total, 1)) - (counts * np.log2(np.maximum(counts, 1))).sum(axis=1)
    return spread


if __name__ == "__main__":
    print(__doc__)

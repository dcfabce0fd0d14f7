"""Which rows of a recoded table are masked, so that every group keeps every promise.

Guarantee: when all rows that are named here are masked on every changeable column, each group of rows that look
alike on a promise's columns keeps it, the masked rows included (they are a group like any other, told apart by
columns that never change). Groups that break a promise are masked whole; everything is counted again until
nothing changes. When the masked rows break a promise themselves, more rows are masked, drawn by lot: to choose
them by what they hold would tell something. Each round only masks more, so it ends.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.policy import Crowd, GroupPromise, Inference
from discreet.policy.bind import Bound
from discreet.table.encode import Encoded, Ints, keys
from discreet.table.engine import Engine

Rows = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Suppressed:
    """The places of the rows to mask, and how many of them were drawn by lot."""

    places: Ints
    drawn: int


@dataclass(frozen=True)
class _Groups:
    """The groups on the columns of some promises: the group of each row, and which groups break one."""

    of_row: Ints
    sizes: Ints
    broken: Rows


def rows_to_suppress(released: Engine, bound: Bound, rng: np.random.Generator) -> Suppressed:
    """Return the rows of a recoded table that must be masked."""
    return _Suppression(released, bound, rng).run()


class _Suppression:
    """The rows of one table while more and more are masked."""

    def __init__(self, released: Engine, bound: Bound, rng: np.random.Generator) -> None:
        self.bound = bound
        self.rng = rng
        self.masked: Rows = np.zeros(released.rows, dtype=np.bool_)
        self.drawn = 0
        by_given: dict[frozenset[str], list[GroupPromise]] = {}
        for promise in bound.policy.promises():
            by_given.setdefault(frozenset(promise.given), []).append(promise)
        self.promises = list(by_given.values())
        needed = {column for promise in bound.policy.promises() for column in promise.given} | bound.policy.sensitive
        self.encoded = {column: released.encoded(column) for column in needed}

    def run(self) -> Suppressed:
        """Mask until every group keeps every promise."""
        while True:
            found = [self._groups(promises) for promises in self.promises]
            broken = np.zeros_like(self.masked)
            for groups in found:
                broken |= groups.broken[groups.of_row]
            fresh = broken & ~self.masked
            if fresh.any():
                self.masked |= fresh
            elif (broken & self.masked).any() and not self.masked.all():
                self._draw(found, broken)
            else:  # with every row masked nothing more can be done: verification says what is broken
                return Suppressed(np.flatnonzero(self.masked), self.drawn)

    def _groups(self, promises: Sequence[GroupPromise]) -> _Groups:
        given = [column for column in self.bound.columns if column in promises[0].given]
        codes, sizes = zip(*(self._codes(column) for column in given), strict=True)
        key, _ = keys(codes, sizes, len(self.masked))
        _, of_row = np.unique(key, return_inverse=True)
        rows = np.bincount(of_row)
        broken = np.zeros(len(rows), dtype=np.bool_)
        for promise in promises:
            if isinstance(promise, Crowd):
                broken |= rows < promise.k
            else:
                broken |= self._too_sure(promise, of_row, len(rows))
        return _Groups(of_row.astype(np.int64), rows, broken)

    def _codes(self, column: str) -> tuple[npt.NDArray[np.unsignedinteger], int]:
        """Return the codes of a column with the masked cells of a changeable one as the marker."""
        encoded = self.encoded[column]
        if column not in self.bound.changeable:
            return encoded.codes, len(encoded.domain)
        marker = self.bound.policy.marker
        code = encoded.domain.index(marker) if marker in encoded.domain else len(encoded.domain)
        return np.where(self.masked, np.uint32(code), encoded.codes.astype(np.uint32)), len(encoded.domain) + 1

    def _too_sure(self, promise: Inference, of_row: Ints, groups: int) -> Rows:
        encoded: Encoded = self.encoded[promise.column]
        has = np.array([value == promise.value for value in encoded.domain], dtype=np.bool_)[encoded.codes]
        unknown = np.array([self.bound.policy.is_unknown(value) for value in encoded.domain], dtype=np.bool_)
        hits = np.bincount(of_row[has], minlength=groups).astype(object)
        known = np.bincount(of_row[~unknown[encoded.codes]], minlength=groups).astype(object)
        limit = promise.at_most
        return np.asarray(hits * limit.denominator > limit.numerator * known, dtype=np.bool_)

    def _draw(self, found: Sequence[_Groups], broken: Rows) -> None:
        """Mask more rows by lot, from groups that can spare one where there are such."""
        spare = ~self.masked
        for groups, promises in zip(found, self.promises, strict=True):
            k = max((promise.k for promise in promises if isinstance(promise, Crowd)), default=1)
            spare &= groups.sizes[groups.of_row] > k
        from_whom = np.flatnonzero(spare if spare.any() else ~self.masked)
        wanted = min(self._missing(found, broken), len(from_whom))
        for row in self.rng.choice(from_whom, size=wanted, replace=False).tolist():
            self.masked[row] = True
        self.drawn += wanted

    def _missing(self, found: Sequence[_Groups], broken: Rows) -> int:
        """Return how many rows the masked ones lack at the most for k; one at a time for templates."""
        lack = 1
        for groups, promises in zip(found, self.promises, strict=True):
            k = max((promise.k for promise in promises if isinstance(promise, Crowd)), default=1)
            sizes = groups.sizes[groups.of_row[broken & self.masked]]
            lack = max(lack, int(k - sizes.min()))
        return lack

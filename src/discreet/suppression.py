"""Which rows of a recoded table are suppressed, so that every group keeps every promise.

Guarantee: when all rows that are named here are masked on every changeable column, each group of rows that look
alike on a promise's columns keeps it, the masked rows included (they are a group like any other, told apart by
columns that never change). Groups that break a promise are masked whole; everything is counted again until
nothing changes. When the masked rows break a promise themselves, more rows are masked, drawn by lot: to choose
them by what they hold would tell something. Each round only masks more, so it ends.

Where k counts in the whole table and a sample of it is released, the whole table is treated so: for k all its rows
count, for templates those that were drawn.

Where the policy removes such rows, they count nowhere: groups that break a promise are removed whole, which may
break groups on other columns, until nothing changes. No row is drawn.
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
    """The places of the rows to suppress, and how many of them were drawn by lot."""

    places: Ints
    drawn: int


@dataclass(frozen=True)
class _Groups:
    """The groups on the columns of some promises: the group of each row, and how many rows each has."""

    of_row: Ints
    sizes: Ints
    too_few: Ints
    """How many more rows each lacks for k."""
    too_sure: Ints
    """How many more rows without a property (and told) each lacks at least for a template."""

    @property
    def broken(self) -> Rows:
        """Which rows are in a group that breaks a promise."""
        return np.asarray(((self.too_few > 0) | (self.too_sure > 0))[self.of_row], dtype=np.bool_)


def rows_to_suppress(released: Engine, bound: Bound, rng: np.random.Generator, told: Rows | None = None) -> Suppressed:
    """Return the rows of a recoded table that must be masked or, where the policy says so, removed.

    `told` are the rows that are released, where the others count for k only.
    """
    return _Suppression(released, bound, rng, told).run()


class _Suppression:
    """The rows of one table while more and more are suppressed."""

    def __init__(self, released: Engine, bound: Bound, rng: np.random.Generator, told: Rows | None) -> None:
        self.bound = bound
        self.told: Rows = np.ones(released.rows, dtype=np.bool_) if told is None else told
        self.rng = rng
        self.removes = bound.policy.removes
        self.gone: Rows = np.zeros(released.rows, dtype=np.bool_)
        self.drawn = 0
        by_given: dict[frozenset[str], list[GroupPromise]] = {}
        for promise in bound.policy.promises():
            by_given.setdefault(frozenset(promise.given), []).append(promise)
        self.promises = by_given
        needed = {column for promise in bound.policy.promises() for column in promise.given} | bound.policy.sensitive
        self.encoded = {column: released.encoded(column) for column in needed}
        self._alike: dict[frozenset[str], Ints] = {}

    def run(self) -> Suppressed:
        """Suppress until every group keeps every promise."""
        while True:
            found = [self._groups(given, promises) for given, promises in self.promises.items()]
            broken = np.zeros_like(self.gone)
            for groups in found:
                broken |= groups.broken
            fresh = broken & ~self.gone
            if fresh.any():
                self.gone |= fresh
            elif self.removes or not (broken & self.gone).any() or not self._draw(found):
                # With every row masked nothing more can be done: verification says what is broken.
                return Suppressed(np.flatnonzero(self.gone), self.drawn)

    def _groups(self, given: frozenset[str], promises: Sequence[GroupPromise]) -> _Groups:
        of_row = self._of_row(given)
        groups = int(of_row.max(initial=-1)) + 1
        counted = ~self.gone if self.removes else np.ones_like(self.gone)
        sizes = np.bincount(of_row[counted], minlength=groups)
        too_few, too_sure = np.zeros(groups, dtype=np.int64), np.zeros(groups, dtype=np.int64)
        for promise in promises:
            if isinstance(promise, Crowd):
                too_few = np.maximum(too_few, np.where(sizes > 0, promise.k - sizes, 0))
            else:
                too_sure = np.maximum(too_sure, self._too_sure(promise, of_row, counted & self.told, groups))
        return _Groups(of_row, sizes, too_few, too_sure)

    def _of_row(self, given: frozenset[str]) -> Ints:
        """Return the group of each row; removed rows change nothing in it, masked ones do."""
        if given not in self._alike or not self.removes:
            known = [column for column in self.bound.columns if column in given]
            codes, widths = zip(*(self._codes(column) for column in known), strict=True)
            key, _ = keys(codes, widths, len(self.gone))
            self._alike[given] = np.unique(key, return_inverse=True)[1].astype(np.int64)
        return self._alike[given]

    def _codes(self, column: str) -> tuple[npt.NDArray[np.unsignedinteger], int]:
        """Return the codes of a column with the masked cells of a changeable one as the marker."""
        encoded = self.encoded[column]
        if column not in self.bound.changeable or self.removes:
            return encoded.codes, len(encoded.domain)
        marker = self.bound.policy.marker
        code = encoded.domain.index(marker) if marker in encoded.domain else len(encoded.domain)
        return np.where(self.gone, np.uint32(code), encoded.codes.astype(np.uint32)), len(encoded.domain) + 1

    def _too_sure(self, promise: Inference, of_row: Ints, counted: Rows, groups: int) -> Ints:
        """Return how many rows without the property each group lacks for a template."""
        encoded: Encoded = self.encoded[promise.column]
        has = np.array([value == promise.value for value in encoded.domain], dtype=np.bool_)[encoded.codes]
        unknown = np.array([self.bound.policy.is_unknown(value) for value in encoded.domain], dtype=np.bool_)
        hits = np.bincount(of_row[has & counted], minlength=groups)
        known = np.bincount(of_row[~unknown[encoded.codes] & counted], minlength=groups)
        limit = promise.at_most
        if not limit:
            return np.where(hits > 0, len(self.gone), 0)
        exact = -(-hits.astype(object) * limit.denominator // limit.numerator)  # ceil(hits / limit), by integers
        return np.asarray(np.minimum(np.maximum(exact - known, 0), len(self.gone)), dtype=np.int64)

    def _draw(self, found: Sequence[_Groups]) -> bool:
        """Mask more rows by lot, from groups that can spare one where there are such; say whether there were any.

        Rows that are not told help nobody to hide a property.
        """
        spare = ~self.gone
        too_few = too_sure = 0
        for groups, promises in zip(found, self.promises.values(), strict=True):
            k = max((promise.k for promise in promises if isinstance(promise, Crowd)), default=1)
            spare &= groups.sizes[groups.of_row] > k
            masked = groups.of_row[self.gone]
            too_few = max(too_few, int(groups.too_few[masked].max()))
            too_sure = max(too_sure, int(groups.too_sure[masked].max()))
        possible = ~self.gone & self.told if too_sure > 0 else ~self.gone
        from_whom = np.flatnonzero(spare & possible if (spare & possible).any() else possible)
        wanted = min(too_sure if too_sure > 0 else too_few, len(from_whom))
        taken = self.rng.choice(from_whom, size=wanted, replace=False) if wanted else from_whom
        self.gone[taken] = True
        self.drawn += int(self.told[taken].sum())
        return wanted > 0

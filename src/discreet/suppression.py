"""Which rows of a recoded table are suppressed, so that every group keeps every promise.

Guarantee: when all rows that are named here are masked on every changeable column, each group of rows that look
alike on a promise's columns keeps it, the masked rows included (they are a group like any other, told apart by
columns that never change). Groups that break a promise are masked whole; everything is counted again until
nothing changes. When the masked rows break a promise themselves, more rows are masked, drawn by lot: to choose
them by what they hold would tell something. Each round only masks more, so it ends.

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
    lack: Ints
    """How many more rows each needs at least to keep its promises; more than 0 where one is broken."""

    @property
    def broken(self) -> Rows:
        """Which rows are in a group that breaks a promise."""
        return np.asarray((self.lack > 0)[self.of_row], dtype=np.bool_)


def rows_to_suppress(released: Engine, bound: Bound, rng: np.random.Generator) -> Suppressed:
    """Return the rows of a recoded table that must be masked or, where the policy says so, removed."""
    return _Suppression(released, bound, rng).run()


class _Suppression:
    """The rows of one table while more and more are suppressed."""

    def __init__(self, released: Engine, bound: Bound, rng: np.random.Generator) -> None:
        self.bound = bound
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
            elif not self.removes and (broken & self.gone).any() and not self.gone.all():
                self._draw(found, broken)
            else:  # with every row masked nothing more can be done: verification says what is broken
                return Suppressed(np.flatnonzero(self.gone), self.drawn)

    def _groups(self, given: frozenset[str], promises: Sequence[GroupPromise]) -> _Groups:
        of_row = self._of_row(given)
        groups = int(of_row.max(initial=-1)) + 1
        counted = ~self.gone if self.removes else np.ones_like(self.gone)
        sizes = np.bincount(of_row[counted], minlength=groups)
        lack = np.zeros(groups, dtype=np.int64)
        for promise in promises:
            if isinstance(promise, Crowd):
                lack = np.maximum(lack, np.where(sizes > 0, promise.k - sizes, 0))
            else:
                lack = np.maximum(lack, self._too_sure(promise, of_row, counted, groups))
        return _Groups(of_row, sizes, lack)

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

    def _draw(self, found: Sequence[_Groups], broken: Rows) -> None:
        """Mask more rows by lot, from groups that can spare one where there are such."""
        spare = ~self.gone
        lack = 1
        for groups, promises in zip(found, self.promises.values(), strict=True):
            k = max((promise.k for promise in promises if isinstance(promise, Crowd)), default=1)
            spare &= groups.sizes[groups.of_row] > k
            lack = max(lack, int(groups.lack[groups.of_row[broken & self.gone]].max()))
        from_whom = np.flatnonzero(spare if spare.any() else ~self.gone)
        wanted = min(lack, len(from_whom))
        self.gone[self.rng.choice(from_whom, size=wanted, replace=False)] = True
        self.drawn += wanted

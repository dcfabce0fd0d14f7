"""The groups of one set of known columns, kept up to date while values are disclosed.

Guarantee: `now` is the exact largest share of each property over all groups, and `after(v)` the exact
largest share if value v were disclosed next.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.errors import InputError
from discreet.method.kernels import rescore, split
from discreet.method.problem import GroupTable
from discreet.table.encode import Codes, Ints, regroup

MOST_ROWS = 3_000_000_000
"""Products of two counts stay below 2**63."""


def largest_below(share: Fraction, rows: int) -> Fraction:
    """Return the largest fraction with a denominator of at most `rows` that is not above `share`.

    A share of at most `rows` rows is within `share` exactly when it is within this one, so that comparisons
    stay within 64 bits whatever threshold the owner wrote.

    >>> largest_below(Fraction("0.333333333333"), 100)
    Fraction(33, 100)
    """
    if share.denominator <= rows:
        return share
    # The convergents of the continued fraction end in the two neighbours of `share` (as in limit_denominator).
    p0, q0, p1, q1 = 0, 1, 1, 0
    n, d = share.numerator, share.denominator
    while True:
        a = n // d
        if q0 + a * q1 > rows:
            break
        p0, q0, p1, q1 = p1, q1, p0 + a * p1, q0 + a * q1
        n, d = d, n - a * d
    k = (rows - q0) // q1
    return min(Fraction(p0 + k * p1, q0 + k * q1), Fraction(p1, q1))


class GroupCounts:
    """One `GroupTable` while values are being disclosed."""

    def __init__(self, table: GroupTable, domain_sizes: list[int], total: int) -> None:
        if total > MOST_ROWS:
            raise InputError(f"the table has {total} rows; at most {MOST_ROWS} can be planned at once")
        self.table = table
        properties, rows = table.hits.shape
        self.offsets = np.cumsum([0, *domain_sizes], dtype=np.int64)
        self.shown = np.zeros(int(self.offsets[-1]), dtype=np.bool_)
        self.live = np.ones(len(domain_sizes), dtype=np.bool_)
        self.now = _no_share((properties, 2))
        self.after = _no_share((int(self.offsets[-1]), properties, 2))
        limits = [largest_below(limit, total) for limit in table.limits]
        self.limits = np.array([[limit.numerator, limit.denominator] for limit in limits], dtype=np.int64)
        self._row_at, starts, self._group = regroup(table.fixed)
        self._place = np.empty(rows, dtype=np.int64)
        self._place[self._row_at] = np.arange(rows)
        self._codes = table.codes[:, self._row_at]
        self._sizes = table.sizes[self._row_at]
        self._hits = table.hits[:, self._row_at]
        self._start = np.zeros(rows, dtype=np.int64)
        self._stop = np.zeros(rows, dtype=np.int64)
        self._groups = len(starts)
        self._start[: self._groups] = starts
        self._stop[: self._groups] = np.append(starts[1:], rows)
        self._moved = np.zeros(rows, dtype=np.int64)
        self._touched = np.empty(rows + 1, dtype=np.int64)
        widest = max(domain_sizes, default=0)
        self._scratch = tuple(np.zeros(widest, dtype=np.int64) for _ in range(3))
        self._by_value = [_rows_by_value(codes, size) for codes, size in zip(table.codes, domain_sizes, strict=True)]
        self._rescore(np.arange(self._groups))

    def disclose(self, column: int, value: int) -> None:
        """Show `value` of the known column at position `column` from now on."""
        order, starts = self._by_value[column]
        self.shown[self.offsets[column] + value] = True
        self._groups, changed = split(
            order[starts[value] : starts[value + 1]],
            self._row_at,
            self._place,
            self._codes,
            self._sizes,
            self._hits,
            self._group,
            self._start,
            self._stop,
            self._groups,
            self._moved,
            self._touched,
        )
        self._rescore(self._touched[:changed])

    def values(self, column: int) -> slice:
        """Return where the values of a known column stand in `after`."""
        return slice(int(self.offsets[column]), int(self.offsets[column + 1]))

    def breaks(self, column: int) -> npt.NDArray[np.bool_]:
        """Return, for each value of the column and each property, whether disclosing it would break the limit."""
        after = self.after[self.values(column)]
        return np.asarray(after[..., 0] * self.limits[:, 1] > self.limits[:, 0] * after[..., 1])

    def losses(self, column: int) -> npt.NDArray[np.float64]:
        """Return, for each value of the column and each property, how much surer an adversary would get."""
        after = self.after[self.values(column)]
        before = self.now[:, 0] / self.now[:, 1]
        return np.maximum(after[..., 0] / after[..., 1] - before, 0.0)

    def violated(self) -> npt.NDArray[np.bool_]:
        """Return, for each property, whether its limit is broken as things are."""
        return np.asarray(self.now[:, 0] * self.limits[:, 1] > self.limits[:, 0] * self.now[:, 1])

    def share(self, place: int) -> Fraction:
        """Return the largest share of a property over all groups."""
        return Fraction(int(self.now[place, 0]), int(self.now[place, 1]))

    def share_after(self, column: int, value: int, place: int) -> tuple[int, int]:
        """Return hits and rows of the worst part if the value were disclosed."""
        hits, rows = self.after[int(self.offsets[column]) + value, place]
        return int(hits), int(rows)

    def _rescore(self, touched: Ints) -> None:
        rescore(
            touched,
            self._start,
            self._stop,
            self._codes,
            self.offsets,
            self.shown,
            self.live,
            self._sizes,
            self._hits,
            self.now,
            self.after,
            *self._scratch,
        )


def _no_share(shape: tuple[int, ...]) -> Ints:
    """Return shares of 0 in 1: hits 0, rows 1."""
    shares = np.zeros(shape, dtype=np.int64)
    shares[..., 1] = 1
    return shares


def _rows_by_value(codes: Codes, size: int) -> tuple[Ints, Ints]:
    order = np.argsort(codes, kind="stable")
    return order, np.append(0, np.cumsum(np.bincount(codes, minlength=size)))

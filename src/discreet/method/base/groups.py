"""The groups of one set of known columns, kept up to date while values are disclosed.

Guarantee: `now` is the exact largest figure of each limit over all groups, and `after(s)`, where it is
above `now`, the exact largest figure if disclosure s were made next (of a cut that breaks a limit: some figure
that does).
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.encoded import Codes, Ints, regroup
from discreet.errors import InputError
from discreet.method.base.kernels import rescore, show_in_turn, split
from discreet.method.base.limits import lines_of
from discreet.method.base.openings import Openings, Range
from discreet.method.base.problem import GroupTable
from discreet.method.base.space import Flags, Floats

MOST_ROWS = 3_000_000_000
"""Products of two counts stay below 2**63."""
MOST_NARROW = 2**31 - 1
"""Rows whose places are kept in 32 bits each."""
Places = npt.NDArray[np.signedinteger]
FEW_TALLIES = 8
"""What is counted besides rows, of which the sums of every group are remembered; of more they are added up again."""


class GroupCounts:
    """One `GroupTable` while values are being disclosed."""

    def __init__(self, table: GroupTable, codes: Codes, openings: Openings, total: int) -> None:
        if total > MOST_ROWS:
            raise InputError(f"the table has {total} rows; at most {MOST_ROWS} can be planned at once")
        self.table = table
        self.openings = openings
        self.total = total
        self.set_limits([limit.at_most for limit in table.limits])
        properties, rows = len(table.limits), len(table.sizes)
        self._offsets = np.array([openings.codes[column] for column in table.columns], dtype=np.int64)
        sizes = [int(openings.codes[column + 1] - openings.codes[column]) for column in table.columns]
        self.now = _no_share((properties, 2))
        self.after = _no_share((len(openings.alive), properties, 2))
        row_at, starts, group = regroup(table.fixed)
        # What is gone through at random takes little room, in one piece: much of it then stands in the caches.
        narrow = np.int32 if rows < MOST_NARROW else np.int64
        places = np.zeros((7, rows + 1), dtype=narrow)
        self._row_at, self._group, self._place, self._start, self._stop, self._moved = places[:6, :rows]
        self._touched = places[6]
        self._row_at[:], self._group[:] = row_at, group
        self._place[row_at] = np.arange(rows)
        self._codes = np.ascontiguousarray(codes[:, row_at])
        self._sizes = table.sizes[row_at]
        self._hits = np.ascontiguousarray(table.hits[:, row_at])
        self._groups = len(starts)
        self._start[: self._groups] = starts
        self._stop[: self._groups] = np.append(starts[1:], rows)
        widest = max(sizes, default=0)
        self._scratch = (
            *(np.zeros(widest, dtype=np.int64) for _ in range(2)),
            np.zeros((widest, len(table.hits)), dtype=np.int64),
            *(np.zeros(len(table.hits), dtype=np.int64) for _ in range(2)),
        )
        remembered = rows if len(table.hits) <= FEW_TALLIES else 0
        self._sums = np.zeros((remembered, len(table.hits) + 1), dtype=np.int64)
        self._widest = np.zeros((len(table.columns), rows), dtype=np.int64)
        self._doomed = np.zeros(len(openings.alive), dtype=np.bool_)
        self._found_doomed = np.empty(len(openings.alive), dtype=np.int64)
        self._just_doomed: list[Ints] = []
        orders = np.empty((len(sizes), rows), dtype=narrow)
        self._by_code = [_rows_by_code(*each) for each in zip(codes, sizes, orders, strict=True)]

    def copy(self, openings: Openings) -> GroupCounts:
        """Return counts that go on by themselves with (a copy of) the openings."""
        twin = copy.copy(self)
        twin.openings = openings
        for name in ("now", "after", "_row_at", "_group", "_place", "_codes", "_sizes", "_hits", "_start", "_stop",
                     "_moved", "_widest", "_sums"):  # fmt: skip
            setattr(twin, name, getattr(self, name).copy())
        twin._touched = np.empty_like(self._touched)
        twin._scratch = tuple(np.zeros_like(array) for array in self._scratch)
        twin._doomed, twin._found_doomed = np.zeros_like(self._doomed), np.empty_like(self._found_doomed)
        twin._just_doomed = []
        return twin

    def set_limits(self, limits: Sequence[Fraction]) -> None:
        """Compare with these limits from now on; what they make of values that are scored already must be asked."""
        self.limits = lines_of(self.table.limits, self.total, limits)

    def with_limits(self, limits: Sequence[Fraction]) -> GroupCounts:
        """Return the same counts (not a copy of them) with other limits, to ask what these would say."""
        twin = copy.copy(self)
        twin.set_limits(limits)
        return twin

    def score_all(self) -> None:
        """Look at every group."""
        self._rescore(np.arange(self._groups, dtype=self._touched.dtype))

    def split(self, column: int, ranges: Sequence[Range], fresh: Sequence[Range], *, plain: bool = False) -> None:
        """Let the rows with codes in each of the ranges leave their groups; `column` counts among the known.

        The groups with codes in `fresh` are looked at again although they may stay whole. A `plain` column loses one
        value, and all that is left stays hidden.
        """
        order, starts = self._by_code[column]
        touched = []
        for first, stop in ranges:
            self._groups, changed = split(
                order, starts[first], starts[stop], self._row_at, self._place, self._codes, self._sizes, self._hits,
                self._group, self._start, self._stop, self._groups, self._moved, self._touched,
            )  # fmt: skip
            touched.append(self._touched[:changed].copy() if len(ranges) + len(fresh) > 1 else self._touched[:changed])
        touched += [self._group[order[starts[first] : starts[stop]]] for first, stop in fresh]
        if len(touched) == 1:
            self._rescore(touched[0], len(touched[0]) // 2 if plain else 0, column)
        elif touched:
            self._rescore(np.unique(np.concatenate(touched)))

    def show_in_turn(self, column: int, values: Ints) -> int:
        """Show values of a plain column that raise no figure, one after the other; return how many were shown.

        It ends early before one that would raise a largest figure, and after one that did or doomed another value.
        """
        order, starts = self._by_code[column]
        number = self.table.columns[column]
        first_code, first_slot = int(self.openings.codes[number]), int(self.openings.slots[number])
        made, self._groups, doomed = show_in_turn(
            values, first_code, first_slot, self.now.copy(), order, starts, column, self._row_at, self._place,
            self._group, self._groups, self._moved, self._touched, *self._scored(),
        )  # fmt: skip
        self._note_doomed(doomed)
        return int(made)

    def newly_doomed(self) -> Ints:
        """Return the values that were found to break a limit since this was last asked, by their slots."""
        found, self._just_doomed = self._just_doomed, []
        return found[0] if len(found) == 1 else np.concatenate([np.zeros(0, dtype=np.int64), *found])

    def breaks(self, slots: Ints) -> Flags:
        """Return, for each disclosure and each limit, whether it would break it."""
        after = self.after.take(slots, axis=0)
        return np.asarray(after[..., 0] * self.limits[:, 1] > self.limits[:, 0] * after[..., 1])

    def losses(self, slots: Ints) -> Floats:
        """Return, for each disclosure and each limit, how much surer an adversary would get."""
        after = self.after.take(slots, axis=0)
        before = self.now[:, 0] / self.now[:, 1]
        return np.maximum(after[..., 0] / after[..., 1] - before, 0.0)

    def violated(self) -> npt.NDArray[np.bool_]:
        """Return, for each limit, whether it is broken as things are."""
        return np.asarray(self.now[:, 0] * self.limits[:, 1] > self.limits[:, 0] * self.now[:, 1])

    def share(self, place: int) -> Fraction:
        """Return the largest figure of a limit over all groups."""
        return Fraction(int(self.now[place, 0]), int(self.now[place, 1]))

    def share_after(self, slot: int, place: int) -> tuple[int, int]:
        """Return the figure of the worst part if the disclosure were made, above and below the line."""
        hits, rows = self.after[slot, place]
        return int(hits), int(rows)

    def _rescore(self, touched: Places, rests: int = 0, left_column: int = -1) -> None:
        """Look at groups; the first `rests` of them are what a value of a plain column has just left."""
        doomed = rescore(touched, len(touched), rests, left_column, self._moved, *self._scored())
        self._note_doomed(doomed)

    def _scored(self) -> tuple[Any, ...]:
        """Return what the loops know of groups and disclosures."""
        return (
            self._start, self._stop, self._codes, self._offsets, self.openings.mode, self.openings.slot,
            self.openings.child, self.openings.alive, self.openings.jump, self._sizes, self._hits, self.limits,
            self.now, self.after, self._sums, self._widest, self._doomed, self._found_doomed, *self._scratch,
        )  # fmt: skip

    def _note_doomed(self, number: int) -> None:
        if number:
            self._just_doomed.append(self._found_doomed[:number].copy())


def _no_share(shape: tuple[int, ...]) -> Ints:
    """Return shares of 0 in 1: hits 0, rows 1."""
    shares = np.zeros(shape, dtype=np.int64)
    shares[..., 1] = 1
    return shares


def _rows_by_code(codes: Codes, size: int, order: Places) -> tuple[Places, Ints]:
    """Write the rows in the order of their codes to `order`; return that, and where each code begins in it."""
    order[:] = np.argsort(codes, kind="stable")
    return order, np.append(0, np.cumsum(np.bincount(codes, minlength=size)))

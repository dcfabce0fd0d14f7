"""A plain column while it is disclosed: value after value is shown.

A column may have tens of thousands of values, and a step shows one of them. So a step looks at kinds of values (those
with the same counts, which gain the same), and of the values at those only that may be the best: see `contenders`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from discreet.encoded import Ints
from discreet.method.base.class_spread import ClassSpread, HiddenSpread
from discreet.method.base.gain import Counted, Floats, Pieces
from discreet.method.base.kernels import SHUT, VALUE
from discreet.method.base.openings import Openings, Range
from discreet.method.base.problem import ColumnCounts
from discreet.method.base.space import Flags
from discreet.method.disclosure.column_state import TIE, ColumnState, Opened, enough

MOST_COUNTS = 64
"""What is counted of a value: where it is more, hardly any two values have the same, and to find them takes long."""
FEW_VALUES = 16
"""Where no more may be shown, all of them are looked at."""
FEW_KINDS = 8
"""Where more kinds may have the best value, all their values are looked at, at once."""
AT_ONCE = 16
"""Values of a kind that are looked at, at first."""

MOST_AHEAD = 60_000
"""Figures in what is reckoned ahead of a run of values."""
FEWEST_AT_ONCE = 16
"""Fewer values in a run are shown one by one."""


class PlainState(ColumnState):
    """A plain column: values are shown one by one, the rest is one hidden value."""

    def start(self, *, only_beneficial: bool) -> list[int]:
        """Hide every value."""
        self.only_beneficial = only_beneficial
        self.hidden = self.space.size
        self._rows: Any = self.column.rows.sum()
        self._tallies = self.column.tallies.sum(axis=0)
        self._spread = None if self.column.pairs is None else HiddenSpread(ClassSpread(self.column.pairs))
        self.shown: Flags = np.zeros(self.space.size, dtype=np.bool_)
        self.candidate = ~self.column.pinned
        self.mode[:] = VALUE
        self.slot[:] = np.arange(self.space.size) + self.first_slot
        self.child[:] = np.arange(self.space.size)
        self.alive[:] = self.candidate
        self._alike, self._kind = _alike(self.column)
        self._worths = np.zeros(len(self._alike))
        self._left = np.bincount(self._kind[self.candidate], minlength=len(self._alike))
        """How many values of each kind may still be shown."""
        self._open_kinds = np.flatnonzero(self._left)
        self._count = int(self._left.sum())
        order = np.argsort(self._kind, kind="stable")
        begins = np.append(0, np.cumsum(np.bincount(self._kind, minlength=len(self._alike))))
        self._order, self._begins, self._ends = order, begins[:-1].copy(), begins[1:]
        """Where among the values, by kind, those of each kind begin that may still be shown, and where they end."""
        return self._weigh()

    def copy(self, openings: Openings) -> PlainState:
        """Return a state that goes on by itself."""
        twin = super().copy(openings)
        assert isinstance(twin, PlainState)
        for name in ("shown", "candidate", "_worths", "_left", "_begins"):
            setattr(twin, name, getattr(self, name).copy())
        twin._spread = None if self._spread is None else self._spread.copy()
        return twin

    @property
    def left(self) -> int:
        """The number of values that may be shown."""
        return self._count

    def options(self) -> Ints:
        """Return the hidden values that may be shown."""
        return np.flatnonzero(self.candidate)

    def gains_of(self, slots: Ints) -> Floats:
        """Return what showing each of these values would gain."""
        return np.asarray(self._worths[self._kind[slots]])

    def contenders(self, losses: Callable[[Ints], Floats]) -> Ints:
        """Return the values among which the best is, and every one that would be taken for it because it comes first.

        A score is gain / (loss + 1), so what a kind gains (if anything) is above the scores of its values. In the
        order of the values, those after one that loses nothing are no better, and come later.
        """
        if self._count <= FEW_VALUES:
            return self.options()
        kinds = self._open_kinds
        most = np.maximum(self._worths[kinds], 0.0)
        top = int(np.argmax(most))
        best, found = self._first_of_kind(int(kinds[top]), losses)
        most[top] = -1.0
        near = np.flatnonzero(most >= enough(best))
        if not len(near):
            return found
        if len(near) > FEW_KINDS:
            some = np.zeros(len(self._worths), dtype=np.bool_)
            some[kinds[near]] = some[kinds[top]] = True
            options = self.options()
            return options[some[self._kind[options]]]
        others = [self._first_of_kind(kind, losses)[1] for kind in kinds[near].tolist()]
        return np.sort(np.concatenate([found, *others]))

    def _first_of_kind(self, kind: int, losses: Callable[[Ints], Floats]) -> tuple[float, Ints]:
        """Return the best score of a kind, and its values up to the first with that score for certain."""
        gain, size = float(self._worths[kind]), AT_ONCE
        begin, end = int(self._begins[kind]), int(self._ends[kind])
        best, found = -np.inf, [np.zeros(0, dtype=np.int64)]
        at_front = True
        while begin < end:
            some = self._order[begin : min(begin + size, end)]
            begin, size = min(begin + size, end), 2 * size
            some = some[self.candidate[some]]
            if not len(some):
                if at_front:
                    self._begins[kind] = begin
                continue
            at_front = False
            lost = losses(some)
            done = np.flatnonzero(lost == 0.0) if gain > 0 else np.zeros(int(gain == 0), dtype=np.int64)
            if len(done):
                some, lost = some[: done[0] + 1], lost[: done[0] + 1]
            found.append(some)
            best = max(best, float((gain / (lost + 1)).max()))
            if len(done):
                break
        return best, found[1] if len(found) == 2 else np.concatenate(found)

    def open(self, slot: int) -> Opened:
        """Show a value."""
        self.shown[slot] = True
        self.hidden -= 1
        self._take(slot)
        self.mode[slot] = SHUT
        if self.column.tallies.dtype.kind == "f":  # sums that are rounded are those of just these values
            hidden = ~self.shown
            self._rows, self._tallies = self.column.rows[hidden].sum(), self.column.tallies[hidden].sum(axis=0)
        else:
            self._rows = self._rows - self.column.rows[slot]
            self._tallies = self._tallies - self.column.tallies[slot]
        if self._spread is not None:
            self._spread.show(slot)
        return Opened([(slot, slot + 1)], self._weigh(), [])

    def drop(self, slot: int) -> int:
        """Keep a value hidden."""
        self._take(slot)
        if not self._count:
            self.mode[:] = SHUT
        return slot

    def part_of(self, slot: int) -> Range:
        """Return the value."""
        return slot, slot + 1

    def released(self) -> Counted:
        """Return what the use counts of each shown value and of the hidden rest."""
        if self.column.pairs is not None:
            parts = int(self.shown.sum()) + 1
            part = np.where(self.shown, np.cumsum(self.shown) - 1, parts - 1)
            return ClassSpread(self.column.pairs).merged(np.arange(self.space.size), part, parts)
        hidden = self.column.tallies[~self.shown].sum(axis=0, keepdims=True)
        return np.concatenate([self.column.tallies[self.shown], hidden])

    def run(self, losses: Callable[[Ints], Floats]) -> tuple[Ints, Floats]:
        """Return values that will be shown next one after the other, if no loss changes meanwhile, and their gains.

        They are of one kind and lose nothing. In each of the states that follow, no value of another kind ties with
        them, and none of their kind that comes before them. None at all if that is not clear.
        """
        nothing = np.zeros(0, dtype=np.int64), np.zeros(0)
        if self.column.tallies.dtype.kind == "f" or self._spread is not None or not self._count:
            return nothing
        top = int(np.argmax(self._worths[self._open_kinds]))
        kind = int(self._open_kinds[top])
        begin, end = int(self._begins[kind]), int(self._ends[kind])
        most = max(MOST_AHEAD // (2 * len(self._open_kinds) * self.column.tallies.shape[1]), 1)
        some = self._order[begin:end]
        if len(some) > 4 * most:
            some = some[: 4 * most]
        some = some[self.candidate[some]]
        lost = losses(some)
        free = np.flatnonzero(lost == 0.0)[:most]
        if len(free) < FEWEST_AT_ONCE:
            return nothing
        before = lost[: free[-1]]
        nearest = float(before[before > 0].min(initial=np.inf))
        gains = self._weighed(kind, len(free))
        own = gains[:, top].copy()
        gains[:, top] = 0.0
        least = own - TIE * np.maximum(1.0, np.abs(own))
        clear = (own > 0) & (gains.max(axis=1) < least) & (own / (nearest + 1) < least)
        if self.only_beneficial:
            then = self._tallies - np.arange(1, len(free) + 1)[:, np.newaxis] * self.column.tallies[some[free[0]]]
            clear &= np.count_nonzero(then, axis=1) > 1
        sure = len(clear) if clear.all() else int(np.argmin(clear))
        return some[free[:sure]], own[:sure]

    def shown_in_turn(self, values: Ints) -> None:
        """Take note that values of one kind are shown, of which nothing gets useless."""
        self.shown[values] = True
        self.hidden -= len(values)
        self.candidate[values] = self.alive[values] = False
        self.mode[values] = SHUT
        one, kind = values[0], self._kind[values[0]]
        self._count -= len(values)
        self._left[kind] -= len(values)
        self._open_kinds = np.flatnonzero(self._left)
        self._rows = self._rows - len(values) * self.column.rows[one]
        self._tallies = self._tallies - len(values) * self.column.tallies[one]
        useless = self._weigh()
        assert not useless

    def _take(self, slot: int) -> None:
        """A value is no longer one that may be shown."""
        self.candidate[slot] = self.alive[slot] = False
        kind = self._kind[slot]
        self._count -= 1
        self._left[kind] -= 1
        if not self._left[kind]:
            self._open_kinds = np.flatnonzero(self._left)

    def _weigh(self) -> list[int]:
        """Work out again what each kind of value would gain, if one of it may still be shown."""
        values = self.space.size
        loss_now = max(self.hidden - 1, 0) * (1 / (values - 1) if values > 1 else 0.0)
        self.lost = float(self._rows) * loss_now
        useless: list[int] = []
        tallies = self._tallies if self._spread is None else self._spread.of_all
        if not self._beneficial(tallies, self.only_beneficial):
            useless = self.options().tolist()
            self.candidate[:] = self.alive[:] = False
            self._left[:] = self._count = 0
            self._open_kinds = np.flatnonzero(self._left)
            self.mode[:] = SHUT
        if self._count:
            self._worths[self._open_kinds] = self._weighed(0, 1)[0]
        return useless

    def _weighed(self, kind: int, states: int) -> Floats:
        """Return what each kind of which values may still be shown would gain, in this state and in those that follow.

        In each that follows (first axis) one more value of `kind` is shown.
        """
        values, one, each = self.space.size, self._alike[kind], self._alike[self._open_kinds]
        per_value = 1 / (values - 1) if values > 1 else 0.0
        shown = np.arange(states)[:, np.newaxis]
        still = self.hidden - shown
        loss_now = np.maximum(still - 1, 0) * per_value
        loss_then = np.maximum(still - 2, 0) * per_value
        whole = self._rows - shown * self.column.rows[one]
        told = self._tallies - shown[..., np.newaxis] * self.column.tallies[one]
        rows, tallies = self.column.rows[each], self.column.tallies[each]
        parts = np.empty((states, len(each), 2), dtype=whole.dtype)
        parts[..., 0], parts[..., 1] = rows, whole - rows
        sides = np.empty((*parts.shape, tallies.shape[-1]), dtype=told.dtype)
        sides[..., 0, :], sides[..., 1, :] = tallies, told - tallies
        losses = np.stack([np.zeros_like(loss_then), loss_then], axis=-1)
        now = then = None
        if self._spread is not None:
            now, then = self._spread.entropies(each)
        return self._worth(
            Pieces(whole, told, loss_now, np.asarray(1.0), now),
            Pieces(parts, sides, losses, np.array([0.0, 1.0]), then),
        )


def _alike(column: ColumnCounts) -> tuple[Ints, Ints]:
    """Return one value of each that have the same counts, and of which of these each value is one."""
    if not column.useful:  # whatever is shown of it gains nothing
        return np.zeros(min(column.space.size, 1), dtype=np.int64), np.zeros(column.space.size, dtype=np.int64)
    if column.tallies.shape[1] > MOST_COUNTS or column.pairs is not None:
        own = np.arange(column.space.size)
        return own, own
    counts = np.column_stack([column.rows, column.tallies])
    _, first, kind = np.unique(counts, axis=0, return_index=True, return_inverse=True)
    return first, kind.ravel()

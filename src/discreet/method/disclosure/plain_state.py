"""A plain column while it is disclosed: value after value is shown."""

from __future__ import annotations

from typing import Any

import numpy as np

from discreet.encoded import Ints
from discreet.method.base.gain import Floats, Pieces
from discreet.method.base.kernels import SHUT, VALUE
from discreet.method.base.openings import Openings, Range
from discreet.method.base.problem import ColumnCounts
from discreet.method.base.space import Flags
from discreet.method.disclosure.column_state import ColumnState, Opened

MOST_COUNTS = 64
"""What is counted of a value: where it is more, hardly any two values have the same, and to find them takes long."""


class PlainState(ColumnState):
    """A plain column: values are shown one by one, the rest is one hidden value."""

    def start(self, *, only_beneficial: bool) -> list[int]:
        """Hide every value."""
        self.only_beneficial = only_beneficial
        self._every: tuple[Any, Ints] | None = None
        self.shown: Flags = np.zeros(self.space.size, dtype=np.bool_)
        self.candidate = ~self.column.pinned
        self.mode[:] = VALUE
        self.slot[:] = np.arange(self.space.size) + self.first_slot
        self.child[:] = np.arange(self.space.size)
        self.alive[:] = self.candidate
        self._alike, self._kind = _alike(self.column)
        return self._weigh()

    def copy(self, openings: Openings) -> PlainState:
        """Return a state that goes on by itself."""
        twin = super().copy(openings)
        assert isinstance(twin, PlainState)
        twin.shown, twin.candidate = self.shown.copy(), self.candidate.copy()
        return twin

    def options(self) -> Ints:
        """Return the hidden values that may be shown."""
        return np.flatnonzero(self.candidate)

    def open(self, slot: int) -> Opened:
        """Show a value."""
        self.shown[slot] = True
        self.candidate[slot] = self.alive[slot] = False
        self.mode[slot] = SHUT
        return Opened([(slot, slot + 1)], self._weigh(), [])

    def drop(self, slot: int) -> int:
        """Keep a value hidden."""
        self.candidate[slot] = self.alive[slot] = False
        if not self.candidate.any():
            self.mode[:] = SHUT
        return slot

    def part_of(self, slot: int) -> Range:
        """Return the value."""
        return slot, slot + 1

    def released(self) -> Ints | Floats:
        """Return the tallies of each shown value and of the hidden rest."""
        hidden = self.column.tallies[~self.shown].sum(axis=0, keepdims=True)
        return np.concatenate([self.column.tallies[self.shown], hidden])

    def _weigh(self) -> list[int]:
        """Work out again what each value would gain; only those that may still be shown are looked at.

        Values with the same counts gain the same: they are reckoned with once.
        """
        values, still = self.space.size, self.space.size - int(np.count_nonzero(self.shown))
        all_rows, all_tallies = self._hidden()
        per_value = 1 / (values - 1) if values > 1 else 0.0
        loss_now = max(still - 1, 0) * per_value
        self.lost = float(all_rows) * loss_now
        useless: list[int] = []
        if not self._beneficial(all_tallies, self.only_beneficial):
            useless = np.flatnonzero(self.candidate).tolist()
            self.candidate[:] = self.alive[:] = False
            self.mode[:] = SHUT
        options = self.options()
        if len(options):
            each = self._alike if len(self._alike) < len(options) else options
            rows, tallies = self.column.rows[each], self.column.tallies[each]
            worth = self._worth(
                Pieces(all_rows, all_tallies, np.asarray(loss_now), np.asarray(1.0)),
                Pieces(
                    np.stack([rows, all_rows - rows], axis=-1),
                    np.stack([tallies, all_tallies - tallies], axis=-2),
                    np.array([0.0, max(still - 2, 0) * per_value]),
                    np.array([0.0, 1.0]),
                ),
            )
            self.gains[options] = worth if each is options else worth[self._kind[options]]
        return useless

    def _hidden(self) -> tuple[Any, Ints | Floats]:
        """Return the rows and the tallies of all hidden values."""
        rows, tallies = self.column.rows, self.column.tallies
        if tallies.dtype.kind == "f":  # sums that are rounded are those of just these values
            return rows[~self.shown].sum(), tallies[~self.shown].sum(axis=0)
        if self._every is None:
            self._every = rows.sum(), tallies.sum(axis=0)
        return self._every[0] - rows[self.shown].sum(), self._every[1] - tallies[self.shown].sum(axis=0)


def _alike(column: ColumnCounts) -> tuple[Ints, Ints]:
    """Return one value of each that have the same counts, and of which of these each value is one."""
    if column.tallies.shape[1] > MOST_COUNTS:
        own = np.arange(column.space.size)
        return own, own
    counts = np.column_stack([column.rows, column.tallies])
    _, first, kind = np.unique(counts, axis=0, return_index=True, return_inverse=True)
    return first, kind.ravel()

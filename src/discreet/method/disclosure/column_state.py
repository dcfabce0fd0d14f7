"""How far one column is disclosed, what could come next and what that would be worth."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from discreet.encoded import Ints
from discreet.method.base.gain import Counted, Floats, Gain, Pieces
from discreet.method.base.openings import Openings, Range
from discreet.method.base.problem import ColumnCounts

TIE = 1e-12
"""Scores closer than this (or this share of them, when above 1) are equal: the first is taken."""


def enough(best: float) -> float:
    """Return what ties with the best."""
    return best - TIE * max(1.0, abs(best))


@dataclass(frozen=True)
class Opened:
    """What a disclosure did: the ranges of codes that left their groups, and parts of no more use."""

    apart: list[Range]
    useless: list[int]
    """First codes of parts that will not be opened because that would not help the use."""
    fresh: list[Range]
    """Ranges of codes with a new way to be told apart: their groups must be looked at although they stay whole."""


class ColumnState:
    """One column while it is disclosed. Slots are counted from the first of the column."""

    def __init__(self, place: int, column: ColumnCounts, openings: Openings, gain: Gain, total: int) -> None:
        self.column = column
        self.space = column.space
        self.gain = gain
        self.total = total
        self._codes = slice(int(openings.codes[place]), int(openings.codes[place + 1]))
        self._slots = slice(int(openings.slots[place]), int(openings.slots[place + 1]))
        self.weight = float(column.weight)
        self.lost = 0.0
        """Cells lost: rows times the detail each has lost."""
        self._attach(openings)

    def _attach(self, openings: Openings) -> None:
        self.mode, self.slot = openings.mode[self._codes], openings.slot[self._codes]
        self.child = openings.child[self._codes]
        self.alive, self.jump = openings.alive[self._slots], openings.jump[self._slots]

    def copy(self, openings: Openings) -> ColumnState:
        """Return a state that goes on by itself with (a copy of) the openings."""
        twin = copy.copy(self)
        twin._attach(openings)
        return twin

    @property
    def first_slot(self) -> int:
        """Where the slots of this column begin among all."""
        return self._slots.start

    def options(self) -> Ints:
        """Return the slots to choose from."""
        raise NotImplementedError

    @property
    def left(self) -> int:
        """How many there are to choose from."""
        return len(self.options())

    def gains_of(self, slots: Ints) -> Floats:
        """Return what each disclosure would gain."""
        raise NotImplementedError

    def contenders(self, losses: Callable[[Ints], Floats]) -> Ints:  # noqa: ARG002
        """Return the slots among which the best is, and the first that ties with it; `losses` says what each loses."""
        return self.options()

    def start(self, *, only_beneficial: bool) -> list[int]:
        """Begin with everything hidden; return the first codes of what will not be opened for want of use."""
        raise NotImplementedError

    def open(self, slot: int) -> Opened:
        """Disclose."""
        raise NotImplementedError

    def drop(self, slot: int) -> int:
        """Never disclose this; return the first code of the part that stays as it is."""
        raise NotImplementedError

    def refresh(self) -> list[int]:
        """Look for what takes the place of dead cuts; return, for intervals with none, the slot of the best cut."""
        return []

    def part_of(self, slot: int) -> Range:
        """Return the codes of the part that a disclosure would open."""
        raise NotImplementedError

    def released(self) -> Counted:
        """Return what the use counts of each released value."""
        raise NotImplementedError

    def first_of(self, slot: int) -> int:
        """Return the first code of that part."""
        return self.part_of(slot)[0]

    def _beneficial(self, tallies: Ints | Floats, only_beneficial: bool) -> bool:
        if not only_beneficial:
            return True
        return self.column.useful and int(np.count_nonzero(tallies)) > 1

    def _worth(self, whole: Pieces, parts: Pieces) -> Floats:
        if not self.column.useful:
            return np.zeros(parts.rows.shape[:-1])
        return self.gain(whole, parts, self.total) * self.weight

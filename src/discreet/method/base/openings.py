"""What could be disclosed next: by code and by slot (one possible disclosure) what can still be told apart.

All groups and all columns share it; a column's state keeps its part of it up to date.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence

import numpy as np

from discreet.method.base.kernels import SHUT
from discreet.method.base.space import Space

Range = tuple[int, int]


class Openings:
    """Of every code how its group can be cut further; of every slot whether it still may."""

    def __init__(self, spaces: Sequence[Space]) -> None:
        self.codes = np.cumsum([0, *(space.size for space in spaces)], dtype=np.int64)
        self.slots = np.cumsum([0, *(space.slots for space in spaces)], dtype=np.int64)
        self.mode = np.full(self.codes[-1], SHUT, dtype=np.uint8)
        self.slot = np.zeros(self.codes[-1], dtype=np.int64)
        self.child = np.zeros(self.codes[-1], dtype=np.int64)
        self.alive = np.ones(self.slots[-1], dtype=np.bool_)
        self.jump = np.arange(self.slots[-1], dtype=np.int64)

    def copy(self) -> Openings:
        """Return openings that change on their own from now on."""
        twin = copy.copy(self)
        twin.mode, twin.slot, twin.child = self.mode.copy(), self.slot.copy(), self.child.copy()
        twin.alive, twin.jump = self.alive.copy(), self.jump.copy()
        return twin

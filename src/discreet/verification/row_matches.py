"""Which rows of the original the released rows can stand for."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.adversary.view import Flags
from discreet.encoded import Ints


@dataclass(frozen=True)
class Matches:
    """The first and the last row of the original (by place) that each released row can stand for."""

    first: Ints
    last: Ints

    def doubt(self, places: Ints) -> Flags:
        """Say of which rows of the original it is not certain which released row they are, or whether they are any."""
        stop = np.searchsorted(self.first, places, side="right")
        start = np.searchsorted(self.last, places, side="left")
        inside = np.minimum(start, max(len(self.first) - 1, 0))
        certain = np.zeros(len(places), dtype=np.bool_)
        if len(self.first):
            certain = (stop - start == 1) & (self.first[inside] == self.last[inside])
        doubtful: Flags = (stop > start) & ~certain
        return doubtful

"""Which rows of the original the released rows can stand for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from discreet.encoded import Ints
from discreet.table.engine import Engine

if TYPE_CHECKING:
    from discreet.adversary.view import Flags


@dataclass(frozen=True)
class Matches:
    """The first and the last row of the original (by place) that each released row can stand for."""

    first: Ints
    last: Ints
    unsure: bool = False
    """Whether they were matched in some way of many, so that nobody knows of any row which one it is."""

    def doubt(self, places: Ints) -> Flags:
        """Say of which rows of the original it is not certain which released row they are, or whether they are any."""
        if self.unsure:
            return np.ones(len(places), dtype=np.bool_)
        stop = np.searchsorted(self.first, places, side="right")
        start = np.searchsorted(self.last, places, side="left")
        inside = np.minimum(start, max(len(self.first) - 1, 0))
        certain = np.zeros(len(places), dtype=np.bool_)
        if len(self.first):
            certain = (stop - start == 1) & (self.first[inside] == self.last[inside])
        doubtful: Flags = (stop > start) & ~certain
        return doubtful


@dataclass(frozen=True)
class PutBack:
    """A release whose rows came in an order of their own, put back into that of the original, if they can be."""

    released: Engine
    matches: Matches | None
    problem: str = ""


def rows_beside(released: Engine, original: Engine, matches: Matches | None) -> Engine | None:
    """Return the rows of the original that the released ones are, where that is certain."""
    if matches is not None:
        if matches.unsure or not np.array_equal(matches.first, matches.last):
            return None
        return original if released.rows == original.rows else original.only(matches.first)
    return original if released.rows == original.rows else released.beside(original)

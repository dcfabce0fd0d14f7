"""The groups of a table as one promise sees them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl

from discreet.encoded import Ints
from discreet.policy import GroupPromise
from discreet.policy.requirements import PROMISES


@dataclass(frozen=True)
class GroupFigures:
    """The groups of a table as one promise sees them: texts, rows, and the fraction that must not be above a limit."""

    texts: pl.DataFrame
    """A column for each known one, in their order and under other names."""
    rows: Ints
    hidden: Ints
    """Rows whose sensitive cell tells nothing."""
    above: Ints
    below: Ints
    """What the figure has above and below the line; 0 below where nobody has the combination."""
    hits: Ints | None = None
    """The rows that the figure is about, where they do not stand above the line."""
    coarse: np.ndarray | None = None
    """Groups with values made coarser, or that cannot be read, where that breaks the promise whatever the figure."""

    def figure(self, above: int, below: int) -> Fraction:
        """Return a figure; a combination that nobody has (0 rows) is as bad as can be."""
        return Fraction(above, below) if below else Fraction(int(above > 0))

    def hits_at(self, at: int) -> int:
        """Return the rows of a group that its figure is about."""
        return int((self.above if self.hits is None else self.hits)[at])

    def is_coarse(self, at: int) -> bool:
        """Whether a group has values that were made coarser."""
        return self.coarse is not None and bool(self.coarse[at])

    def pairs(self, places: Ints | None = None) -> tuple[list[tuple[int, int]], Ints]:
        """Return the different pairs above and below the line, and which of them each group (at some places) has."""
        above, below = (each if places is None else each[places] for each in (self.above, self.below))
        base = int(below.max(initial=0)) + 1
        if int(above.max(initial=0)) < 2**62 // base:  # pairs of counts as one number
            found, which = np.unique(above * base + below, return_inverse=True)
            return [divmod(figure, base) for figure in found.tolist()], which.astype(np.int64)
        order = np.lexsort((below, above))
        fresh = np.ones(len(order), dtype=np.bool_)
        fresh[1:] = (np.diff(above[order]) != 0) | (np.diff(below[order]) != 0)
        which = np.empty(len(order), dtype=np.int64)
        which[order] = np.cumsum(fresh) - 1
        firsts = order[fresh]
        return list(zip(above[firsts].tolist(), below[firsts].tolist(), strict=True)), which


def broken_groups(figures: GroupFigures, promise: GroupPromise) -> np.ndarray:
    """Return which groups break a promise, by exact fractions."""
    pairs, which = figures.pairs()
    limit, strict = promise.stated, PROMISES[promise.kind].strict
    shares = [figures.figure(*pair) for pair in pairs]
    bad = np.array([share >= limit if strict else share > limit for share in shares], dtype=np.bool_)[which]
    return bad if figures.coarse is None else bad | figures.coarse

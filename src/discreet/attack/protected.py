"""Confidential cells as whoever knows the method sees them: the release, and where it was changed for their sake.

A cell of a predictor was changed if its text is the marker or, where values are generalised, a group of its taxonomy;
recoded columns were not. Nothing here knows how a release was made: what was changed stands in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.adversary.base import Floats, Guesses
from discreet.adversary.view import Flags, Lines, View
from discreet.encoded import Ints

NEAR = 1e-9
"""Weights that differ by less are equal here."""


@dataclass(frozen=True)
class ProtectedCells:
    """Confidential cells of one column on a release.

    Parameters
    ----------
    view
        The release as the adversary sees it.
    lines
        What is released of the rows of the cells to be guessed.
    changed
        Which cells of the predictors were changed (rows x predictors).
    hidden
        In which rows the class itself is hidden, or told roughly.
    alone
        Whether nothing else in the table was protected: then every change was made for this column.
    unsaid
        The predictors that have confidential cells of their own: that one of these is hidden tells nothing.
    strict
        Whether the true value may not even be one of the best guesses.
    lot
        The cells that may have been left to chance.
    """

    view: View
    lines: Lines
    changed: Flags
    hidden: Flags
    alone: bool
    unsaid: Flags
    strict: bool = False
    lot: Flags | None = None

    @property
    def values(self) -> int:
        """How many values the column has."""
        return len(self.view.classes.tree.domain)

    @property
    def by_lot(self) -> Flags:
        """Say of each cell whether it may have been left to chance."""
        return np.zeros(len(self.lines), dtype=np.bool_) if self.lot is None else self.lot

    @cached_property
    def among(self) -> Flags:
        """Say which values each cell may have (cells x values)."""
        return self.view.classes.tree.covers(self.lines.levels)

    @property
    def blank(self) -> Flags:
        """Say of which cells the whole row was hidden: so a row looks that could not be protected."""
        blank: Flags = np.logical_and.reduce(self.own, axis=1)
        return blank

    @property
    def touched(self) -> Flags:
        """Say of which cells something in their own row was hidden."""
        touched: Flags = np.logical_or.reduce(self.own, axis=1)
        return touched

    @cached_property
    def own(self) -> Flags:
        """Say which predictors were changed in the row of each cell (cells x predictors)."""
        return self.changed[self.lines.places]

    def ruled_out(self, guesses: Guesses) -> Flags:
        """Say which values the method has made sure are not those of the cells: the best guesses on the release."""
        best = guesses.best & self.among
        out: Flags = best if self.strict else best & (best.sum(axis=1, keepdims=True) == 1)
        out &= self.among.sum(axis=1, keepdims=True) > 1
        return out


def chosen(weights: Floats) -> Floats:
    """Return the guess of each line as shares of the values: 1 for the heaviest, or evenly for those that are equal.

    >>> chosen(np.array([[0.2, 0.8], [0.0, 0.0]])).tolist()
    [[0.0, 1.0], [0.5, 0.5]]
    """
    top = weights.max(axis=1, initial=0.0, keepdims=True)
    best = weights >= top * (1 - NEAR)
    shares: Floats = best / np.maximum(best.sum(axis=1, keepdims=True), 1)
    return shares


def first_possible(*tried: Floats) -> Floats:
    """Return for each line the first of several weights that is not 0 for all values."""
    found = tried[-1].copy()
    for weights in reversed(tried[:-1]):
        some = weights.sum(axis=1) > 0
        found[some] = weights[some]
    return found


def right(weights: Floats, true: Ints) -> Floats:
    """Return with which probability the guess of each line is the true value."""
    found: Floats = chosen(weights)[np.arange(len(true)), true]
    return found


def told(guesses: Guesses, true: Ints) -> Floats:
    """Return the same for the best guesses of a plain adversary."""
    best = guesses.best
    found: Floats = (best / np.maximum(best.sum(axis=1, keepdims=True), 1))[np.arange(len(true)), true]
    return found

"""One interface for all adversaries: trained on the released rows, each guesses the confidential cells.

The row of a cell never trains the guess about it. Where a class is told only roughly (a group of the
taxonomy), the values of the group are the candidates. Rules (`RuleGuesses`) expose a cell in a way of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol

import numpy as np
import numpy.typing as npt

from discreet.adversary.view import Flags, Lines, View

Floats = npt.NDArray[np.float64]
_MOST_NUMBERS = 16_000_000
"""Numbers that are held at a time: lines x values x factors."""


@dataclass(frozen=True)
class Guesses:
    """What an adversary takes some cells for.

    Parameters
    ----------
    values
        The candidates, in the order of the domain.
    weights
        How probable each is (cells x values), for reports: a line sums to 1, or is 0 where all are impossible.
    best
        Whether no candidate is more probable (cells x values), decided exactly wherever the adversary can be.
    """

    values: tuple[str | None, ...]
    weights: Floats
    best: Flags

    def at(self, which: npt.NDArray[np.int64]) -> Guesses:
        """Return the guesses for some of the cells, in this order."""
        return replace(self, weights=self.weights[which], best=self.best[which])

    def exposes(self, true: npt.NDArray[np.int64], *, strict: bool = False) -> Flags:
        """Say where the true value (its place among `values`) is the single best guess; `strict`: one of the best."""
        hit: Flags = self.best[np.arange(len(true)), true]
        return hit if strict else hit & (self.best.sum(axis=1) == 1)


class Trained(Protocol):
    """An adversary who has seen the release."""

    def guess(self, lines: Lines) -> Guesses:
        """Return what the cells with these lines are taken for."""
        ...


class AdversaryGuesser(Protocol):
    """A way to guess."""

    @property
    def name(self) -> str:
        """What it is called in a policy."""
        ...

    def train(self, view: View) -> Trained:
        """Learn from the rows of a release."""
        ...


@dataclass(frozen=True)
class Prior:
    """What is guessed without any predictor: the commonest value (the first of them) among the known ones."""

    value: str | None = field(repr=False)
    rows: int
    known: int

    @property
    def share(self) -> Fraction:
        """How many of the rows with a known value have it."""
        return Fraction(self.rows, self.known) if self.known else Fraction(0)


def prior(view: View) -> Prior:
    """Return the guess of whoever looks at the class alone."""
    tree = view.classes.tree
    if not tree.domain:
        return Prior(None, 0, 0)
    leaves = tree.leaf_of[view.classes.nodes]
    counts = np.bincount(leaves[leaves >= 0], minlength=len(tree.domain))
    top = int(np.argmax(counts))
    return Prior(tree.domain[top], int(counts[top]), int(counts.sum()))


def guess_in_parts(
    guess: Callable[[Lines], Guesses], lines: Lines, values: tuple[str | None, ...], numbers: int
) -> Guesses:
    """Guess each different line once, and not too many at a time: `numbers` are held for each of them."""
    distinct, which = lines.distinct()
    size = max(1, _MOST_NUMBERS // max(1, numbers))
    found = [guess(distinct.at(slice(at, at + size))) for at in range(0, len(distinct), size)]
    if not found:
        empty = np.zeros((0, len(values)))
        return Guesses(values, empty, empty > 0)
    weights = np.concatenate([guesses.weights for guesses in found])
    best = np.concatenate([guesses.best for guesses in found])
    return Guesses(values, weights[which], best[which])


def normalised(weights: Floats) -> Floats:
    """Return weights whose lines sum to 1, or stay 0."""
    total = weights.sum(axis=1, keepdims=True)
    shares: Floats = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return shares

"""Refill: the attack of who knows that other rows were changed for the sake of a cell (DECP, INCP and their kin).

DECP hides in other rows of the true value what they share with the row of the cell; INCP hides the class of rows that
are unlike it, so that another guess becomes better. Whoever knows that puts the cells back, for each value the cell may
have: hidden predictors in rows of that value held what the row itself holds, hidden classes what naive Bayes makes of
their rows. A value fits if it is not the best guess on the release (the method has seen to that), and was the best one
before; or if nothing was changed. Of those that fit the most probable one is taken.

Where several cells were protected together, what was hidden is shared by all rows whose class is hidden, by how
probable each value is for them; then a value also fits that was never the best guess.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.adversary.base import Floats, Guesses
from discreet.adversary.naive_bayes import NaiveBayesGuesser
from discreet.adversary.view import UNKNOWN, Flags, Lines
from discreet.attack.counting import ClassCounts, Moved, shares, summed
from discreet.attack.protected import NEAR, ProtectedCells, first_possible
from discreet.encoded import Ints

ROUNDS = 3
"""How often what was hidden is shared anew, by what was found out with it."""
_MOST_NUMBERS = 4_000_000
_MOST_PAIRS = 20_000_000


@dataclass(frozen=True)
class Refilled:
    """What each value of each cell weighs, and for which cells something was changed, as far as that can be seen."""

    weights: Floats
    changed: Flags | None


def refill(protected: ProtectedCells, options: NaiveBayesGuesser, guesses: Guesses, *, classes: bool) -> Refilled:
    """Guess cells as who knows that other rows were changed for them.

    Parameters
    ----------
    protected, options
        The cells, and the naive Bayes that they were protected from.
    guesses
        What it takes them for on the release.
    classes
        Whether the method hides the classes of other rows (INCP).
    """
    return _Refill(protected, options, guesses, classes=classes).found()


class _Refill:
    def __init__(
        self, protected: ProtectedCells, options: NaiveBayesGuesser, guesses: Guesses, *, classes: bool
    ) -> None:
        self.protected, self.options, self.classes = protected, options, classes
        self.out: Flags = protected.ruled_out(guesses) & ~protected.blank[:, None]
        self.view = protected.view
        self.plain = ClassCounts(self.view, options)
        self.hidden = self.plain.changed(protected.changed)
        self.sources = np.flatnonzero(protected.hidden)
        """The rows whose class is hidden: what was changed was changed for some of them."""
        self.changes = int(sum(cells.sum() for cells in self.hidden))

    def found(self) -> Refilled:
        sources = self.view.lines(self.sources)
        beliefs = self._shares(self.plain, sources)
        parts = beliefs
        counts = self.plain
        for _ in range(ROUNDS):
            if self.classes:
                counts = ClassCounts(self.view, self.options, self.sources, parts)
            moved = self._moved(beliefs)
            hypotheses, others = self._both(counts, sources, parts, moved, beliefs)
            beliefs = _posterior(hypotheses, others)
            parts = shares(others)
        return self._judged(counts, moved, parts, beliefs)

    def _shares(self, counts: ClassCounts, lines: Lines) -> Floats:
        return shares(counts.scores(lines))

    def _moved(self, beliefs: Floats) -> list[Moved]:
        """Return what was hidden in each predictor beside what the rows that it was hidden for hold there."""
        found = []
        for place, seen in enumerate(self.view.predictors):
            values = np.zeros((len(seen.tree.parent), self.protected.values))
            np.add.at(values, seen.nodes[self.sources], beliefs)
            found.append(Moved(self.hidden[place], values, summed(seen.tree, values)))
        return found

    def _both(
        self, counts: ClassCounts, lines: Lines, parts: Floats, moved: list[Moved], beliefs: Floats
    ) -> tuple[Floats, Floats]:
        """Return what each value scores if it is the cell's own (and was protected), and if it is another's."""
        size = max(1, _MOST_NUMBERS // max(1, self.protected.values))
        less: Floats = parts if self.classes else np.zeros_like(parts)
        own, others = [np.empty((0, self.protected.values))], [np.empty((0, self.protected.values))]
        for start in range(0, len(lines), size):
            here = slice(start, start + size)
            own.append(counts.scores(lines.at(here), less[here], moved, 1.0, beliefs[here]))
            others.append(counts.scores(lines.at(here), less[here], moved, 0.0, beliefs[here]))
        return np.concatenate(own), np.concatenate(others)

    def _judged(self, counts: ClassCounts, moved: list[Moved], parts: Floats, beliefs: Floats) -> Refilled:
        protected, lines = self.protected, self.protected.lines
        at = np.minimum(np.searchsorted(self.sources, lines.places), max(len(self.sources) - 1, 0))
        mine = self.sources[at] == lines.places if len(self.sources) else np.zeros(len(lines), dtype=np.bool_)
        own = np.where(mine[:, None], parts[at], 0.0) if len(self.sources) else np.zeros(protected.among.shape)
        weigh = np.where(mine[:, None], beliefs[at], 0.0) if len(self.sources) else own
        hypotheses, others = self._both(counts, lines, own, moved, weigh)
        posterior = _posterior(hypotheses, others)
        weights = np.where(self.out, 0.5 * posterior * protected.by_lot[:, None], posterior)
        alone = self._alone(lines)
        seen = alone & (self._changes_for(lines) > 0)
        fits = ~seen[:, None] | ((hypotheses > _best_other(others) + NEAR) & self._explained(lines))
        best = first_possible(
            np.where(fits, weights, 0.0), weights, np.where(self.out, 0.0, shares(others)), shares(others),
            protected.among / np.maximum(protected.among.sum(axis=1, keepdims=True), 1),
        )  # fmt: skip
        return Refilled(best, seen if bool(np.all(alone)) else None)

    def _alone(self, lines: Lines) -> Flags:
        """Say which cells are, as far as can be seen, the only ones that something was changed for."""
        alone = np.full(len(lines), self.protected.alone)
        if not self.protected.alone:
            return alone
        if not self.classes:
            alone &= len(self.sources) - np.isin(lines.places, self.sources) == 0
        else:
            alone &= ~self._alike_others(lines)
        return alone

    def _alike_others(self, lines: Lines) -> Flags:
        """Say which cells have another row with a hidden class that shares a value: INCP hides only unlike ones."""
        sources = self.view.lines(self.sources)
        found = np.zeros(len(lines), dtype=np.bool_)
        size = max(1, _MOST_PAIRS // max(1, len(sources)))
        for start in range(0, len(lines), size):
            some = lines.at(slice(start, start + size))
            alike = np.zeros((len(some), len(sources)), dtype=np.bool_)
            for place in range(len(self.view.predictors)):
                nodes = some.nodes[:, place, None]
                alike |= (nodes == sources.nodes[None, :, place]) & (nodes != UNKNOWN)
            alike &= some.places[:, None] != sources.places[None, :]
            found[start : start + size] = alike.any(axis=1)
        return found

    def _changes_for(self, lines: Lines) -> Ints:
        """Count what was changed in other rows."""
        changed = self.protected.changed
        found: Ints = np.full(len(lines), int(changed.sum()), dtype=np.int64) - changed[lines.places].sum(axis=1)
        if self.classes:
            found += len(self.sources) - np.isin(lines.places, self.sources)
        return found

    def _explained(self, lines: Lines) -> Flags:
        """Say which values explain all changed predictors: in rows of the value, where the cell's own row tells."""
        total = np.zeros((len(lines), self.protected.values))
        for place, seen in enumerate(self.view.predictors):
            nodes = lines.nodes[:, place]
            paths = np.column_stack([np.zeros_like(nodes), seen.tree.paths(nodes)])
            for step in range(paths.shape[1]):
                above = np.flatnonzero((paths[:, step] >= 0) & (paths[:, step] != nodes) & (nodes != UNKNOWN))
                total[above] += self.hidden[place][paths[above, step]]
        explained: Flags = total >= self.changes - 0.5
        return explained


def _posterior(hypotheses: Floats, others: Floats) -> Floats:
    """Return how probable each value is on the table as it was if it is the true one; lines need not sum to 1."""
    top = np.maximum(hypotheses.max(axis=1, keepdims=True), others.max(axis=1, keepdims=True))
    top = np.where(np.isfinite(top), top, 0.0)
    own, rest = np.exp(hypotheses - top), np.exp(others - top)
    beside = rest.sum(axis=1, keepdims=True) - rest
    total = own + np.maximum(beside, 0.0)
    found: Floats = np.divide(own, total, out=np.zeros_like(own), where=total > 0)
    return found


def _best_other(others: Floats) -> Floats:
    """Return for each value the best score of all others."""
    if others.shape[1] < 2:
        return np.full_like(others, -np.inf)
    order = np.sort(others, axis=1)
    first, second = order[:, -1:], order[:, -2:-1]
    where = np.arange(others.shape[1]) == others.argmax(axis=1)[:, None]
    return np.where(where, second, first)

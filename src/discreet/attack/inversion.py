"""Inversion: the attack of who knows that cells of a row were hidden because with them its value was guessed.

DROPP, HID3 and the greedy search hide cells of the row itself until the true value is not the best guess. So with what
is hidden it was. For each value the hidden cells are filled in every way (or many ways drawn at random), by how
probable each is for that value, and those count in which the adversary, trained on the other rows, guesses it. Where
nothing was hidden besides the cell, the true value is not the best guess. Where everything was, it may still be: so a
row looks that could not be protected.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from discreet.adversary.base import Floats, Guesses, Trained
from discreet.adversary.view import UNKNOWN, Flags, Lines
from discreet.attack.counting import ClassCounts, shares
from discreet.attack.protected import ProtectedCells, first_possible
from discreet.encoded import Ints

_MOST_LINES = 100_000
"""Lines that are guessed at a time."""


@dataclass(frozen=True)
class Ways:
    """Ways to fill the hidden cells of one row.

    `nodes` are the filled rows (ways x predictors); `scores` the logarithms of how probable each way is together with
    each value (ways x values), `weights` of what it counts for each.
    """

    nodes: Ints
    scores: Floats
    weights: Floats


def invert(
    protected: ProtectedCells,
    counts: ClassCounts,
    guesses: Guesses,
    trained: Trained | None,
    most: int,
    rng: np.random.Generator,
) -> Floats:
    """Return what each value of each cell weighs for who knows that the row's own cells were hidden for it.

    Parameters
    ----------
    protected, guesses
        The cells, and what the adversary that they were protected from takes them for.
    counts
        Naive Bayes, by which the hidden cells are filled.
    trained
        The adversary; None if it is that naive Bayes.
    most
        Ways that are looked at for each cell.
    rng
        Draws where there are more.
    """
    lines, out = protected.lines, protected.ruled_out(guesses) & ~protected.blank[:, None]
    told = lines.nodes.copy()
    told[protected.own] = UNKNOWN
    base = counts.scores(Lines(lines.places, lines.levels, told))
    plain = shares(counts.scores(lines))
    weights = plain.copy()
    filler = _Filler(protected, counts, base, most, rng)
    cells = np.flatnonzero(protected.touched)
    for batch in _batches(filler, cells):
        _weigh(protected, batch, trained, weights)
    # what is hidden in columns that have confidential cells of their own need not have been hidden for this one
    unsure = protected.touched & ~np.logical_or.reduce(protected.own & ~protected.unsaid, axis=1)
    weights[unsure] += plain[unsure]
    fits = np.where(out, 0.5 * weights * protected.by_lot[:, None], weights)
    even = protected.among / np.maximum(protected.among.sum(axis=1, keepdims=True), 1)
    return first_possible(fits, np.where(out, 0.0, plain), plain, even)


def _batches(filler: _Filler, cells: Ints) -> list[dict[int, Ways]]:
    """Return the ways of all cells, so many at a time."""
    found: list[dict[int, Ways]] = []
    size = _MOST_LINES
    for cell in cells.tolist():
        ways = filler.ways(cell)
        if size + len(ways.nodes) > _MOST_LINES:
            found.append({})
            size = 0
        found[-1][cell] = ways
        size += len(ways.nodes)
    return found


def _weigh(protected: ProtectedCells, batch: dict[int, Ways], trained: Trained | None, weights: Floats) -> None:
    """Write what the values of some cells weigh: the ways in which each is guessed."""
    tops = _tops_of(protected, batch, trained)
    for (cell, ways), top in zip(batch.items(), tops, strict=True):
        counted = np.where(top, ways.weights, -np.inf)
        weights[cell] = _sums(counted)
    if batch:
        cells = np.array(list(batch), dtype=np.int64)
        highest = weights[cells].max(axis=1, keepdims=True)
        weights[cells] = np.where(
            np.isfinite(highest), np.exp(weights[cells] - np.where(np.isfinite(highest), highest, 0.0)), 0.0
        )


def _sums(scores: Floats) -> Floats:
    """Return the logarithm of the sum of each column."""
    top = scores.max(axis=0, initial=-np.inf)
    with np.errstate(divide="ignore"):
        found: Floats = np.log(np.exp(scores - np.where(np.isfinite(top), top, 0.0)).sum(axis=0)) + np.where(
            np.isfinite(top), top, 0.0
        )
    return found


def _tops_of(protected: ProtectedCells, batch: dict[int, Ways], trained: Trained | None) -> list[Flags]:
    """Say of each way of each cell which value would be guessed (ways x values)."""
    if trained is None:
        return [_single(ways.scores >= ways.scores.max(axis=1, keepdims=True) - 1e-9, protected.strict)
                for ways in batch.values()]  # fmt: skip
    lines = protected.lines
    sizes = [len(ways.nodes) for ways in batch.values()]
    which = np.repeat(np.array(list(batch), dtype=np.int64), sizes)
    nodes = np.concatenate([ways.nodes for ways in batch.values()])
    guesses = trained.guess(Lines(lines.places[which], lines.levels[which], nodes))
    best = _single(guesses.best, protected.strict)
    return list(np.split(best, np.cumsum(sizes)[:-1]))


def _single(best: Flags, strict: bool) -> Flags:
    """Return what counts as guessed: the single best value, or (strict) any of the best."""
    single: Flags = best if strict else best & (best.sum(axis=1, keepdims=True) == 1)
    return single


class _Filler:
    """Fills the hidden cells of rows."""

    def __init__(
        self, protected: ProtectedCells, counts: ClassCounts, base: Floats, most: int, rng: np.random.Generator
    ) -> None:
        self.protected, self.counts, self.base, self.most, self.rng = protected, counts, base, most, rng
        self._known: dict[tuple[int, int], tuple[Ints, Floats]] = {}

    def ways(self, cell: int) -> Ways:
        """Return the ways to fill the hidden cells of a row: all, or some drawn at random for each value."""
        lines, places = self.protected.lines, np.flatnonzero(self.protected.own[cell])
        options = [self._values(place, int(lines.nodes[cell, place])) for place in places.tolist()]
        number = 1
        for leaves, _ in options:
            number *= len(leaves)
            if number > self.most:
                return self._drawn(cell, places, options)
        return self._all(cell, places, options)

    def _values(self, place: int, node: int) -> tuple[Ints, Floats]:
        """Return the values below a node of a predictor, and log p(x|v) of each (values x classes)."""
        if (place, node) not in self._known:
            tree = self.counts.view.predictors[place].tree
            leaves = np.flatnonzero((tree.leaf_of >= tree.first[node]) & (tree.leaf_of < tree.stop[node]))
            self._known[place, node] = leaves, self._log(place, leaves)
        return self._known[place, node]

    def _log(self, place: int, leaves: Ints) -> Floats:
        """Return log p(x|v) for some values of a predictor, as naive Bayes has it."""
        width = len(self.counts.view.predictors)
        nodes = np.zeros((len(leaves), width), dtype=np.int64)
        nodes[:, place] = leaves
        none = np.zeros(len(leaves), dtype=np.int64)
        told = self.counts.scores(Lines(none, none, nodes))
        without = self.counts.scores(Lines(none[:1], none[:1], np.zeros((1, width), dtype=np.int64)))
        with np.errstate(invalid="ignore"):
            found: Floats = np.where(np.isfinite(without), told - np.where(np.isfinite(without), without, 0.0), -np.inf)
        return found

    def _all(self, cell: int, places: Ints, options: list[tuple[Ints, Floats]]) -> Ways:
        chosen = np.indices([len(leaves) for leaves, _ in options]).reshape(len(options), -1)
        return self._ways(cell, places, options, chosen, None)

    def _drawn(self, cell: int, places: Ints, options: list[tuple[Ints, Floats]]) -> Ways:
        """Draw ways for each possible value by themselves."""
        possible = np.flatnonzero(np.isfinite(self.base[cell]))
        each = max(1, self.most // max(1, len(possible)))
        drawn = []
        for value in possible.tolist():
            picks = []
            for _, log in options:
                chances = shares(log[:, value][None, :])[0]
                if not chances.sum():
                    chances = np.full(len(chances), 1.0 / len(chances))
                picks.append(self.rng.choice(len(chances), each, p=chances))
            drawn.append(np.stack(picks))
        return self._ways(cell, places, options, np.concatenate(drawn, axis=1), np.repeat(possible, each))

    def _ways(
        self, cell: int, places: Ints, options: list[tuple[Ints, Floats]], chosen: Ints, owner: Ints | None
    ) -> Ways:
        """Return ways by what is chosen for each hidden cell (cells x ways)."""
        nodes = np.repeat(self.protected.lines.nodes[cell][None, :], chosen.shape[1], axis=0)
        scores = np.repeat(self.base[cell][None, :], chosen.shape[1], axis=0)
        for place, (leaves, log), picked in zip(places.tolist(), options, chosen, strict=True):
            nodes[:, place] = leaves[picked]
            scores = scores + log[picked]
        if owner is None:
            return Ways(nodes, scores, scores)
        # how probable a way is decided how often it was drawn: for its value all drawn ones count the same
        inside = self.base[cell] + sum(_sums(log) for _, log in options)
        own = owner[:, None] == np.arange(scores.shape[1])
        return Ways(nodes, scores, np.where(own, inside, -np.inf))

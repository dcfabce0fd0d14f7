"""What attacks by guessers share: who is asked about, by what is known of them, and how often a guess is right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.adversary.base import Floats, Guesses, Trained, prior
from discreet.adversary.view import UNKNOWN, Lines, Seen, View
from discreet.common.rates import Rate
from discreet.common.surest import surest_fifth
from discreet.compare.scene import Scene
from discreet.encoded import Ints
from discreet.table.engine import Engine

_MOST_LINES = 50_000
"""Lines that are guessed at a time."""


@dataclass(frozen=True)
class Asked:
    """People asked about: what is known of each, and the true value by its place in the domain of the target."""

    lines: Lines
    true: Ints

    def __len__(self) -> int:
        return len(self.true)

    def at(self, which: Ints) -> Asked:
        """Return only some of them."""
        return Asked(self.lines.at(which), self.true[which])

    def right(self, trained: Trained) -> Rate:
        """Return how often an adversary is right; of equally good guesses one is picked."""
        return self.judged(trained)[0]

    def judged(self, trained: Trained) -> tuple[Rate, Rate | None]:
        """Return how often an adversary is right, and how often in the fifth about which he is surest."""
        right, sure = np.zeros(len(self)), np.zeros(len(self))
        for at in range(0, len(self), _MOST_LINES):
            some = slice(at, at + _MOST_LINES)
            guesses = trained.guess(self.lines.at(some))
            right[some] = rights(guesses, self.true[some])
            sure[some] = guesses.weights.max(axis=1, initial=0.0)
        return Rate(float(right.sum()), len(self)), surest_fifth(sure, right)

    def commonest(self, view: View) -> Rate:
        """Return how often whoever looks at the target alone is right."""
        value, domain = prior(view), view.classes.tree.domain
        right = sum(domain[place] == value.value for place in self.true.tolist()) if value.known else 0
        return Rate(right, len(self))


def folds(scene: Scene, number: int, rows: int) -> list[Ints]:
    """Return people (by place among `number`) in parts of which each is at most a fifth of the rows, drawn at random.

    Leaving one part out of the training, there are enough rows left to learn from.
    """
    parts = max(1, min(5, -(-5 * number // max(rows, 1))))
    order = scene.shuffled(number)
    return [np.sort(order[part::parts]) for part in range(parts)]


def rights(guesses: Guesses, true: Ints) -> Floats:
    """Return the probability that each guess is right: equally good ones are picked from."""
    number = guesses.best.sum(axis=1)
    hit: Floats = guesses.best[np.arange(len(true)), true] / np.maximum(number, 1)
    return hit


def true_values(scene: Scene, view: View, table: Engine, places: Ints) -> Ints:
    """Return the true values of some rows of a table by their place in the target's domain; -1 where there is none."""
    encoded, tree = table.encoded(view.classes.name), view.classes.tree
    of_text = [
        -1 if scene.is_missing(text) else int(tree.leaf_of[tree.node_of.get(text, UNKNOWN)]) for text in encoded.domain
    ]
    return np.array(of_text, dtype=np.int64)[encoded.codes[places]]


def asked_here(scene: Scene, view: View, people: Ints) -> Asked:
    """Return people of the original (by place) with what is released of them, or else what fits their values."""
    true = true_values(scene, view, scene.original, people)
    people, true = people[true >= 0], true[true >= 0]
    here = scene.here
    if here is None:
        return Asked(lines_of(scene, view, scene.original, people), true)
    there = here[people] >= 0
    places = here[people[there]]
    lines = view.lines(places)
    return Asked(replace(lines, levels=np.zeros_like(lines.levels)), true[there])


def asked_outside(scene: Scene, view: View) -> Asked | None:
    """Return the people who are not in the table, as far as they are given."""
    control, needed = scene.control, [view.classes.name, *(seen.name for seen in view.predictors)]
    if control is None or any(name not in control.columns for name in needed):
        return None
    places = scene.draw(np.arange(control.rows))
    true = true_values(scene, view, control, places)
    places, true = places[true >= 0], true[true >= 0]
    return Asked(lines_of(scene, view, control, places), true)


def lines_of(scene: Scene, view: View, table: Engine, places: Ints) -> Lines:
    """Return what an adversary makes of people's own values: the narrowest released text that covers each."""
    nodes = [_nodes(scene, seen, table, places) for seen in view.predictors]
    stacked = np.column_stack(nodes) if nodes else np.empty((len(places), 0), dtype=np.int64)
    nowhere = np.full(len(places), -1, dtype=np.int64)
    return Lines(nowhere, np.zeros(len(places), dtype=np.int64), stacked)


def _nodes(scene: Scene, seen: Seen, table: Engine, places: Ints) -> Ints:
    """Return the node that stands for each person's value: its own, or that of the narrowest text over it."""
    sense = scene.sense(seen.name)
    values, which = np.unique(sense.values_of(table)[places], return_inverse=True)
    size = np.where(sense.tells, sense.sizes, len(sense.values) + 1)
    order = np.lexsort((np.arange(len(size)), size))
    fits = sense.fits(values)[:, order]
    text = order[fits.argmax(axis=1)]
    known = (values >= 0) & sense.known[np.maximum(values, 0)] & fits.any(axis=1) & sense.tells[text]
    texts = _node_of_texts(seen, sense.texts)
    return np.where(known, texts[text], UNKNOWN)[which.reshape(-1)]


def _node_of_texts(seen: Seen, texts: Sequence[str | None]) -> Ints:
    return np.array([seen.tree.node_of.get(text, UNKNOWN) for text in texts], dtype=np.int64)

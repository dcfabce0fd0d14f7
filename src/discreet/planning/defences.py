"""How each adversary of a confidential cell is met: the method, in the numbers that it works on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from discreet.adversary import cart
from discreet.adversary.base import Trained
from discreet.adversary.make import readings
from discreet.adversary.view import Lines, Seen, View
from discreet.chance import Source
from discreet.common.registry import Sides
from discreet.common.watch import Watch
from discreet.encoded import Ints
from discreet.method.cells import c45
from discreet.method.cells.greedy import Flags, Floats, Guess, Learn
from discreet.method.cells.job import Defence, RuleDefence
from discreet.method.cells.rules import Limits
from discreet.method.cells.table import Bayes, CellTable
from discreet.method.cells.walks import LEAF, Branches
from discreet.policy.adversaries import C45, Adversary, Learner, NaiveBayes, Rules
from discreet.policy.confidential import Confidential


@dataclass(frozen=True)
class Defences:
    """One requirement, and the table as its adversaries see it."""

    requirement: Confidential
    place: Callable[[str], int]
    """Where a column stands."""
    known_to: Callable[[Adversary], Sequence[str]]
    seen: Sequence[Seen]
    rows: int
    """How many rows are released."""
    chance: Source
    watch: Watch

    def of(self, adversary: Adversary, method: str) -> Defence:
        """Return how an adversary is met by a method."""
        return Defence(method) if method == "nrd" else DEFENDED.of(adversary)(self, adversary, method)

    def learn(self, adversary: Adversary) -> Learn:
        """Return how a library learner (or any adversary) is trained on the table in the making."""

        def learn(table: CellTable, column: int, predictors: Sequence[int]) -> list[Guess]:
            def guess(asked: Trained, rows: Ints, levels: Ints, nodes: Ints) -> tuple[Floats, Flags]:
                guesses = asked.guess(Lines(table.frame.real[rows], levels, nodes))
                return guesses.weights, guesses.best

            view = self._view(table, column, predictors)
            return [partial(guess, asked) for asked in readings(adversary, view)]

        return learn

    def cart(self, table: CellTable, column: int, top: int, predictors: Sequence[int]) -> Branches:
        """Grow a tree of scikit-learn on the table in the making."""
        grown = cart.branches(self._view(table, column, predictors), top)
        places = np.array([*predictors, LEAF], dtype=np.int64)  # the last is that of leaves
        return Branches(places[grown.predictor], grown.at, grown.child, grown.best)

    def _view(self, table: CellTable, column: int, predictors: Sequence[int]) -> View:
        """Return the table in the making as an adversary would see it."""

        def now(place: int) -> Seen:
            codes = table.frame.codes[place, : self.rows]
            return replace(self.seen[place], nodes=(codes - table.first[place]).astype(np.int32))

        return View(now(column), tuple(now(place) for place in predictors))


def _by_guesses(defences: Defences, adversary: Adversary, method: str) -> Defence:
    return Defence(method, learn=defences.learn(adversary)) if method == "greedy" else Defence(method)


def _by_learner(defences: Defences, adversary: Learner, method: str) -> Defence:
    return Defence(method, grow=defences.cart) if method == "hid3" else _by_guesses(defences, adversary, method)


def _by_c45(defences: Defences, adversary: C45, method: str) -> Defence:
    return Defence(method, grow=c45.grow) if method == "hid3" else _by_guesses(defences, adversary, method)


def _by_bayes(defences: Defences, adversary: NaiveBayes, method: str) -> Defence:
    if method == "greedy":
        return _by_guesses(defences, adversary, method)
    requirement, nulls = defences.requirement, adversary.nulls or "count"
    return Defence(method, Bayes(nulls, adversary.laplace, requirement.guesses, requirement.strict))


def _by_rules(defences: Defences, adversary: Rules, method: str) -> Defence:
    requirement = defences.requirement
    rules = RuleDefence(
        Limits(adversary.min_confidence, adversary.min_support, adversary.denominator == "published"),
        tuple(defences.place(name) for name in defences.known_to(adversary)),
        own_conditions=requirement.may("own.conditions"),
        others_conditions=requirement.may("others.conditions"),
        others_sensitive=requirement.may("others.sensitive"),
        prior=adversary.prior == "refuse",
        decoys=requirement.decoys is True,
        choose=lambda below: int.from_bytes(defences.chance(8), "little") % below,
        seconds_left=defences.watch.seconds_left,
    )
    return Defence(method, rules=rules)


DEFENDED: Sides[Callable[[Defences, Any, str], Defence]] = Sides("defence")
"""How each adversary is met by a method that hides cells; one of which nothing is said, by what it guesses."""
DEFENDED.add(Adversary, _by_guesses)
DEFENDED.add(NaiveBayes, _by_bayes)
DEFENDED.add(Learner, _by_learner)
DEFENDED.add(C45, _by_c45)
DEFENDED.add(Rules, _by_rules)

"""What somebody's value is, learned from the release: association rules, naive Bayes, ID3, learners of a library.

The adversary knows some columns of a person who is in the release (what is released of his row, or else his own values)
and learns from all rows, the person's own among them. Control: the same with the rows of all who are attacked left out,
or people who are not in the table at all, where they are given. What is learned of them is what the table tells of
everybody; more than that about its own people is a leak.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np

from discreet.adversary.base import AdversaryGuesser, Floats, Guesses
from discreet.adversary.bayesian_network import NetworkGuesser
from discreet.adversary.c45 import C45Guesser
from discreet.adversary.id3 import Id3Guesser
from discreet.adversary.learners import LEARNERS, fitted
from discreet.adversary.naive_bayes import NaiveBayesGuesser
from discreet.adversary.rules import RulesGuesser, TrainedRules
from discreet.adversary.view import UNKNOWN, Lines, View, look, see_column
from discreet.adversary.words import WordsGuesser, has_words
from discreet.attack.base import Attack, AttackTask
from discreet.attack.guessing import Asked, asked_here, asked_outside, folds, true_values
from discreet.common.rates import Rate
from discreet.compare.features import Encoding
from discreet.compare.scene import Scene
from discreet.encoded import Ints
from discreet.policy.adversaries import MOST_CONDITIONS
from discreet.table.engine import Engine

QUICK_ROWS, THOROUGH_ROWS = 5_000, 50_000
"""Rows that train a learner of the library."""
QUICK_PEOPLE = 200
"""People whom rules and C4.5 are asked about in a quick audit, and the conditions that rules may have."""
QUICK_CONDITIONS = 10
LEFT_OUT, OUTSIDE = "the same people, their rows left out of the training", "people who are not in the table"
ONLINE = ("perceptron", "multilayer_perceptron", "winnow")
LIBRARY = (
    "logistic_regression",
    "linear_svm",
    "decision_tree",
    "random_forest",
    "gradient_boosting",
    "k_nearest",
    *ONLINE,
)
TITLES = {
    "rules": "takes the value that the most confident association rule leads to",
    "naive_bayes": "trains naive Bayes on the release",
    "naive_bayes drop": "trains naive Bayes, leaving unknown cells out of its counts",
    "naive_bayes spread": "trains naive Bayes, spreading unknown cells over the values",
    "naive_bayes laplace": "trains naive Bayes with one added to every count",
    "id3": "grows an ID3 tree on the release",
    "c45": "grows a tree like C4.5 on the release",
    "bayesian_network": "trains a Bayesian network (tree-augmented naive Bayes) on the release",
    "bag_of_words": "counts the words of texts in the release",
    "logistic_regression": "trains a logistic regression on the release",
    "linear_svm": "trains a linear support vector machine on the release",
    "random_forest": "trains a random forest on the release",
    "gradient_boosting": "trains boosted trees on the release",
    "k_nearest": "asks the five nearest rows of the release",
    "decision_tree": "trains a decision tree on the release",
    "perceptron": "trains a perceptron on the release",
    "multilayer_perceptron": "trains a neural network with one hidden layer on the release",
    "winnow": "trains Winnow, an online learner, on the release",
}


def learning_attacks(scene: Scene) -> Iterator[AttackTask]:
    """Yield the attacks on each column that an adversary wants to know."""
    published = published_texts(scene) if scene.guessed else []
    for target in scene.guessed:
        for given in scene.known:
            knows = tuple(column for column in given if column != target)
            if knows:
                yield from _GuessedColumn(scene, target, knows).tasks()
        if texts := tuple(name for name in published if name != target):
            yield _GuessedColumn(scene, target, texts).by_words()


def published_texts(scene: Scene) -> list[str]:
    """Return the released columns of free text, whether an adversary is said to know them or not."""
    both = [name for name in scene.released.columns if name in scene.original.columns]
    return [name for name in both if has_words(see_column(scene.released, scene.policy, name, (), taxonomic=False))]


def training_rows(scene: Scene) -> int:
    """Return how many rows train a learner of the library at most."""
    return THOROUGH_ROWS if scene.thorough else QUICK_ROWS


def asks_rules(scene: Scene, knows: Sequence[str]) -> bool:
    """Whether there is time for all rules over some columns."""
    return len(knows) <= (MOST_CONDITIONS if scene.thorough else QUICK_CONDITIONS)


def has_library() -> bool:
    """Whether there are learners of the library."""
    return find_spec("sklearn") is not None


def counting_time(rows: int) -> float:
    """Return about how many seconds an adversary takes who only counts."""
    return 0.05 + rows * 5e-6


def rules_time(rows: int, people: int, conditions: int) -> float:
    """Return about how many seconds it takes to find all rules about so many people."""
    return people * (rows * 4e-8 + (1 << conditions) * 4e-6)


def learning_time(name: str, rows: int) -> float:
    """Return about how many seconds it takes to train a learner of the library on so many rows, three times."""
    return 0.1 + rows * {"gradient_boosting": 3e-4, "random_forest": 6e-4, "logistic_regression": 4e-4}.get(name, 1e-4)


@dataclass(frozen=True)
class BestRule:
    """A guesser that takes the value of the most confident rule with at least `min_rows` rows."""

    min_rows: int = 5
    name: str = "rules"

    def train(self, view: View) -> TrainedBestRule:
        """Count the rows of a release."""
        return TrainedBestRule(RulesGuesser(Fraction(0), min_rows=self.min_rows).train(view))


@dataclass(frozen=True)
class TrainedBestRule:
    """Rules beside the rows they are counted in."""

    rules: TrainedRules

    def guess(self, lines: Lines) -> Guesses:
        """Return the value to which the most confident rule leads; all of them where several do."""
        found = self.rules.guess(lines)
        top = found.weights.max(axis=1, keepdims=True)
        return Guesses(found.values, found.weights, (found.weights >= top * (1 - 1e-12)) & (top > 0))


def exact_guessers(unknowns: bool, most: int) -> Iterator[tuple[str, AdversaryGuesser]]:
    """Yield the adversaries that need no library; where nothing is unknown, naive Bayes has one meaning only.

    At most so many rows train those that take long.
    """
    yield "naive_bayes", NaiveBayesGuesser("count")
    if unknowns:
        yield "naive_bayes drop", NaiveBayesGuesser("drop")
        yield "naive_bayes spread", NaiveBayesGuesser("spread")
    yield "naive_bayes laplace", NaiveBayesGuesser("drop", Fraction(1))
    yield "id3", Id3Guesser()
    yield "c45", C45Guesser(most=most)
    yield "bayesian_network", NetworkGuesser()


@dataclass(frozen=True)
class _GuessedColumn:
    """One column to be guessed from some others."""

    scene: Scene
    target: str
    knows: tuple[str, ...]

    def tasks(self) -> Iterator[AttackTask]:
        """Yield the attacks."""
        rows = self.scene.released.rows
        few = self.scene.people if self.scene.thorough else self.scene.draw(self.scene.people, QUICK_PEOPLE)
        for name, guesser in exact_guessers(self._has_unknowns, training_rows(self.scene)):
            people = few if name == "c45" else self.scene.people  # its trees are grown node by node
            yield AttackTask(f"{name} on {self.target}", counting_time(rows), self._by(name, guesser, people))
        if asks_rules(self.scene, self.knows):
            seconds = rules_time(rows, len(few), len(self.knows))
            yield AttackTask(f"rules on {self.target}", seconds, self._by("rules", BestRule(), few))
        if has_library():
            training = min(rows, training_rows(self.scene))
            for name in LIBRARY:
                yield AttackTask(f"{name} on {self.target}", learning_time(name, training), self._by_library(name))

    def by_words(self) -> AttackTask:
        """Return the attack by the words of the columns."""
        run = self._by("bag_of_words", WordsGuesser(), self.scene.people)
        return AttackTask(f"bag_of_words on {self.target}", 10 * counting_time(self.scene.released.rows), run)

    @cached_property
    def view(self) -> View:
        """The release as the adversary sees it."""
        return look(self.scene.released, self.scene.policy, self.target, self.knows, self.scene.original)

    @cached_property
    def before(self) -> View:
        """The original as he would see it."""
        return look(self.scene.original, self.scene.policy, self.target, self.knows, self.scene.original)

    @cached_property
    def _has_unknowns(self) -> bool:
        return any((seen.nodes == UNKNOWN).any() for seen in self.view.predictors)

    def _by(self, name: str, guesser: AdversaryGuesser, people: Ints) -> Callable[[], Iterator[Attack]]:
        def run() -> Iterator[Attack]:
            begin = time.monotonic()
            asked, outside = asked_here(self.scene, self.view, people), asked_outside(self.scene, self.view)
            trained = guesser.train(self.view)
            control: Rate | None = None
            if outside is not None:
                control = outside.right(trained)
            elif self.scene.here is not None:
                control = self._left_out(guesser, asked)
            original = self._originals(people).right(guesser.train(self.before))
            yield self._attack(name, asked, asked.right(trained), original, control, begin)

        return run

    def _left_out(self, guesser: AdversaryGuesser, asked: Asked) -> Rate:
        """Return how often it is right about people whose rows do not train."""
        rate = Rate(0, 0)
        for part in folds(self.scene, len(asked), self.scene.released.rows):
            some = asked.at(part)
            rate += some.right(guesser.train(self.view.hiding(some.lines.places)))
        return rate

    def _originals(self, people: Ints) -> Asked:
        """Return the same people by their own values, in the original."""
        true = true_values(self.scene, self.before, self.scene.original, people)
        lines = self.before.lines(people[true >= 0])
        return Asked(replace(lines, levels=np.zeros_like(lines.levels)), true[true >= 0])

    def _attack(
        self, name: str, asked: Asked, released: Rate, original: Rate, control: Rate | None, begin: float
    ) -> Attack:
        outside = self.scene.control is not None
        attack = Attack(
            kind="inference",
            name=name,
            title=TITLES[name],
            target=self.target,
            knows=self.knows,
            released=released,
            baseline=asked.commonest(self.view),
            original=original,
            control=control,
            control_by=None if control is None else OUTSIDE if outside else LEFT_OUT,
            of=self.scene.released.rows,
            seconds=time.monotonic() - begin,
        )
        if control is None or not attack.leaks:
            return attack
        warning = (
            f"whoever {TITLES[name]} guesses {self.target!r} of people in the table more often right than of others: "
            "more is told of them than what holds for everybody"
        )
        return replace(attack, warnings=(warning,))

    def _by_library(self, name: str) -> Callable[[], Iterator[Attack]]:
        def run() -> Iterator[Attack]:
            begin = time.monotonic()
            library = self._library
            asked = library.asked
            released = library.rate(name, library.release)
            original = library.rate(name, library.original)
            control = library.outside(name) if self.scene.control is not None else None
            if control is None and self.scene.here is not None:
                control = library.left_out(name)
            yield self._attack(name, asked, released, original, control, begin)

        return run

    @cached_property
    def _library(self) -> _Library:
        return _Library(self.scene, self.view, self.knows, training_rows(self.scene))


@dataclass(frozen=True)
class _LearningRows:
    """Rows as numbers with their classes (-1 where it is not told); where the people asked about stand, if known."""

    numbers: Any
    classes: Ints
    people: Ints | None


class _Library:
    """The people asked about, and the rows that train, as learners of the library take them."""

    def __init__(self, scene: Scene, view: View, knows: tuple[str, ...], most: int) -> None:
        self.scene, self.view, self.most = scene, view, most
        self.encoding = Encoding.of([scene.sense(column) for column in knows])
        self.asked = asked_here(scene, view, scene.people)
        self.true = self.asked.true

    @cached_property
    def _victims(self) -> Ints:
        """The people asked about, by their places in the original: those with a value, in the release if known."""
        people, here = self.scene.people, self.scene.here
        known = true_values(self.scene, self.view, self.scene.original, people) >= 0
        return people[known] if here is None else people[known & (here[people] >= 0)]

    def _true(self, table: Engine) -> Ints:
        return true_values(self.scene, self.view, table, np.arange(table.rows))

    @cached_property
    def release(self) -> _LearningRows:
        """The released rows."""
        leaves = self.view.classes.tree.leaf_of[self.view.classes.nodes]
        here = None if self.scene.here is None else self.scene.here[self._victims]
        return _LearningRows(self.encoding.released(), leaves, here)

    @cached_property
    def original(self) -> _LearningRows:
        """The rows of the original."""
        return _LearningRows(self.encoding.table(self.scene.original), self._true(self.scene.original), self._victims)

    def rate(self, name: str, rows: _LearningRows) -> Rate:
        """Return how often a learner is right about the people, their own rows among those that train."""
        known = np.flatnonzero(rows.classes >= 0)
        if rows.people is None:  # nobody knows which rows they are: by their own values
            numbers = self.encoding.table(self.scene.original, self._victims)
            return self._right(name, rows, self.scene.draw(known, self.most), numbers, self.true)
        others, mine = _without(known, rows.people), np.sort(rows.people[rows.classes[rows.people] >= 0])
        training = np.sort(np.concatenate([mine, self.scene.draw(others, max(self.most - len(mine), 0))]))
        return self._right(name, rows, training, rows.numbers[rows.people], self.true)

    def left_out(self, name: str) -> Rate:
        """Return how often it is right about people whose rows do not train."""
        rows, rate = self.release, Rate(0, 0)
        assert rows.people is not None
        known = np.flatnonzero(rows.classes >= 0)
        for part in folds(self.scene, len(self.true), len(rows.classes)):
            people = rows.people[part]
            training = self.scene.draw(_without(known, people), self.most)
            rate += self._right(name, rows, training, rows.numbers[people], self.true[part])
        return rate

    def outside(self, name: str) -> Rate | None:
        """Return how often it is right about people who are not in the table."""
        control = self.scene.control
        if control is None or asked_outside(self.scene, self.view) is None:
            return None
        places = self.scene.draw(np.arange(control.rows))
        true = self._true(control)[places]
        places, true = places[true >= 0], true[true >= 0]
        training = self.scene.draw(np.flatnonzero(self.release.classes >= 0), self.most)
        return self._right(name, self.release, training, self.encoding.table(control, places), true)

    def _right(self, name: str, rows: _LearningRows, training: Ints, numbers: Any, true: Ints) -> Rate:
        if not len(training) or not len(true):
            return Rate(0, len(true))
        values, quick = len(self.view.classes.tree.domain), not self.scene.thorough
        learner = fitted(name, rows.numbers[training], rows.classes[training], values, quick=quick)
        likely: Floats = learner(numbers)
        best = likely >= likely.max(axis=1, keepdims=True) * (1 - 1e-9)
        return Rate(float((best[np.arange(len(true)), true] / best.sum(axis=1)).sum()), len(true))


def _without(rows: Ints, some: Ints) -> Ints:
    """Return ascending rows without some."""
    left = np.ones(int(rows.max(initial=-1)) + 1, dtype=np.bool_)
    left[some[some < len(left)]] = False
    return rows[left[rows]]


assert set(LIBRARY) <= set(LEARNERS)

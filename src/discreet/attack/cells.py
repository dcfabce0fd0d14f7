"""What a confidential cell is: guessed by adversaries of every kind, whether the policy names them or not.

Verification answers for the adversaries that the policy names; here the others try as well. Beside each: what it
guesses where the confidential cells alone are hidden, and what the commonest value is worth.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.adversary.base import AdversaryGuesser
from discreet.adversary.learners import LibraryGuesser
from discreet.adversary.view import View, look
from discreet.adversary.words import WordsGuesser, has_words
from discreet.attack.base import Attack, AttackTask
from discreet.attack.guessing import Asked, asked_here, asked_outside, true_values
from discreet.attack.learning import (
    LIBRARY,
    OUTSIDE,
    TITLES,
    BestRule,
    asks_rules,
    counting_time,
    exact_guessers,
    has_library,
    learning_time,
    published_texts,
    rules_time,
    training_rows,
)
from discreet.common.rates import Rate
from discreet.compare.scene import Scene
from discreet.encoded import Ints
from discreet.fit.cells import predictors_of
from discreet.policy.confidential import Confidential


def cell_attacks(scene: Scene) -> Iterator[AttackTask]:
    """Yield the attacks on the confidential cells of each requirement."""
    requirements = list(scene.policy.cells())
    texts = published_texts(scene) if requirements else []
    for index, requirement in requirements:
        needed = [requirement.column, *(requirement.predictors or ())]
        if all(name in scene.released.columns for name in needed):
            cells = _AttackedCells(scene, index, requirement)
            yield from cells.tasks()
            told = tuple(name for name in texts if name != requirement.column)
            if not set(told) <= set(cells.knows):
                yield replace(cells, texts=told).by_words()


@dataclass(frozen=True)
class _AttackedCells:
    """The confidential cells of one requirement."""

    scene: Scene
    index: int
    requirement: Confidential
    texts: tuple[str, ...] = ()
    """Released columns of free text, of which not all are predictors; where there are any, these are read instead."""

    @cached_property
    def knows(self) -> tuple[str, ...]:
        """The columns from which the cells could be predicted."""
        return self.texts or predictors_of(self.requirement, self.scene.policy, self.scene.released.columns)

    @cached_property
    def view(self) -> View:
        """The release as the adversary sees it."""
        scene = self.scene
        return look(scene.released, scene.policy, self.requirement.column, self.knows, scene.original)

    @cached_property
    def asked(self) -> Asked:
        """The cells, or some of them drawn at random."""
        return asked_here(self.scene, self.view, self._drawn)

    @cached_property
    def _drawn(self) -> Ints:
        return self.scene.draw(self.scene.cells(self.requirement))

    @cached_property
    def alone(self) -> tuple[View, Asked] | None:
        """The table where the confidential cells alone are hidden, and the same cells there."""
        scene = self.scene
        if scene.hide_only is None:
            return None
        view = look(scene.hide_only, scene.policy, self.requirement.column, self.knows, scene.original)
        beside = np.searchsorted(scene.original.numbers(), scene.hide_only.numbers())
        here = np.full(scene.original.rows, -1, dtype=np.int64)
        here[beside] = np.arange(len(beside))
        cells = here[scene.cells(self.requirement)]
        view = view.hiding(cells[cells >= 0])
        drawn = self._drawn[here[self._drawn] >= 0]
        true = true_values(scene, view, scene.original, drawn)
        return view, Asked(view.lines(here[drawn[true >= 0]]), true[true >= 0])

    def tasks(self) -> Iterator[AttackTask]:
        """Yield an attack for each kind of adversary."""
        rows, column = self.scene.released.rows, self.requirement.column
        for name, guesser in exact_guessers(True, training_rows(self.scene)):
            yield AttackTask(f"{name} on confidential {column}", counting_time(rows), self._by(name, guesser))
        if any(map(has_words, self.view.predictors)):
            yield self.by_words()
        if asks_rules(self.scene, self.knows):
            seconds = rules_time(rows, len(self.asked), len(self.knows))
            yield AttackTask(f"rules on confidential {column}", seconds, self._by("rules", BestRule()))
        if has_library():
            most = training_rows(self.scene)
            for name in LIBRARY:
                seconds = learning_time(name, min(rows, most))
                run = self._by(name, LibraryGuesser(name, most))
                yield AttackTask(f"{name} on confidential {column}", seconds, run)

    def by_words(self) -> AttackTask:
        """Return the attack by the words of what is known."""
        run, seconds = self._by("bag_of_words", WordsGuesser()), 10 * counting_time(self.scene.released.rows)
        return AttackTask(f"bag_of_words on confidential {self.requirement.column}", seconds, run)

    def _by(self, name: str, guesser: AdversaryGuesser) -> Callable[[], Iterator[Attack]]:
        def run() -> Iterator[Attack]:
            begin = time.monotonic()
            trained = guesser.train(self.view)
            outside = asked_outside(self.scene, self.view)
            control = None if outside is None else outside.right(trained)
            released, surest = self.asked.judged(trained)
            only_hidden, surest_only_hidden = self._alone(guesser)
            yield Attack(
                kind="cells",
                name=name,
                title=TITLES[name],
                target=self.requirement.column,
                knows=self.knows,
                released=released,
                baseline=self.asked.commonest(self.view),
                only_hidden=only_hidden,
                control=control,
                control_by=None if control is None else OUTSIDE,
                surest=surest,
                surest_only_hidden=surest_only_hidden,
                of=len(self.scene.cells(self.requirement)),
                requirement=self.index,
                warnings=tuple(self._warnings(name, released, surest)),
                seconds=time.monotonic() - begin,
            )

        return run

    def _alone(self, guesser: AdversaryGuesser) -> tuple[Rate | None, Rate | None]:
        if self.alone is None:
            return None, None
        view, asked = self.alone
        return asked.judged(guesser.train(view))

    def _warnings(self, name: str, released: Rate, surest: Rate | None) -> Iterator[str]:
        """Yield a warning where an adversary guesses clearly more than the commonest value is worth."""
        commonest = self.asked.commonest(self.view)
        if released.beyond(commonest):
            yield (
                f"confidential cells of {self.requirement.column!r}: whoever {TITLES[name]} is right more often than "
                "whoever takes the commonest value"
            )
        elif surest is not None and surest.beyond(commonest):
            yield (
                f"confidential cells of {self.requirement.column!r}: whoever {TITLES[name]} is right more often than "
                "whoever takes the commonest value, in the fifth of the cells about which he is surest"
            )

"""The aware adversary of blind protection: learners trained on rehearsed rows, stars read as what they are.

He rehearses the method on the rest, as anybody can, trains on what would be released of these rows, and guesses the
confidential cells. Beside each rate stands the limit of the values that he guesses, which binds the references alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from discreet.attack.base import Attack, AttackTask
from discreet.attack.rehearsal import Rehearsal
from discreet.common.rates import Rate
from discreet.compare.scene import Scene
from discreet.planning.blind import BlindPlanning
from discreet.policy.confidential import Confidential


def blind_attacks(scene: Scene) -> Iterator[AttackTask]:
    """Yield the attack on the cells of each requirement that are protected blindly."""
    for index, made in scene.policy.cells():
        if made.is_blind and _in_place(scene):
            yield AttackTask(f"aware, blind {made.column}", 5.0, _BlindRun(scene, index, made))


def _in_place(scene: Scene) -> bool:
    """Whether every row of the original stands in its place in the release."""
    return scene.places is not None and np.array_equal(scene.places, np.arange(scene.original.rows))


class _BlindRun:
    """The cells of one requirement."""

    def __init__(self, scene: Scene, index: int, made: Confidential) -> None:
        self.scene, self.index, self.made = scene, index, made

    def __call__(self) -> Iterator[Attack]:
        scene, made = self.scene, self.made
        released = scene.released.numbered(scene.original.numbers())
        planning = BlindPlanning(released, scene.original, scene.policy)
        rehearsal = Rehearsal(planning, made.column)
        rows = planning.rows[self.index]
        encoded = scene.original.encoded(made.column)
        element = planning.reading(made.column).column(encoded, ~planning.secret)
        true = rehearsal.value_of[np.minimum(element.codes[rows], len(rehearsal.value_of) - 1)]
        rows, true = rows[true >= 0], true[true >= 0]
        if not len(rows) or not len(rehearsal.rows):
            return
        asked = np.array([self._told(planning, place, rows) for place in rehearsal.kind.predictors]).T
        commonest = Rate(float((true == int(rehearsal.shares.argmax())).sum()), len(true))
        learners = rehearsal.learners()
        known, real = rehearsal.shown(rehearsal.rows, rehearsal.told), rehearsal.shown(rows, asked)
        for name in learners:
            begin = time.monotonic()
            found = rehearsal.judged(name, rehearsal.learned(name, known, rehearsal.true, real), true, len(learners))
            yield Attack(
                kind="aware",
                name=f"blind {name}",
                title=f"knows the method, and trains {name.replace('_', ' ')} on rows that he protects himself",
                target=made.column,
                knows=tuple(planning.columns[place] for place in rehearsal.kind.predictors),
                released=found.right,
                baseline=commonest,
                surest=found.surest,
                of=len(scene.cells(made)),
                requirement=self.index,
                figures={"limit": found.limit, "surest_limit": found.surest_limit},
                seconds=time.monotonic() - begin,
            )

    def _told(self, planning: BlindPlanning, place: int, rows: np.ndarray[tuple[int], np.dtype[np.int64]]) -> list[int]:
        """Return what is told of rows by one predictor: an element, or a star."""
        name, read = planning.columns[place], planning.read[place]
        encoded = planning.released.encoded(name)
        marks = np.array([text == planning.policy.marker for text in encoded.domain], dtype=np.bool_)
        told = np.where(marks[encoded.codes[rows]], len(read.elements), read.codes[rows])
        return [int(each) for each in told]

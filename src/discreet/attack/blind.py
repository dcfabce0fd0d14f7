"""The aware adversary of blind protection: learners trained on rehearsed rows, stars read as stars and as blocks.

He rehearses the method on the rest, as anybody can, trains on what would be released of these rows, and guesses the
confidential cells. Beside each rate stands the limit of the values that he guesses, which binds the references alone.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from discreet.attack.base import Attack, AttackTask
from discreet.common.rates import Rate
from discreet.compare.scene import Scene
from discreet.plan.rehearsed import RehearsedColumn
from discreet.planning.blind import BlindPlanning
from discreet.planning.rehearsal import Rehearsal, rehearsed, settled
from discreet.policy.confidential import Confidential


def blind_attacks(scene: Scene) -> Iterator[AttackTask]:
    """Yield the attack on the cells of each requirement that are protected blindly."""
    for index, made in scene.policy.cells():
        if made.is_blind and _in_place(scene):
            yield AttackTask(f"aware, blind {made.column}", 5.0, _BlindRun(scene, index, made))


def _in_place(scene: Scene) -> bool:
    """Whether every row of the original stands in its place in the release, and no earlier release tells of any."""
    if scene.linked is not None and scene.linked.past:
        return False  # what is told of rows starts from there, which a rehearsal does not know
    return scene.places is not None and np.array_equal(scene.places, np.arange(scene.original.rows))


def full_rehearsal(scene: Scene) -> tuple[RehearsedColumn, ...]:
    """Return the rehearsal of every confidential column of a release, with all learners; none where rows are moved."""
    if not scene.policy.is_blind or not _in_place(scene):
        return ()
    return tuple(rehearsed(planned_as(scene)).values())


def planned_as(scene: Scene) -> BlindPlanning:
    """Return the release as it was planned, by the rule that its statement names."""
    released = scene.released.numbered(scene.original.numbers())
    return settled(BlindPlanning(released, scene.original, scene.policy, rule=scene.block_rule))


class _BlindRun:
    """The cells of one requirement."""

    def __init__(self, scene: Scene, index: int, made: Confidential) -> None:
        self.scene, self.index, self.made = scene, index, made

    def __call__(self) -> Iterator[Attack]:
        scene, made = self.scene, self.made
        planning = planned_as(scene)
        rehearsal = Rehearsal(planning, made.column)
        rows = planning.rows[self.index]
        encoded = scene.original.encoded(made.column)
        element = planning.reading(made.column).column(encoded, ~planning.secret)
        true = rehearsal.value_of[np.minimum(element.codes[rows], len(rehearsal.value_of) - 1)]
        rows, true = rows[true >= 0], true[true >= 0]
        if not len(rows) or not len(rehearsal.rows):
            return
        commonest = Rate(float((true == int(rehearsal.shares.argmax())).sum()), len(true))
        learners = rehearsal.learners()
        known = rehearsal.shown(rehearsal.rows, rehearsal.told)
        real = rehearsal.shown(rows, rehearsal.told_of(rows))
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

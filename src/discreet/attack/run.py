"""All attacks on a release, one after the other, as long as there is time; what there was no time for is named."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from discreet.attack.aware import aware_attacks
from discreet.attack.base import Attack, Attacked, AttackTask
from discreet.attack.cells import cell_attacks
from discreet.attack.hiding import hiding_attacks
from discreet.attack.homogeneity import look_up_attacks
from discreet.attack.learning import has_library, learning_attacks, training_rows
from discreet.attack.linkage import linkage_attacks
from discreet.attack.over_time import over_time_attacks
from discreet.attack.persons import person_attacks
from discreet.attack.persons_over_time import persons_over_time_attacks
from discreet.compare.scene import Scene

ATTACKERS: tuple[Callable[[Scene], Iterator[AttackTask]], ...] = (
    linkage_attacks,
    person_attacks,
    over_time_attacks,
    persons_over_time_attacks,
    look_up_attacks,
    cell_attacks,
    aware_attacks,
    hiding_attacks,
    learning_attacks,
)
"""The modules of attacks, in the order in which they are made."""


def planned(scene: Scene) -> list[AttackTask]:
    """Return the attacks that make sense on a release."""
    return [task for attacker in ATTACKERS for task in attacker(scene)]


def attack(
    scene: Scene, tasks: list[AttackTask] | None = None, say: Callable[[int, int], object] | None = None
) -> Attacked:
    """Make the attacks (all that are planned when absent); `say` is told how many are done and how many are left."""
    begin = time.monotonic()
    tasks = planned(scene) if tasks is None else tasks
    found: list[Attack] = []
    skipped: list[str] = []
    for number, task in enumerate(tasks):
        stopped = say is not None and say(number, len(tasks) - number) is False
        if scene.late or stopped:
            skipped.append(task.name)
            continue
        found += task.run()
    return Attacked(
        tuple(found), tuple(skipped), scene.thorough, scene.victims, time.monotonic() - begin, tuple(_notes(scene))
    )


def _notes(scene: Scene) -> Iterator[str]:
    """Yield how the attacks were made."""
    if not scene.thorough:
        yield (
            f"quick: each attack tries at most {scene.victims:,} people or cells, drawn at random, and learners train "
            f"on at most {training_rows(scene):,} rows, with fewer trees where many do; a thorough audit takes more"
        )
    if scene.places is None:
        yield "which released row is whose is not known: people are looked for by their own values"
    if scene.control is None:
        yield (
            "no people outside the table were given: the control is the same people with their rows left out of "
            "the training"
        )
    if not has_library():
        yield "scikit-learn is not installed: learners of the library did not attack (install discreet[attacks])"
    if scene.seed is not None:
        yield "who is attacked was drawn with a given seed"

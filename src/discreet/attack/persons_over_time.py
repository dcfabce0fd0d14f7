"""Several releases about persons with several rows: who links them, and who cannot but knows all rows of a person.

The linker knows all rows of a person on the known columns in each release, and which row became which where a row key
says so: he picks one of the persons who look alike in all, and says of her a value that most of these have in one of
their rows. Whoever cannot link takes in each release the persons who may be her, and keeps the values that all allow.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import polars as pl

from discreet.attack.base import Attack, AttackTask
from discreet.attack.linkage import listed
from discreet.common.rates import Rate
from discreet.compare.scene import Scene
from discreet.encoded import Ints
from discreet.ledger.entry import PastRelease, people_frame
from discreet.verification.joint_persons import PersonsView

MOST_VALUES = 2_000
"""Values of a column beyond which nobody is guessed."""


def persons_over_time_attacks(scene: Scene) -> Iterator[AttackTask]:
    """Yield the attacks on a release beside earlier ones, where persons may have several rows."""
    if scene.linked is None or not scene.linked.past or scene.policy.unit is None:
        return
    linked = _LinkedPersons(scene)
    for known in scene.known:
        seconds = 0.1 + 5e-6 * scene.released.rows * len(linked.view.releases)
        yield AttackTask(f"linker by {listed(known)}", seconds, partial(linked.link, known))
        for target in scene.guessed:
            if target not in known and len(scene.released.encoded(target).domain) <= MOST_VALUES:
                name = f"intersection by {listed(known)} for {target}"
                yield AttackTask(name, seconds, partial(linked.guesses, known, target))


@dataclass(frozen=True)
class _ToldOfPersons:
    """What one release tells: the group of each person (-1: not in it), and who has which value in one of her rows."""

    group: Ints
    person: Ints
    value: Ints

    def persons_with(self, group: Ints, groups: int, values: int) -> Ints:
        """Return how many persons of each group have each value."""
        there = group[self.person] >= 0
        key = group[self.person[there]] * values + self.value[there]
        return np.bincount(key, minlength=groups * values).reshape(groups, values)


class _LinkedPersons:
    """The persons of a release, and where they stand in earlier ones."""

    def __init__(self, scene: Scene) -> None:
        assert scene.linked is not None
        self.scene = scene
        texts = [scene.released.encoded(name) for name in scene.released.columns]
        told = [pl.Series(one.domain, dtype=pl.String).gather(pl.Series(one.codes).cast(pl.UInt32)) for one in texts]
        people = people_frame(scene.linked.persons, told, rows=scene.linked.rows)
        last = PastRelease("this release", scene.policy, tuple(scene.released.columns), people)
        self.view = PersonsView([*scene.linked.past, last])
        self.here = np.flatnonzero(self.view.there[:, -1])
        """The persons of this release."""

    def _groups(self, known: Sequence[str], places: Sequence[int]) -> Ints:
        """Return which persons look alike in some releases."""
        return self.view.of(places).groups(known, self.scene.policy)

    def link(self, known: tuple[str, ...]) -> Iterator[Attack]:
        """Yield how often the linker picks the right person."""
        begin = time.monotonic()
        releases = len(self.view.releases)
        sizes, alone = (
            np.unique(self._groups(known, places)[self.here], return_inverse=True, return_counts=True)[1:]
            for places in (range(releases), [releases - 1])
        )
        mine, single = sizes[1][sizes[0]], alone[1][alone[0]]
        people = len(self.here)
        crowds = [p for p in self.scene.policy.promises() if p.column is None and set(p.given) == set(known)]
        crowd = max(crowds, key=lambda each: each.least_rows, default=None)
        below = 0 if crowd is None else int((mine < crowd.least_rows).sum())
        warnings = []
        if below:
            some = "1 person stands" if below == 1 else f"{below} persons stand"
            warnings.append(f"{some} in groups that are too small for whoever links the releases by {listed(known)}")
        notes = ["the ledger says whose rows are whose: this is the most that anybody could link"]
        if unlinked := ", ".join(self.view.unlinked):
            notes.append(f"the rows of a person are not linked: no row key says which became which in {unlinked}")
        yield Attack(
            "linkage",
            "linker",
            "Links all rows of a person through all releases, and picks one of those who look alike in all",
            None,
            known,
            Rate(float(round((1 / mine).sum())), people),
            people,
            Rate(float(people > 0), people),
            requirement=None if crowd is None else crowd.index,
            warnings=tuple(warnings),
            notes=tuple(notes),
            figures={
                "releases": releases,
                "smallest_group": int(mine.min(initial=people)),
                "below_k": below,
                "right_with_this_release_alone": float(round((1 / single).sum())),
            },
            seconds=time.monotonic() - begin,
        )

    def _shown(self, place: int, known: Sequence[str], target: str, domain: dict[str | None, int]) -> _ToldOfPersons:
        """Return what a release tells of a column to who knows some others."""
        texts = self.view.texts(place, target, self.scene.policy).to_list()
        silent = self.scene.policy.is_unknown
        codes = [-1 if silent(text) else domain.setdefault(text, len(domain)) for text in texts]
        value, who = np.array(codes, dtype=np.int64), self.view.who[place]
        pairs = np.unique(np.stack((who[value >= 0], value[value >= 0])), axis=1)
        return _ToldOfPersons(self._groups(known, [place]), pairs[0], pairs[1])

    def guesses(self, known: tuple[str, ...], target: str) -> Iterator[Attack]:
        """Yield how often a value of a person is guessed by who links, and by who cannot."""
        begin = time.monotonic()
        domain: dict[str | None, int] = {}
        shown = [self._shown(place, known, target, domain) for place in reversed(self.view.having(target))]
        last, values = shown[0], len(domain)
        judged = np.unique(last.person)
        if not len(judged):
            return
        common = Rate(float(np.bincount(last.value).max()), len(judged))
        joint = self._groups(known, range(len(self.view.releases)))
        counts = last.persons_with(joint, int(joint.max()) + 1, values)
        title = "Links all rows of a person through all releases, and says a value that most have who look alike"
        linked = Rate(float(counts.max(axis=1).sum()), len(judged))
        yield Attack("inference", "linker", title, target, known, linked, len(judged), common,
                     seconds=time.monotonic() - begin)  # fmt: skip
        yield self._intersection(known, target, shown, values, common)

    def _intersection(
        self, known: tuple[str, ...], target: str, shown: Sequence[_ToldOfPersons], values: int, common: Rate
    ) -> Attack:
        begin = time.monotonic()
        judged = np.unique(shown[0].person)
        victims = self.scene.draw(judged)
        owns = np.zeros((len(self.view.weights), values), dtype=np.bool_)
        owns[shown[0].person, shown[0].value] = True
        may, left = np.ones((len(victims), values)), np.ones((len(victims), values), dtype=np.bool_)
        alone = may
        for number, one in enumerate(shown):  # this release first
            groups = int(one.group.max(initial=0)) + 1
            here = one.group[victims] >= 0
            sizes = np.bincount(one.group[one.group >= 0], minlength=groups)
            mine = one.persons_with(one.group, groups, values)[one.group[victims][here]]
            share = mine / sizes[one.group[victims][here]][:, None]
            alone = share if not number else alone
            may[here] *= share
            left[here] &= mine > 0
        guess = np.where(left.any(axis=1), np.where(left, may, -1.0).argmax(axis=1), alone.argmax(axis=1))
        right, sure = owns[victims, guess], left.sum(axis=1) == 1
        certain = int((sure & right).sum())
        warnings = []
        if certain:
            some = "1 person" if certain == 1 else f"{certain} persons"
            warnings.append(f"of {some} the releases together leave one value of {target}, and it is a right one")
        return Attack(
            "inference",
            "intersection",
            "Knows all rows of a person but cannot link: keeps the values that her group in every release allows",
            target,
            known,
            Rate(float(right.sum()), len(victims)),
            len(judged),
            common,
            warnings=tuple(warnings),
            notes=("his belief about a single person is not bounded by any promise over several releases",),
            figures={
                "one_value_left": int(sure.sum()),
                "right_with_this_release_alone": int(owns[victims, alone.argmax(axis=1)].sum()),
            },
            seconds=time.monotonic() - begin,
        )

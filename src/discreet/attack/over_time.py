"""Several releases about the same people: who links a person's rows through them, and who cannot but knows her values.

The linker knows all that the releases tell of a person, in each of them: he picks one of those who look alike in all
(and are in the same releases), and says of her what most of these have. Whoever cannot link takes in each release the
rows that may be hers, and keeps the values that all of them allow (intersection).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import polars as pl

from discreet.attack.base import Attack, AttackTask
from discreet.attack.linkage import listed
from discreet.common.rates import Rate
from discreet.compare.scene import Scene
from discreet.encoded import Ints, keys
from discreet.ledger.entry import PERSON, PastRelease, people_frame
from discreet.ledger.names import ColumnNames

MOST_VALUES = 2_000
"""Values of a column beyond which nobody is guessed."""


def over_time_attacks(scene: Scene) -> Iterator[AttackTask]:
    """Yield the attacks on a release beside earlier ones, where a ledger says whose rows are whose."""
    if scene.linked is None or not scene.linked.past or scene.policy.unit is not None:
        return
    view = _Linked(scene)
    for known in scene.known:
        seconds = 0.1 + 2e-6 * scene.released.rows * len(view.releases)
        yield AttackTask(f"linker by {listed(known)}", seconds, _run(view.link, known))
        for target in scene.guessed:
            if target not in known and len(scene.released.encoded(target).domain) <= MOST_VALUES:
                name = f"intersection by {listed(known)} for {target}"
                yield AttackTask(name, seconds, _run(view.guesses, known, target))


def _run(attack: Callable[..., Iterator[Attack]], *about: object) -> Callable[[], Iterator[Attack]]:
    return lambda: attack(*about)


@dataclass(frozen=True)
class _GroupsOfRelease:
    """One release: the group and the value of each of its rows, and which row is that of each victim (-1: none)."""

    group: Ints
    value: Ints | None
    row: Ints


class _Linked:
    """The people of a release, and where they stand in earlier ones."""

    def __init__(self, scene: Scene) -> None:
        assert scene.linked is not None
        self.scene = scene
        texts = [scene.released.encoded(name) for name in scene.released.columns]
        told = [pl.Series(one.domain, dtype=pl.String).gather(pl.Series(one.codes).cast(pl.UInt32)) for one in texts]
        people = people_frame(scene.linked.persons, told)
        last = PastRelease("this release", scene.policy, tuple(scene.released.columns), people)
        self.releases = [*scene.linked.past, last]
        self.names = ColumnNames(release.policy for release in self.releases)

    @cached_property
    def _rows(self) -> list[Ints]:
        """Of each release, the row of everybody in this one; -1 where she is not in it."""
        mine = self.releases[-1].people.select(PERSON)
        found = []
        for release in self.releases:
            places = release.people.select(PERSON).with_row_index("row")
            both = mine.join(places, on=PERSON, how="left", maintain_order="left").get_column("row")
            found.append(both.cast(pl.Int64).fill_null(-1).to_numpy())
        return found

    def _shown(self, known: Sequence[str], target: str | None, domain: dict[str | None, int]) -> list[_GroupsOfRelease]:
        """Return the groups of each release on the known columns that it has, and the values of its rows."""
        found = []
        for release, row in zip(self.releases, self._rows, strict=True):
            there = [column for name in known if (column := self.names.among(release.columns, name)) is not None]
            encoded = [release.encoded(column) for column in there]
            key, _ = keys([one.codes for one in encoded], [len(one.domain) for one in encoded], release.people.height)
            value = None
            column = None if target is None else self.names.among(release.columns, target)
            if column is not None:
                said = release.encoded(column)
                silent = release.policy.is_unknown
                to = [-1 if silent(text) else domain.setdefault(text, len(domain)) for text in said.domain]
                value = np.array(to, dtype=np.int64)[said.codes]
            found.append(_GroupsOfRelease(np.unique(key, return_inverse=True)[1].ravel().astype(np.int64), value, row))
        return found

    def _joint(self, shown: Sequence[_GroupsOfRelease]) -> Ints:
        """Return who of this release looks alike in all releases, presence included."""
        codes = [np.where(one.row < 0, 0, one.group[one.row] + 1) for one in shown]
        key, _ = keys(codes, [int(one.group.max(initial=0)) + 2 for one in shown], len(shown[-1].row))
        return np.unique(key, return_inverse=True)[1].ravel().astype(np.int64)

    def link(self, known: tuple[str, ...]) -> Iterator[Attack]:
        """Yield how often the linker picks the right person."""
        begin = time.monotonic()
        shown = self._shown(known, None, {})
        joint = self._joint(shown)
        sizes, alone = np.bincount(joint)[joint], np.bincount(shown[-1].group)[shown[-1].group]
        people = len(joint)
        crowds = [p for p in self.scene.policy.promises() if p.column is None and set(p.given) == set(known)]
        crowd = max(crowds, key=lambda each: each.least_rows, default=None)
        below = 0 if crowd is None else int((sizes < crowd.least_rows).sum())
        warnings = []
        if below:
            some = "1 person stands" if below == 1 else f"{below} persons stand"
            warnings.append(f"{some} in groups that are too small for whoever links the releases by {listed(known)}")
        yield Attack(
            "linkage",
            "linker",
            "Links the rows of a person through all releases, and picks one of those who look alike in all",
            None,
            known,
            Rate(float(round((1 / sizes).sum())), people),
            people,
            Rate(float(people > 0), people),
            requirement=None if crowd is None else crowd.index,
            warnings=tuple(warnings),
            notes=("the ledger says whose rows are whose: this is the most that anybody could link",),
            figures={
                "releases": len(self.releases),
                "smallest_group": int(sizes.min(initial=people)),
                "below_k": below,
                "right_with_this_release_alone": float(round((1 / alone).sum())),
            },
            seconds=time.monotonic() - begin,
        )

    def guesses(self, known: tuple[str, ...], target: str) -> Iterator[Attack]:
        """Yield how often a value is guessed by who links, and by who cannot."""
        begin = time.monotonic()
        domain: dict[str | None, int] = {}
        shown = self._shown(known, target, domain)
        truth = shown[-1].value
        assert truth is not None
        judged = np.flatnonzero(truth >= 0)
        if not len(judged):
            return
        common = Rate(float(np.bincount(truth[judged]).max()), len(judged))
        joint = self._joint(shown)
        counts = np.bincount(
            joint[judged] * len(domain) + truth[judged], minlength=(int(joint.max()) + 1) * len(domain)
        )
        most = counts.reshape(-1, len(domain)).max(axis=1)
        title = "Links the rows of a person through all releases, and says what most of those have who look alike"
        linked = Rate(float(most.sum()), len(judged))
        yield Attack("inference", "linker", title, target, known, linked, len(judged), common,
                     seconds=time.monotonic() - begin)  # fmt: skip
        yield self._intersection(known, target, shown, len(domain), common)

    def _intersection(
        self, known: tuple[str, ...], target: str, shown: Sequence[_GroupsOfRelease], values: int, common: Rate
    ) -> Attack:
        begin = time.monotonic()
        truth = shown[-1].value
        assert truth is not None
        victims = self.scene.draw(np.flatnonzero(truth >= 0))
        may, alone = np.ones((len(victims), values)), None
        left = np.ones((len(victims), values), dtype=np.bool_)
        for one in reversed(shown):
            if one.value is None:
                continue
            told = one.value >= 0
            size = int(one.group.max(initial=0)) + 1
            counts = np.bincount(one.group[told] * values + one.value[told], minlength=size * values)
            table = counts.reshape(size, values)
            here = one.row[victims] >= 0
            mine = table[one.group[one.row[victims][here]]]
            share = mine / np.maximum(mine.sum(axis=1, keepdims=True), 1)
            alone = share if alone is None else alone
            may[here] *= share
            left[here] &= mine > 0
        assert alone is not None
        guess = np.where(left.any(axis=1), np.where(left, may, -1.0).argmax(axis=1), alone.argmax(axis=1))
        right = int((guess == truth[victims]).sum())
        sure = left.sum(axis=1) == 1
        certain = int((sure & (guess == truth[victims])).sum())
        warnings = []
        if certain:
            some = "1 person" if certain == 1 else f"{certain} persons"
            warnings.append(f"of {some} the releases together leave one value of {target}, and it is the right one")
        return Attack(
            "inference",
            "intersection",
            "Knows a person's values but cannot link: keeps the values that her group in every release allows",
            target,
            known,
            Rate(float(right), len(victims)),
            int((truth >= 0).sum()),
            common,
            warnings=tuple(warnings),
            notes=("his belief about a single person is not bounded by any promise over several releases",),
            figures={
                "one_value_left": int(sure.sum()),
                "right_with_this_release_alone": int((alone.argmax(axis=1) == truth[victims]).sum()),
            },
            seconds=time.monotonic() - begin,
        )

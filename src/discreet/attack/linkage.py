"""Who is who: picking somebody's row by what is known of him.

Four adversaries. The *prosecutor* knows that the person is in the release and picks among the rows that look alike; he
who does not know how the person's own row looks picks among all rows that may be it (*compatible*). The *journalist*
has a list of the population and picks among those who may be behind a row. The *marketer* links every row and is
content with many. Beside them stands how many rows are alone (*uniqueness*).

Each is right with a known probability, one by the number of those to pick from, so the rate is a mean of
probabilities; nothing is drawn but who is looked at.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from discreet.attack.alike import CHUNK, Alike, Paths, alike, paths, told
from discreet.attack.base import Attack, AttackTask
from discreet.common.rates import Rate
from discreet.compare.meanings import Flags, Floats, Sense
from discreet.compare.scene import Scene
from discreet.encoded import Ints
from discreet.policy import GroupPromise
from discreet.table.engine import Engine

OUTSIDE = "people outside the table who fit exactly one row: links that are wrong"


def linkage_attacks(scene: Scene) -> Iterator[AttackTask]:
    """Yield one task for each set of columns that an adversary may know."""
    for known in scene.known:
        rows = scene.released.rows + scene.original.rows
        seconds = 0.1 + 5e-8 * rows * len(known) + 2e-11 * min(scene.victims, rows) * rows * len(known)
        yield AttackTask(f"linkage by {listed(known)}", seconds, _run(scene, known))


def _run(scene: Scene, known: tuple[str, ...]) -> Callable[[], Iterator[Attack]]:
    return lambda: _Known(scene, known).attacks()


def listed(names: Sequence[str], most: int = 4) -> str:
    """Return some columns in words: the first, and how many more."""
    shown = [repr(name) for name in names[:most]]
    if len(names) > most:
        return f"{', '.join(shown)} and {len(names) - most} more"
    return " and ".join(filter(None, [", ".join(shown[:-1]), shown[-1]]))


def counted(number: int, what: str, verb: tuple[str, str] = ("", "")) -> str:
    """Return `1 row is` or `3 rows are`."""
    one = number == 1
    return f"{number} {what}{'' if one else 's'} {verb[0] if one else verb[1]}".rstrip()


def hidden_rows(senses: Sequence[Sense]) -> Flags:
    """Say which released rows tell nothing on all of some columns: a text there may be every value."""
    hidden = np.ones(len(senses[0].codes), dtype=np.bool_)
    for sense in senses:
        everything = int(sense.known.sum())
        blank = ~sense.tells | ((sense.sizes == everything) & (everything > 1))
        hidden &= blank[sense.codes]
    return hidden


def own_lines(senses: Sequence[Sense], table: Engine, places: Ints) -> Ints:
    """Return what is known of some rows of a table of original values, by places in the domains; -1 unknown."""
    return np.column_stack([told(sense, sense.values_of(table)[places]) for sense in senses])


def alike_values(senses: Sequence[Sense], table: Engine) -> Alike:
    """Return the groups of rows of a table of original values that are alike on some columns."""
    return alike([sense.values_of(table) for sense in senses], table.rows)


@dataclass(frozen=True)
class Knowing:
    """What somebody knows of each person: some columns."""

    scene: Scene
    known: tuple[str, ...]

    @cached_property
    def senses(self) -> tuple[Sense, ...]:
        """What their released texts may mean."""
        return tuple(self.scene.sense(name) for name in self.known)

    @cached_property
    def tree(self) -> Paths:
        """The released combinations, by which rows that may be somebody's are found."""
        return paths(self.senses)

    @property
    def groups(self) -> Alike:
        """The released rows that look alike."""
        return self.tree.groups


@dataclass(frozen=True)
class _Known(Knowing):
    """Who wants to know which row is whose."""

    @cached_property
    def before(self) -> Alike:
        return alike_values(self.senses, self.scene.original)

    @cached_property
    def crowd(self) -> GroupPromise | None:
        """The promise that so many rows look alike on these columns, if there is one."""
        known = set(self.known)
        crowds = [p for p in self.scene.policy.promises() if p.measure == "rows" and set(p.given) == known]
        return max((crowd for crowd in crowds if not crowd.whole), key=lambda crowd: crowd.least_rows, default=None)

    @property
    def blind(self) -> Rate:
        """Who picks a row of the release blindly."""
        return Rate(float(self.groups.rows > 0), self.groups.rows)

    def attacks(self) -> Iterator[Attack]:
        """Yield what each adversary finds."""
        makers = [self.prosecutor, self.compatible, self.journalist, self.marketer, self.uniqueness]
        for make in makers:
            if self.scene.population is None and make == self.journalist:
                continue
            begin = time.monotonic()
            attack = make()
            yield replace(attack, seconds=time.monotonic() - begin)

    def _attack(self, name: str, title: str, released: Rate, **more: object) -> Attack:
        made = Attack("linkage", name, title, None, self.known, released, self.groups.rows, self.blind)
        return replace(made, requirement=None if self.crowd is None else self.crowd.index, **more)  # type: ignore[arg-type]

    def prosecutor(self) -> Attack:
        """Picks among the rows that look as the person's own."""
        return self._attack(
            "prosecutor",
            "Knows that the person is in the release and how his row looks there, and picks one of the rows alike",
            Rate(float(len(self.groups.sizes)), self.groups.rows),
            original=Rate(float(len(self.before.sizes)), self.before.rows),
            figures={**_sizes(self.groups.sizes, self.groups.of_row), **self._suppressed(), **self._above()},
            warnings=tuple(self._warnings()),
        )

    def marketer(self) -> Attack:
        """Links all rows."""
        return self._attack(
            "marketer",
            "Links every row with one of the people who look alike, and counts how many links are right",
            Rate(float(len(self.groups.sizes)), self.groups.rows),
            original=Rate(float(len(self.before.sizes)), self.before.rows),
            figures={"groups": len(self.groups.sizes), "rows": self.groups.rows},
            notes=("the share that is expected to be right: as many as there are groups",),
        )

    def uniqueness(self) -> Attack:
        """Counts the rows alone in their group."""
        return self._attack(
            "uniqueness",
            "Rows that are the only ones to look as they do",
            Rate(float(self.groups.alone), self.groups.rows),
            baseline=None,
            original=Rate(float(self.before.alone), self.before.rows),
            figures={"unique_rows": self.groups.alone, "unique_before": self.before.alone},
        )

    def compatible(self) -> Attack:
        """Picks among all rows whose texts cover the person's values."""
        scene = self.scene
        people = scene.people
        lines = own_lines(self.senses, scene.original, people)
        numbers = self._looked_up(self.tree, lines)
        people, lines = people[: len(numbers)], lines[: len(numbers)]
        mine, notes = self._is_mine(people, lines, numbers)
        chances = np.divide(mine, numbers, out=np.zeros(len(numbers)), where=numbers > 0)
        outside, control = self._outside()
        strange = int((~mine).sum())
        if strange:
            notes += (f"{counted(strange, 'row', ('does', 'do'))} not cover the values of the person it belongs to",)
        return self._attack(
            "compatible",
            "Knows the values of a person who is in the release, and picks one of all rows that may be his",
            Rate(float(chances.sum()), len(numbers)),
            of=scene.original.rows if scene.places is None else len(scene.places),
            original=Rate(float((1 / self.before.of_row[people]).sum()), len(people)),
            control=outside,
            control_by=None if outside is None else OUTSIDE,
            notes=notes,
            figures={**_chances(chances, numbers), "exactly_one": int((numbers == 1).sum()), **control},
        )

    def _is_mine(self, people: Ints, lines: Ints, numbers: Ints) -> tuple[Flags, tuple[str, ...]]:
        """Say whether the own row of each is among those that fit."""
        here = self.scene.here
        if here is None:
            return numbers > 0, ("which row is whose is not known: the own row counts as one of those that fit",)
        return self.tree.fits(lines, here[people]), ()

    def _outside(self) -> tuple[Rate | None, dict[str, int | float | None]]:
        """Return how many people outside the table would be taken for somebody in it."""
        scene = self.scene
        if scene.control is None or not set(self.known) <= set(scene.control.columns) or not scene.control.rows:
            return None, {}
        some = scene.draw(np.arange(scene.control.rows))
        numbers = self._looked_up(self.tree, own_lines(self.senses, scene.control, some))
        return (
            Rate(float((numbers == 1).sum()), len(numbers)),
            {"outside_fit_none": int((numbers == 0).sum()), "outside_fit_one": int((numbers == 1).sum())},
        )

    def _looked_up(self, tree: Paths, lines: Ints) -> Ints:
        """Return how many rows fit each line, as far as there is time."""
        found = [np.zeros(0, dtype=np.int64)]
        for begin in range(0, len(lines), CHUNK):
            if begin and self.scene.late:
                break
            found.append(tree.count(lines[begin : begin + CHUNK]))
        return np.concatenate(found)

    def journalist(self) -> Attack:
        """Picks among the people of the population who may be behind a row."""
        scene, population = self.scene, self.scene.population
        assert population is not None
        if not set(self.known) <= set(population.columns):
            note = "the population lacks some of these columns: nobody was looked for"
            return self._attack("journalist", _JOURNALIST, Rate(0.0, 0), notes=(note,))
        places = [told(sense, sense.values_of(population)) for sense in self.senses]
        tree = paths(self.senses, places)
        rows = scene.draw(np.arange(self.groups.rows))
        groups, which = np.unique(self.groups.group[rows], return_inverse=True)
        texts = np.column_stack([sense.codes[self.groups.first[groups]] for sense in self.senses])
        by_group = self._looked_up(tree, texts)
        rows, which = rows[which < len(by_group)], which[which < len(by_group)]
        numbers = by_group[which]
        nobody = numbers == 0
        among = np.where(nobody, self.groups.of_row[rows], numbers)
        notes: tuple[str, ...] = ()
        if nobody.any():
            some = counted(int(nobody.sum()), "row", ("covers", "cover"))
            notes = (f"{some} nobody of the population: counted as one of the rows alike",)
        return self._attack(
            "journalist",
            _JOURNALIST,
            Rate(float((1 / among).sum()), len(rows)),
            baseline=Rate(float(population.rows > 0), population.rows),
            original=self._journalist_before(population, rows),
            figures={**_chances(1 / among, among), "nobody": int(nobody.sum()), "population": population.rows},
            notes=notes,
        )

    def _journalist_before(self, population: Engine, rows: Ints) -> Rate:
        """Return how often the same is right on the original: people of the population with equal values."""
        original = self.scene.original
        both = [np.concatenate([s.values_of(original), s.values_of(population)]) for s in self.senses]
        groups = alike(both, original.rows + population.rows)
        there = np.bincount(groups.group[original.rows :], minlength=len(groups.sizes))
        here = np.bincount(groups.group[: original.rows], minlength=len(groups.sizes))
        people = np.arange(original.rows) if self.scene.places is None else self.scene.places[rows]
        own = groups.group[people]
        among = np.where(there[own] > 0, there[own], here[own])
        return Rate(float((1 / among).sum()), len(people))

    @cached_property
    def _hidden(self) -> Flags:
        return hidden_rows(self.senses)

    def _suppressed(self) -> dict[str, int | None]:
        """Return how many rows tell nothing, and how few of them look alike."""
        sizes = self.groups.of_row[self._hidden]
        return {"suppressed_rows": len(sizes), "suppressed_group": int(sizes.min()) if len(sizes) else None}

    def _above(self) -> dict[str, int]:
        """Return how many rows are more surely somebody's than is promised."""
        if self.crowd is None:
            return {}
        return {"k": self.crowd.least_rows, "rows_above": int((self.groups.of_row < self.crowd.least_rows).sum())}

    def _warnings(self) -> Iterator[str]:
        columns, hidden = listed(self.known), self._suppressed()
        k = 0 if self.crowd is None else self.crowd.least_rows
        least = hidden["suppressed_group"]
        if least is not None and least < k:
            rows = counted(hidden["suppressed_rows"] or 0, "suppressed row", ("stands", "stand"))
            yield f"{rows} in a group of {least}, smaller than k = {k}: hidden cells make a group like any other"
        if self.groups.alone:
            alone = counted(self.groups.alone, "row", ("stands", "stand"))
            yield f"{alone} alone: whoever knows {columns} of such a person finds the row"
        small = int(((self.groups.of_row < k) & (self.groups.of_row > 1) & ~self._hidden).sum())
        if small:
            yield f"{counted(small, 'more row', ('stands', 'stand'))} in groups smaller than k = {k} on {columns}"


_JOURNALIST = "Has a list of the population, and picks one of the people who may be behind a row"


def _sizes(sizes: Ints, of_row: Ints) -> dict[str, float | int | None]:
    """Return the figures of groups."""
    return {
        "largest_probability": float(1 / sizes.min()) if len(sizes) else None,
        "smallest_group": int(sizes.min()) if len(sizes) else None,
        "median_group": float(np.median(of_row)) if len(of_row) else None,
        "largest_group": int(sizes.max()) if len(sizes) else None,
        "groups": len(sizes),
        "unique_rows": int((sizes == 1).sum()),
    }


def _chances(chances: Floats, numbers: Ints) -> Mapping[str, float | int | None]:
    """Return the figures of those among whom somebody is picked."""
    fit = numbers[numbers > 0]
    return {
        "largest_probability": float(chances.max()) if len(chances) else None,
        "fewest": int(fit.min()) if len(fit) else None,
        "median": float(np.median(fit)) if len(fit) else None,
    }

"""What somebody's value is, by looking it up: the commonest one among the rows that may be his.

No learning: who finds the rows that look as the person's own (or all that may be it) takes for his value the one that
most of them have. Where all rows of a group have one value, he is certain, however large the group. Suppressed rows
are a group too: blank on everything that is known, they may still all have the same value.

The control is the same guess with the person's own row left out: what is right then would also be right had he never
been in the table; where people outside the table are given, it is what is guessed of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from discreet.attack.alike import CHUNK
from discreet.attack.base import Attack, AttackTask
from discreet.attack.homogeneity_kernels import commonest_without_own
from discreet.attack.linkage import Knowing, alike_values, counted, hidden_rows, listed, own_lines
from discreet.common.rates import Rate
from discreet.compare.meanings import Flags, Floats, Sense
from discreet.compare.scene import Scene
from discreet.encoded import Ints
from discreet.policy import Inference
from discreet.table.engine import Engine

LEFT_OUT, OUTSIDE = "their own row left out", "people outside the table"
_DIGITS = 9
"""Shares of rows that differ by less are equally common."""
_NUMBERS = 4_000_000
"""Counts of values that are held at once."""


def look_up_attacks(scene: Scene) -> Iterator[AttackTask]:
    """Yield one task for each column to be guessed and each set of columns that an adversary may know."""
    for target in scene.guessed:
        for known in dict.fromkeys(tuple(name for name in known if name != target) for known in scene.known):
            if known:
                rows = scene.released.rows + scene.original.rows
                seconds = 0.1 + 1e-7 * rows * len(known) + 2e-11 * min(scene.victims, rows) * rows * len(known)
                yield AttackTask(f"{target} looked up by {listed(known)}", seconds, _run(scene, target, known))


def _run(scene: Scene, target: str, known: tuple[str, ...]) -> Callable[[], Iterator[Attack]]:
    return lambda: _LookUp(scene, known, target).attacks()


@dataclass(frozen=True)
class FittingValues:
    """The values of a column in groups of rows: for each group from `starts[g]` up to `starts[g + 1]`, ascending."""

    starts: Ints
    values: Ints
    weights: Floats

    @cached_property
    def ranked(self) -> Ints:
        """The entries of each group, the commonest value first, ties by the order of the domain."""
        group = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        return np.lexsort((self.values, -np.round(self.weights, _DIGITS), group)).astype(np.int64)

    @cached_property
    def known(self) -> Floats:
        """The rows of each group that tell a value."""
        return np.add.reduceat(np.append(self.weights, 0.0), self.starts[:-1]) * (np.diff(self.starts) > 0)

    def top(self) -> tuple[Ints, Floats]:
        """Return the commonest value of each group (-1 where none is known), and how many rows have it."""
        some = np.diff(self.starts) > 0
        value, weight = np.full(len(some), -1, dtype=np.int64), np.zeros(len(some))
        best = self.ranked[self.starts[:-1][some]]
        value[some], weight[some] = self.values[best], self.weights[best]
        return value, weight


def tally(group: Ints, groups: int, values: Ints, weights: Floats, size: int) -> FittingValues:
    """Return how many rows of each group have each value; a line of the lists is a row, or a part of some."""
    found, which = np.unique(group * size + values, return_inverse=True)
    starts = np.searchsorted(found // max(size, 1), np.arange(groups + 1)).astype(np.int64)
    return FittingValues(starts, found % max(size, 1), np.bincount(which, weights, len(found)).astype(np.float64))


@dataclass(frozen=True)
class _GroupTexts:
    """Different pairs of a group of rows and a released text of the target, with their rows."""

    of_row: Ints
    group: Ints
    text: Ints
    rows: Ints


@dataclass(frozen=True)
class _LookUp(Knowing):
    """One column to be guessed by who knows some others."""

    target: str

    @cached_property
    def aim(self) -> Sense:
        return self.scene.sense(self.target)

    @cached_property
    def shares(self) -> tuple[Ints, Ints, Floats]:
        return self.aim.shares()

    @cached_property
    def pairs(self) -> _GroupTexts:
        codes, texts = self.aim.codes, max(len(self.aim.texts), 1)
        found, of_row, rows = np.unique(self.groups.group * texts + codes, return_inverse=True, return_counts=True)
        return _GroupTexts(of_row.astype(np.int64), found // texts, found % texts, rows.astype(np.int64))

    @cached_property
    def released(self) -> FittingValues:
        """How many rows of each group have each value, a text shared evenly by what it covers."""
        begin, covered, shares = self.shares
        width = begin[self.pairs.text + 1] - begin[self.pairs.text]
        pair = np.repeat(np.arange(len(width)), width)
        at = begin[self.pairs.text[pair]] + np.arange(len(pair)) - np.repeat(np.cumsum(width) - width, width)
        weights = self.pairs.rows[pair] * shares[at]
        return tally(self.pairs.group[pair], len(self.groups.sizes), covered[at], weights, len(self.aim.values))

    @cached_property
    def commonest(self) -> int:
        """The commonest value of the whole release; -1 if none is known."""
        whole = np.bincount(self.released.values, weights=self.released.weights, minlength=len(self.aim.values))
        return int(np.round(whole, _DIGITS).argmax()) if whole.any() else -1

    def values_of(self, table: Engine) -> Ints:
        """Return the true value of each row of a table of original values; -1 where it has none."""
        places = self.aim.values_of(table)
        return np.where((places >= 0) & self.aim.known[np.maximum(places, 0)], places, -1)

    @cached_property
    def truth(self) -> Ints:
        """The true value of each released row; -1 where that is not known."""
        if self.scene.places is not None:
            return self.values_of(self.scene.original)[self.scene.places]
        begin, covered, _ = self.shares
        one = np.diff(begin) == 1
        return np.where(one, np.append(covered, -1)[np.where(one, begin[:-1], 0)], -1)[self.aim.codes]

    @cached_property
    def before(self) -> Ints:
        """What is guessed of each row of the original, by the rows of the original that are alike."""
        groups, values = alike_values(self.senses, self.scene.original), self.values_of(self.scene.original)
        told = values >= 0
        counts = tally(
            groups.group[told], len(groups.sizes), values[told], np.ones(int(told.sum())), len(self.aim.values)
        )
        return np.asarray(counts.top()[0][groups.group])

    def attacks(self) -> Iterator[Attack]:
        """Yield what is found among the rows alike, and among all rows that may be somebody's."""
        yield self.literal()
        yield self.compatible()

    def _guessed(self, guesses: Ints) -> Ints:
        """Return guesses, the commonest value where there is nothing to go by."""
        return np.where(guesses < 0, self.commonest, guesses)

    def literal(self) -> Attack:
        """Looks the value up in the rows that look as the person's own."""
        begin = time.monotonic()
        guesses = self._guessed(self.released.top()[0])[self.groups.group]
        original = self.values_of(self.scene.original)
        return Attack(
            "inference",
            "look_up",
            "Takes for the value of a person the commonest one among the rows that look as his own",
            self.target,
            self.known,
            _right(guesses, self.truth),
            int((self.truth >= 0).sum()),
            baseline=_right(np.full(len(self.truth), self.commonest), self.truth),
            original=_right(self.before, original),
            control=_right(self._guessed(self._left_out())[self.pairs.of_row], self.truth),
            control_by=LEFT_OUT,
            requirement=self._requirement,
            figures=self._figures(),
            warnings=tuple(self._warnings()),
            seconds=time.monotonic() - begin,
        )

    def _left_out(self) -> Ints:
        """Return what is guessed of each pair of group and text when one such row is left out."""
        found = np.full(len(self.pairs.group), -1, dtype=np.int64)
        counts = self.released
        counts_by = (counts.starts, counts.values, counts.weights, counts.ranked)
        commonest_without_own(self.pairs.group, self.pairs.text, *counts_by, *self.shares, 10.0**-_DIGITS, found)
        return found

    def compatible(self) -> Attack:
        """Looks the value up in all rows that may be the person's."""
        scene, begin = self.scene, time.monotonic()
        people = scene.people
        true = self.values_of(scene.original)[people]
        people, true = people[true >= 0], true[true >= 0]
        lines = own_lines(self.senses, scene.original, people)
        own = None if scene.here is None else scene.here[people]
        guesses, without = self._guesses(lines, own)
        people, true = people[: len(guesses)], true[: len(guesses)]
        outside = self._outside()
        left_out = None if without is None else _right(without, true)
        control = left_out if outside is None else outside
        by = OUTSIDE if outside is not None else LEFT_OUT
        original = self.values_of(scene.original)
        return Attack(
            "inference",
            "look_up_compatible",
            "Takes for the value of a person the commonest one among all rows that may be his",
            self.target,
            self.known,
            _right(guesses, true),
            int((original >= 0).sum()) if scene.places is None else int((original[scene.places] >= 0).sum()),
            baseline=_right(np.full(len(true), self.commonest), true),
            original=_right(self.before[people], true),
            control=control,
            control_by=None if control is None else by,
            requirement=self._requirement,
            seconds=time.monotonic() - begin,
        )

    def _guesses(self, lines: Ints, own: Ints | None) -> tuple[Ints, Ints | None]:
        """Return the commonest values among the rows that fit each line, also without the own row (if it is known)."""
        size = len(self.aim.values)
        step = max(1, min(CHUNK, _NUMBERS // max(size, 1)))
        found, without = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
        counts = self.released
        for start in range(0, len(lines), step):
            if start and self.scene.late:
                break
            some = lines[start : start + step]
            weights = self.tree.tally(some, counts.starts, counts.values, counts.weights, size)
            found.append(self._guessed(_commonest(weights)))
            if own is not None:
                self._take_out(weights, some, own[start : start + step])
                without.append(self._guessed(_commonest(weights)))
        return np.concatenate(found), None if own is None else np.concatenate(without)

    def _take_out(self, weights: Floats, lines: Ints, own: Ints) -> None:
        """Take what the own row of each tells out of the counts, where it is among the rows that fit."""
        begin, covered, shares = self.shares
        mine = np.flatnonzero(self.tree.fits(lines, own))
        text = self.aim.codes[own[mine]]
        width = begin[text + 1] - begin[text]
        line = np.repeat(np.arange(len(mine)), width)
        at = begin[text[line]] + np.arange(len(line)) - np.repeat(np.cumsum(width) - width, width)
        np.subtract.at(weights, (mine[line], covered[at]), shares[at])

    def _outside(self) -> Rate | None:
        """Return how often the value of people outside the table is guessed."""
        table = self.scene.control
        if table is None or not {self.target, *self.known} <= set(table.columns):
            return None
        true = self.values_of(table)
        some = self.scene.draw(np.flatnonzero(true >= 0))
        if not len(some):
            return None
        guesses, _ = self._guesses(own_lines(self.senses, table, some), None)
        return _right(guesses, true[some][: len(guesses)])

    @property
    def _requirement(self) -> int | None:
        """The promise that nobody is too sure of the value by these columns."""
        return next((p.index for p in self._promises if set(p.given) <= set(self.known)), None)

    @cached_property
    def _promises(self) -> list[Inference]:
        return [template for template in self.scene.policy.templates() if template.column == self.target]

    @cached_property
    def _uniform(self) -> Flags:
        """Which groups of rows all have one value."""
        uniform: Flags = np.round(self.released.top()[1], _DIGITS) == self.groups.sizes
        return uniform

    @cached_property
    def _suppressed(self) -> Flags:
        return hidden_rows(self.senses)

    @cached_property
    def _one_value(self) -> bool:
        """Whether all suppressed rows have the same value."""
        texts = np.unique(self.aim.codes[self._suppressed])
        return len(texts) == 1 and bool(self.shares[0][texts[0] + 1] - self.shares[0][texts[0]] == 1)

    def _figures(self) -> dict[str, float | int | None]:
        counts, sizes = self.released, self.groups.sizes
        some = np.round(counts.known, _DIGITS) >= 2
        uniform = self._uniform[self.groups.group]
        shares = counts.top()[1][some] / counts.known[some]
        return {
            "homogeneous_rows": int(sizes[self._uniform].sum()),
            "homogeneous_groups": int(self._uniform.sum()),
            "homogeneous_alone": int((self._uniform & (sizes == 1)).sum()),
            "homogeneous_suppressed_rows": int((uniform & self._suppressed).sum()),
            "suppressed_rows": int(self._suppressed.sum()),
            "largest_share": float(shares.max()) if len(shares) else None,
        }

    def _warnings(self) -> Iterator[str]:
        if self._one_value:
            rows = int(self._suppressed.sum())
            all_rows = "the suppressed row tells its" if rows == 1 else f"all {rows} suppressed rows have the same"
            yield f"{all_rows} value of {self.target!r}: whoever knows who was suppressed knows it"
        protected = {promise.value for promise in self._promises}
        named = np.array([not protected or value in protected for value in self.aim.values], dtype=np.bool_)
        counting = self._uniform & (self.groups.sizes > 1) & np.append(named, False)[self.released.top()[0]]
        rows = int(self.groups.sizes[counting].sum())
        if rows:
            value = f"the same {'protected ' if protected else ''}value of {self.target!r}"
            yield (
                f"{counted(rows, 'row', ('stands', 'stand'))} in groups whose rows all have {value}: whoever knows "
                f"{listed(self.known)} of such a person knows it"
            )


def _right(guesses: Ints, true: Ints) -> Rate:
    """Return how many of the guesses are right, where the truth is known."""
    return Rate(float(((guesses == true) & (true >= 0)).sum()), int((true >= 0).sum()))


def _commonest(weights: Floats) -> Ints:
    """Return the value with the largest weight on each line, the first of several; -1 where there is none."""
    rounded = np.round(weights, _DIGITS)
    if not rounded.shape[1]:
        return np.full(len(rounded), -1, dtype=np.int64)
    return np.where(rounded.max(axis=1) > 0, rounded.argmax(axis=1), -1)

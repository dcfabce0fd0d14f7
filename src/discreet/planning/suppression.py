"""How many rows of a recoded table are suppressed, so that every group keeps every promise.

Guarantee: when so many rows of each combination of released texts as is said here are masked on every changeable
column, each group of rows that look alike on a promise's columns keeps it, the masked rows included (they are a group
like any other, told apart by columns that never change). Groups that break a promise are masked whole; everything is
counted again until nothing changes. When the masked rows break a promise themselves, more rows are masked, drawn by
lot: to choose them by what they hold would tell something. Each round only masks more, so it ends.

Counts are all that is needed: rows with the same texts are alike to every promise, so a lot says how many rows of each
combination it takes, and any of these, drawn evenly, will do.

Where k counts in the whole table and a sample of it is released, the whole table is treated so: for k all its rows
count, for what is said of values those that were drawn.

Where the policy removes such rows, they count nowhere: groups that break a promise are removed whole, which may
break groups on other columns, until nothing changes. No row is drawn. Where a promise compares groups with the whole
release, that has changed then: everything is counted again with the new one, at most 20 times (`ROUNDS`).

Where a promise counts the people of a population, masked rows stand for all of them whose own combination is not
released unmasked. When they are too few, no row is drawn: it would not help them. The plan is given up then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from discreet.chance import Source, some_of
from discreet.encoded import Combinations, Encoded, Ints, collapse, keys
from discreet.errors import Unsettled
from discreet.fit.fitting import seen_column
from discreet.plan.masks import Masks
from discreet.plan.plan import Plan
from discreet.planning.limits import marks_of, which_known
from discreet.planning.recoded_people import RecodedPeople, recoded_people
from discreet.policy import GroupPromise
from discreet.policy.bind import Bound, known_to_groups
from discreet.policy.populations import Population
from discreet.table.engine import Engine
from discreet.table.masking import masks_of

Rows = npt.NDArray[np.bool_]
ROUNDS = 20
"""How often groups are compared with a release that has changed since."""
NO_TALLIES = np.zeros((0, 0), dtype=np.int64)
TOO_FEW_PEOPLE = (
    "suppress.rows: the rows that fit no group would be masked, and too few people of the population are not released "
    "unmasked for them to be about; write rows: remove, or ask for less"
)


@dataclass(frozen=True)
class Suppressed:
    """The rows to suppress, by combinations of released texts, and how many of them were drawn by lot."""

    masks: Masks | None
    drawn: int
    untold: Masks | None = None
    """Rows that are not released but count for k, where there are such; `masks` are the others then."""
    rows: int | None = None
    """How many rows `masks` are about; None where that is not counted."""


@dataclass(frozen=True)
class _PromiseGroups:
    """The groups on the columns of some promises."""

    sizes: Ints
    """How many rows each has."""
    lack_rows: Ints
    """How many more rows each lacks at least, whether told or not."""
    lack_told: Ints
    """How many more rows that are told each lacks at least, for promises about values."""
    lack_people: Rows
    """Which have too few people of a population."""

    @property
    def broken(self) -> Rows:
        """Which groups break a promise."""
        return (self.lack_rows > 0) | (self.lack_told > 0) | self.lack_people


def rows_to_suppress(
    released: Engine, bound: Bound, chance: Source, told: Rows | None = None, plan: Plan | None = None
) -> Suppressed:
    """Return the rows of a recoded table that must be masked or, where the policy says so, removed.

    `told` are the rows that are released, where the others count for k only; only an engine that knows its rows can
    tell them apart. `plan` has the recodings, by which people of a population are told.
    """
    needed = known_to_groups(bound.policy) | bound.policy.sensitive
    columns = [column for column in bound.columns if column in needed]
    counted, known = (released.count(columns), None) if told is None else _with_told(released, columns, told)
    job = _Suppression(counted, known, bound, chance, plan)
    job.run()
    salt = chance(16).hex() if ((job.masked > 0) & (job.masked < counted.counts)).any() else ""
    if known is None:
        return Suppressed(masks_of(counted, job.masked, salt), job.drawn, rows=int(job.masked.sum()))
    masks, untold = (masks_of(counted, np.where(which, job.masked, 0), salt) for which in (known, ~known))
    return Suppressed(masks, job.drawn, untold)


def _with_told(released: Engine, columns: Sequence[str], told: Rows) -> tuple[Combinations, Rows]:
    """Return the combinations of the rows that are told and of those that are not, and which are which."""
    encoded = [*map(released.encoded, columns), Encoded(("untold", "told"), told.astype(np.uint8))]
    counted = collapse([*columns, "told"], encoded, released.rows)
    known = counted.codes[-1].astype(np.bool_)
    return replace(counted, columns=tuple(columns), domains=counted.domains[:-1], codes=counted.codes[:-1]), known


class _Suppression:
    """The combinations of one table while more and more rows are suppressed.

    A combination has two parts: rows as they are, and masked ones. The group of each part is always the same; only
    how many rows it has changes.
    """

    def __init__(
        self, counted: Combinations, told: Rows | None, bound: Bound, chance: Source, plan: Plan | None
    ) -> None:
        self.counted, self.bound, self.chance = counted, bound, chance
        self.counts, self.total = counted.counts, int(counted.counts.sum())
        self.told: Rows = np.ones(len(self.counts), dtype=np.bool_) if told is None else told
        self.removes = bound.policy.removes
        self.masked: Ints = np.zeros_like(self.counts)
        self.drawn = 0
        self.promises = self._promised()
        self.group_of = {given: self._group_of(given) for given in self.promises}
        self.people: dict[tuple[frozenset[str], Population], RecodedPeople] = {}
        for given, promises in self.promises.items():
            for among in dict.fromkeys(promise.among for promise in promises if promise.among is not None):
                assert plan is not None
                self.people[given, among] = recoded_people(counted, bound, plan, given, among, self.group_of[given])

    def _promised(self) -> dict[frozenset[str], list[GroupPromise]]:
        """Return the promises by what they know, compared with the rows that are told and not removed."""
        rows = np.where(self.told, self._parts().sum(axis=0), 0)
        found: dict[frozenset[str], list[GroupPromise]] = {}
        seen = partial(seen_column, self.bound.policy, replace(self.counted, counts=rows))
        for promise in self.bound.policy.promises(seen):
            for one in promise.over_each():
                found.setdefault(frozenset(one.given), []).append(one)
        return found

    def run(self) -> None:
        """Suppress until every group keeps every promise."""
        moves = self.removes and any(promise.moves for some in self.promises.values() for promise in some)
        for _ in range(ROUNDS):
            before = self.masked.copy()
            self._settle()
            if not moves or np.array_equal(before, self.masked):
                return
            self.promises = self._promised()
        raise Unsettled(ROUNDS)

    def _settle(self) -> None:
        """Suppress until every group keeps every promise, compared with the release as it was."""
        while True:
            found = [self._groups(given) for given in self.promises]
            broken = np.zeros((2, len(self.counts)), dtype=np.bool_)
            for groups, group_of in zip(found, self.group_of.values(), strict=True):
                broken |= groups.broken[group_of]
            broken &= self._parts() > 0
            if broken[0].any():
                self.masked[broken[0]] = self.counts[broken[0]]
            elif self.removes or not broken[1].any():
                return
            elif self._lack_people(found, broken[1]):
                raise Unsettled(1, TOO_FEW_PEOPLE)
            elif not (self._draw_alike(found) if self.bound.past else self._draw(found)):
                # With every row masked nothing more can be done: verification says what is broken.
                return

    def _lack_people(self, found: Sequence[_PromiseGroups], broken: Rows) -> bool:
        """Whether some masked rows break a promise because too few people are left for them."""
        pairs = zip(found, self.group_of.values(), strict=True)
        return any(bool(groups.lack_people[group_of[1][broken]].any()) for groups, group_of in pairs)

    def _parts(self) -> Ints:
        """Return how many rows of each combination are as they are, and how many masked ones there are."""
        return np.stack((self.counts - self.masked, np.zeros_like(self.masked) if self.removes else self.masked))

    def _group_of(self, given: frozenset[str]) -> Ints:
        """Return the group of both parts of each combination."""
        both, sizes = [], []
        for column in self.counted.columns:
            if column in given:
                domain, codes = self.counted.domain(column), self.counted.code(column).astype(np.int64)
                masked = codes
                if column in self.bound.changeable:
                    marker = self.bound.policy.marker
                    masked = np.full_like(codes, domain.index(marker) if marker in domain else len(domain))
                both.append(np.concatenate((codes, masked)))
                sizes.append(len(domain) + 1)
        key, _ = keys(both, sizes, 2 * len(self.counts))
        return np.unique(key, return_inverse=True)[1].reshape(2, -1).astype(np.int64)

    def _groups(self, given: frozenset[str]) -> _PromiseGroups:
        group_of, parts = self.group_of[given], self._parts()
        number = int(group_of.max(initial=-1)) + 1
        sizes = _sums(group_of, parts, number)
        lack_rows, lack_told = np.zeros(number, dtype=np.int64), np.zeros(number, dtype=np.int64)
        lack_people = np.zeros(number, dtype=np.bool_)
        for promise in self.promises[given]:
            if promise.among is not None:
                tallies = np.stack((sizes, self.people[given, promise.among].of_groups(group_of, parts, number)))
                lack_people |= promise.lacking(sizes, tallies, 1) > 0
            elif promise.column is None:
                lack_rows = np.maximum(lack_rows, promise.lacking(sizes, NO_TALLIES, self.total))
            else:
                lack = self._lacking(promise, promise.column, group_of, parts * self.told, number)
                lack_told = np.maximum(lack_told, lack)
        return _PromiseGroups(sizes, lack_rows, lack_told, lack_people)

    def _lacking(self, promise: GroupPromise, column: str, group_of: Ints, parts: Ints, number: int) -> Ints:
        """Return how many rows each group lacks for a promise about the values of a column."""
        codes = self.counted.code(column)
        counts = which_known(self.bound, self.counted.domain(column))[codes]
        counts = counts if promise.known_only else np.ones_like(counts)
        marks = marks_of(promise, self.bound, self.counted)[:, codes]
        tallies = np.zeros((len(marks), number), dtype=np.int64)
        for tally, mark in zip(tallies, marks, strict=True):
            tally[:] = _sums(group_of, parts * mark, number)
        return promise.lacking(_sums(group_of, parts * counts, number), tallies, self.total)

    def _draw_alike(self, found: Sequence[_PromiseGroups]) -> bool:
        """Mask more rows by lot, each among those with the past of the masked rows that lack some.

        Who shares a past is known to everybody who has seen earlier releases; a row with another one helps nobody.
        """
        left = self.counts - self.masked
        spare = np.ones(len(left), dtype=np.bool_)
        for groups, group_of, promises in zip(found, self.group_of.values(), self.promises.values(), strict=True):
            spare &= groups.sizes[group_of[0]] > max(promise.needs_rows for promise in promises)
        before = self.drawn
        for groups, group_of in zip(found, self.group_of.values(), strict=True):
            there = np.bincount(group_of[1], weights=self.masked, minlength=len(groups.sizes)) > 0
            wanted = np.where(there, np.maximum(groups.lack_rows, groups.lack_told), 0)
            rows = np.repeat(np.arange(len(left)), np.where(wanted[group_of[1]] > 0, left, 0))
            lots = np.frombuffer(self.chance(8 * len(rows)), dtype=np.uint64)
            order = np.lexsort((lots, ~spare[rows], group_of[1][rows]))
            rows = rows[order]
            group = group_of[1][rows]
            taken = rows[np.arange(len(rows)) - np.searchsorted(group, group, side="left") < wanted[group]]
            self.masked += np.bincount(taken, minlength=len(left))
            self.drawn += len(taken)
            left = self.counts - self.masked
        return self.drawn > before

    def _draw(self, found: Sequence[_PromiseGroups]) -> bool:
        """Mask more rows by lot, from groups that can spare one where there are such; say whether there were any.

        Rows that are not told help nobody to hide a value.
        """
        left, gone = self.counts - self.masked, self.masked > 0
        spare = left > 0
        lack_rows = lack_told = 0
        for groups, group_of, promises in zip(found, self.group_of.values(), self.promises.values(), strict=True):
            spare &= groups.sizes[group_of[0]] > max(promise.needs_rows for promise in promises)
            masked = group_of[1][gone]
            lack_rows = max(lack_rows, int(groups.lack_rows[masked].max()))
            lack_told = max(lack_told, int(groups.lack_told[masked].max()))
        possible = (left > 0) & self.told if lack_told > 0 else left > 0
        among = np.where(spare & possible if (spare & possible).any() else possible, left, 0)
        wanted = lack_told if lack_told > 0 else lack_rows
        if any(promise.decides for some in self.promises.values() for promise in some):
            wanted = max(wanted, self.drawn // 8)  # what is lacking is the least: a few rounds should be enough
        wanted = min(wanted, int(among.sum()))
        taken = lot(among, wanted, self.chance)
        self.masked += taken
        self.drawn += int(taken[self.told].sum())
        return wanted > 0


def lot(among: Ints, wanted: int, chance: Source) -> Ints:
    """Return how many rows an even draw without replacement takes of each of some combinations.

    >>> lot(np.array([3, 0, 5]), 8, bytes)
    array([3, 0, 5])
    """
    rows = int(among.sum())
    few = min(wanted, rows - wanted)  # those that stay, where they are fewer: nobody needs a place for every row
    places = np.searchsorted(np.cumsum(among), some_of(rows, few, chance), side="right")
    taken = np.bincount(places, minlength=len(among)).astype(np.int64)
    return taken if few == wanted else among - taken


def _sums(group_of: Ints, rows: Ints, number: int) -> Ints:
    """Return the rows of each group; sums of whole numbers below 2**53 are exact."""
    return np.bincount(group_of.ravel(), weights=rows.ravel(), minlength=number).astype(np.int64)

"""Blind protection of rows of which earlier releases told something: what else may be told of them.

Guarantee: what is told of a row is a function of the rest, of what earlier releases told of it and of what is told now;
and no reference, trained on the rest, is surer of any value of a secret than its limit, for no reader: who has this
release alone, or with one earlier one, or with all of them, whichever he believes first where they differ, and whether
or not he knows the method. Before anything is told now, it is so for what earlier releases told alone; else it fails.

A predictor is told whatever it says, or, where the last release that told of it told a value, if it still has this
value. Else it is hidden; there are no other blocks here. So a star tells nothing, or that a value is another one now.

Cost: for each predictor that is told, once through the rest for each reader to whom other things are told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np

from discreet.method.cells.blind_columns import Codes, Ints
from discreet.method.cells.blind_figures import BlindFigures, Facts
from discreet.method.cells.blind_walk import Fact, Told

NOW = -1


class ToldBefore(NamedTuple):
    """What one release told of a predictor of a row."""

    predictor: int
    """By its place in the table."""
    elements: tuple[int, ...]
    """Those that it may have by that."""
    star: bool
    """Whether only who knows the method could read it, off a star."""


Before: TypeAlias = tuple[tuple[ToldBefore, ...], ...]
"""What earlier releases told of a row, the first one first; those that told nothing are left out."""


class BeforeReader(NamedTuple):
    """Somebody who knows some releases."""

    releases: tuple[int, ...]
    """Whom he believes first comes first; this one is `NOW`."""
    aware: bool
    """Whether he reads stars."""


def readers_of(number: int) -> list[BeforeReader]:
    """Return all who may read a release after some number of earlier ones.

    >>> len(readers_of(0)), len(readers_of(1)), len(readers_of(3))
    (1, 5, 21)
    """
    latest = tuple(reversed(range(number)))
    orders: list[tuple[int, ...]] = [pair for one in latest for pair in ((NOW, one), (one, NOW))]
    if number > 1:
        orders.append((NOW, *latest))
        orders += [(one, NOW, *(other for other in latest if other != one)) for one in latest]
    return [
        BeforeReader((NOW,), aware=False),
        *(BeforeReader(each, aware) for each in orders for aware in (False, True)),
    ]


class _Fact(NamedTuple):
    """What is told of a predictor, as its place in the kind has it."""

    elements: frozenset[int]
    star: bool
    by: int = NOW
    """Of a star of this release: the release whose value it denies."""


class _NextAsked(NamedTuple):
    """A predictor that may be asked, and what of its elements is hidden."""

    rank: int
    worst: int
    j: int
    denied: int
    """The element that it is told to have still, or -1 where it is told whatever it says."""
    by: int


class WalkBefore:
    """The rows of one kind of which earlier releases told the same."""

    def __init__(self, figures: BlindFigures, order: Sequence[int], before: Before) -> None:
        self.figures, self.rest, self.kind = figures, figures.rest, figures.kind
        place = {predictor: j for j, predictor in enumerate(self.kind.predictors)}
        self.past = [
            {
                place[told.predictor]: _Fact(frozenset(told.elements), told.star)
                for told in one
                if told.predictor in place
            }
            for one in before
        ]
        self.readers = readers_of(len(self.past))
        wanted = [place[predictor] for predictor in order if predictor in place]
        self.rank = [wanted.index(j) if j in wanted else len(place) for j in range(len(place))]
        self.marked: list[int] = figures.learned.marked.tolist()
        self.first: list[int] = figures.learned.first.tolist()

    def tell(self, cells: Codes) -> Iterator[Told]:
        """Yield what is told of rows, given the elements of their predictors (by predictor and row)."""
        known = [self.kind.predictors.index(place) for place in self.kind.known]
        everything = np.arange(cells.shape[1], dtype=np.int64)
        nodes: list[tuple[Ints, dict[int, _Fact]]] = [(everything, {})]
        for j in known:
            nodes = [child for rows, now in nodes for child in self._parted(rows, now, j, cells[j], None)]
        for rows, now in nodes:
            if not all(self.figures.judged(facts)[0] for facts in self._known(now)):
                yield self._story(rows, now, failed=True)
                continue
            stack = [(rows, now)]
            while stack:
                rows, now = stack.pop()
                asking = self._next(now)
                if asking is None:
                    yield self._story(rows, now)
                else:
                    stack += self._parted(rows, now, asking.j, cells[asking.j], asking)

    def _story(self, rows: Ints, now: dict[int, _Fact], *, failed: bool = False) -> Told:
        facts: list[Fact] = []
        for j, told in now.items():
            fact = tuple(sorted(told.elements)) if told.star else min(told.elements)
            facts.append((self.kind.predictors[j], fact))
        return Told(tuple(rows.tolist()), tuple(facts), failed)

    def _parted(
        self, rows: Ints, now: dict[int, _Fact], j: int, cells: Codes, asking: _NextAsked | None
    ) -> Iterator[tuple[Ints, dict[int, _Fact]]]:
        """Yield rows by what is told of a predictor; what is hidden in a release (-1) is denied, or is the marker."""
        here = cells[rows]
        denied = -1 if asking is None else asking.denied
        if asking is not None and denied >= 0:
            other = here != denied
            if other.any():
                left = frozenset(range(self.rest.columns[self.kind.predictors[j]].elements)) - {denied}
                yield rows[other], {**now, j: _Fact(left, star=True, by=asking.by)}
            rows, here = rows[~other], here[~other]
        here = np.where(here < 0, np.int32(self.marked[j]), here)
        for element in np.unique(here).tolist():
            yield rows[here == element], {**now, j: _Fact(frozenset([element]), star=False)}

    def _facts(self, reader: BeforeReader, now: dict[int, _Fact]) -> dict[int, frozenset[int]]:
        """Return what a reader knows."""
        found: dict[int, frozenset[int]] = {}
        for release in reader.releases:
            for j, told in (now if release == NOW else self.past[release]).items():
                reads = not told.star or (reader.aware and (release != NOW or told.by in reader.releases))
                if reads and j not in found:
                    found[j] = told.elements
        return found

    def _known(self, now: dict[int, _Fact]) -> set[Facts]:
        """Return what readers know, each once; who knows nothing is left out."""
        found = {frozenset(self._facts(reader, now).items()) for reader in self.readers}
        return found - {frozenset()}

    def _next(self, now: dict[int, _Fact]) -> _NextAsked | None:
        """Return what is asked next; None where nothing may be."""
        before = [self._facts(reader, now) for reader in self.readers]
        found = []
        for j in range(len(self.kind.predictors)):
            if j in now:
                continue
            worst = self._open(j, before)
            if worst is not None:
                found.append(_NextAsked(self.rank[j], worst, j, -1, NOW))
                continue
            by = next((release for release in reversed(range(len(self.past))) if j in self.past[release]), NOW)
            last = None if by == NOW else self.past[by][j]
            if last is None or last.star or len(last.elements) > 1 or self.marked[j] in last.elements:
                continue
            worst = self._again(j, by, before)
            if worst is not None:
                found.append(_NextAsked(self.rank[j], worst, j, min(last.elements), by))
        return min(found, default=None)

    def _reads(self, reader: BeforeReader, j: int, told: _Fact) -> bool:
        """Whether a reader goes by what this release tells of a predictor."""
        for release in reader.releases:
            if release == NOW:
                return not told.star or (reader.aware and told.by in reader.releases)
            before = self.past[release].get(j)
            if before is not None and (reader.aware or not before.star):
                return False
        return False

    def _others(self, j: int, told: _Fact, before: Sequence[dict[int, frozenset[int]]]) -> set[Facts]:
        """Return what those who go by what is told of a predictor know besides."""
        return {
            frozenset((other, elements) for other, elements in facts.items() if other != j)
            for reader, facts in zip(self.readers, before, strict=True)
            if self._reads(reader, j, told)
        }

    def _open(self, j: int, before: Sequence[dict[int, frozenset[int]]]) -> int | None:
        """Return the largest figure of what a predictor may say; None where a limit is passed."""
        first, last = self.first[j], self.first[j + 1]
        worst = 0
        for base in self._others(j, _Fact(frozenset(), star=False), before):
            fine, top = self.figures.lines(base)
            if not fine[first:last].all():
                return None
            worst = max(worst, int(top[first:last].max()))
        return worst

    def _again(self, j: int, by: int, before: Sequence[dict[int, frozenset[int]]]) -> int | None:
        """Return the same for telling a value again, if it is the same still, and that it is not otherwise."""
        (element,) = self.past[by][j].elements
        left = frozenset(range(self.rest.columns[self.kind.predictors[j]].elements)) - {element}
        worst = 0
        for told in (_Fact(frozenset([element]), star=False), _Fact(left, star=True, by=by)):
            for base in self._others(j, told, before):
                fine, top = self.figures.judged(base | {(j, told.elements)})
                if not fine:
                    return None
                worst = max(worst, top)
        return worst

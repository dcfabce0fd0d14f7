"""Rows of which earlier releases told something, replayed from there: as in `blind_replay`, with what they told.

Guarantee: such rows are told, or hidden, exactly where the rules say so from the rest, from what earlier releases told
and from what is told; and whoever has this release alone, with one earlier one or with all, aware of the method or not,
is within the limits. By code of verification alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from discreet.plan.blind_statement import StatedRows
from discreet.verification.blind_reading import Flags, Places, StatedTable
from discreet.verification.blind_references import Billionths, StatedFact, StatedSecret
from discreet.verification.blind_replay import Replayed
from discreet.verification.blind_tellings import PastTellings, ToldEarlier

THIS = "this"
MOST_KEPT = 20_000
"""Sets of facts of which figures are kept at a time."""
KnownFacts: TypeAlias = dict[int, frozenset[int]]


class StatedFigures:
    """How sure references are of the secrets of the rows of one entry, of sets of facts that rows may share."""

    def __init__(self, table: StatedTable, stated: StatedRows) -> None:
        self.columns = [table.column(name) for name in stated.predictors]
        self.secrets = [StatedSecret(table, stated, place) for place in range(len(stated.secrets))]
        self.references = table.statement.references
        self._figures: dict[frozenset[StatedFact], tuple[Flags, Billionths]] = {}

    def _members(self, secret: StatedSecret, facts: frozenset[StatedFact]) -> Places:
        stays = np.ones(len(secret.knowing), dtype=np.bool_)
        for j, elements in facts:
            wanted = np.zeros(self.columns[j].size, dtype=np.bool_)
            wanted[self.columns[j].agreeing(elements)] = True
            stays &= wanted[secret.codes[j]]
        return np.flatnonzero(stays)

    def _score(self, secret: StatedSecret, facts: frozenset[StatedFact]) -> Any:
        return sum((secret.logs(fact) for fact in facts), np.zeros(secret.values, dtype=np.longdouble))

    def judged(self, facts: frozenset[StatedFact], slack: int) -> tuple[bool, list[int]]:
        """Say whether all references are within the limits, and for each secret how sure one is at most."""
        fine, tops, told = True, [], sorted(facts, key=lambda fact: fact[0])
        for secret in self.secrets:
            top = 0
            if "naive_bayes" in self.references:
                figures = np.array(secret.figures(told, self._score(secret, facts)))
                fine &= bool((figures <= secret.most + slack).all())
                top = int(figures.max())
            if "count" in self.references:
                line = np.bincount(secret.value[self._members(secret, facts)], minlength=secret.values)[None, :]
                within, counted = secret.counted(line)
                fine &= bool(within[0])
                top = max(top, int(counted[0]))
            tops.append(top)
        return fine, tops

    def lines(self, base: frozenset[StatedFact]) -> tuple[Flags, Billionths]:
        """Say of every element of every predictor whether it may be told beside some facts, and the largest figure."""
        if base not in self._figures:
            if len(self._figures) >= MOST_KEPT:
                self._figures.clear()
            told = sorted(base, key=lambda fact: fact[0])
            more = [(j, frozenset([x])) for j, column in enumerate(self.columns) for x in range(column.size)]
            fine, top = np.ones(len(more), dtype=np.bool_), np.zeros(len(more), dtype=np.int64)
            for secret in self.secrets:
                if "naive_bayes" in self.references:
                    within, figures = secret.bayes(told, self._score(secret, base), more, secret.single)
                    fine, top = fine & within, np.maximum(top, figures)
                if "count" in self.references:
                    tally = secret.tally(self._members(secret, base))
                    within, figures = secret.counted(secret.agree(tally))
                    fine, top = fine & within, np.maximum(top, figures)
            self._figures[base] = fine, top
        return self._figures[base]


class ReplayBefore:
    """Rows of one entry of the statement of which earlier releases told the same."""

    def __init__(self, figures: StatedFigures, stated: StatedRows, order: Sequence[str], past: PastTellings) -> None:
        self.figures, self.columns, self.stated = figures, figures.columns, stated
        self.order = [stated.predictors.index(name) for name in order if name in stated.predictors]
        place = {name: j for j, name in enumerate(stated.predictors)}
        self.past = [{place[name]: told for name, told in release if name in place} for release in past]
        self.readers = list(self._readers())

    def _readers(self) -> Iterator[tuple[tuple[int | str, ...], bool]]:
        """Yield the releases that somebody has, the most believed first, and whether he reads stars."""
        everything = range(len(self.past))
        for aware in (False, True):
            yield (THIS,), aware
            for one in everything:
                others = [each for each in reversed(everything) if each != one]
                yield (THIS, one), aware
                yield (one, THIS), aware
                yield (one, THIS, *others), aware
            yield (THIS, *reversed(everything)), aware

    def run(self) -> Iterator[Replayed]:
        """Yield what is found of the rows."""
        nodes: list[tuple[Places, dict[int, ToldEarlier]]] = [(np.array(self.stated.rows, dtype=np.int64) - 1, {})]
        for name in self.stated.known:
            j = self.stated.predictors.index(name)
            nodes = [child for rows, now in nodes for child in self._shown(rows, now, j)]
        for rows, now in list(nodes):
            if any(self.columns[j].hidden_surely[rows].any() for j in now):
                yield Replayed(tuple(rows.tolist()), "a cell is hidden that is known from elsewhere")
            if not all(self.figures.judged(facts, 0)[0] for facts in self._all(now)):
                yield Replayed(tuple(rows.tolist()), "what earlier releases told of it is more than the limit allows")
        while nodes:
            rows, now = nodes.pop()
            if not len(rows):
                continue
            asked = self._next(now)
            if asked is None:
                yield self._end(rows, now)
                continue
            j, denied, by = asked
            star = self.columns[j].starred[rows]
            if denied is None:
                wrong = star & (self.columns[j].marked is None)
                fault = "a cell is hidden that the rules tell"
            else:
                wrong = ~star & (self.columns[j].codes[rows] != denied)
                fault = "a cell is told that the rules hide"
            if wrong.any():
                yield Replayed(tuple(rows[wrong].tolist()), fault)
            if denied is not None and star.any():
                others = frozenset(range(self.columns[j].size)) - {denied}
                nodes.append((rows[star], {**now, j: ToldEarlier(others, True, by)}))
                wrong = wrong | star
            nodes += self._shown(rows[~wrong], now, j)

    def _shown(
        self, rows: Places, now: dict[int, ToldEarlier], j: int
    ) -> Iterator[tuple[Places, dict[int, ToldEarlier]]]:
        """Yield rows by the value that is told of a predictor."""
        codes = self.columns[j].codes[rows]
        for element in sorted(set(codes.tolist())):
            yield rows[codes == element], {**now, j: ToldEarlier(frozenset([element]))}

    # What is known to whom

    def _believed(
        self, order: Sequence[int | str], aware: bool, now: Mapping[int, ToldEarlier], j: int
    ) -> tuple[int | str, ToldEarlier] | None:
        """Return the release by which a reader goes about a predictor, and what it tells."""
        for release in order:
            told = now.get(j) if isinstance(release, str) else self.past[release].get(j)
            if told is None or (told.star and not aware):
                continue
            if told.denies is None or told.denies in order:
                return release, told
        return None

    def _knows(self, order: Sequence[int | str], aware: bool, now: Mapping[int, ToldEarlier]) -> KnownFacts:
        known = {}
        for j in range(len(self.columns)):
            believed = self._believed(order, aware, now, j)
            if believed is not None:
                known[j] = believed[1].elements
        return known

    def _all(self, now: Mapping[int, ToldEarlier]) -> set[frozenset[StatedFact]]:
        """Return what all readers know, each once."""
        return {frozenset(self._knows(*reader, now).items()) for reader in self.readers} - {frozenset()}

    def _going_by(self, j: int, told: ToldEarlier, now: Mapping[int, ToldEarlier]) -> set[frozenset[StatedFact]]:
        """Return what those know, who go by this release about a predictor, but for that."""
        after, found = {**now, j: told}, set()
        for order, aware in self.readers:
            believed = self._believed(order, aware, after, j)
            if believed is not None and believed[0] == THIS:
                known = self._knows(order, aware, after)
                found.add(frozenset((other, elements) for other, elements in known.items() if other != j))
        return found

    def _next(self, now: Mapping[int, ToldEarlier]) -> tuple[int, int | None, int | None] | None:
        """Return what is asked next: a predictor, and the value that is told only if it is the same still."""
        found: list[tuple[int, int, int, int | None, int | None]] = []
        for j, column in enumerate(self.columns):
            if j in now:
                continue
            rank = self.order.index(j) if j in self.order else len(self.columns)
            begin = int(self.figures.secrets[0].start[j])
            worst: int | None = 0
            for base in self._going_by(j, ToldEarlier(frozenset()), now):
                fine, top = self.figures.lines(base)
                here = slice(begin, begin + column.size)
                worst = None if worst is None or not fine[here].all() else max(worst, int(top[here].max()))
            if worst is not None:
                found.append((rank, worst, j, None, None))
                continue
            telling = [(place, release[j]) for place, release in enumerate(self.past) if j in release]
            if not telling or telling[-1][1].star or len(telling[-1][1].elements) != 1:
                continue
            by, last = telling[-1]
            (element,) = last.elements
            if element == column.marked:
                continue
            worst = 0
            others = ToldEarlier(frozenset(range(column.size)) - {element}, True, by)
            for told in (ToldEarlier(last.elements), others):
                for base in self._going_by(j, told, now):
                    fine_so, tops = self.figures.judged(base | {(j, told.elements)}, 0)
                    worst = None if worst is None or not fine_so else max(worst, *tops)
            if worst is not None:
                found.append((rank, worst, j, element, by))
        return min(found, key=lambda each: each[:3])[2:] if found else None

    def _end(self, rows: Places, now: Mapping[int, ToldEarlier]) -> Replayed:
        """Judge what is told of rows at last."""
        here = tuple(rows.tolist())
        left = [j for j in range(len(self.columns)) if j not in now]
        if any(not self.columns[j].starred[rows].all() for j in left):
            return Replayed(here, "a cell is told that the rules hide")
        surest = dict.fromkeys(self.stated.secrets, 0)
        for facts in self._all(now):
            fine, tops = self.figures.judged(facts, 1)
            if not fine:
                return Replayed(here, "a reference is surer of a value than its limit")
            for name, top in zip(self.stated.secrets, tops, strict=True):
                surest[name] = max(surest[name], top)
        shown = sum(not told.star for told in now.values())
        return Replayed(here, None, surest, len(self.columns) - shown)


def replayed_before(
    table: StatedTable, past: Mapping[int, PastTellings], replay: Callable[[StatedRows], Iterator[Replayed]]
) -> Iterator[Replayed]:
    """Yield what is found of all rows: by `replay` of those of which no earlier release told anything."""
    for stated in table.statement.rows:
        alike: dict[PastTellings, list[int]] = {}
        for row in stated.rows:
            alike.setdefault(past.get(row - 1, ()), []).append(row)
        figures = StatedFigures(table, stated) if any(alike) else None
        for tellings, rows in alike.items():
            some = replace(stated, rows=tuple(rows))
            if figures is None or not tellings:
                yield from replay(some)
            else:
                yield from ReplayBefore(figures, some, table.statement.order, tellings).run()

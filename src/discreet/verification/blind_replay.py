"""Blind protection replayed from a release: what may be told of each row with confidential cells, reckoned anew.

Guarantee: nothing is said to hold unless every cell of these rows is told, or hidden, exactly where the rules say so
from the rest and from what is told, and what is told leaves every reference within the limits, whether stars are read
as their blocks or as nothing. By code of verification alone; the original is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from discreet.plan.blind_statement import StatedRows
from discreet.verification.blind_asked import AskedPlace, AskedRow, AskedRules
from discreet.verification.blind_reading import Flags, Places, StatedTable
from discreet.verification.blind_references import BILLION, Long, StatedFact, StatedSecret

LEAST = BILLION // 20
"""The chance, in billionths, below which a column is not asked."""


@dataclass(frozen=True)
class Replayed:
    """What was found of some rows; `fault` says what is wrong with them, if anything."""

    rows: tuple[int, ...]
    """Of the release, from 0."""
    fault: str | None = None
    surest: Mapping[str, int] = field(default_factory=dict)
    """Of each secret, any reference about any value, in billionths."""
    hidden: int = 0
    """Predictors that are not told, in each row."""


class Replay:
    """The rows of one entry of the statement."""

    def __init__(self, table: StatedTable, stated: StatedRows) -> None:
        self.table, self.stated, said = table, stated, table.statement
        self.columns = [table.column(name) for name in stated.predictors]
        self.secrets = [StatedSecret(table, stated, place) for place in range(len(stated.secrets))]
        self.references, self.told = said.references, said.blocks == "told"
        self.asking = AskedRules(self.columns, self.secrets, said.references, said.blocks, said.rule)
        self.order = [stated.predictors.index(name) for name in said.order if name in stated.predictors]

    def run(self) -> Iterator[Replayed]:
        """Yield what is found of all rows."""
        rows = np.array(self.stated.rows, dtype=np.int64) - 1
        whole = tuple(np.arange(len(secret.knowing)) for secret in self.secrets)
        known = [self.stated.predictors.index(name) for name in self.stated.known]
        left = tuple(j for j in range(len(self.columns)) if j not in known)
        nothing = tuple(np.zeros(secret.values, dtype=np.longdouble) for secret in self.secrets)
        waiting = [AskedPlace(rows, (), (), left, whole, whole, nothing, nothing)]
        for j in known:
            waiting = [after for place in waiting for after in self._after(place, j, frozenset())]
        for place in waiting:
            if any(self.columns[j].hidden_surely[place.rows].any() for j in known):
                yield Replayed(tuple(place.rows.tolist()), "a cell is hidden that is known from elsewhere")
        while waiting:
            place = waiting.pop()
            asked = self._next(place) if place.left else None
            if asked is None:
                yield self._end(place)
                continue
            j, block = asked
            star = self._is_star(j, place.rows, block)
            strange = self._strange(j, place.rows, star)
            if strange.any():
                yield Replayed(tuple(place.rows[strange].tolist()), "a cell is told as another set than the rules say")
                place, star = replace(place, rows=place.rows[~strange]), star[~strange]
            inside = np.isin(self.columns[j].codes[place.rows], sorted(block)) & ~star
            if inside.any():
                yield Replayed(tuple(place.rows[inside].tolist()), "a cell is told that the rules hide")
            if not block and star.any() and self.columns[j].marked is None:
                yield Replayed(tuple(place.rows[star].tolist()), "a cell is hidden that the rules tell")
                star, inside = star & False, inside | star
            waiting += self._after(replace(place, rows=place.rows[~inside]), j, block)

    def _is_star(self, j: int, rows: Places, block: frozenset[int] = frozenset()) -> Flags:
        """Say which cells are hidden; where blocks are told, those that are written as the block."""
        if block and self.told:
            return np.asarray(self.columns[j].is_block(block)[rows])
        return np.asarray(self.columns[j].starred[rows])

    def _strange(self, j: int, rows: Places, star: Flags) -> Flags:
        """Say where blocks are told which cells are told as another, or not at all."""
        if not self.told:
            return np.zeros(len(rows), dtype=np.bool_)
        column = self.columns[j]
        hidden = column.like_blocks[rows] | (column.starred[rows] & (column.marked is None))
        return np.asarray(hidden & ~star)

    def _after(self, place: AskedPlace, j: int, block: frozenset[int]) -> Iterator[AskedPlace]:
        """Yield what comes of asking a column."""
        column = self.columns[j]
        left = tuple(other for other in place.left if other != j)
        star = self._is_star(j, place.rows, block) & bool(block)
        if star.any():
            fact = (j, block)
            yield AskedPlace(
                place.rows[star],
                (*place.told, fact),
                place.shown,
                left,
                self._agreeing(place.members, fact),
                place.plain,
                self._scores(place.scores, fact),
                place.plain_scores,
            )
        told = column.codes[place.rows]
        for element in sorted(set(told[~star].tolist())):
            fact = (j, frozenset([element]))
            rows = place.rows[~star & (told == element)]
            members, scores = self._agreeing(place.members, fact), self._scores(place.scores, fact)
            plain, plain_scores = members, scores
            if len(place.told) > len(place.shown):
                plain, plain_scores = self._agreeing(place.plain, fact), self._scores(place.plain_scores, fact)
            told_now = (*place.told, fact), (*place.shown, fact)
            yield AskedPlace(rows, *told_now, left, members, plain, scores, plain_scores)

    def _scores(self, scores: tuple[Long, ...], fact: StatedFact) -> tuple[Long, ...]:
        if "naive_bayes" not in self.references:
            return scores
        return tuple(score + secret.logs(fact) for score, secret in zip(scores, self.secrets, strict=True))

    def _agreeing(self, members: tuple[Places, ...], fact: StatedFact) -> tuple[Places, ...]:
        j, elements = fact
        wanted = np.zeros(self.columns[j].size, dtype=np.bool_)
        wanted[self.columns[j].agreeing(elements)] = True
        return tuple(rows[wanted[secret.codes[j, rows]]] for secret, rows in zip(self.secrets, members, strict=True))

    def _end(self, place: AskedPlace) -> Replayed:
        """Judge what is told of rows at last."""
        rows = tuple(place.rows.tolist())
        if any(not self._is_star(j, place.rows).all() for j in place.left):
            return Replayed(rows, "a cell is told that the rules hide")
        surest, hidden = dict.fromkeys(self.stated.secrets, 0), len(self.columns) - len(place.shown)
        readings = [(place.told, place.members, place.scores)]
        readings += [(place.shown, place.plain, place.plain_scores)] if len(place.told) > len(place.shown) else []
        for facts, members, scores in readings:
            for secret, agreeing, score in zip(self.secrets, members, scores, strict=True) if facts else ():
                nearby = self.asking.nearby(secret, facts)
                figures: list[int] = []
                if "naive_bayes" in self.references:
                    figures = secret.figures(facts, score)
                    if (np.array(figures) > secret.most + 1).any():  # billionths above the limit, rounded down
                        return Replayed(rows, "naive_bayes is surer of a value than its limit")
                if "count" in self.references:
                    line = np.bincount(secret.value[agreeing], minlength=secret.values)[None, :]
                    within, top = secret.counted(line)
                    if not within[0]:
                        return Replayed(rows, "count is surer of a value than its limit")
                    figures.append(int(top[0]))
                if nearby is not None:
                    within, top = secret.counted(nearby[1][None, :], nearby[2])
                    if not within[0]:
                        return Replayed(rows, "kernel is surer of a value than its limit")
                    figures.append(int(top[0]))
                surest[secret.name] = max(surest[secret.name], *figures)
        return Replayed(rows, None, surest, hidden)

    def _next(self, place: AskedPlace) -> tuple[int, frozenset[int]] | None:
        """Return the column that is asked next, and its block; None where nothing is."""
        node = AskedRow(self.asking, place)
        found, likeliest = [], LEAST
        for at_most, j in sorted(((node.at_most(j), j) for j in place.left), reverse=True):
            if at_most < likeliest and not self.order:
                break  # neither it nor those that follow can be as likely
            block = node.block(j)
            chance = node.chance(j, block)
            if chance >= LEAST:
                found.append((j, block, chance))
                likeliest = max(likeliest, chance)
        for j in self.order:
            for other, block, _ in found:
                if other == j:
                    return j, block
        if not found:
            return None
        best = [(j, block) for j, block, chance in found if chance == likeliest]
        if len(best) == 1:
            return best[0]
        return min(best, key=lambda each: (node.worst(*each), each[0]))

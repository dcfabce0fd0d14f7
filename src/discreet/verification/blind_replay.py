"""Blind protection replayed from a release: what may be told of each row with confidential cells, reckoned anew.

Guarantee: nothing is said to hold unless every cell of these rows is told, or hidden, exactly where the rules say so
from the rest and from what is told, and what is told leaves every reference within the limits, whether stars are read
as their blocks or as nothing. By code of verification alone; the original is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np

from discreet.plan.blind_statement import StatedRows
from discreet.verification.blind_reading import Places, StatedTable
from discreet.verification.blind_references import BILLION, EXTRA, Billionths, Long, StatedFact, StatedSecret

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


@dataclass(frozen=True, eq=False)
class _Place:
    """Rows of which the same is told."""

    rows: Places
    told: tuple[StatedFact, ...]
    shown: tuple[StatedFact, ...]
    left: tuple[int, ...]
    """Predictors that were not asked."""
    members: tuple[Places, ...]
    """For each secret, the rows that know it and agree with all that is told."""
    plain: tuple[Places, ...]
    """The same, stars read as nothing."""


class Replay:
    """The rows of one entry of the statement."""

    def __init__(self, table: StatedTable, stated: StatedRows) -> None:
        self.table, self.stated, said = table, stated, table.statement
        self.columns = [table.column(name) for name in stated.predictors]
        self.secrets = [StatedSecret(table, stated, place) for place in range(len(stated.secrets))]
        self.references = said.references
        self.order = [stated.predictors.index(name) for name in said.order if name in stated.predictors]

    def run(self) -> Iterator[Replayed]:
        """Yield what is found of all rows."""
        rows = np.array(self.stated.rows, dtype=np.int64) - 1
        whole = tuple(np.arange(len(secret.knowing)) for secret in self.secrets)
        known = [self.stated.predictors.index(name) for name in self.stated.known]
        left = tuple(j for j in range(len(self.columns)) if j not in known)
        waiting = [_Place(rows, (), (), left, whole, whole)]
        for j in known:
            waiting = [after for place in waiting for after in self._after(place, j, frozenset())]
        for place in waiting:
            hidden = [j for j in known if self._is_star(j, place.rows).any()]
            if hidden:
                yield Replayed(tuple(place.rows.tolist()), "a cell is hidden that is known from elsewhere")
        while waiting:
            place = waiting.pop()
            asked = self._next(place) if place.left else None
            if asked is None:
                yield self._end(place)
                continue
            j, block = asked
            star = self._is_star(j, place.rows)
            inside = np.isin(self.columns[j].codes[place.rows], sorted(block)) & ~star
            if inside.any():
                yield Replayed(tuple(place.rows[inside].tolist()), "a cell is told that the rules hide")
            if not block and star.any() and self.columns[j].marked is None:
                yield Replayed(tuple(place.rows[star].tolist()), "a cell is hidden that the rules tell")
                star, inside = star & False, inside | star
            waiting += self._after(replace(place, rows=place.rows[~inside]), j, block)

    def _is_star(self, j: int, rows: Places) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        found: np.ndarray[tuple[int], np.dtype[np.bool_]] = self.columns[j].starred[rows]
        return found

    def _after(self, place: _Place, j: int, block: frozenset[int]) -> Iterator[_Place]:
        """Yield what comes of asking a column."""
        column = self.columns[j]
        left = tuple(other for other in place.left if other != j)
        star = self._is_star(j, place.rows) & bool(block)
        if star.any():
            fact = (j, block)
            yield _Place(
                place.rows[star],
                (*place.told, fact),
                place.shown,
                left,
                self._agreeing(place.members, fact),
                place.plain,
            )
        told = column.codes[place.rows]
        for element in sorted(set(told[~star].tolist())):
            fact = (j, frozenset([element]))
            rows = place.rows[~star & (told == element)]
            members, plain = self._agreeing(place.members, fact), self._agreeing(place.plain, fact)
            yield _Place(rows, (*place.told, fact), (*place.shown, fact), left, members, plain)

    def _agreeing(self, members: tuple[Places, ...], fact: StatedFact) -> tuple[Places, ...]:
        j, elements = fact
        wanted = np.zeros(self.columns[j].size, dtype=np.bool_)
        wanted[self.columns[j].agreeing(elements)] = True
        return tuple(rows[wanted[secret.codes[j, rows]]] for secret, rows in zip(self.secrets, members, strict=True))

    def _end(self, place: _Place) -> Replayed:
        """Judge what is told of rows at last."""
        rows = tuple(place.rows.tolist())
        if any(not self._is_star(j, place.rows).all() for j in place.left):
            return Replayed(rows, "a cell is told that the rules hide")
        surest, hidden = dict.fromkeys(self.stated.secrets, 0), len(self.columns) - len(place.shown)
        for facts, members in ((place.told, place.members), (place.shown, place.plain)):
            for secret, agreeing in zip(self.secrets, members, strict=True) if facts else ():
                figures: list[Fraction] = []
                if "naive_bayes" in self.references:
                    figures = [Fraction(figure, BILLION) for figure in secret.exactly(facts)]
                    if any(figure > limit for figure, limit in zip(figures, secret.limits, strict=True)):
                        return Replayed(rows, "naive_bayes is surer of a value than its limit")
                if "count" in self.references:
                    line = np.bincount(secret.value[agreeing], minlength=secret.values)[None, :]
                    within, top = secret.counted(line)
                    if not within[0]:
                        return Replayed(rows, "count is surer of a value than its limit")
                    figures.append(Fraction(int(top[0]), BILLION))
                surest[secret.name] = max(surest[secret.name], int(max(figures) * BILLION))
        return Replayed(rows, None, surest, hidden)

    def _next(self, place: _Place) -> tuple[int, frozenset[int]] | None:
        """Return the column that is asked next, and its block; None where nothing is."""
        node = _AskedRow(self, place)
        found = []
        for j in place.left:
            block = node.block(j)
            chance = node.chance(j, block)
            if chance >= LEAST:
                found.append((j, block, chance))
        for j in self.order:
            for other, block, _ in found:
                if other == j:
                    return j, block
        if not found:
            return None
        likeliest = max(chance for *_, chance in found)
        best = [(j, block) for j, block, chance in found if chance == likeliest]
        if len(best) == 1:
            return best[0]
        return min(best, key=lambda each: (node.worst(*each), each[0]))


class _AskedRow:
    """What each answer of each column would come to, for rows of which the same is told."""

    def __init__(self, replay: Replay, place: _Place) -> None:
        self.replay, self.place = replay, place
        self.counts = [secret.tally(rows) for secret, rows in zip(replay.secrets, place.members, strict=True)]
        self.starred = len(place.told) > len(place.shown)
        self.plain = self.counts
        if self.starred:
            self.plain = [secret.tally(rows) for secret, rows in zip(replay.secrets, place.plain, strict=True)]
        self.scores = [self._score(secret, place.told) for secret in replay.secrets]
        self.plain_scores = [self._score(secret, place.shown) for secret in replay.secrets]
        self.alone = self._alone()
        self.before = self._before()

    def _score(self, secret: StatedSecret, facts: Sequence[StatedFact]) -> Long:
        score = np.zeros(secret.values, dtype=np.longdouble)
        for fact in facts:
            score = score + secret.logs(fact)
        return score

    def _judged(
        self, at: int, told: Sequence[StatedFact], score: Long, more: Sequence[StatedFact], logs: Long, agreeing: Places
    ) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], Billionths]:
        """Say of one fact more, line by line, whether all references are within the limits, and the largest figure."""
        secret, references = self.replay.secrets[at], self.replay.references
        fine, top = np.ones(len(more), dtype=np.bool_), np.zeros(len(more), dtype=np.int64)
        if "naive_bayes" in references:
            figures = secret.bayes(told, score, more, logs)
            most = np.array([int(limit * BILLION) - 1 for limit in secret.limits], dtype=np.int64)
            fine &= (figures <= most).all(axis=1)
            top = np.maximum(top, figures.max(axis=1))
        if "count" in references:
            within, counted = secret.counted(agreeing)
            fine &= within
            top = np.maximum(top, counted)
        return fine, top

    def _alone(self) -> dict[int, tuple[list[bool], list[int]]]:
        """For each column: whether it may be told what it has, element by element, and the largest figure then."""
        replay, left = self.replay, self.place.left
        start = replay.secrets[0].start
        lines = [int(start[j]) + x for j in left for x in range(replay.columns[j].size)]
        facts = [(j, frozenset([x])) for j in left for x in range(replay.columns[j].size)]
        fine, top = np.ones(len(lines), dtype=np.bool_), np.zeros(len(lines), dtype=np.int64)
        for at, secret in enumerate(replay.secrets):
            readings = [(self.place.told, self.scores[at], self.counts[at])]
            readings += [(self.place.shown, self.plain_scores[at], self.plain[at])] if self.starred else []
            for told, score, counts in readings:
                within, figures = self._judged(
                    at, told, score, facts, secret.single[lines], secret.agree(counts)[lines]
                )
                fine &= within
                top = np.maximum(top, figures)
        found, begin = {}, 0
        for j in left:
            end = begin + replay.columns[j].size
            found[j] = fine[begin:end].tolist(), top[begin:end].tolist()
            begin = end
        return found

    def _before(self) -> int:
        """Return the largest figure of what is told already, stars read as nothing."""
        top = 0
        for secret, rows in zip(self.replay.secrets, self.place.plain, strict=True) if self.place.shown else ():
            if "naive_bayes" in self.replay.references:
                top = max(top, *secret.exactly(self.place.shown))
            if "count" in self.replay.references:
                line = np.bincount(secret.value[rows], minlength=secret.values)[None, :]
                top = max(top, int(secret.counted(line)[1][0]))
        return top

    def _blocks(self, j: int, blocks: Sequence[frozenset[int]]) -> tuple[list[bool], list[int]]:
        """Say of blocks of a column whether they may be told, and the largest figure then."""
        facts = [(j, block) for block in blocks]
        fine, top = np.ones(len(blocks), dtype=np.bool_), np.full(len(blocks), self.before, dtype=np.int64)
        for at, secret in enumerate(self.replay.secrets):
            logs = np.array([secret.logs(fact) for fact in facts])
            agreeing = np.array([secret.inside(fact, self.counts[at]) for fact in facts])
            within, figures = self._judged(at, self.place.told, self.scores[at], facts, logs, agreeing)
            fine &= within
            top = np.maximum(top, figures)
        return fine.tolist(), top.tolist()

    def block(self, j: int) -> frozenset[int]:
        """Return the elements of a column that are starred: none, some, or all."""
        column = self.replay.columns[j]
        every = frozenset(range(column.size))
        block = frozenset(x for x, fine in enumerate(self.alone[j][0]) if not fine)
        if block and self.replay.table.statement.blocks == "none":
            return every
        if block and column.marked is not None:
            block |= {column.marked}
        while block and block != every and not self._blocks(j, [block])[0][0]:
            others = sorted(every - block)
            _, top = self._blocks(j, [block | {x} for x in others])
            block |= {others[top.index(min(top))]}
        return block

    def chance(self, j: int, block: frozenset[int]) -> int:
        """Return how likely the cell is outside the block, in billionths."""
        column, secret = self.replay.columns[j], self.replay.secrets[0]
        if not block or len(block) == column.size:
            return 0 if block else BILLION
        fact = (j, block)
        if self.replay.references[0] == "count":
            rows = len(self.place.members[0])
            outside = Fraction(secret.total - int(secret.inside(fact).sum()), secret.total)
            told = rows - int(secret.inside(fact, self.counts[0]).sum())
            return round((told + EXTRA * outside) / (rows + EXTRA) * BILLION)
        likely, over = secret.decimals(self.place.told), secret.inside(fact) + len(block)
        total = Fraction(0)
        for chance, inside, rows in zip(likely, over.tolist(), secret.rows.tolist(), strict=True):
            total += Fraction(chance) * (1 - Fraction(inside, rows + column.size))
        return round(total * BILLION)

    def worst(self, j: int, block: frozenset[int]) -> int:
        """Return the largest figure of any answer."""
        found = [top for x, top in enumerate(self.alone[j][1]) if x not in block]
        return max(found + (self._blocks(j, [block])[1] if block else []), default=0)

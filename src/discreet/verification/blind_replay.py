"""Blind protection replayed from a release: what may be told of each row with confidential cells, reckoned anew.

Guarantee: nothing is said to hold unless every cell of these rows is told, or hidden, exactly where the rules say so
from the rest and from what is told, and what is told leaves every reference within the limits, whether stars are read
as their blocks or as nothing. By code of verification alone; the original is not needed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from discreet.plan.blind_statement import StatedRows
from discreet.verification.blind_reading import Flags, Places, StatedTable
from discreet.verification.blind_references import BILLION, EXTRA, QUARTER, Billionths, Long, StatedFact, StatedSecret

LEAST = BILLION // 20
"""The chance, in billionths, below which a column is not asked."""
SLACK = 1_000
"""Billionths that are added to a chance that is reckoned by floats, amply more than their error."""


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
    scores: tuple[Long, ...]
    """For each secret, the sum of the logarithms of what is told with each value."""
    plain_scores: tuple[Long, ...]


class Replay:
    """The rows of one entry of the statement."""

    def __init__(self, table: StatedTable, stated: StatedRows) -> None:
        self.table, self.stated, said = table, stated, table.statement
        self.columns = [table.column(name) for name in stated.predictors]
        self.secrets = [StatedSecret(table, stated, place) for place in range(len(stated.secrets))]
        self.references, self.told = said.references, said.blocks == "told"
        self.order = [stated.predictors.index(name) for name in said.order if name in stated.predictors]

    def run(self) -> Iterator[Replayed]:
        """Yield what is found of all rows."""
        rows = np.array(self.stated.rows, dtype=np.int64) - 1
        whole = tuple(np.arange(len(secret.knowing)) for secret in self.secrets)
        known = [self.stated.predictors.index(name) for name in self.stated.known]
        left = tuple(j for j in range(len(self.columns)) if j not in known)
        nothing = tuple(np.zeros(secret.values, dtype=np.longdouble) for secret in self.secrets)
        waiting = [_Place(rows, (), (), left, whole, whole, nothing, nothing)]
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

    def _after(self, place: _Place, j: int, block: frozenset[int]) -> Iterator[_Place]:
        """Yield what comes of asking a column."""
        column = self.columns[j]
        left = tuple(other for other in place.left if other != j)
        star = self._is_star(j, place.rows, block) & bool(block)
        if star.any():
            fact = (j, block)
            yield _Place(
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
            yield _Place(rows, *told_now, left, members, plain, scores, plain_scores)

    def _scores(self, scores: tuple[Long, ...], fact: StatedFact) -> tuple[Long, ...]:
        if "naive_bayes" not in self.references:
            return scores
        return tuple(score + secret.logs(fact) for score, secret in zip(scores, self.secrets, strict=True))

    def _agreeing(self, members: tuple[Places, ...], fact: StatedFact) -> tuple[Places, ...]:
        j, elements = fact
        wanted = np.zeros(self.columns[j].size, dtype=np.bool_)
        wanted[self.columns[j].agreeing(elements)] = True
        return tuple(rows[wanted[secret.codes[j, rows]]] for secret, rows in zip(self.secrets, members, strict=True))

    def nearby(self, secret: StatedSecret, facts: Sequence[StatedFact]) -> tuple[Any, Any, int] | None:
        """Return the weights of all rows by element and by value, and of one that agrees, where `kernel` is asked."""
        if "kernel" not in self.references:
            return None
        far = np.zeros(len(secret.knowing), dtype=np.int64)
        for j, elements in facts:
            far += ~np.isin(secret.codes[j], self.columns[j].agreeing(elements))
        return (*secret.weighed(far, len(facts)), QUARTER ** len(facts))

    def _end(self, place: _Place) -> Replayed:
        """Judge what is told of rows at last."""
        rows = tuple(place.rows.tolist())
        if any(not self._is_star(j, place.rows).all() for j in place.left):
            return Replayed(rows, "a cell is told that the rules hide")
        surest, hidden = dict.fromkeys(self.stated.secrets, 0), len(self.columns) - len(place.shown)
        readings = [(place.told, place.members, place.scores)]
        readings += [(place.shown, place.plain, place.plain_scores)] if len(place.told) > len(place.shown) else []
        for facts, members, scores in readings:
            for secret, agreeing, score in zip(self.secrets, members, scores, strict=True) if facts else ():
                nearby = self.nearby(secret, facts)
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

    def _next(self, place: _Place) -> tuple[int, frozenset[int]] | None:
        """Return the column that is asked next, and its block; None where nothing is."""
        node = _AskedRow(self, place)
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


class _AskedRow:
    """What each answer of each column would come to, for rows of which the same is told."""

    def __init__(self, replay: Replay, place: _Place) -> None:
        self.replay, self.place = replay, place
        self.counts = [secret.tally(rows) for secret, rows in zip(replay.secrets, place.members, strict=True)]
        self.starred = len(place.told) > len(place.shown)
        self.plain = self.counts
        if self.starred:
            self.plain = [secret.tally(rows) for secret, rows in zip(replay.secrets, place.plain, strict=True)]
        self.scores, self.plain_scores = place.scores, place.plain_scores
        self.near = [replay.nearby(secret, place.told) for secret in replay.secrets]
        self.plain_near = [replay.nearby(secret, place.shown) for secret in replay.secrets]
        self.alone = self._alone()

    def _judged(
        self,
        at: int,
        told: Sequence[StatedFact],
        score: Long,
        more: Sequence[StatedFact],
        logs: Long,
        agreeing: Places,
        close: tuple[Any, Any, int] | None,
    ) -> tuple[np.ndarray[tuple[int], np.dtype[np.bool_]], Billionths]:
        """Say of one fact more, line by line, whether all references are within the limits, and the largest figure."""
        secret, references = self.replay.secrets[at], self.replay.references
        fine: Flags = np.ones(len(more), dtype=np.bool_)
        top: Billionths = np.zeros(len(more), dtype=np.int64)
        if "naive_bayes" in references:
            fine, top = secret.bayes(told, score, more, logs)
        if "count" in references:
            within, counted = secret.counted(agreeing)
            fine &= within
            top = np.maximum(top, counted)
        if close is not None:  # rows that agree with one fact more keep their weight, others a quarter of it
            lines, total, one = close
            within, counted = secret.counted(lines * QUARTER + (total[None, :] - lines), one * QUARTER)
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
            readings = [(self.place.told, self.scores[at], self.counts[at], self.near[at])]
            if self.starred:
                readings.append((self.place.shown, self.plain_scores[at], self.plain[at], self.plain_near[at]))
            for told, score, counts, near in readings:
                close = None if near is None else (secret.agree(near[0])[lines], *near[1:])
                within, figures = self._judged(
                    at, told, score, facts, secret.single[lines], secret.agree(counts)[lines], close
                )
                fine &= within
                top = np.maximum(top, figures)
        found, begin = {}, 0
        for j in left:
            end = begin + replay.columns[j].size
            found[j] = fine[begin:end].tolist(), top[begin:end].tolist()
            begin = end
        return found

    @cached_property
    def before(self) -> int:
        """The largest figure of what is told already, stars read as nothing."""
        top = 0
        for at, (secret, rows) in enumerate(zip(self.replay.secrets, self.place.plain, strict=True)):
            if not self.place.shown:
                break
            if "naive_bayes" in self.replay.references:
                top = max(top, *secret.figures(self.place.shown, self.plain_scores[at]))
            if "count" in self.replay.references:
                line = np.bincount(secret.value[rows], minlength=secret.values)[None, :]
                top = max(top, int(secret.counted(line)[1][0]))
            near = self.replay.nearby(secret, self.place.shown)
            if near is not None:
                top = max(top, int(secret.counted(near[1][None, :], near[2])[1][0]))
        return top

    def _blocks(self, j: int, blocks: Sequence[frozenset[int]]) -> tuple[list[bool], list[int]]:
        """Say of blocks of a column whether they may be told, and the largest figure then."""
        facts = [(j, block) for block in blocks]
        fine, top = np.ones(len(blocks), dtype=np.bool_), np.full(len(blocks), self.before, dtype=np.int64)
        for at, secret in enumerate(self.replay.secrets):
            logs = np.array([secret.logs(fact) for fact in facts])
            agreeing = np.array([secret.inside(fact, self.counts[at]) for fact in facts])
            near = self.near[at]
            close = None if near is None else (np.array([secret.inside(fact, near[0]) for fact in facts]), *near[1:])
            within, figures = self._judged(at, self.place.told, self.scores[at], facts, logs, agreeing, close)
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

    @cached_property
    def _likely(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """How likely each value of the first secret is by naive Bayes, nearly."""
        secret = self.replay.secrets[0]
        score = self.scores[0] * (np.longdouble(secret.power(len(self.place.told))) / 20)
        scores = (secret.shares + score).astype(np.float64)
        odds = np.exp(scores - scores.max())
        return np.asarray(odds / odds.sum())

    def at_most(self, j: int) -> int:
        """Return billionths above which no chance of a column can be: that of all it may be told; blocks only grow."""
        bad = frozenset(x for x, fine in enumerate(self.alone[j][0]) if not fine)
        if not bad or self.replay.references[0] != "naive_bayes":
            return BILLION
        column, secret = self.replay.columns[j], self.replay.secrets[0]
        if len(bad) == column.size:
            return 0
        outside = 1 - (secret.inside((j, bad)) + len(bad)) / (secret.rows + column.size)
        return int(float(self._likely @ outside) * BILLION) + SLACK

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
        near = self.near[0]
        if self.replay.references[0] == "kernel" and near is not None:
            by_element, by_value, one = near
            outside = Fraction(secret.total - int(secret.inside(fact).sum()), secret.total)
            told = int(by_value.sum()) - int(secret.inside(fact, by_element).sum())
            return round((told + EXTRA * one * outside) / (int(by_value.sum()) + EXTRA * one) * BILLION)
        likely, over = secret.decimals(self.place.told), secret.inside(fact) + len(block)
        total = Fraction(0)
        for chance, inside, rows in zip(likely, over.tolist(), secret.rows.tolist(), strict=True):
            total += Fraction(chance) * (1 - Fraction(inside, rows + column.size))
        return round(total * BILLION)

    def worst(self, j: int, block: frozenset[int]) -> int:
        """Return the largest figure of any answer."""
        found = [top for x, top in enumerate(self.alone[j][1]) if x not in block]
        return max(found + (self._blocks(j, [block])[1] if block else []), default=0)

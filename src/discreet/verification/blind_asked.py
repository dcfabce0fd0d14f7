"""Blind protection replayed: the block of each column, how likely its cell is outside, and how sure that makes anybody.

By code of verification alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, overload

import numpy as np

from discreet.plan.blind_statement import GROWING
from discreet.verification.blind_reading import Flags, Places, ReleasedColumn
from discreet.verification.blind_references import BILLION, EXTRA, QUARTER, Billionths, Long, StatedFact, StatedSecret

SLACK = 1_000
"""Billionths that are added to a chance that is reckoned by floats, amply more than their error."""


@dataclass(frozen=True)
class AskedRules:
    """How rows are asked, as the statement says."""

    columns: Sequence[ReleasedColumn]
    secrets: Sequence[StatedSecret]
    references: tuple[str, ...]
    blocks: str
    rule: str

    def nearby(self, secret: StatedSecret, facts: Sequence[StatedFact]) -> tuple[Any, Any, int] | None:
        """Return the weights of all rows by element and by value, and of one that agrees, where `kernel` is asked."""
        if "kernel" not in self.references:
            return None
        far = np.zeros(len(secret.knowing), dtype=np.int64)
        for j, elements in facts:
            far += ~np.isin(secret.codes[j], self.columns[j].agreeing(elements))
        return (*secret.weighed(far, len(facts)), QUARTER ** len(facts))


class _BlocksWithout(Sequence[StatedFact]):
    """A block of a column without each of some elements, made where it is asked for."""

    def __init__(self, column: int, block: frozenset[int], others: Sequence[int]) -> None:
        self.column, self.block, self.others = column, block, list(others)

    def __len__(self) -> int:
        return len(self.others)

    @overload
    def __getitem__(self, at: int) -> StatedFact: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[StatedFact]: ...
    def __getitem__(self, at: int | slice) -> StatedFact | Sequence[StatedFact]:
        if isinstance(at, slice):
            return _BlocksWithout(self.column, self.block, self.others[at])
        return self.column, self.block - {self.others[at]}


@dataclass(frozen=True, eq=False)
class AskedPlace:
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


class AskedRow:
    """What each answer of each column would come to, for rows of which the same is told."""

    def __init__(self, asking: AskedRules, place: AskedPlace) -> None:
        self.asking, self.place = asking, place
        self.counts = [secret.tally(rows) for secret, rows in zip(asking.secrets, place.members, strict=True)]
        self.starred = len(place.told) > len(place.shown)
        self.plain = self.counts
        if self.starred:
            self.plain = [secret.tally(rows) for secret, rows in zip(asking.secrets, place.plain, strict=True)]
        self.scores, self.plain_scores = place.scores, place.plain_scores
        self.near = [asking.nearby(secret, place.told) for secret in asking.secrets]
        self.plain_near = [asking.nearby(secret, place.shown) for secret in asking.secrets]
        self.alone = self._alone()
        self._chances: dict[tuple[int, int], int] = {}

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
        secret, references = self.asking.secrets[at], self.asking.references
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
        asking, left = self.asking, self.place.left
        start = asking.secrets[0].start
        lines = [int(start[j]) + x for j in left for x in range(asking.columns[j].size)]
        facts = [(j, frozenset([x])) for j in left for x in range(asking.columns[j].size)]
        fine, top = np.ones(len(lines), dtype=np.bool_), np.zeros(len(lines), dtype=np.int64)
        for at, secret in enumerate(asking.secrets):
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
            end = begin + asking.columns[j].size
            found[j] = fine[begin:end].tolist(), top[begin:end].tolist()
            begin = end
        return found

    @cached_property
    def before(self) -> int:
        """The largest figure of what is told already, stars read as nothing."""
        top = 0
        for at, (secret, rows) in enumerate(zip(self.asking.secrets, self.place.plain, strict=True)):
            if not self.place.shown:
                break
            if "naive_bayes" in self.asking.references:
                top = max(top, *secret.figures(self.place.shown, self.plain_scores[at]))
            if "count" in self.asking.references:
                line = np.bincount(secret.value[rows], minlength=secret.values)[None, :]
                top = max(top, int(secret.counted(line)[1][0]))
            near = self.asking.nearby(secret, self.place.shown)
            if near is not None:
                top = max(top, int(secret.counted(near[1][None, :], near[2])[1][0]))
        return top

    def _blocks(self, j: int, blocks: Sequence[frozenset[int]]) -> tuple[list[bool], list[int]]:
        """Say of blocks of a column whether they may be told, and the largest figure then."""
        facts = [(j, block) for block in blocks]
        fine, top = np.ones(len(blocks), dtype=np.bool_), np.full(len(blocks), self.before, dtype=np.int64)
        for at, secret in enumerate(self.asking.secrets):
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
        column = self.asking.columns[j]
        every = frozenset(range(column.size))
        block = frozenset(x for x, fine in enumerate(self.alone[j][0]) if not fine)
        if block and self.asking.blocks == "none":
            return every
        if block and column.marked is not None:
            block |= {column.marked}
        if not block or block == every or self._blocks(j, [block])[0][0]:
            return block
        return self._grown(j, block, every) if self.asking.rule == GROWING else self._left(j, block, every)

    def _grown(self, j: int, block: frozenset[int], every: frozenset[int]) -> frozenset[int]:
        """Return a block that others have joined until it may be told, or is whole."""
        while block != every and not self._blocks(j, [block])[0][0]:
            others = sorted(every - block)
            _, top = self._blocks(j, [block | {x} for x in others])
            block |= {others[top.index(min(top))]}
        return block

    def _left(self, j: int, must: frozenset[int], every: frozenset[int]) -> frozenset[int]:
        """Return what is left of the whole when elements have left it that are not among some.

        Of elements that are alike the first leaves first, so that only it is looked at.
        """
        block: Flags = np.ones(len(every), dtype=np.bool_)
        queues = self._alike(j, sorted(every - must))
        while True:
            others = sorted(queue[-1] for queue in queues if queue)
            fine, rooms = self._rooms(j, block, others) if others else ([], [])
            able = [(x, room) for x, may, room in zip(others, fine, rooms, strict=True) if may]
            if not able:
                return frozenset(np.flatnonzero(block).tolist())
            gone = self._heaviest(j, able)
            block[gone] = False
            next(queue for queue in queues if queue and queue[-1] == gone).pop()

    def _alike(self, j: int, elements: Sequence[int]) -> list[list[int]]:
        """Put elements together that as many rows have of each value, whatever is asked; the first stands last."""
        if self.asking.columns[j].below is not None:
            return [[x] for x in elements]
        found: dict[tuple[Any, ...], list[int]] = {}
        for x in reversed(elements):
            key: list[Any] = []
            for secret, counts, near in zip(self.asking.secrets, self.counts, self.near, strict=True):
                line = int(secret.start[j]) + x
                key += [*secret.own[line].tolist(), *counts[line].tolist()]
                key += [] if near is None else near[0][line].tolist()
            found.setdefault(tuple(key), []).append(x)
        return list(found.values())

    def _rooms(self, j: int, block: Flags, others: Sequence[int]) -> tuple[list[bool], list[int]]:
        """Say of a block without each of some elements whether it may be told, and the least left of any limit."""
        references, size = self.asking.references, int(block.sum()) - 1
        fine, room = np.ones(len(others), dtype=np.bool_), np.full(len(others), BILLION, dtype=np.int64)
        facts = _BlocksWithout(j, frozenset(np.flatnonzero(block).tolist()), others)
        for at, secret in enumerate(self.asking.secrets):
            found: list[tuple[Flags, Billionths]] = []
            if "naive_bayes" in references:
                over = (self._without(at, facts, block, secret.own) + size).astype(np.longdouble)
                logs: Long = np.log(over / (secret.rows + len(block)).astype(np.longdouble))
                found.append(secret.each_bayes(self.place.told, self.scores[at], facts, logs))
            if "count" in references:
                found.append(secret.each_counted(self._without(at, facts, block, self.counts[at])))
            if (near := self.near[at]) is not None:
                lines, total, one = self._without(at, facts, block, near[0]), *near[1:]
                found.append(secret.each_counted(lines * QUARTER + (total[None, :] - lines), one * QUARTER))
            for within, figures in found:
                fine &= within
                room = np.minimum(room, (secret.most + 1 - figures).min(axis=1))
        return fine.tolist(), room.tolist()

    def _without(self, at: int, facts: _BlocksWithout, block: Flags, counts: Any) -> Any:
        """Return how many rows agree with a block without each of some elements, by value."""
        secret, column = self.asking.secrets[at], self.asking.columns[facts.column]
        if column.below is not None:
            return np.array([secret.inside(fact, counts) for fact in facts])
        start = int(secret.start[facts.column])
        mine = counts[start : start + column.size]
        return mine[block].sum(axis=0)[None, :] - mine[facts.others]

    def _heaviest(self, j: int, able: Sequence[tuple[int, int]]) -> int:
        """Return the element whose probability times the room that it leaves is the largest, the first of several."""
        if self.asking.references[0] == "naive_bayes":
            column, secret = self.asking.columns[j], self.asking.secrets[0]
            about = {}
            for x, room in able:
                share = (secret.inside((j, frozenset([x]))) + 1) / (secret.rows + column.size)
                likely, slip = float(self._likely @ share) * BILLION, SLACK * abs(room)
                about[x] = likely * room - slip, likely * room + slip
            least = max(low for low, _ in about.values())
            able = [(x, room) for x, room in able if about[x][1] >= least]
            if len(able) == 1:
                return able[0][0]
        return min(able, key=lambda each: (-self._probability(j, each[0]) * each[1], each[0]))[0]

    def _probability(self, j: int, x: int) -> int:
        """Return how likely a column has an element, in billionths."""
        if (j, x) not in self._chances:
            self._chances[j, x] = BILLION - self.chance(j, frozenset([x]))
        return self._chances[j, x]

    @cached_property
    def _likely(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """How likely each value of the first secret is by naive Bayes, nearly."""
        secret = self.asking.secrets[0]
        score = self.scores[0] * (np.longdouble(secret.power(len(self.place.told))) / 20)
        scores = (secret.shares + score).astype(np.float64)
        odds = np.exp(scores - scores.max())
        return np.asarray(odds / odds.sum())

    def at_most(self, j: int) -> int:
        """Return billionths above which no chance of a column can be: that of all it may be told; blocks only grow."""
        bad = frozenset(x for x, fine in enumerate(self.alone[j][0]) if not fine)
        if not bad or self.asking.references[0] != "naive_bayes":
            return BILLION
        column, secret = self.asking.columns[j], self.asking.secrets[0]
        if len(bad) == column.size:
            return 0
        outside = 1 - (secret.inside((j, bad)) + len(bad)) / (secret.rows + column.size)
        return int(float(self._likely @ outside) * BILLION) + SLACK

    def chance(self, j: int, block: frozenset[int]) -> int:
        """Return how likely the cell is outside the block, in billionths."""
        column, secret = self.asking.columns[j], self.asking.secrets[0]
        if not block or len(block) == column.size:
            return 0 if block else BILLION
        fact = (j, block)
        if self.asking.references[0] == "count":
            rows = len(self.place.members[0])
            outside = Fraction(secret.total - int(secret.inside(fact).sum()), secret.total)
            told = rows - int(secret.inside(fact, self.counts[0]).sum())
            return round((told + EXTRA * outside) / (rows + EXTRA) * BILLION)
        near = self.near[0]
        if self.asking.references[0] == "kernel" and near is not None:
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

"""What is asked next of a row, reckoned with 30 digits: where the floats of the kernels are too near to tell.

Comes to the same as `blind_kernels.decide`, without its doubt; slow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from decimal import ROUND_HALF_EVEN, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from typing import Any

from discreet.method.cells.blind_columns import Ints
from discreet.method.cells.blind_judging_kernels import ADDED, BlindLearned, BlindRules
from discreet.method.cells.blind_kernels import LEAST_CHANCE, STOP
from discreet.method.cells.blind_near import WeighedRows
from discreet.method.cells.blind_tau import DIGITS
from discreet.method.cells.blind_tau_kernels import STEPS

BILLION = 10**9
Likelihoods = list[tuple[int, int]]
"""Of a fact with each value of all secrets, as whole numbers over and under the line."""


@lru_cache(maxsize=1 << 16)
def _ln(over: int, under: int) -> Decimal:
    with localcontext() as context:
        context.prec = DIGITS
        return (Decimal(over) / Decimal(under)).ln()


def billionths(number: Fraction) -> int:
    """Return a fraction rounded to 9 decimals, half to even."""
    return round(number * BILLION)


class ExactNode:
    """What was told of a row, in both readings, and the rows of the rest that agree."""

    def __init__(
        self,
        learned: BlindLearned,
        asked: BlindRules,
        facts: Sequence[tuple[int, frozenset[int]]],
        stars: set[int],
        near: tuple[WeighedRows, WeighedRows] | None = None,
    ) -> None:
        """Take the facts: a predictor with the elements of one value or of a block; `stars` are those with blocks.

        `near` are the rows as `kernel` weighs them, in both readings.
        """
        self.near = near
        self.learned, self.asked = learned, asked
        self.readings = [list(facts), [fact for fact in facts if fact[0] not in stars]]
        self.secrets = range(len(learned.known))

    def likelihoods(self, fact: tuple[int, frozenset[int]]) -> Likelihoods:
        """Return the likelihood of a fact with each value of all secrets, as whole numbers over and under the line."""
        j, elements = fact
        first, last = int(self.learned.first[j]), int(self.learned.first[j + 1])
        having = self.learned.having[sorted(self._covered(j, elements))].sum(axis=0)
        return [(int(having[v]) + len(elements), int(self.learned.rows[v]) + last - first) for v in range(len(having))]

    def _covered(self, j: int, elements: Iterable[int]) -> set[int]:
        first = int(self.learned.first[j])
        starts = self.learned.cover_first
        return {
            int(y)
            for x in elements
            for y in self.learned.cover[int(starts[first + x]) : int(starts[first + x + 1])].tolist()
        }

    def bayes(
        self, c: int, facts: Sequence[tuple[int, frozenset[int]]], more: Likelihoods | None = None
    ) -> list[Decimal]:
        """Return the posterior of each value of a secret by naive Bayes, with 30 digits; `more` are those of a fact."""
        begin, end = int(self.learned.secret[c]), int(self.learned.secret[c + 1])
        told = [self.likelihoods(fact) for fact in facts] + ([] if more is None else [more])
        tau = Decimal(round(self.learned.tau[c, len(told)] * STEPS)) / STEPS if told else Decimal(1)
        with localcontext() as context:
            context.prec = DIGITS
            scores = []
            for v in range(begin, end):
                score = sum((_ln(*likelihoods[v]) for likelihoods in told), Decimal(0))
                scores.append(_ln(int(self.learned.rows[v]), int(self.learned.known[c])) + tau * score)
            largest = max(scores)
            odds = [(score - largest).exp() for score in scores]
            total = sum(odds, Decimal(0))
            return [each / total for each in odds]

    def judge(
        self, facts: Sequence[tuple[int, frozenset[int]]], agreeing: Ints, near: tuple[Any, int] | None = None
    ) -> tuple[bool, int]:
        """Say whether all references are within the limits with some facts, and the largest figure in billionths.

        `agreeing` are the rows that agree with all, `near` all rows by weight, with the weight of one that agrees.
        """
        if not facts:
            return True, 0
        found = list(self.figures(facts, agreeing, near))
        return all(fine for _, _, fine in found), max((figure for _, figure, _ in found), default=0)

    def figures(
        self,
        facts: Sequence[tuple[int, frozenset[int]]],
        agreeing: Ints,
        near: tuple[Any, int] | None,
        more: Likelihoods | None = None,
    ) -> Iterator[tuple[int, int, bool]]:
        """Yield of each value and reference how sure it is, in billionths, and whether that is within the limit.

        `more` are the likelihoods of one fact besides.
        """
        for c in self.secrets:
            begin, end = int(self.learned.secret[c]), int(self.learned.secret[c + 1])
            if self.asked.bayes:
                for v, chance in zip(range(begin, end), self.bayes(c, facts, more), strict=True):
                    with localcontext() as context:
                        context.prec = DIGITS
                        figure = int((chance * BILLION).to_integral_value(ROUND_HALF_EVEN))
                    yield v, figure, figure <= int(self.learned.cap[v])
            weighed = [(agreeing, 1)] if self.asked.counts else []
            weighed += [near] if near is not None else []
            for weights, one in weighed:
                rows = int(weights[begin:end].sum())
                for v in range(begin, end):
                    share = Fraction(int(self.learned.rows[v]), int(self.learned.known[c]))
                    likely = (int(weights[v]) + ADDED * one * share) / (rows + ADDED * one)
                    limit = Fraction(int(self.learned.over[v]), int(self.learned.parts[c]))
                    yield v, billionths(likely), likely <= limit

    def room(self, j: int, block: frozenset[int], tallied: Ints) -> int | None:
        """Return the least that a reference leaves of a limit if a block is told; None if one is above."""
        covered = sorted(self._covered(j, block))
        near = None if self.near is None else self.near[0].with_fact(covered)
        return self._room(self.likelihoods((j, block)), tallied[covered].sum(axis=0), near)

    def _room(self, likelihoods: Likelihoods, agreeing: Ints, near: tuple[Any, int] | None) -> int | None:
        found = list(self.figures(self.readings[0], agreeing, near, likelihoods))
        if not all(fine for _, _, fine in found):
            return None
        return min((int(self.learned.cap[v]) + 1 - figure for v, figure, _ in found), default=0)

    def outcome(self, fact: tuple[int, frozenset[int]], *, star: bool, tallied: Ints, told: Ints) -> tuple[bool, int]:
        """Judge one fact more, in both readings."""
        covered = sorted(self._covered(*fact))
        near = (None, None) if self.near is None else tuple(each.with_fact(covered) for each in self.near)
        fine, top = self.judge([*self.readings[0], fact], tallied[covered].sum(axis=0), near[0])
        if star:
            before = None if self.near is None else (self.near[1].total, self.near[1].scale)
            other, also = self.judge(self.readings[1], _rows(self.learned, fact[0], told), before)
        else:
            other, also = self.judge([*self.readings[1], fact], told[covered].sum(axis=0), near[1])
        return fine and (other or star), max(top, also)

    def block(self, j: int, tallied: Ints, told: Ints) -> tuple[frozenset[int], int]:
        """Return the elements of a predictor that are starred, and the largest figure of what can then be told."""
        elements = frozenset(range(int(self.learned.first[j + 1] - self.learned.first[j])))
        alone = {x: self.outcome((j, frozenset([x])), star=False, tallied=tallied, told=told) for x in elements}
        block = frozenset(x for x in elements if not alone[x][0])
        if block and self.asked.whole:
            return elements, 0
        if block and self.learned.marked[j] >= 0:
            block |= {int(self.learned.marked[j])}
        if block and block != elements and self.room(j, block, tallied) is None:
            block = self._left(j, block, tallied) if self.asked.leaves else self._grown(j, block, tallied, told)
        tops = [alone[x][1] for x in elements - block]
        if block and block != elements:
            tops.append(self.outcome((j, block), star=True, tallied=tallied, told=told)[1])
        return block, max(tops, default=0)

    def _left(self, j: int, must: frozenset[int], tallied: Ints) -> frozenset[int]:
        """Let elements leave the whole one by one, but for some, as long as it is within the limits.

        Of elements that are alike the first leaves first, so that only it is looked at.
        """
        first, last = int(self.learned.first[j]), int(self.learned.first[j + 1])
        block = set(range(last - first))
        queues = self._alike(j, sorted(block - must), tallied)
        likely = {queue[0]: BILLION - self.chance(j, frozenset(queue[:1]), tallied) for queue in queues}
        having = self.learned.having
        inside, agreeing = having[first:last].sum(axis=0), tallied[first:last].sum(axis=0)
        sums = self.near is None and not self._has_labels(j)
        while True:
            weights = []
            for queue in queues:
                x = queue[-1]
                if sums:  # what agrees with the block, less what agrees with this one
                    over = (inside - having[first + x] + len(block) - 1).tolist()
                    under = (self.learned.rows + last - first).tolist()
                    room = self._room(list(zip(over, under, strict=True)), agreeing - tallied[first + x], None)
                else:
                    room = self.room(j, frozenset(block - {x}), tallied)
                if room is not None:
                    weights.append((-likely[queue[0]] * room, x, queue))
            if not weights:
                return frozenset(block)
            _, gone, queue = min(weights, key=lambda each: each[:2])
            block.remove(gone)
            inside, agreeing = inside - having[first + gone], agreeing - tallied[first + gone]
            queue.pop()
            queues = [each for each in queues if each]

    def _has_labels(self, j: int) -> bool:
        """Whether some elements of a predictor agree with others, as labels above others do."""
        first, last = int(self.learned.first[j]), int(self.learned.first[j + 1])
        return int(self.learned.cover_first[last]) - int(self.learned.cover_first[first]) > last - first

    def _alike(self, j: int, elements: Sequence[int], tallied: Ints) -> list[list[int]]:
        """Put elements together with which as many rows agree, and with no other; the first stands last."""
        if self._has_labels(j):
            return [[x] for x in elements]
        first = int(self.learned.first[j])
        found: dict[tuple[object, ...], list[int]] = {}
        for x in reversed(elements):
            key = [*self.learned.having[first + x].tolist(), *tallied[first + x].tolist()]
            key += [] if self.near is None else self.near[0].weights[first + x].tolist()
            found.setdefault(tuple(key), []).append(x)
        return list(found.values())

    def _grown(self, j: int, block: frozenset[int], tallied: Ints, told: Ints) -> frozenset[int]:
        """Let elements join a block one by one until it is within the limits, or whole."""
        elements = frozenset(range(int(self.learned.first[j + 1] - self.learned.first[j])))
        while block != elements and self.room(j, block, tallied) is None:
            grown = [
                (self.outcome((j, block | {x}), star=True, tallied=tallied, told=told)[1], x)
                for x in sorted(elements - block)
            ]
            block |= {min(grown)[1]}
        return block

    def chance(self, j: int, block: frozenset[int], tallied: Ints) -> int:
        """Return how likely the element is outside the block, by the first reference, in billionths."""
        elements = int(self.learned.first[j + 1] - self.learned.first[j])
        if len(block) in (0, elements):
            return 0 if block else BILLION
        end, covered = int(self.learned.secret[1]), sorted(self._covered(j, block))
        if self.asked.by_count or self.asked.by_near:
            weights, total, one = tallied, _rows(self.learned, j, tallied), 1
            if self.asked.by_near:
                assert self.near is not None
                weights, total, one = self.near[0]
            rows = int(total[:end].sum())
            outside = rows - int(weights[covered][:, :end].sum())
            share = Fraction(
                int(self.learned.known[0]) - int(self.learned.having[covered][:, :end].sum()),
                int(self.learned.known[0]),
            )
            return billionths((outside + ADDED * one * share) / (rows + ADDED * one))
        likelihoods = self.likelihoods((j, block))
        with localcontext() as context:
            context.prec = DIGITS
            now = self.bayes(0, self.readings[0])
            inside = (Decimal(likelihoods[v][0]) / likelihoods[v][1] for v in range(end))
            likely = sum((now[v] * (1 - within) for v, within in enumerate(inside)), Decimal(0))
            return int((likely * BILLION).to_integral_value(ROUND_HALF_EVEN))


def _rows(learned: BlindLearned, j: int, tallied: Ints) -> Ints:
    """Return the rows that are tallied, by value."""
    found: Ints = tallied[int(learned.first[j]) : int(learned.first[j + 1])].sum(axis=0)
    return found


def decide_exactly(
    node: ExactNode, open_: Sequence[int], rank: Sequence[int], tallied: Ints, told: Ints
) -> tuple[int, frozenset[int]]:
    """Return the predictor that is asked next and its block; `STOP` where nothing is."""
    found = []
    unranked = len(rank)
    for j in open_:
        block, worst = node.block(j, tallied, told)
        chance = node.chance(j, block, tallied)
        if chance >= LEAST_CHANCE:
            by_chance = (-chance, worst) if rank[j] == unranked else (0, 0)
            found.append((rank[j], by_chance, j, block))
    if not found:
        return STOP, frozenset()
    _, _, j, block = min(found, key=lambda each: each[:3])
    return j, block

"""Genetic search over cuts: GENITOR, as Iyengar uses it (section 4; settings and Figures 9 and 10: section 5).

One child at a time: two different members of the population, the better the likelier, are crossed at two points of
their bits and repaired, bits are flipped by lot, and the child takes the place of the worst member unless it is worse
or there already.

Guarantee: every string is that of a cut, no two members are equal, the best only gets better, and the cut returned
was evaluated as a whole; every group it keeps keeps every promise. It leaves out no more rows than allowed, unless
no cut that it saw does. The same random numbers give the same result: costs are whole numbers. It says nothing
about how far the best of all cuts is, unless it has seen them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from discreet.encoded import Ints
from discreet.method.base.problem import CutProblem
from discreet.method.base.space import Floats
from discreet.method.cuts.bits import Bits, Cuts, cuts_of, number_of_cuts
from discreet.method.cuts.coordinate import cut_of
from discreet.method.cuts.evaluation import Evaluator
from discreet.method.cuts.genetic_kernels import (
    DISTINCT,
    ENTRIES,
    MEMBERS,
    WAITS,
    Chunk,
    Herd,
    Strings,
    advance,
    forget,
    take,
)
from discreet.method.cuts.objective import Candidate, Objective
from discreet.method.cuts.quick import Quick
from discreet.method.cuts.quick_kernels import Bytes

CHUNK = 4_000
"""Iterations whose random numbers are drawn at once."""
WORK = 20_000_000
"""Collapsed rows looked at before the search asks whether to go on."""
SLOWER = 20
"""How many times as long the general evaluation takes, about."""
MEMO, MOST_REMEMBERED = 2**28, 2**20
"""Bytes for strings whose costs are remembered, and how many there may be."""
VAIN_DRAWS, LEAST_DRAWS, LARGEST_DRAW = 5, 64, 2**22
"""Rounds without a new string before the start gives up; strings, and switches, of a round."""
_NO_LOTS = np.zeros((2, 0), dtype=np.int64)
_NO_CHUNK = Chunk(_NO_LOTS, _NO_LOTS, _NO_LOTS[0], _NO_LOTS[0])
_NO_STRINGS: Bytes = np.zeros((0, 0), dtype=np.uint8)


@dataclass(frozen=True)
class GeneticWatch:
    """How far the search is: what the paper's Figures 9 and 10 show."""

    iterations: int
    left: int
    """Iterations to come."""
    best: Candidate
    distinct: int
    """Different strings so far."""


def search(
    problem: CutProblem,
    evaluator: Evaluator,
    objective: Objective,
    *,
    population: int = 5_000,
    iterations: int = 500_000,
    mutation: float = 0.002,
    bias: float = 1.5,
    rng: np.random.Generator,
    carry_on: Callable[[GeneticWatch], bool] = lambda _: True,
) -> Candidate:
    """Return the best cut found; `carry_on` is asked at the start, every few thousand iterations and at the end.

    The settings are those of the paper. Once all cuts were seen, the search ends. It does not end before its time
    without a cut that leaves out no more rows than it may.
    """
    genitor = Genitor(
        problem, evaluator, objective,
        population=population, mutation=mutation, bias=bias, rng=rng, iterations=iterations,
    )  # fmt: skip
    for done in genitor.run(iterations):
        left = 0 if genitor.saw_everything else iterations - done
        best = genitor.best()
        if not carry_on(GeneticWatch(done, left, best, genitor.distinct)) and objective.allows(best.outcome):
            break
    return genitor.best()


class Genitor:
    """A population of cuts that gets better."""

    def __init__(
        self,
        problem: CutProblem,
        evaluator: Evaluator,
        objective: Objective,
        *,
        population: int,
        mutation: float = 0.002,
        bias: float = 1.5,
        rng: np.random.Generator,
        iterations: int = MOST_REMEMBERED,
    ) -> None:
        self.problem, self.evaluator, self.objective = problem, evaluator, objective
        self.mutation, self.bias, self.rng = mutation, bias, rng
        self.cuts = cuts_of([column.space for column in problem.columns], [column.pinned for column in problem.columns])
        self.strings = _strings(self.cuts)
        self.quick = Quick(problem, evaluator, objective, self.cuts)
        self.everything = number_of_cuts(self.cuts)
        self.herd = _no_members(min(population, self.everything), self.everything, iterations, len(self.cuts.parent))
        self._best: tuple[bytes, Candidate] | None = None

    @property
    def distinct(self) -> int:
        """How many different strings were made; those from before the memo was full count again."""
        return int(self.herd.state[DISTINCT])

    @property
    def size(self) -> int:
        """How many members there are."""
        return int(self.herd.state[MEMBERS])

    @property
    def costs(self) -> Ints:
        """The costs of the members, the best first."""
        return self.herd.costs[: self.size].copy()

    def members(self) -> Bits:
        """Return the strings of the members, the best first."""
        return bits_of(self.herd.members[self.herd.order[: self.size]], self.cuts)

    def best(self) -> Candidate:
        """Return the best member."""
        on = self.herd.members[self.herd.order[0]]
        if self._best is None or self._best[0] != on.tobytes():
            best = self._evaluate(on)
            assert self.quick.cost(best.outcome) == self.herd.costs[0]
            self._best = on.tobytes(), best
        return self._best[1]

    def run(self, iterations: int) -> Iterator[int]:
        """Fill the population, then breed; yield the number of iterations done, from time to time."""
        for _ in self._start():
            yield 0
        done = 0
        while done < iterations and self.size > 1 and not self.saw_everything:
            self._make_room()
            self.quick.narrow(self.herd.members)
            some = min(CHUNK, iterations - done)
            for made in self._breed(draw(some, self.size, self.cuts.length, self.mutation, self.bias, self.rng)):
                yield done + made
            done += some

    def _start(self) -> Iterator[int]:
        """Draw strings of random densities, the coarsest first, until there are enough different ones."""
        switches, wanted = len(self.cuts.parent), len(self.herd.order)
        yield from self._gather(np.zeros((1, switches), dtype=np.uint8))
        vain = 0
        while self.size < wanted and vain < VAIN_DRAWS:
            before = self.size
            some = min(max(wanted - before, LEAST_DRAWS), max(LARGEST_DRAW // switches, 1))
            drawn = self.cuts.random(self.rng.random(some), self.rng)
            yield from self._gather(np.ascontiguousarray(drawn[:, self.cuts.order[self.cuts.begins]]))
            vain = 0 if self.size > before else vain + 1
        self.herd = self.herd._replace(
            order=self.herd.order[: self.size],
            costs=self.herd.costs[: self.size],
            members=self.herd.members[: self.size],
        )

    def _breed(self, chunk: Chunk) -> Iterator[int]:
        """Make some children."""
        return self._work(len(chunk.begins) - 1, _NO_STRINGS, chunk)

    def _gather(self, drawn: Bytes) -> Iterator[int]:
        """Take in strings, each once, until there are enough."""
        return self._work(len(drawn), drawn, _NO_CHUNK)

    def _work(self, end: int, drawn: Bytes, chunk: Chunk) -> Iterator[int]:
        """Go on up to `end`, from time to time yielding how far it came; evaluate what waits in the general way."""
        at = 0
        while at < end:
            looked = 0
            while looked <= WORK:
                at = advance(at, drawn, chunk, self.strings, self.quick.tables, self.herd, WORK)
                if not self.herd.state[WAITS]:
                    break
                outcome = self._evaluate(self.herd.child).outcome
                take(self.quick.cost(outcome), self.strings, self.herd)
                at += 1
                looked += SLOWER * len(self.problem.sizes) * max(len(self.problem.tables), 1)
            yield at

    def _evaluate(self, on: Bytes) -> Candidate:
        cut = cut_of(bits_of(on, self.cuts), self.cuts)
        outcome = self.evaluator.evaluate(cut)
        return Candidate(outcome.cut, outcome, self.objective.cost(outcome))

    @property
    def saw_everything(self) -> bool:
        """Whether there is no cut that was never made."""
        return self.everything <= len(self.herd.paid) and self.distinct >= self.everything

    def _make_room(self) -> None:
        """Forget all strings but the members where the next ones would not fit in the memo."""
        herd = self.herd
        if herd.state[ENTRIES] + CHUNK > len(herd.paid) and self.everything > len(herd.paid):
            herd.places.fill(0)
            forget(self.strings, herd)


def draw(some: int, size: int, length: int, mutation: float, bias: float, rng: np.random.Generator) -> Chunk:
    """Draw parents, crossing points and flips for some iterations."""
    pairs = ranks(rng.random((2, some)), size, bias)
    while (same := np.flatnonzero(pairs[0] == pairs[1])).size:
        pairs[1, same] = ranks(rng.random(same.size), size, bias)
    spans = np.zeros((2, some), dtype=np.int64)
    if length > 1:
        spans[0], spans[1] = rng.integers(length, size=some), rng.integers(length - 1, size=some)
        spans[1] += spans[1] >= spans[0]
        spans.sort(axis=0)
    hit = _lots(some * length, mutation, rng)
    return Chunk(pairs, spans, hit % max(length, 1), np.searchsorted(hit, np.arange(some + 1) * length))


def ranks(u: Floats, size: int, bias: float) -> Ints:
    """Return `genitor_rank` of each."""
    root = np.sqrt(bias * bias - 4 * (bias - 1) * u)
    return np.minimum((size * 2 * u / (bias + root)).astype(np.int64), size - 1)


def _lots(many: int, probability: float, rng: np.random.Generator) -> Ints:
    """Return which of so many things are drawn, each with this probability."""
    found, last = [np.zeros(0, dtype=np.int64)], -1
    while probability > 0 and last < many:
        likely = (many - last) * probability
        gaps = rng.geometric(probability, size=int(likely + 4 * math.sqrt(likely)) + 16)
        found.append(last + np.cumsum(np.minimum(gaps, many + 1)))
        last = int(found[-1][-1])
    together = np.concatenate(found)
    return together[together < many]


def _strings(cuts: Cuts) -> Strings:
    # Any numbers will do to spread strings over the memo: they decide nothing.
    marks = np.random.default_rng(0).integers(2**64, size=len(cuts.parent), dtype=np.uint64)
    return Strings(cuts.switch, cuts.parent, cuts.widths, marks)


def _no_members(population: int, everything: int, iterations: int, switches: int) -> Herd:
    words = -(-switches // 64)
    entries = min(everything, MOST_REMEMBERED, MEMO // (8 * words + 32), population + iterations + CHUNK)
    entries = max(entries, population) + CHUNK
    return Herd(
        order=np.zeros(population, dtype=np.int64),
        costs=np.zeros(population, dtype=np.int64),
        members=np.zeros((population, switches), dtype=np.uint8),
        entries=np.zeros(population, dtype=np.int64),
        places=np.zeros(1 << (2 * entries).bit_length(), dtype=np.int32),
        words=np.empty((entries, words), dtype=np.uint64),
        paid=np.empty(entries, dtype=np.int64),
        inside=np.empty(entries, dtype=np.bool_),
        child=np.zeros(switches, dtype=np.uint8),
        packed=np.zeros(words, dtype=np.uint64),
        more=np.zeros(switches, dtype=np.int64),
        hit=np.zeros(switches, dtype=np.bool_),
        state=np.zeros(5, dtype=np.int64),
    )


def bits_of(on: Bytes, cuts: Cuts) -> Bits:
    """Return switches as strings."""
    bits = np.zeros((*on.shape[:-1], cuts.length), dtype=np.uint8)
    bits[..., cuts.order] = np.repeat(on, cuts.widths, axis=-1)
    return bits

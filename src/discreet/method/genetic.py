"""Genetic search over cuts: GENITOR, as Iyengar uses it (section 4; settings and Figures 9 and 10: section 5).

One child at a time: two different members of the population, the better the likelier, are crossed at two points of
their bits and repaired, bits are flipped by lot, and the child takes the place of the worst member unless it is worse
or there already.

Guarantee: every string is that of a cut, no two members are equal, the best only gets better, and the cut returned
was evaluated as a whole; every group it keeps keeps every promise. It leaves out no more rows than allowed, unless
even the coarsest cut does. The same random numbers give the same result: costs are whole numbers. It says nothing
about how far the best of all cuts is, unless it has seen them all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from discreet.method.coordinate import Candidate, Objective, cut_of
from discreet.method.cuts import Bits, Cuts, cuts_of
from discreet.method.evaluation import Cut, Evaluator, Outcome
from discreet.method.genetic_kernels import (
    DIRECT,
    Aims,
    Bytes,
    Herd,
    Meaning,
    Room,
    Rows,
    Strings,
    Words,
    admit,
    breed,
    forget,
    gather,
    outcome_of,
)
from discreet.method.problem import CutProblem
from discreet.method.space import Flags, Floats
from discreet.table.encode import Ints, keys

POPULATION, ITERATIONS = 5_000, 500_000
"""The paper's settings."""
SLOW_POPULATION, SLOW_ITERATIONS = 500, 20_000
"""Where strings have to be evaluated one by one in the general way."""
MEMBERS_PER_SWITCH = 64
"""No more members by default."""
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
MANY = 2**62
LARGEST_SET = 2048
"""Columns are looked up together as long as they have no more combinations of codes."""


@dataclass(frozen=True)
class Watch:
    """How far the search is: what the paper's Figures 9 and 10 show."""

    iterations: int
    best: Candidate
    distinct: int
    """Different strings so far."""


def search(
    problem: CutProblem,
    evaluator: Evaluator,
    objective: Objective,
    *,
    population: int | None = None,
    iterations: int | None = None,
    mutation: float = 0.002,
    bias: float = 1.5,
    rng: np.random.Generator,
    carry_on: Callable[[Watch], bool] = lambda _: True,
) -> Candidate:
    """Return the best cut found; `carry_on` is asked at the start, every few thousand iterations and at the end.

    By default `population` and `iterations` are those of the paper (5,000 and 500,000), fewer where there are few
    cuts, or where the promises need the general evaluation. Once all cuts were seen, the search ends.
    """
    herd = Genitor(problem, evaluator, objective, population=population, mutation=mutation, bias=bias, rng=rng)
    for done in herd.run(iterations):
        if not carry_on(Watch(done, herd.best(), herd.distinct)):
            break
    return herd.best()


class Genitor:
    """A population of cuts that gets better."""

    def __init__(
        self,
        problem: CutProblem,
        evaluator: Evaluator,
        objective: Objective,
        *,
        population: int | None = None,
        mutation: float = 0.002,
        bias: float = 1.5,
        rng: np.random.Generator,
    ) -> None:
        if population is not None and population < 2:
            raise ValueError("a population has at least two members")
        if not (0 <= mutation <= 1 and 1 <= bias <= 2):
            raise ValueError("a mutation is a probability, a bias is from 1 to 2")
        self.problem, self.evaluator, self.objective = problem, evaluator, objective
        self.mutation, self.bias, self.rng = mutation, bias, rng
        self.cuts = cuts_of([column.space for column in problem.columns], [column.pinned for column in problem.columns])
        self.quick = Quick(problem, evaluator, objective, self.cuts)
        self.everything = number_of_cuts(self.cuts)
        if population is None:
            most = POPULATION if self.quick.covers else SLOW_POPULATION
            population = max(2, min(most, self.everything // 4, MEMBERS_PER_SWITCH * len(self.cuts.parent)))
        self.herd = _no_members(min(population, self.everything), self.everything, len(self.cuts.parent))
        self._best: tuple[bytes, Candidate] | None = None

    @property
    def distinct(self) -> int:
        """How many different strings were made; those from before the memo was full count again."""
        return int(self.herd.state[1])

    @property
    def costs(self) -> Ints:
        """The costs of the members, the best first; too many rows left out cost more than any cut without."""
        return self.herd.costs[: self.herd.state[4]].copy()

    def members(self) -> Bits:
        """Return the strings of the members, the best first."""
        return _bits(self.herd.members[self.herd.order[: self.herd.state[4]]], self.cuts)

    def best(self) -> Candidate:
        """Return the best member."""
        on = self.herd.members[self.herd.order[0]]
        if self._best is None or self._best[0] != on.tobytes():
            cut, outcome = self._evaluate(on)
            assert self._cost(outcome) == self.herd.costs[0]
            self._best = on.tobytes(), Candidate(cut, outcome, self.objective.cost(outcome))
        return self._best[1]

    def run(self, iterations: int | None = None) -> Iterator[int]:
        """Fill the population, then breed; yield the number of iterations done, from time to time."""
        yield from self._start()
        size = len(self.herd.order)
        if iterations is None:
            per_member = ITERATIONS // POPULATION if self.quick.covers else SLOW_ITERATIONS // SLOW_POPULATION
            iterations = per_member * size
        done = 0
        while done < iterations and size > 1 and not self._saw_everything():
            self._make_room()
            self.quick.narrow(self.herd.members)
            chunk = draw(min(CHUNK, iterations - done), size, self.cuts.length, self.mutation, self.bias, self.rng)
            made = 0
            while made < len(chunk.begins) - 1:
                made = self._breed(made, chunk)
                yield done + made
            done += made

    def _start(self) -> Iterator[int]:
        """Draw strings of random densities, the coarsest first, until there are enough different ones."""
        switches, wanted = len(self.cuts.parent), len(self.herd.order)
        yield from self._gather(np.zeros((1, switches), dtype=np.uint8))
        vain = 0
        while self.herd.state[4] < wanted and vain < VAIN_DRAWS:
            before = int(self.herd.state[4])
            some = min(max(wanted - before, LEAST_DRAWS), max(LARGEST_DRAW // switches, 1))
            drawn = self.cuts.random(self.rng.random(some), self.rng)
            yield from self._gather(np.ascontiguousarray(drawn[:, self.cuts.order[self.cuts.begins]]))
            vain = 0 if self.herd.state[4] > before else vain + 1
        size = int(self.herd.state[4])
        self.herd = self.herd._replace(
            order=self.herd.order[:size], costs=self.herd.costs[:size], members=self.herd.members[:size]
        )

    def _gather(self, drawn: Bytes) -> Iterator[int]:
        """Take in strings, each once, until there are enough."""
        at = 0
        while at < len(drawn) and self.herd.state[4] < len(self.herd.order):
            looked = 0
            while looked <= WORK:
                at = gather(at, drawn, *self._arrays(), WORK, self.quick.covers)
                if not self.herd.state[3]:
                    break
                self._admit(full=False)
                at += 1
                looked += SLOWER * len(self.problem.sizes)
            self._sort()
            yield 0

    def _sort(self) -> None:
        size = int(self.herd.state[4])
        costs = self.herd.paid[self.herd.entries[:size]]
        self.herd.order[:size] = np.argsort(costs, kind="stable")
        self.herd.costs[:size] = costs[self.herd.order[:size]]

    def _breed(self, at: int, chunk: Chunk) -> int:
        """Make children from the given one on, for a while; return how far it came."""
        looked = 0
        while looked <= WORK:
            at = breed(at, chunk.pairs, chunk.spans, chunk.flips, chunk.begins, *self._arrays(), WORK,
                       self.quick.covers)  # fmt: skip
            if not self.herd.state[3]:
                break
            self._admit(full=True)
            at += 1
            looked += SLOWER * len(self.problem.sizes)
        return at

    def _arrays(self) -> tuple[Strings, Meaning, Rows, Rows, Room, Aims, Herd]:
        quick = self.quick
        return quick.strings, quick.meaning, quick.every, quick.few, quick.room, quick.aims, self.herd

    def _admit(self, *, full: bool) -> None:
        """Evaluate the child that waits in the general way and go on with it."""
        admit(self._cost(self._evaluate(self.herd.child)[1]), self.quick.strings, self.herd, full)

    def _evaluate(self, on: Bytes) -> tuple[Cut, Outcome]:
        cut = cut_of(_bits(on, self.cuts), self.cuts)
        return cut, self.evaluator.evaluate(cut)

    def _cost(self, outcome: Outcome) -> int:
        if self.objective.allows(outcome):
            return self.objective.cost(outcome)
        return self.quick.aims.too_many + outcome.gone + outcome.short - self.objective.most_gone

    def _saw_everything(self) -> bool:
        return self.everything <= len(self.herd.paid) and self.distinct >= self.everything

    def _make_room(self) -> None:
        """Forget all strings but the members where the next ones would not fit in the memo."""
        herd = self.herd
        if herd.state[0] + CHUNK > len(herd.paid) and self.everything > len(herd.paid):
            costs = herd.paid[herd.entries[: len(herd.order)]]
            herd.places.fill(0)
            forget(costs, self.quick.strings, herd)


@dataclass(frozen=True)
class Chunk:
    """What is drawn by lot for some iterations."""

    pairs: Ints
    """Ranks of the first and the second parent."""
    spans: Ints
    """From which bit up to which the second gives."""
    flips: Ints
    """Bits flipped."""
    begins: Ints
    """Where those of each iteration begin, and where the last ones end."""


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


def number_of_cuts(cuts: Cuts) -> int:
    """Return how many cuts there are, MANY for that many or more.

    >>> from discreet.method.space import Space
    >>> number_of_cuts(cuts_of([Space(3)]))
    8
    """
    ways = [1] * len(cuts.parent)
    total = 1
    for switch in range(len(ways) - 1, -1, -1):
        above = int(cuts.parent[switch])
        mine = min(ways[switch] + 1, MANY)
        if above < 0:
            total = min(total * mine, MANY)
        else:
            ways[above] = min(ways[above] * mine, MANY)
    return total


class Quick:
    """A fast evaluation for the common case: one table of all columns, and groups need only be large enough.

    Rows are counted by keys looked up for several columns at once; their classes are packed in as few integers as hold
    them. It gives the same figures as `Evaluator.evaluate`.
    """

    def __init__(self, problem: CutProblem, evaluator: Evaluator, objective: Objective, cuts: Cuts) -> None:
        self.problem = problem
        self.cuts = cuts
        self.covers = _covers(problem, objective)
        self.aims = _aims(problem, evaluator, objective)
        self.strings = _strings(cuts)
        self.meaning = _meaning(evaluator, cuts)
        self.counts = _packed(problem, self.aims)
        self.used: Flags = np.ones(len(cuts.parent), dtype=np.bool_)
        self.every = self.few = self._rows(self.used)
        self.room = _room(problem, self.every, self.aims)

    def narrow(self, members: Bytes) -> None:
        """Collapse the rows as far as all members allow: most of what is bred from them is then cheap to evaluate."""
        if not self.covers:
            return
        used: Flags = np.asarray(members.any(axis=0), dtype=np.bool_)
        if not np.array_equal(used, self.used):
            self.used, self.few = used, self._rows(used)

    def outcome(self, bits: Bits) -> tuple[int, int, int, int] | None:
        """Return units lost, rows misjudged, left out, and to be left out besides; None where numbers are too large.

        Rows are misjudged only where the objective counts them.
        """
        on = bits[self.cuts.order[self.cuts.begins]]
        rows = self.few if not (on.astype(np.bool_) & ~self.used).any() else self.every
        lost, wrong, gone, short = outcome_of(on, self.strings, self.meaning, rows, self.room, self.aims)
        return None if lost < 0 else (lost, wrong, gone, short)

    def _rows(self, used: Flags) -> Rows:
        """Return the rows as they can be told apart by strings that have only these switches on."""
        parts = self.cuts.parts(_bits(used.astype(np.uint8), self.cuts))
        firsts, codes = [], []
        for part, code in zip(parts, self.problem.codes, strict=True):
            first, number = np.unique(part, return_inverse=True)
            firsts.append(first)
            codes.append(number[code])
        sizes = [len(first) for first in firsts]
        rows, counts = codes, self.counts
        if not used.all():
            key, _ = keys(codes, sizes, len(self.counts))
            _, at, group = np.unique(key, return_index=True, return_inverse=True)
            rows = [code[at] for code in codes]
            counts = np.zeros((len(at), self.aims.words), dtype=np.int64)
            np.add.at(counts, group, self.counts)
        sets = _sets(sizes)
        together = np.stack([keys([rows[c] for c in own], [sizes[c] for c in own], len(counts))[0] for own in sets])
        return Rows(
            mask=_mask(used),
            codes=together.astype(np.uint32),
            counts=counts.ravel(),
            columns=np.array([c for own in sets for c in own], dtype=np.int64),
            sets=np.cumsum([0, *map(len, sets)], dtype=np.int64),
            firsts=np.concatenate([np.zeros(0, dtype=np.int64), *firsts]),
            at=np.cumsum([0, *sizes], dtype=np.int64),
        )


def _covers(problem: CutProblem, objective: Objective) -> bool:
    """Whether the fast evaluation is right for a problem."""
    if len(problem.tables) != 1 or not problem.columns:
        return False
    table = problem.tables[0]
    every = table.columns == tuple(range(len(problem.columns)))
    useful = not objective.wrong or all(column.useful for column in problem.columns)
    plain = all(table.persons) and all(table.limits) and not table.fixed.any()
    known = np.array_equal(table.sizes, problem.sizes) and np.array_equal(problem.classes.sum(axis=1), problem.sizes)
    return every and useful and plain and known


def _aims(problem: CutProblem, evaluator: Evaluator, objective: Objective) -> Aims:
    total = problem.total
    least = company = 0
    for table, near in zip(problem.tables, evaluator.limits, strict=True):
        for limit, (over, under), person in zip(table.limits, near.tolist(), table.persons, strict=True):
            if person:
                least = max(least, -(-under // over) if over else total + 1)
                company = max(company, -(-limit.denominator // limit.numerator) if limit else 0)
    dearest = max(abs(objective.loss) * evaluator.units.per_row + abs(objective.wrong), abs(objective.gone))
    too_many = 2 * total * dearest + 1  # rows are kept or left out, and no more than all are left out besides
    if too_many + 2 * total >= 2**63:
        raise ValueError("the costs of this objective are too large")
    fields = problem.classes.shape[1] if objective.wrong else 1
    bits = max(total.bit_length(), 1)
    return Aims(
        least=least,
        company=0 if evaluator.few_may_pass else company,
        loss=objective.loss,
        wrong=objective.wrong,
        gone=objective.gone,
        most_gone=objective.most_gone,
        too_many=too_many,
        fields=fields,
        bits=bits,
        words=-(-fields // (63 // bits)),
    )


def _packed(problem: CutProblem, aims: Aims) -> Ints:
    """Return the figures of each row in as few integers as hold them."""
    per_word = 63 // aims.bits
    figures = problem.classes if aims.fields > 1 else problem.sizes.reshape(-1, 1)
    packed = np.zeros((len(figures), aims.words), dtype=np.int64)
    for field in range(aims.fields):
        packed[:, field // per_word] += figures[:, field] << (field % per_word * aims.bits)
    return packed


def _strings(cuts: Cuts) -> Strings:
    # Any numbers will do to spread strings over a table: they decide nothing.
    marks = np.random.default_rng(0).integers(2**64, size=len(cuts.parent), dtype=np.uint64)
    return Strings(cuts.switch, cuts.parent, cuts.widths, marks)


def _meaning(evaluator: Evaluator, cuts: Cuts) -> Meaning:
    nodes, stops, losses = [0], list[int](), list[int]()
    positions, hidden, hidden_at = list[int](), list[int](), list[int]()
    for space, units in zip(cuts.spaces, evaluator.units.columns, strict=True):
        hidden_at.append(len(hidden))
        hidden += units.nodes.tolist() if space.plain else []
        positions += units.positions.tolist() if len(units.positions) else [0] * space.size
        begin: list[list[int]] = [[] for _ in range(space.size)]
        for place, node in enumerate(space.nodes):
            if not node.interval:
                begin[node.first].append(place)
        for places in begin:
            stops += [space.nodes[place].stop for place in places]
            losses += [int(units.nodes[place]) for place in places]
            nodes.append(len(stops))
    return Meaning(
        bits=cuts.offsets,
        codes=evaluator.offsets,
        plain=np.array([space.plain for space in cuts.spaces], dtype=np.bool_),
        nodes=np.array(nodes, dtype=np.int64),
        stops=np.array(stops, dtype=np.int64),
        losses=np.array(losses, dtype=np.int64),
        positions=np.array(positions, dtype=np.int64),
        hidden_at=np.array(hidden_at, dtype=np.int64),
        hidden=np.array(hidden, dtype=np.int64),
    )


def _sets(sizes: Sequence[int]) -> list[list[int]]:
    """Share the columns out to as few sets as have not too many combinations of codes each."""
    sets: list[list[int]] = [[]]
    for many in range(1, len(sizes) + 1):
        sets = [[] for _ in range(many)]
        products = [1] * many
        for column in sorted(range(len(sizes)), key=lambda column: -sizes[column]):
            least = products.index(min(products))
            sets[least].append(column)
            products[least] *= sizes[column]
        if max(products) <= LARGEST_SET:
            break
    return sets


def _room(problem: CutProblem, every: Rows, aims: Aims) -> Room:
    sizes = np.diff(every.at)
    rows, columns = len(problem.sizes), len(sizes)
    codes = sum(column.space.size for column in problem.columns)
    entries = columns * LARGEST_SET + codes  # enough for any sets of columns
    places = 1 << max((2 * rows).bit_length(), 4)
    most = min(math.prod(sizes.tolist()) * aims.words, DIRECT)

    def zeros(length: int) -> Ints:
        return np.zeros(length, dtype=np.int64)

    return Room(
        part=zeros(codes),
        loss=zeros(codes),
        parts=zeros(columns),
        key_of=zeros(entries),
        loss_of=zeros(entries),
        narrow=np.zeros(entries, dtype=np.uint32),
        begin=zeros(columns),
        key=np.zeros(rows, dtype=np.uint32),
        direct=zeros(most),
        hashed=zeros(places * (aims.words + 1)),
        touched=zeros(rows + 1),
        rows=zeros(rows + 1),
    )


def _no_members(population: int, everything: int, switches: int) -> Herd:
    words = -(-switches // 64)
    entries = min(everything, MOST_REMEMBERED, MEMO // (8 * words + 32))
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
        ones=np.zeros(switches, dtype=np.int64),
        hit=np.zeros(switches, dtype=np.bool_),
        state=np.zeros(5, dtype=np.int64),
    )


def _mask(used: Flags) -> Words:
    mask = np.zeros(-(-len(used) // 64), dtype=np.uint64)
    for switch in np.flatnonzero(used).tolist():
        mask[switch >> 6] |= np.uint64(1 << (switch & 63))
    return mask


def _bits(on: Bytes, cuts: Cuts) -> Bits:
    """Return switches as strings."""
    bits = np.zeros((*on.shape[:-1], cuts.length), dtype=np.uint8)
    bits[..., cuts.order] = np.repeat(on, cuts.widths, axis=-1)
    return bits

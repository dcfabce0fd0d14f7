"""Coordinate search over cuts: the best cut of one column at a time, all others as they are, again and again.

Guarantee: the cut it returns was evaluated as a whole, and every group it keeps keeps every promise. With the
other columns fixed, loss of detail and misjudged rows are sums over groups, so the best cut of a taxonomy
(bottom-up) or of numbers (a shortest path over intervals) is found exactly, where one set of columns is known to
all promises, no limit on suppressed rows binds and intervals hidden on both sides keep their rows left out (see
`outermost`); elsewhere it is a good guess that is taken only if the whole got better. Plain columns show or hide one
value at a time. Kicks out of local optima are drawn at random. It says nothing about how far the best of all cuts is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.encoded import LARGEST_KEY, Ints, keys
from discreet.method.base.problem import CutProblem
from discreet.method.base.space import Space
from discreet.method.cuts.bits import Bits, Cuts, cuts_of
from discreet.method.cuts.context_kernels import (
    choose_by_group,
    choose_by_key,
    collapse_directly,
    collapse_sorted,
    flip_costs,
    interval_costs,
    node_costs,
    other_losses,
)
from discreet.method.cuts.evaluation import Cut, Evaluator, Firsts, Outcome, Parts
from discreet.method.cuts.evaluation_kernels import dense

Flags = npt.NDArray[np.bool_]

MOST_BLOCKS = 256
"""Intervals that are looked at in a column of numbers: with more values only some (by quantiles) are cut at."""
MOST_LOOKS = 100_000_000
"""Collapsed rows looked at in a whole search to show or hide single values."""
MANY_ROWS, FEWEST_CONTEXTS = 60_000, 4_000
"""About so many rows are looked at in a step; of so many contexts or fewer, all of them."""
MOST_FLIPS = 64
"""Values of a plain column that are shown or hidden in one step."""


@dataclass(frozen=True)
class Objective:
    """What a search makes small: units of loss, what targets cost, and the rows left out beside that."""

    loss: int
    gone: int
    """Of a row left out, beside what it costs the targets."""
    weights: tuple[int, ...]
    """Of a unit of each target."""
    most_gone: int
    """Rows that may be left out at most."""
    total: int = 1
    """Rows in all."""
    usual: int = 0
    """What a row left out costs the targets on average."""

    def cost(self, outcome: Outcome) -> int:
        """Return what an outcome costs."""
        cost = self.loss * outcome.lost + self.gone * (outcome.gone + outcome.short)
        for weight, kept, dropped in zip(self.weights, outcome.kept, outcome.dropped, strict=True):
            cost += weight * (kept + dropped)
        return cost

    def allows(self, outcome: Outcome) -> bool:
        """Whether not too many rows are left out."""
        return outcome.gone + outcome.short <= self.most_gone

    def sterner(self, times: int) -> Objective:
        """Return an objective that is more reluctant to leave rows out, as far as the numbers hold it."""
        most = max(2**60 // max(self.total, 1), self.gone)
        return replace(self, gone=min((self.gone + self.usual) * 4**times - self.usual, most))


@dataclass(frozen=True)
class Candidate:
    """A cut with what it comes to."""

    cut: Cut
    outcome: Outcome
    cost: int


@dataclass(frozen=True)
class Watch:
    """How far the search is."""

    kicks: int
    best: Candidate | None


def search(
    problem: CutProblem,
    evaluator: Evaluator,
    objective: Objective,
    *,
    kicks: int,
    rng: np.random.Generator,
    first: Objective | None = None,
    carry_on: Callable[[Watch], bool] = lambda _: True,
) -> Candidate:
    """Return the best cut found from the coarsest cut and from random ones, after some kicks.

    With `first` each descent makes that small before it makes the objective so. It does not end before its time without
    a cut that leaves out no more rows than it may.
    """
    steps = Steps(problem, evaluator)
    cuts = cuts_of([column.space for column in problem.columns], [column.pinned for column in problem.columns])
    coarsest = tuple(_coarsest(column.space) for column in problem.columns)
    start = evaluator.evaluate(coarsest)
    best = Candidate(start.cut, start, objective.cost(start))
    current = best
    reluctance = 0
    for kick in range(kicks + 1):
        if not carry_on(Watch(kick, best)) and objective.allows(best.outcome):
            break
        # The second start leaves out hardly any row: what those left out need besides is not seen by single steps.
        aim = objective.sterner(12 if kick == 1 else reluctance)
        begin, order = coarsest, list(range(len(coarsest)))
        if kick >= 2:
            begin, order = _kicked(cuts, current.cut, rng, everything=kick <= 4 or rng.random() < 0.4)
        if first is not None and aim == objective and kick % 2 == 0:
            begin = steps.descend(begin, first, order).cut
        found = steps.descend(begin, aim, order)
        true = replace(found, cost=objective.cost(found.outcome))
        if objective.allows(true.outcome):
            if true.cost <= current.cost:  # as good is good enough to go on from: there are plateaus
                current = true
            if true.cost < best.cost or not objective.allows(best.outcome):
                current = best = true
            reluctance = max(reluctance - 1, 0)
        else:
            reluctance += 1
    if steps.share > 1 and carry_on(Watch(kicks + 1, best)):
        steps.share = 1
        last = steps.descend(best.cut, objective, range(len(coarsest)))
        best = last if objective.allows(last.outcome) or not objective.allows(best.outcome) else best
    return showing(best, problem, evaluator, objective)


def showing(best: Candidate, problem: CutProblem, evaluator: Evaluator, objective: Objective) -> Candidate:
    """Show the only hidden value of a plain column where that costs nothing: by itself it loses nothing, yet tells."""
    for place, column in enumerate(problem.columns):
        hidden = best.cut[place] < 0
        if column.space.plain and hidden.sum() == 1 and not column.pinned[hidden].any():
            cut = (*best.cut[:place], np.arange(column.space.size), *best.cut[place + 1 :])
            outcome = evaluator.evaluate(cut)
            if objective.cost(outcome) <= best.cost and objective.allows(outcome):
                best = Candidate(outcome.cut, outcome, objective.cost(outcome))
    return best


def improved(problem: CutProblem, evaluator: Evaluator, objective: Objective, cut: Cut) -> Candidate:
    """Return a cut that was found elsewhere, made better one column at a time, but never beyond what is allowed."""
    found = evaluator.evaluate(cut)
    begin = Candidate(found.cut, found, objective.cost(found))
    steps = Steps(problem, evaluator)
    steps.share = 1
    better = steps.descend(cut, objective, range(len(cut)))
    return begin if objective.allows(begin.outcome) and not objective.allows(better.outcome) else better


class Steps:
    """Best cuts of single columns."""

    def __init__(self, problem: CutProblem, evaluator: Evaluator) -> None:
        self.problem = problem
        self.evaluator = evaluator
        rows = len(problem.sizes)
        tables = problem.tables
        self.hits = np.concatenate([table.hits for table in tables]) if tables else np.zeros((0, rows), dtype=np.int64)
        self.persons = np.array([person for table in tables for person in table.persons], dtype=np.bool_)
        self.limits = np.concatenate(evaluator.limits) if tables else np.zeros((0, 2), dtype=np.int64)
        bounds = [int(table.fixed.max(initial=0)) + 1 for table in tables]
        key, _ = keys([table.fixed.astype(np.uint64) for table in tables], bounds, rows)
        self.fixed = np.unique(key, return_inverse=True)[1].astype(np.int64)
        self.columns = [_Column(column.space, column.rows) for column in problem.columns]
        self.codes = [column.told_apart(codes) for column, codes in zip(self.columns, problem.codes, strict=True)]
        self._order: dict[int, Ints] = {}
        self.start = np.empty(rows + 2, dtype=np.int64)
        self.rows = np.empty(rows + 1, dtype=np.int64)
        self.table = np.empty(rows + 1024, dtype=np.int64)
        self.collapsed = (
            np.empty(rows, dtype=np.int32),
            np.empty(rows, dtype=np.int64),
            np.empty((rows, evaluator.fields.shape[1]), dtype=np.int64),
            np.empty((len(self.hits), rows), dtype=np.int64),
        )
        self.others = np.empty(rows, dtype=np.int64)
        self.number = np.empty(rows, dtype=np.int64)
        self.chosen = np.empty(rows, dtype=np.int64)
        self.everyone = np.arange(rows)
        self.share = max(rows // MANY_ROWS, 1)
        """Of how many contexts one is looked at."""
        self.guesses = self.share > 1
        """Whether what a step would bring is guessed from some contexts before all rows are looked at."""
        self.flips = MOST_LOOKS // max(rows, 1)

    def descend(self, cut: Cut, objective: Objective, order: Sequence[int]) -> Candidate:
        """Take the best step of each column in turn until none is better."""
        outcome = self.evaluator.evaluate(cut)
        best = Candidate(outcome.cut, outcome, objective.cost(outcome))
        since = 0
        turn = 0
        while since < len(order):
            better = self._step(best, order[turn], objective)
            since = 0 if better.cost < best.cost else since + 1
            best = better
            turn = (turn + 1) % len(order)
        return best

    def _step(self, best: Candidate, place: int, objective: Objective) -> Candidate:
        if self.problem.columns[place].space.plain:
            return self._flip(best, place, objective)
        contexts = self.contexts(best.cut, place)
        return self._tried(best, place, self.columns[place].best(self, place, contexts, objective), objective)

    def _tried(self, best: Candidate, place: int, firsts: Firsts, objective: Objective) -> Candidate:
        """Return the better of two: as it is, and with another cut of one column."""
        if np.array_equal(firsts, best.cut[place]):
            return best
        cut = (*best.cut[:place], firsts, *best.cut[place + 1 :])
        outcome = self.evaluator.evaluate(cut)
        cost = objective.cost(outcome)
        return Candidate(outcome.cut, outcome, cost) if cost < best.cost else best

    def _flip(self, best: Candidate, place: int, objective: Objective) -> Candidate:
        """Show or hide all values of a plain column, all that gain by it alone, then one at a time, as is best."""
        column = self.problem.columns[place]
        every = np.where(column.pinned, -1, np.arange(column.space.size))
        if not self.guesses:
            for firsts in (every, np.full_like(every, -1)):
                best = self._tried(best, place, firsts, objective)
        contexts = self.contexts(best.cut, place)
        flipping = self._flipping(contexts, place, objective)
        hidden = best.cut[place] < 0
        if self.guesses:
            begins = (hidden, every < 0, np.ones_like(hidden))
            hidden = begins[int(np.argmin([flipping(begin)[-1] for begin in begins]))].copy()
        for turn in range(min(MOST_FLIPS, self.flips)):
            self.flips -= 1
            cost = flipping(hidden)
            flips = np.where(column.pinned, cost[-1], cost[:-1])
            if flips.min(initial=cost[-1]) >= cost[-1]:
                break
            if turn == 0:
                together = np.where(flips < cost[-1], ~hidden, hidden)
                if self.guesses:
                    better = bool(flipping(together)[-1] < cost[-1])
                else:
                    best = self._tried(best, place, np.where(together, -1, np.arange(column.space.size)), objective)
                    better = bool((best.cut[place] < 0).tolist() == together.tolist())
                if better:
                    hidden = together
                    continue
            value = int(np.argmin(flips))
            hidden[value] = not hidden[value]
        return self._tried(best, place, np.where(hidden, -1, np.arange(column.space.size)), objective)

    def _flipping(self, contexts: Contexts, place: int, objective: Objective) -> Callable[[Flags], Ints]:
        """Return what says, for a plain column, what contexts cost if one value were shown or hidden, and as it is."""
        dropped = self.dropped(contexts, objective)
        units = self.evaluator.units.columns[place].nodes
        size = self.problem.columns[place].space.size

        def flipping(hidden: Flags) -> Ints:
            cost = np.zeros(size + 1, dtype=np.int64)
            still = int(hidden.sum())
            losses = np.array([units[min(max(still - 1 + step, 0), len(units) - 1)] for step in (-1, 0, 1)])
            flip_costs(
                contexts.start, contexts.groups, contexts.codes, hidden, contexts.sizes, contexts.fields, dropped,
                contexts.others, contexts.hits, self.persons, self.limits, objective.loss, self.evaluator.shape,
                _weights(objective), losses, cost, *self.sums(), *self.sums(),
            )  # fmt: skip
            return cost

        return flipping

    def dropped(self, contexts: Contexts, objective: Objective) -> Ints:
        """Return what the rows cost when they are left out."""
        shape = self.evaluator.shape
        each = shape.gone * np.repeat(_weights(objective), np.diff(shape.begins))
        return np.asarray(objective.gone * contexts.sizes + contexts.fields @ each)

    def sums(self) -> tuple[Ints, Ints]:
        """Return room for the fields and hits of one group."""
        return np.zeros(self.evaluator.fields.shape[1], dtype=np.int64), np.zeros(len(self.persons), dtype=np.int64)

    def contexts(self, cut: Cut, place: int) -> Contexts:
        """Return the rows by what the other columns release of them, and by code (numbers: by the smallest interval).

        Of many contexts only some are looked at: what they cost is a good guess of what all do, and the cut that is
        found so is evaluated as a whole.
        """
        evaluator, problem = self.evaluator, self.problem
        chosen, groups = self._some(np.delete(evaluator.every, place), evaluator.parts(cut))
        ids = evaluator.ids[: len(chosen)]
        code, width = self.codes[place], problem.columns[place].space.size
        if groups * width <= len(self.table):
            found = collapse_directly(
                chosen, ids, groups, code, width, problem.sizes, evaluator.fields, self.hits, self.table, self.start,
                self.rows, *self.collapsed,
            )  # fmt: skip
        else:
            order = self.order(place) if chosen is self.everyone else np.argsort(code[chosen], kind="stable")
            found = collapse_sorted(
                order, chosen, ids, groups, code, problem.sizes, evaluator.fields, self.hits, self.table, self.start,
                self.rows, *self.collapsed,
            )  # fmt: skip
        loss = evaluator.losses(cut)
        other_losses(self.rows, groups, problem.codes, place, loss, evaluator.offsets, self.others)
        codes, sizes, fields, hits = self.collapsed
        return Contexts(
            groups, self.start, self.others, codes[:found], sizes[:found], fields[:found], hits[:, :found],
        )  # fmt: skip

    def _some(self, columns: Ints, parts: Parts) -> tuple[Ints, int]:
        """Put rows alike on the columns into groups, those of some groups if there are many; the numbers are in `ids`.

        Return the rows and the number of groups.
        """
        evaluator = self.evaluator
        bound = prod([int(self.fixed.max(initial=0)) + 1, *parts.widths[columns].tolist()])
        share = min(self.share, bound // FEWEST_CONTEXTS)
        while share > 1 and bound < LARGEST_KEY:
            rows = choose_by_key(
                self.problem.codes, columns, parts.numbers, evaluator.offsets, parts.widths, self.fixed, share,
                evaluator.key, self.chosen,
            )  # fmt: skip
            key, ids = evaluator.key[:rows], evaluator.ids[:rows]
            groups = int(dense(key, bound, ids, evaluator.table, evaluator.places))
            if groups >= FEWEST_CONTEXTS:
                return self.chosen[:rows], groups
            share //= 4
        groups = evaluator.group(columns, parts, self.fixed)
        share = min(share, groups // FEWEST_CONTEXTS)
        if share <= 1:
            return self.everyone, groups
        rows, groups = choose_by_group(evaluator.ids, groups, share, self.number, self.chosen)
        return self.chosen[:rows], groups

    def order(self, place: int) -> Ints:
        """Return the rows in the order of their codes."""
        if place not in self._order:
            self._order[place] = np.argsort(self.codes[place], kind="stable")
        return self._order[place]


class Contexts(NamedTuple):
    """Rows that look alike on all columns but one, those that cannot be told apart by that column put together."""

    groups: int
    start: Ints
    """Where the rows of each context begin, and where the last ones end; they are ordered by code."""
    others: Ints
    """What a row of each context loses by the other columns."""
    codes: npt.NDArray[np.int32]
    sizes: Ints
    fields: Ints
    hits: Ints


class _Column:
    """The shape of one tree or number column, for its best cut."""

    def __init__(self, space: Space, rows: Ints) -> None:
        self.space = space
        self.interval: int | None = None
        if space.plain:
            return
        self.parent = np.full(len(space.nodes), -1, dtype=np.int64)
        for place, node in enumerate(space.nodes):
            for child in node.children:
                self.parent[child] = place
        self.leaf = np.full(space.size, -1, dtype=np.int64)
        for place, node in enumerate(space.nodes):
            if node.interval:
                self.interval = place
                self.leaf[node.first : node.stop] = place
            elif not node.children:
                self.leaf[node.first] = place
        if self.interval is not None:
            node = space.nodes[self.interval]
            self.begins = _blocks(space, rows, node.first, node.stop)

    def told_apart(self, codes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the codes with all of a smallest interval as one: the first ones stand for these, in their order."""
        if self.interval is None:
            return codes
        node = self.space.nodes[self.interval]
        if len(self.begins) == node.stop - node.first:
            return codes
        to = np.arange(self.space.size, dtype=np.int32)
        block = np.searchsorted(self.begins, to[node.first : node.stop], side="right") - 1
        to[node.first : node.stop] = node.first + block
        return to[codes]

    def best(self, steps: Steps, place: int, contexts: Contexts, objective: Objective) -> Firsts:
        """Return the best cut from what each node and each interval would cost."""
        units = steps.evaluator.units.columns[place]
        cost = self._nodes(steps, place, contexts, objective)
        cuts: list[int] = []
        if self.interval is not None:
            cost[self.interval], cuts = self._path(steps, contexts, objective, units.positions)
        return self._choose(cost, cuts)

    def _nodes(self, steps: Steps, place: int, contexts: Contexts, objective: Objective) -> list[int]:
        """Return what releasing each node would cost over all contexts."""
        evaluator = steps.evaluator
        nodes, width, properties = len(self.space.nodes), evaluator.fields.shape[1], len(steps.persons)
        cost, touched, n_at, loss_at, out_at = (np.zeros(nodes, dtype=np.int64) for _ in range(5))
        if self.interval == 0:
            return [0] * nodes
        node_costs(
            contexts.start, contexts.groups, contexts.codes, self.leaf, self.parent,
            evaluator.units.columns[place].by_code, contexts.sizes, contexts.fields,
            steps.dropped(contexts, objective), contexts.others, contexts.hits, steps.persons, steps.limits,
            objective.loss, evaluator.shape, _weights(objective), cost, touched, n_at, loss_at, out_at,
            np.zeros((nodes, width), dtype=np.int64), np.zeros((nodes, properties), dtype=np.int64),
        )  # fmt: skip
        return [int(x) for x in cost]

    def _path(self, steps: Steps, contexts: Contexts, objective: Objective, positions: Ints) -> tuple[int, list[int]]:
        """Return the cheapest way to cut the numbers: what it costs, and in front of which codes it cuts."""
        assert self.interval is not None
        node = self.space.nodes[self.interval]
        blocks = len(self.begins)
        kept, based = (np.zeros((blocks + 1, blocks + 1), dtype=np.int64) for _ in range(2))
        interval_costs(
            contexts.start, contexts.groups, contexts.codes, node.first, node.first + blocks, contexts.sizes,
            contexts.fields, steps.dropped(contexts, objective), contexts.others, contexts.hits, steps.persons,
            steps.limits, objective.loss, steps.evaluator.shape, _weights(objective), kept, based, *steps.sums(),
        )  # fmt: skip
        kept, based = (figures.cumsum(axis=0).cumsum(axis=1)[:-1, :-1] for figures in (kept, based))
        ends = np.append(self.begins[1:], node.stop) - 1
        width = positions[ends][np.newaxis, :] - positions[self.begins][:, np.newaxis]
        cost = objective.loss * width * kept + based
        best, begins = _cheapest(cost)
        return best, [int(self.begins[at]) for at in begins[1:]]

    def _choose(self, cost: list[int], cuts: list[int]) -> Firsts:
        """Return the cheapest cut of the tree: a node, or the best of its children."""
        best = list(cost)
        opened = [False] * len(cost)
        for place in range(len(cost) - 1, -1, -1):
            children = self.space.nodes[place].children
            if children and sum(best[child] for child in children) < cost[place]:
                best[place] = sum(best[child] for child in children)
                opened[place] = True
        firsts = np.zeros(self.space.size, dtype=np.int64)
        todo = [0]
        while todo:
            place = todo.pop()
            node = self.space.nodes[place]
            if opened[place]:
                todo += node.children
                continue
            firsts[node.first : node.stop] = node.first
            if node.interval:
                for cut in cuts:
                    firsts[cut : node.stop] = cut
        return firsts


def _cheapest(cost: Ints) -> tuple[int, list[int]]:
    """Return what the cheapest intervals of all blocks cost together, and with which blocks they begin."""
    blocks = len(cost)
    best, come = np.zeros(blocks + 1, dtype=np.int64), np.zeros(blocks + 1, dtype=np.int64)
    for end in range(blocks):
        ways = best[: end + 1] + cost[: end + 1, end]
        come[end + 1] = int(np.argmin(ways))
        best[end + 1] = ways[come[end + 1]]
    begins = [blocks]
    while begins[0] > 0:
        begins.insert(0, int(come[begins[0]]))
    return int(best[blocks]), begins[:-1]


def _blocks(space: Space, rows: Ints, first: int, stop: int) -> npt.NDArray[np.int64]:
    """Return where the smallest intervals begin: at every allowed cut, or at so many quantiles of the rows."""
    cuts = np.flatnonzero(space.cuts[first:stop]) + first
    if len(cuts) >= MOST_BLOCKS:
        before = np.concatenate([[0], np.cumsum(rows[first:stop])])[cuts - first]
        wanted = np.linspace(0, int(rows[first:stop].sum()), MOST_BLOCKS + 1)[1:-1]
        cuts = cuts[np.unique(np.minimum(np.searchsorted(before, wanted), len(cuts) - 1))]
    return np.concatenate([[first], cuts]).astype(np.int64)


def _weights(objective: Objective) -> Ints:
    return np.array(objective.weights, dtype=np.int64)


def _coarsest(space: Space) -> Firsts:
    return np.full(space.size, -1 if space.plain else 0, dtype=np.int64)


def bits_of(cut: Cut, spaces: Sequence[Space]) -> Bits:
    """Return a cut as a bit string."""
    parts = [
        firsts >= 0 if space.plain else firsts[1:] != firsts[:-1] for firsts, space in zip(cut, spaces, strict=True)
    ]
    return np.concatenate(parts).astype(np.uint8) if parts else np.zeros(0, dtype=np.uint8)


def cut_of(bits: Bits, cuts: Cuts) -> Cut:
    """Return a bit string as a cut."""
    return tuple(
        np.where(cuts.column(bits, place) > 0, np.arange(space.size), -1) if space.plain else part
        for place, (space, part) in enumerate(zip(cuts.spaces, cuts.parts(bits), strict=True))
    )


def _kicked(cuts: Cuts, cut: Cut, rng: np.random.Generator, *, everything: bool) -> tuple[Cut, list[int]]:
    """Return a cut with a few columns changed a little or replaced by random cuts, or all replaced.

    And in which order to look at the columns: those that were changed last, lest they are changed back at once.
    """
    drawn = cuts.random(rng.random(), rng)
    order = rng.permutation(len(cut)).tolist()
    if everything or not cuts.length:
        return cut_of(drawn, cuts), order
    bits = bits_of(cut, cuts.spaces)
    few = min(len(cut), 1 + int(rng.integers(3)))
    kicked = order[len(cut) - few :]
    for place in kicked:
        own = slice(int(cuts.offsets[place]), int(cuts.offsets[place + 1]))
        if own.start == own.stop:
            continue
        if rng.random() < 0.5:
            bits[own] = drawn[own]
        else:
            bits = cuts.flip(bits, int(rng.integers(own.start, own.stop)))
    return cut_of(bits, cuts), order

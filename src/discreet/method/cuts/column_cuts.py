"""The best cut of one tree or number column, from what each node and each interval would cost."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.base.space import Space
from discreet.method.cuts.context_kernels import interval_costs, node_costs
from discreet.method.cuts.contexts import ContextMaker, Contexts, weights_of
from discreet.method.cuts.objective import Objective
from discreet.method.cuts.parts import Firsts
from discreet.method.cuts.plain_context_kernels import plain_interval_costs, plain_node_costs

MOST_BLOCKS, FEW_BLOCKS = 256, 64
"""Intervals that are looked at in a column of numbers: with as many values or more, a search cuts at few of them (by
quantiles), and looks at more around the cuts that it has found at last."""


class ColumnCuts:
    """The shape of one tree or number column, for its best cut."""

    def __init__(self, space: Space, rows: Ints, around: Firsts | None = None) -> None:
        """`around` is the cut that is to be made better, where one was found."""
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
            self.begins = _blocks(space, rows, node.first, node.stop, around)

    @property
    def thinned(self) -> bool:
        """Whether only some of the cuts are looked at that there may be."""
        return self.interval is not None and len(self.begins) <= int(self.space.cuts.sum())

    @property
    def merges(self) -> bool:
        """Whether some smallest interval has several codes: only some cuts are looked at, or allowed."""
        if self.interval is None:
            return False
        node = self.space.nodes[self.interval]
        return len(self.begins) < node.stop - node.first

    def searched(self) -> Space:
        """Return the space with those cuts only."""
        if not self.thinned:
            return self.space
        cuts = np.zeros_like(self.space.cuts)
        cuts[self.begins[1:]] = True
        return replace(self.space, cuts=cuts)

    def told_apart(self, codes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the codes with all of a smallest interval as one: the first ones stand for these, in their order."""
        if self.interval is None or not self.merges:
            return codes
        node = self.space.nodes[self.interval]
        to = np.arange(self.space.size, dtype=np.int32)
        block = np.searchsorted(self.begins, to[node.first : node.stop], side="right") - 1
        to[node.first : node.stop] = node.first + block
        return to[codes]

    def standing(self, width: int) -> Ints:
        """Return a code that each of so many codes stands for, as they are told apart."""
        codes = np.arange(width)
        if self.interval is not None and self.merges:
            first = self.space.nodes[self.interval].first
            last = min(first + len(self.begins), width)
            codes[first:last] = self.begins[: last - first]
        return codes

    def tells(self, firsts: Firsts) -> bool:
        """Whether a cut tells apart no more codes than are told apart here."""
        if self.interval is None or not self.merges:
            return True
        node = self.space.nodes[self.interval]
        own = np.unique(firsts[node.first : node.stop])
        return bool(np.isin(own[own >= node.first], self.begins).all())

    def best(self, maker: ContextMaker, place: int, contexts: Contexts, objective: Objective) -> Firsts:
        """Return the best cut from what each node and each interval would cost."""
        units = maker.evaluator.units.columns[place]
        cost = self._nodes(maker, place, contexts, objective)
        cuts: list[int] = []
        if self.interval is not None:
            cost[self.interval], cuts = self._path(maker, contexts, objective, units.positions)
        return self._choose(cost, cuts)

    def _nodes(self, maker: ContextMaker, place: int, contexts: Contexts, objective: Objective) -> list[int]:
        """Return what releasing each node would cost over all contexts."""
        evaluator = maker.evaluator
        nodes, width, properties = len(self.space.nodes), evaluator.fields.shape[1], len(maker.hits)
        cost, touched, n_at, loss_at, out_at = (np.zeros(nodes, dtype=np.int64) for _ in range(5))
        if self.interval == 0:
            return [0] * nodes
        by_code, plain = evaluator.units.columns[place].by_code, maker.plain
        if plain is not None and by_code.shape[1] == 1:
            seen = np.full(nodes, -1, dtype=np.int64)
            plain_node_costs(
                contexts.start, contexts.groups, contexts.codes, self.leaf, self.parent, by_code[:, 0],
                contexts.sizes, maker.dropped(contexts, objective), plain.tallies(contexts), contexts.others,
                plain.least, plain.over, plain.under, objective.loss, cost, touched, seen,
                np.zeros((nodes, 3), dtype=np.int64),
            )  # fmt: skip
        else:
            node_costs(
                contexts.start, contexts.groups, contexts.codes, self.leaf, self.parent, by_code,
                contexts.sizes, contexts.fields, maker.dropped(contexts, objective), contexts.others, contexts.hits,
                maker.limits, objective.loss, evaluator.shape, weights_of(objective), cost, touched, n_at, loss_at,
                out_at, np.zeros((nodes, width), dtype=np.int64), np.zeros((nodes, properties + 1), dtype=np.int64),
            )  # fmt: skip
        if evaluator.pairs is not None:
            evaluator.pairs.add_nodes(contexts, self.leaf, self.parent, maker.limits, weights_of(objective), cost)
        return [int(x) for x in cost]

    def _path(
        self, maker: ContextMaker, contexts: Contexts, objective: Objective, positions: Ints
    ) -> tuple[int, list[int]]:
        """Return the cheapest way to cut the numbers: what it costs, and in front of which codes it cuts."""
        assert self.interval is not None
        node = self.space.nodes[self.interval]
        blocks = len(self.begins)
        kept, based = (np.zeros((blocks + 1, blocks + 1), dtype=np.int64) for _ in range(2))
        dropped, stop = maker.dropped(contexts, objective), node.first + blocks
        if (plain := maker.plain) is not None:
            plain_interval_costs(
                contexts.start, contexts.groups, contexts.codes, node.first, stop, contexts.sizes, dropped,
                plain.tallies(contexts), contexts.others, plain.least, plain.over, plain.under, objective.loss,
                kept, based,
            )  # fmt: skip
        else:
            interval_costs(
                contexts.start, contexts.groups, contexts.codes, node.first, stop, contexts.sizes,
                contexts.fields, dropped, contexts.others, contexts.hits, maker.limits, objective.loss,
                maker.evaluator.shape, weights_of(objective), kept, based, *maker.sums(),
            )  # fmt: skip
        if (pairs := maker.evaluator.pairs) is not None:
            pairs.add_intervals(contexts, node.first, stop, maker.limits, weights_of(objective), based)
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


def _blocks(space: Space, rows: Ints, first: int, stop: int, around: Firsts | None) -> npt.NDArray[np.int64]:
    """Return where the smallest intervals begin: at every allowed cut, or at quantiles of the rows.

    Around a cut there are more: its own, places nearer and nearer to these, and quantiles of its intervals.
    """
    cuts = np.flatnonzero(space.cuts[first:stop]) + first
    if len(cuts) >= MOST_BLOCKS:
        own, most = np.zeros(0, dtype=np.int64), FEW_BLOCKS
        if around is not None:
            own, most = _near(cuts, np.unique(around[first:stop])), MOST_BLOCKS
        before = np.concatenate([[0], np.cumsum(rows[first:stop])])[cuts - first]
        wanted = np.linspace(0, int(rows[first:stop].sum()), max(most - len(own), 1) + 1)[1:-1]
        cuts = np.union1d(own, cuts[np.minimum(np.searchsorted(before, wanted), len(cuts) - 1)])
    return np.concatenate([[first], cuts]).astype(np.int64)


def _near(cuts: Ints, found: Ints) -> Ints:
    """Return the cuts that were found, and of the others those 1, 2, 4, 8... places from each, and from both ends.

    Of so many that there would be more than three in four blocks, only every other, or every third...
    """
    at = np.searchsorted(cuts, found[np.isin(found, cuts)])
    ends = np.unique(np.concatenate([[-1], at, [len(cuts)]]))
    far = [(int(low), int(high), max(int(high - low) // 2, 1).bit_length()) for low, high in pairwise(ends)]
    room = max(MOST_BLOCKS * 3 // 4 - len(at), 1)
    step = max(-(-2 * sum(times for *_, times in far) // room), 1)
    near = [
        place
        for low, high, times in far
        for power in range(0, times, step)
        for place in (low + 2**power, high - 2**power)
    ]
    places = np.unique(np.concatenate([at, np.array(near, dtype=np.int64)]))
    return np.asarray(cuts[places[(places >= 0) & (places < len(cuts))]])

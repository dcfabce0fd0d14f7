"""Exact search over cuts: branch and bound, which proves that no cut is better or says how far the best may be.

Guarantee: the cut it returns was evaluated as a whole, like one of coordinate search, from whose best it starts. No
allowed cut costs less than the `bound` it returns, whenever it is stopped. Where the bound is the cost of the cut,
that is proven to be a best one; it can be when rows are left out only for the size of their groups in one set of
known columns, or there are few cuts, and no rows are needed by lot; else there may stay a gap.

How: some decisions (a node is opened or not, numbers are cut at a place or not, a value is shown or not) leave a
set of cuts. All of them refine the coarsest one, so a row whose group is too small there is left out by all. The
others are kept or left out; what leaving out costs is dealt out to the columns that are not settled yet, in shares.
Each column then finds its own cheapest cut, the others being as coarse as may be: rows of parts that are too small
even so cost their share, others the smaller of loss and share. Their sum is a bound, for any shares; a few
subgradient steps make it better. It is exact when one column is left. What targets cost is bounded from below by what
they cost in the finest groups. With templates there is another bound: of a group that is too sure under the coarsest
cut some rows are left out by all, for however it is told apart, some part of it is too sure as well. Decisions
whose opposite has too high a bound are taken at once. Where there are few cuts and rows, each cut is evaluated instead;
where a target is to be predicted, or a template to be kept, `exact_cells` has better bounds.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from discreet.method.base.problem import CutProblem
from discreet.method.cuts.column_steps import ColumnSteps
from discreet.method.cuts.coordinate import showing
from discreet.method.cuts.cut_set_kernels import NO, YES
from discreet.method.cuts.evaluation import Cut, Evaluator
from discreet.method.cuts.every_cut import MOST_WORK, EveryCut, is_small
from discreet.method.cuts.exact_bounds import BoundedSet, Bounds, CutSet, OpenRows
from discreet.method.cuts.exact_cells import ByCells, serves
from discreet.method.cuts.exact_frame import NEVER
from discreet.method.cuts.lot_costs import least_for_lots
from discreet.method.cuts.objective import Candidate, Objective
from discreet.method.cuts.untold import beside_rows, several_sets, surely_left_out, untold_rows

ASKED_EVERY = 20_000
"""Cuts that are looked at before the search asks whether to go on."""


@dataclass(frozen=True)
class Proof:
    """The best cut found, and what no allowed cut goes below."""

    best: Candidate
    bound: int
    nodes: int
    """Sets of cuts that were looked at, or single cuts where there are few."""
    allowed: bool
    """Whether the cut leaves no more rows out than it may."""

    @property
    def proven(self) -> bool:
        """Whether no cut is better."""
        return self.allowed and self.bound >= self.best.cost and not self.best.outcome.short


@dataclass(frozen=True)
class ExactWatch:
    """How far the search is."""

    nodes: int
    open: int
    best: Candidate
    bound: int


def search(
    problem: CutProblem,
    evaluator: Evaluator,
    objective: Objective,
    start: Candidate,
    *,
    carry_on: Callable[[ExactWatch], bool] = lambda _: True,
    most_work: int = MOST_WORK,
    blank: bool = False,
) -> Proof:
    """Return the best of all allowed cuts, or the best found when it is stopped, with what none goes below.

    Where all cuts together are no more work than so many cells, each is looked at. `blank`: whether values may read
    like a hidden cell where they are told.
    """
    found = _BranchAndBound(problem, evaluator, objective, start, blank=blank)
    return found.run(carry_on, every_cut=is_small(evaluator, most_work))


class _BranchAndBound:
    """Sets of cuts that are still to be looked at, the lowest bound first."""

    def __init__(
        self, problem: CutProblem, evaluator: Evaluator, objective: Objective, start: Candidate, *, blank: bool
    ) -> None:
        self.evaluator, self.objective, self.blank = evaluator, objective, blank
        self.twins = False
        self.steps = ColumnSteps(problem, evaluator)
        self.alone = evaluator.without_people()
        self.bounds = Bounds(self.alone, objective, self.steps.contexts.fixed[problem.sizes > 0])
        self.best = start
        self.floor = NEVER
        """The least that a single cut which was not better costs, rows by lot aside."""
        self.queue: list[tuple[int, int, CutSet]] = []
        self.nodes = self.pushed = 0

    @property
    def upper(self) -> int:
        """Sets of cuts that cost this or more are of no interest."""
        return self.best.cost if self.objective.allows(self.best.outcome) else self.bounds.most

    def run(self, carry_on: Callable[[ExactWatch], bool], *, every_cut: bool) -> Proof:
        """Look at one set after the other, or at every cut."""
        first = self.bounds.everything()
        self._push(self.bounds.look(self.bounds.everyone, first, None, self.upper, 60))
        if every_cut and self.queue and self._look_at_every_cut(carry_on):
            self.queue.clear()
        by_cells = not every_cut and bool(self.queue) and serves(self.alone, self.objective)
        if by_cells and self._look_at_cells(first, carry_on):
            self.queue.clear()
        while self.queue and not every_cut and not by_cells:
            bound = min(self.queue[0][0], self.floor, self.best.cost)
            if not carry_on(ExactWatch(self.nodes, len(self.queue), self.best, bound)):
                break
            _, _, one = heapq.heappop(self.queue)
            self._expand(one)
            while self.queue and self.queue[0][0] >= self.upper:
                self.queue.clear()
        low = min([self.floor, *(bound for bound, _, _ in self.queue[:1])])
        best = showing(self.best, self.evaluator.problem, self.evaluator, self.objective)
        return Proof(best, min(low, best.cost), self.nodes, self.objective.allows(best.outcome))

    def _look_at_every_cut(self, carry_on: Callable[[ExactWatch], bool]) -> bool:
        """Take the best of all cuts; return whether it came to the last."""
        every, asked = EveryCut(self.evaluator, self.objective, blank=self.blank), -ASKED_EVERY
        while every.done < every.total:
            bound = min(self.queue[0][0], self.floor, self.best.cost)
            if every.done - asked >= ASKED_EVERY:
                asked = every.done
                if not carry_on(ExactWatch(every.done, every.total - every.done, self.best, bound)):
                    return False
            cut = every.below(self.upper, ASKED_EVERY)
            if cut is not None:
                self._settle(cut)
            self.nodes = every.done
        return True

    def _look_at_cells(self, first: CutSet, carry_on: Callable[[ExactWatch], bool]) -> bool:
        """Search by cells; return whether it came to its end."""
        known, self.twins = self.queue[0][0], True  # single values that are hidden are not listed
        cells = ByCells(self.alone, self.objective, known)

        def may_go_on() -> bool:
            self.nodes = cells.sets
            bound = min(max(cells.bound, known), self.floor, self.best.cost)
            return carry_on(ExactWatch(cells.sets, len(cells.queue), self.best, bound))

        def settle(cut: Cut, cost: int) -> bool:
            """Evaluate a cut; return whether it costs just that."""
            self._settle(cut)
            outcome = self.evaluator.evaluate(cut)
            same = all(map(np.array_equal, outcome.cut, cut))
            return same and self.objective.allows(outcome) and self.objective.cost(outcome) == cost

        ended = cells.run(lambda: self.upper, settle, may_go_on)
        self.nodes, self.floor = cells.sets, min(self.floor, cells.floor)
        self.queue = [(max(cells.bound, known), 0, first)]
        return ended

    def _push(self, look: BoundedSet) -> None:
        if look.bound < self.upper:
            self.pushed += 1
            heapq.heappush(self.queue, (look.bound, self.pushed, look.of))

    def _expand(self, one: CutSet) -> None:
        """Look closer at a set of cuts, and push what is left of it in two parts."""
        self.nodes += 1
        rows = self.bounds.rows_of(one)
        look = self._narrowed(rows, self.bounds.look(rows, one, None, self.upper, 8))
        if look.bound >= self.upper:
            return
        self._try(look)
        choices = self.bounds.choices(look)
        if not choices:
            self._settle(self.bounds.cut(look.coarse))
            return
        score, without, taken = -1.0, look, look
        for place, is_node in choices:
            no = replace(
                look,
                of=self.bounds.decided(look.of, place, is_node, NO),
                bound=max(look.bound, int((look.node_bound if is_node else look.code_bound)[1, place])),
            )
            yes = self.bounds.look(rows, self.bounds.decided(look.of, place, is_node, YES), look, self.upper, 1)
            yes = replace(yes, bound=max(yes.bound, look.bound))  # what holds of a set holds of its parts
            gains = sorted(min(side.bound, self.upper) - look.bound + 1.0 for side in (yes, no))
            if gains[0] * gains[1] > score:
                score, without, taken = gains[0] * gains[1], no, yes
            if max(yes.bound, no.bound) >= self.upper:
                break
        self._push(taken)
        self._push(without)

    def _narrowed(self, rows: OpenRows, look: BoundedSet) -> BoundedSet:
        """Take all decisions whose opposite has too high a bound, again and again."""
        while look.bound < self.upper:
            fixed, finer = self.bounds.fixed(look, self.upper)
            if not finer:
                return replace(look, of=fixed)
            look = self.bounds.look(rows, fixed, look, self.upper, 4)
        return look

    def _try(self, look: BoundedSet) -> None:
        """See what the cheapest cuts of the columns come to together."""
        cut = self.bounds.cut(look.picked)
        self._take(cut)
        if self.nodes & (self.nodes - 1) == 0 or self.nodes % 64 == 0:
            self._take(self.steps.descend(cut, self.objective, range(len(cut))).cut)

    def _settle(self, cut: Cut) -> None:
        """Evaluate a single cut; where another is told in its place, that one comes up by itself."""
        self._take(cut)
        outcome = self.evaluator.evaluate(cut)
        if all(map(np.array_equal, outcome.cut, cut)):
            self.floor = min(self.floor, self._least(cut))

    def _least(self, cut: Cut) -> int:
        """Return what a release by a cut costs at least, whichever rows are drawn by lot; see `untold`.

        (For targets a row drawn may cost as much as it did before.)
        """
        evaluator, objective = self.evaluator, self.objective
        outcome, several = evaluator.evaluate(cut, by_lot=False), several_sets(evaluator)
        lots = not any(objective.weights) and not evaluator.few_may_pass
        if outcome.gone and (several or lots):
            untold = untold_rows(evaluator, cut, everything=self.blank, twins=self.twins)
            if several:
                left_out = surely_left_out(evaluator, cut, untold)
                if not np.array_equal(left_out, outcome.left_out):
                    outcome = evaluator.without(cut, left_out)
        cost = objective.cost(outcome)
        if outcome.gone > objective.most_gone:
            return NEVER
        if not outcome.gone or not lots or not evaluator.evaluate(cut).short:
            return cost
        codes = evaluator.problem.codes + evaluator.offsets[:-1, np.newaxis]
        worth = np.maximum(objective.gone - objective.loss * evaluator.losses(cut)[codes].sum(axis=0), 0)
        beside = beside_rows(evaluator, outcome.left_out, untold)
        return min(cost + least_for_lots(evaluator.problem, outcome.left_out, beside, worth, NEVER), NEVER)

    def _take(self, cut: Cut) -> None:
        outcome = self.evaluator.evaluate(cut)
        cost = self.objective.cost(outcome)
        if cost < self.upper and self.objective.allows(outcome):
            self.best = Candidate(outcome.cut, outcome, cost)

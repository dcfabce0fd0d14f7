"""Steps of the searches over cuts: the best cut of one column, all others as they are, until none is better."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.base.problem import CutProblem
from discreet.method.base.space import Flags
from discreet.method.cuts.column_cuts import ColumnCuts
from discreet.method.cuts.context_kernels import flip_costs
from discreet.method.cuts.contexts import ContextMaker, Contexts, weights_of
from discreet.method.cuts.evaluation import Cut, CutFigures, CutOutcome, Evaluator, OutOfTime
from discreet.method.cuts.objective import Candidate, Objective
from discreet.method.cuts.parts import Firsts
from discreet.method.cuts.step_evaluation import StepEvaluator

MOST_LOOKS = 100_000_000
"""Collapsed rows looked at in a whole search to show or hide single values."""
MOST_FLIPS = 64
"""Values of a plain column that are shown or hidden in one step."""
FEW_ROWS = 1_000
"""Rows up to which steps are remembered: a search of so few comes to the same cuts again and again."""

MOST_KEPT = 20_000
"""Best cuts of a column beside a cut of the others, and figures of cuts, that are remembered: a search comes back."""


class ColumnSteps:
    """Best cuts of single columns."""

    def __init__(self, problem: CutProblem, evaluator: Evaluator) -> None:
        self.problem = problem
        self.evaluator = evaluator
        self.columns = [ColumnCuts(column.space, column.rows) for column in problem.columns]
        self.contexts = ContextMaker(problem, evaluator, self._codes())
        self.beside = StepEvaluator(evaluator)
        self.guesses = self.contexts.share > 1
        """Whether what a step would bring is guessed from some contexts before all rows are looked at."""
        self.flips = MOST_LOOKS // max(len(problem.sizes), 1)
        self.taken: dict[tuple[int, Objective, bytes], Candidate] = {}
        self.stuck: set[tuple[int, int, Objective, bytes]] = set()
        """Steps that changed nothing, where there are too many rows to remember what each comes to."""
        self._best_cuts: dict[tuple[int, int, Objective, bytes], Firsts] = {}
        """By share of contexts, column, objective and the cut of the others: where the codes of each part begin."""
        self._known: dict[bytes, CutFigures] = {}
        """What cuts came to."""

    def look_around(self, cut: Cut) -> None:
        """Cut wide number columns at more places from now on, near the cuts that were found."""
        self.columns = [
            ColumnCuts(column.space, column.rows, own) for column, own in zip(self.problem.columns, cut, strict=True)
        ]
        self.contexts.see(self._codes())
        self.beside.forget()
        self.taken.clear()
        self.stuck.clear()
        self._best_cuts.clear()

    def _codes(self) -> list[npt.NDArray[np.int32]]:
        return [column.told_apart(codes) for column, codes in zip(self.columns, self.problem.codes, strict=True)]

    def descend(
        self, cut: Cut, objective: Objective, order: Sequence[int], go_on: Callable[[], bool] = lambda: True
    ) -> Candidate:
        """Take the best step of each column in turn until none is better, or one may not go on: asked before each."""
        outcome = self._begun(cut, order)
        best = Candidate(outcome.cut, outcome, objective.cost(outcome))
        since = 0
        turn = 0
        before, self.evaluator.may_go_on = self.evaluator.may_go_on, go_on
        try:
            while since < len(order) and go_on():
                better = self._remembered(best, order[turn], objective)
                since = 0 if better.cost < best.cost else since + 1
                best = better
                turn = (turn + 1) % len(order)
        except OutOfTime:
            pass
        finally:
            self.evaluator.may_go_on = before
        return best

    def _begun(self, cut: Cut, order: Sequence[int]) -> CutOutcome:
        """Return what a cut comes to: from the contexts of the column that is looked at first, where these tell all."""
        if (
            not self.beside.serves
            or self.contexts.share > 1
            or not order
            or not self.columns[order[0]].tells(cut[order[0]])
        ):
            return self.evaluator.evaluate(cut)
        self._contexts_of(cut, order[0])
        return self.beside.evaluate(cut, order[0])

    def _remembered(self, best: Candidate, place: int, objective: Objective) -> Candidate:
        if len(self.problem.sizes) > FEW_ROWS:
            again = self.contexts.share, place, objective, _stamp(best.cut)
            if again in self.stuck:
                return best
            better = self._step(best, place, objective)
            if better is best and len(self.stuck) < MOST_KEPT:
                self.stuck.add(again)
            return better
        key = place, objective, b"".join(firsts.tobytes() for firsts in best.cut)
        if key not in self.taken:
            self.taken[key] = self._step(best, place, objective)
        return self.taken[key]

    def _step(self, best: Candidate, place: int, objective: Objective) -> Candidate:
        if self.problem.columns[place].space.plain:
            return self._flip(best, place, objective)
        others = (*best.cut[:place], *best.cut[place + 1 :])
        key = self.contexts.share, place, objective, _stamp(others)
        size = self.problem.columns[place].space.size
        if key in self._best_cuts:
            begins = self._best_cuts[key]
            firsts = np.repeat(begins, np.diff(np.append(begins, size)))
        else:
            contexts = self._contexts_of(best.cut, place)
            firsts = self.columns[place].best(self.contexts, place, contexts, objective)
            if len(self._best_cuts) < MOST_KEPT:
                self._best_cuts[key] = np.flatnonzero(firsts == np.arange(size))
        return self._tried(best, place, firsts, objective)

    def _contexts_of(self, cut: Cut, place: int) -> Contexts:
        """Return the contexts of a column; cuts of it are evaluated from these from now on."""
        if (seen := self.beside.seen(cut, place)) is not None:
            return seen
        contexts = self.contexts.of(cut, place)
        self.beside.see(cut, place, contexts, self.columns[place].standing(self.contexts.widths[place]))
        return contexts

    def _tried(self, best: Candidate, place: int, firsts: Firsts, objective: Objective) -> Candidate:
        """Return the better of two: as it is, and with another cut of one column."""
        if np.array_equal(firsts, best.cut[place]):
            return best
        cut = (*best.cut[:place], firsts, *best.cut[place + 1 :])
        key = _stamp(cut)
        if key in self._known and objective.cost(self._known[key]) >= best.cost:
            return best
        outcome = self.beside.evaluate(cut, place)
        if len(self._known) < MOST_KEPT:
            self._known[key] = CutFigures(outcome.lost, outcome.kept, outcome.dropped, outcome.gone, outcome.short)
        cost = objective.cost(outcome)
        return Candidate(outcome.cut, outcome, cost) if cost < best.cost else best

    def _flip(self, best: Candidate, place: int, objective: Objective) -> Candidate:
        """Show or hide all values of a plain column, all that gain by it alone, then one at a time, as is best."""
        column = self.problem.columns[place]
        every = np.where(column.pinned, -1, np.arange(column.space.size))
        if not self.guesses:
            if self.beside.serves:
                self._contexts_of(best.cut, place)
            for firsts in (every, np.full_like(every, -1)):
                best = self._tried(best, place, firsts, objective)
        contexts = self._contexts_of(best.cut, place)
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
        maker = self.contexts
        dropped = maker.dropped(contexts, objective)
        units = self.evaluator.units.columns[place].nodes
        size = self.problem.columns[place].space.size

        def flipping(hidden: Flags) -> Ints:
            cost = np.zeros(size + 1, dtype=np.int64)
            still = int(hidden.sum())
            losses = np.array([units[min(max(still - 1 + step, 0), len(units) - 1)] for step in (-1, 0, 1)])
            flip_costs(
                contexts.start, contexts.groups, contexts.codes, hidden, contexts.sizes, contexts.fields, dropped,
                contexts.others, contexts.hits, maker.limits, objective.loss, self.evaluator.shape,
                weights_of(objective), losses, cost, *maker.sums(), *maker.sums(),
            )  # fmt: skip
            if self.evaluator.pairs is not None:
                self.evaluator.pairs.add_flips(contexts, hidden, maker.limits, weights_of(objective), cost)
            return cost

        return flipping


def _stamp(cut: Cut) -> bytes:
    """Return what tells cuts of the same columns apart: where their parts begin."""
    begins = [np.packbits(firsts == np.arange(len(firsts))).tobytes() for firsts in cut]
    return hashlib.blake2b(b"".join(begins), digest_size=16).digest()

"""Plans by searches for one cut of all columns: coordinate, genetic, exact; on all rows or on a share of them."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from discreet.common.watch import Watch
from discreet.errors import PolicyError, TooManySuppressed
from discreet.plan.plan import Plan
from discreet.plan.search_bound import SearchBound, share_of
from discreet.planning.objectives import loss_bound, objectives
from discreet.planning.problem import cut_problem, room_for_classes
from discreet.planning.row_share import seen_only, thinned
from discreet.planning.task import Task, require_possible
from discreet.policy.redundant import without_redundant

if TYPE_CHECKING:
    from discreet.method.cuts.evaluation import CutOutcome
    from discreet.method.cuts.exact import Proof
    from discreet.method.cuts.objective import Candidate

MOST_WORK = 8_000_000
"""Cells of collapsed rows looked at in all starts of a coordinate search, which makes a few if one has no more."""
LEAST_KICKS, MOST_KICKS = 4, 200
MOST_COUNTED = 200_000_000
"""Rows, counted in each set of known columns, with which all starts of a coordinate search begin; two are made."""
SECONDS_A_COUNT = 2e-7
"""About what it takes to carry a cut out and to verify it, for each row in each set of known columns."""


class CutPlanner:
    """A search for one cut of all columns, with the rows that do not fit left out."""

    def __init__(
        self, task: Task, most_suppressed: int | None = None, seed: int | None = None, *, seen: bool = False
    ) -> None:
        from discreet.method.cuts.evaluation import Evaluator

        policy = task.bound.policy
        self.task, self.seed = task, seed
        self.promises, self.dropped = without_redundant(task.bound.each_promise)
        self.problem = cut_problem(task.bound, task.columns, self.promises, task.counted)
        self.problem = seen_only(self.problem) if seen else self.problem
        if policy.method == "exact":  # its bounds know fields only
            classes = sum(one.pairs.size for one in self.problem.targets if one.pairs is not None)
            if problems := list(room_for_classes(policy, len(self.problem.sizes), classes)):
                raise PolicyError(problems)
            self.problem = replace(self.problem, targets=tuple(one.with_fields() for one in self.problem.targets))
        self.may_thin = most_suppressed is None  # the way out of too many suppressed rows looks at all of them
        if most_suppressed is None:
            most_suppressed = math.floor(policy.suppress.limit * self.problem.total)
        if policy.removes:  # a cut that leaves nothing to release is none, however little it costs the use
            most_suppressed = min(most_suppressed, self.problem.total - 1)
        self.evaluator = Evaluator(
            self.problem,
            whole=policy.uses[0].whole_cells,
            few_may_pass=policy.removes,
            hides_outermost=True,
            largest=loss_bound(self.problem, policy),
        )
        self.first, self.objective = objectives(self.evaluator, policy, most_suppressed)
        self.bound: float | None = None
        """Of what the cut found costs, the share that no cut goes below; known after an exact search."""
        self.proof: SearchBound | None = None

    def run(self, watch: Watch) -> Plan:
        """Return the plan that the search finds.

        Raises
        ------
        ImpossiblePromise
            When even with everything hidden a promise is broken.
        """
        best, complete = self.search(watch)
        return self.plan(best, complete=complete)

    def plan(self, best: Candidate, *, complete: bool = True) -> Plan:
        """Return a cut as a plan."""
        from discreet.method.cuts.bits import cuts_of
        from discreet.method.cuts.coordinate import bits_of

        spaces = [column.space for column in self.problem.columns]
        found = cuts_of(spaces).found(bits_of(best.cut, spaces))
        return Plan(
            policy=self.task.bound.policy,
            columns=self.task.bound.columns,
            recodings=tuple(
                column.recoding(parts, self._empty(place, best))
                for place, (column, parts) in enumerate(zip(self.task.columns, found, strict=True))
            ),
            redundant=tuple(f"{weak} follows from {strong}" for weak, strong in self.dropped),
            detail=self.detail(best.outcome),
            complete=complete,
            bound=self.bound,
            proof=self.proof,
        )

    def search(self, watch: Watch, *, prove: bool = True) -> tuple[Candidate, bool]:
        """Return the best cut, and whether the search came to its end; without a proof if none is wanted."""
        require_possible(self.problem.tables, self.promises, removes=self.task.bound.policy.removes)
        found = self._on_some_rows(watch)
        if found is None or not self.objective.allows(found[0].outcome):
            found = self._best(watch, prove=prove)
        best, complete = found
        self._require_rows(best)
        return best, complete

    def _on_some_rows(self, watch: Watch) -> tuple[Candidate, bool] | None:
        """Return the best cut for a share of the rows, made better on all; None where all are searched on."""
        from discreet.method.cuts.coordinate import improved

        share = self.task.bound.policy.search_on
        if share is None or share == 1 or not self.may_thin:
            return None
        few = CutPlanner(thinned(self.task, share), seed=self.seed, seen=True)
        found, complete = few._best(watch)

        def may_go_on(begin: Candidate) -> bool:
            nonlocal complete
            complete = watch.planned(0, 1, self.detail(begin.outcome)) and complete
            return complete

        return improved(self.problem, self.evaluator, self.objective, found.cut, may_go_on), complete

    def _best(self, watch: Watch, *, prove: bool = True) -> tuple[Candidate, bool]:
        """Return the best cut for the rows of this problem, by the search that the policy asks for."""
        method = self.task.bound.policy.method
        if method == "genetic":
            found = self._genetic(watch)
            # Cuts bred at random may all remove too many rows.
            return found if self.objective.allows(found[0].outcome) else self._coordinate(watch)
        return self._exact(watch) if method == "exact" and prove else self._coordinate(watch)

    def _coordinate(self, watch: Watch) -> tuple[Candidate, bool]:
        from discreet.method.cuts.coordinate import CoordinateWatch, search

        work = max(self.problem.codes.size, 1)
        kicks = min(max(MOST_WORK // work, LEAST_KICKS if work <= MOST_WORK else 1), MOST_KICKS)
        counted = max(len(self.problem.sizes) * len(self.problem.tables), 1)
        kicks = min(kicks, max(MOST_COUNTED // counted, 1))
        complete = True
        # What comes after the search is long as well where there are many sets; it has half of the time at most.
        needed = min(SECONDS_A_COUNT * counted, watch.seconds_left() / 2)

        def may_go_on(far: CoordinateWatch) -> bool:
            nonlocal complete
            kept = 0.0 if far.best is None else self.detail(far.best.outcome)
            complete = watch.planned(far.kicks, kicks + 1 - far.kicks, kept) and watch.seconds_left() > needed
            return complete

        rng = np.random.default_rng(0)  # the search protects nobody: it may well repeat itself
        best = search(
            self.problem, self.evaluator, self.objective, first=self.first, kicks=kicks, rng=rng, carry_on=may_go_on
        )
        return best, complete

    def _genetic(self, watch: Watch) -> tuple[Candidate, bool]:
        from discreet.method.cuts.genetic import GeneticWatch, search

        options = self.task.bound.policy.genetic
        complete = True

        def may_go_on(far: GeneticWatch) -> bool:
            nonlocal complete
            go_on = watch.planned(far.iterations, far.left, self.detail(far.best.outcome))
            complete = go_on or not far.left
            return go_on

        best = search(
            self.problem,
            self.evaluator,
            self.objective,
            population=options.population,
            iterations=options.iterations,
            mutation=options.mutation,
            bias=options.bias,
            rng=np.random.default_rng(self.seed or 0),  # by default it repeats itself: it protects nobody
            carry_on=may_go_on,
        )
        return best, complete

    def _exact(self, watch: Watch) -> tuple[Candidate, bool]:
        from discreet.method.cuts.exact import ExactWatch, search

        complete = True

        def may_go_on(far: ExactWatch) -> bool:
            nonlocal complete
            kept, bound = self.detail(far.best.outcome), share_of(far.bound, far.best.cost)
            complete = watch.planned(far.nodes, far.open, kept, bound)
            return complete

        start, _ = self._coordinate(watch)
        marker = self.task.bound.policy.marker
        blank = any(not column.space.plain and marker in column.domain for column in self.task.columns)
        proof = search(self.problem, self.evaluator, self.objective, start, carry_on=may_go_on, blank=blank)
        self.bound = 1.0 if proof.proven else share_of(proof.bound, proof.best.cost)
        self.proof = self._proof(proof)
        return proof.best, complete

    def _proof(self, proof: Proof) -> SearchBound:
        """Return what is known of a cut before it is carried out."""
        from discreet.method.base.targets import MAJORITY

        targets, objective = self.problem.targets, self.objective
        outcome = self.evaluator.evaluate(proof.best.cut, by_lot=False)
        each = None
        # Where mistakes cost the same a row never costs less by being left out; elsewhere it may.
        if all(target.kind == MAJORITY and not target.own_group for target in targets):
            pairs = zip(objective.weights, targets, strict=True)
            each = objective.gone + sum(weight * int(target.gone.max(initial=0)) for weight, target in pairs)
        return SearchBound(proof.bound, objective.cost(outcome), outcome.gone, each)

    def _require_rows(self, best: Candidate) -> None:
        """Raise `TooManySuppressed` when rows are removed and no cut was found that keeps enough of them."""
        policy = self.task.bound.policy
        if policy.removes and not self.objective.allows(best.outcome):
            raise TooManySuppressed(best.outcome.gone, self.problem.total, policy.suppress.limit)

    def _empty(self, place: int, best: Candidate) -> set[int]:
        """Return the first codes of the parts of a column of which no row is kept."""
        firsts = best.cut[place]
        kept = firsts[self.problem.codes[place][~best.outcome.left_out & (self.problem.sizes > 0)]]
        return set(firsts.tolist()) - set(kept.tolist())

    def detail(self, outcome: CutOutcome) -> float:
        """Return the share of detail that a cut keeps (1 - LM)."""
        lost = outcome.lost + outcome.gone * self.evaluator.units.per_row
        cells = self.evaluator.units.per_row * self.problem.total
        return 1 - lost / cells if cells else 1.0

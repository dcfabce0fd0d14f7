"""From a bound policy and counted combinations to a plan: which method, with which options."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from discreet.encoded import Combinations, Encoded
from discreet.errors import ImpossiblePromise, TooManySuppressed
from discreet.method.base.gain import Gain, cells_gain, information_gain, loss_gain, variance_gain
from discreet.plan.assigning import groups_of
from discreet.plan.masks import ALL, Masks
from discreet.plan.parts import Kept, Step, Unseen
from discreet.plan.plan import Plan
from discreet.planning.changeable import Changeable
from discreet.planning.problem import cut_problem, group_problem
from discreet.planning.row_share import seen_only, thinned
from discreet.planning.task import Task, require_possible
from discreet.policy import Classify, Counts, General, Inference, Policy, Regress
from discreet.policy.redundant import without_redundant
from discreet.table.engine import Engine
from discreet.table.masking import mask_of

if TYPE_CHECKING:
    from discreet.method.base.problem import CutProblem
    from discreet.method.cuts.coordinate import Candidate, Objective
    from discreet.method.cuts.evaluation import Evaluator, Outcome
    from discreet.method.disclosure.search import Found, Refused, Search, Standing

GAINS: dict[type, Gain] = {
    Classify: information_gain,
    Regress: variance_gain,
    Counts: cells_gain,
    General: loss_gain,
}

MOST_WORK = 8_000_000
"""Cells of collapsed rows looked at in all starts of a coordinate search, which makes a few if one has no more."""
LEAST_KICKS, MOST_KICKS = 4, 200
LARGEST = 2**61
"""Costs of all rows together stay below this."""
FEW = 2**38
"""Units that leave room for those of others."""
NEARLY = 10**9
"""How finely the bound of a cut is told."""
HARDLY_ANYTHING = Fraction(1, 10**6)
"""What detail weighs beside a use that does not ask for it."""

NO_BENEFIT = "would not help the use"
NO_INPUT = "is no input of the use"
STOPPED = "the search was stopped before"
BREAKS = "would break a promise"
MARKER = "is the marker already"


class Planner:
    """A search for a plan that keeps all promises, ready to run; `keep_all` also searches with redundant ones."""

    def __init__(self, task: Task, *, keep_all: bool = False) -> None:
        from discreet.method.disclosure.search import Search  # compiled: only loaded when needed

        policy = task.bound.policy
        self.task = task
        promises = list(policy.promises())
        self.promises, self.dropped = (promises, []) if keep_all else without_redundant(promises)
        self.search: Search = Search(
            group_problem(task.bound, task.columns, self.promises, task.counted),
            GAINS[type(policy.uses[0])],
            only_beneficial=isinstance(policy.uses[0], Classify) and policy.disclosure.disclose != "always",
            only_valid=policy.disclosure.split == "best_valid",
        )

    def run(self, carry_on: Callable[[Standing], bool]) -> Plan:
        """Return the plan that the search finds.

        Raises
        ------
        ImpossiblePromise
            When there is none, with the least possible share of each broken promise.
        """
        from discreet.method.disclosure.search import Unsatisfiable

        try:
            self.search.check_limits()
        except Unsatisfiable as answer:
            least = [(self.promises[number], share) for number, share in answer.least]
            raise ImpossiblePromise(least) from None
        return self.plan(self.search.run(carry_on))

    def plan(self, found: Found) -> Plan:
        """Return what was found as a plan."""
        bound = self.task.bound
        pairs = list(zip(self.task.columns, found.columns, strict=True))
        return Plan(
            policy=bound.policy,
            columns=bound.columns,
            recodings=tuple(column.recoding(parts) for column, parts in pairs),
            steps=tuple(self._steps(found)),
            kept=self._kept(found),
            redundant=tuple(f"{weak} follows from {strong}" for weak, strong in self.dropped),
            detail=found.kept,
            complete=found.complete,
        )

    def _steps(self, found: Found) -> list[Step]:
        steps = []
        for step in found.steps:
            column = self.task.columns[step.column]
            value, kind = column.describe(step.slot, step.first, step.stop)
            steps.append(Step(column.name, value, kind, step.score, step.gain, step.loss, column.cut(step.slot)))
        return steps

    def _kept(self, found: Found) -> tuple[Kept, ...]:
        """Say for everything that is not told in full why, in the order of the columns and values."""
        why = {(refused.column, refused.first): refused for refused in found.refused}
        kept = []
        for place, (column, parts) in enumerate(zip(self.task.columns, found.columns, strict=True)):
            space = column.space
            for first, value in column.coarse(parts):
                refused = why.get((place, first))
                if refused is not None or not found.complete or space.plain:
                    kept.append(self._reason(column, value, refused))
        return tuple(kept)

    def _reason(self, column: Changeable, value: str | None, refused: Refused | None) -> Kept:
        if refused is None:
            pinned = column.space.plain and value == self.task.bound.policy.marker
            return Kept(column.name, value, MARKER if pinned else STOPPED)
        if refused.promise is None or refused.slot is None:
            inputs = self.task.bound.policy.inputs
            return Kept(column.name, value, NO_BENEFIT if inputs is None or column.name in inputs else NO_INPUT)
        promise = self.promises[refused.promise]
        cut = column.cut(refused.slot)
        infers = promise.value if isinstance(promise, Inference) else None
        return Kept(column.name, value, BREAKS, promise.index, infers, refused.hits, refused.rows, cut)


def loss_bound(problem: CutProblem, policy: Policy) -> int:
    """Return how large the loss of all rows may be in units, beside what the targets cost."""
    if not problem.targets:
        return LARGEST
    most = sum(target.most for target in problem.targets)
    if len(policy.uses) == 1 and most < FEW:
        return LARGEST // (most + 1)
    return FEW


def objectives(evaluator: Evaluator, policy: Policy, most_gone: int) -> tuple[Objective | None, Objective]:
    """Return what a search makes small, and what it may make small before that.

    One target comes before all detail: among cuts as good for it the coarsest leaves the other columns most room, so
    it is looked for first; the finest is taken in the end. Where that would need too large numbers, and for several
    uses, everything is added up by its weight, with a very small one for detail that nobody asks for.
    """
    from discreet.method.cuts.coordinate import Objective

    problem = evaluator.problem
    row, total = evaluator.units.per_row, problem.total
    targets = problem.targets
    if not targets:
        return None, Objective(1, row, (), most_gone, total)
    bound = row * total + 1
    if len(policy.uses) == 1 and bound * targets[0].most < LARGEST:
        usual = bound * evaluator.usual[0] // max(total, 1)
        return (
            Objective(-1, -row, (bound,), most_gone, total, usual),
            Objective(1, row, (bound,), most_gone, total, usual),
        )
    general = sum((use.weight for use in policy.uses if isinstance(use, General)), Fraction(0)) or HARDLY_ANYTHING
    worth = [Fraction(goal.weight, target.whole) for goal, target in zip(policy.goals, targets, strict=True)]
    worth.append(general / max(row * total, 1))
    heaviest = sum(each * most for each, most in zip(worth, [*(t.most for t in targets), row * total], strict=True))
    *weights, loss = (round(each * (LARGEST // 2) / max(heaviest, Fraction(1, 2**60))) for each in worth)
    usual = sum(weight * all_gone for weight, all_gone in zip(weights, evaluator.usual, strict=True)) // max(total, 1)
    return None, Objective(loss, loss * row, tuple(weights), most_gone, total, usual)


class CutPlanner:
    """A search for one cut of all columns, with the rows that do not fit left out."""

    def __init__(
        self, task: Task, most_suppressed: int | None = None, seed: int | None = None, *, seen: bool = False
    ) -> None:
        from discreet.method.cuts.evaluation import Evaluator

        policy = task.bound.policy
        self.task, self.seed = task, seed
        self.promises, self.dropped = without_redundant(list(policy.promises()))
        self.problem = cut_problem(task.bound, task.columns, self.promises, task.counted)
        self.problem = seen_only(self.problem) if seen else self.problem
        self.may_thin = most_suppressed is None  # the way out of too many suppressed rows looks at all of them
        if most_suppressed is None:
            most_suppressed = math.floor(policy.suppress.limit * self.problem.total)
        if policy.removes:  # a cut that leaves nothing to release is none, however little it costs the use
            most_suppressed = min(most_suppressed, self.problem.total - 1)
        self.evaluator = Evaluator(
            self.problem,
            whole=isinstance(policy.use, Counts),
            few_may_pass=policy.removes,
            hides_outermost=True,
            largest=loss_bound(self.problem, policy),
        )
        self.first, self.objective = objectives(self.evaluator, policy, most_suppressed)
        self.bound: float | None = None
        """Of what the cut found costs, the share that no cut goes below; known after an exact search."""

    def run(self, carry_on: Callable[[Standing], bool]) -> Plan:
        """Return the plan that the search finds.

        Raises
        ------
        ImpossiblePromise
            When even with everything hidden a promise is broken.
        """
        best, complete = self.search(carry_on)
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
        )

    def search(self, carry_on: Callable[[Standing], bool], *, prove: bool = True) -> tuple[Candidate, bool]:
        """Return the best cut, and whether the search came to its end; without a proof if none is wanted."""
        require_possible(self.problem, self.promises, removes=self.task.bound.policy.removes)
        found = self._on_some_rows(carry_on)
        if found is None or not self.objective.allows(found[0].outcome):
            found = self._best(carry_on, prove=prove)
        best, complete = found
        self._require_rows(best)
        return best, complete

    def _on_some_rows(self, carry_on: Callable[[Standing], bool]) -> tuple[Candidate, bool] | None:
        """Return the best cut for a share of the rows, made better on all; None where all are searched on."""
        from discreet.method.cuts.coordinate import improved

        share = self.task.bound.policy.search_on
        if share is None or share == 1 or not self.may_thin:
            return None
        few = CutPlanner(thinned(self.task, share), seed=self.seed, seen=True)
        found, complete = few._best(carry_on)
        return improved(self.problem, self.evaluator, self.objective, found.cut), complete

    def _best(self, carry_on: Callable[[Standing], bool], *, prove: bool = True) -> tuple[Candidate, bool]:
        """Return the best cut for the rows of this problem, by the search that the policy asks for."""
        method = self.task.bound.policy.method
        if method == "genetic":
            found = self._genetic(carry_on)
            # Cuts bred at random may all remove too many rows.
            return found if self.objective.allows(found[0].outcome) else self._coordinate(carry_on)
        return self._exact(carry_on) if method == "exact" and prove else self._coordinate(carry_on)

    def _coordinate(self, carry_on: Callable[[Standing], bool]) -> tuple[Candidate, bool]:
        from discreet.method.cuts.coordinate import Watch, search
        from discreet.method.disclosure.search import Standing

        work = max(self.problem.codes.size, 1)
        kicks = min(max(MOST_WORK // work, LEAST_KICKS if work <= MOST_WORK else 1), MOST_KICKS)
        complete = True

        def watch(far: Watch) -> bool:
            nonlocal complete
            kept = 0.0 if far.best is None else self.detail(far.best.outcome)
            complete = carry_on(Standing(far.kicks, kicks + 1 - far.kicks, kept))
            return complete

        rng = np.random.default_rng(0)  # the search protects nobody: it may well repeat itself
        best = search(
            self.problem, self.evaluator, self.objective, first=self.first, kicks=kicks, rng=rng, carry_on=watch
        )
        return best, complete

    def _genetic(self, carry_on: Callable[[Standing], bool]) -> tuple[Candidate, bool]:
        from discreet.method.cuts.genetic import Watch, search
        from discreet.method.disclosure.search import Standing

        options = self.task.bound.policy.genetic
        complete = True

        def watch(far: Watch) -> bool:
            nonlocal complete
            go_on = carry_on(Standing(far.iterations, far.left, self.detail(far.best.outcome)))
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
            carry_on=watch,
        )
        return best, complete

    def _exact(self, carry_on: Callable[[Standing], bool]) -> tuple[Candidate, bool]:
        from discreet.method.cuts.exact import Watch, search
        from discreet.method.disclosure.search import Standing

        complete = True

        def watch(far: Watch) -> bool:
            nonlocal complete
            kept, bound = self.detail(far.best.outcome), share_of(far.bound, far.best.cost)
            complete = carry_on(Standing(far.nodes, far.open, kept, bound))
            return complete

        start, _ = self._coordinate(carry_on)
        proof = search(self.problem, self.evaluator, self.objective, start, carry_on=watch)
        self.bound = 1.0 if proof.proven else share_of(proof.bound, proof.best.cost)
        return proof.best, complete

    def _require_rows(self, best: Candidate) -> None:
        """Raise `TooManySuppressed` when rows are removed and no cut was found that keeps enough of them."""
        policy = self.task.bound.policy
        if policy.removes and not self.objective.allows(best.outcome):
            raise TooManySuppressed(best.outcome.gone, self.problem.total, policy.suppress.limit)

    def _empty(self, place: int, best: Candidate) -> set[int]:
        """Return the first codes of the parts of a column of which no row is kept."""
        firsts = best.cut[place]
        kept = firsts[self.problem.codes[place][~best.outcome.left_out]]
        return set(firsts.tolist()) - set(kept.tolist())

    def detail(self, outcome: Outcome) -> float:
        """Return the share of detail that a cut keeps (1 - LM)."""
        lost = outcome.lost + outcome.gone * self.evaluator.units.per_row
        cells = self.evaluator.units.per_row * self.problem.total
        return 1 - lost / cells if cells else 1.0


def share_of(bound: int, cost: int) -> float:
    """Return the bound of a cut as a share of what it costs: below 1, for 1 is a proof."""
    return (NEARLY * bound // cost if 0 <= bound < cost else NEARLY - 1) / NEARLY


def detail_of(task: Task, plan: Plan, told: Engine, masks: Sequence[Masks | None]) -> float:
    """Return the share of the detail of the changeable columns that a plan releases of a table (1 - LM).

    `told` are the rows that are released, and `masks` say which of them are suppressed. Where chance took some rows of
    a combination, their values count by the shares that they have in it.
    """
    if plan.groupings:
        return _detail_of_groups(plan, told)
    # Where k counts in the whole table, that was counted, not the rows that were drawn.
    whole = task.bound.policy.k_on_population
    counted = told.edited(plan.edits).count(task.bound.counted) if whole else task.counted
    gone = np.zeros(len(counted.counts))
    for some in masks:
        if some is not None:
            gone = np.minimum(gone + _suppressed_of(counted, plan, some), counted.counts)
    rows, gone_rows = float(counted.counts.sum()), float(gone.sum())
    lost = weights = 0.0
    recodings = {recoding.column: recoding for recoding in plan.recodings}
    for column in task.columns:
        recoding = recodings[column.name]
        loss_of = dict(zip(column.domain, column.losses(recoding), strict=True))
        losses = np.array([loss_of[value] for value in counted.domain(column.name)])
        kept = np.bincount(counted.code(column.name), weights=counted.counts - gone, minlength=len(losses))
        weight = float(task.bound.policy.column(column.name).weight)
        lost += weight * (float(kept @ losses) + gone_rows) / rows
        weights += weight
    return 1 - lost / weights if weights else 1.0


def _suppressed_of(counted: Combinations, plan: Plan, masks: Masks) -> npt.NDArray[np.float64]:
    """Return how many rows of each combination of original values are suppressed; by lot, how many to expect."""
    recodings = {recoding.column: recoding for recoding in plan.recodings}

    def released(name: str) -> Encoded:
        """Return what the recodings make of a column."""
        recoding, domain = recodings.get(name), counted.domain(name)
        texts = domain if recoding is None else recoding.texts(domain, plan.policy.column(name).scale)
        places = {text: place for place, text in enumerate(dict.fromkeys(texts))}
        codes = np.array([places[text] for text in texts], dtype=np.uint32)[counted.code(name)]
        return Encoded(tuple(None if isinstance(text, Unseen) else text for text in places), codes)

    mask = mask_of(masks, released, len(counted.counts))
    wanted = np.append(np.array(masks.rows, dtype=np.float64), 0.0)
    has = np.bincount(mask + 1, weights=counted.counts, minlength=len(wanted))[1:]
    share = np.where(wanted == ALL, 1.0, wanted / np.append(np.maximum(has, 1), 1))
    return np.asarray(counted.counts * share[mask], dtype=np.float64)


def _detail_of_groups(plan: Plan, source: Engine) -> float:
    """Return the share of detail that groups with labels of their own release."""
    suppressed = np.isin(source.numbers(), np.array(plan.suppressed, dtype=np.int64))
    lost = np.zeros(source.rows, dtype=np.float64)
    whole = sum(grouping.whole for grouping in plan.groupings)
    for grouping in plan.groupings:
        group = groups_of(grouping, plan.policy, source.encoded, source.rows)
        losses = np.append(np.array(grouping.losses, dtype=np.float64), grouping.whole)
        lost += losses[np.where(group < 0, len(grouping.losses), group)]
    return 1 - float(np.where(suppressed, whole, lost).mean()) / whole if whole and source.rows else 1.0


def find_plan(
    task: Task,
    carry_on: Callable[[Standing], bool],
    most_suppressed: int | None = None,
    seed: int | None = None,
) -> Plan:
    """Return a plan that keeps all promises; the genetic search draws other cuts with another seed.

    Raises
    ------
    ImpossiblePromise
        When none can, with the least possible share of each broken promise.
    """
    plan = _found(task, carry_on, most_suppressed, seed)
    return replace(plan, recodings=(*plan.recodings, *task.binned))


def _found(task: Task, carry_on: Callable[[Standing], bool], most_suppressed: int | None, seed: int | None) -> Plan:
    """Return what a search finds for the columns of group requirements."""
    if not any(task.bound.policy.promises()):
        return Plan(task.bound.policy, task.bound.columns, ())
    if task.bound.policy.is_local:
        from discreet.planning.local import LocalPlanner

        return LocalPlanner(task, most_suppressed).run(carry_on)
    if task.bound.policy.method == "disclosure":
        return Planner(task).run(carry_on)
    return CutPlanner(task, most_suppressed, seed).run(carry_on)

"""Plans by top-down disclosure: the search set up, and what it found and refused as a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.common.watch import Watch
from discreet.errors import ImpossiblePromise
from discreet.plan.parts import Kept, Step
from discreet.plan.plan import Plan
from discreet.plan.reasons import KeptReason
from discreet.planning.changeable import Changeable
from discreet.planning.problem import group_problem
from discreet.planning.task import Task, require_possible
from discreet.planning.uses import PLANNED
from discreet.policy.redundant import without_redundant

if TYPE_CHECKING:
    from discreet.method.disclosure.search import Found, Refused, Search


class Planner:
    """A search for a plan that keeps all promises, ready to run; `keep_all` also searches with redundant ones."""

    def __init__(self, task: Task, *, keep_all: bool = False) -> None:
        from discreet.method.disclosure.search import Search  # compiled: only loaded when needed

        policy = task.bound.policy
        self.task = task
        promises = list(task.bound.each_promise)
        self.promises, self.dropped = (promises, []) if keep_all else without_redundant(promises)
        self.search: Search = Search(
            group_problem(task.bound, task.columns, self.promises, task.counted),
            PLANNED.of(policy.uses[0]).gain,
            only_beneficial=policy.uses[0].knows_benefit and policy.disclosure.disclose != "always",
            only_valid=policy.disclosure.split == "best_valid",
        )

    def run(self, watch: Watch) -> Plan:
        """Return the plan that the search finds.

        Raises
        ------
        ImpossiblePromise
            When there is none, with the least possible share of each broken promise.
        """
        from discreet.method.disclosure.search import Unsatisfiable

        require_possible(self.search.problem.tables, self.promises, removes=False)
        try:
            self.search.check_limits()
        except Unsatisfiable as answer:  # a promise that decides by itself was not sure enough of what is exact
            least = [(self.promises[number], share) for number, share in answer.least]
            raise ImpossiblePromise(least) from None
        return self.plan(self.search.run(lambda far: watch.planned(far.done, far.left, far.kept)))

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
            return Kept(column.name, value, KeptReason.MARKER if pinned else KeptReason.STOPPED)
        if refused.promise is None or refused.slot is None:
            inputs = self.task.bound.policy.inputs
            used = inputs is None or column.name in inputs
            return Kept(column.name, value, KeptReason.NO_BENEFIT if used else KeptReason.NO_INPUT)
        promise = self.promises[refused.promise]
        cut = column.cut(refused.slot)
        return Kept(
            column.name, value, KeptReason.BREAKS, promise.index, promise.value, refused.hits, refused.rows, cut
        )

"""Plans by top-down disclosure: the search set up, and what it found and refused as a plan."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.common.watch import Watch
from discreet.errors import ImpossiblePromise
from discreet.method.base.gain import Gain, cells_gain, information_gain, loss_gain, variance_gain
from discreet.plan.parts import Kept, Step
from discreet.plan.plan import Plan
from discreet.planning.changeable import Changeable
from discreet.planning.problem import group_problem
from discreet.planning.task import Task
from discreet.policy import Classify, Counts, General, Inference, Regress
from discreet.policy.redundant import without_redundant

if TYPE_CHECKING:
    from discreet.method.disclosure.search import Found, Refused, Search


GAINS: dict[type, Gain] = {
    Classify: information_gain,
    Regress: variance_gain,
    Counts: cells_gain,
    General: loss_gain,
}
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

    def run(self, watch: Watch) -> Plan:
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
            return Kept(column.name, value, MARKER if pinned else STOPPED)
        if refused.promise is None or refused.slot is None:
            inputs = self.task.bound.policy.inputs
            return Kept(column.name, value, NO_BENEFIT if inputs is None or column.name in inputs else NO_INPUT)
        promise = self.promises[refused.promise]
        cut = column.cut(refused.slot)
        infers = promise.value if isinstance(promise, Inference) else None
        return Kept(column.name, value, BREAKS, promise.index, infers, refused.hits, refused.rows, cut)

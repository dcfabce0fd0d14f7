"""From a bound policy and counted combinations to a plan: which method, with which options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.errors import ImpossiblePromise, Problem
from discreet.grouping import group_problem
from discreet.measure.gain import Gain, cells_gain, information_gain, loss_gain, variance_gain
from discreet.plan import Kept, Plan, Step
from discreet.policy import Classify, Counts, General, Inference, Regress
from discreet.policy.bind import Bound
from discreet.policy.redundant import without_redundant
from discreet.scale import Numbers
from discreet.spaces import Changeable
from discreet.table.encode import Combinations

if TYPE_CHECKING:
    from discreet.method.disclosure import Found, Refused, Search, Standing

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


def value_problems(bound: Bound, counted: Combinations, kinds: Mapping[str, str]) -> list[Problem]:
    """Return where values of the policy do not fit the values of the table (never naming one of the table's)."""
    policy = bound.policy
    problems = [
        policy.problem(
            ("protect", promise.index, "infer", promise.column),
            f"no row has {'a missing value in ' if promise.value is None else ''}{promise.column!r}"
            f"{'' if promise.value is None else f' = {promise.value!r}'}; {_spelling(kinds[promise.column])}",
        )
        for promise in policy.promises()
        if isinstance(promise, Inference) and promise.value not in counted.domain(promise.column)
    ]
    problems += _target_problems(bound, counted)
    declared = policy.missing is not None and policy.marker in policy.missing.values
    for column in bound.columns:
        changes = column in bound.changeable or column in policy.sensitive
        if changes and not declared and policy.marker in counted.domain(column):
            message = (
                f"the marker {policy.marker!r} occurs in column {column!r}; choose another with 'marker', "
                "or list it under missing.values if it stands for a missing value"
            )
            problems.append(policy.problem(("marker",), message))
    return problems


def _target_problems(bound: Bound, counted: Combinations) -> list[Problem]:
    """Return that the target of a regression is no number."""
    use = bound.policy.use
    if not isinstance(use, Regress):
        return []
    scale = bound.policy.column(use.target).scale or Numbers()
    missing = bound.policy.missing
    domain = [value for value in counted.domain(use.target) if not (missing is not None and missing.has(value))]
    bad = sum(scale.read(value) is None for value in domain)
    if not bad:
        return []
    message = f"{bad} of the {len(domain)} different values of {use.target!r} are no {scale.name}"
    return [bound.policy.problem(("use", "regress"), f"{message}; name missing ones under 'missing'")]


def missing_warnings(bound: Bound, counted: Combinations, dropped: int) -> list[str]:
    """Return a warning where 'missing' names what the table does not have: perhaps it is written otherwise there."""
    missing = bound.policy.missing
    if missing is None:
        return []
    if missing.rows == "drop":
        return [] if dropped else ["'missing' finds no missing value in the table: are they written otherwise there?"]
    occurring = {value for domain in counted.domains for value in domain}
    absent = [repr(value) for value in missing.values if value is not None and value not in occurring]
    if not absent:
        return []
    return [f"no column that counts has the missing value {', '.join(absent)}: is it written otherwise there?"]


def _spelling(kind: str) -> str:
    if kind == "text":
        return "check the spelling"
    like = {"Boolean": "true or false", "Float64": "1.0", "Float32": "1.0"}.get(kind, "in the table's own way")
    return f"the column holds {kind}, so write the value as {like}"


@dataclass(frozen=True)
class Task:
    """What is to be planned: a policy bound to a table, its changeable columns and counted combinations."""

    bound: Bound
    columns: Sequence[Changeable]
    counted: Combinations


class Planner:
    """A search for a plan that keeps all promises, ready to run; `keep_all` also searches with redundant ones."""

    def __init__(self, task: Task, *, keep_all: bool = False) -> None:
        from discreet.method.disclosure import Search  # compiled: only loaded when needed

        policy = task.bound.policy
        self.task = task
        promises = list(policy.promises())
        self.promises, self.dropped = (promises, []) if keep_all else without_redundant(promises)
        self.search: Search = Search(
            group_problem(task.bound, task.columns, self.promises, task.counted),
            GAINS[type(policy.use)],
            only_beneficial=isinstance(policy.use, Classify) and policy.disclosure.disclose != "always",
            only_valid=policy.disclosure.split == "best_valid",
        )

    def run(self, carry_on: Callable[[Standing], bool]) -> Plan:
        """Return the plan that the search finds.

        Raises
        ------
        ImpossiblePromise
            When there is none, with the least possible share of each broken promise.
        """
        from discreet.method.disclosure import Unsatisfiable

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
            return Kept(column.name, value, MARKER if value == self.task.bound.policy.marker else STOPPED)
        if refused.promise is None or refused.slot is None:
            inputs = self.task.bound.policy.inputs
            return Kept(column.name, value, NO_BENEFIT if inputs is None or column.name in inputs else NO_INPUT)
        promise = self.promises[refused.promise]
        cut = column.cut(refused.slot)
        infers = promise.value if isinstance(promise, Inference) else None
        return Kept(column.name, value, BREAKS, promise.index, infers, refused.hits, refused.rows, cut)


def find_plan(task: Task, carry_on: Callable[[Standing], bool]) -> Plan:
    """Return a plan that keeps all promises.

    Raises
    ------
    ImpossiblePromise
        When none can, with the least possible share of each broken promise.
    """
    return Planner(task).run(carry_on)

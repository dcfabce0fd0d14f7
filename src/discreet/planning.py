"""From a bound policy and counted combinations to a plan: which method, with which options."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.errors import ImpossiblePromise, Problem
from discreet.grouping import group_problem
from discreet.measure.gain import Gain, cells_gain, information_gain, loss_gain
from discreet.plan import Kept, Plan, Recoding, Step
from discreet.policy import Classify, Counts, General, Inference
from discreet.policy.bind import Bound
from discreet.policy.redundant import without_redundant
from discreet.table.encode import Combinations

if TYPE_CHECKING:
    from discreet.method.disclosure import Found, Refused

GAINS: dict[type, Gain] = {Classify: information_gain, Counts: cells_gain, General: loss_gain}

NO_BENEFIT = "would not help the use"
STOPPED = "the search was stopped before"
BREAKS = "would break a promise"
MARKER = "is the marker already"


def value_problems(bound: Bound, counted: Combinations, kinds: Mapping[str, str]) -> list[Problem]:
    """Return where values of the policy do not fit the values of the table (never naming one of the table's)."""
    policy = bound.policy
    problems = [
        policy.problem(
            ("protect", inference.index, "infer", inference.column),
            f"no row has {'a missing value in ' if inference.value is None else ''}{inference.column!r}"
            f"{'' if inference.value is None else f' = {inference.value!r}'}; {_spelling(kinds[inference.column])}",
        )
        for inference in bound.inferences
        if inference.value not in counted.domain(inference.column)
    ]
    declared = policy.missing is not None and policy.marker in policy.missing.values
    sensitive = {inference.column for inference in bound.inferences}
    for column in bound.columns:
        if column in {*bound.changeable, *sensitive} and not declared and policy.marker in counted.domain(column):
            message = (
                f"the marker {policy.marker!r} occurs in column {column!r}; choose another with 'marker', "
                "or list it under missing.values if it stands for a missing value"
            )
            problems.append(policy.problem(("marker",), message))
    return problems


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


def find_plan(bound: Bound, counted: Combinations, carry_on: Callable[[int, int], bool]) -> Plan:
    """Return a plan that keeps all templates.

    Raises
    ------
    ImpossiblePromise
        When none can, with the least possible share of each broken template.
    """
    from discreet.method.disclosure import Unsatisfiable, disclose  # compiled: only loaded when needed

    policy = bound.policy
    inferences, dropped = without_redundant(bound.inferences)
    try:
        found = disclose(
            group_problem(bound, inferences, counted),
            GAINS[type(policy.use)],
            only_beneficial=isinstance(policy.use, Classify) and policy.disclosure.disclose != "always",
            carry_on=carry_on,
        )
    except Unsatisfiable as answer:
        raise ImpossiblePromise([(inferences[number], share) for number, share in answer.least]) from None
    return Plan(
        policy=policy,
        columns=bound.columns,
        recodings=_recodings(bound, counted, found),
        steps=tuple(
            Step(*_names(bound, counted, s.column, s.value), "disclose", s.score, s.gain, s.loss) for s in found.steps
        ),
        kept=_kept(bound, counted, found, inferences),
        redundant=tuple(f"{weak} follows from {strong}" for weak, strong in dropped),
        complete=found.complete,
    )


def _recodings(bound: Bound, counted: Combinations, found: Found) -> tuple[Recoding, ...]:
    recodings = []
    for column, shown in zip(bound.changeable, found.shown, strict=True):
        values = list(zip(counted.domain(column), shown, strict=True))
        recodings.append(Recoding(column, tuple((v, v if yes else bound.policy.marker) for v, yes in values)))
    return tuple(recodings)


def _kept(bound: Bound, counted: Combinations, found: Found, inferences: Sequence[Inference]) -> tuple[Kept, ...]:
    """Say for every hidden value why it stays hidden, in the order of the columns and values."""
    why = {(refused.column, refused.value): refused for refused in found.refused}
    kept = []
    for column, shown in enumerate(found.shown):
        for value in np.flatnonzero(~shown):
            names = _names(bound, counted, column, int(value))
            kept.append(_reason(names, why.get((column, int(value))), bound.policy.marker, inferences))
    return tuple(kept)


def _reason(
    names: tuple[str, str | None], refused: Refused | None, marker: str, inferences: Sequence[Inference]
) -> Kept:
    if refused is None:
        return Kept(*names, MARKER if names[1] == marker else STOPPED)
    if refused.promise is None:
        return Kept(*names, NO_BENEFIT)
    inference = inferences[refused.promise]
    return Kept(*names, BREAKS, inference.index, inference.value, refused.hits, refused.rows)


def _names(bound: Bound, counted: Combinations, column: int, value: int) -> tuple[str, str | None]:
    name = bound.changeable[column]
    return name, counted.domain(name)[value]

"""How far a table as it came in keeps the promises: counted on another thread while a plan is searched for."""

from __future__ import annotations

from types import TracebackType
from typing import Self

from discreet.common.at_once import MANY, Meanwhile
from discreet.policy import Policy
from discreet.policy.bind import Bound
from discreet.table.engine import Engine
from discreet.table.local import LocalEngine
from discreet.verification.findings import Finding
from discreet.verification.promises import check

FEW_SETS = 4
"""Sets of known columns: to count more takes long, and who stops a job waits until it is done."""


def kept_before(told: Engine, policy: Policy, source: Engine) -> tuple[Finding, ...]:
    """Return what is found about each promise in the rows of a source that a release tells of, as they came in."""
    return check(told, policy, None, vouched=True, whole=source).requirements


class PromisesBefore:
    """The same, of a whole table: begun when the block is entered if that is worth a thread, else when it is asked."""

    def __init__(self, source: Engine, bound: Bound) -> None:
        self._source, self._policy = source, bound.policy
        self._meanwhile: Meanwhile[tuple[Finding, ...]] | None = None
        if _is_worth_it(source, bound):
            self._meanwhile = Meanwhile(lambda: kept_before(source, bound.policy, source))

    def __enter__(self) -> Self:
        if self._meanwhile is not None:
            self._meanwhile.__enter__()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._meanwhile is not None:
            self._meanwhile.__exit__(kind, error, trace)

    def of(self, told: Engine, policy: Policy, source: Engine) -> tuple[Finding, ...]:
        """Return what is found; counted anew for other rows, or another policy, than those of the block."""
        if self._meanwhile is not None and told is source is self._source and policy == self._policy:
            return self._meanwhile()
        return kept_before(told, policy, source)


def _is_worth_it(source: Engine, bound: Bound) -> bool:
    policy = bound.policy
    if (
        not isinstance(source, LocalEngine)
        or source.rows < MANY
        or policy.unit is not None
        or policy.release is not None
    ):
        return False
    sets = {promise.given for promise in bound.each_promise}
    return 0 < len(sets) <= FEW_SETS and not any(policy.cells())

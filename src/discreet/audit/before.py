"""A table as it came in, for the audit: counted on another thread while a plan is searched for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Self

from discreet.common.at_once import MANY, Meanwhile
from discreet.measure.usefulness import OriginalTarget, Usefulness, told_before, usefulness
from discreet.policy import Policy
from discreet.policy.bind import Bound
from discreet.table.by_codes import CountedByCodes
from discreet.table.engine import Engine
from discreet.table.local import LocalEngine
from discreet.verification.findings import Finding
from discreet.verification.promises import check

FEW_SETS = 4
"""Sets of known columns: to count more takes long, and who stops a job waits until it is done."""


def kept_before(told: Engine, policy: Policy, source: Engine) -> tuple[Finding, ...]:
    """Return what is found about each promise in the rows of a source that a release tells of, as they came in."""
    return check(told, policy, None, vouched=True, whole=source).requirements


class Before:
    """The same, of a whole table, and what it tells of each target.

    Begun when the block is entered if that is worth a thread, else when it is asked.
    """

    def __init__(self, source: Engine, bound: Bound) -> None:
        self._source, self._bound = source, bound
        self._meanwhile: Meanwhile[tuple[tuple[Finding, ...], tuple[OriginalTarget, ...]]] | None = None
        if isinstance(source, LocalEngine) and _is_worth_it(source, bound):
            quick = CountedByCodes(source)
            self._meanwhile = Meanwhile(lambda: (kept_before(quick, bound.policy, quick), told_before(source, bound)))

    def __enter__(self) -> Self:
        if self._meanwhile is not None:
            self._meanwhile.__enter__()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._meanwhile is not None:
            self._meanwhile.__exit__(kind, error, trace)

    def kept(self, told: Engine, policy: Policy, source: Engine) -> tuple[Finding, ...]:
        """Return what is found; counted anew for other rows, or another policy, than those of the block."""
        if self._meanwhile is not None and told is source is self._source and policy == self._bound.policy:
            return self._meanwhile()[0]
        return kept_before(told, policy, source)

    def told(self, told: Engine, bound: Bound) -> tuple[OriginalTarget, ...] | None:
        """Return what the table tells of each target; None for other rows, or bound otherwise, than in the block."""
        if self._meanwhile is not None and told is self._source and bound == self._bound:
            return self._meanwhile()[1]
        return None


def usefulness_meanwhile(
    released: Engine, told: Engine, bound: Bound, before: Before | None
) -> AbstractContextManager[Callable[[], Usefulness]]:
    """Let what a release is good for be found while others go on, if that is worth a thread; else when it is asked."""

    def find() -> Usefulness:
        return usefulness(released, told, bound, before=None if before is None else before.told(told, bound))

    large = isinstance(released, LocalEngine) and isinstance(told, LocalEngine) and released.rows >= MANY
    return Meanwhile(find) if large else nullcontext(find)


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

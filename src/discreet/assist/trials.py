"""Other policies tried on the rows of a release, within a given time.

A search over recodings that is stopped has a safe plan all the same, and most of what it finds it finds at once; what
comes later is more starts and small changes. So a trial takes a part of the time, and what it found by then is carried
out on all rows: as much can be told, or more.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from discreet.common.watch import Watch
from discreet.errors import DiscreetError
from discreet.planning.detail import details_of
from discreet.planning.drawing import rows_drawn
from discreet.planning.find import find_plan
from discreet.planning.prepared import prepare_rows
from discreet.policy import Policy
from discreet.policy.persons import beyond_persons
from discreet.policy.search_limits import beyond_local, beyond_search
from discreet.release import Release
from discreet.table.local import LocalEngine

AT_LEAST = 0.25
"""The part of its time that a search has at least; counting and carrying out seldom take as long as was reckoned."""


class TimeForAdvice:
    """How long advice may take: until `seconds` have gone by on a clock; without them, as long as it needs."""

    def __init__(self, seconds: float | None = None, clock: Callable[[], float] = time.process_time) -> None:
        self._clock = clock
        self._end = None if seconds is None else clock() + seconds

    def has(self, seconds: float) -> bool:
        """Whether so much is left."""
        return self._end is None or self._clock() + seconds <= self._end

    def clock(self) -> float:
        """Return the time."""
        return self._clock()

    def part(self, share: float, less: float = 0.0) -> Watch:
        """Return a watch that ends a search after a share of what is left, without what is needed besides."""
        if self._end is None:
            return Watch()
        now = self._clock()
        part = max(self._end - now, 0.0) * share
        end = now + max(part - less, part * AT_LEAST)
        return Watch(lambda _: self._clock() <= end)


@dataclass(frozen=True)
class TrialStep:
    """What another policy would make of the table."""

    detail: float
    columns: dict[str, float]
    """The share of the detail of each column; empty where groups have labels of their own, or persons several rows."""
    gone: int
    """Rows suppressed or removed."""
    complete: bool
    """Whether the search came to its end; else there may be more to tell."""

    def shown(self, share: float) -> str:
        """Return a share in words."""
        return f"{share:.0%}" if self.complete else f"at least {share:.0%}"


class Trials:
    """Other policies on the rows of a release.

    Parameters
    ----------
    given
        How long they may take together.
    price
        What each takes besides its search (counting, carrying out), in seconds of the same clock.
    """

    def __init__(self, release: Release, given: TimeForAdvice, price: float) -> None:
        self._release, self._given, self._price = release, given, price
        self.now = release.audit.detail or 0.0
        """What the release tells of the detail."""

    @property
    def can_be(self) -> bool:
        """Whether other plans can be made of the same rows at once: these are in memory, and all told."""
        policy = self._release.plan.policy
        held = isinstance(self._release.source, LocalEngine) and self._release.plan.complete
        return held and not (any(policy.cells()) or policy.release or policy.decide or self._release.note)

    def of(self, policy: Policy, share: float = 0.5) -> TrialStep | None:
        """Return what another policy makes of the table in a share of the time that is left.

        None where it makes nothing, or not in time.
        """
        if not self._given.has(self._price):
            return None
        watch, source = self._given.part(share, self._price), self._release.source
        try:
            if beyond_search(policy) or beyond_persons(policy) or (policy.is_local and beyond_local(policy)):
                return None
            begin = self._given.clock()
            job = prepare_rows(source, policy, "the table", watch)
            if job.profiles:  # each plan is judged by persons, which takes long
                return None
            counted = self._given.clock()
            plan = find_plan(job.task, watch)
            if not self._given.has(0):
                return None
            found = self._given.clock()
            made = job.carried_out(plan, watch, None)
            self._price = min(self._price, self._given.clock() - found + counted - begin)
        except DiscreetError:
            return None
        columns = {}
        if not plan.groupings and job.people is None:
            told = rows_drawn(source, made.plan.sampled)
            columns = details_of(job.task, made.plan, told, [each.masks for each in made.suppressed])
        gone = made.released.suppressed + made.released.removed
        return TrialStep(made.detail or 0.0, columns, gone, plan.complete)

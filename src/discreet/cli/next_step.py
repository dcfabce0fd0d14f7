"""The next step that `protect` ends with: reckoned after the release is written, in a fifth of the time it took."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from discreet.common.watch import Progress
    from discreet.release import Release


class JobClock:
    """Hears when the stages of a job begin, in seconds of the processor."""

    def __init__(self) -> None:
        self._begins: dict[str, float] = {}

    def hearing(self, hear: Callable[[Progress], bool | None]) -> Callable[[Progress], bool | None]:
        """Return a progress callback that notes the time and tells the other one."""

        def heard(progress: Progress) -> bool | None:
            self._begins.setdefault(progress.stage, time.process_time())
            return hear(progress)

        return heard

    @property
    def without_search(self) -> float:
        """What counting and applying took, and all that is done about them."""
        return self._between("count", "plan") + self._between("apply", "verify")

    def _between(self, begin: str, end: str) -> float:
        if begin not in self._begins or end not in self._begins:
            return 0.0
        return max(self._begins[end] - self._begins[begin], 0.0)


def advise(release: Release, table: str, clock: JobClock) -> str | None:
    """Return the next step with its gain; None where nothing is found in time.

    The release is written: whatever goes wrong here is no reason to fail.
    """
    try:
        from discreet.assist.advice import SHARE, next_step
        from discreet.assist.trials import TimeForAdvice

        given = TimeForAdvice(time.process_time() / SHARE)
        return next_step(release, table, given=given, price=clock.without_search)
    except Exception:
        if os.environ.get("DISCREET_DEBUG"):
            raise
        return None

"""How far a job is, whether it may go on, and how much time it has: said and asked in one place."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """How far a job is: the stage, and within planning what is disclosed.

    `disclosed` values, nodes and cuts are shown (in a search for cuts: starts or iterations are made), `left` are to
    be tried, `detail` is the share of the detail of the changeable columns that is shown so far, `seconds` the time
    since the job began. While single cells are protected (`cells`), `disclosed` are done. While an exact search looks
    for a proof, `bound` is the share of what the best cut so far costs that no cut goes below. While a release is
    attacked (`attack`), `disclosed` attacks are made; all of them take about `expected` seconds.
    """

    stage: str
    disclosed: int = 0
    left: int = 0
    detail: float = 0.0
    seconds: float = 0.0
    bound: float | None = None
    expected: float | None = None


class Watch:
    """The watch of one job: it tells how far this is, and knows whether it may go on.

    It may while there is time left and whoever hears of the progress does not say False. Ctrl-C comes that way too:
    the command line listens, and then says False. The time begins with the watch.
    """

    def __init__(self, hear: Callable[[Progress], bool | None] | None = None, time_limit: float | None = None) -> None:
        self._hear = hear
        self._time_limit = math.inf if time_limit is None else time_limit
        self._begin = time.monotonic()

    def begins(self, stage: str) -> None:
        """Tell that a stage begins; nobody is asked whether it may."""
        self._told(Progress(stage))

    def planned(self, done: int, left: int, detail: float, bound: float | None = None) -> bool:
        """Whether a search for a plan that stands so may go on."""
        return self._may_go_on(Progress("plan", done, left, detail, self._seconds, bound))

    def protected(self, done: int, left: int) -> bool:
        """Whether a search that has protected so many cells may go on."""
        return self._may_go_on(Progress("cells", done, left, seconds=self._seconds))

    def attacks(self, number: int, expected: float) -> Callable[[int, int], bool]:
        """Tell that so many attacks begin; return what asks before each, with those done and left, if it may be made.

        Whether there is time for it is asked elsewhere.
        """
        self._told(Progress("attack", 0, number, expected=expected))
        return lambda done, left: self._told(Progress("attack", done, left, seconds=self._seconds, expected=expected))

    def anew(self) -> Watch:
        """Return a watch that tells the same people, without a limit, and whose time begins now."""
        return Watch(self._hear)

    def seconds_left(self) -> float:
        """Return how much time is left; without a limit it is endless."""
        return self._time_limit - self._seconds

    @property
    def _seconds(self) -> float:
        return time.monotonic() - self._begin

    def _told(self, progress: Progress) -> bool:
        return self._hear is None or self._hear(progress) is not False

    def _may_go_on(self, progress: Progress) -> bool:
        return self._told(progress) and progress.seconds < self._time_limit

"""Top-down disclosure for plain columns (Wang, Fung, Yu 2006, section 4; spec: templates, points 1-10).

Guarantee: in the table that results, no group of rows that look alike on a template's known columns has its
property in a larger share than the template allows; this holds after every single step, so that stopping
early is safe. It covers adversaries who see this release only; it does not cover several releases together,
nor knowledge of how the method chooses.

The search starts with every value of every changeable column hidden and discloses one value at a time,
the one with the highest gain / (privacy loss + 1) among those that break nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.measure.gain import Floats, Gain
from discreet.method.groups import GroupCounts
from discreet.method.problem import GroupProblem

TIE = 1e-12
"""Scores closer than this (or this share of them, when above 1) are equal: the first column, then value, is taken."""


class Unsatisfiable(Exception):
    """Even the most suppressed table breaks these promises (by number); with each the least share possible."""

    def __init__(self, least: list[tuple[int, Fraction]]) -> None:
        super().__init__()
        self.least = least


@dataclass(frozen=True)
class Disclosed:
    """One step: a value of a changeable column, by their positions."""

    column: int
    value: int
    score: float
    gain: float
    loss: float


@dataclass(frozen=True)
class Refused:
    """Why a value stays hidden: the promise it would break and the worst group then, or no benefit (None)."""

    column: int
    value: int
    promise: int | None
    hits: int = 0
    rows: int = 0


@dataclass(frozen=True)
class Found:
    """What the search decided."""

    steps: list[Disclosed]
    refused: list[Refused]
    shown: list[npt.NDArray[np.bool_]]
    complete: bool
    """False when it was stopped before nothing more could be disclosed."""


def disclose(
    problem: GroupProblem,
    gain: Gain,
    *,
    only_beneficial: bool,
    carry_on: Callable[[int, int], bool] = lambda done, left: True,  # noqa: ARG005
) -> Found:
    """Return which values to disclose.

    `carry_on` is asked before each step with the number of values disclosed and of candidates left; when it
    says no, the search ends with the (safe) result so far.

    Raises
    ------
    Unsatisfiable
        When nothing can be released.
    """
    search = _Search(problem, gain, only_beneficial)
    complete = True
    while search.candidates_left():
        if not carry_on(len(search.steps), search.candidates_left()):
            complete = False
            break
        search.step()
    return Found(search.steps, search.refused, search.shown, complete)


class _Search:
    """The state of one search: what is shown, who is still a candidate, what each would gain and lose."""

    def __init__(self, problem: GroupProblem, gain: Gain, only_beneficial: bool) -> None:
        self.problem = problem
        self.gain = gain
        self.only_beneficial = only_beneficial
        sizes = [len(column.rows) for column in problem.columns]
        self.tables = [GroupCounts(t, [sizes[c] for c in t.columns], problem.total) for t in problem.tables]
        self._check_satisfiable()
        self.shown = [np.zeros(size, dtype=np.bool_) for size in sizes]
        self.candidate = [~column.pinned for column in problem.columns]
        self.gains: list[Floats] = [np.zeros(size) for size in sizes]
        self.steps: list[Disclosed] = []
        self.refused: list[Refused] = []
        for column in range(len(sizes)):
            self._refresh_gain(column)
            self._drop_breaking(column)

    def candidates_left(self) -> int:
        return sum(int(candidate.sum()) for candidate in self.candidate)

    def step(self) -> None:
        """Disclose the best candidate, then look again at what that concerns."""
        column, value, loss = self._best()
        gain = float(self.gains[column][value])
        self.steps.append(Disclosed(column, value, gain / (loss + 1), gain, loss))
        self.candidate[column][value] = False
        self.shown[column][value] = True
        self._refresh_gain(column)
        concerned = {column}
        for counts in self.tables:
            if column in counts.table.columns:
                counts.disclose(counts.table.columns.index(column), value)
                concerned.update(counts.table.columns)
        for other in sorted(concerned):
            self._drop_breaking(other)

    def _best(self) -> tuple[int, int, float]:
        losses = [self._losses(column) for column in range(len(self.candidate))]
        scores = [
            np.where(candidate, gain / (loss + 1), -np.inf)
            for candidate, gain, loss in zip(self.candidate, self.gains, losses, strict=True)
        ]
        best = max(float(score.max()) for score in scores)
        enough = best - TIE * max(1.0, abs(best))
        column = next(c for c, score in enumerate(scores) if score.max() >= enough)
        value = int(np.argmax(scores[column] >= enough))
        return column, value, float(losses[column][value])

    def _losses(self, column: int) -> Floats:
        """Mean increase of the largest share over the distinct (known columns, property) with this column."""
        total = np.zeros(len(self.candidate[column]))
        pairs = 0
        for counts in self.tables:
            if column in counts.table.columns:
                increase = counts.losses(counts.table.columns.index(column))
                total += increase.sum(axis=1)
                pairs += increase.shape[1]
        return total / pairs

    def _refresh_gain(self, column: int) -> None:
        counts = self.problem.columns[column]
        hidden = ~self.shown[column]
        self.gains[column] = self.gain(counts, hidden, self.problem.total)
        if self.only_beneficial and np.count_nonzero(counts.classes[hidden].sum(axis=0)) <= 1:
            for value in np.flatnonzero(self.candidate[column]):
                self.refused.append(Refused(column, int(value), None))
            self.candidate[column][:] = False
            self._retire(column)

    def _drop_breaking(self, column: int) -> None:
        """An invalid candidate never becomes valid again: drop it for good, and say why."""
        for counts in self.tables:
            if column not in counts.table.columns:
                continue
            place = counts.table.columns.index(column)
            breaks = counts.breaks(place)
            for value in np.flatnonzero(self.candidate[column] & breaks.any(axis=1)):
                which = int(np.argmax(breaks[value]))
                hits, rows = counts.share_after(place, int(value), which)
                self.refused.append(Refused(column, int(value), counts.table.promises[which], hits, rows))
                self.candidate[column][value] = False
        if not self.candidate[column].any():
            self._retire(column)

    def _retire(self, column: int) -> None:
        """A column without candidates needs no more scores."""
        for counts in self.tables:
            if column in counts.table.columns:
                counts.live[counts.table.columns.index(column)] = False

    def _check_satisfiable(self) -> None:
        least = [
            (counts.table.promises[place], counts.share(int(place)))
            for counts in self.tables
            for place in np.flatnonzero(counts.violated())
        ]
        if least:
            raise Unsatisfiable(least)

"""Top-down disclosure (Wang, Fung, Yu 2006, section 4; spec: templates, points 1-14).

Guarantee: in the table that results, every group of rows that look alike on a promise's known columns keeps
it; this holds after every single step, so that stopping early is safe. It covers adversaries who see this
release only; it does not cover several releases together, nor knowledge of how the method chooses.

The search starts with everything hidden and makes one disclosure at a time: a value of a plain column, the
children of a taxonomy node, a cut of an interval; always the one with the highest gain / (privacy loss + 1)
among those that break nothing. It serves every promise that merging whole groups never breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.base.gain import Floats, Gain
from discreet.method.base.groups import GroupCounts
from discreet.method.base.openings import Openings
from discreet.method.base.problem import ColumnCounts, GroupProblem
from discreet.method.disclosure.column_state import ColumnState, enough
from discreet.method.disclosure.plain_state import PlainState
from discreet.method.disclosure.tree_state import TreeState

WORTH_IT = 4
"""Steps that are made at once, from which on it is tried again at once."""
MOST_PATIENCE = 64
"""Single steps after which it is tried again in any case."""


class Unsatisfiable(Exception):
    """Even the most suppressed table breaks these promises (by number); with each the least share possible."""

    def __init__(self, least: list[tuple[int, Fraction]]) -> None:
        super().__init__()
        self.least = least


@dataclass(frozen=True)
class Disclosed:
    """One step: a disclosure of a changeable column, by their positions, and the part it opened."""

    column: int
    slot: int
    first: int
    stop: int
    score: float
    gain: float
    loss: float


@dataclass(frozen=True)
class Refused:
    """Why a part stays as it is: the promise that opening it would break and the worst group then, or no benefit.

    `first` is the first code of the part (the value itself in a plain column), `slot` what would have opened it.
    """

    column: int
    first: int
    slot: int | None
    promise: int | None
    hits: int = 0
    rows: int = 0


Parts = list[tuple[int, int, int]]
"""First code, stop and node of each part of a tree."""


@dataclass(frozen=True)
class Found:
    """What the search decided."""

    steps: list[Disclosed]
    refused: list[Refused]
    columns: list[npt.NDArray[np.bool_] | Parts]
    """Of each column which values are shown (plain), or into which parts it is cut."""
    kept: float
    """Share of the detail of the changeable columns that is still there (1 - LM)."""
    complete: bool
    """False when it was stopped before nothing more could be disclosed."""


@dataclass(frozen=True)
class Standing:
    """How far a search is, for whoever watches it."""

    done: int
    left: int
    kept: float


def always(_: Standing) -> bool:
    """Carry on until nothing more can be disclosed."""
    return True


def disclose(
    problem: GroupProblem,
    gain: Gain,
    *,
    only_beneficial: bool,
    only_valid: bool = True,
    carry_on: Callable[[Standing], bool] = always,
) -> Found:
    """Return what to disclose.

    `only_valid` cuts a number at the best place that breaks nothing; else at the best place or not at all.
    `carry_on` is asked before each step, or some steps that are made at once; when it says no, the search ends with the
    (safe) result so far.

    Raises
    ------
    Unsatisfiable
        When nothing can be released.
    """
    search = Search(problem, gain, only_beneficial=only_beneficial, only_valid=only_valid)
    search.check_limits()
    return search.run(carry_on)


class Search:
    """The state of one search: what is disclosed, who is still a candidate, what each would gain and lose."""

    def __init__(self, problem: GroupProblem, gain: Gain, *, only_beneficial: bool, only_valid: bool) -> None:
        """Begin; ask `check_limits` before going on."""
        self.problem = problem
        self.openings = Openings([column.space for column in problem.columns])
        self.states = [
            _state_of(place, column, self.openings, gain, problem.total, only_valid=only_valid)
            for place, column in enumerate(problem.columns)
        ]
        self.steps: list[Disclosed] = []
        self.refused: list[Refused] = []
        self._pause, self._patience = 0, 1
        for place, state in enumerate(self.states):
            self._note_useless(place, state.start(only_beneficial=only_beneficial))
        self.tables = [
            GroupCounts(table, codes, self.openings, problem.total)
            for table, codes in zip(problem.tables, problem.codes, strict=True)
        ]
        for counts in self.tables:
            counts.score_all()

    def check_limits(self) -> None:
        """Drop what breaks a limit; raise `Unsatisfiable` when things as they are do."""
        least = [
            (counts.table.promises[place], counts.share(int(place)))
            for counts in self.tables
            for place in np.flatnonzero(counts.violated())
        ]
        if least:
            raise Unsatisfiable(least)
        for counts in self.tables:
            counts.newly_doomed()  # all are asked now
        for place in range(len(self.states)):
            self._drop_breaking(place)

    def copy(self, limits: Sequence[Sequence[Fraction]]) -> Search:
        """Return a search that goes on by itself from here, under other limits (one list per table)."""
        twin = object.__new__(Search)
        twin.problem, twin.steps, twin.refused = self.problem, list(self.steps), list(self.refused)
        twin._pause, twin._patience = 0, 1
        twin.openings = self.openings.copy()
        twin.states = [state.copy(twin.openings) for state in self.states]
        twin.tables = [counts.copy(twin.openings) for counts in self.tables]
        for counts, own in zip(twin.tables, limits, strict=True):
            counts.set_limits(own)
        for place, state in enumerate(twin.states):
            if isinstance(state, TreeState):
                cuts = np.flatnonzero(state.alive)
                cuts = cuts[cuts >= len(state.space.nodes)]
                state.kill(cuts[twin._breaking(place, cuts)])
        return twin

    def run(self, carry_on: Callable[[Standing], bool] = always) -> Found:
        """Disclose until nothing more can be, or `carry_on` says no."""
        while left := self.candidates_left():
            if not carry_on(Standing(len(self.steps), left, self.kept())):
                return self.found(complete=False)
            if not self.steps_at_once():
                self.step()
        return self.found(complete=True)

    def found(self, *, complete: bool) -> Found:
        """Return the result as it stands."""
        columns: list[npt.NDArray[np.bool_] | Parts] = []
        for state in self.states:
            if isinstance(state, PlainState):
                columns.append(state.shown)
            elif isinstance(state, TreeState):
                columns.append(state.parts())
        return Found(self.steps, self.refused, columns, self.kept(), complete)

    def size(self) -> int:
        """Return the number of collapsed rows that are looked at."""
        return sum(len(table.sizes) for table in self.problem.tables)

    def kept(self) -> float:
        """Return the share of detail that is still there."""
        cells = self.problem.total * sum(state.weight for state in self.states)
        return 1 - sum(state.weight * state.lost for state in self.states) / cells if cells else 1.0

    def candidates_left(self) -> int:
        """Return the number of disclosures to choose from."""
        return sum(state.left for state in self.states)

    def step(self, best: tuple[int, int, float] | None = None) -> None:
        """Make the best disclosure, then look again at what that concerns."""
        column, slot, loss = best or self.best()
        state = self.states[column]
        gain = float(state.gains_of(np.array([slot]))[0]) + 0.0  # never -0
        first, stop = state.part_of(slot)
        self.steps.append(Disclosed(column, slot, first, stop, gain / (loss + 1), gain, loss))
        opened = state.open(slot)
        self._note_useless(column, opened.useless)
        concerned = {column}
        for counts in self.tables:
            if column in counts.table.columns:
                at = counts.table.columns.index(column)
                counts.split(at, opened.apart, opened.fresh, plain=state.space.plain)
                concerned.update(counts.table.columns)
        doomed = [counts.newly_doomed() for counts in self.tables]
        for other in sorted(concerned):
            if isinstance(self.states[other], PlainState):
                self._drop_doomed(other, doomed)
            else:
                self._drop_breaking(other)

    def steps_at_once(self) -> bool:
        """Make the next steps at once where they are the same as one by one; whether there were any.

        That is where values of but one plain column are left to show, and only one table knows it: a run of values
        that gain the same, and more than all others, and with which no largest share grows.
        """
        if self._pause:
            self._pause -= 1
            return False
        places = [place for place, state in enumerate(self.states) if state.left]
        state = self.states[places[0]]
        tables = list(self._counts_with(places[0]))
        if len(places) > 1 or len(tables) != 1 or not isinstance(state, PlainState):
            return False
        values, gains = state.run(partial(self._losses, places[0]))
        made = tables[0].show_in_turn(tables[0].table.columns.index(places[0]), values) if len(values) else 0
        # Where it does not pay, it is tried again later.
        self._patience = 1 if made >= WORTH_IT else min(2 * self._patience, MOST_PATIENCE)
        self._pause = self._patience - 1
        if not made:
            return False
        for value, gain in zip(values[:made].tolist(), gains[:made].tolist(), strict=True):
            self.steps.append(Disclosed(places[0], value, value, value + 1, gain, gain, 0.0))
        state.shown_in_turn(values[:made])
        self._drop_doomed(places[0], [tables[0].newly_doomed()])
        return True

    def best(self) -> tuple[int, int, float]:
        """Return the best disclosure: column, slot and privacy loss."""
        found: list[tuple[int, Ints, Floats, Floats]] = []
        for column, state in enumerate(self.states):
            if state.left:
                options = state.contenders(partial(self._losses, column))
                losses = self._losses(column, options)
                found.append((column, options, losses, state.gains_of(options) / (losses + 1)))
        least = enough(max(float(scores.max()) for *_, scores in found))
        column, options, losses, scores = next(entry for entry in found if entry[3].max() >= least)
        place = int(np.argmax(scores >= least))
        return column, int(options[place]), float(losses[place])

    def parts_ways(self, best: tuple[int, int, float], limits: Sequence[Sequence[Fraction]]) -> bool:
        """Whether a search under these stricter limits would go on otherwise than this one, or cannot go on.

        It takes the same step when that breaks none of them, unless another cut of some interval stands in for
        the best one there.
        """
        if self.violates(limits):
            return True
        stricter = self._under(limits)
        for column, state in enumerate(self.states):
            slots = np.array([best[1]]) if column == best[0] else np.zeros(0, dtype=np.int64)
            if isinstance(state, TreeState) and state.only_valid:
                options = state.options()
                slots = np.concatenate([slots, options[options >= len(state.space.nodes)]])
            for counts in stricter:
                if column in counts.table.columns and counts.breaks(slots + state.first_slot).any():
                    return True
        return False

    def violates(self, limits: Sequence[Sequence[Fraction]]) -> bool:
        """Whether things as they are break these limits."""
        return any(counts.violated().any() for counts in self._under(limits))

    def _under(self, limits: Sequence[Sequence[Fraction]]) -> list[GroupCounts]:
        return [counts.with_limits(own) for counts, own in zip(self.tables, limits, strict=True)]

    def share(self, promise: int) -> Fraction:
        """Return the largest share of a promise's property as things are."""
        for counts in self.tables:
            if promise in counts.table.promises:
                return counts.share(counts.table.promises.index(promise))
        raise KeyError(promise)

    def _losses(self, column: int, options: Ints) -> Floats:
        """Mean increase of the largest share over the distinct (known columns, property) with this column."""
        total = np.zeros(len(options))
        pairs = 0
        for counts in self.tables:
            if column in counts.table.columns:
                increase = counts.losses(options + self.states[column].first_slot)
                total += increase.sum(axis=1)
                pairs += increase.shape[1]
        return total / pairs

    def _drop_breaking(self, column: int) -> None:
        """What is invalid never becomes valid again: drop it for good, and say why."""
        state = self.states[column]
        for stuck in state.refresh():
            self.refused.append(self._why(column, state.first_of(stuck), stuck))
        if not state.left:
            return
        options = state.options()
        for slot in options[self._breaking(column, options)].tolist():
            self.refused.append(self._why(column, state.drop(slot), slot))

    def _drop_doomed(self, column: int, doomed: Sequence[Ints]) -> None:
        """Drop the values of a plain column that are among these slots of all columns; the others are as they were."""
        state = self.states[column]
        first, stop = state.first_slot, state.first_slot + state.space.slots
        slots = {slot - first for found in doomed if len(found) for slot in found.tolist() if first <= slot < stop}
        for slot in sorted(slots):
            if state.alive[slot]:
                self.refused.append(self._why(column, state.drop(slot), slot))

    def _breaking(self, column: int, slots: Ints) -> npt.NDArray[np.bool_]:
        """Return which disclosures of a column would break a limit."""
        broken = np.zeros(len(slots), dtype=np.bool_)
        for counts in self._counts_with(column):
            broken |= counts.breaks(slots + self.states[column].first_slot).any(axis=1)
        return broken

    def _why(self, column: int, first: int, slot: int) -> Refused:
        at = slot + self.states[column].first_slot
        for counts in self._counts_with(column):
            for which in np.flatnonzero(counts.breaks(np.array([at]))[0]):
                return Refused(column, first, slot, counts.table.promises[which], *counts.share_after(at, int(which)))
        raise AssertionError("nothing is refused without a reason")

    def _counts_with(self, column: int) -> Iterator[GroupCounts]:
        return (counts for counts in self.tables if column in counts.table.columns)

    def _note_useless(self, column: int, firsts: Sequence[int]) -> None:
        self.refused += [Refused(column, first, None, None) for first in firsts]


def _state_of(
    place: int, column: ColumnCounts, openings: Openings, gain: Gain, total: int, *, only_valid: bool
) -> ColumnState:
    """Return the state that fits the column."""
    if column.space.plain:
        return PlainState(place, column, openings, gain, total)
    return TreeState(place, column, openings, gain, total, only_valid=only_valid)

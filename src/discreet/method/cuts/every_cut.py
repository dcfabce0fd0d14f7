"""Every cut of a small space, one after the other: those that may be better than the best so far.

Guarantee: each cut comes up once unless it costs no less than `upper` even if no row has to be drawn by lot. Cuts are
evaluated in a kernel as `Evaluator` does it, but for the lot, for outermost intervals that are not told (see
`outermost`: then another cut is, which comes up by itself), and for rows left out of which it is not sure that a
release leaves them out (see `untold`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.common.compiled import room
from discreet.encoded import Ints
from discreet.method.base.limits import stacked
from discreet.method.base.space import Flags
from discreet.method.cuts.bits import Cuts, cuts_of, number_of_cuts
from discreet.method.cuts.coordinate import cut_of
from discreet.method.cuts.evaluation import Cut, Evaluator
from discreet.method.cuts.every_kernels import next_below, turn
from discreet.method.cuts.objective import Objective
from discreet.method.cuts.untold import may_be_untold, several_sets

MOST_WORK = 10**9
"""About how many cells are looked at in all cuts of a space that is small enough: some seconds at most."""
MOST_OF_A_COLUMN = 2**13
"""Cuts of a single column."""
OVERHEAD = 16
"""Rows that could be looked at in the time that a cut takes besides."""


@room
class Choices(NamedTuple):
    """All cuts of each column, column after column."""

    counts: Ints
    at: Ints
    """Where those of each column begin in the two below."""
    begins: Ints
    """Where the codes of each begin in the last two."""
    widths: Ints
    """How many parts each has."""
    parts: Ints
    losses: Ints
    untold: Flags
    """Which codes may read like a hidden cell; none where that does not matter."""


class Few(NamedTuple):
    """The rows, and what is promised and counted of them; sets of columns one after the other."""

    codes: npt.NDArray[np.int32]
    sizes: Ints
    known: Ints
    known_at: Ints
    fixed: Ints
    bounds: Ints
    told: Ints
    hits: Ints
    hits_at: Ints
    limits: Ints
    limits_at: Ints
    seen: Ints
    seen_at: Ints
    fields: Ints


class EveryCutScratch(NamedTuple):
    """Scratch."""

    part: Ints
    loss: Ints
    untold: Flags
    widths: Ints
    left_out: Flags
    more: Flags
    broken: Flags
    key: Ints
    ids: Ints
    table: Ints
    places: Ints
    size: Ints
    counted: Ints
    nothing: Ints
    start: Ints
    sorted: Ints
    tally: Ints


def is_small(evaluator: Evaluator, most_work: int = MOST_WORK) -> bool:
    """Whether it takes no time to look at every cut."""
    problem = evaluator.problem
    work = (len(problem.sizes) + OVERHEAD) * (len(problem.columns) + 1) * (len(problem.tables) + len(problem.targets))
    for place in range(len(problem.columns)):
        ways = number_of_cuts(_cuts_of(evaluator, place))
        work *= ways
        if ways > MOST_OF_A_COLUMN or work > most_work:
            return False
    return work <= most_work


class EveryCut:
    """Goes through all cuts."""

    def __init__(self, evaluator: Evaluator, objective: Objective, *, blank: bool = False) -> None:
        self.evaluator, self.objective = evaluator, objective
        self.firsts = [_listed(evaluator, place) for place in range(len(evaluator.problem.columns))]
        self.total = int(np.prod([len(own) for own in self.firsts], dtype=object))
        self.done = 0
        self.digits = np.zeros(len(self.firsts), dtype=np.int64)
        self._choices = _choices(evaluator, self.firsts, blank=blank)
        self._few = _few(evaluator)
        self._room = _room(evaluator)
        self._weights = np.array(objective.weights, dtype=np.int64)
        self._own_group = np.array([target.own_group for target in evaluator.problem.targets], dtype=np.bool_)

    def below(self, upper: int, some: int) -> Cut | None:
        """Return the next cut that may cost less than `upper`; None when there was none among so many."""
        end, of = min(self.done + some, self.total), self.objective
        self.done = int(
            next_below(
                self.done, end, upper, of.most_gone, of.loss, of.gone, self._weights, self._own_group, self._few,
                self.evaluator.offsets, self.evaluator.shape, self._choices, self.digits, self._room,
            )
        )  # fmt: skip
        if self.done == end:
            return None
        cut = tuple(own[digit] for own, digit in zip(self.firsts, self.digits.tolist(), strict=True))
        self.done += 1
        turn(self.digits, self._choices)
        return cut


def _cuts_of(evaluator: Evaluator, place: int) -> Cuts:
    column = evaluator.problem.columns[place]
    return cuts_of([column.space], [column.pinned])


def _listed(evaluator: Evaluator, place: int) -> list[Ints]:
    """Return all cuts of a column."""
    cuts = _cuts_of(evaluator, place)
    on = np.zeros((1, len(cuts.parent)), dtype=np.bool_)
    for switch, above in enumerate(cuts.parent.tolist()):
        more = on[on[:, above]].copy() if above >= 0 else on.copy()
        more[:, switch] = True
        on = np.concatenate([on, more])
    return [cut_of(bits, cuts)[0] for bits in cuts.strings(on)]


def _choices(evaluator: Evaluator, firsts: list[list[Ints]], *, blank: bool) -> Choices:
    several = several_sets(evaluator)
    spaces = [column.space for column in evaluator.problem.columns]
    untold = [
        several & (blank | may_be_untold(space, one, several=several))
        for space, own in zip(spaces, firsts, strict=True)
        for one in own
    ]
    told = [evaluator.told(place, one) for place, own in enumerate(firsts) for one in own]
    counts = np.array([len(own) for own in firsts], dtype=np.int64)
    lengths = np.array([len(each.part) for each in told], dtype=np.int64)
    nothing = [np.zeros(0, dtype=np.int64)]
    return Choices(
        counts,
        np.cumsum(counts) - counts,
        np.cumsum(lengths) - lengths,
        np.array([each.parts for each in told], dtype=np.int64),
        np.concatenate([*nothing, *(each.part for each in told)]),
        np.concatenate([*nothing, *(each.loss for each in told)]),
        np.concatenate([np.zeros(0, dtype=np.bool_), *untold]),
    )


def _few(evaluator: Evaluator) -> Few:
    problem, rows = evaluator.problem, len(evaluator.problem.sizes)
    tables, nothing = problem.tables, np.zeros((0, rows), dtype=np.int64)
    columns = [np.array(target.columns, dtype=np.int64) for target in problem.targets]
    return Few(
        problem.codes,
        problem.sizes,
        _joined(evaluator.known),
        _ends(evaluator.known),
        np.concatenate([nothing, *(table.fixed.reshape(1, -1) for table in tables)]),
        np.array([int(table.fixed.max(initial=0)) + 1 for table in tables], dtype=np.int64),
        np.concatenate([nothing, *(table.sizes.reshape(1, -1) for table in tables)]),
        np.concatenate([nothing, *(table.hits for table in tables)]),
        _ends([table.hits for table in tables]),
        stacked(evaluator.limits),
        _ends(evaluator.limits),
        _joined(columns),
        _ends(columns),
        evaluator.fields,
    )


def _joined(arrays: list[Ints]) -> Ints:
    return np.concatenate([np.zeros(0, dtype=np.int64), *arrays])


def _ends(arrays: list[Ints]) -> Ints:
    return np.cumsum([0, *map(len, arrays)], dtype=np.int64)


def _room(evaluator: Evaluator) -> EveryCutScratch:
    rows, codes = len(evaluator.problem.sizes), int(evaluator.offsets[-1])

    def ints(length: int) -> Ints:
        return np.zeros(length, dtype=np.int64)

    def flags(length: int) -> Flags:
        return np.zeros(length, dtype=np.bool_)

    return EveryCutScratch(
        ints(codes), ints(codes), flags(codes), ints(len(evaluator.problem.columns)), flags(rows), flags(rows),
        flags(rows + 1),
        evaluator.key, evaluator.ids, evaluator.table, evaluator.places, evaluator.figures[0], evaluator.counted,
        evaluator.nothing,
        evaluator.start, evaluator.sorted, evaluator.tally,
    )  # fmt: skip

"""Coordinate search over cuts: the best cut of one column at a time, all others as they are, again and again.

Guarantee: the cut it returns was evaluated as a whole, and every group it keeps keeps every promise. With the
other columns fixed, loss of detail and misjudged rows are sums over groups, so the best cut of a taxonomy
(bottom-up) or of numbers (a shortest path over intervals) is found exactly, where one set of columns is known to
all promises, no limit on suppressed rows binds and intervals hidden on both sides keep their rows left out (see
`outermost`); elsewhere it is a good guess that is taken only if the whole got better. Plain columns show or hide one
value at a time. Kicks out of local optima are drawn at random. It says nothing about how far the best of all cuts is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.method.base.problem import CutProblem
from discreet.method.base.space import Space
from discreet.method.cuts.bits import Bits, Cuts, cuts_of
from discreet.method.cuts.column_steps import ColumnSteps
from discreet.method.cuts.evaluation import Cut, Evaluator
from discreet.method.cuts.objective import Candidate, Objective
from discreet.method.cuts.parts import Firsts

MOST_LOOKS_AROUND = 4
"""How often the cuts of wide number columns are looked for among others near those that were found."""


@dataclass(frozen=True)
class CoordinateWatch:
    """How far the search is."""

    kicks: int
    best: Candidate | None


def search(
    problem: CutProblem,
    evaluator: Evaluator,
    objective: Objective,
    *,
    kicks: int,
    rng: np.random.Generator,
    first: Objective | None = None,
    carry_on: Callable[[CoordinateWatch], bool] = lambda _: True,
) -> Candidate:
    """Return the best cut found from the coarsest cut and from random ones, after some kicks.

    With `first` each descent makes that small before it makes the objective so. Before each step `carry_on` is asked.
    The search does not end before its time without a cut that leaves out no more rows than it may.
    """
    steps = ColumnSteps(problem, evaluator)
    cuts = cuts_of([column.searched() for column in steps.columns], [column.pinned for column in problem.columns])
    coarsest = tuple(_coarsest(column.space) for column in problem.columns)
    start = evaluator.evaluate(coarsest)
    best = Candidate(start.cut, start, objective.cost(start))
    current = best
    reluctance = 0
    kick = 0

    def go_on() -> bool:
        return carry_on(CoordinateWatch(kick, best)) or not objective.allows(best.outcome)

    for kick in range(kicks + 1):
        if not go_on():
            break
        # The second start leaves out hardly any row: what those left out need besides is not seen by single steps.
        aim = objective.sterner(12 if kick == 1 else reluctance)
        begin, order = coarsest, list(range(len(coarsest)))
        if kick >= 2:
            begin, order = _kicked(cuts, current.cut, rng, everything=kick <= 4 or rng.random() < 0.4)
        if first is not None and aim == objective and kick % 2 == 0:
            begin = steps.descend(begin, first, order, go_on).cut
        found = steps.descend(begin, aim, order, go_on)
        true = replace(found, cost=objective.cost(found.outcome))
        if objective.allows(true.outcome):
            if true.cost <= current.cost:  # as good is good enough to go on from: there are plateaus
                current = true
            if true.cost < best.cost or not objective.allows(best.outcome):
                current = best = true
            reluctance = max(reluctance - 1, 0)
        else:
            reluctance += 1
    thinned = any(column.thinned for column in steps.columns)
    if (steps.contexts.share > 1 or thinned) and carry_on(CoordinateWatch(kicks + 1, best)):
        best = _at_last(steps, best, objective, go_on)
    return showing(best, problem, evaluator, objective)


def showing(best: Candidate, problem: CutProblem, evaluator: Evaluator, objective: Objective) -> Candidate:
    """Show the only hidden value of a plain column where that costs nothing: by itself it loses nothing, yet tells."""
    for place, column in enumerate(problem.columns):
        hidden = best.cut[place] < 0
        if column.space.plain and hidden.sum() == 1 and not column.pinned[hidden].any():
            cut = (*best.cut[:place], np.arange(column.space.size), *best.cut[place + 1 :])
            outcome = evaluator.evaluate(cut)
            if objective.cost(outcome) <= best.cost and objective.allows(outcome):
                best = Candidate(outcome.cut, outcome, objective.cost(outcome))
    return best


def improved(
    problem: CutProblem,
    evaluator: Evaluator,
    objective: Objective,
    cut: Cut,
    carry_on: Callable[[Candidate], bool] = lambda _: True,
) -> Candidate:
    """Return a cut that was found elsewhere, made better one column at a time, but never beyond what is allowed.

    Before each step `carry_on` is asked, with the cut that it began with.
    """
    found = evaluator.evaluate(cut)
    begin = Candidate(found.cut, found, objective.cost(found))
    return _at_last(ColumnSteps(problem, evaluator), begin, objective, lambda: carry_on(begin))


def _at_last(steps: ColumnSteps, begin: Candidate, objective: Objective, go_on: Callable[[], bool]) -> Candidate:
    """Return a cut made better by steps that look at all rows, and at other cuts of wide number columns around it."""
    steps.contexts.share = 1
    better = begin
    for _ in range(MOST_LOOKS_AROUND):
        if any(column.thinned for column in steps.columns):
            steps.look_around(better.cut)
        last, better = better, steps.descend(better.cut, objective, range(len(begin.cut)), go_on)
        if better.cost == last.cost or not any(column.thinned for column in steps.columns):
            break
    return better if objective.allows(better.outcome) or not objective.allows(begin.outcome) else begin


def _coarsest(space: Space) -> Firsts:
    return np.full(space.size, -1 if space.plain else 0, dtype=np.int64)


def bits_of(cut: Cut, spaces: Sequence[Space]) -> Bits:
    """Return a cut as a bit string."""
    parts = [
        firsts >= 0 if space.plain else firsts[1:] != firsts[:-1] for firsts, space in zip(cut, spaces, strict=True)
    ]
    return np.concatenate(parts).astype(np.uint8) if parts else np.zeros(0, dtype=np.uint8)


def cut_of(bits: Bits, cuts: Cuts) -> Cut:
    """Return a bit string as a cut."""
    return tuple(
        np.where(cuts.column(bits, place) > 0, np.arange(space.size), -1) if space.plain else part
        for place, (space, part) in enumerate(zip(cuts.spaces, cuts.parts(bits), strict=True))
    )


def _kicked(cuts: Cuts, cut: Cut, rng: np.random.Generator, *, everything: bool) -> tuple[Cut, list[int]]:
    """Return a cut with a few columns changed a little or replaced by random cuts, or all replaced.

    And in which order to look at the columns: those that were changed last, lest they are changed back at once.
    """
    drawn = cuts.random(rng.random(), rng)
    order = rng.permutation(len(cut)).tolist()
    if everything or not cuts.length:
        return cut_of(drawn, cuts), order
    bits = bits_of(cut, cuts.spaces)
    few = min(len(cut), 1 + int(rng.integers(3)))
    kicked = order[len(cut) - few :]
    for place in kicked:
        own = slice(int(cuts.offsets[place]), int(cuts.offsets[place + 1]))
        if own.start == own.stop:
            continue
        if rng.random() < 0.5:
            bits[own] = drawn[own]
        else:
            bits = cuts.flip(bits, int(rng.integers(own.start, own.stop)))
    return cut_of(bits, cuts), order

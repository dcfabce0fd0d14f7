"""What a cut comes to that differs in one column from a cut whose contexts were counted: from these, not from all rows.

Guarantee: where `serves` says so, the figures are those of `Evaluator.evaluate`, in integers.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.cuts.context_kernels import rows_of_broken, sum_parts
from discreet.method.cuts.contexts import Contexts
from discreet.method.cuts.evaluation import Cut, CutOutcome, Evaluator


def serves(evaluator: Evaluator) -> bool:
    """Whether contexts tell all that is counted of a cut: rows of one are alike in what they lose by other columns."""
    problem = evaluator.problem
    if not evaluator.at_once or any(column.space.shares for column in problem.columns):
        return False
    return sorted(problem.tables[0].columns) == list(range(len(problem.columns)))


class StepEvaluator:
    """Evaluates cuts beside contexts of one column: those that were seen last."""

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self.serves = serves(evaluator)
        self._others: Cut = ()
        self._contexts: Contexts | None = None
        self._place = -1
        self._standing = np.zeros(0, dtype=np.int64)
        self._group_of = np.empty(len(evaluator.problem.sizes) if self.serves else 0, dtype=np.int64)

    def see(self, cut: Cut, place: int, contexts: Contexts, standing: Ints) -> None:
        """Take these contexts of a column beside a cut of the others; `standing`: a code for each that it tells."""
        self._others, self._place = _others(cut, place), place
        self._contexts, self._standing = contexts if self.serves and contexts.rows is not None else None, standing

    def forget(self) -> None:
        """Take no contexts: they are overwritten."""
        self._contexts = None

    def seen(self, cut: Cut, place: int) -> Contexts | None:
        """Return the contexts of a column beside a cut of the others, if they were seen last."""
        if self._contexts is None or place != self._place:
            return None
        alike = all(one is other for one, other in zip(_others(cut, place), self._others, strict=True))
        return self._contexts if alike else None

    def evaluate(self, cut: Cut, place: int) -> CutOutcome:
        """Return what a cut comes to, which cuts this column where contexts tell its codes apart."""
        contexts = self.seen(cut, place)
        return self.evaluator.evaluate(cut, as_it_is=None if contexts is None else self._as_it_is(cut, contexts))

    def _as_it_is(self, cut: Cut, contexts: Contexts) -> CutOutcome:
        evaluator = self.evaluator
        told = evaluator.told(self._place, cut[self._place])
        seen, of_part = (np.empty(told.parts, dtype=np.int64) for _ in range(2))
        groups = sum_parts(
            contexts.start, contexts.groups, contexts.codes, told.part[self._standing], told.loss[self._standing],
            contexts.others, contexts.sizes, contexts.fields, contexts.hits, of_part, seen, self._group_of,
            evaluator.sums,
        )  # fmt: skip

        def left_out() -> npt.NDArray[np.bool_]:
            found = np.empty(len(evaluator.problem.sizes), dtype=np.bool_)
            rows_of_broken(contexts.rows, contexts.into, self._group_of, evaluator.broken, found)
            return found

        collapsed = self._group_of[: len(contexts.codes)]
        return evaluator.judged(cut, int(groups), left_out, collapsed, contexts.pairs)


def _others(cut: Cut, place: int) -> Cut:
    return (*cut[:place], *cut[place + 1 :])

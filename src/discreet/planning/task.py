"""What is to be planned, and whether it can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.encoded import Combinations
from discreet.errors import ImpossiblePromise
from discreet.plan.parts import Recoding
from discreet.planning.changeable import Changeable
from discreet.policy import GroupPromise
from discreet.policy.bind import Bound

if TYPE_CHECKING:
    from discreet.method.base.problem import CutProblem


@dataclass(frozen=True)
class Task:
    """What is to be planned: a policy bound to a table, its changeable columns and counted combinations."""

    bound: Bound
    columns: Sequence[Changeable]
    counted: Combinations
    binned: tuple[Recoding, ...] = ()
    """What becomes of columns that no search cuts."""


def require_possible(problem: CutProblem, promises: Sequence[GroupPromise], *, removes: bool) -> None:
    """Raise `ImpossiblePromise` when everything hidden is not enough.

    Where rows may be removed, a promise may hold of the others, unless even all together are too few.
    """
    least = []
    for table in problem.tables:
        fixed = np.zeros_like(table.fixed) if removes else table.fixed
        sizes = np.bincount(fixed, weights=table.sizes).astype(np.int64)
        tallies = [np.bincount(fixed, weights=tally, minlength=len(sizes)).astype(np.int64) for tally in table.hits]
        every = np.stack(tallies) if tallies else np.zeros((0, len(sizes)), dtype=np.int64)
        for limit in table.limits:
            promise = promises[limit.promise]
            if removes and promise.unit is None:
                continue
            share = max(limit.figures(sizes, every), default=Fraction(0))
            if share > promise.at_most:
                least.append((promise, share))
    if least:
        raise ImpossiblePromise(least)

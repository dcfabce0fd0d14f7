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
        for hits, person, number in zip(table.hits, table.persons, table.promises, strict=True):
            fixed = np.zeros_like(table.fixed) if removes else table.fixed
            if removes and not person:
                continue
            sizes = np.bincount(fixed, weights=table.sizes).astype(np.int64)
            found = np.ones_like(sizes) if person else np.bincount(table.fixed, weights=hits).astype(np.int64)
            share = max((Fraction(int(a), int(n)) for a, n in zip(found, sizes, strict=True) if n), default=Fraction(0))
            if share > promises[number].at_most:
                least.append((promises[number], share))
    if least:
        raise ImpossiblePromise(least)

"""What rows drawn by lot cost at least, whichever they are.

Rows left out are groups like any other, told apart by what never changes. One that breaks a promise needs more rows:
so many at least that have not the property in question, each of which is not told any more. Kept rows that may read
like those left out may be in one group with them: they cost nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.base.problem import CutProblem


def least_for_lots(
    problem: CutProblem,
    left_out: npt.NDArray[np.bool_],
    beside: Sequence[npt.NDArray[np.bool_]],
    worth: Ints,
    never: int,
) -> int:
    """Return what rows left out need at least, when each other row is `worth` so much; `never` if there are too few.

    `beside` are for each set of known columns the kept rows beside which they may stand. Every promise is looked at by
    itself: the one that needs the dearest rows is a bound for all together.
    """
    most = 0
    for table, free in zip(problem.tables, beside, strict=True):
        price = np.where(free, 0, worth)
        order = np.argsort(price, kind="stable")
        order = order[~left_out[order]]
        for limit in table.limits:
            spare = limit.helping(table.sizes, limit.own(table.hits))
            cost = 0
            for number in np.unique(table.fixed[left_out]).tolist():
                rows = left_out & (table.fixed == number)
                here = table.sizes[rows].sum(keepdims=True), limit.own(table.hits)[:, rows].sum(axis=1, keepdims=True)
                need = int(limit.lacking(*here, problem.total + 1)[0])
                own = order[table.fixed[order] == number]
                if need > int(spare[own].sum()):
                    return never
                before = np.cumsum(spare[own]) - spare[own]
                cost += int((np.clip(need - before, 0, spare[own]) * price[own]).sum())
            most = max(most, cost)
    return most

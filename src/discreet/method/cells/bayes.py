"""DECP, INCP and DROPP: single cells against naive Bayes (Hintoglu), deleting or generalising.

Guarantee: a cell whose outcome is `safe` or `done` is hidden (or generalised), and naive Bayes, trained on the other
rows of the table as it is then, has a guess for it that is at least as probable as the true value. Later changes for
other cells may undo that: whoever protects several cells looks at all of them again (`job`).

Where values are generalised, the cell itself is generalised one level after the other until a method works; where
values are deleted, it is hidden at once.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from discreet.method.cells import change_kernels, kernels
from discreet.method.cells.chance import Chance
from discreet.method.cells.kernels import Guesser
from discreet.method.cells.table import CellTable

Ints = npt.NDArray[np.int64]
NONE: Ints = np.empty((0, 2), dtype=np.int64)

OUTCOMES = {
    kernels.SAFE: "safe",
    kernels.DONE: "done",
    kernels.DECLINED: "by lot",
    kernels.FAILED: "failed",
}
HOW = {"decp": change_kernels.DECP, "incp": change_kernels.INCP, "dropp": change_kernels.DROPP}


@dataclass(frozen=True, eq=False)
class Outcome:
    """What became of one cell: `safe` (nothing else had to change), `done`, `by lot` or `failed`."""

    status: str
    guess: int | None = None
    """The value (a leaf of the column's tree) that was to become as probable as the true one."""
    changes: Ints = field(default_factory=lambda: NONE)
    """Row and column of each cell that was changed beside the confidential one (more than once, if more than once)."""

    @property
    def holds(self) -> bool:
        """Whether the true value is not the single best guess."""
        return self.status in ("safe", "done")


def protect(
    table: CellTable,
    guesser: Guesser,
    row: int,
    actual: int,
    method: str,
    chance: Chance,
    *,
    fall_back: bool = True,
) -> Outcome:
    """Protect one cell by `decp`, `incp` or `dropp`; `actual` is its true value, a leaf of the column's tree.

    The row keeps at least the level of generality that its cell has now. `fall_back`: INCP goes on with DECP where
    raising other guesses is not enough.
    """
    column = table.confidential[guesser.column]
    start = int(table.first[column])
    before = table.node(column, row)
    levels = 1
    if guesser.mode == kernels.SPREAD or method == "dropp":  # else what others have above a value says nothing of it
        levels = max(table.levels[c] for c in (column, *guesser.predictors.tolist()))
    draws = np.array(chance.numbers, dtype=np.int64)
    found = change_kernels.one_cell(
        table.frame, guesser, row, actual + start, HOW[method], levels, chance.coin, draws, fall_back
    )
    status, guess, changes = int(found[0]), int(found[1]), found[2][:, :2]
    table.changed_for(row, column, before, changes)
    return Outcome(OUTCOMES[status], guess - start if guess >= 0 else None, changes)

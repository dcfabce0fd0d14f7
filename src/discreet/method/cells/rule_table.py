"""Rules about confidential cells and all their counts, which follow every cell that is hidden or shown again.

Every method against rules works on one `RuleTable`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from discreet.method.cells import rule_kernels as kernels
from discreet.method.cells.rule_kernels import NOTHING

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.int32]
SENSITIVE = -1
"""The place of the sensitive column among the conditions of a cell."""
Cell = tuple[int, int]
"""A row and a condition, by its place, or `SENSITIVE`."""


@dataclass(frozen=True)
class Limits:
    """When a rule leaks: support and confidence are both above these."""

    confidence: Fraction
    support: int = 0
    published: bool = False
    """Whether rows with a hidden sensitive cell are left out of what a confidence is a share of."""


def largest_share(share: Fraction, rows: int) -> Fraction:
    """Return the largest share of at most so many rows that is within a share: the same shares are above both.

    Its terms are small, whatever the digits of the share.

    >>> largest_share(Fraction("0.667"), 100), largest_share(Fraction("0.666"), 100)
    (Fraction(2, 3), Fraction(65, 98))
    """
    nearest = share.limit_denominator(max(rows, 1))
    if nearest <= share:
        return nearest
    over, under = nearest.numerator, nearest.denominator
    below = pow(over, -1, under)  # the neighbour a / b has over * b - a * under = 1
    below += (rows - below) // under * under
    return Fraction((over * below - 1) // under, below)


class RuleTable:
    """Conditions and sensitive values of all rows, and every rule about the confidential ones.

    Parameters
    ----------
    cells
        The value of each condition, conditions x rows; `NOTHING` where it is unknown. Copied.
    sensitive
        The sensitive value of each row, that of confidential rows included.
    rows
        The confidential rows. Their sensitive cells are hidden here.
    limits
        When a rule leaks.
    free
        Which condition cells may be hidden: conditions x rows.
    free_sensitive
        Which sensitive cells may be hidden.
    real
        The row itself for each row; for a shadow (another way in which its row may be seen) the row it belongs to.
        Shadows of confidential rows have rules of their own, and count nowhere.
    truth
        The sensitive values before anything was hidden, where `sensitive` lacks some of them; for decoys.
    """

    def __init__(
        self,
        cells: Codes,
        sensitive: Codes,
        rows: Sequence[int],
        limits: Limits,
        free: Flags,
        free_sensitive: Flags,
        real: Ints | None = None,
        truth: Codes | None = None,
    ) -> None:
        self.rows = tuple(rows)
        self.real = np.arange(cells.shape[1], dtype=np.int64) if real is None else real
        self.limits = limits
        self.actual = {row: int(sensitive[row]) for row in rows}
        self.free, self.free_sensitive = free.copy(), free_sensitive.copy()
        self.free_sensitive[list(rows)] = False
        self.original, self.original_sensitive = cells.astype(np.int32), sensitive.astype(np.int32)
        self.truth = self.original_sensitive if truth is None else truth
        values = self.original_sensitive.copy()
        values[list(rows)] = NOTHING
        self.values = values
        self.cells = np.ascontiguousarray(self.original).copy()
        shadows = self.real != np.arange(len(values))
        self.values[shadows] = NOTHING
        self.cells[:, shadows] = NOTHING
        self.free[:, shadows], self.free_sensitive[shadows] = False, False
        self.hidden: list[Cell] = []
        """Cells that were hidden, in order; the confidential ones aside."""
        self._build()

    def _build(self) -> None:
        """Find the patterns of the confidential rows as they are now, and count their rules."""
        seen: dict[tuple[int, ...], int] = {}
        self.pattern_of: dict[int, int] = {}
        for row in self.rows:
            key = (*self.seen(row).tolist(), self.actual[row])
            self.pattern_of[row] = seen.setdefault(key, len(seen))
        conditions = self.cells.shape[0]
        lines = np.array(list(seen), dtype=np.int32).reshape(len(seen), conditions + 1)
        patterns = np.ascontiguousarray(lines[:, :conditions])
        known = ((patterns >= 0) * (1 << np.arange(conditions))).sum(axis=1).astype(np.int64)
        size = (len(seen), 1 << conditions)
        confidence = largest_share(self.limits.confidence, self.cells.shape[1])
        self.rules = kernels.RuleArrays(
            cells=self.cells,
            sensitive=self.values,
            patterns=patterns,
            values=np.ascontiguousarray(lines[:, conditions]),
            known=known,
            num=np.zeros(size, dtype=np.int64),
            den=np.zeros(size, dtype=np.int64),
            first=np.zeros(size, dtype=np.bool_),
            confidence=np.array([confidence.numerator, confidence.denominator], dtype=np.int64),
            support=self.limits.support,
            published=self.limits.published,
        )
        kernels.count(self.rules)
        kernels.mark_first(self.rules)

    def seen(self, row: int) -> Codes:
        """Return what the conditions of a row say now; a shadow keeps what tells it from its row."""
        real = int(self.real[row])
        same = self.original[:, row] == self.original[:, real]
        seen: Codes = np.where(same, self.cells[:, real], self.original[:, row])
        return seen

    def lines(self) -> kernels.RuleLines:
        """Return what may be known of each confidential row now, and which cells may be hidden."""
        rows = np.array(self.rows, dtype=np.int64)
        same = self.original[:, rows] == self.original[:, self.real[rows]]
        return kernels.RuleLines(
            np.array([self.pattern_of[row] for row in self.rows], dtype=np.int64),
            self.real[rows],
            masks_of(same),
            masks_of(self.free),
            self.free_sensitive,
        )

    @property
    def conditions(self) -> int:
        """The number of conditions."""
        return int(self.cells.shape[0])

    def unsafe(self) -> Ints:
        """Return pattern and mask of every unsafe rule, each once."""
        found: Ints = kernels.unsafe_rules(self.rules)
        return found

    def is_safe(self) -> bool:
        """Whether no rule leaks."""
        return not kernels.any_leaks(self.rules)

    def leaking(self) -> list[int]:
        """Return the confidential rows that some rule leaks."""
        bad = kernels.all_leaks(self.rules)
        return [row for row in self.rows if bad[self.pattern_of[row]]]

    def may(self, cell: Cell) -> bool:
        """Whether a cell may be hidden, and is not yet."""
        row, column = cell
        if column == SENSITIVE:
            return bool(self.free_sensitive[row] and self.values[row] != NOTHING)
        return bool(self.free[column, row] and self.cells[column, row] != NOTHING)

    def hide(self, cell: Cell) -> None:
        """Hide a cell; where it is a condition of a confidential row, its rules are others then."""
        self._set(cell, NOTHING)
        self.hidden.append(cell)

    def show(self, cell: Cell) -> None:
        """Show a hidden cell again."""
        row, column = cell
        self._set(cell, int(self.original_sensitive[row] if column == SENSITIVE else self.original[column, row]))
        if self.hidden[-1] == cell:
            self.hidden.pop()
        else:
            self.hidden.remove(cell)

    def _set(self, cell: Cell, value: int) -> None:
        row, column = cell
        if column == SENSITIVE:
            kernels.set_sensitive(self.rules, row, value)
            return
        kernels.set_condition(self.rules, column, row, value)
        if row in self.actual:
            self._build()

    def take_back(self, number: int) -> None:
        """Show the last hidden cells again, until only so many are hidden."""
        while len(self.hidden) > number:
            self.show(self.hidden[-1])


@dataclass
class HidingAnswer:
    """What a method found: `safe`, `infeasible` (with the reason why) or `not found`, and the cells it hid."""

    status: str
    hidden: list[Cell] = field(default_factory=list)
    method: str = ""
    why: str = ""
    least: int | None = None
    """No safe choice hides fewer cells: proven, by `exact`."""

    @property
    def gap(self) -> int | None:
        """How many cells more than needed are hidden at most, if it is known."""
        return None if self.least is None or self.status != "safe" else len(self.hidden) - self.least


def masks_of(flags: Flags) -> Ints:
    """Return for each row the conditions that are flagged, as a mask."""
    masks: Ints = (flags * (1 << np.arange(len(flags)))[:, None]).sum(axis=0).astype(np.int64)
    return masks


def subsets(mask: int) -> Iterator[int]:
    """Yield the nonempty subsets of a mask."""
    subset = mask
    while subset:
        yield subset
        subset = (subset - 1) & mask


def columns_of(mask: int) -> list[int]:
    """Return the conditions in a mask."""
    return [column for column in range(mask.bit_length()) if mask >> column & 1]


def relevant(table: RuleTable, p: int, mask: int) -> Flags:
    """Say which rows have the conditions and the value of a rule."""
    found: Flags = table.values == table.rules.values[p]
    for column in columns_of(mask):
        found = found & (table.cells[column] == table.rules.patterns[p, column])
    return found


def prune(table: RuleTable, keep: int = 0) -> None:
    """Show again every hidden cell (but for the first `keep`) without which all is safe, the last hidden first.

    A condition that is shown can let another be shown: again until none can be.
    """
    before = -1
    while before != len(table.hidden):
        before = len(table.hidden)
        needed: list[Cell] = []
        while len(table.hidden) > keep:
            cell = table.hidden[-1]
            table.show(cell)
            if not table.is_safe():
                table._set(cell, NOTHING)
                needed.append(cell)
        table.hidden += reversed(needed)

"""The fewest cells to hide against association rules, by integer programming (HiGHS through SciPy): small tables.

Guarantee: an answer `safe` hides as few cells as any safe choice of the cells that may be hidden, if it hides `least`;
`infeasible` means that there is none. Where time runs out, `least` is what is proven by then, and the answer may be
`not found`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from math import ceil, inf, isfinite
from typing import Any

import numpy as np

from discreet.errors import InputError
from discreet.method.cells.rule_table import SENSITIVE, Cell, HidingAnswer, RuleTable
from discreet.method.cells.rules_search import NO_CHOICE

MOST = 200_000
"""Rules times rows that a program is made for."""
OPTIMAL, INFEASIBLE = 0, 2
"""What the solver says of a program."""
NEARLY = 1e-6
"""The solver's bounds are off by less."""


def exact(table: RuleTable, seconds_left: Callable[[], float] = lambda: inf) -> HidingAnswer:
    """Hide as few cells as can be, or the best found in the time that is left; the table must be small."""
    begun = len(table.hidden)
    program = _Program(table)
    status, hidden, least = program.solve(seconds_left())
    if status == "infeasible":
        return HidingAnswer(status, [], "exact", NO_CHOICE)
    for cell in hidden:
        table.hide(cell)
    if status == "safe" and table.is_safe():
        return HidingAnswer(status, list(hidden), "exact", least=min(least, len(hidden)))
    table.take_back(begun)  # nothing was found, or the solver's floats were not exact enough
    return HidingAnswer("not found", [], "exact", least=least)


def _scipy(name: str) -> Any:
    try:
        return importlib.import_module(f"scipy.{name}")
    except ImportError:
        message = "method: exact needs SciPy for a table of this size; install discreet with the extra 'exact'"
        raise InputError(message) from None


class _Program:
    """Minimise the hidden cells so that every rule that some confidential row still shows is safe.

    Variables: for each cell that may be hidden whether it is; for each rule and row that has its conditions whether it
    still shows them all, and whether its value as well; for each rule whether it is shown, and by which of the two
    tests it is safe.
    """

    def __init__(self, table: RuleTable) -> None:
        self.table = table
        self.cost: list[float] = []
        self.lines: list[tuple[dict[int, float], float, float]] = []
        """Coefficients, least and most."""
        self.cell: dict[Cell, int] = {}
        for row in np.flatnonzero(table.free_sensitive & (table.values >= 0)).tolist():
            self._cell((row, SENSITIVE))
        for column, row in zip(*np.nonzero(table.free & (table.cells >= 0)), strict=True):
            self._cell((int(row), int(column)))
        found = self._rules()
        if len(found) * len(table.values) > MOST:
            raise InputError(
                f"method: exact is for small tables; {len(found)} rules over {len(table.values)} rows are more"
            )
        for key, carriers in found.items():
            self._rule(key, carriers)

    def _variable(self, cost: float = 0.0) -> int:
        self.cost.append(cost)
        return len(self.cost) - 1

    def _cell(self, cell: Cell) -> None:
        self.cell[cell] = self._variable(1.0)

    def _rules(self) -> dict[tuple[int, tuple[tuple[int, int], ...]], list[int]]:
        """Return every rule (value, conditions) that a confidential row shows now, and whose it is."""
        found: dict[tuple[int, tuple[tuple[int, int], ...]], list[int]] = {}
        for row in self.table.rows:
            known = [(column, int(value)) for column, value in enumerate(self.table.seen(row)) if value >= 0]
            for chosen in range(1, 1 << len(known)):
                pattern = tuple(cell for place, cell in enumerate(known) if chosen >> place & 1)
                found.setdefault((self.table.actual[row], pattern), []).append(row)
        return found

    def _rule(self, key: tuple[int, tuple[tuple[int, int], ...]], carriers: list[int]) -> None:
        value, pattern = key
        table, columns = self.table, [column for column, _ in pattern]
        has = np.ones(len(table.values), dtype=np.bool_)
        for column, wanted in pattern:
            has &= table.cells[column] == wanted
        rows = np.flatnonzero(has).tolist()
        if not any(table.values[row] == value for row in rows):
            return
        num: dict[int, float] = {}
        den: dict[int, float] = {}
        always = [0, 0]
        for row in rows:
            shows = self._shows(row, columns)
            valued = self._and_value(row, shows)
            if table.values[row] == value:
                always[0] += self._count(num, valued)
            always[1] += self._count(den, valued if table.limits.published else shows)
        self._safe(num, den, always, self._carried(carriers, columns), len(rows) + 1)

    def _shows(self, row: int, columns: list[int]) -> int | None:
        """Return the variable for whether a row shows some conditions; None if it always does."""
        cells = [self.cell[row, column] for column in columns if (row, column) in self.cell]
        if not cells:
            return None
        shows = self._variable()
        for cell in cells:
            self.lines.append(({shows: 1, cell: 1}, -np.inf, 1))
        self.lines.append(({shows: 1, **dict.fromkeys(cells, 1.0)}, 1, np.inf))
        return shows

    def _and_value(self, row: int, shows: int | None) -> int | bool | None:
        """Return the variable for whether it shows its value as well; None if always, False if never."""
        if self.table.values[row] < 0:
            return False
        cell = self.cell.get((row, SENSITIVE))
        if cell is None:
            return shows
        both = self._variable()
        self.lines.append(({both: 1, cell: 1}, -np.inf, 1))
        self.lines.append(
            ({both: 1, cell: 1} if shows is None else {both: 1, cell: 1, shows: -1}, 1 if shows is None else 0, np.inf)
        )
        if shows is not None:
            self.lines.append(({both: 1, shows: -1}, -np.inf, 0))
        return both

    @staticmethod
    def _count(terms: dict[int, float], shown: int | bool | None) -> int:
        """Add a row to a count; return 1 if it always counts."""
        if shown is False:
            return 0
        if shown is None:
            return 1
        terms[int(shown)] = terms.get(int(shown), 0.0) + 1
        return 0

    def _carried(self, carriers: list[int], columns: list[int]) -> int | None:
        """Return the variable for whether some confidential row shows the conditions; None if one always does."""
        table = self.table
        shown = []
        for row in carriers:
            real = int(table.real[row])
            own = [
                self.cell[real, c]
                for c in columns
                if (real, c) in self.cell and table.original[c, row] == table.original[c, real]
            ]
            if not own:
                return None
            shown.append(own)
        carried = self._variable()
        for own in shown:
            self.lines.append(({carried: 1, **dict.fromkeys(own, 1.0)}, 1, np.inf))
        return carried

    def _safe(
        self, num: dict[int, float], den: dict[int, float], always: list[int], carried: int | None, most: int
    ) -> None:
        """Ask that a rule that is shown has few rows, or a small share."""
        limits = self.table.limits
        over, under = self.table.rules.confidence.tolist()
        by_support, by_share = self._variable(), self._variable()
        large = float(most * (over + under))
        self.lines.append(({**num, by_support: most}, -np.inf, limits.support - always[0] + most))
        share = {place: under * times for place, times in num.items()}
        for place, times in den.items():
            share[place] = share.get(place, 0.0) - over * times
        share[by_share] = large
        self.lines.append((share, -np.inf, over * always[1] - under * always[0] + large))
        either = {by_support: 1.0, by_share: 1.0}
        self.lines.append((either, 1, np.inf) if carried is None else ({**either, carried: -1.0}, 0, np.inf))

    def solve(self, seconds: float = inf) -> tuple[str, list[Cell], int]:
        """Return whether there is a way, the cells to hide, and how many any way hides at least."""
        optimize, sparse = _scipy("optimize"), _scipy("sparse")
        values, at_line, at_column, least, most = [], [], [], [], []
        for line, (terms, low, high) in enumerate(self.lines):
            for column, value in terms.items():
                values.append(value)
                at_line.append(line)
                at_column.append(column)
            least.append(low)
            most.append(high)
        if not self.lines:
            return "safe", [], 0
        if seconds <= 0:
            return "not found", [], 0
        matrix = sparse.csr_matrix((values, (at_line, at_column)), shape=(len(self.lines), len(self.cost)))
        found = optimize.milp(
            np.array(self.cost),
            constraints=optimize.LinearConstraint(matrix, least, most),
            integrality=np.ones(len(self.cost)),
            bounds=optimize.Bounds(0, 1),
            options={"mip_rel_gap": 0.0, **({"time_limit": seconds} if isfinite(seconds) else {})},
        )
        if found.status == INFEASIBLE:
            return "infeasible", [], 0
        bound = found.mip_dual_bound
        proven = max(0, ceil(bound - NEARLY)) if bound is not None and isfinite(bound) else 0
        if found.x is None:
            return "not found", [], proven
        hidden = [cell for cell, place in self.cell.items() if found.x[place] > 0.5]
        return "safe", hidden, len(hidden) if found.status == OPTIMAL else proven

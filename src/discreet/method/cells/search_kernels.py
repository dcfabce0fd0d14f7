"""The inner loops of the search through all choices of cells against association rules.

A choice is made cell by cell: to hide it, or never to. Cells of a row are bits: one for each condition, one for the
sensitive cell. All comparisons are of whole numbers. `cheapest` of `rule_kernels` is compiled into these: after a
change there, this file's code on disk is stale too.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.common.compiled import kernel
from discreet.method.cells.rule_kernels import cheapest

Ints = npt.NDArray[np.int64]


class HidingProblem(NamedTuple):
    """All rules that can leak, whatever is hidden, and the rows and lines that they are about."""

    masks: Ints
    """The conditions of each rule."""
    starts: Ints
    """Where the rows of each rule begin, and the last end."""
    rows: Ints
    """Rows with the conditions of a rule."""
    telling: npt.NDArray[np.bool_]
    """Whether they have its value."""
    line_starts: Ints
    """Where the lines of each rule begin, and the last end."""
    line_rows: Ints
    """The confidential row of each line that shows the conditions, in order."""
    line_own: Ints
    """The conditions that it does not show if the row hides them."""
    kinds: Ints
    """Rows of the same kind can stand for each other."""
    value: int
    """The bit of the sensitive cell."""
    confidence: Ints
    support: int
    published: bool


class State(NamedTuple):
    """Where the search stands."""

    hidden: Ints
    """The hidden cells of each row."""
    free: Ints
    """The cells of each row of which nothing is decided."""
    best: Ints
    """The hidden cells of the best choice so far."""
    at: Ints
    """Numbers: decisions, refused cells, hidden cells, the most that are of interest."""
    row: Ints
    bit: Ints
    refused: npt.NDArray[np.bool_]
    mark: Ints
    """The decisions: each about a cell; whether it is refused, and how many cells were before that."""
    refused_row: Ints
    refused_bit: Ints
    """The refused cells: that of a decision, and those that could stand for it."""
    costs: Ints
    """What each unsafe rule costs by itself."""
    degrees: Ints
    """For each row and cell the unsafe rules it helps with."""
    reach: Ints
    """For each row the unsafe rules that any of its cells helps with."""
    gains: Ints
    used: Ints


DECISIONS, REFUSED, HIDDEN, MOST = 0, 1, 2, 3
"""The numbers of a state."""
NOWHERE, SAFE = -1, -2
"""Instead of a row: nothing better is to be found here, or all is safe."""


@kernel
def _own_cost(problem, state, i):  # type: ignore[no-untyped-def]
    """Return how many rows must hide a condition so that a rule is about nobody: 0 if it is so, -1 if one may not.

    O(lines of the rule).
    """
    cost, last = 0, -1
    for j in range(problem.line_starts[i], problem.line_starts[i + 1]):
        row, own = problem.line_rows[j], problem.line_own[j]
        if state.hidden[row] & own:
            continue
        if state.free[row] & own == 0:
            return -1
        if row != last:
            cost += 1
            last = row
    return cost


@kernel
def _cost(problem, state, i):  # type: ignore[no-untyped-def]
    """Return the fewest cells that mend a rule: 0 if it is safe, -1 if nothing mends it.

    O(rows and lines of the rule).
    """
    mask, value = problem.masks[i], problem.value
    num, den, by_value, fixed = 0, 0, 0, 0
    for j in range(problem.starts[i], problem.starts[i + 1]):
        row = problem.rows[j]
        gone = state.hidden[row]
        if gone & mask:
            continue
        told = gone & value == 0
        if told or not problem.published:
            den += 1
        if told and problem.telling[j]:
            num += 1
            if state.free[row] & value:
                by_value += 1
            elif state.free[row] & mask == 0:
                fixed += 1
    if num <= problem.support or num * problem.confidence[1] <= problem.confidence[0] * den:
        return 0
    own = _own_cost(problem, state, i)
    if own == 0:
        return 0
    cost = cheapest(problem, num, den, by_value, fixed)
    return own if own > 0 and (cost < 0 or own < cost) else cost


@kernel
def _weigh(problem, state):  # type: ignore[no-untyped-def]
    """Write what each rule costs; return the sum, or -1 if nothing mends one of them.

    O(rows and lines of all rules).
    """
    total = 0
    for i in range(len(problem.masks)):
        cost = _cost(problem, state, i)
        if cost < 0:
            return -1
        state.costs[i] = cost
        total += cost
    return total


@kernel
def _helper(problem, state, i, place):  # type: ignore[no-untyped-def]
    """Return a row, and its cells that help to mend a rule: places are those of its rows, then of its lines. O(1)."""
    rows = problem.starts[i + 1] - problem.starts[i]
    if place < rows:
        j = problem.starts[i] + place
        row = problem.rows[j]
        shown = state.hidden[row] & (problem.masks[i] | problem.value) == 0
        cells = problem.masks[i] | problem.value if shown and problem.telling[j] else 0
    else:
        j = problem.line_starts[i] + place - rows
        row = problem.line_rows[j]
        cells = 0 if state.hidden[row] & problem.line_own[j] else problem.line_own[j]
    return row, cells & state.free[row]


@kernel
def _helpers(problem, i):  # type: ignore[no-untyped-def]
    """Return how many places `_helper` has for a rule. O(1)."""
    return problem.starts[i + 1] - problem.starts[i] + problem.line_starts[i + 1] - problem.line_starts[i]


@kernel
def _count_degrees(problem, state):  # type: ignore[no-untyped-def]
    """Count for each cell the unsafe rules it helps with. O(rows and lines of all rules * conditions)."""
    degrees, reach = state.degrees, state.reach
    degrees[:] = 0
    reach[:] = 0
    for i in range(len(problem.masks)):
        if state.costs[i] == 0:
            continue
        for place in range(_helpers(problem, i)):
            row, cells = _helper(problem, state, i, place)
            if cells:
                reach[row] += 1
            for c in range(degrees.shape[1]):
                degrees[row, c] += cells >> c & 1


@kernel
def _by_degrees(state, total):  # type: ignore[no-untyped-def]
    """Return how many cells it takes at least to lower the sum of the costs to 0.

    A cell lowers the cost of each rule it helps with by 1, and so do all cells of a row together.
    O(rows * conditions² + rules).
    """
    gains = state.gains
    gains[:] = 0
    for row in range(len(state.reach)):
        left = state.reach[row]
        taken = 0
        while left > 0:
            best, most = -1, 0
            for c in range(state.degrees.shape[1]):
                if taken >> c & 1 == 0 and state.degrees[row, c] > most:
                    best, most = c, state.degrees[row, c]
            if best < 0:
                break
            taken |= 1 << best
            gains[min(most, left)] += 1
            left -= most
    cells = 0
    for gain in range(len(gains) - 1, 0, -1):
        take = min(gains[gain], (total + gain - 1) // gain)
        cells += take
        total -= take * gain
        if total <= 0:
            break
    return cells


@kernel
def _apart(problem, state, most):  # type: ignore[no-untyped-def]
    """Return what rules cost together that share no cell that helps: the dearest first.

    O(most * rules + rows and lines of all rules).
    """
    used = state.used
    used[:] = 0
    total = 0
    for cost in range(most, 0, -1):
        for i in range(len(problem.masks)):
            if state.costs[i] != cost:
                continue
            alone = True
            for place in range(_helpers(problem, i)):
                row, cells = _helper(problem, state, i, place)
                if used[row] & cells:
                    alone = False
                    break
            if alone:
                total += cost
                for place in range(_helpers(problem, i)):
                    row, cells = _helper(problem, state, i, place)
                    used[row] |= cells
    return total


@kernel
def _hardest(problem, state):  # type: ignore[no-untyped-def]
    """Return the rule that costs most; of several the one with fewest cells that help.

    O(rows and lines of all rules * conditions).
    """
    hardest, fewest = 0, 0
    for i in range(len(problem.masks)):
        if state.costs[i] < max(state.costs[hardest], 1):
            continue
        cells = 0
        for place in range(_helpers(problem, i)):
            rest = _helper(problem, state, i, place)[1]
            while rest:
                rest &= rest - 1
                cells += 1
        if state.costs[i] > state.costs[hardest] or fewest == 0 or cells < fewest:
            hardest, fewest = i, cells
    return hardest


@kernel
def _next(problem, state):  # type: ignore[no-untyped-def]
    """Return the row and bit of the cell to decide next; one of the hardest rule, that helps most others.

    O(most * rules + rows and lines of all rules * conditions + rows * conditions²).
    """
    total = _weigh(problem, state)
    if total == 0:
        return SAFE, 0
    most = state.at[MOST] - state.at[HIDDEN]
    if total < 0 or most <= 0:
        return NOWHERE, 0
    _count_degrees(problem, state)
    hardest = _hardest(problem, state)
    cost = state.costs[hardest]
    if cost > most or _by_degrees(state, total) > most or _apart(problem, state, cost) > most:
        return NOWHERE, 0
    best_row, best_cell, best_degree = NOWHERE, 0, 0
    for place in range(_helpers(problem, hardest)):
        row, cells = _helper(problem, state, hardest, place)
        for c in range(state.degrees.shape[1] - 1, -1, -1):
            if cells >> c & 1 and state.degrees[row, c] > best_degree:
                best_row, best_cell, best_degree = row, c, state.degrees[row, c]
    return best_row, 1 << best_cell


@kernel
def _hide(state, row, bit):  # type: ignore[no-untyped-def]
    """Decide to hide a cell. O(1)."""
    at = state.at
    state.row[at[DECISIONS]], state.bit[at[DECISIONS]], state.refused[at[DECISIONS]] = row, bit, False
    at[DECISIONS] += 1
    at[HIDDEN] += 1
    state.hidden[row] |= bit
    state.free[row] &= ~bit


@kernel
def _refuse(problem, state):  # type: ignore[no-untyped-def]
    """Decide not to hide the last cell after all, nor any that could stand for it: in rows alike in all so far.

    O(rows).
    """
    at = state.at
    last = at[DECISIONS] - 1
    row, bit = state.row[last], state.bit[last]
    state.hidden[row] &= ~bit
    state.free[row] |= bit
    at[HIDDEN] -= 1
    state.refused[last], state.mark[last] = True, at[REFUSED]
    hidden, free = state.hidden[row], state.free[row]
    for other in range(len(state.free)):
        if problem.kinds[other] == problem.kinds[row] and state.hidden[other] == hidden and state.free[other] == free:
            state.free[other] &= ~bit
            state.refused_row[at[REFUSED]], state.refused_bit[at[REFUSED]] = other, bit
            at[REFUSED] += 1


@kernel
def _take_back(state):  # type: ignore[no-untyped-def]
    """Take back the decisions after which both ways were tried. O(decisions and refused cells taken back)."""
    at = state.at
    while at[DECISIONS] and state.refused[at[DECISIONS] - 1]:
        at[DECISIONS] -= 1
        while at[REFUSED] > state.mark[at[DECISIONS]]:
            at[REFUSED] -= 1
            state.free[state.refused_row[at[REFUSED]]] |= state.refused_bit[at[REFUSED]]


@kernel
def search(problem, state, steps):  # type: ignore[no-untyped-def]
    """Go on for so many steps; return whether all choices are tried. Better ones lower the most that is of interest.

    Cost: so many times `_next` as there are steps.
    """
    for _ in range(steps):
        row, bit = _next(problem, state)
        if row >= 0:
            _hide(state, row, bit)
            continue
        if row == SAFE:
            state.best[:] = state.hidden
            state.at[MOST] = state.at[HIDDEN] - 1
        _take_back(state)
        if state.at[DECISIONS] == 0:
            return True
        _refuse(problem, state)
    return False

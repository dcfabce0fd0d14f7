"""Exact search by cells: for uses with a target, and for templates, where the bounds of `exact_bounds` are weak.

Guarantee: of all cuts each is either left out because a bound says that it costs no less than the best one known, or is
among those that are given to `settle`; `bound` is never above what any cut costs that is still to be looked at.

How: what a group of rows costs depends on its rows alone. A cell is the rows under one part of each of some columns (a
node, an interval, a value, or values hidden together). Let each cell cut the last column as suits it best, for each
part of the column before (the rough one) by itself, and cut the columns that are not settled yet as suits it: then it
costs as much as under any cut, or less. The cheapest cut of the rough column for all cells together so bounds all cuts
of a set. The columns are settled one after the other, the set with the lowest bound first; with all but the last two
settled, each cut of the rough column has a bound of its own, and the best cut of the last column is found exactly.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.cuts.cell_columns import PartColumn, column_of, may_be_last, may_be_listed, number_of_parts, ways
from discreet.method.cuts.cell_cut_kernels import best_hidden, costs_of_parts, groups_of_cut, plain_leaf
from discreet.method.cuts.cell_frame import NEVER, figures_of, rule_of, scratch_of_cells, split_groups
from discreet.method.cuts.cell_kernels import cell_costs, cheapest_cut, cheapest_cuts, costs_of_cuts, sums_of_cuts
from discreet.method.cuts.evaluation import Cut, Evaluator, OutOfTime
from discreet.method.cuts.objective import Objective

Rows = npt.NDArray[np.int32]
ASKED_EVERY = 8
"""Cells or cuts that are looked at until it is asked whether to go on."""
MOST_CELLS = 2**23
"""Cells that there may be: products of the parts of all columns but the last two."""
MOST_SETTLED = 256
"""Cuts of the last column that are settled one by one, where the cheapest one is not what is told."""


@dataclass(frozen=True, eq=False)
class BoundedCell:
    """Rows under one part of each of the first columns, as many as a group needs or more."""

    costs: Ints
    """What they cost at least, by part of the rough column, beside leaving them out."""
    kids: tuple[BoundedCell | None, ...]
    """The cells under the parts of the next column; None for too few rows."""
    rows: Rows
    """The rows; only where all columns but the last two are settled."""
    loss: int
    """What each of them loses by these parts."""


def serves(evaluator: Evaluator, objective: Objective) -> bool:
    """Whether the search by cells serves: groups by themselves say what a cut costs, and there are few cuts."""
    problem = evaluator.problem
    shares = any(limit.measure != "rows" for table in problem.tables for limit in table.limits)
    if not (evaluator.at_once and (any(objective.weights) or shares)):
        return False
    if any(target.own_group for target in problem.targets) or objective.most_gone < problem.total - 1:
        return False
    if len(problem.columns) < 2 or len(problem.tables[0].columns) < len(problem.columns):
        return False
    *first, rough, last = (problem.columns[place] for place in _sorted(evaluator))
    if not (may_be_last(last) and may_be_listed(rough) and all(map(may_be_listed, first))):
        return False
    return math.prod(map(number_of_parts, first)) <= MOST_CELLS


def _sorted(evaluator: Evaluator) -> list[int]:
    """Return the columns in the order in which they are settled: those with fewest cuts first."""
    columns = evaluator.problem.columns
    return sorted(range(len(columns)), key=lambda place: ways(columns[place]))


class ByCells:
    """Sets of cuts that are still to be looked at, the lowest bound first."""

    def __init__(self, evaluator: Evaluator, objective: Objective, known: int = 0) -> None:
        problem = evaluator.problem
        self.evaluator, self.objective = evaluator, objective
        self.figures, self.rule = figures_of(evaluator, objective), rule_of(evaluator, objective)
        self.certain = int(self.figures[:, 2].sum())
        """What leaving all rows out costs; all costs are beside that."""
        *first, rough, last = _sorted(evaluator)
        codes = problem.codes.astype(np.int64)
        order = np.arange(problem.columns[last].space.size)
        if problem.columns[last].space.plain:
            order = np.argsort(-np.bincount(codes[last], weights=problem.sizes, minlength=len(order)), kind="stable")
        self.order = order
        self.fine_codes = np.argsort(order, kind="stable")[codes[last]]
        self.fine = column_of(evaluator, last, objective.loss, order)
        self.rough = column_of(evaluator, rough, objective.loss)
        self.rough_codes = codes[rough]
        self.columns = [column_of(evaluator, place, objective.loss) for place in first]
        self.codes = [codes[column.place] for column in self.columns]
        self.alike = 0
        """The most that the columns settled first lose, if equal rows come up with different losses; else 0."""
        if any(column.frame.plain for column in self.columns):
            self.alike = sum(int(column.frame.losses.max(initial=0)) for column in self.columns)
        self.known: dict[bytes, tuple[Ints, Ints]] = {}
        self.scratch = scratch_of_cells(self.rough, self.fine, self.figures.shape[1])
        self.groups = split_groups(self.fine, self.figures.shape[1])
        every = [*self.columns, self.rough, self.fine]
        room = 2 * max(len(column.frame.above) + column.frame.blocks + 2 for column in every)
        self.best, self.taken = np.zeros((2, room), dtype=np.int64)
        self.own = np.zeros(max(column.parts for column in every), dtype=np.int64)
        self.sets = self.pushed = self.cells = 0
        self.carry_on: Callable[[], bool] = lambda: True
        self.queue: list[tuple[int, int, tuple[int, ...]]] = [(known, 0, ())]
        self.floor = NEVER
        """What cuts cost at least that could not be settled one by one."""
        self.now = NEVER
        """The bound of the set that is being looked at."""

    @property
    def bound(self) -> int:
        """What no cut costs less than that is still to be looked at, or was not settled."""
        return min(self.floor, self.now, self.queue[0][0] if self.queue else NEVER)

    def _begin(self, upper: int) -> None:
        """Look at the set of all cuts."""
        known, _, _ = self.queue[0]
        root = self._cell(0, np.arange(len(self.figures), dtype=np.int32), 0)
        self.queue.clear()
        if root is None:  # too few rows for any group: all are left out
            self.floor = self.certain
            return
        self.root = root
        least = cheapest_cut(root.costs, self.rough.frame, self.best, self.taken)
        self._push(max(least + self.certain, known), (), upper)

    def run(self, upper: Callable[[], int], settle: Callable[[Cut, int], bool], carry_on: Callable[[], bool]) -> bool:
        """Look at all sets; return whether it came to the end, or False as soon as it is not to be carried on.

        `settle` takes a cut and what it should cost, and says whether it costs that.
        """
        self.carry_on = carry_on
        try:
            self._begin(upper())
        except OutOfTime:
            return False
        while self.queue:
            if self.queue[0][0] >= upper():
                self.queue.clear()
                break
            if not carry_on():
                return False
            bound, _, chosen = heapq.heappop(self.queue)
            self.now = bound
            self.sets += 1
            cells = self._cells(chosen)
            if len(chosen) < len(self.columns):
                for cut, cost in enumerate(self._of_next(cells, len(chosen)).tolist()):
                    self._push(max(cost + self.certain, bound), (*chosen, cut), upper())
            elif not self._settled(chosen, cells, bound, upper, settle):
                return False
            self.now = NEVER
        return True

    def _push(self, bound: int, chosen: tuple[int, ...], upper: int) -> None:
        if bound < upper:
            self.pushed += 1
            heapq.heappush(self.queue, (bound, self.pushed, chosen))

    def _cell(self, level: int, rows: Rows, loss: int) -> BoundedCell | None:
        """Return a cell with all below it."""
        if int(self.figures[rows, 0].sum()) < self.rule.enough:
            return None
        if level == len(self.columns):
            self.cells += 1
            if self.cells % ASKED_EVERY == 0 and not self.carry_on():
                raise OutOfTime
            return BoundedCell(self._leaf(rows, loss), (), rows, loss)
        costs = np.zeros(self.rough.parts, dtype=np.int64)
        column, codes = self.columns[level], self.codes[level][rows]
        sizes = self.figures[rows, 0]
        enough = (
            column.frame.inside @ np.bincount(codes, weights=sizes, minlength=column.frame.size) >= self.rule.enough
        )
        kids: list[BoundedCell | None] = []
        lines = np.zeros((column.parts, self.rough.parts), dtype=np.int64)
        for part in range(column.parts):
            kid = None
            if enough[part]:
                own = column.frame.inside[part, codes]
                each = int(column.frame.losses[part].max(initial=0))
                kid = self._cell(level + 1, rows[own], loss + each)
                if kid is not None:
                    lines[part] = kid.costs
            kids.append(kid)
        cheapest_cuts(lines, column.frame, self.best, self.taken, self.own, costs)
        return BoundedCell(costs, tuple(kids), rows[:0], loss)

    def _leaf(self, rows: Rows, loss: int) -> Ints:
        """Return what rows cost at least by part of the rough column, all columns but the last two being settled.

        Values hidden together make many cells with the same rows, which differ in what all of them lose. Their cost is
        that of the cheapest of some cuts, each of which rises evenly with the loss: it is above the chord.
        """
        if not self.alike:
            return self._costs(rows, loss)
        known = rows.tobytes()
        if known not in self.known:
            low = self._costs(rows, 0)
            self.known[known] = low, (self._costs(rows, self.alike) - low) // self.alike
        low, slope = self.known[known]
        return low + slope * loss

    def _costs(self, rows: Rows, loss: int) -> Ints:
        found = np.zeros(self.rough.parts, dtype=np.int64)
        cell_costs(
            rows, loss, self.figures, self.rough_codes, self.rough.frame, self.fine_codes, self.fine.frame,
            self.rule, self.scratch, found,
        )  # fmt: skip
        return found

    def _cells(self, chosen: tuple[int, ...]) -> list[BoundedCell]:
        """Return the cells of a set of cuts."""
        cells = [self.root]
        for column, cut in zip(self.columns, chosen, strict=False):
            at, parts = column.cuts
            own = parts[at[cut] : at[cut + 1]].tolist()
            cells = [kid for cell in cells for kid in (cell.kids[part] for part in own) if kid is not None]
        return cells

    def _of_next(self, cells: list[BoundedCell], level: int) -> Ints:
        """Return what all cuts cost at least, for each cut of the next column."""
        column = self.columns[level]
        lines = np.zeros((column.parts, self.rough.parts), dtype=np.int64)
        for cell in cells:
            for part, kid in enumerate(cell.kids):
                if kid is not None:
                    lines[part] += kid.costs
        at, parts = column.cuts
        found = np.empty(len(at) - 1, dtype=np.int64)
        costs_of_cuts(lines, at, parts, self.rough.frame, self.best, self.taken, self.own, found)
        return found

    def _settled(
        self,
        chosen: tuple[int, ...],
        cells: list[BoundedCell],
        bound: int,
        upper: Callable[[], int],
        settle: Callable[[Cut, int], bool],
    ) -> bool:
        """Look at all cuts of the last two columns; return False if that was not carried on to the end."""
        total = sum((cell.costs for cell in cells), np.zeros(self.rough.parts, dtype=np.int64))
        at, parts = self.rough.cuts
        least = np.empty(len(at) - 1, dtype=np.int64)
        sums_of_cuts(total, at, parts, least)
        least += self.certain
        order = np.argsort(least, kind="stable")
        order = order[least[order] < upper()]
        rows_at = np.cumsum([0, *(len(cell.rows) for cell in cells)], dtype=np.int64)
        rows = np.concatenate([np.zeros(0, dtype=np.int32), *(cell.rows for cell in cells)])
        loss = np.array([cell.loss for cell in cells], dtype=np.int64)
        wanted = np.unique(np.concatenate([parts[:0], *(parts[at[cut] : at[cut + 1]] for cut in order)]))
        given = (rows, rows_at, loss, self.figures, self.rough_codes, self.rough.frame)
        costs = np.zeros((len(wanted), self.fine.parts), dtype=np.int64)
        if not self.fine.frame.plain:
            costs_of_parts(
                *given, wanted, self.fine_codes, self.fine.frame, self.rule, self.scratch, costs,
            )  # fmt: skip
        for number, cut in enumerate(order.tolist()):
            if least[cut] >= upper():
                return True
            self.now = max(int(least[cut]), bound)
            if number % ASKED_EVERY == ASKED_EVERY - 1 and not self.carry_on():
                self._push(self.now, chosen, NEVER)
                self.now = NEVER
                return False
            self.sets += 1
            own = parts[at[cut] : at[cut + 1]]
            firsts = self._firsts(chosen, own)
            if self.fine.frame.plain:
                self._settle_plain(given, own, firsts, int(least[cut]), upper, settle)
            else:
                self._settle_tree(costs[np.searchsorted(wanted, own)].sum(axis=0), firsts, upper, settle)
        return True

    def _firsts(self, chosen: tuple[int, ...], own: Ints) -> dict[int, Ints]:
        """Return the cut of all columns but the last one."""
        found = {self.rough.place: self.rough.firsts(own.tolist())}
        for column, cut in zip(self.columns, chosen, strict=True):
            at, parts = column.cuts
            found[column.place] = column.firsts(parts[at[cut] : at[cut + 1]].tolist())
        return found

    def _cut(self, firsts: dict[int, Ints], last: Ints) -> Cut:
        every = {**firsts, self.fine.place: last}
        return tuple(every[place] for place in range(len(every)))

    def _settle_tree(
        self, costs: Ints, firsts: dict[int, Ints], upper: Callable[[], int], settle: Callable[[Cut, int], bool]
    ) -> None:
        """Settle the best cuts of a tree or of numbers, from what its parts cost."""
        cost = int(cheapest_cut(costs, self.fine.frame, self.best, self.taken)) + self.certain
        if cost >= upper():
            return
        if settle(self._cut(firsts, self.fine.firsts(self.fine.best(self.taken))), cost):
            return
        for number, (each, parts) in enumerate(_below(self.fine, costs, lambda: upper() - self.certain)):
            if number == MOST_SETTLED:
                self.floor = min(self.floor, cost)
                return
            settle(self._cut(firsts, self.fine.firsts(parts)), each + self.certain)

    def _settle_plain(
        self,
        given: tuple[object, ...],
        own: Ints,
        firsts: dict[int, Ints],
        least: int,
        upper: Callable[[], int],
        settle: Callable[[Cut, int], bool],
    ) -> None:
        """Settle the best cuts of a plain column."""
        fine, size = self.fine.frame, self.fine.frame.size
        if not groups_of_cut(*given, own, self.fine_codes, fine, self.rule, self.scratch, self.groups):
            self.floor = min(self.floor, least)
            return
        for lines in (1, MOST_SETTLED):
            found = np.zeros((lines, size), dtype=np.int64)
            many = best_hidden(self.groups, fine, self.rule, upper() - self.certain, self.scratch.t, found)
            clean = True
            for hidden in found[: min(many, lines)]:
                cost = self.certain + int(plain_leaf(self.groups, hidden, fine, self.rule, self.scratch.t))
                last = np.full(size, -1, dtype=np.int64)
                last[self.order] = np.where(hidden > 0, -1, self.order)
                clean = settle(self._cut(firsts, last), cost) and clean
            if lines == 1 and clean:
                return
            if many > lines > 1:
                self.floor = min(self.floor, least)


def _below(column: PartColumn, costs: Ints, most: Callable[[], int]) -> Iterator[tuple[int, list[int]]]:
    """Yield the cuts of a tree or of numbers that cost less than so much: what each costs, and its parts."""
    frame = column.frame
    least = [0] * len(frame.above)
    ahead = [0] * (frame.blocks + 1)
    children: list[list[int]] = [[] for _ in least]
    for node in range(len(least) - 1, -1, -1):
        if node == frame.interval:
            for begin in range(frame.blocks - 1, -1, -1):
                ahead[begin] = min(
                    int(costs[frame.part_at[begin, stop]]) + ahead[stop] for stop in range(begin + 1, frame.blocks + 1)
                )
            least[node] = ahead[0]
        else:
            least[node] = int(costs[node])
            if children[node]:
                least[node] = min(least[node], sum(least[child] for child in children[node]))
        if frame.above[node] >= 0:
            children[frame.above[node]].append(node)

    def go(todo: list[tuple[int, int]], cost: int, rest: int, parts: list[int]) -> Iterator[tuple[int, list[int]]]:
        """Go on with what is to be told of some nodes (of the interval, from some piece on)."""
        if cost + rest >= most():
            return
        if not todo:
            yield cost, parts
            return
        (node, begin), more = todo[-1], todo[:-1]
        if node != frame.interval:
            rest -= least[node]
            yield from go(more, cost + int(costs[node]), rest, [*parts, node])
            if children[node]:
                below = [(child, 0) for child in children[node]]
                yield from go([*more, *below], cost, rest + sum(least[child] for child, _ in below), parts)
            return
        rest -= ahead[begin]
        for stop in range(begin + 1, frame.blocks + 1):
            part = int(frame.part_at[begin, stop])
            still = [*more, (node, stop)] if stop < frame.blocks else more
            yield from go(still, cost + int(costs[part]), rest + ahead[stop], [*parts, part])

    yield from go([(0, 0)], 0, least[0], [])

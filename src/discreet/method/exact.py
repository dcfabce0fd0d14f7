"""Exact search over cuts: branch and bound, which proves that no cut is better or says how far the best may be.

Guarantee: the cut it returns was evaluated as a whole, like one of coordinate search, from whose best it starts. No
allowed cut costs less than the `bound` it returns, whenever it is stopped. Where the bound is the cost of the cut,
that is proven to be a best one; it can be when rows are left out only for the size of their groups in one set of
known columns, and no more of them are needed by lot; else there may stay a gap.

How: some decisions (a node is opened or not, numbers are cut at a place or not, a value is shown or not) leave a
set of cuts. All of them refine the coarsest one, so a row whose group is too small there is left out by all. The
others are kept or left out; what leaving out costs is dealt out to the columns that are not settled yet, in shares.
Each column then finds its own cheapest cut, the others being as coarse as may be: rows of parts that are too small
even so cost their share, others the smaller of loss and share. Their sum is a bound, for any shares; a few
subgradient steps make it better. It is exact when one column is left. What targets cost is bounded from below by what
they cost in the finest groups. Decisions whose opposite has too high a bound are taken at once.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.method import coordinate
from discreet.method.coordinate import Candidate, Objective
from discreet.method.cut_kernels import find_broken, target_cost
from discreet.method.evaluation import Cut, Evaluator
from discreet.method.exact_kernels import FREE, NO, YES, cells_of, coarsest, list_entries, relax
from discreet.method.problem import CutProblem
from discreet.method.targets import COSTS, SQUARES
from discreet.table.encode import Ints

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
States = npt.NDArray[np.int8]
MOST_BLOCKS = 512
"""Places where numbers may be cut; of a column with more nothing is bounded."""
MOST_TRIED = 6
"""Decisions whose two sides are looked at before one of them is taken."""
NEVER = 2**62
"""More rows than there are."""


class Frame(NamedTuple):
    """A problem as the kernels take it, all columns one after the other; losses in units of the objective."""

    codes: npt.NDArray[np.int32]
    sizes: Ints
    dropped: Ints
    """What each collapsed row costs at least when it is left out."""
    main: Flags
    """The columns whose groups are bounded."""
    plain: Flags
    code_at: Ints
    node_at: Ints
    interval_of: Ints
    """The node of each column that is an interval, -1 for none."""
    vast: Flags
    first: Ints
    stop: Ints
    parent: Ints
    children: Ints
    interval: Flags
    stride: Ints
    """1 where the losses of a node differ by code."""
    loss_at: Ints
    losses: Ints
    leaf: Ints
    positions: Ints
    hidden: Ints
    """Of a plain column: the loss of a hidden cell by the number of hidden values less one."""


class Lists(NamedTuple):
    """The codes of each column (first axis) in each cell, with their rows."""

    start: Ints
    used: Ints
    code: Ints
    count: Ints


class Room(NamedTuple):
    """Scratch."""

    pick: Ints
    loss: Ints
    code_yes: Ints
    code_no: Ints
    node_yes: Ints
    node_no: Ints
    cost: Ints
    best: Ints
    below: Ints
    n_at: Ints
    kept_at: Ints
    touched: Ints
    begins: Ints
    block: Ints
    come: Ints
    between: Ints
    one: Ints
    two: Ints
    three: Ints


@dataclass(frozen=True)
class Proof:
    """The best cut found, and what no allowed cut goes below."""

    best: Candidate
    bound: int
    nodes: int
    """Sets of cuts that were looked at."""

    @property
    def proven(self) -> bool:
        """Whether no cut is better."""
        return self.bound >= self.best.cost and not self.best.outcome.short


@dataclass(frozen=True)
class Watch:
    """How far the search is."""

    nodes: int
    open: int
    best: Candidate
    bound: int


@dataclass(frozen=True, eq=False)
class _Set:
    """A set of cuts: what is decided, and the shares that its bound is from."""

    nodes: States
    codes: States
    wish: Floats


@dataclass(frozen=True, eq=False)
class _Look:
    """What is found out about a set of cuts."""

    bound: int
    of: _Set
    ids: Ints
    """The cell of each row, -1 for those left out."""
    coarse: Cut
    """The coarsest cut."""
    cut: Cut
    """The cheapest cut of each column by itself."""
    node_bound: Ints
    """The bound with one node opened, or not (first axis); -1 where that is not to be decided."""
    code_bound: Ints


def search(
    problem: CutProblem,
    evaluator: Evaluator,
    objective: Objective,
    start: Candidate,
    *,
    carry_on: Callable[[Watch], bool] = lambda _: True,
) -> Proof:
    """Return the best of all allowed cuts, or the best found when it is stopped, with what none goes below."""
    return _Search(problem, evaluator, objective, start).run(carry_on)


class _Search:
    """Sets of cuts that are still to be looked at, the lowest bound first."""

    def __init__(self, problem: CutProblem, evaluator: Evaluator, objective: Objective, start: Candidate) -> None:
        self.evaluator, self.objective = evaluator, objective
        self.bounds = _Bounds(problem, evaluator, objective)
        self.steps = coordinate.Steps(problem, evaluator)
        self.best = start
        self.floor = NEVER
        """The least that a single cut which was not better costs, rows by lot aside."""
        self.queue: list[tuple[int, int, _Set]] = []
        self.nodes = self.pushed = 0

    @property
    def upper(self) -> int:
        """Sets of cuts that cost this or more are of no interest."""
        return self.best.cost if self.objective.allows(self.best.outcome) else self.bounds.most

    def run(self, carry_on: Callable[[Watch], bool]) -> Proof:
        """Look at one set after the other."""
        first = self.bounds.everything()
        self._push(self.bounds.look(first, None, self.upper, 60))
        while self.queue:
            bound = min(self.queue[0][0], self.floor, self.best.cost)
            if not carry_on(Watch(self.nodes, len(self.queue), self.best, bound)):
                break
            _, _, one = heapq.heappop(self.queue)
            self._expand(one)
            while self.queue and self.queue[0][0] >= self.upper:
                self.queue.clear()
        low = min([self.floor, *(bound for bound, _, _ in self.queue[:1])])
        return Proof(self.best, min(low, self.best.cost), self.nodes)

    def _push(self, look: _Look) -> None:
        if look.bound < self.upper:
            self.pushed += 1
            heapq.heappush(self.queue, (look.bound, self.pushed, look.of))

    def _expand(self, one: _Set) -> None:
        """Look closer at a set of cuts, and push what is left of it in two parts."""
        self.nodes += 1
        look = self._narrowed(self.bounds.look(one, None, self.upper, 8))
        if look.bound >= self.upper:
            return
        self._try(look)
        choices = self.bounds.choices(look)
        if not choices:
            self._settle(look)
            return
        best: tuple[float, list[_Look]] = (-1.0, [])
        for place, is_node in choices:
            sides = [
                self.bounds.look(self.bounds.decided(look.of, place, is_node, state), look, self.upper, 3)
                for state in (YES, NO)
            ]
            gains = [min(side.bound, self.upper) - look.bound + 1.0 for side in sides]
            score = min(gains) * max(gains) ** 0.5 if max(gains) > 0 else 0.0
            if score > best[0]:
                best = (score, sides)
            if max(side.bound for side in sides) >= self.upper:
                break
        for side in best[1]:
            self._push(side)

    def _narrowed(self, look: _Look) -> _Look:
        """Take all decisions whose opposite has too high a bound, again and again."""
        while look.bound < self.upper:
            fixed, finer = self.bounds.fixed(look, self.upper)
            if not finer:
                return replace(look, of=fixed)
            look = self.bounds.look(fixed, look, self.upper, 4)
        return look

    def _try(self, look: _Look) -> None:
        """See what the cheapest cuts of the columns come to together."""
        self._take(look.cut)
        if self.nodes & (self.nodes - 1) == 0 or self.nodes % 64 == 0:
            found = self.steps.descend(look.cut, self.objective, list(range(len(look.cut))))
            self._take(found.cut)

    def _settle(self, look: _Look) -> None:
        """Evaluate the only cut of a set."""
        self._take(look.coarse)
        outcome = self.evaluator.evaluate(look.coarse)
        if self.objective.allows(outcome):
            self.floor = min(self.floor, look.bound if outcome.short else self.objective.cost(outcome))

    def _take(self, cut: Cut) -> None:
        outcome = self.evaluator.evaluate(cut)
        cost = self.objective.cost(outcome)
        if cost < self.upper and self.objective.allows(outcome):
            self.best = Candidate(cut, outcome, cost)


class _Bounds:
    """Bounds of sets of cuts."""

    def __init__(self, problem: CutProblem, evaluator: Evaluator, objective: Objective) -> None:
        self.problem, self.evaluator, self.objective = problem, evaluator, objective
        self.most = objective.gone * problem.total + objective.loss * evaluator.units.per_row * problem.total + 1
        for weight, target in zip(objective.weights, problem.targets, strict=True):
            self.most += weight * target.most
        self.crowds = [place for place in range(len(problem.tables)) if self._crowd(place) is not None]
        # The widest set of known columns last: its groups are the cells.
        self.crowds.sort(key=lambda place: (len(problem.tables[place].columns), self._crowd(place)))
        known = problem.tables[self.crowds[-1]].columns if self.crowds else ()
        self.enough = (self._crowd(self.crowds[-1]) or 0) if self.crowds else 0
        main = np.zeros(len(problem.columns), dtype=np.bool_)
        main[list(known)] = True
        self.frame = _frame(problem, evaluator, objective, main)
        self.order = [np.argsort(codes, kind="stable") for codes in problem.codes]
        self._make_room()

    def _crowd(self, place: int) -> int | None:
        """Return how many rows the groups of a set of known columns must have; None if that is not asked."""
        table = self.problem.tables[place]
        if not np.array_equal(table.sizes, self.problem.sizes):
            return None
        asked = [limit for limit, person in zip(table.limits, table.persons, strict=True) if person]
        if not asked:
            return None
        return max(-(-limit.denominator // limit.numerator) if limit else NEVER for limit in asked)

    def _make_room(self) -> None:
        frame = self.frame
        rows, columns = len(frame.sizes), len(frame.plain)
        codes, nodes = int(frame.code_at[-1]), int(frame.node_at[-1])
        widest = int(np.diff(frame.code_at).max(initial=0)) + 2
        blocks = 1
        for c in range(columns):
            if frame.interval_of[c] >= 0 and not frame.vast[c]:
                blocks = max(blocks, int(frame.code_at[c + 1] - frame.code_at[c]))
        blocks = min(blocks, MOST_BLOCKS + 1)

        def ints(*shape: int) -> Ints:
            return np.zeros(shape, dtype=np.int64)

        self.room = Room(
            ints(codes), ints(codes), ints(codes), ints(codes), ints(nodes), ints(nodes), ints(nodes), ints(nodes),
            ints(nodes), ints(nodes), ints(nodes), ints(nodes), ints(widest), ints(widest), ints(widest),
            ints(blocks, blocks), ints(widest), ints(widest), ints(widest),
        )  # fmt: skip
        self.cell_of, self.row_at, self.n_cell, self.base_cell, self.left = (ints(rows + 1) for _ in range(5))
        self.is_open = np.zeros((rows, columns), dtype=np.bool_)
        self.code, self.count = (ints(columns, rows) for _ in range(2))
        self.part, self.front, self.known = (ints(codes) for _ in range(3))
        self.settled = np.zeros(codes, dtype=np.bool_)

    def everything(self) -> _Set:
        """Return the set of all cuts."""
        frame = self.frame
        codes = np.full(int(frame.code_at[-1]), NO, dtype=np.int8)
        for c, column in enumerate(self.problem.columns):
            own = codes[frame.code_at[c] : frame.code_at[c + 1]]
            if column.space.plain:
                own[~column.pinned] = FREE
                continue
            for node in column.space.nodes:
                if node.interval:
                    own[node.first + 1 : node.stop][column.space.cuts[node.first + 1 : node.stop]] = FREE
        return _Set(np.zeros(int(frame.node_at[-1]), dtype=np.int8), codes, np.zeros((0, 0)))

    def decided(self, one: _Set, place: int, is_node: bool, state: int) -> _Set:
        """Return the part of a set of cuts that has something decided."""
        nodes, codes = (one.nodes.copy(), one.codes) if is_node else (one.nodes, one.codes.copy())
        (nodes if is_node else codes)[place] = state
        return _Set(nodes, codes, one.wish)

    def fixed(self, look: _Look, upper: int) -> tuple[_Set, bool]:
        """Return the set with all decided whose opposite is of no interest, and whether it got finer thereby."""
        nodes, codes, finer = look.of.nodes.copy(), look.of.codes.copy(), False
        for states, bounds in ((nodes, look.node_bound), (codes, look.code_bound)):
            free = states == FREE
            opened = free & (bounds[1] >= upper)
            states[opened] = YES
            states[free & ~opened & (bounds[0] >= upper)] = NO
            finer = finer or bool(opened.any())
        return _Set(nodes, codes, look.of.wish), finer

    def choices(self, look: _Look) -> list[tuple[int, bool]]:
        """Return decisions to be tried, the most promising first: nodes, places to cut at or values, at most two of a column."""
        frame, found = self.frame, []
        for is_node, states, bounds, at in (
            (True, look.of.nodes, look.node_bound, frame.node_at),
            (False, look.of.codes, look.code_bound, frame.code_at),
        ):
            free = (states == FREE) & (bounds[0] >= 0)
            for c in range(len(frame.plain)):
                places = np.flatnonzero(free[at[c] : at[c + 1]]) + at[c]
                if not len(places):
                    continue
                gain = bounds[1][places] - look.bound + (bounds[0][places] - look.bound)
                for place in places[np.argsort(-gain, kind="stable")[:2]]:
                    found.append((int(max(bounds[:, place])), int(place), is_node))
        found.sort(reverse=True)
        return [(place, is_node) for _, place, is_node in found[:MOST_TRIED]]

    def look(self, one: _Set, parent: _Look | None, upper: int, rounds: int) -> _Look:
        """Return a bound of a set of cuts, from the shares of its parent or its own."""
        frame = self.frame
        coarsest(frame, one.nodes, one.codes, self.part, self.front, self.settled, self.known)
        ids, groups, dead = self._groups()
        bases, excess = self._targets(one)
        cells, certain = cells_of(
            frame, ids, groups, dead, self.settled, self.known, bases, excess, self.cell_of, self.row_at,
            self.n_cell, self.base_cell, self.left, self.is_open,
        )  # fmt: skip
        lists = self._lists(ids, cells)
        wish = self._wishes(one, parent, cells)
        best_wish = np.zeros_like(wish)
        node_bound, code_bound = (np.empty((2, len(states)), dtype=np.int64) for states in (one.nodes, one.codes))
        pick = self.part - 1
        share, drops = (np.zeros(wish.shape, dtype=np.int64) for _ in range(2))
        bound = relax(
            frame, one.nodes, one.codes, self.part, self.front, cells, self.n_cell, self.left, self.is_open, lists,
            wish, best_wish, share, drops, self.enough, certain, upper, rounds, self.room, node_bound, code_bound,
            pick,
        )  # fmt: skip
        coarse = self._cut(self.part - 1)
        cut = tuple(
            picked if frame.main[c] else same
            for c, (picked, same) in enumerate(zip(self._cut(pick), coarse, strict=True))
        )
        return _Look(int(bound), replace(one, wish=best_wish), ids, coarse, cut, node_bound, code_bound)

    def _cut(self, firsts: Ints) -> Cut:
        at = self.frame.code_at
        return tuple(firsts[at[c] : at[c + 1]].copy() for c in range(len(at) - 1))

    def _groups(self) -> tuple[Ints, int, Flags]:
        """Return the groups of the widest set of columns under the coarsest cut, and which rows are left out for sure."""
        evaluator, tables = self.evaluator, self.problem.tables
        dead = np.zeros(len(self.problem.sizes), dtype=np.bool_)
        ids, groups = np.zeros(len(dead), dtype=np.int64), 1
        changed = bool(self.crowds)
        while changed:
            more = dead.copy()
            for place in self.crowds:
                persons = evaluator.persons[place]
                groups = evaluator.group(evaluator.known[place], self.part, tables[place].fixed)
                ids = evaluator.ids.copy()
                if find_broken(
                    ids, groups, tables[place].sizes, tables[place].hits[persons], persons[persons],
                    evaluator.limits[place][persons], dead, *evaluator.figures, evaluator.broken,
                ):  # fmt: skip
                    more |= evaluator.broken[ids]
            changed = len(self.crowds) > 1 and bool((more != dead).any())
            dead = more
        return ids, groups, dead

    def _lists(self, ids: Ints, cells: int) -> Lists:
        frame = self.frame
        start = np.concatenate([[0], np.cumsum(np.bincount(ids[ids >= 0], minlength=cells))]).astype(np.int64)
        used = np.zeros((len(frame.plain), cells), dtype=np.int64)
        for c in np.flatnonzero(frame.main):
            list_entries(
                self.order[c], frame.codes[c], frame.sizes, ids, self.is_open, c, start, used[c], self.code[c],
                self.count[c],
            )  # fmt: skip
        return Lists(start, used, self.code, self.count)

    def _wishes(self, one: _Set, parent: _Look | None, cells: int) -> Floats:
        """Return shares to begin with: those of the cell that a cell is part of, or the same for all columns."""
        opens, left = self.is_open[:cells], self.left[:cells].astype(np.float64)
        if parent is not None:
            wish = parent.of.wish[parent.ids[self.row_at[:cells]]]
        elif one.wish.shape[1]:
            wish = one.wish
        else:
            wish = np.ones(opens.shape)
        wish = np.where(opens, wish, 0.0)
        total = wish.sum(axis=1)
        wish = np.where((total > 0)[:, None], wish, opens.astype(np.float64))
        total = np.maximum(wish.sum(axis=1), 1e-300)
        return np.ascontiguousarray(wish * (left / total)[:, None])

    def _targets(self, one: _Set) -> tuple[Ints, Ints]:
        """Return what each row costs the targets whether it is kept or left out, and what leaving out adds (by row)."""
        return np.zeros(len(self.frame.sizes), dtype=np.int64), np.full(len(self.frame.sizes), self.objective.gone)


def _frame(problem: CutProblem, evaluator: Evaluator, objective: Objective, main: Flags) -> Frame:
    """Return the columns side by side."""
    spaces = [column.space for column in problem.columns]
    units = evaluator.units.columns
    code_at = np.cumsum([0, *(space.size for space in spaces)], dtype=np.int64)
    node_at = np.cumsum([0, *(len(space.nodes) for space in spaces)], dtype=np.int64)
    codes, nodes = int(code_at[-1]), int(node_at[-1])
    first, stop, children, stride, loss_at = (np.zeros(nodes, dtype=np.int64) for _ in range(5))
    parent, leaf = np.full(nodes, -1, dtype=np.int64), np.full(codes, -1, dtype=np.int64)
    interval = np.zeros(nodes, dtype=np.bool_)
    positions, hidden = (np.zeros(codes, dtype=np.int64) for _ in range(2))
    interval_of = np.full(len(spaces), -1, dtype=np.int64)
    vast = np.zeros(len(spaces), dtype=np.bool_)
    losses: list[Ints] = []
    at = 0
    for c, space in enumerate(spaces):
        own = slice(int(code_at[c]), int(code_at[c + 1]))
        if space.plain:
            hidden[own] = units[c].nodes[: space.size]
        if len(units[c].positions):
            positions[own] = units[c].positions
        for number, node in enumerate(space.nodes):
            place = int(node_at[c]) + number
            first[place], stop[place], children[place] = node.first, node.stop, len(node.children)
            interval[place] = node.interval
            lines = units[c].by_code[number]
            stride[place], loss_at[place] = int(len(lines) > 1), at
            losses.append(lines)
            at += len(lines)
            for child in node.children:
                parent[int(node_at[c]) + child] = place
            if not node.children:
                leaf[own][node.first : node.stop] = place
            if node.interval:
                interval_of[c] = place
                vast[c] = int(space.cuts[node.first : node.stop].sum()) > MOST_BLOCKS
    flat = np.concatenate(losses) if losses else np.zeros(0, dtype=np.int64)
    return Frame(
        problem.codes, problem.sizes, objective.gone * problem.sizes, main,
        np.array([space.plain for space in spaces], dtype=np.bool_), code_at, node_at, interval_of, vast, first,
        stop, parent, children, interval, stride, loss_at, objective.loss * flat, leaf,
        objective.loss * positions, objective.loss * hidden,
    )  # fmt: skip

"""Exact search over cuts: branch and bound, which proves that no cut is better or says how far the best may be.

Guarantee: the cut it returns was evaluated as a whole, like one of coordinate search, from whose best it starts. No
allowed cut costs less than the `bound` it returns, whenever it is stopped. Where the bound is the cost of the cut,
that is proven to be a best one; it can be when rows are left out only for the size of their groups in one set of
known columns, or there are few cuts, and no rows are needed by lot; else there may stay a gap.

How: some decisions (a node is opened or not, numbers are cut at a place or not, a value is shown or not) leave a
set of cuts. All of them refine the coarsest one, so a row whose group is too small there is left out by all. The
others are kept or left out; what leaving out costs is dealt out to the columns that are not settled yet, in shares.
Each column then finds its own cheapest cut, the others being as coarse as may be: rows of parts that are too small
even so cost their share, others the smaller of loss and share. Their sum is a bound, for any shares; a few
subgradient steps make it better. It is exact when one column is left. What targets cost is bounded from below by what
they cost in the finest groups. With templates there is another bound: of a group that is too sure under the coarsest
cut some rows are left out by all, for however it is told apart, some part of it is too sure as well. Decisions
whose opposite has too high a bound are taken at once. Where there are few cuts and rows, each cut is evaluated instead.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.base.problem import CutProblem
from discreet.method.cuts.bound_kernels import relax
from discreet.method.cuts.coordinate import Candidate, Objective, Steps, showing
from discreet.method.cuts.cut_set_kernels import FREE, NO, YES, cells_of, coarsest, finest, list_entries, target_bounds
from discreet.method.cuts.evaluation import Cut, Evaluator, Parts
from discreet.method.cuts.evaluation_kernels import find_broken, group
from discreet.method.cuts.every_cut import MOST_WORK, EveryCut, is_small
from discreet.method.cuts.lot_costs import least_for_lots
from discreet.method.cuts.row_bound_kernels import certain_cost, forced_out, least_losses

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
States = npt.NDArray[np.int8]
MOST_BLOCKS = 512
"""Places where numbers may be cut; of a column with more nothing is bounded."""
ASKED_EVERY = 20_000
"""Cuts that are looked at before the search asks whether to go on."""
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
    rows: Ints


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
    """Sets of cuts that were looked at, or single cuts where there are few."""
    allowed: bool
    """Whether the cut leaves no more rows out than it may."""

    @property
    def proven(self) -> bool:
        """Whether no cut is better."""
        return self.allowed and self.bound >= self.best.cost and not self.best.outcome.short


@dataclass(frozen=True)
class Watch:
    """How far the search is."""

    nodes: int
    open: int
    best: Candidate
    bound: int


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows that may be kept, those alike collapsed that no cut of a set tells apart."""

    frame: Frame
    fixed: tuple[Ints, ...]
    """What tells rows apart in each set of known columns, and at last in all of them."""
    order: tuple[Ints, ...]
    """For each column the rows by code."""
    fields: Ints
    left_out: int
    """What the other rows cost."""


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
    coarse: Ints
    """The coarsest cut: the first code of the part of each code, all columns one after the other; -1: hidden."""
    picked: Ints
    """The cheapest cut of each column by itself, in the same way."""
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
    most_work: int = MOST_WORK,
) -> Proof:
    """Return the best of all allowed cuts, or the best found when it is stopped, with what none goes below.

    Where all cuts together are no more work than so many cells, each is looked at.
    """
    return _Search(problem, evaluator, objective, start).run(carry_on, every_cut=is_small(evaluator, most_work))


class _Search:
    """Sets of cuts that are still to be looked at, the lowest bound first."""

    def __init__(self, problem: CutProblem, evaluator: Evaluator, objective: Objective, start: Candidate) -> None:
        self.evaluator, self.objective = evaluator, objective
        self.steps = Steps(problem, evaluator)
        self.bounds = _Bounds(evaluator, objective, self.steps.fixed)
        self.best = start
        self.floor = NEVER
        """The least that a single cut which was not better costs, rows by lot aside."""
        self.queue: list[tuple[int, int, _Set]] = []
        self.nodes = self.pushed = 0

    @property
    def upper(self) -> int:
        """Sets of cuts that cost this or more are of no interest."""
        return self.best.cost if self.objective.allows(self.best.outcome) else self.bounds.most

    def run(self, carry_on: Callable[[Watch], bool], *, every_cut: bool) -> Proof:
        """Look at one set after the other, or at every cut."""
        first = self.bounds.everything()
        self._push(self.bounds.look(self.bounds.everyone, first, None, self.upper, 60))
        if every_cut and self.queue and self._look_at_every_cut(carry_on):
            self.queue.clear()
        while self.queue and not every_cut:
            bound = min(self.queue[0][0], self.floor, self.best.cost)
            if not carry_on(Watch(self.nodes, len(self.queue), self.best, bound)):
                break
            _, _, one = heapq.heappop(self.queue)
            self._expand(one)
            while self.queue and self.queue[0][0] >= self.upper:
                self.queue.clear()
        low = min([self.floor, *(bound for bound, _, _ in self.queue[:1])])
        best = showing(self.best, self.evaluator.problem, self.evaluator, self.objective)
        return Proof(best, min(low, best.cost), self.nodes, self.objective.allows(best.outcome))

    def _look_at_every_cut(self, carry_on: Callable[[Watch], bool]) -> bool:
        """Take the best of all cuts; return whether it came to the last."""
        every, asked = EveryCut(self.evaluator, self.objective), -ASKED_EVERY
        while every.done < every.total:
            bound = min(self.queue[0][0], self.floor, self.best.cost)
            if every.done - asked >= ASKED_EVERY:
                asked = every.done
                if not carry_on(Watch(every.done, every.total - every.done, self.best, bound)):
                    return False
            cut = every.below(self.upper, ASKED_EVERY)
            if cut is not None:
                self._settle(cut)
            self.nodes = every.done
        return True

    def _push(self, look: _Look) -> None:
        if look.bound < self.upper:
            self.pushed += 1
            heapq.heappush(self.queue, (look.bound, self.pushed, look.of))

    def _expand(self, one: _Set) -> None:
        """Look closer at a set of cuts, and push what is left of it in two parts."""
        self.nodes += 1
        rows = self.bounds.rows_of(one)
        look = self._narrowed(rows, self.bounds.look(rows, one, None, self.upper, 8))
        if look.bound >= self.upper:
            return
        self._try(look)
        choices = self.bounds.choices(look)
        if not choices:
            self._settle(self.bounds.cut(look.coarse))
            return
        score, without, taken = -1.0, look, look
        for place, is_node in choices:
            no = replace(
                look,
                of=self.bounds.decided(look.of, place, is_node, NO),
                bound=max(look.bound, int((look.node_bound if is_node else look.code_bound)[1, place])),
            )
            yes = self.bounds.look(rows, self.bounds.decided(look.of, place, is_node, YES), look, self.upper, 1)
            yes = replace(yes, bound=max(yes.bound, look.bound))  # what holds of a set holds of its parts
            gains = sorted(min(side.bound, self.upper) - look.bound + 1.0 for side in (yes, no))
            if gains[0] * gains[1] > score:
                score, without, taken = gains[0] * gains[1], no, yes
            if max(yes.bound, no.bound) >= self.upper:
                break
        self._push(taken)
        self._push(without)

    def _narrowed(self, rows: _Rows, look: _Look) -> _Look:
        """Take all decisions whose opposite has too high a bound, again and again."""
        while look.bound < self.upper:
            fixed, finer = self.bounds.fixed(look, self.upper)
            if not finer:
                return replace(look, of=fixed)
            look = self.bounds.look(rows, fixed, look, self.upper, 4)
        return look

    def _try(self, look: _Look) -> None:
        """See what the cheapest cuts of the columns come to together."""
        cut = self.bounds.cut(look.picked)
        self._take(cut)
        if self.nodes & (self.nodes - 1) == 0 or self.nodes % 64 == 0:
            self._take(self.steps.descend(cut, self.objective, range(len(cut))).cut)

    def _settle(self, cut: Cut) -> None:
        """Evaluate a single cut; where another is told in its place, that one comes up by itself."""
        self._take(cut)
        outcome = self.evaluator.evaluate(cut)
        if self.objective.allows(outcome) and all(map(np.array_equal, outcome.cut, cut)):
            self.floor = min(self.floor, self._least(cut))

    def _least(self, cut: Cut) -> int:
        """Return what a cut costs at least, whichever rows are drawn by lot.

        (For targets a row drawn may cost as much as it did before.)
        """
        evaluator, objective = self.evaluator, self.objective
        outcome = evaluator.evaluate(cut)
        cost = objective.cost(evaluator.evaluate(cut, by_lot=False))
        if not outcome.short or any(objective.weights):
            return cost
        codes = evaluator.problem.codes + evaluator.offsets[:-1, np.newaxis]
        worth = np.maximum(objective.gone - objective.loss * evaluator.losses(cut)[codes].sum(axis=0), 0)
        return min(cost + least_for_lots(evaluator.problem, outcome.left_out, worth, NEVER), NEVER)

    def _take(self, cut: Cut) -> None:
        outcome = self.evaluator.evaluate(cut)
        cost = self.objective.cost(outcome)
        if cost < self.upper and self.objective.allows(outcome):
            self.best = Candidate(outcome.cut, outcome, cost)


class _Bounds:
    """Bounds of sets of cuts."""

    def __init__(self, evaluator: Evaluator, objective: Objective, fixed: Ints) -> None:
        problem = evaluator.problem
        self.problem, self.evaluator, self.objective = problem, evaluator, objective
        self.widths = np.array([column.space.size + 1 for column in problem.columns], dtype=np.int64)
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
        self.everyone = _Rows(
            self.frame,
            (*(problem.tables[place].fixed for place in self.crowds), fixed),
            tuple(np.argsort(codes, kind="stable") for codes in problem.codes),
            evaluator.fields,
            0,
        )
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
        self.least, self.left_row = ints(codes), ints(rows)
        self.nothing, self.gone = ints(rows), np.full(rows, self.objective.gone, dtype=np.int64)
        self.own_group = np.array([target.own_group for target in self.problem.targets], dtype=np.bool_)

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
        """Return decisions to be tried, the most promising first; of a column at most two nodes and two places."""
        frame, found = self.frame, list[tuple[int, int, bool]]()
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
                first = places[np.argsort(-gain, kind="stable")[:2]]
                found += [(int(max(bounds[:, place])), int(place), is_node) for place in first]
        found.sort(reverse=True)
        return [(place, is_node) for _, place, is_node in found[:MOST_TRIED]]

    def rows_of(self, one: _Set) -> _Rows:
        """Return the rows that some cut of the set may keep, collapsed."""
        rows, evaluator = self.everyone, self.evaluator
        self._coarsest(one)
        _, _, dead = self._groups(rows)
        part = np.empty_like(self.part)
        finest(self.frame, one.nodes, one.codes, self.front, part)
        groups = evaluator.group(evaluator.every, Parts(part, self.widths), rows.fixed[-1])
        ids, frame = evaluator.ids, self.frame
        first = np.empty(groups, dtype=np.int64)
        first[ids[::-1]] = np.arange(len(ids) - 1, -1, -1)
        alive = ~dead[first]
        kept = first[alive]
        place = np.full(len(ids), -1, dtype=np.int64)
        place[kept] = np.arange(len(kept))

        def summed(figures: Ints) -> Ints:
            sums = np.zeros(groups, dtype=np.int64)
            np.add.at(sums, ids, figures)
            return sums[alive]

        fields = np.empty((len(kept), rows.fields.shape[1]), dtype=np.int64)
        for field in range(fields.shape[1]):
            fields[:, field] = summed(rows.fields[:, field])
        orders = (place[order] for order in rows.order)
        return _Rows(
            frame._replace(
                codes=np.ascontiguousarray(frame.codes[:, kept]),
                sizes=summed(frame.sizes),
                dropped=summed(frame.dropped),
            ),
            tuple(fixed[kept] for fixed in rows.fixed),
            tuple(order[order >= 0] for order in orders),
            fields,
            int(frame.dropped[dead].sum()),
        )

    def _coarsest(self, one: _Set) -> None:
        coarsest(self.frame, one.nodes, one.codes, self.part, self.front, self.settled, self.known)

    def look(self, rows: _Rows, one: _Set, parent: _Look | None, upper: int, rounds: int) -> _Look:
        """Return a bound of a set of cuts, from the shares of its parent or its own."""
        frame = rows.frame
        self._coarsest(one)
        ids, groups, dead = self._groups(rows)
        bases, excess = self._targets(rows, one)
        cells, certain = cells_of(
            frame, ids, groups, dead, self.settled, self.known, bases, excess, self.cell_of, self.row_at,
            self.n_cell, self.base_cell, self.left, self.is_open,
        )  # fmt: skip
        lists = self._lists(rows, ids, cells)
        wish = self._wishes(one, parent, cells)
        best_wish = np.zeros_like(wish)
        node_bound, code_bound = (np.empty((2, len(states)), dtype=np.int64) for states in (one.nodes, one.codes))
        pick = self.part - 1
        share, drops = (np.zeros(wish.shape, dtype=np.int64) for _ in range(2))
        bound = relax(
            frame, one.nodes, one.codes, self.part, self.front, cells, self.left, self.is_open, lists,
            wish, best_wish, share, drops, self.enough, certain + rows.left_out, upper, rounds, self.room,
            node_bound, code_bound, pick,
        )  # fmt: skip
        bound = max(bound, self._row_by_row(one))
        for c in np.flatnonzero(~frame.main):
            pick[frame.code_at[c] : frame.code_at[c + 1]] = self.part[frame.code_at[c] : frame.code_at[c + 1]] - 1
        return _Look(int(bound), replace(one, wish=best_wish), ids, self.part - 1, pick, node_bound, code_bound)

    def _row_by_row(self, one: _Set) -> int:
        """Return what a set costs at least with templates: a group too sure under the coarsest cut loses rows in all.

        Each template by itself; 0 where there is none.
        """
        problem, evaluator, everyone = self.problem, self.evaluator, self.everyone
        if all(all(table.persons) for table in problem.tables):
            return 0
        _, _, dead = self._groups(everyone)
        least_losses(everyone.frame, one.nodes, one.codes, self.front, self.least)
        certain = certain_cost(everyone.frame, dead, *self._targets(everyone, one), self.least, self.left_row)
        order = np.argsort(self.left_row, kind="stable")
        most = 0
        for place, table in enumerate(problem.tables):
            groups = evaluator.group(evaluator.known[place], Parts(self.part, self.widths), table.fixed)
            for hits, person, limit in zip(table.hits, table.persons, evaluator.limits[place], strict=True):
                if not person and limit[0] < limit[1]:
                    most = max(most, forced_out(
                        evaluator.ids, groups, order, table.sizes, hits, dead, limit, self.left_row,
                        *evaluator.figures,
                    ))  # fmt: skip
        return int(certain) + int(most)

    def cut(self, firsts: Ints) -> Cut:
        """Return the cut of all columns with these first codes of parts."""
        at = self.frame.code_at
        return tuple(firsts[at[c] : at[c + 1]].copy() for c in range(len(at) - 1))

    def _groups(self, rows: _Rows) -> tuple[Ints, int, Flags]:
        """Return the groups of the widest set of columns under the coarsest cut, and which rows no cut keeps."""
        evaluator, sizes = self.evaluator, rows.frame.sizes
        dead = np.zeros(len(sizes), dtype=np.bool_)
        ids, groups = np.zeros(len(sizes), dtype=np.int64), 1
        changed = bool(self.crowds)
        while changed:
            more = dead.copy()
            for number, place in enumerate(self.crowds):
                persons = evaluator.persons[place]
                groups = self._group(rows, evaluator.known[place], self.part, rows.fixed[number], ids)
                if find_broken(
                    ids, groups, sizes, np.zeros((int(persons.sum()), 0), dtype=np.int64), persons[persons],
                    evaluator.limits[place][persons], dead, *evaluator.figures, evaluator.broken,
                ):  # fmt: skip
                    more |= evaluator.broken[ids]
            changed = len(self.crowds) > 1 and bool((more != dead).any())
            dead = more
        return ids, groups, dead

    def _group(self, rows: _Rows, columns: Ints, part: Ints, fixed: Ints, ids: Ints) -> int:
        """Number the groups of rows alike on some columns."""
        of, bound = self.evaluator, int(fixed.max(initial=0)) + 1
        return int(
            group(
                rows.frame.codes,
                columns,
                part,
                of.offsets,
                self.widths,
                fixed,
                bound,
                of.key[: len(ids)],
                ids,
                of.table,
                of.places,
            )
        )

    def _lists(self, rows: _Rows, ids: Ints, cells: int) -> Lists:
        frame = rows.frame
        start = np.concatenate([[0], np.cumsum(np.bincount(ids[ids >= 0], minlength=cells))]).astype(np.int64)
        used = np.zeros((len(frame.plain), cells), dtype=np.int64)
        for c in np.flatnonzero(frame.main):
            list_entries(
                rows.order[c], frame.codes[c], frame.sizes, ids, self.is_open, c, start, used[c], self.code[c],
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
        total = np.maximum(wish.sum(axis=1), 1e-9)
        return np.ascontiguousarray(wish * (left / total)[:, None])

    def _targets(self, rows: _Rows, one: _Set) -> tuple[Ints, Ints]:
        """Return what each row costs whether it is kept or left out, and what leaving one out adds."""
        size = len(rows.frame.sizes)
        if not any(self.objective.weights):
            return self.nothing[:size], self.gone[:size]
        part, ids = np.empty_like(self.part), np.empty(size, dtype=np.int64)
        finest(self.frame, one.nodes, one.codes, self.front, part)
        groups = self._group(rows, self.evaluator.every, part, rows.fixed[-1], ids)
        bases, excess, n_at, out_at, row_at = (np.empty(size, dtype=np.int64) for _ in range(5))
        target_bounds(
            ids, groups, rows.frame.sizes, rows.fields, self.evaluator.shape,
            np.array(self.objective.weights, dtype=np.int64), self.own_group, rows.frame.dropped, n_at, out_at,
            row_at, np.empty((groups, rows.fields.shape[1]), dtype=np.int64), bases, excess,
        )  # fmt: skip
        return bases, excess


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
        problem.codes, problem.sizes, _dropped(evaluator, objective), main,
        np.array([space.plain for space in spaces], dtype=np.bool_), code_at, node_at, interval_of, vast, first,
        stop, parent, children, interval, stride, loss_at, objective.loss * flat, leaf,
        objective.loss * positions, objective.loss * hidden,
    )  # fmt: skip


def _dropped(evaluator: Evaluator, objective: Objective) -> Ints:
    """Return what each collapsed row costs at least when it is left out."""
    cost = objective.gone * evaluator.problem.sizes
    for weight, target in zip(objective.weights, evaluator.problem.targets, strict=True):
        if not target.own_group:
            cost = cost + weight * (target.fields @ target.gone)
    return cost

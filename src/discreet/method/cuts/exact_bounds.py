"""Bounds of sets of cuts: what no allowed cut of a set goes below, and what to decide next; see `exact`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.base.measure_kernels import FIRST, MEASURE, ROWS, SHARE
from discreet.method.base.space import Flags, Floats
from discreet.method.cuts.bound_kernels import relax
from discreet.method.cuts.cut_set_kernels import FREE, NO, YES, cells_of, coarsest, finest, list_entries, target_bounds
from discreet.method.cuts.evaluation import Cut, Evaluator, Parts
from discreet.method.cuts.evaluation_kernels import find_broken, group
from discreet.method.cuts.exact_frame import CellLists, CutFrame, frame_of, scratch_of
from discreet.method.cuts.objective import Objective
from discreet.method.cuts.row_bound_kernels import certain_cost, forced_out, least_losses
from discreet.method.cuts.untold import several_sets

States = npt.NDArray[np.int8]
MOST_TRIED = 6
"""Decisions whose two sides are looked at before one of them is taken."""


@dataclass(frozen=True, eq=False)
class OpenRows:
    """Rows that may be kept, those alike collapsed that no cut of a set tells apart."""

    frame: CutFrame
    fixed: tuple[Ints, ...]
    """What tells rows apart in each set of known columns, and at last in all of them."""
    order: tuple[Ints, ...]
    """For each column the rows by code."""
    fields: Ints
    left_out: int
    """What the other rows cost."""


@dataclass(frozen=True, eq=False)
class CutSet:
    """A set of cuts: what is decided, and the shares that its bound is from."""

    nodes: States
    codes: States
    wish: Floats


@dataclass(frozen=True, eq=False)
class BoundedSet:
    """What is found out about a set of cuts."""

    bound: int
    of: CutSet
    ids: Ints
    """The cell of each row, -1 for those left out."""
    coarse: Ints
    """The coarsest cut: the first code of the part of each code, all columns one after the other; -1: hidden."""
    picked: Ints
    """The cheapest cut of each column by itself, in the same way."""
    node_bound: Ints
    """The bound with one node opened, or not (first axis); -1 where that is not to be decided."""
    code_bound: Ints


class Bounds:
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
        if several_sets(evaluator):  # rows left out for one set may stay in groups of another: see `untold`
            self.crowds = self.crowds[-1:]
        known = problem.tables[self.crowds[-1]].columns if self.crowds else ()
        self.enough = (self._crowd(self.crowds[-1]) or 0) if self.crowds else 0
        main = np.zeros(len(problem.columns), dtype=np.bool_)
        main[list(known)] = True
        self.frame = frame_of(problem, evaluator, objective, main)
        self.everyone = OpenRows(
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
        asked = max((limit.needs_rows for limit in table.limits), default=1)
        return asked if asked > 1 else None

    def _crowd_lines(self, place: int) -> Ints:
        """Return how many rows groups must have, as a limit."""
        return np.array([[1, self._crowd(place) or 1, ROWS, 0, 0]], dtype=np.int64)

    def _make_room(self) -> None:
        frame = self.frame
        rows, columns = len(frame.sizes), len(frame.plain)
        codes = int(frame.code_at[-1])

        def ints(*shape: int) -> Ints:
            return np.zeros(shape, dtype=np.int64)

        self.room = scratch_of(frame)
        self.cell_of, self.row_at, self.n_cell, self.base_cell, self.left = (ints(rows + 1) for _ in range(5))
        self.is_open = np.zeros((rows, columns), dtype=np.bool_)
        self.code, self.count = (ints(columns, rows) for _ in range(2))
        self.part, self.front, self.known = (ints(codes) for _ in range(3))
        self.settled = np.zeros(codes, dtype=np.bool_)
        self.least, self.left_row = ints(codes), ints(rows)
        self.nothing, self.gone = ints(rows), np.full(rows, self.objective.gone, dtype=np.int64)
        self.no_tallies = ints(0, rows)
        self.own_group = np.array([target.own_group for target in self.problem.targets], dtype=np.bool_)

    def everything(self) -> CutSet:
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
        return CutSet(np.zeros(int(frame.node_at[-1]), dtype=np.int8), codes, np.zeros((0, 0)))

    def decided(self, one: CutSet, place: int, is_node: bool, state: int) -> CutSet:
        """Return the part of a set of cuts that has something decided."""
        nodes, codes = (one.nodes.copy(), one.codes) if is_node else (one.nodes, one.codes.copy())
        (nodes if is_node else codes)[place] = state
        return CutSet(nodes, codes, one.wish)

    def fixed(self, look: BoundedSet, upper: int) -> tuple[CutSet, bool]:
        """Return the set with all decided whose opposite is of no interest, and whether it got finer thereby."""
        nodes, codes, finer = look.of.nodes.copy(), look.of.codes.copy(), False
        for states, bounds in ((nodes, look.node_bound), (codes, look.code_bound)):
            free = states == FREE
            opened = free & (bounds[1] >= upper)
            states[opened] = YES
            states[free & ~opened & (bounds[0] >= upper)] = NO
            finer = finer or bool(opened.any())
        return CutSet(nodes, codes, look.of.wish), finer

    def choices(self, look: BoundedSet) -> list[tuple[int, bool]]:
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

    def rows_of(self, one: CutSet) -> OpenRows:
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
        return OpenRows(
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

    def _coarsest(self, one: CutSet) -> None:
        coarsest(self.frame, one.nodes, one.codes, self.part, self.front, self.settled, self.known)

    def look(self, rows: OpenRows, one: CutSet, parent: BoundedSet | None, upper: int, rounds: int) -> BoundedSet:
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
        return BoundedSet(int(bound), replace(one, wish=best_wish), ids, self.part - 1, pick, node_bound, code_bound)

    def _row_by_row(self, one: CutSet) -> int:
        """Return what a set costs at least with templates: a group too sure under the coarsest cut loses rows in all.

        Each template by itself; 0 where there is none.
        """
        problem, evaluator, everyone = self.problem, self.evaluator, self.everyone
        if not any(limit.measure == "share" for table in problem.tables for limit in table.limits):
            return 0
        _, _, dead = self._groups(everyone)
        least_losses(everyone.frame, one.nodes, one.codes, self.front, self.least)
        certain = certain_cost(everyone.frame, dead, *self._targets(everyone, one), self.least, self.left_row)
        order = np.argsort(self.left_row, kind="stable")
        most = 0
        for place, table in enumerate(problem.tables):
            groups = evaluator.group(evaluator.known[place], Parts(self.part, self.widths), table.fixed)
            for line in evaluator.limits[place]:
                if line[MEASURE] == SHARE and line[0] < line[1]:
                    most = max(most, forced_out(
                        evaluator.ids, groups, order, table.sizes, table.hits[line[FIRST]], dead,
                        several_sets(evaluator), line[:2], self.left_row, *evaluator.figures,
                    ))  # fmt: skip
        return int(certain) + int(most)

    def cut(self, firsts: Ints) -> Cut:
        """Return the cut of all columns with these first codes of parts."""
        at = self.frame.code_at
        return tuple(firsts[at[c] : at[c + 1]].copy() for c in range(len(at) - 1))

    def _groups(self, rows: OpenRows) -> tuple[Ints, int, Flags]:
        """Return the groups of the widest set of columns under the coarsest cut, and which rows no cut keeps."""
        evaluator, sizes = self.evaluator, rows.frame.sizes
        dead = np.zeros(len(sizes), dtype=np.bool_)
        ids, groups = np.zeros(len(sizes), dtype=np.int64), 1
        changed = bool(self.crowds)
        while changed:
            more = dead.copy()
            for number, place in enumerate(self.crowds):
                groups = self._group(rows, evaluator.known[place], self.part, rows.fixed[number], ids)
                if find_broken(
                    ids, groups, sizes, self.no_tallies, self._crowd_lines(place), dead, evaluator.figures[0],
                    evaluator.counted, evaluator.broken,
                ):  # fmt: skip
                    more |= evaluator.broken[ids]
            changed = len(self.crowds) > 1 and bool((more != dead).any())
            dead = more
        return ids, groups, dead

    def _group(self, rows: OpenRows, columns: Ints, part: Ints, fixed: Ints, ids: Ints) -> int:
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

    def _lists(self, rows: OpenRows, ids: Ints, cells: int) -> CellLists:
        frame = rows.frame
        start = np.concatenate([[0], np.cumsum(np.bincount(ids[ids >= 0], minlength=cells))]).astype(np.int64)
        used = np.zeros((len(frame.plain), cells), dtype=np.int64)
        for c in np.flatnonzero(frame.main):
            list_entries(
                rows.order[c], frame.codes[c], frame.sizes, ids, self.is_open, c, start, used[c], self.code[c],
                self.count[c],
            )  # fmt: skip
        return CellLists(start, used, self.code, self.count)

    def _wishes(self, one: CutSet, parent: BoundedSet | None, cells: int) -> Floats:
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

    def _targets(self, rows: OpenRows, one: CutSet) -> tuple[Ints, Ints]:
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

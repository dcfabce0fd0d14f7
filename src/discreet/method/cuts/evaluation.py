"""What a cut of all columns costs: which rows it leaves out, how much detail is lost, what its targets lose.

A cut says of each code of each column into which part it falls. Groups of rows that break a promise are left
out whole (suppressed); where promises know different columns, rows that leave may break other groups, so all
are counted again until nothing changes. Where outermost intervals are hidden of which no row is kept, it is counted
what is told then; see `outermost`. Everything is in integers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.encoded import Ints
from discreet.method.base.class_pairs import ClassPairs
from discreet.method.base.limits import lines_of
from discreet.method.base.loss import LARGEST, loss_units
from discreet.method.base.problem import CutProblem
from discreet.method.base.targets import CutTarget, fields_of, pairs_of_targets, shape_of
from discreet.method.cuts.evaluation_kernels import by_group, find_broken, group, judge_sums, lost_by, sum_groups
from discreet.method.cuts.lacking import Lacking
from discreet.method.cuts.many_sets import ManySets, serves
from discreet.method.cuts.outermost import Inner, Outermost, together
from discreet.method.cuts.packed_columns import packed
from discreet.method.cuts.pair_targets import GroupedRows, PairTargets
from discreet.method.cuts.parts import Firsts, code_losses, part_numbers
from discreet.method.cuts.target_kernels import target_cost, target_costs

Cut = tuple[Firsts, ...]
ASKED_AFTER = 20_000_000
"""Rows grouped by one set of columns or other until it is asked whether there is time for more."""
MOST_KEPT = 10_000
"""Cuts of single columns whose parts and losses are remembered."""


@dataclass(frozen=True)
class CutFigures:
    """What a cut comes to, in figures."""

    lost: int
    """Loss of the kept rows, in units."""
    kept: tuple[int, ...]
    """What the kept rows cost each target, in its units."""
    dropped: tuple[int, ...]
    """What rows left out cost each target, those included that would have to be left out besides."""
    gone: int
    """Rows left out."""
    short: int
    """Rows that would have to be left out besides, by lot, for those left out to keep the promises themselves."""


@dataclass(frozen=True)
class CutOutcome(CutFigures):
    """What a cut comes to."""

    cut: Cut
    """The cut, made coarser where what is told of it is."""
    left_out: npt.NDArray[np.bool_]


class Parts(NamedTuple):
    """Into which part each code falls, column after column, and how many parts each column has."""

    numbers: Ints
    widths: Ints


class ToldColumn(NamedTuple):
    """The part of each code under a cut of one column, how many there are, and what a cell of each code loses."""

    part: Ints
    parts: int
    loss: Ints


class OutOfTime(Exception):
    """Time was over while a cut was evaluated; what was counted of it is of no use."""


class Evaluator:
    """Evaluates cuts of one problem; keeps its scratch arrays."""

    def __init__(
        self,
        problem: CutProblem,
        *,
        few_may_pass: bool = False,
        hides_outermost: bool = False,
        whole: bool = False,
        largest: int = LARGEST,
    ) -> None:
        self.problem = problem
        self.few_may_pass = few_may_pass
        self.outermost = Outermost(problem) if hides_outermost else None
        spaces = [column.space for column in problem.columns]
        weights = [column.weight for column in problem.columns]
        self.units = loss_units(spaces, weights, problem.total, whole=whole, largest=largest)
        rows = len(problem.sizes)
        self.offsets = np.cumsum([0, *(space.size for space in spaces)], dtype=np.int64)
        self.key = np.empty(rows, dtype=np.int64)
        self.ids = np.empty(rows, dtype=np.int64)
        entries = 1 << max(int(2 * rows).bit_length(), 4)
        self.table = np.empty(entries, dtype=np.int64)
        self.places = np.empty(entries, dtype=np.int64)
        self.figures = tuple(np.empty(rows + 1, dtype=np.int64) for _ in range(2))
        most = max((len(table.hits) for table in problem.tables), default=0)
        self.counted = np.empty((rows + 1, most), dtype=np.int64)
        self.broken = np.empty(rows + 1, dtype=np.bool_)
        self.nothing = np.zeros(rows, dtype=np.int64)
        self.every = np.arange(len(spaces), dtype=np.int64)
        self.shape = shape_of(problem.targets)
        self.fields = fields_of(problem.targets, rows)
        self.pairs = PairTargets(pairs) if (pairs := pairs_of_targets(problem.targets)) is not None else None
        self.tally = np.zeros(2 * self.fields.shape[1], dtype=np.int64)
        self.sorted = np.empty(rows, dtype=np.int64)
        self.start = np.empty(rows + 2, dtype=np.int64)
        self.limits = [lines_of(table.limits, problem.total) for table in problem.tables]
        self._told: dict[tuple[int, bytes], ToldColumn] = {}
        self._last_told: dict[int, tuple[Firsts, ToldColumn]] = {}
        self.many = ManySets(problem) if serves(problem) else None
        self.lacking = Lacking(problem)
        self.packs = packed(problem)
        people = problem.sizes == 0
        self._people = people if people.any() else None
        self.known = [np.array(table.columns, dtype=np.int64) for table in problem.tables]
        self.may_go_on: Callable[[], bool] = lambda: True
        """Asked within one evaluation, where that is long; `OutOfTime` is raised where it may not."""

    def without_people(self) -> Evaluator:
        """Return what evaluates the rows alone, by the limits that count nothing else: no cut costs more there."""
        problem = self.problem
        if not any(limit.people for table in problem.tables for limit in table.limits):
            return self
        alone = Evaluator(problem.rows_only(), few_may_pass=self.few_may_pass)
        alone.units = self.units
        return alone

    def parts(self, cut: Cut) -> Parts:
        """Return the part of each code as a number from 0, all columns one after the other, and how many there are."""
        found = [self.told(place, firsts) for place, firsts in enumerate(cut)]
        return Parts(_joined([told.part for told in found]), np.array([told.parts for told in found], dtype=np.int64))

    def losses(self, cut: Cut) -> npt.NDArray[np.int64]:
        """Return what a cell of each code loses, in units, all columns one after the other."""
        return _joined([self.told(place, firsts).loss for place, firsts in enumerate(cut)])

    def told(self, place: int, firsts: Firsts) -> ToldColumn:
        """Return what a cut of one column comes to; the last ones are remembered."""
        last = self._last_told.get(place)
        if last is not None and last[0] is firsts:  # cuts are never changed; of most only one column is
            return last[1]
        known = (place, firsts.tobytes())
        if known not in self._told:
            if len(self._told) >= MOST_KEPT:
                self._told.clear()
            space = self.problem.columns[place].space
            part = part_numbers(space, firsts)
            parts = int(part.max(initial=-1)) + 1
            self._told[known] = ToldColumn(part, parts, code_losses(space, self.units.columns[place], firsts))
        self._last_told[place] = firsts, self._told[known]
        return self._told[known]

    def evaluate(self, cut: Cut, *, by_lot: bool = True, as_it_is: CutOutcome | None = None) -> CutOutcome:
        """Return what a cut comes to; `by_lot`: whether rows count that would have to be left out besides.

        `as_it_is`: what it comes to if all its intervals are told, where that was counted elsewhere.
        """
        outcome = as_it_is or self._as_it_is(cut, by_lot=by_lot)
        while self.outermost is not None and outcome.gone:
            left_out = self._not_kept(outcome.left_out)
            coarser = self.outermost.coarser(outcome.cut, left_out, partial(self._together, outcome.cut))
            if coarser is None:
                break
            outcome = self._as_it_is(coarser, by_lot=by_lot)
        return outcome

    def _as_it_is(self, cut: Cut, *, by_lot: bool) -> CutOutcome:
        """Return what a cut comes to if all its intervals are told."""
        part = self.parts(cut)
        if self.at_once:
            return self._at_once(cut, part, by_lot=by_lot)
        return self._counted(cut, part, *self._left_out(part), by_lot=by_lot)

    def without(self, cut: Cut, left_out: npt.NDArray[np.bool_]) -> CutOutcome:
        """Return what a cut comes to if all its intervals are told and just these rows are left out."""
        part, last = self.parts(cut), self.problem.tables[-1]
        return self._counted(cut, part, left_out, self.group(self.known[-1], part, last.fixed), by_lot=False)

    def _counted(
        self, cut: Cut, part: Parts, left_out: npt.NDArray[np.bool_], groups: int, *, by_lot: bool
    ) -> CutOutcome:
        problem = self.problem
        lost, gone = lost_by(problem.codes, problem.sizes, self.losses(cut), self.offsets, left_out)
        short = 0 if self.few_may_pass or not by_lot or not gone else self._short(left_out)
        kept, dropped = self._judge(part, left_out, groups, short)
        return CutOutcome(int(lost), kept, dropped, int(gone), short, cut, left_out)

    def _left_out(self, part: Parts) -> tuple[npt.NDArray[np.bool_], int]:
        """Return the rows of groups that break a promise; `ids` are the groups of the last table, which has so many."""
        problem, groups = self.problem, 0
        if self.many is not None:
            return self.many.left_out(part.numbers, self.offsets, part.widths, problem.sizes), groups
        left_out = np.zeros(len(problem.sizes), dtype=np.bool_)
        changed, looked = True, 0
        while changed:
            more = left_out.copy()
            for place, table in enumerate(problem.tables):
                looked += len(left_out)
                if looked > ASKED_AFTER:
                    looked = 0
                    if not self.may_go_on():
                        raise OutOfTime
                groups = self.group(self.known[place], part, table.fixed)
                if self.find_broken(place, groups, left_out):
                    more |= self.broken[self.ids]
            changed = len(problem.tables) > 1 and bool((more != left_out).any())
            left_out = more
        return left_out, groups

    def _together(self, cut: Cut, hidden: list[Inner]) -> npt.NDArray[np.bool_]:
        """Return the rows left out when intervals below and above those told are one part."""
        part = self.parts(cut)
        left_out, _ = self._left_out(part._replace(numbers=together(part.numbers, self.offsets, hidden)))
        return self._not_kept(left_out)

    def _not_kept(self, left_out: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """Return the rows left out, and the people of populations: they are no rows that are kept."""
        return left_out if self._people is None else left_out | self._people

    @cached_property
    def at_once(self) -> bool:
        """Whether one way of putting rows into groups tells all: what is promised of them, and what they cost."""
        tables, targets = self.problem.tables, self.problem.targets
        if len(tables) != 1 or tables[0].fixed.any() or any(t.columns != tables[0].columns for t in targets):
            return False
        return np.array_equal(tables[0].sizes, self.problem.sizes)  # rows that a limit does not count lose detail, too

    def _at_once(self, cut: Cut, part: Parts, *, by_lot: bool) -> CutOutcome:
        """Do as `evaluate`, where the rows are looked at once."""
        problem, table = self.problem, self.problem.tables[0]
        groups = self.group(self.known[0], part, table.fixed)
        sum_groups(
            self.ids, table.sizes, table.hits, problem.codes, self.losses(cut), self.offsets, self.fields,
            groups, self.sums,
        )  # fmt: skip
        return self.judged(cut, groups, lambda: self.broken[self.ids], self.ids, by_lot=by_lot)

    def judged(
        self,
        cut: Cut,
        groups: int,
        left_out_of: Callable[[], npt.NDArray[np.bool_]],
        group_of: Ints,
        pairs: ClassPairs | None = None,
        *,
        by_lot: bool = True,
    ) -> CutOutcome:
        """Return what a cut comes to whose groups are summed up in `sums`.

        `left_out_of` returns the rows of groups that are `broken`; `group_of` are the groups of rows, or of collapsed
        rows, which then have `pairs` of their own where a target has any.
        """
        problem = self.problem
        kept = np.empty(len(problem.targets), dtype=np.int64)
        told = np.empty(len(problem.tables[0].hits), dtype=np.int64)
        lost, gone = judge_sums(self.sums, groups, self.limits[0], self.shape, self.broken, kept, self.tally, told)
        left_out = left_out_of() if gone else np.zeros(len(problem.sizes), dtype=np.bool_)
        short = 0 if self.few_may_pass or not by_lot or not gone else self.lacking.of_one(int(gone), told)
        if self.pairs is not None:
            by_group(group_of, groups, self.start, self.sorted)
            grouped = GroupedRows(self.sorted, self.start, groups, self.broken[group_of], pairs)
            kept += [self.pairs.cost(place, grouped) for place in range(len(kept))]
        dropped = tuple(self._dropped(place, target, short) for place, target in enumerate(problem.targets))
        return CutOutcome(int(lost), tuple(kept.tolist()), dropped, int(gone), short, cut, left_out)

    @cached_property
    def sums(self) -> Ints:
        """Room for the sums of each group."""
        figures = 2 + self.fields.shape[1] + len(self.problem.tables[0].hits)
        return np.empty((len(self.problem.sizes), figures), dtype=np.int64)

    def _judge(
        self, part: Parts, left_out: npt.NDArray[np.bool_], groups: int, short: int
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return what rows kept and rows left out cost each target; `ids` are the groups of the last table."""
        last = self.problem.tables[-1] if self.problem.tables else None
        seen = None if last is None or last.fixed.any() or self.many is not None else last.columns
        kept, dropped = [], []
        arranged: tuple[int, ...] | None = None
        for place, target in enumerate(self.problem.targets):
            if target.columns != arranged:
                if target.columns != seen:
                    groups = self.group(np.array(target.columns, dtype=np.int64), part, self.nothing)
                    seen = target.columns
                by_group(self.ids, groups, self.start, self.sorted)
                arranged = target.columns
            kept.append(
                int(target_costs(self.sorted, self.start, groups, self.fields, left_out, self.shape, place, self.tally))
                + self._wrong(place, groups, left_out)
            )
            dropped.append(self._dropped(place, target, short))
        return tuple(kept), tuple(dropped)

    def _wrong(self, place: int, groups: int, left_out: npt.NDArray[np.bool_]) -> int:
        """Return what kept rows, in `sorted`, cost a target with pairs; 0 of others."""
        if self.pairs is None:
            return 0
        return self.pairs.cost(place, GroupedRows(self.sorted, self.start, groups, left_out))

    def _dropped(self, place: int, target: CutTarget, short: int) -> int:
        """Return what rows left out cost a target, whose sums are in the second half of `tally`."""
        first, stop = int(self.shape.begins[place]), int(self.shape.begins[place + 1])
        width = self.fields.shape[1]
        sums = self.tally[width + first : width + stop]
        besides = short * self.usual[place] // max(self.problem.total, 1)
        if self.pairs is not None and target.pairs is not None:
            sums = self.pairs.left_out(place)
            return int(sums.sum() - sums.max(initial=0) if target.own_group else target.gone @ sums) + besides
        if target.own_group:
            shape = self.shape
            cost = target_cost(self.tally[width:], shape.kinds, shape.begins, shape.at, shape.params, place)
            return int(cost) + besides
        return int(target.gone @ sums) + besides

    @cached_property
    def usual(self) -> tuple[int, ...]:
        """What it costs each target when all rows are left out, each counted by itself."""
        return tuple(int(target.gone @ target.sums) for target in self.problem.targets)

    def largest_shares(self, cut: Cut, left_out: npt.NDArray[np.bool_]) -> dict[int, Fraction]:
        """Return the largest share of each promise (by number) over the groups that are kept, and those left out."""
        part, shares = self.parts(cut), {}
        for place, table in enumerate(self.problem.tables):
            groups = self.group(self.known[place], part, table.fixed)
            ids = np.where(left_out, groups + table.fixed, self.ids)
            sizes = _summed(ids, table.sizes)
            tallies = _summed_each(ids, table.hits, len(sizes))
            for limit in table.limits:
                each = limit.figures(sizes, tallies)
                # Rows drawn by lot bring those left out within the limit.
                apart = [] if self.few_may_pass else [min(share, limit.at_most) for share in each[groups:]]
                shares[limit.promise] = max([*each[:groups], *apart], default=Fraction(0))
        return shares

    def group(self, columns: Ints, parts: Parts, fixed: Ints) -> int:
        """Number the groups of rows alike on the columns; the numbers are in `ids`."""
        bound = int(fixed.max(initial=0)) + 1
        if self.packs is not None:
            scratch = self.key, self.ids, self.table, self.places
            found = self.packs.group(columns, parts.numbers, self.offsets, parts.widths, fixed, bound, *scratch)
            if found is not None:
                return found
        return int(
            group(self.problem.codes, columns, parts.numbers, self.offsets, parts.widths, fixed, bound, self.key,
                  self.ids, self.table, self.places)
        )  # fmt: skip

    def find_broken(self, place: int, groups: int, left_out: npt.NDArray[np.bool_]) -> bool:
        """Write to `broken` which groups of a table break a limit without some rows; return whether any does."""
        table = self.problem.tables[place]
        return bool(
            find_broken(self.ids, groups, table.sizes, table.hits, self.limits[place], left_out, self.figures[0],
                        self.counted, self.broken)
        )  # fmt: skip

    def _short(self, left_out: npt.NDArray[np.bool_]) -> int:
        """Return how many more rows, as the table has them, those left out need to keep the promises as a group."""
        if self.many is not None:
            return self.many.short(int(self.problem.sizes[left_out].sum()))
        return self.lacking.of_rows(left_out)


def _joined(found: Sequence[Ints]) -> Ints:
    return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)


def _summed(ids: Ints, rows: Ints) -> Ints:
    """Return the rows of each group; sums of whole numbers below 2**53 are exact."""
    return np.bincount(ids, weights=rows).astype(np.int64)


def _summed_each(ids: Ints, tallies: Ints, groups: int) -> Ints:
    sums = [np.bincount(ids, weights=tally, minlength=groups).astype(np.int64) for tally in tallies]
    return np.stack(sums) if sums else np.zeros((0, groups), dtype=np.int64)

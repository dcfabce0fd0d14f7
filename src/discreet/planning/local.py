"""From a bound policy to a plan in which groups of rows have labels of their own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from discreet.common.watch import Watch
from discreet.encoded import Ints, keys, regroup
from discreet.errors import PolicyError, TooManySuppressed
from discreet.method.local.shapes import Labels
from discreet.plan.local_groups import GroupColumn, Label, PlannedGroups
from discreet.plan.plan import Plan
from discreet.planning.changeable import Changeable
from discreet.planning.number_column import NumberColumn
from discreet.planning.objectives import local_aims
from discreet.planning.problem import collapsed, cut_problem, room_for_classes
from discreet.planning.task import Task, require_possible
from discreet.policy.redundant import without_redundant

if TYPE_CHECKING:
    from discreet.method.local.grouping import Local, LocalGrouping
    from discreet.method.local.peeling import PeelingWatch

STEPS = 100
"""Steps in which the search is told to have been done."""


class LocalPlanner:
    """A search for groups of rows with labels of their own."""

    def __init__(self, task: Task, most_suppressed: int | None = None) -> None:
        policy = task.bound.policy
        self.task = task
        self.promises, self.dropped = without_redundant(task.bound.each_promise)
        self.problem = cut_problem(task.bound, task.columns, self.promises, task.counted)
        # A target that is predicted from no column that may change is left out, as with_goals does.
        classes = sum(one.pairs.size for one in self.problem.targets if one.pairs is not None and one.columns)
        if problems := list(room_for_classes(policy, len(self.problem.sizes), classes)):
            raise PolicyError(problems)
        limit = math.floor(policy.suppress.limit * self.problem.total)
        self.most = limit if most_suppressed is None else most_suppressed
        """Rows that may be hidden or removed."""
        names = task.bound.changeable
        self.weights = [policy.column(name).weight for name in names]
        self.labels = [
            _labels(policy.column(name).form, column) for name, column in zip(names, task.columns, strict=True)
        ]
        self.units, self.worth = local_aims(self.problem, policy, self.labels, self.weights)
        self.complete = True

    def run(self, watch: Watch) -> Plan:
        """Return the plan that the search finds.

        Raises
        ------
        ImpossiblePromise
            When even with everything hidden a promise is broken.
        TooManySuppressed
            When groups were found only with more rows hidden or removed than the policy allows.
        """
        found, bound = self.search(watch), self.task.bound
        policy = bound.policy
        return Plan(
            policy=policy,
            columns=bound.columns,
            recodings=(),
            groupings=self._groupings(found),
            redundant=tuple(f"{weak} follows from {strong}" for weak, strong in self.dropped),
            detail=self.detail(found),
            complete=self.complete,
        )

    def search(self, watch: Watch) -> Local:
        """Return the groups that are found, if they are few enough that are hidden or removed; raises as `run`."""
        policy = self.task.bound.policy
        require_possible(self.problem.tables, self.promises, removes=policy.removes)
        found = self._search(watch)
        if found.gone > self.most or any((each.group < 0).all() for each in found.groupings):
            raise TooManySuppressed(found.gone, self.problem.total, policy.suppress.limit)
        return found

    def detail(self, found: Local) -> float:
        """Return the share of detail that groups keep (1 - LM)."""
        return self._detail(found.lost)

    def largest_shares(self, found: Local) -> dict[int, Fraction]:
        """Return the largest share of each promise (by number) over all groups that look alike, hidden rows too."""
        shares = {}
        for table in self.problem.tables:
            key, kept = [table.fixed.astype(np.uint64)], np.ones(len(table.sizes), dtype=np.bool_)
            for grouping in found.groupings:
                places = [place for place, column in enumerate(grouping.columns) if column in table.columns]
                if places:
                    key.append(_looks(grouping, places)[grouping.group].astype(np.uint64))
                kept &= grouping.group >= 0
            together, _ = keys(key, [int(each.max(initial=0)) + 1 for each in key], len(kept))
            _, group = np.unique(together[kept], return_inverse=True)
            sums = [np.bincount(group, weights=each[kept]).astype(np.int64) for each in (table.sizes, *table.hits)]
            for limit in table.limits:
                tallies = np.stack(sums[1:]) if len(sums) > 1 else np.zeros((0, len(sums[0])), dtype=np.int64)
                shares[limit.promise] = max(limit.figures(sums[0], tallies), default=Fraction(0))
        return shares

    def _search(self, watch: Watch) -> Local:
        """Return the groups that are found; where rows may be removed, with none removed if else too many would be."""
        from discreet.method.local.search import search

        removes, total = self.task.bound.policy.removes, self.problem.total
        some = min(self.most, total - 1) if removes else self.most  # somebody has to be left
        for most in (some, 0):
            found = search(
                self.problem,
                weights=self.weights,
                labels=self.labels,
                units=self.units,
                worth=self.worth,
                remove=removes,
                most_gone=most,
                carry_on=self._asking(watch),
            )
            if found.gone <= some or not removes:
                break
        return found

    def _asking(self, watch: Watch) -> Callable[[PeelingWatch], bool]:
        def may_go_on(far: PeelingWatch) -> bool:
            done = min(int(far.share * STEPS), STEPS - 1)
            kept = 0.0 if far.lost is None else self._detail(far.lost)
            self.complete = watch.planned(done, STEPS - done, kept) and self.complete
            return self.complete

        return may_go_on

    def _detail(self, lost: int) -> float:
        """Return the share of detail that is kept when all rows together lose so many units."""
        return 1 - lost / max(self.units.per_row * self.problem.total, 1)

    def _groupings(self, found: Local) -> tuple[PlannedGroups, ...]:
        counted, order, starts = collapsed(self.task.bound, self.task.columns, self.task.counted)
        first = order[starts]
        fixed = {name: counted.code(name)[first].astype(np.int64) for name in self.task.bound.fixed}
        # Rows of which nothing is told may leave where no other promise would miss them.
        alone = len(found.groupings) == 1 and all(table.columns for table in self.problem.tables)
        leave = alone and self.task.bound.policy.removes and found.gone < self.problem.total
        return tuple(self._grouping(each, fixed, leave=leave) for each in found.groupings)

    def _grouping(self, found: LocalGrouping, fixed: dict[str, Ints], *, leave: bool) -> PlannedGroups:
        """Return groups as plain data, without those that have no row; hidden ones may `leave`."""
        names = self.task.bound.changeable
        together = {names[place] for place in found.columns}
        knowing = [set(promise.given) for promise in self.promises if together & set(promise.given)]
        beside = [name for name in self.task.bound.fixed if any(name in given for given in knowing)]
        codes = [self.problem.codes[place].astype(np.int64) for place in found.columns]
        codes += [fixed[name] for name in beside]
        columns = [self.task.columns[place] for place in found.columns]
        domains = [self.task.counted.domain(name) for name in beside]
        sizes = [column.space.size for column in columns] + [len(domain) for domain in domains]
        key, _ = keys([code.astype(np.uint64) for code in codes], sizes, len(found.group))
        order, starts, _ = regroup(key)
        one = order[starts]  # of each combination one of its rows
        leaving = np.append(found.hidden & leave, True)  # the last for rows that are removed anyway
        kept, of = np.unique(np.where(leaving[found.group], -1, found.group), return_inverse=True)
        lowest = int(len(kept) > 0 and kept[0] < 0)
        group, kept = of.astype(np.int64) - lowest, kept[lowest:]
        member = np.zeros(len(kept), dtype=np.int64)
        rows = np.flatnonzero(group >= 0)
        member[group[rows]] = rows
        told = []
        for place, column in enumerate(columns):
            labels, of_group = _labelled(found, place, column, kept, self.task.bound.policy.marker)
            told.append(
                GroupColumn(column.name, column.values_of_codes, labels, of_group, tuple(codes[place][one].tolist()))
            )
        others = []
        for name, domain, code in zip(beside, domains, codes[len(columns) :], strict=True):
            labels = tuple(Label(value, place, place + 1) for place, value in enumerate(domain))
            others.append(GroupColumn(name, domain, labels, tuple(code[member].tolist()), tuple(code[one].tolist())))
        return PlannedGroups(
            columns=tuple(told),
            beside=tuple(others),
            group=tuple(group[one].tolist()),
            hidden=tuple(np.flatnonzero(found.hidden[kept]).tolist()),
            losses=tuple(found.losses[kept].sum(axis=1).tolist()),
            whole=sum(self.units.columns[place].suppressed for place in found.columns),
        )


def _looks(found: LocalGrouping, places: Sequence[int]) -> Ints:
    """Return a number for how each group looks on some columns."""
    told = [found.first[:, places], found.stop[:, places]]
    told += [found.sets[column].astype(np.int64) for place in places if (column := found.columns[place]) in found.sets]
    return np.unique(np.concatenate(told, axis=1), axis=0, return_inverse=True)[1].ravel().astype(np.int64)


def _labels(form: str | None, column: Changeable) -> Labels:
    """Return which labels a column may have."""
    if form == "set":
        return "set"
    if not isinstance(column, NumberColumn):
        return "tight"
    # Where some values are only told together, any other may still begin or end a label.
    return "fixed" if column.column.ends is not None or column.column.tails != (None, None) else "tight"


def _labelled(
    found: LocalGrouping, place: int, column: Changeable, kept: Ints, marker: str
) -> tuple[tuple[Label, ...], tuple[int, ...]]:
    """Return the different labels of a column, and which of them each group has that is kept."""
    everything = Label(marker, 0, column.space.size)
    flags = found.sets.get(found.columns[place])
    if flags is None:
        width = column.space.size + 1
        ranges = found.first[kept, place] * width + found.stop[kept, place]
        different, of = np.unique(ranges, return_inverse=True)
        labels = [column.label(*divmod(each, width)) for each in different.tolist()]
    else:
        different, of = np.unique(flags[kept], axis=0, return_inverse=True)
        labels = [column.set_label(np.flatnonzero(line).tolist()) for line in different]
    of_group = np.where(found.hidden[kept], len(labels), of.ravel())
    return (*labels, everything), tuple(of_group.tolist())

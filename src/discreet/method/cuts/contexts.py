"""Contexts: the rows that all columns but one leave alike, for what cuts of that one would cost."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from discreet.encoded import LARGEST_KEY, Ints, keys
from discreet.method.base.class_pairs import ClassPairs
from discreet.method.base.limits import lines_of, stacked
from discreet.method.base.measure_kernels import DENOMINATOR, FIRST, MEASURE, NUMERATOR, ROWS, SHARE
from discreet.method.base.problem import CutProblem
from discreet.method.cuts.context_kernels import (
    choose_by_group,
    choose_by_key,
    collapse_directly,
    collapse_sorted,
)
from discreet.method.cuts.evaluation import Cut, Evaluator, Parts
from discreet.method.cuts.evaluation_kernels import dense
from discreet.method.cuts.objective import Objective

MANY_ROWS, FEWEST_CONTEXTS = 60_000, 4_000
"""About so many rows are looked at in a step; of so many contexts or fewer, all of them."""


NOTHING = np.zeros(0, dtype=np.int64)


class Contexts(NamedTuple):
    """Rows that look alike on all columns but one, those that cannot be told apart by that column put together."""

    groups: int
    start: Ints
    """Where the rows of each context begin, and where the last ones end; they are ordered by code."""
    others: Ints
    """What a row of each context loses by the other columns."""
    codes: npt.NDArray[np.int32]
    sizes: Ints
    fields: Ints
    hits: Ints
    pairs: ClassPairs | None = None
    """Of targets with very many classes, beside the fields of others."""
    rows: Ints | None = None
    """All rows, in some order; None where only those of some contexts are looked at."""
    into: Ints = NOTHING
    """Where each of these went."""


class PlainLimits(NamedTuple):
    """Limits that ask for rows and one share at most; see `plain_context_kernels`."""

    least: int
    over: int
    under: int
    at: int
    """Which hits the share counts; -1 for none."""

    def tallies(self, contexts: Contexts) -> Ints:
        """Return what the share counts of each row; anything where there is none."""
        return contexts.sizes if self.at < 0 else contexts.hits[self.at]


def plain_limits(limits: Ints) -> PlainLimits | None:
    """Return lines of limits as these; None where they ask for something else."""
    least, shares = 0, []
    for line in limits.tolist():
        if line[MEASURE] == ROWS and line[NUMERATOR] > 0:
            least = max(least, -(-line[DENOMINATOR] // line[NUMERATOR]))
        elif line[MEASURE] == SHARE:
            shares.append(PlainLimits(0, line[NUMERATOR], line[DENOMINATOR], line[FIRST]))
        else:
            return None
    if len(shares) > 1:
        return None
    return (shares[0] if shares else PlainLimits(0, 0, 0, -1))._replace(least=least)


class ContextMaker:
    """Puts rows into contexts, in scratch arrays: each call of `of` overwrites what the last one returned."""

    def __init__(self, problem: CutProblem, evaluator: Evaluator, codes: Sequence[npt.NDArray[np.int32]]) -> None:
        self.problem = problem
        self.evaluator = evaluator
        self.see(codes)
        rows = len(problem.sizes)
        tables = problem.tables
        self.hits = np.concatenate([table.hits for table in tables]) if tables else np.zeros((0, rows), dtype=np.int64)
        begins = np.cumsum([0, *(len(table.hits) for table in tables)])
        lines = [lines_of(t.limits, problem.total, first=int(at)) for t, at in zip(tables, begins, strict=False)]
        self.limits = np.unique(stacked(lines), axis=0)  # sets of columns often ask for the same
        self.plain = None if evaluator.fields.shape[1] else plain_limits(self.limits)
        """The limits, where there is nothing else to reckon with but pairs, which come on top."""
        bounds = [int(table.fixed.max(initial=0)) + 1 for table in tables]
        key, _ = keys([table.fixed.astype(np.uint64) for table in tables], bounds, rows)
        self.fixed = np.unique(key, return_inverse=True)[1].astype(np.int64)
        """What tells rows apart in some table, whatever is disclosed."""
        self.beside = self.fixed
        """The same, with people beside the rows that they look like, also where another table does not know them."""
        if any(table.strangers >= 0 for table in tables):
            known = [np.where(table.fixed == table.strangers, 0, table.fixed).astype(np.uint64) for table in tables]
            key, _ = keys(known, bounds, rows)
            self.beside = np.unique(key, return_inverse=True)[1].astype(np.int64)
        self.start = np.empty(rows + 2, dtype=np.int64)
        self.rows = np.empty(rows + 1, dtype=np.int64)
        self.table = np.empty(rows, dtype=np.int64)
        self.collapsed = (
            np.empty(rows, dtype=np.int32),
            np.empty(rows, dtype=np.int64),
            np.empty((rows, evaluator.fields.shape[1]), dtype=np.int64),
            np.empty((len(self.hits), rows), dtype=np.int64),
        )
        self.into = np.empty(0 if evaluator.pairs is None else rows, dtype=np.int64)
        self.others = np.empty(rows, dtype=np.int64)
        self.number = np.empty(rows, dtype=np.int64)
        self.chosen = np.empty(rows, dtype=np.int64)
        self.everyone = np.arange(rows)
        self.share = max(rows // MANY_ROWS, 1)
        """Of how many contexts one is looked at."""

    def see(self, codes: Sequence[npt.NDArray[np.int32]]) -> None:
        """Take these for the codes of each column from now on: all of a smallest interval are one."""
        self.codes = codes
        self.widths = [int(own.max(initial=-1)) + 1 for own in codes]
        self._order: dict[int, Ints] = {}

    def of(self, cut: Cut, place: int) -> Contexts:
        """Return the rows by what the other columns release of them, and by code (numbers: by the smallest interval).

        Of many contexts only some are looked at: what they cost is a good guess of what all do, and the cut that is
        found so is evaluated as a whole.
        """
        evaluator, problem = self.evaluator, self.problem
        chosen, groups = self._some(np.delete(evaluator.every, place), evaluator.parts(cut))
        ids = evaluator.ids[: len(chosen)]
        code, width = self.codes[place], self.widths[place]
        whole = chosen is self.everyone
        into = self.number if whole and evaluator.pairs is None else self.into  # has no other use then
        if groups * width <= len(evaluator.places):  # scratch that has no use now
            found = collapse_directly(
                chosen, ids, groups, code, width, problem.sizes, evaluator.fields, self.hits, evaluator.places, into,
                self.start, self.rows, *self.collapsed,
            )  # fmt: skip
            ordered = chosen
        else:
            order = self.order(place) if chosen is self.everyone else np.argsort(code[chosen], kind="stable")
            found = collapse_sorted(
                order, chosen, ids, groups, code, problem.sizes, evaluator.fields, self.hits, self.table, into,
                self.start, self.rows, *self.collapsed,
            )  # fmt: skip
            ordered = self.table[: len(chosen)]
        pairs = None if evaluator.pairs is None else evaluator.pairs.collapsed(into, ordered, found)
        self._other_losses(cut, place, groups)
        codes, sizes, fields, hits = self.collapsed
        return Contexts(
            groups, self.start, self.others, codes[:found], sizes[:found], fields[:found], hits[:, :found], pairs,
            ordered if whole else None, into,
        )  # fmt: skip

    def _other_losses(self, cut: Cut, place: int, groups: int) -> None:
        """Write what the rows of each context lose by all columns but one, the same for all of them."""
        others, rows = self.others[:groups], self.rows[:groups]
        others.fill(0)
        for column, codes in enumerate(self.problem.codes):
            if column != place:
                others += self.evaluator.told(column, cut[column]).loss.take(codes.take(rows))

    def _some(self, columns: Ints, parts: Parts) -> tuple[Ints, int]:
        """Put rows alike on the columns into groups, those of some groups if there are many; the numbers are in `ids`.

        Return the rows and the number of groups.
        """
        evaluator = self.evaluator
        bound = prod([int(self.beside.max(initial=0)) + 1, *parts.widths[columns].tolist()])
        share = min(self.share, bound // FEWEST_CONTEXTS)
        while share > 1 and bound < LARGEST_KEY:
            rows = choose_by_key(
                self.problem.codes, columns, parts.numbers, evaluator.offsets, parts.widths, self.beside, share,
                evaluator.key, self.chosen,
            )  # fmt: skip
            key, ids = evaluator.key[:rows], evaluator.ids[:rows]
            groups = int(dense(key, bound, ids, evaluator.table, evaluator.places))
            if groups >= FEWEST_CONTEXTS:
                return self.chosen[:rows], groups
            share //= 4
        groups = evaluator.group(columns, parts, self.beside)
        share = min(share, groups // FEWEST_CONTEXTS)
        if share <= 1:
            return self.everyone, groups
        rows, groups = choose_by_group(evaluator.ids, groups, share, self.number, self.chosen)
        return self.chosen[:rows], groups

    def order(self, place: int) -> Ints:
        """Return the rows in the order of their codes."""
        if place not in self._order:
            self._order[place] = np.argsort(self.codes[place], kind="stable")
        return self._order[place]

    def dropped(self, contexts: Contexts, objective: Objective) -> Ints:
        """Return what the rows cost when they are left out."""
        shape = self.evaluator.shape
        each = shape.gone * np.repeat(weights_of(objective), np.diff(shape.begins))
        cost = np.asarray(objective.gone * contexts.sizes + contexts.fields @ each)
        if self.evaluator.pairs is not None and contexts.pairs is not None:
            cost += self.evaluator.pairs.cost_of_leaving(contexts.pairs, weights_of(objective))
        return cost

    def sums(self) -> tuple[Ints, Ints]:
        """Return room for the fields and hits of one group."""
        return np.zeros(self.evaluator.fields.shape[1], dtype=np.int64), np.zeros(len(self.hits), dtype=np.int64)


def weights_of(objective: Objective) -> Ints:
    """Return the weights of the targets as the kernels take them."""
    return np.array(objective.weights, dtype=np.int64)

"""What a release is still good for: the groups it has, and what they tell of each target.

Reports, not decisions: figures here are floats where sums are large. A group is the rows that look alike on all
columns that may change, suppressed ones too; but these cost what the use says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from discreet.common.registry import Sides
from discreet.common.stable_order import numbered
from discreet.encoded import Combinations, Ints, keys
from discreet.policy.bind import Bound
from discreet.policy.uses import Classify, PredictingUse, Regress
from discreet.table.engine import Engine

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
MOST_SQUARED = 2**31
"""Rows whose squared number fits into 64 bits."""
CHUNK = 2**22
"""Counts of classes that are looked at together."""


@dataclass(frozen=True)
class ToldTarget:
    """What the groups tell of one target: 0 is all that can be known; lower is better.

    `measure` is the mean cost of taking each row for one of its group's majority class (CM), or the spread of the
    numbers inside the groups beside their spread among all rows (RM). `original` is the same with the columns as
    they were, `nothing` with none of them.
    """

    target: str
    measure: str
    released: float
    original: float
    nothing: float
    costs: bool = False
    """Whether mistakes cost differently, by the costs of the use."""


@dataclass(frozen=True)
class Usefulness:
    """The groups of a release, and what they tell of each target."""

    groups: int
    """Suppressed rows that still stand in the table are one, too."""
    smallest: int
    average: float
    discernibility: int
    """For each row the rows it cannot be told from, summed; a suppressed row cannot be told from any."""
    targets: tuple[ToldTarget, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return asdict(self)


@dataclass(frozen=True)
class Looks:
    """How the rows of a table look: distinct combinations of some columns and targets, with their counts."""

    counted: Combinations
    suppressed: Flags
    """Which combinations are suppressed rows."""
    _groups: dict[tuple[str, ...], Ints] = field(default_factory=dict)

    @property
    def rows(self) -> Ints:
        """How many rows each combination has."""
        return self.counted.counts

    def groups(self, columns: Sequence[str]) -> Ints:
        """Return the group of each combination on some of the columns."""
        asked = tuple(columns)
        if asked not in self._groups:
            codes = [self.counted.code(column) for column in columns]
            key, _ = keys(codes, [len(self.counted.domain(column)) for column in columns], len(self.rows))
            self._groups[asked] = numbered(key)[1]
        return self._groups[asked]


def usefulness(
    released: Engine,
    source: Engine,
    bound: Bound,
    *,
    made_elsewhere: bool = False,
    before: tuple[OriginalTarget, ...] | None = None,
) -> Usefulness:
    """Return what a release is good for; of one `made_elsewhere` rows that tell nothing were suppressed.

    `before` is what `told_before` says of the source, if it was asked already.
    """
    # Where none was suppressed (disclosure, rows that are removed, a cut that hides everything), rows that tell
    # nothing cost what those of any group do.
    some = bound.policy.method != "disclosure" and (made_elsewhere or released.suppressed > 0)
    return _usefulness(released, source, bound, some=some, before=before)


def usefulness_by_itself(released: Engine, bound: Bound) -> Usefulness:
    """Return what everybody can count on a release, who sees no original: none is known to be suppressed."""
    return _usefulness(released, released, bound, some=False)


def _usefulness(
    released: Engine, source: Engine, bound: Bound, *, some: bool, before: tuple[OriginalTarget, ...] | None = None
) -> Usefulness:
    """Return what a release is good for; `some` says that rows which tell nothing are suppressed."""
    counted = released.count(_columns(bound))
    after = Looks(counted, _hidden(counted, bound) if some else np.zeros(len(counted.counts), dtype=np.bool_))
    groups, kept = after.groups(bound.changeable), np.where(after.suppressed, 0, after.rows)
    sizes, told = _rows_of(groups, after.rows), _rows_of(groups, kept)
    hidden = int(after.rows[after.suppressed].sum()) + source.rows - released.rows
    return Usefulness(
        groups=len(sizes),
        smallest=int(sizes.min()) if len(sizes) else 0,
        average=float(sizes.mean()) if len(sizes) else 0.0,
        discernibility=_squares(told) + hidden * source.rows,
        targets=_told_of_all(after, source, bound, before),
    )


def masked_rows(table: Engine, bound: Bound) -> int:
    """Return how many rows tell nothing on any column that may change."""
    counted = table.count(bound.changeable)
    return int(counted.counts[_hidden(counted, bound)].sum())


def _hidden(counted: Combinations, bound: Bound) -> Flags:
    """Return which combinations tell nothing on any column that may change."""
    hidden = np.full(len(counted.counts), bool(bound.changeable))
    for column in bound.changeable:
        marked = [text == bound.policy.marker for text in counted.domain(column)]
        hidden &= np.array(marked, dtype=np.bool_)[counted.code(column)]
    return hidden


def _rows_of(groups: Ints, rows: Ints, least: int = 0) -> Ints:
    """Return the rows of each group; sums of whole numbers below 2**53 are exact."""
    return np.bincount(groups, weights=rows, minlength=least).astype(np.int64)


def _squares(sizes: Ints) -> int:
    """Return the sum of the squares of some sizes, exactly: it is at most the square of their sum."""
    if int(sizes.sum()) < MOST_SQUARED:
        return int(sizes @ sizes)
    return sum(int(size) ** 2 for size in sizes)


def _columns(bound: Bound) -> list[str]:
    """Return the columns that say what a table is good for."""
    return [*bound.changeable, *dict.fromkeys(goal.target for goal in bound.policy.goals)]


def told_before(source: Engine, bound: Bound) -> tuple[OriginalTarget, ...]:
    """Return what the groups of a table tell of each target as they came in."""
    if not bound.policy.goals:
        return ()
    counted = source.count(_columns(bound))
    looks = Looks(counted, np.zeros(len(counted.counts), dtype=np.bool_))
    judges = [JUDGES.of(goal)(looks, bound, goal) for goal in bound.policy.goals]
    return tuple(
        OriginalTarget(judge, judge.measure(looks, _seen(bound, goal)), judge.measure(looks, ()))
        for judge, goal in zip(judges, bound.policy.goals, strict=True)
    )


def _seen(bound: Bound, goal: PredictingUse) -> list[str]:
    """Return the columns that may change which whoever predicts a target sees."""
    return [column for column in bound.changeable if goal.sees(column)]


def _told_of_all(
    after: Looks, source: Engine, bound: Bound, before: tuple[OriginalTarget, ...] | None
) -> tuple[ToldTarget, ...]:
    found = told_before(source, bound) if before is None else before
    return tuple(
        ToldTarget(
            target=goal.target,
            measure=told.judge.name,
            released=told.judge.measure(after, _seen(bound, goal)),
            original=told.original,
            nothing=told.nothing,
            costs=told.judge.has_costs,
        )
        for told, goal in zip(found, bound.policy.goals, strict=True)
    )


class Judge(Protocol):
    """How what a release tells of a target is measured, and what the measure is called."""

    name: str
    has_costs: bool
    """Whether mistakes cost differently."""

    def measure(self, looks: Looks, seen: Sequence[str]) -> float:
        """Return the measure for who sees some columns; lower is better."""
        ...


class OriginalTarget(NamedTuple):
    """What the groups of a table as it came in tell of a target, and who measures that of others."""

    judge: Judge
    original: float
    nothing: float


JUDGES: Sides[Callable[[Looks, Bound, Any], Judge]] = Sides("measure")
"""How each use that predicts something is measured."""


class _Classes:
    """Mistakes about a class."""

    name = "CM"

    def __init__(self, before: Looks, bound: Bound, goal: Classify) -> None:  # noqa: ARG002
        self.goal, self.has_costs = goal, goal.costs is not None
        self.domain, self.total = before.counted.domain(goal.target), max(int(before.rows.sum()), 1)
        self.rows = before.counted.rows(goal.target)
        self.costs: Floats | None = None
        if goal.costs is not None:
            lines = [[float(goal.costs.cost(one, other)) for other in self.domain] for one in self.domain]
            self.costs = np.array(lines)

    def measure(self, looks: Looks, seen: Sequence[str]) -> float:
        """Return the mean cost of a row; one whose class is not told (a confidential cell) costs as if left out."""
        place = {value: code for code, value in enumerate(self.domain)}
        known = np.array([place.get(value, -1) for value in looks.counted.domain(self.goal.target)], dtype=np.int64)
        codes = known[looks.counted.code(self.goal.target)]
        told = codes >= 0
        codes, rows, suppressed = codes[told], looks.rows[told], looks.suppressed[told]
        gone = self.rows - _rows_of(codes, rows, len(self.domain))
        cost = self._mistakes(looks.groups(seen)[told][~suppressed], codes[~suppressed], rows[~suppressed])
        if self.goal.suppressed == "group":
            cost += self._mistakes(np.zeros_like(codes[suppressed]), codes[suppressed], rows[suppressed])
        else:
            gone = gone + _rows_of(codes[suppressed], rows[suppressed], len(self.domain))
        return (cost + float(gone @ self._each())) / self.total

    def _each(self) -> Floats:
        """Return what a row of each class costs when it is left out."""
        if self.goal.suppressed == "dearest" and self.costs is not None:
            return np.asarray(self.costs.max(axis=1))
        no_mistake = self.goal.suppressed == "dearest" and len(self.domain) == 1
        return np.full(len(self.domain), 0.0 if no_mistake else 1.0)

    def _mistakes(self, groups: Ints, codes: Ints, rows: Ints) -> float:
        labels = len(self.domain)
        pairs, pair = numbered(groups * labels + codes)
        counts = _rows_of(pair, rows)
        group, label = pairs // labels, pairs % labels
        starts = np.flatnonzero(np.append(True, group[1:] != group[:-1])) if len(group) else np.zeros(0, dtype=np.int64)
        if not len(starts):
            return 0.0
        if self.costs is None:
            return float(counts.sum() - np.maximum.reduceat(counts, starts).sum())
        number = np.cumsum(np.append(False, group[1:] != group[:-1]))
        total = 0.0
        step = max(CHUNK // labels, 1)
        for first in range(0, len(starts), step):
            inside = (number >= first) & (number < first + step)
            table = np.zeros((min(step, len(starts) - first), labels))
            table[number[inside] - first, label[inside]] = counts[inside]
            costs = np.where(table == table.max(axis=1, keepdims=True), table @ self.costs, np.inf)
            total += float(costs.min(axis=1).sum())
        return total


class _CentreDistances:
    """Distances of numbers from the centres of their groups."""

    name, has_costs = "RM", False

    def __init__(self, before: Looks, bound: Bound, goal: Regress) -> None:
        self.goal = goal
        self.scale = bound.policy.numbers_of(goal.target)
        self.middle, self.widest = _extent([self.scale.read(value) for value in before.counted.domain(goal.target)])
        y = self._numbers(before)
        known = ~np.isnan(y)
        y, rows = y[known], before.rows[known]
        self.centre = 0.0
        if len(y):
            self.centre = float(y @ rows) / int(rows.sum()) if goal.by == "variance" else _middle(y, rows)
        self.whole = float(self._far(y, self.centre) @ rows)

    def measure(self, looks: Looks, seen: Sequence[str]) -> float:
        """Return the spread inside the groups beside the spread of all rows."""
        y = self._numbers(looks)
        known = ~np.isnan(y)
        y, rows, suppressed = y[known], looks.rows[known], looks.suppressed[known]
        inside = self._inside(y[~suppressed], looks.groups(seen)[known][~suppressed], rows[~suppressed])
        removed = self.whole - float(self._far(y, self.centre) @ rows)
        gone, so_many = y[suppressed], rows[suppressed]
        if self.goal.suppressed == "group":
            inside += self._inside(gone, np.zeros(len(gone), dtype=np.int64), so_many)
        else:
            inside += float(self._far(gone, self.centre) @ so_many)
        return min((inside + max(removed, 0.0)) / self.whole, 1.0) if self.whole else 0.0  # sums are floats

    def _numbers(self, looks: Looks) -> Floats:
        """Return the numbers between -2 and 2, so that squares of huge or tiny ones, and of near ones, are told."""
        read = [self.scale.read(value) for value in looks.counted.domain(self.goal.target)]
        near = [np.nan if number is None else float((number - self.middle) / self.widest) for number in read]
        return np.array(near)[looks.counted.code(self.goal.target)]

    def _far(self, y: Floats, centre: float | Floats) -> Floats:
        return np.asarray((y - centre) ** 2 if self.goal.by == "variance" else np.abs(y - centre))

    def _inside(self, y: Floats, groups: Ints, rows: Ints) -> float:
        if not len(y):
            return 0.0
        order = np.lexsort((y, groups))
        y, rows, groups = y[order], rows[order], np.unique(groups[order], return_inverse=True)[1]
        sizes = _rows_of(groups, rows)
        if self.goal.by == "variance":
            centre = np.bincount(groups, weights=y * rows) / sizes
        else:
            centre = y[np.searchsorted(np.cumsum(rows), np.cumsum(sizes) - sizes + (sizes - 1) // 2, side="right")]
        return float(self._far(y, centre[groups]) @ rows)


def _extent(numbers: Sequence[Decimal | None]) -> tuple[Decimal, Decimal]:
    """Return one of the numbers, about the middle of them, and about how far the others are from it (a power of 2)."""
    told = sorted(number for number in numbers if number is not None)
    middle = told[len(told) // 2] if told else Decimal(0)
    widest = max((abs(number - middle) for number in told), default=Decimal(0)) or Decimal(1)
    return middle, Decimal(2) ** round(widest.log10() / Decimal(2).log10())


def _middle(y: Floats, rows: Ints) -> float:
    order = np.argsort(y)
    return float(y[order][np.searchsorted(np.cumsum(rows[order]), (int(rows.sum()) - 1) // 2, side="right")])


def _plainly(before: Looks, bound: Bound, goal: PredictingUse) -> Judge:
    """Measure a use of which nothing else is said as one that predicts its target and no more."""
    if goal.reads_numbers:
        return _CentreDistances(before, bound, Regress(goal.target, inputs=goal.inputs))
    return _Classes(before, bound, Classify(goal.target, inputs=goal.inputs))


JUDGES.add(PredictingUse, _plainly)
JUDGES.add(Classify, _Classes)
JUDGES.add(Regress, _CentreDistances)

"""What a release is still good for: the groups it has, and what they tell of each target.

Reports, not decisions: figures here are floats where sums are large. A group is the rows that look alike on all
columns that may change; suppressed rows are no group, but cost what the use says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal

import numpy as np
import numpy.typing as npt

from discreet.policy import Classify, Regress
from discreet.policy.bind import Bound
from discreet.scale import Numbers
from discreet.table.encode import Ints, keys
from discreet.table.engine import Engine

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
CHUNK = 2**22
"""Counts of classes that are looked at together."""


@dataclass(frozen=True)
class Told:
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
    """Suppressed rows aside."""
    smallest: int
    average: float
    discernibility: int
    """For each row the rows it cannot be told from, summed; a suppressed row cannot be told from any."""
    targets: tuple[Told, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return asdict(self)


def usefulness(released: Engine, source: Engine, bound: Bound, *, made_elsewhere: bool = False) -> Usefulness:
    """Return what a release is good for; of one `made_elsewhere` rows that tell nothing were suppressed."""
    groups = _groups(released, bound.changeable)
    suppressed = masked(released, bound) if made_elsewhere else _masked(released, bound)
    sizes = np.bincount(groups[~suppressed], minlength=1)
    sizes = sizes[sizes > 0]
    hidden = int(suppressed.sum()) + source.rows - released.rows
    return Usefulness(
        groups=len(sizes),
        smallest=int(sizes.min()) if len(sizes) else 0,
        average=float(sizes.mean()) if len(sizes) else 0.0,
        discernibility=sum(int(size) ** 2 for size in sizes) + hidden * source.rows,
        targets=tuple(_told(released, source, bound, suppressed, goal) for goal in bound.policy.goals),
    )


def _groups(table: Engine, columns: Sequence[str]) -> Ints:
    encoded = [table.encoded(column) for column in columns]
    key, _ = keys([column.codes for column in encoded], [len(column.domain) for column in encoded], table.rows)
    return np.unique(key, return_inverse=True)[1].astype(np.int64)


def _masked(table: Engine, bound: Bound) -> Flags:
    """Return which rows are suppressed: they tell nothing on any column that may change.

    Where none was (disclosure, rows that are removed, a cut that hides everything), such rows are a group like others.
    """
    if table.suppressed > 0 and bound.policy.method != "disclosure":
        return masked(table, bound)
    return np.zeros(table.rows, dtype=np.bool_)


def masked(table: Engine, bound: Bound) -> Flags:
    """Return which rows tell nothing on any column that may change."""
    hidden = np.full(table.rows, bool(bound.changeable))
    for column in bound.changeable:
        encoded = table.encoded(column)
        hidden &= np.array([text == bound.policy.marker for text in encoded.domain], dtype=np.bool_)[encoded.codes]
    return hidden


def _told(released: Engine, source: Engine, bound: Bound, suppressed: Flags, goal: Classify | Regress) -> Told:
    seen = [column for column in bound.changeable if goal.inputs is None or column in goal.inputs]
    judge = _Classes(source, goal) if isinstance(goal, Classify) else _Spread(source, bound, goal)
    none, everybody = np.zeros(source.rows, dtype=np.bool_), np.zeros(source.rows, dtype=np.int64)
    return Told(
        target=goal.target,
        measure="CM" if isinstance(goal, Classify) else "RM",
        released=judge.measure(released, _groups(released, seen), suppressed),
        original=judge.measure(source, _groups(source, seen), none),
        nothing=judge.measure(source, everybody, none),
        costs=isinstance(goal, Classify) and goal.costs is not None,
    )


class _Classes:
    """Mistakes about a class."""

    def __init__(self, source: Engine, goal: Classify) -> None:
        self.goal = goal
        encoded = source.encoded(goal.target)
        self.domain, self.total = encoded.domain, max(source.rows, 1)
        self.rows = np.bincount(encoded.codes, minlength=len(self.domain))
        self.costs: Floats | None = None
        if goal.costs is not None:
            lines = [[float(goal.costs.cost(one, other)) for other in self.domain] for one in self.domain]
            self.costs = np.array(lines)

    def measure(self, table: Engine, groups: Ints, suppressed: Flags) -> float:
        """Return the mean cost of a row; one whose class is not told (a confidential cell) costs as if left out."""
        encoded = table.encoded(self.goal.target)
        place = {value: code for code, value in enumerate(self.domain)}
        codes = np.array([place.get(value, -1) for value in encoded.domain], dtype=np.int64)[encoded.codes]
        told = codes >= 0
        codes, groups, suppressed = codes[told], groups[told], suppressed[told]
        removed = self.rows - np.bincount(codes, minlength=len(self.domain))
        cost = self._mistakes(groups[~suppressed], codes[~suppressed])
        if self.goal.suppressed == "group":
            cost += self._mistakes(np.zeros(int(suppressed.sum()), dtype=np.int64), codes[suppressed])
            gone = removed
        else:
            gone = removed + np.bincount(codes[suppressed], minlength=len(self.domain))
        return (cost + float(gone @ self._each())) / self.total

    def _each(self) -> Floats:
        """Return what a row of each class costs when it is left out."""
        if self.goal.suppressed == "dearest" and self.costs is not None:
            return np.asarray(self.costs.max(axis=1))
        no_mistake = self.goal.suppressed == "dearest" and len(self.domain) == 1
        return np.full(len(self.domain), 0.0 if no_mistake else 1.0)

    def _mistakes(self, groups: Ints, codes: Ints) -> float:
        labels = len(self.domain)
        pairs, counts = np.unique(groups * labels + codes, return_counts=True)
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


class _Spread:
    """Distances of numbers from the centres of their groups."""

    def __init__(self, source: Engine, bound: Bound, goal: Regress) -> None:
        self.goal = goal
        self.scale = bound.policy.column(goal.target).scale or Numbers()
        self.middle, self.widest = _extent([self.scale.read(value) for value in source.encoded(goal.target).domain])
        y = self._numbers(source)
        known = ~np.isnan(y)
        self.centre = 0.0
        if known.any():
            self.centre = float(np.mean(y[known])) if goal.by == "variance" else _middle(y[known])
        self.whole = float(self._far(y[known], self.centre).sum())

    def measure(self, table: Engine, groups: Ints, suppressed: Flags) -> float:
        """Return the spread inside the groups beside the spread of all rows."""
        y = self._numbers(table)
        known = ~np.isnan(y)
        kept = known & ~suppressed
        inside = self._inside(y[kept], groups[kept])
        removed = self.whole - float(self._far(y[known], self.centre).sum())
        gone = y[known & suppressed]
        if self.goal.suppressed == "group":
            inside += self._inside(gone, np.zeros(len(gone), dtype=np.int64))
        else:
            inside += float(self._far(gone, self.centre).sum())
        return (inside + max(removed, 0.0)) / self.whole if self.whole else 0.0

    def _numbers(self, table: Engine) -> Floats:
        """Return the numbers between -2 and 2, so that squares of huge or tiny ones, and of near ones, are told."""
        encoded = table.encoded(self.goal.target)
        read = [self.scale.read(value) for value in encoded.domain]
        near = [np.nan if number is None else float((number - self.middle) / self.widest) for number in read]
        return np.array(near)[encoded.codes]

    def _far(self, y: Floats, centre: float | Floats) -> Floats:
        return np.asarray((y - centre) ** 2 if self.goal.by == "variance" else np.abs(y - centre))

    def _inside(self, y: Floats, groups: Ints) -> float:
        if not len(y):
            return 0.0
        order = np.lexsort((y, groups))
        y, groups = y[order], np.unique(groups[order], return_inverse=True)[1]
        rows = np.bincount(groups)
        if self.goal.by == "variance":
            centre = np.bincount(groups, weights=y) / rows
        else:
            centre = y[np.cumsum(rows) - rows + (rows - 1) // 2]
        return float(self._far(y, centre[groups]).sum())


def _extent(numbers: Sequence[Decimal | None]) -> tuple[Decimal, Decimal]:
    """Return one of the numbers, about the middle of them, and about how far the others are from it (a power of 2)."""
    told = sorted(number for number in numbers if number is not None)
    middle = told[len(told) // 2] if told else Decimal(0)
    widest = max((abs(number - middle) for number in told), default=Decimal(0)) or Decimal(1)
    return middle, Decimal(2) ** round(widest.log10() / Decimal(2).log10())


def _middle(y: Floats) -> float:
    return float(np.sort(y)[(len(y) - 1) // 2])

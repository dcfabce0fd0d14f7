"""What a release is to predict, in whole numbers: what each group of rows costs its users.

A `CutTarget` counts things of each collapsed row (its fields, which add up over rows) and says what a group with some
sums of them costs: rows that are not of the majority class (CM), mistakes by a cost matrix, squared distances from
the mean or distances from the median (RM). Costs are whole numbers in a unit of the target's own, so that searches
compare exactly and repeat on every machine; `whole` such units are the measure 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from discreet.encoded import Ints

MAJORITY, COSTS, SQUARES, DISTANCES = range(4)
"""Kinds of targets; what `TargetShape.params` holds of each is said in `target_cost`."""
LARGEST = 2**60
"""The costs of all rows together stay below this."""
LARGEST_OF_SEVERAL = 2**38
"""The same where several targets are added up by their weights."""
MOST_LEVELS = 64
"""Different numbers that are told apart where distances from the median count; more are put together."""


@dataclass(frozen=True, eq=False)
class CutTarget:
    """One thing to be predicted."""

    kind: int
    fields: Ints
    """What is counted of each collapsed row (first axis)."""
    params: Ints
    gone: Ints
    """What a row that is left out costs, for each unit of each field."""
    whole: int
    """The cost that is the measure 1."""
    most: int
    """No cut costs more than this."""
    columns: tuple[int, ...]
    """The changeable columns it is predicted from."""
    own_group: bool = False
    """Whether rows left out are a group like any other; `gone` is then only about right."""


class TargetShape(NamedTuple):
    """All targets of a problem, as the kernels take them."""

    kinds: Ints
    begins: Ints
    """Where the fields of each target begin, and where the last ones end."""
    at: Ints
    """Where the params of each begin."""
    params: Ints
    gone: Ints


def shape_of(targets: Sequence[CutTarget]) -> TargetShape:
    """Return the targets side by side."""
    nothing = [np.zeros(0, dtype=np.int64)]
    return TargetShape(
        np.array([target.kind for target in targets], dtype=np.int64),
        np.cumsum([0, *(target.fields.shape[1] for target in targets)], dtype=np.int64),
        np.cumsum([0, *(len(target.params) for target in targets)], dtype=np.int64),
        np.concatenate([*nothing, *(target.params for target in targets)]),
        np.concatenate([*nothing, *(target.gone for target in targets)]),
    )


def fields_of(targets: Sequence[CutTarget], rows: int) -> Ints:
    """Return the fields of all targets side by side."""
    return np.ascontiguousarray(np.concatenate([np.zeros((rows, 0), dtype=np.int64), *(t.fields for t in targets)], 1))


def classes(
    counts: Ints,
    columns: tuple[int, ...],
    costs: Sequence[Sequence[Fraction]] | None = None,
    *,
    suppressed: str = "one",
    largest: int = LARGEST,
) -> CutTarget:
    """Return the target of predicting a class, from the rows of each class (second axis) of each collapsed row.

    `costs` says what it costs that a row of a class (first axis) is taken for one of another; 1 for each mistake when
    absent. A row left out costs 1, or what the `dearest` mistake about it costs, or those rows are a `group`.
    """
    labels, total = counts.shape[1], max(int(counts.sum()), 1)
    mistakes = [Fraction(1)] if costs is None else [cost for line in costs for cost in line]
    unit = Fraction(math.lcm(*(cost.denominator for cost in mistakes)))
    dearest = max([Fraction(1), *mistakes])
    if unit * dearest * total >= largest:
        unit = Fraction(largest - 1) / (dearest * total)
    params: Ints = np.zeros(0, dtype=np.int64)
    if costs is not None:
        found = [[round(cost * unit) for cost in line] for line in costs]
        params = np.array(found, dtype=np.int64).reshape(labels, labels)
    gone = np.full(labels, round(unit), dtype=np.int64)
    if suppressed == "dearest":
        gone = gone * (labels > 1) if costs is None else params.max(axis=1, initial=0)
    elif suppressed == "group" and labels:
        usual = np.flatnonzero(counts.sum(axis=0) == counts.sum(axis=0).max(initial=0))
        if costs is None:
            gone[usual[0]] = 0
        else:
            gone = params[:, min(usual.tolist(), key=lambda one: int(params[:, one] @ counts.sum(axis=0)))]
    return CutTarget(
        kind=MAJORITY if costs is None else COSTS,
        fields=counts,
        params=params.ravel(),
        gone=gone,
        whole=max(round(unit * total), 1),
        most=round(unit * dearest) * total,
        columns=columns,
        own_group=suppressed == "group",
    )


def numbers(
    values: Sequence[Fraction],
    code: Ints,
    counts: Ints,
    collapse: Callable[[Ints], Ints],
    columns: tuple[int, ...],
    *,
    by: str = "variance",
    suppressed: str = "all",
    largest: int = LARGEST,
) -> CutTarget:
    """Return the target of predicting a number: so many rows (`counts`) have the value with this `code`, -1 for none.

    `collapse` sums what is said of such rows over each collapsed row. By `variance` squared distances from the mean
    of the group count, by `median` distances from its median. A row left out is measured from the centre of `all`
    rows, or those rows are a `group`. Numbers are rounded where their sums would be too large.
    """
    rank = sorted(range(len(values)), key=values.__getitem__)
    ordered = [values[place] for place in rank]
    place_of = np.append(np.argsort(rank, kind="stable"), -1).astype(np.int64)  # -1 stays
    code = place_of[code]
    known = np.where(code >= 0, counts, 0)
    rows = _by_code(code, known, len(values))
    total = int(rows.sum())
    centre = _mean(ordered, rows) if by == "variance" else _median(ordered, rows)
    power = 2 if by == "variance" else 1
    units = _whole_numbers([value - centre for value in ordered], largest // max(total, 1) // 4, power)
    group = suppressed == "group"
    if by == "variance":
        each = np.append(units, 0)[code]
        fields = np.stack([collapse(known), collapse(known * each), collapse(known * each * each)], axis=1)
        n, s, squares = (int(figure) for figure in fields.sum(axis=0))
        whole = squares - s * s // max(n, 1)
        gone = np.array([0, 0, 1], dtype=np.int64)  # from the mean of all, which is at 0 but for rounding
        return CutTarget(SQUARES, fields, np.zeros(0, dtype=np.int64), gone, max(whole, 1), squares + 1, columns, group)
    level = np.arange(len(units))
    if len(units) > MOST_LEVELS:
        level, units = _levels(units, rows)
    level = np.append(level, -1)[code]
    found = [collapse(np.where(level == one, known, 0)) for one in range(len(units))]
    fields = np.stack(found, axis=1) if found else np.zeros((len(collapse(known)), 0), dtype=np.int64)
    gone = np.abs(units)
    whole = int(gone @ fields.sum(axis=0))
    return CutTarget(DISTANCES, fields, units, gone, max(whole, 1), whole + 1, columns, group)


def _by_code(code: Ints, counts: Ints, size: int) -> Ints:
    found = np.zeros(size + 1, dtype=np.int64)
    np.add.at(found, code, counts)
    return found[:-1]


def _mean(values: Sequence[Fraction], rows: Ints) -> Fraction:
    total = sum((value * int(n) for value, n in zip(values, rows, strict=True)), Fraction(0))
    return total / max(int(rows.sum()), 1)


def _median(values: Sequence[Fraction], rows: Ints) -> Fraction:
    """Return the middle one of ascending values, the lower one of two; 0 where no row has any."""
    total = int(rows.sum())
    return values[int(np.searchsorted(np.cumsum(rows), (total + 1) // 2))] if total else Fraction(0)


def _whole_numbers(away: Sequence[Fraction], largest: int, power: int) -> Ints:
    """Return the distances in as small a unit as keeps each to the `power` below `largest`, exact if that can be.

    Means are rounded to units, so they should be small.
    """
    widest = max((abs(one) for one in away), default=Fraction(0)) or Fraction(1)
    most = Fraction(math.isqrt(largest) if power == 2 else largest) / widest
    common = math.lcm(*(one.denominator for one in away))
    unit = common * (most // common) or most
    return np.array([round(one * unit) for one in away], dtype=np.int64)


def _levels(units: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Return of each value which of a few levels (of about as many rows) it is on, and the number of each level."""
    before = np.cumsum(rows) - rows
    level = np.unique((before * MOST_LEVELS) // max(int(rows.sum()), 1), return_inverse=True)[1].astype(np.int64)
    found = [
        int(_median([Fraction(int(one)) for one in units[level == place]], rows[level == place]))
        for place in range(int(level.max()) + 1)
    ]
    return level, np.array(found, dtype=np.int64)

"""What a release is to predict, in whole numbers: what each group of rows costs its users.

A `CutTarget` counts things of each collapsed row (its fields, which add up over rows) and says what a group with some
sums of them costs: rows that are not of the majority class (CM), mistakes by a cost matrix, squared distances from
the mean or distances from the median (RM). With very many classes nearly all fields would be 0: such a target has
`pairs` (see `class_pairs`) and no fields. Where columns that go out as they are tell of the target, a group costs what
these leave open and the group does not tell either. Costs are whole numbers in a unit of the target's own, so that
searches compare exactly and repeat on every machine; `whole` such units are the measure 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from discreet.encoded import Ints
from discreet.method.base.class_pairs import ClassPairs, joined

MAJORITY, COSTS, SQUARES, DISTANCES, GUESSED = range(5)
"""Kinds of targets; what `TargetShape.params` holds of each is said in `target_cost`."""
LARGEST = 2**60
"""The costs of all rows together stay below this."""
LARGEST_OF_SEVERAL = 2**38
"""The same where several targets are added up by their weights."""
MOST_LEVELS = 64
"""Different numbers that are told apart where distances from the median count; more are put together."""
OVERRULES = 5
"""So many mistakes a group has to save to overrule what its rows are taken for already: fewer are chance."""


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
    pairs: ClassPairs | None = None
    """The rows of each class of each collapsed row, in the place of fields: one for each class otherwise."""

    @property
    def sums(self) -> Ints:
        """What is counted of all rows: by field, or by class."""
        return np.asarray(self.fields.sum(axis=0)) if self.pairs is None else self.pairs.of_all()

    def of_rows(self, rows: Ints) -> CutTarget:
        """Return the target of some collapsed rows."""
        return replace(self, fields=self.fields[rows], pairs=self.pairs and self.pairs.of_rows(rows))

    def with_more(self, rows: int) -> CutTarget:
        """Return the target with so many rows behind that count for nothing."""
        fields = np.concatenate((self.fields, np.zeros((rows, self.fields.shape[1]), np.int64)))
        return replace(self, fields=fields, pairs=self.pairs and self.pairs.with_more(rows))

    def with_fields(self) -> CutTarget:
        """Return the same target with a field for each class, for searches that know no pairs."""
        return self if self.pairs is None else replace(self, fields=self.pairs.table(), pairs=None)


class PairShape(NamedTuple):
    """All targets with pairs, as the kernels take them."""

    pairs: ClassPairs
    """Of all these targets, one after the other."""
    first: Ints
    """By target: its first class, and where the last ones end; a target with fields has none."""
    target: Ints
    """By class: which target it is of."""
    gone: Ints
    """By class: what a row of it costs that is left out."""


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
        np.concatenate([*nothing, *(target.gone for target in targets if target.pairs is None)]),
    )


def pairs_of_targets(targets: Sequence[CutTarget]) -> PairShape | None:
    """Return the targets with pairs side by side; None where there is none."""
    sizes = [0 if target.pairs is None else target.pairs.size for target in targets]
    found = [target.pairs for target in targets if target.pairs is not None]
    if not found:
        return None
    gone = np.concatenate([target.gone for target in targets if target.pairs is not None])
    return PairShape(joined(found), np.cumsum([0, *sizes]), np.repeat(np.arange(len(sizes)), sizes), gone)


def fields_of(targets: Sequence[CutTarget], rows: int) -> Ints:
    """Return the fields of all targets side by side."""
    return np.ascontiguousarray(np.concatenate([np.zeros((rows, 0), dtype=np.int64), *(t.fields for t in targets)], 1))


class Mistakes(NamedTuple):
    """What mistakes cost, in units."""

    one: int
    """A mistake that nobody said a cost for."""
    matrix: Ints
    """What it costs to take a row of a class (first axis) for another; empty where each mistake costs the same."""
    dearest: int
    whole: int


def _mistakes(costs: Sequence[Sequence[Fraction]] | None, labels: int, rows: int, largest: int) -> Mistakes:
    """Return the costs in the smallest common unit, rounded where sums over so many rows would be too large."""
    total = max(rows, 1)
    mistakes = [Fraction(1)] if costs is None else [cost for line in costs for cost in line]
    unit = Fraction(math.lcm(*(cost.denominator for cost in mistakes)))
    dearest = max([Fraction(1), *mistakes])
    if unit * dearest * total >= largest:
        unit = Fraction(largest - 1) / (dearest * total)
    matrix: Ints = np.zeros((0, 0), dtype=np.int64)
    if costs is not None:
        found = [[round(cost * unit) for cost in line] for line in costs]
        matrix = np.array(found, dtype=np.int64).reshape(labels, labels)
    return Mistakes(round(unit), matrix, round(unit * dearest), max(round(unit * total), 1))


def _left_out(mistakes: Mistakes, labels: int, suppressed: str) -> Ints:
    """Return what a row of each class costs that is left out: one mistake, or the dearest."""
    if suppressed != "dearest":
        return np.full(labels, mistakes.one, dtype=np.int64)
    if len(mistakes.matrix):
        return np.asarray(mistakes.matrix.max(axis=1, initial=0))
    return np.full(labels, mistakes.one * (labels > 1), dtype=np.int64)


def classes(
    counts: Ints | ClassPairs,
    columns: tuple[int, ...],
    costs: Sequence[Sequence[Fraction]] | None = None,
    *,
    suppressed: str = "one",
    largest: int = LARGEST,
) -> CutTarget:
    """Return the target of predicting a class, from the rows of each class (second axis) of each collapsed row.

    Pairs will do where every mistake costs the same. `costs` says what it costs that a row of a class (first axis) is
    taken for one of another; 1 for each mistake when absent. A row left out costs 1, or what the `dearest` mistake
    about it costs, or those rows are a `group`.
    """
    pairs = counts if isinstance(counts, ClassPairs) else None
    of_all = counts.of_all() if isinstance(counts, ClassPairs) else counts.sum(axis=0)
    fields = counts if not isinstance(counts, ClassPairs) else np.zeros((counts.rows, 0), dtype=np.int64)
    labels, total = len(of_all), max(int(of_all.sum()), 1)
    mistakes = _mistakes(costs, labels, total, largest)
    gone = _left_out(mistakes, labels, suppressed)
    if suppressed == "group" and labels:
        usual = np.flatnonzero(of_all == of_all.max(initial=0))
        if costs is None:
            gone[usual[0]] = 0
        else:
            params = mistakes.matrix
            gone = params[:, min(usual.tolist(), key=lambda one: int(params[:, one] @ of_all))]
    return CutTarget(
        kind=MAJORITY if costs is None else COSTS,
        fields=fields,
        params=mistakes.matrix.ravel(),
        gone=gone,
        whole=mistakes.whole,
        most=mistakes.dearest * total,
        columns=columns,
        own_group=suppressed == "group",
        pairs=pairs,
    )


@dataclass(frozen=True)
class GuessedRows:
    """Rows of a class that are taken for one already, line by line."""

    row: Ints
    """The collapsed row that they are of."""
    true: Ints
    guess: Ints
    level: Ints
    """How sure the guess is, and which: groups are judged by each level."""
    rows: Ints


def guessed_classes(
    lines: GuessedRows,
    shape: tuple[int, int, int],
    columns: tuple[int, ...],
    costs: Sequence[Sequence[Fraction]] | None = None,
    *,
    suppressed: str = "beside",
    largest: int = LARGEST,
) -> CutTarget:
    """Return the target of predicting a class of rows that are guessed already; see `overruled` for what groups cost.

    `shape` is how many collapsed rows, levels and classes there are. A row left out costs what its guess costs, or as
    `suppressed` says of `classes`. Of each level the fields are what its guesses cost, and the rows of each class.
    """
    collapsed, levels, labels = shape
    total = int(lines.rows.sum())
    mistakes = _mistakes(costs, labels, total, largest)
    each = np.where(lines.true == lines.guess, 0, mistakes.one)
    if len(mistakes.matrix):
        each = mistakes.matrix[lines.true, lines.guess]
    fields = np.zeros((collapsed, levels * (labels + 1)), dtype=np.int64)
    first = lines.level * (labels + 1)
    np.add.at(fields, (lines.row, first), lines.rows * each)
    np.add.at(fields, (lines.row, first + 1 + lines.true), lines.rows)
    gone = np.zeros(labels + 1, dtype=np.int64)
    if suppressed in ("one", "dearest"):
        gone[1:] = _left_out(mistakes, labels, suppressed)
    else:
        gone[0] = 1
    one = -1 if len(mistakes.matrix) else mistakes.one
    head = np.array([labels, OVERRULES * mistakes.one, one], dtype=np.int64)
    return CutTarget(
        kind=GUESSED,
        fields=fields,
        params=np.concatenate([head, mistakes.matrix.ravel()]),
        gone=np.tile(gone, levels),
        whole=mistakes.whole,
        most=mistakes.dearest * max(total, 1),
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
    guesses: tuple[Sequence[Fraction], Ints] | None = None,
) -> CutTarget:
    """Return the target of predicting a number: so many rows (`counts`) have the value with this `code`, -1 for none.

    `collapse` sums what is said of such rows over each collapsed row. By `variance` squared distances from the mean
    of the group count, by `median` distances from its median. A row left out is measured from the centre of `all`
    rows, or those rows are a `group`. Numbers are rounded where their sums would be too large. With `guesses`, numbers
    and which of them each such row is taken for already, only what is left beyond the guess counts: `suppressed` may
    then be `beside`, and a row left out is measured from its guess.
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
    room = largest // max(total, 1) // (4 if guesses is None else 16)
    away = [value - centre for value in (*ordered, *(guesses[0] if guesses is not None else ()))]
    units = _whole_numbers(away, room, power)
    far = np.append(units[: len(values)], 0)[code]
    """How far each row is from the centre of all."""
    each = far if guesses is None else np.where(code >= 0, far - units[len(values) :][guesses[1]], 0)
    if by == "variance":
        fields = [collapse(known), collapse(known * each), collapse(known * each * each)]
        if guesses is not None:
            fields.append(collapse(known * far * far))
        return _squares(np.stack(fields, axis=1), columns, suppressed)
    return _distances(each, far, known, collapse, columns, suppressed, apart=guesses is not None)


def _squares(fields: Ints, columns: tuple[int, ...], suppressed: str) -> CutTarget:
    """Return the target of squares: rows, sums, sums of squares, and where it differs squares from the centre of all.

    The centre of all is the mean, which is at 0 but for rounding.
    """
    n, squares = int(fields[:, 0].sum()), int(fields[:, -1].sum())
    s = int(fields[:, 1].sum()) if fields.shape[1] == 3 else 0
    whole = squares - s * s // max(n, 1)
    gone = np.zeros(fields.shape[1], dtype=np.int64)
    gone[2 if suppressed == "beside" else -1] = 1
    most = max(squares, int(fields[:, 2].sum())) + 1
    nothing: Ints = np.zeros(0, dtype=np.int64)
    return CutTarget(SQUARES, fields, nothing, gone, max(whole, 1), most, columns, suppressed == "group")


def _distances(
    each: Ints,
    far: Ints,
    known: Ints,
    collapse: Callable[[Ints], Ints],
    columns: tuple[int, ...],
    suppressed: str,
    *,
    apart: bool,
) -> CutTarget:
    """Return the target of distances: rows of each level, and where they stand `apart` distances from the centre."""
    units, level = np.unique(each[known > 0], return_inverse=True)
    rows = np.bincount(level, weights=known[known > 0], minlength=len(units)).astype(np.int64)
    if len(units) > MOST_LEVELS:
        few, units = _levels(units, rows)
        level = few[level]
    place = np.full(len(each), -1, dtype=np.int64)
    place[known > 0] = level
    found = [collapse(np.where(place == one, known, 0)) for one in range(len(units))]
    gone, whole = np.abs(units), 0
    if apart:
        found.append(collapse(known * np.abs(far)))
        gone = np.append(gone if suppressed == "beside" else 0 * gone, int(suppressed != "beside"))
        whole = int(found[-1].sum())
    fields = np.stack(found, axis=1) if found else np.zeros((len(collapse(known)), 0), dtype=np.int64)
    usual = int(np.abs(units) @ fields[:, : len(units)].sum(axis=0))
    most = max(whole, usual) + 1
    group = suppressed == "group"
    return CutTarget(DISTANCES, fields, units, gone, max(whole if apart else usual, 1), most, columns, group)


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

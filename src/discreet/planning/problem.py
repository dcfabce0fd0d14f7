"""From a bound policy and counted combinations to the numbers that a group method works on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from discreet.common.stable_order import numbered
from discreet.encoded import Codes, Combinations, Ints, keys, regroup
from discreet.errors import Problem
from discreet.method.base import targets
from discreet.method.base.class_pairs import ClassPairs, pairs_of
from discreet.method.base.gain import Counted
from discreet.method.base.problem import ColumnCounts, CutProblem, GroupProblem, GroupTable
from discreet.method.base.targets import CutTarget
from discreet.planning.changeable import Changeable
from discreet.planning.limits import limits_of, sums, unknown_rows
from discreet.planning.populations import people_table, with_people
from discreet.planning.uses import Collapsing, Tallies, cut_target, tallies
from discreet.policy import GroupPromise, Policy
from discreet.policy.bind import Bound
from discreet.policy.populations import Population

MOST_IN_A_TABLE = 50_000_000
"""Numbers in the table of rows and classes of an exact search or of local recoding: some 32 bytes for each."""


def group_problem(
    bound: Bound, columns: Sequence[Changeable], promises: Sequence[GroupPromise], counted: Combinations
) -> GroupProblem:
    """Return the job of keeping `promises` (named by their positions) on the counted combinations."""
    codes = {column.name: column.codes for column in columns}
    sizes = {column.name: column.space.size for column in columns}
    counted = _recoded(counted, codes, sizes)
    tables, known = [], []
    for numbers, unknown in _knowing_alike(bound, promises, counted):
        if promises[numbers[0]].among is not None:
            table, own = people_table(bound, columns, promises, numbers, counted)
            tables.append(table)
            known.append(own)
            continue
        rows = counted if unknown is None else _only(counted, ~unknown)
        given = [column for column in bound.columns if column in promises[numbers[0]].given]
        width = [sizes.get(column, len(counted.domain(column))) for column in given]
        key, _ = keys([rows.code(column) for column in given], width, len(rows.counts))
        order, starts, _ = regroup(key)
        table = _table(bound, promises, numbers, rows, rows.counts, order, starts)
        tables.append(table)
        known.append(_codes([bound.changeable[place] for place in table.columns], sizes, rows, order[starts]))
    per_row = tallies(bound, counted)
    return GroupProblem(
        int(counted.counts.sum()),
        tuple(_column_counts(bound, column, counted, per_row) for column in columns),
        tuple(tables),
        tuple(known),
    )


def _knowing_alike(
    bound: Bound, promises: Sequence[GroupPromise], counted: Combinations
) -> Iterator[tuple[list[int], npt.NDArray[np.bool_] | None]]:
    """Yield the numbers of promises about the same columns and rows, and which rows these are not (None: all are)."""
    unknown = {column: unknown_rows(bound, counted, column) for column in bound.policy.sensitive}
    alike: dict[tuple[frozenset[str], str | None, Population | None], list[int]] = {}
    for number, promise in enumerate(promises):
        # Other rows are known of each sensitive column with unknown values; all rows are somebody's.
        column = promise.column if promise.known_only else None
        apart = column if column is not None and unknown[column].any() else None
        alike.setdefault((frozenset(promise.given), apart, promise.among), []).append(number)
    for (_, apart, _), numbers in alike.items():
        yield numbers, None if apart is None else unknown[apart]


def _table(
    bound: Bound,
    promises: Sequence[GroupPromise],
    numbers: Sequence[int],
    counted: Combinations,
    counts: Ints,
    order: Ints,
    starts: Ints,
) -> GroupTable:
    """Return what promises that know the same columns ask of the collapsed rows (see `collapsed`)."""
    given, first = promises[numbers[0]].given, order[starts]
    fixed = [column for column in bound.fixed if column in given]
    fixed_width = [len(counted.domain(column)) for column in fixed]
    fixed_key, _ = keys([counted.code(column)[first] for column in fixed], fixed_width, len(first))
    hits, limits = limits_of(bound, promises, numbers, counted, order, starts)
    return GroupTable(
        columns=tuple(place for place, column in enumerate(bound.changeable) if column in given),
        fixed=fixed_key,
        sizes=sums(counts[order], starts),
        hits=hits,
        limits=limits,
    )


def _codes(names: Sequence[str], sizes: dict[str, int], counted: Combinations, first: Ints) -> Codes:
    """Return the codes of columns in some rows, as narrow as they can be."""
    widest = max((sizes[name] for name in names), default=0)
    codes = np.empty((len(names), len(first)), dtype=np.uint16 if widest <= 2**16 else np.uint32)
    for place, name in enumerate(names):
        codes[place] = counted.code(name)[first]
    return codes


def _recoded(counted: Combinations, codes: dict[str, Ints], sizes: dict[str, int]) -> Combinations:
    """Return the combinations with the codes of the columns' spaces."""
    other = [name for name, code in codes.items() if not np.array_equal(code, np.arange(sizes[name]))]
    if not other:
        return counted  # and what was counted of it stays
    new = [
        codes[name].astype(np.uint32)[code] if name in other else code
        for name, code in zip(counted.columns, counted.codes, strict=True)
    ]
    return replace(counted, codes=tuple(new))


def _only(counted: Combinations, kept: npt.NDArray[np.bool_]) -> Combinations:
    return replace(counted, codes=tuple(codes[kept] for codes in counted.codes), counts=counted.counts[kept])


def _column_counts(bound: Bound, column: Changeable, counted: Combinations, per_row: Counted) -> ColumnCounts:
    space = column.space
    code = counted.code(column.name)
    rows = _rows_of(counted, column.name, space.size)
    pairs = None
    if isinstance(per_row, ClassPairs):
        pairs = pairs_of(code.astype(np.int64), per_row.classes, per_row.counts, space.size, per_row.size)
    summed = rows.reshape(-1, 1) if isinstance(per_row, ClassPairs) else _by_code(code, per_row, space.size)
    inputs = bound.policy.inputs
    useful = inputs is None or column.name in inputs
    return ColumnCounts(space, rows, summed, column.pinned, useful, bound.policy.column(column.name).weight, pairs)


def _rows_of(counted: Combinations, column: str, size: int) -> Ints:
    """Return the rows of each code of a column; its space may have codes that occur nowhere."""
    if len(counted.domain(column)) == size:
        return counted.rows(column)
    rows: Ints = _by_code(counted.code(column), counted.counts.reshape(-1, 1), size)[:, 0]
    return rows


def _by_code(code: npt.NDArray[np.unsignedinteger], figures: Tallies, size: int) -> npt.NDArray[Any]:
    """Return the sums of the figures of each code."""
    sums: npt.NDArray[Any] = np.zeros((figures.shape[1], size), dtype=figures.dtype)
    for own, figure in zip(sums, figures.T, strict=True):
        np.add.at(own, code, figure)
    return sums.T


def collapsed(bound: Bound, columns: Sequence[Changeable], counted: Combinations) -> tuple[Combinations, Ints, Ints]:
    """Return the combinations by the codes of the spaces, and in which order those stand together that are alike.

    Where each collapsed row begins in that order comes third. Alike are those with equal changeable and fixed columns.
    """
    sizes = {column.name: column.space.size for column in columns}
    counted = _recoded(counted, {column.name: column.codes for column in columns}, sizes)
    names = (*bound.changeable, *bound.fixed)
    width = [sizes.get(name, len(counted.domain(name))) for name in names]
    key, _ = keys([counted.code(name) for name in names], width, len(counted.counts))
    order, starts, _ = regroup(key)
    return counted, order, starts


def room_for_classes(policy: Policy, rows: int, classes: int) -> Iterator[Problem]:
    """Yield that a table of so many classes in so many rows is too large; other searches over cuts need none."""
    if rows * classes > MOST_IN_A_TABLE:
        who, option, instead = "an exact search", "search", "search: coordinate"
        if policy.is_local:
            who, option, instead = "local recoding", "recoding", "recoding: global"
        message = (
            f"{who} counts each class in all rows that differ, and {classes:,} classes in {rows:,} rows are "
            f"more than the {MOST_IN_A_TABLE:,} numbers that it makes room for; write {instead}"
        )
        yield policy.problem((option,), message)


def cut_problem(
    bound: Bound, columns: Sequence[Changeable], promises: Sequence[GroupPromise], counted: Combinations
) -> CutProblem:
    """Return the job of keeping `promises` by one cut of all changeable columns."""
    counted, order, starts = collapsed(bound, columns, counted)
    first = order[starts]
    tables, people = [], []
    for numbers, unknown in _knowing_alike(bound, promises, counted):
        if promises[numbers[0]].among is not None:
            people.append(numbers)
            continue
        counts = counted.counts if unknown is None else np.where(unknown, 0, counted.counts)
        table = _table(bound, promises, numbers, counted, counts, order, starts)
        tables.append(replace(table, fixed=numbered(table.fixed)[1]))
    codes = np.empty((len(columns), len(first)), dtype=np.int32)
    for place, column in enumerate(columns):
        codes[place] = counted.code(column.name)[first]
    problem = CutProblem(
        total=int(counted.counts.sum()),
        columns=tuple(_column_counts(bound, column, counted, counted.counts.reshape(-1, 1)) for column in columns),
        codes=codes,
        sizes=sums(counted.counts[order], starts),
        targets=tuple(_targets(bound, counted, order, starts)),
        tables=tuple(tables),
    )
    for numbers in people:
        problem = with_people(problem, bound, columns, promises, numbers, counted, first)
    return problem


def _targets(bound: Bound, counted: Combinations, order: Ints, starts: Ints) -> Iterator[CutTarget]:
    """Yield what each use that predicts something counts of the collapsed rows."""
    alone = len(bound.policy.uses) == 1 and not bound.policy.is_local
    largest = targets.LARGEST if alone else targets.LARGEST_OF_SEVERAL

    def collapse(figures: Ints) -> Ints:
        return np.add.reduceat(figures[order], starts, axis=0) if len(starts) else figures[:0]

    row = np.empty(len(order), dtype=np.int64)
    row[order] = np.repeat(np.arange(len(starts), dtype=np.int64), np.diff(np.append(starts, len(order))))

    def by_value(code: Codes, counts: Ints, size: int) -> Ints:
        # Of collapsed rows at once: with thousands of classes, a table of all combinations is too large.
        found = np.zeros(len(starts) * size, dtype=np.int64)
        np.add.at(found, row * size + code, counts)
        return found.reshape(len(starts), size)

    def pairs_by_value(code: Codes, counts: Ints, size: int) -> ClassPairs:
        return pairs_of(row[order], code[order], counts[order], len(starts), size)

    for goal in bound.policy.goals:
        seen = tuple(place for place, name in enumerate(bound.changeable) if goal.sees(name))
        collapsing = Collapsing(bound, counted, collapse, by_value, pairs_by_value, row, len(starts), seen, largest)
        yield cut_target(collapsing, goal)

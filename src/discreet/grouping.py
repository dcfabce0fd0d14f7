"""From a bound policy and counted combinations to the numbers that a group method works on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from discreet.measure.gain import ColumnCounts
from discreet.method.problem import GroupProblem, GroupTable
from discreet.policy.bind import Bound
from discreet.policy.requirements import Inference
from discreet.table.encode import Combinations, Ints, keys, regroup


def group_problem(bound: Bound, inferences: Sequence[Inference], counted: Combinations) -> GroupProblem:
    """Return the job of keeping `inferences` (named by their positions) on the counted combinations."""
    target = bound.policy.target
    classes = counted.code(target) if target is not None else np.zeros(len(counted.counts), dtype=np.uint8)
    labels = len(counted.domain(target)) if target is not None else 1
    columns = tuple(
        _column_counts(counted, column, classes, labels, bound.policy.marker) for column in bound.changeable
    )
    unknown = {column: _unknown(bound, counted, column) for column in {inference.column for inference in inferences}}
    by_given: dict[tuple[frozenset[str], str | None], list[int]] = {}
    for number, inference in enumerate(inferences):
        apart = inference.column if unknown[inference.column].any() else None  # other rows are known of each column
        by_given.setdefault((frozenset(inference.given), apart), []).append(number)
    tables = []
    for numbers in by_given.values():
        group = [inferences[number] for number in numbers]
        tables.append(_group_table(bound, counted, group, numbers, unknown[group[0].column]))
    return GroupProblem(int(counted.counts.sum()), columns, tuple(tables))


def _only(counted: Combinations, kept: npt.NDArray[np.bool_]) -> Combinations:
    if kept.all():
        return counted
    return replace(counted, codes=tuple(codes[kept] for codes in counted.codes), counts=counted.counts[kept])


def _column_counts(
    counted: Combinations, column: str, classes: npt.NDArray[np.unsignedinteger], labels: int, marker: str
) -> ColumnCounts:
    domain = counted.domain(column)
    table = np.zeros((len(domain), labels), dtype=np.int64)
    np.add.at(table, (counted.code(column), classes), counted.counts)
    pinned = np.array([value == marker for value in domain])
    return ColumnCounts(table.sum(axis=1), table, pinned)


def _unknown(bound: Bound, counted: Combinations, column: str) -> npt.NDArray[np.bool_]:
    """Return which combinations tell nothing about a sensitive column."""
    domain = np.array([bound.policy.is_unknown(value) for value in counted.domain(column)])
    return np.asarray(domain[counted.code(column)])


def _group_table(
    bound: Bound,
    counted: Combinations,
    inferences: Sequence[Inference],
    numbers: Sequence[int],
    unknown: npt.NDArray[np.bool_],
) -> GroupTable:
    counted = _only(counted, ~unknown)
    given = [column for column in bound.columns if column in inferences[0].given]
    rows = len(counted.counts)
    key, _ = keys([counted.code(column) for column in given], [len(counted.domain(c)) for c in given], rows)
    order, starts, _ = regroup(key)
    first = order[starts]
    hits = np.empty((len(inferences), len(starts)), dtype=np.int64)
    for place, inference in enumerate(inferences):
        domain = counted.domain(inference.column)
        has = counted.code(inference.column) == (domain.index(inference.value) if inference.value in domain else -1)
        hits[place] = _sums(np.where(has, counted.counts, 0)[order], starts)
    changeable = [column for column in given if column in bound.changeable]
    fixed = [column for column in given if column not in bound.changeable]
    fixed_key, _ = keys([counted.code(c)[first] for c in fixed], [len(counted.domain(c)) for c in fixed], len(first))
    widest = max((len(counted.domain(column)) for column in changeable), default=0)
    codes = np.empty((len(changeable), len(first)), dtype=np.uint16 if widest <= 2**16 else np.uint32)
    for place, column in enumerate(changeable):
        codes[place] = counted.code(column)[first]
    return GroupTable(
        columns=tuple(bound.changeable.index(column) for column in changeable),
        codes=codes,
        fixed=fixed_key,
        sizes=_sums(counted.counts[order], starts),
        hits=hits,
        limits=tuple(inference.at_most for inference in inferences),
        promises=tuple(numbers),
    )


def _sums(counts: Ints, starts: Ints) -> Ints:
    return np.add.reduceat(counts, starts) if len(starts) else counts[:0]

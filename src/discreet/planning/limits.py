"""The one place where promises about groups become limits for methods: numbers, tallies and how they are compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from discreet.encoded import Combinations, Ints
from discreet.errors import InputError
from discreet.method.base.limits import GroupLimit
from discreet.policy import GroupPromise
from discreet.policy.bind import Bound

MOST_TALLIES = 150_000_000
"""Numbers that are kept of all values in all collapsed rows; searches hold some four times as many."""


def limits_of(
    bound: Bound,
    promises: Sequence[GroupPromise],
    numbers: Sequence[int],
    counted: Combinations,
    order: Ints,
    starts: Ints,
) -> tuple[Ints, tuple[GroupLimit, ...]]:
    """Return the tallies (first axis) of the collapsed rows, and the limits of some promises on them.

    The promises, by their `numbers`, are about the same rows; `order` and `starts` say which combinations make a
    collapsed row. What several promises count is counted once.
    """
    _refuse_many(promises, numbers, counted, len(starts))
    lines: dict[tuple[str, bytes], int] = {}
    tallies: list[Ints] = []
    limits = []
    for number in numbers:
        promise = promises[number]
        wanted = [(promise.column or "", mark) for mark in marks_of(promise, bound, counted)]
        keys = [(column, mark.tobytes()) for column, mark in wanted]
        at = [lines.get(key, -1) for key in keys]
        first = at[0] if at else 0
        if at != list(range(first, first + len(at))) or first < 0:  # not there, or not in this order
            first = len(tallies)
            for (column, mark), key in zip(wanted, keys, strict=True):
                lines.setdefault(key, len(tallies))
                tallies.append(sums(np.where(mark[counted.code(column)], counted.counts, 0)[order], starts))
        limits.append(limit_of(promise, number, first, first + len(wanted)))
    return np.stack(tallies) if tallies else np.zeros((0, len(starts)), dtype=np.int64), tuple(limits)


def _refuse_many(promises: Sequence[GroupPromise], numbers: Sequence[int], counted: Combinations, rows: int) -> None:
    """Refuse a promise that would have to count too many different values in too many different rows."""
    total = int(counted.counts.sum())
    for number in numbers:
        promise = promises[number]
        if (why := promise.too_large(total)) is not None:
            raise InputError(f"protect[{promise.index}]: {why}; release a sample, or the column with fewer values")
        vector = promise.column is not None and promise.measure != "share"
        values = len(counted.domain(promise.column or "")) if vector else 0
        if values * rows > MOST_TALLIES:
            raise InputError(
                f"protect[{promise.index}]: {promise.column!r} has {values} different values, too many to count in "
                f"{rows} different rows; release it with fewer (years instead of days, classes instead of amounts)"
            )


def limit_of(promise: GroupPromise, number: int, first: int, stop: int) -> GroupLimit:
    """Return a promise as methods see it."""
    return GroupLimit(
        number, promise.at_most, promise.measure, first, stop, promise.needs_rows,
        promise.figure, promise.lacking, promise.lacking_by_lot, promise.helping, promise.numbers, promise.decides,
    )  # fmt: skip


def people_limit(promise: GroupPromise, number: int, people: int) -> GroupLimit:
    """Return a promise about the people of a population, who are so many, as methods see it.

    Rows left out stand for whoever is not released, which is more than a method knows of: it counts nothing of theirs.
    """
    return replace(limit_of(promise, number, 0, 2), lacking=_lacks_nothing, lacking_by_lot=_lacks_no_lot, people=people)


def _lacks_nothing(rows: Ints, tallies: Ints, most: int) -> Ints:
    del tallies, most
    return np.zeros_like(rows)


def _lacks_no_lot(rows: int, tallies: Ints, all_rows: int, all_tallies: Ints, most: int) -> int:
    del rows, tallies, all_rows, all_tallies, most
    return 0


def marks_of(promise: GroupPromise, bound: Bound, counted: Combinations) -> npt.NDArray[np.bool_]:
    """Return what a promise counts of the values of its column."""
    if promise.column is None:
        return np.zeros((0, 0), dtype=np.bool_)
    values = counted.domain(promise.column)
    return promise.marks(values, which_known(bound, values))


def which_known(bound: Bound, values: Sequence[str | None]) -> npt.NDArray[np.bool_]:
    """Return which values of a sensitive column tell something."""
    return np.array([not bound.policy.is_unknown(value) for value in values], dtype=np.bool_)


def unknown_rows(bound: Bound, counted: Combinations, column: str) -> npt.NDArray[np.bool_]:
    """Return which combinations tell nothing about a sensitive column."""
    return np.asarray(~which_known(bound, counted.domain(column))[counted.code(column)])


def sums(counts: Ints, starts: Ints) -> Ints:
    """Return the sums of counts from each start to the next."""
    return np.add.reduceat(counts, starts) if len(starts) else counts[:0]

"""What is to be planned, on which rows, and whether it can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from discreet.common.stable_order import numbered
from discreet.encoded import Combinations
from discreet.errors import ImpossiblePromise, PolicyError
from discreet.fit.fitting import Fitted, seen_column
from discreet.plan.parts import Recoding
from discreet.planning.changeable import Changeable
from discreet.planning.drawing import drawn_rows
from discreet.planning.fitting_columns import JobColumns, changeable_columns
from discreet.policy import GroupPromise
from discreet.policy.bind import Bound
from discreet.table.engine import Engine

if TYPE_CHECKING:
    from discreet.method.base.problem import GroupTable


@dataclass(frozen=True)
class Task:
    """What is to be planned: a policy bound to a table, its changeable columns and counted combinations."""

    bound: Bound
    columns: Sequence[Changeable]
    counted: Combinations
    binned: tuple[Recoding, ...] = ()
    """What becomes of columns that no search cuts."""
    kinds: Mapping[str, str] = field(default_factory=dict)
    """What the columns hold that count."""
    sampled: tuple[int, ...] | None = None
    """The numbers of the rows that were drawn, where a sample is released."""


def task_of(fits: Fitted, columns: JobColumns, source: Engine, seed: int | None) -> Task:
    """Return what is to be planned for a table; rows are drawn where a sample is to be released.

    Where k must hold among the rows of a sample, only these are counted, and nothing is known of the others.
    """
    bound = fits.bound
    binned = tuple(column.binned() for column in columns.binned)
    task = Task(bound, columns.changeable, fits.counted, binned, fits.kinds)
    places = drawn_rows(source, bound.policy, seed)
    if places is None:
        return task
    if not bound.policy.k_on_population:
        counted = fits.seen.only(places).count(bound.counted)
        changeable, unfit = changeable_columns(bound, counted)
        if unfit:  # the whole table fits
            raise PolicyError([replace(p, message=f"in the rows that were drawn {p.message}") for p in unfit])
        bound = replace(bound, seen=partial(seen_column, bound.policy, counted))
        task = replace(task, bound=bound, columns=changeable, counted=counted)
    return replace(task, sampled=tuple(source.numbers()[places].tolist()))


def require_possible(tables: Sequence[GroupTable], promises: Sequence[GroupPromise], *, removes: bool) -> None:
    """Raise `ImpossiblePromise` when everything hidden is not enough.

    Where rows may be removed, a promise may hold of the others, unless even all together are too few.
    """
    least = []
    for table in tables:
        fixed = np.zeros_like(table.fixed) if removes else numbered(table.fixed)[1]
        sizes = np.bincount(fixed, weights=table.sizes).astype(np.int64)
        tallies = [np.bincount(fixed, weights=tally, minlength=len(sizes)).astype(np.int64) for tally in table.hits]
        every = np.stack(tallies) if tallies else np.zeros((0, len(sizes)), dtype=np.int64)
        for limit in table.limits:
            promise = promises[limit.promise]
            if removes and promise.unit is None:
                continue
            share = max(limit.figures(sizes, every), default=Fraction(0))
            if share > promise.at_most:
                least.append((promise, share))
    if least:
        raise ImpossiblePromise(least)

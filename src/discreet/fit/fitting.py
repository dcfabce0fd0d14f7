"""Does a policy fit a table: names, rows, values and cells, all problems at once, and what its owner should know."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from discreet.encoded import Combinations
from discreet.errors import InputError, PolicyError, Problem
from discreet.fit.cells import cell_problems, cell_warnings, hides, looked_at
from discreet.fit.many_sets import set_warnings
from discreet.fit.persons import repeat_warnings
from discreet.fit.populations import people_problems
from discreet.fit.telling import refuse_own_values
from discreet.fit.values import missing_warnings, share_warnings, tight_warnings, value_problems
from discreet.policy import Policy
from discreet.policy.bind import Bound, bind
from discreet.policy.requirements.seen import SeenColumn
from discreet.policy.seen_values import seen_values
from discreet.table.decimals import as_written
from discreet.table.engine import Engine
from discreet.table.formats.place import Address, place_of


@dataclass(frozen=True)
class Fitted:
    """A policy that fits a table."""

    bound: Bound
    """With all that its owner should know."""
    kinds: dict[str, str]
    """What the columns hold that count."""
    seen: Engine
    """The table with all confidential cells hidden: as promises about groups find it."""
    counted: Combinations
    """The combinations that it has of the columns that count."""


def bind_to(policy: Policy, source: Engine) -> Bound:
    """Return the policy on the columns of a table, its numbers read as they are written there."""
    return bind(as_written(policy, source), source.columns)


def require_rows(source: Engine, table: object) -> None:
    """Refuse a table without rows: there is nothing to release."""
    if source.rows == 0:
        name = str(place_of(table)) if isinstance(table, (str, Path, Address)) else "the table"
        raise InputError(f"{name}: has no rows" + (" without a missing value" if source.dropped else ""))


def refuse_at_sight(policy: Policy, source: Engine, table: object) -> None:
    """Refuse what need not be counted: cells chosen by their own value, no rows, or more than can be looked at."""
    refuse_own_values(policy)
    require_rows(source, table)
    refuse_without_order(policy, source)
    if columns := looked_at(policy, source.columns):
        source.refuse_rows(len(columns))


def refuse_without_order(policy: Policy, source: Engine) -> None:
    """Refuse to draw an order for rows that have none."""
    if policy.shuffle:
        source.refuse_rows(0)


def fitted(
    bound: Bound,
    source: Engine,
    counted: Combinations,
    unfit: Sequence[Problem],
    notes: Sequence[str],
    rest: Engine | None = None,
) -> Fitted:
    """Return a policy that fits a table; raise `PolicyError` with all in which it does not.

    `unfit` and `notes` are what is wrong with the columns that are made coarser, and what to know of them; `rest` has
    the rows that were counted, where these are not all.
    """
    policy = bound.policy
    kinds = {column: source.kind(column) for column in bound.counted}
    if problems := [
        *value_problems(bound, counted, kinds),
        *_unread(policy, counted),
        *unfit,
        *cell_problems(policy, source),
        *people_problems(bound, counted),
    ]:
        raise PolicyError(problems)
    seen = source if rest is None else rest
    if seen is source and bound.counted and (edits := hides(policy, source)):
        seen = source.edited(edits)
        counted = seen.count(bound.counted)
    warnings = (
        *bound.warnings,
        *missing_warnings(bound, counted, source.dropped),
        *notes,
        *share_warnings(policy),
        *set_warnings(policy, counted),
        *tight_warnings(policy),
        *cell_warnings(policy, source),
        *repeat_warnings(policy, source),
    )
    bound = replace(bound, seen=partial(seen_column, policy, counted))
    warnings = (*warnings, *dict.fromkeys(_notes(bound, counted)))
    return Fitted(replace(bound, warnings=warnings), kinds, seen, counted)


def fitted_persons(bound: Bound, table: Engine, counted: Combinations, unfit: Sequence[Problem]) -> Fitted:
    """Return a policy about persons, one row each, whose rows fit it; confidential cells are hidden in `table`."""
    if unfit:
        raise PolicyError(list(unfit))
    kinds = {column: table.kind(column) for column in bound.counted}
    return Fitted(replace(bound, seen=partial(seen_column, bound.policy, counted)), kinds, table, counted)


def _unread(policy: Policy, counted: Combinations) -> Iterator[Problem]:
    """Yield where requirements cannot do with what a sensitive column holds."""
    for index, requirement in policy.groups():
        if requirement.sensitive is not None:
            for path, message in requirement.problems(seen_column(policy, counted, requirement.sensitive)):
                yield policy.problem(("protect", index, *path), message)


def refuse_unread(policy: Policy, source: Engine) -> None:
    """Refuse new rows of whose sensitive columns requirements can make nothing."""
    for index, requirement in policy.groups():
        column = requirement.sensitive
        if column is not None and requirement.reads and column in source.columns:
            seen = seen_column(policy, source.count([column]), column)
            if problems := [policy.problem(("protect", index, *at), text) for at, text in requirement.problems(seen)]:
                raise PolicyError(problems)


def _notes(bound: Bound, counted: Combinations) -> Iterator[str]:
    """Yield what promises say of the values that they count."""
    for promise in bound.promises:
        if promise.column is not None:
            values = counted.domain(promise.column)
            yield from promise.notes(values, np.array([not bound.policy.is_unknown(value) for value in values]))


def seen_column(policy: Policy, counted: Combinations, column: str) -> SeenColumn:
    """Return the different values of a column that tell something, and how many rows have each."""
    return seen_values(policy, column, counted.domain(column), counted.rows(column).tolist())

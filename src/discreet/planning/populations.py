"""The people of a population in the numbers that group methods work on: counted beside the rows of the table.

They fall into the groups of the rows by the codes that their values have. Values that the table has not are one more
value of a plain column, which is never shown; numbers lie in the intervals of the table's; nobody is in a group who has
a value of which no text of the column would be true.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from discreet.encoded import Codes, Combinations, Ints, keys, regroup
from discreet.errors import InputError
from discreet.method.base.problem import CutProblem, GroupTable
from discreet.planning.changeable import Changeable
from discreet.planning.limits import people_limit, sums
from discreet.policy import GroupPromise
from discreet.policy.bind import Bound

MOST_NUMBERS = 150_000_000
"""Numbers that are kept of different rows and people, four for each of them and each set of known columns."""


@dataclass(frozen=True)
class _Counted:
    """Those of a population whom some promises count, alike ones together."""

    columns: tuple[str, ...]
    """The known columns, in the order of the table."""
    codes: dict[str, Ints]
    """Of changeable columns the codes of their spaces, of others those of the table's values."""
    counts: Ints
    total: int


def _people(bound: Bound, columns: Sequence[Changeable], promise: GroupPromise, counted: Combinations) -> _Counted:
    """Return the people whom a promise counts, as far as they can be in a group of the table."""
    assert promise.among is not None
    people = bound.populations[promise.among]
    given = tuple(column for column in bound.columns if column in promise.given)
    changeable = {column.name: column for column in columns}
    codes = {}
    for name in given:
        domain = people.domain(name)
        if name in changeable:
            places = changeable[name].codes_of(domain)
        else:
            own = {value: place for place, value in enumerate(counted.domain(name))}
            places = np.array([own.get(value, -1) for value in domain], dtype=np.int64)
        codes[name] = places[people.code(name)]
    there = np.ones(len(people.counts), dtype=np.bool_)
    for each in codes.values():
        there &= each >= 0
    width = [int(each.max(initial=0)) + 1 for each in codes.values()]
    key, _ = keys([each[there] for each in codes.values()], width, int(there.sum()))
    order, starts, _ = regroup(key)
    first = order[starts]
    counts = sums(people.counts[there][order], starts)
    return _Counted(given, {name: each[there][first] for name, each in codes.items()}, counts, int(people.counts.sum()))


def people_table(
    bound: Bound, columns: Sequence[Changeable], promises: Sequence[GroupPromise], numbers: Sequence[int],
    counted: Combinations,
) -> tuple[GroupTable, Codes]:  # fmt: skip
    """Return what promises about the same people ask of rows and people alike, and the codes of their columns.

    `counted` are the rows, by the codes of the spaces.
    """
    people = _people(bound, columns, promises[numbers[0]], counted)
    joined = {
        name: np.concatenate((counted.code(name).astype(np.int64), people.codes[name])) for name in people.columns
    }
    tallies = np.zeros((2, len(counted.counts) + len(people.counts)), dtype=np.int64)
    tallies[0, : len(counted.counts)] = counted.counts
    tallies[1, len(counted.counts) :] = people.counts
    width = [int(each.max(initial=0)) + 1 for each in joined.values()]
    key, _ = keys(list(joined.values()), width, tallies.shape[1])
    order, starts, _ = regroup(key)
    first = order[starts]
    hits = np.stack([sums(tally[order], starts) for tally in tallies])
    fixed = [name for name in people.columns if name in bound.fixed]
    fixed_key, _ = keys(
        [joined[name][first] for name in fixed], [len(counted.domain(name)) for name in fixed], len(first)
    )
    known = [name for name in bound.changeable if name in people.columns]
    widest = max((column.space.size for column in columns if column.name in known), default=0)
    codes = np.empty((len(known), len(first)), dtype=np.uint16 if widest <= 2**16 else np.uint32)
    for place, name in enumerate(known):
        codes[place] = joined[name][first]
    limits = tuple(people_limit(promises[number], number, people.total) for number in numbers)
    places = tuple(place for place, name in enumerate(bound.changeable) if name in known)
    return GroupTable(places, fixed_key, hits.sum(axis=0), hits, limits), codes


def with_people(
    problem: CutProblem,
    bound: Bound,
    columns: Sequence[Changeable],
    promises: Sequence[GroupPromise],
    numbers: Sequence[int],
    counted: Combinations,
    first: Ints,
) -> CutProblem:
    """Return a problem with people behind its rows, whom one more table counts and all others do not know.

    `first` is a combination of each collapsed row of the table; people of other promises may stand behind them already.
    """
    people = _people(bound, columns, promises[numbers[0]], counted)
    before, more = len(problem.sizes), len(people.counts)
    if 4 * (before + more) * (len(problem.tables) + 1) > MOST_NUMBERS:
        raise InputError(
            f"protect[{promises[numbers[0]].index}]: the population has too many different people to be searched with; "
            "name fewer columns or sets of them, or give a population of those who matter"
        )
    codes = np.empty((len(columns), before + more), dtype=problem.codes.dtype)
    codes[:, :before] = problem.codes
    for place, column in enumerate(columns):
        # Of columns that nothing is known of they have what most rows have: no promise looks there.
        usual = int(problem.columns[place].rows.argmax())
        codes[place, before:] = people.codes.get(column.name, usual)
    fixed = [name for name in people.columns if name in bound.fixed]
    rows = len(first)
    theirs = [np.concatenate((counted.code(name)[first].astype(np.int64), people.codes[name])) for name in fixed]
    key, _ = keys(theirs, [len(counted.domain(name)) for name in fixed], rows + more)
    key = np.unique(key, return_inverse=True)[1].astype(np.int64)
    strangers = int(key.max(initial=0)) + 1
    own = np.full(before + more, strangers, dtype=np.int64)
    own[:rows], own[before:] = key[:rows], key[rows:]
    hits = np.zeros((2, before + more), dtype=np.int64)
    hits[0, :rows], hits[1, before:] = problem.sizes[:rows], people.counts
    sizes = np.concatenate((problem.sizes, np.zeros(more, dtype=np.int64)))
    table = GroupTable(
        columns=tuple(place for place, name in enumerate(bound.changeable) if name in people.columns),
        fixed=own,
        sizes=sizes,
        hits=hits,
        limits=tuple(people_limit(promises[number], number, people.total) for number in numbers),
        strangers=strangers,
    )
    return replace(
        problem,
        codes=codes,
        sizes=sizes,
        targets=tuple(target.with_more(more) for target in problem.targets),
        tables=(*(_with_strangers(other, more) for other in problem.tables), table),
    )


def _with_strangers(table: GroupTable, more: int) -> GroupTable:
    """Return a table with people behind its rows, who are in no group of its own."""
    strangers = int(table.fixed.max(initial=0)) + 1 if table.strangers < 0 else table.strangers
    return replace(
        table,
        fixed=np.concatenate((table.fixed, np.full(more, strangers, dtype=np.int64))),
        sizes=np.concatenate((table.sizes, np.zeros(more, dtype=np.int64))),
        hits=np.concatenate((table.hits, np.zeros((len(table.hits), more), dtype=np.int64)), axis=1),
        strangers=strangers,
    )

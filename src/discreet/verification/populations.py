"""The people of a population beside the groups of a release: counted by the released texts alone, by code of its own.

A person stands in the group whose texts cover her values: in a column the text that she has herself, or that covers it;
the marker where none does. That is one text of each column as long as the same value is released alike in all rows; a
group with a text of which that is not so cannot be counted, and counts as broken.

Where the policy masks rows, a row with the marker on all columns that may change may be anybody's who is not released
otherwise: for it all people count whose texts no other row has.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from discreet.encoded import Ints
from discreet.policy import GroupPromise, Policy
from discreet.policy.bind import changed_for_groups
from discreet.policy.populations import Population
from discreet.table.by_name import by_name
from discreet.table.engine import Engine
from discreet.table.populations import people_of
from discreet.verification.figures import GroupFigures
from discreet.verification.reach import reach

PEOPLE, ROWS, DARK, LIGHT, UNCLEAR = "people", "rows", "dark", "light", "unclear"


def k_map(table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]) -> list[GroupFigures]:
    """k-map: one person among the people of a group; a group with more rows than people is worse than any."""
    found = [_beside(table, policy, given, promise.among) for promise in promises]
    return [
        GroupFigures(
            groups.select(_names(given)),
            rows,
            np.zeros_like(rows),
            np.where(rows > people, 2, 1),
            np.where(rows > people, 1, people),
            hits=people,
            coarse=groups.get_column(UNCLEAR).to_numpy(),
        )
        for groups, rows, people in found
    ]


def membership(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """Membership: the rows among the people of a group; where there is nobody, twice as bad as can be."""
    found = [_beside(table, policy, given, promise.among) for promise in promises]
    return [
        GroupFigures(
            groups.select(_names(given)),
            rows,
            np.zeros_like(rows),
            np.where(people > 0, rows, 2),
            np.maximum(people, 1),
            hits=people,
            coarse=groups.get_column(UNCLEAR).to_numpy(),
        )
        for groups, rows, people in found
    ]


def _names(given: Sequence[str]) -> list[str]:
    return [f"given {place}" for place in range(len(given))]


def _beside(
    table: Engine, policy: Policy, given: Sequence[str], among: Population | None
) -> tuple[pl.DataFrame, Ints, Ints]:
    """Return the groups of a release on some columns, with their rows and their people."""
    assert among is not None
    names = _names(given)
    changing = changed_for_groups(policy)
    groups = _groups(table, policy, given, [name for name in table.columns if name in changing])
    people, unclear = _recoded(groups, policy, given, among, changing)
    if not names:
        total = int(people.get_column(PEOPLE).sum())
        groups = groups.with_columns(pl.lit(total, pl.Int64).alias(PEOPLE), pl.lit(unclear[0]).alias(UNCLEAR))
        return groups, groups.get_column(ROWS).to_numpy(), groups.get_column(PEOPLE).to_numpy()
    groups = groups.with_columns(pl.Series(UNCLEAR, unclear))
    people = people.group_by(names).agg(by_name(PEOPLE).sum())
    groups = groups.join(people, on=names, how="left", nulls_equal=True, maintain_order="left")
    groups = groups.with_columns(by_name(PEOPLE).fill_null(0))
    if groups.get_column(DARK).any():
        fixed = [name for name, column in zip(names, given, strict=True) if column not in changing]
        groups = _with_the_unreleased(groups, people, names, fixed)
    rows, counts = (groups.get_column(name).to_numpy().astype(np.int64) for name in (ROWS, PEOPLE))
    return groups, rows, counts


def _groups(table: Engine, policy: Policy, given: Sequence[str], changing: Sequence[str]) -> pl.DataFrame:
    """Return the groups of a release, whether masked rows may be among theirs, and whether others are."""
    wide = [*given, *(name for name in changing if name not in given)]
    found = table.recount(wide, None, (), ())
    columns = [found.texts.to_series(place) for place in range(len(wide))]
    hidden = np.full(len(found.rows), bool(changing) and policy.method != "disclosure" and not policy.removes)
    for name, texts in zip(wide, columns, strict=True):
        if name in changing:
            hidden &= texts.eq_missing(pl.Series([policy.marker])).to_numpy()
    known = [texts.alias(f"given {place}") for place, texts in enumerate(columns[: len(given)])]
    counts = [pl.Series(ROWS, found.rows, dtype=pl.Int64), pl.Series(DARK, hidden), pl.Series(LIGHT, ~hidden)]
    rows = pl.DataFrame([*known, *counts])
    sums = [by_name(ROWS).sum(), by_name(DARK).any(), by_name(LIGHT).any()]
    return rows.group_by(_names(given), maintain_order=True).agg(sums) if given else rows.select(sums)


def _recoded(
    groups: pl.DataFrame, policy: Policy, given: Sequence[str], among: Population, changing: frozenset[str]
) -> tuple[pl.DataFrame, np.ndarray]:
    """Return the people by the texts that would be released of them, and which groups have texts that are not clear."""
    people, there = people_of(among, policy, given)
    counted = people.recount(given, None, (), ())
    unclear = np.zeros(len(groups), dtype=np.bool_)
    columns = []
    for place, name in enumerate(given):
        theirs, mine = counted.texts.to_series(place), groups.get_column(f"given {place}")
        values, texts = theirs.unique(maintain_order=True).to_list(), mine.unique(maintain_order=True).to_list()
        covering, twice = _texts_of(values, texts, policy, there, name, changes=name in changing)
        schema = {"value": pl.String, "text": pl.String}
        to = pl.DataFrame({"value": values, "text": covering}, schema=schema)
        joined = pl.DataFrame({"value": theirs}, schema={"value": pl.String}).join(
            to, on="value", how="left", nulls_equal=True, maintain_order="left"
        )
        columns.append(joined.get_column("text").alias(f"given {place}"))
        unclear |= np.array([text in twice for text in mine.to_list()], dtype=np.bool_)
    return pl.DataFrame([*columns, pl.Series(PEOPLE, counted.rows, dtype=pl.Int64)]), unclear


def _texts_of(
    values: Sequence[str | None],
    texts: Sequence[str | None],
    policy: Policy,
    there: Policy,
    name: str,
    *,
    changes: bool,
) -> tuple[list[str | None], set[str | None]]:
    """Return the released text that stands for each value of people, and the texts that share a value with another."""
    marker, own = policy.marker, policy.column(name)
    told = [text for text in texts if text != marker or not changes]
    if not changes:
        return [value if value in set(told) else marker for value in values], set()
    reads = _as_in_the_table(values, own.decimal, there.column(name).decimal) if own.type == "number" else values
    found = reach(reads, told, own, None, policy.missing_values)
    owner: list[int] = [-1] * len(values)
    twice: set[str | None] = set()
    for place, (text, ranges) in enumerate(zip(told, found.ranges, strict=True)):
        covers = {found.order[at] for first, stop in ranges for at in range(first, stop)}
        covers |= {at for at, value in enumerate(reads) if value == text}
        for at in covers:
            if owner[at] >= 0:
                twice |= {text, told[owner[at]]}
            owner[at] = place
    return [marker if place < 0 else told[place] for place in owner], twice


def _as_in_the_table(values: Sequence[str | None], mine: str, theirs: str) -> list[str | None]:
    """Return texts of numbers with the decimal sign of the table."""
    if mine == theirs:
        return list(values)
    return [None if value is None else value.replace(theirs, mine) for value in values]


def _with_the_unreleased(
    groups: pl.DataFrame, people: pl.DataFrame, names: Sequence[str], fixed: Sequence[str]
) -> pl.DataFrame:
    """Return groups with masked rows beside all people whose own texts no unmasked row has."""
    light = groups.filter(LIGHT).select(names)
    rest = people.join(light, on=list(names), how="anti", nulls_equal=True)
    dark = groups.filter(DARK).select(names)
    own = rest.join(dark, on=list(names), how="anti", nulls_equal=True)  # those who look like them are counted already
    if fixed:
        more = own.group_by(fixed).agg(by_name(PEOPLE).sum().alias("more"))
        groups = groups.join(more, on=list(fixed), how="left", nulls_equal=True, maintain_order="left")
    else:
        groups = groups.with_columns(pl.lit(int(own.get_column(PEOPLE).sum()), pl.Int64).alias("more"))
    more_of = pl.when(by_name(DARK)).then(pl.col("more").fill_null(0)).otherwise(0)
    return groups.with_columns(by_name(PEOPLE) + more_of)

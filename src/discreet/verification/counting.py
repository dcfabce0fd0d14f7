"""Figures of groups, counted anew on released texts: one function for each kind of promise, by code of its own.

Nothing here is used in making a release, and nothing that makes one is used here: a mistake on one side is found by the
other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import polars as pl

from discreet.encoded import Ints
from discreet.policy import GroupPromise, Policy
from discreet.policy.requirements import PROMISES
from discreet.table.engine import Engine, Recount


@dataclass(frozen=True)
class GroupFigures:
    """The groups of a table as one promise sees them: texts, rows, and the fraction that must not be above a limit."""

    texts: pl.DataFrame
    """A column for each known one, in their order and under other names."""
    rows: Ints
    hidden: Ints
    """Rows whose sensitive cell tells nothing."""
    above: Ints
    below: Ints
    """What the figure has above and below the line; 0 below where nobody has the combination."""

    def figure(self, above: int, below: int) -> Fraction:
        """Return a figure; a combination that nobody has (0 rows) is as bad as can be."""
        return Fraction(above, below) if below else Fraction(int(above > 0))


def counted(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """Return the groups on `given` as each promise of one requirement sees them."""
    return COUNTING[promises[0].kind](table, policy, given, promises)


def persons(groups: Recount) -> GroupFigures:
    """Return groups by their sizes: one person among the rows."""
    return GroupFigures(groups.texts, groups.rows, groups.hidden, np.ones_like(groups.rows), groups.rows)


def _crowds(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """k-anonymity: how many rows a group has."""
    return [persons(table.recount(given, None, (), policy.hidden_texts()))] * len(promises)


def _shares(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """Templates: a rows of a group have the value, of n - u that are known; a/(n-u) is never below a/n."""
    values = [promise.value for promise in promises]
    groups = table.recount(given, promises[0].column, values, policy.hidden_texts())
    known = groups.rows - groups.hidden
    return [
        GroupFigures(groups.texts, groups.rows, groups.hidden, groups.hits[:, place], known)
        for place in range(len(promises))
    ]


def _different(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """l-diversity: how many different texts of the column a group has, but for those that tell nothing.

    Rows are counted by their texts on the known columns and the sensitive one; each line of a group is one value. Where
    the column has a taxonomy its root tells nothing, and a group of values that is released in their place is as bad as
    can be: all rows with it may have one value.
    """
    column = promises[0].column
    assert column is not None
    silent, coarse = list(policy.hidden_texts()), set[str]()
    if (taxonomy := policy.column(column).taxonomy) is not None:
        silent += taxonomy.nodes[0].labels
        coarse = {label for node in taxonomy.nodes[1:] for label in node.labels} - set(taxonomy.leaves)
    fine = table.recount((*given, column), None, (), ())
    names = [f"known {place}" for place in range(len(given))]
    texts = fine.texts.rename(dict(zip(fine.texts.columns, [*names, "value"], strict=True)))
    hidden = pl.col("value").is_in(silent, nulls_equal=True)
    rows = texts.with_columns(pl.Series("rows", fine.rows)).with_columns(hidden.alias("hidden"))
    figures = [
        pl.col("rows").sum(),
        pl.col("rows").filter("hidden").sum().alias("hidden"),
        (~pl.col("hidden")).sum().cast(pl.Int64).alias("values"),
        pl.col("value").is_in(list(coarse)).any().alias("coarse"),
    ]
    groups = rows.group_by(names, maintain_order=True).agg(figures) if names else rows.select(figures)
    values = groups.get_column("values").to_numpy().astype(np.int64)
    found = GroupFigures(
        groups.select(names),
        groups.get_column("rows").to_numpy().astype(np.int64),
        groups.get_column("hidden").to_numpy().astype(np.int64),
        (values > 0).astype(np.int64),
        np.where(groups.get_column("coarse").fill_null(value=False).to_numpy(), 0, values),
    )
    return [found] * len(promises)


Counting = Callable[[Engine, Policy, Sequence[str], Sequence[GroupPromise]], list[GroupFigures]]
COUNTING: dict[str, Counting] = {"k-anonymity": _crowds, "template": _shares, "l-diversity": _different}
"""How each kind of promise is counted."""
assert set(COUNTING) == set(PROMISES), "a kind of promise that nobody counts would never be broken"

"""Figures of groups, counted anew on released texts: one function for each kind of promise, by code of its own.

Nothing here is used in making a release, and nothing that makes one is used here: a mistake on one side is found by the
other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from discreet.policy import GroupPromise, Policy
from discreet.policy.requirements import PROMISES
from discreet.table.engine import Engine, Recount
from discreet.verification import distances, populations, properties
from discreet.verification.figures import GroupFigures
from discreet.verification.text_meanings import reader_of


def counted(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """Return the groups on `given` as each promise of one requirement sees them."""
    kind = promises[0].kind
    assert all(type(promise) is PROMISES[kind] for promise in promises), "a kind that is counted as another one"
    return COUNTING[kind](table, policy, given, promises)


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
    name = promises[0].column or ""
    if not properties.are_values(policy.column(name)) and _leave_open(table, policy, name, promises):
        return properties.named_value(table, policy, given, promises)
    values = [promise.value for promise in promises]
    groups = table.recount(given, promises[0].column, values, policy.hidden_texts())
    known = groups.rows - groups.hidden
    return [
        GroupFigures(groups.texts, groups.rows, groups.hidden, groups.hits[:, place], known)
        for place in range(len(promises))
    ]


def _leave_open(table: Engine, policy: Policy, name: str, promises: Sequence[GroupPromise]) -> bool:
    """Whether a column has texts that may be several values, or say one in another way; else texts can be counted."""
    column = policy.column(name)
    texts: list[str | None] = table.recount((name,), None, (), ()).texts.to_series(0).to_list()
    if column.taxonomy is not None:
        labels = {label for node in column.taxonomy.nodes for label in node.labels} - set(column.taxonomy.leaves)
        if not labels.isdisjoint([*texts, *(promise.value for promise in promises)]):
            return True
    return any(meaning.several for meaning in map(reader_of(column), texts))


def _different(
    table: Engine, policy: Policy, given: Sequence[str], promises: Sequence[GroupPromise]
) -> list[GroupFigures]:
    """l-diversity: how many different texts of the column a group has, but for those that tell nothing.

    Rows are counted by their texts on the known columns and the sensitive one. A group with a text that stands for
    several values is as bad as can be: all rows with it may have one value.
    """
    column = promises[0].column
    assert column is not None
    fine = table.recount((*given, column), None, (), ())
    names = [f"known {place}" for place in range(len(given))]
    texts = fine.texts.rename(dict(zip(fine.texts.columns, [*names, "value"], strict=True)))
    meanings = _meanings(policy, column, texts.get_column("value").unique().to_list())
    rows = texts.with_columns(pl.Series("rows", fine.rows)).join(meanings, on="value", how="left", nulls_equal=True)
    figures = [
        pl.col("rows").sum(),
        pl.col("rows").filter("hidden").sum().alias("hidden"),
        pl.col("meaning").filter(~pl.col("hidden")).n_unique().cast(pl.Int64).alias("values"),
        pl.col("coarse").any(),
    ]
    groups = rows.group_by(names, maintain_order=True).agg(figures) if names else rows.select(figures)
    values = groups.get_column("values").to_numpy().astype(np.int64)
    found = GroupFigures(
        groups.select(names),
        groups.get_column("rows").to_numpy().astype(np.int64),
        groups.get_column("hidden").to_numpy().astype(np.int64),
        (values > 0).astype(np.int64),
        np.where(groups.get_column("coarse").to_numpy(), 0, values),
    )
    return [found] * len(promises)


def _meanings(policy: Policy, column: str, texts: Sequence[str | None]) -> pl.DataFrame:
    """Return for each text of a column which value it is (by a number), whether it tells nothing, or several values.

    Where the column has a taxonomy its root tells nothing, and other groups of it tell several values; where it has
    numbers or dates, equal ones are one value, and what is none of them (an interval) may be several; so may a set.
    """
    said = policy.column(column)
    silent, several = set(policy.hidden_texts()), set[str | None]()
    if said.taxonomy is not None:
        silent |= set(said.taxonomy.nodes[0].labels) - set(said.taxonomy.leaves)
        several |= {label for node in said.taxonomy.nodes[1:] for label in node.labels} - set(said.taxonomy.leaves)
    values: dict[object, int] = {}
    lines = []
    for text in texts:
        value: object = text if said.scale is None else said.scale.read(text)
        coarse = (
            text in several
            or (said.scale is not None and value is None)
            or (said.form == "set" and text is not None and text.startswith("{"))
        )
        lines.append((text, values.setdefault(text if value is None else value, len(values)), text in silent, coarse))
    schema = {"value": pl.String, "meaning": pl.Int64, "hidden": pl.Boolean, "coarse": pl.Boolean}
    table = pl.DataFrame(lines, schema=schema, orient="row")
    return table.with_columns(coarse=pl.col("coarse") & ~pl.col("hidden"))


Counting = Callable[[Engine, Policy, Sequence[str], Sequence[GroupPromise]], list[GroupFigures]]
COUNTING: dict[str, Counting] = {
    "k-anonymity": _crowds,
    "template": _shares,
    "any-value": properties.any_value,
    "absence": properties.absence,
    "window": properties.windows,
    "relative": properties.relative,
    "l-diversity": _different,
    "entropy-l-diversity": distances.entropy,
    "recursive-l-diversity": distances.recursive,
    "t-closeness": distances.closeness,
    "k-map": populations.k_map,
    "membership": populations.membership,
}
"""How each kind of promise is counted."""
assert set(COUNTING) == set(PROMISES), "a kind of promise that nobody counts would never be broken"

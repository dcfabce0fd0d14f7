"""Tables of the slow references as engines and views: null is the marker."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from discreet.adversary.view import View, see
from discreet.policy import Confidential, Policy
from discreet.table.engine import Engine
from discreet.table.source import open_table

Cell = str | None
Table = Sequence[Sequence[Cell]]


def names(table: Table) -> list[str]:
    return [f"c{place}" for place in range(len(table[0]))]


def frame(table: Table) -> pl.DataFrame:
    return pl.DataFrame(
        {
            name: pl.Series(["*" if row[place] is None else row[place] for row in table], dtype=pl.String)
            for place, name in enumerate(names(table))
        }
    )


def policy_for(
    width: int, rows: Sequence[int], column: int, predictors: Sequence[int], columns: Mapping[str, Any], **options: Any
) -> Policy:
    """One requirement: cells of a column, by places from 0."""
    cells = Confidential(
        column=f"c{column}",
        rows=[row + 1 for row in rows],
        predictors=[f"c{place}" for place in predictors],
        **options,
    )
    return Policy(protect=[cells], columns={name: said for name, said in columns.items() if int(name[1:]) < width})


def engine(table: Table, policy: Policy) -> Engine:
    return open_table(frame(table), policy)


def view_of(table: Table, policy: Policy, original: Table | None = None) -> View:
    requirement = policy.protect[0]
    assert isinstance(requirement, Confidential)
    return see(engine(table, policy), policy, requirement, engine(original or table, policy))


def one(place: int) -> Any:
    return np.array([place], dtype=np.int64)

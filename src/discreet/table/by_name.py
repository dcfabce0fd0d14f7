"""Columns by their names as they are.

Polars reads some names as patterns: `pl.col("*")` and `select("*")` mean all columns, `"^x$"` those that a regular
expression matches, and most methods of a series ask for its own column in that way. A table may have columns of such
names.
"""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl
import polars.selectors as cs


def by_name(name: str) -> pl.Expr:
    """Return the column with this very name.

    >>> pl.DataFrame({"*": [1], "a": [2]}).select(by_name("*")).columns
    ['*']
    """
    return cs.by_name(name).as_expr()


def by_names(names: Iterable[str]) -> list[pl.Expr]:
    """Return the columns with these very names, in this order."""
    return [by_name(name) for name in names]


def nameless(cells: pl.Series) -> pl.Series:
    """Return a column without its name.

    >>> nameless(pl.Series("^[$", ["a", None])).drop_nulls().to_list()
    ['a']
    """
    return cells.alias("")

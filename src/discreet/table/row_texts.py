"""A column as texts, row by row, wherever the rows live: nearly all may be different, so codes would be of no use."""

from __future__ import annotations

import polars as pl

from discreet.table.engine import Engine, alike
from discreet.table.local import LocalEngine


def row_texts(table: Engine, column: str) -> pl.Series:
    """Return a column as texts, row by row; refused where too many would have to be fetched."""
    if isinstance(table, LocalEngine):
        return table.texts(column)
    from discreet.table.stores.engine import BigEngine  # only loaded where it is used
    from discreet.table.stores.fetching import fetched_texts

    return fetched_texts(alike(BigEngine, table), column)

"""Every kind of table that may come in, made from the same Polars frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl

KINDS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": lambda frame: frame,
    "polars lazy": lambda frame: frame.lazy(),
    "pandas": lambda frame: frame.to_pandas(),
    "pandas object": lambda frame: frame.to_pandas().astype(dict.fromkeys(text_columns(frame), object)),
    "pandas category": lambda frame: frame.to_pandas().astype(dict.fromkeys(text_columns(frame), "category")),
    "pandas arrow": lambda frame: frame.to_pandas(use_pyarrow_extension_array=True),
    "pyarrow": lambda frame: frame.to_arrow(),
}


def text_columns(frame: pl.DataFrame) -> list[str]:
    return [name for name, kind in frame.schema.items() if kind == pl.String]


def to_rows(table: Any) -> list[tuple[object, ...]]:
    """The rows of any kind of table as plain Python values; missing is None."""
    if isinstance(table, pl.LazyFrame):
        table = table.collect()
    if isinstance(table, pl.DataFrame):
        return table.rows()
    if isinstance(table, pd.DataFrame):
        return [tuple(None if pd.isna(v) else v for v in row) for row in table.itertuples(index=False, name=None)]
    return [tuple(row.values()) for row in table.to_pylist()]

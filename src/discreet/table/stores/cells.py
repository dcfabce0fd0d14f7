"""Cells as texts, as the local engine has them."""

from __future__ import annotations

import polars as pl

TEXTS = (pl.String, pl.Categorical, pl.Enum, pl.Null)
WITHOUT_TEXT = (pl.Binary, pl.Duration, pl.Object, pl.Unknown)
MOMENTS = str(pl.Datetime("us"))
"""The kind of points in time, to the microsecond and without a zone: all engines can write them in the same way."""


def may_be_text(kind: pl.DataType) -> bool:
    """Whether values of a type have a text."""
    return not kind.is_nested() and not isinstance(kind, WITHOUT_TEXT)


def texts_of(cells: pl.Series) -> pl.Series:
    """Return cells as texts; what is no number is missing."""
    return cells.fill_nan(None).cast(pl.String) if cells.dtype.is_float() else cells.cast(pl.String)

"""Cells as texts, as the local engine has them."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from discreet.errors import InputError
from discreet.table.row_lottery import PLAIN

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


def same_everywhere(kind: str) -> bool:
    """Whether the texts of values of a kind (`text`, or the name of their type) are those of the local engine."""
    return kind in PLAIN or kind == MOMENTS


def no_text(column: str, kind: str) -> InputError:
    """Return the error that says that a column cannot be told by texts."""
    return InputError(
        f"column {column!r} holds {kind}, which has no text, or another one on other engines; make it text first"
    )


def refuse_untold_missing(column: str, kind: str, missing: Sequence[str], backend: str) -> None:
    """Refuse a column without texts where a missing value may be written as a number: nobody could say which it is."""
    if not same_everywhere(kind) and any(text[:1].isdigit() or text[:1] in "+-.in" for text in missing):
        raise InputError(
            f"column {column!r} holds {kind}, of which {backend} cannot say whether a value has one "
            "of the texts under missing.values; make it text first"
        )

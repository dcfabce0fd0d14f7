"""Tables in memory of whatever kind: those of Polars as they are, others through Narwhals, which only they need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from discreet.errors import InputError

if TYPE_CHECKING:
    import narwhals as nw

Frame: TypeAlias = "pl.DataFrame | nw.DataFrame[Any]"
Cells: TypeAlias = "pl.Series | nw.Series[Any]"
"""A column of a frame."""


def frame_of(table: Any) -> Frame:
    """Return a table in memory, to be asked for columns and given others.

    Raises
    ------
    TypeError
        When it is no such table.
    InputError
        When two of its columns have the same name.
    """
    if isinstance(table, pl.DataFrame):
        return table
    import narwhals as nw

    try:
        found: nw.DataFrame[Any] = nw.from_native(table, eager_only=True)
    except nw.exceptions.DuplicateError:
        raise InputError("two columns of the table have the same name") from None
    return found.to_native() if found.implementation.is_polars() else found


def native_of(frame: Frame) -> Any:
    """Return the table as its own library has it."""
    return frame if isinstance(frame, pl.DataFrame) else frame.to_native()


def polars_of(frame: Frame) -> pl.DataFrame:
    """Return the table as one of Polars."""
    return frame if isinstance(frame, pl.DataFrame) else frame.to_polars()


def column_of(cells: Cells) -> pl.Series:
    """Return a column as one of Polars."""
    return cells if isinstance(cells, pl.Series) else cells.to_polars()


def is_pandas(found: Frame | Cells) -> bool:
    """Whether a table or a column is one of pandas, or of a library that does as pandas."""
    return not isinstance(found, pl.DataFrame | pl.Series) and found.implementation.is_pandas_like()


def is_arrow(found: Frame | Cells) -> bool:
    """Whether a table or a column is one of PyArrow."""
    return not isinstance(found, pl.DataFrame | pl.Series) and found.implementation.is_pyarrow()

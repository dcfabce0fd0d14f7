"""What a frame carries beside its cells must stay at home.

An index often holds names or row numbers of the source; attributes and metadata say where it came from; the
list of categories of a column names values that no released row has, and its order tells which were met first.
"""

from __future__ import annotations

from typing import Any

import polars as pl

from discreet.table.by_name import nameless
from discreet.table.frames import Frame, frame_of, is_arrow, is_pandas


def without_luggage(frame: Frame) -> Frame:
    """Return the frame with its cells, names and types and nothing else."""
    if isinstance(frame, pl.DataFrame):
        return _plain_polars(frame)
    if is_pandas(frame):
        return frame_of(_plain_pandas(frame.to_native()))
    return frame_of(_plain_arrow(frame.to_native())) if is_arrow(frame) else frame


def _plain_pandas(frame: Any) -> Any:
    frame = frame.reset_index(drop=True)
    frame.attrs = {}
    frame.columns.name = None
    for name in frame.columns:
        if hasattr(frame[name], "cat"):
            frame[name] = _plain_categories(frame[name].cat.remove_unused_categories())
        elif frame[name].dtype == object:
            absent = frame[name].isna()
            if len({type(value) for value in frame[name][absent]}) > 1:  # None and NaN could be told apart
                frame[name] = frame[name].where(~absent, None)
    return frame


def _plain_categories(column: Any) -> Any:
    """Return a column whose categories stand in the order of their texts, unless the owner gave them an order.

    As they are first met in the source they would tell of rows that are hidden, or in which order the rows once were.
    """
    if column.cat.ordered:
        return column
    return column.cat.set_categories(sorted(column.cat.categories, key=str))


def _plain_polars(frame: pl.DataFrame) -> pl.DataFrame:
    shrunk = []
    for column in frame.iter_columns():
        if isinstance(column.dtype, pl.Enum):
            used = set(nameless(column).drop_nulls().cast(pl.String).unique())
            kept = [category for category in column.dtype.categories if category in used]
            if len(kept) < len(column.dtype.categories):
                shrunk.append(nameless(column).cast(pl.String).cast(pl.Enum(kept)).alias(column.name))
    return frame.with_columns(shrunk)


def _plain_arrow(table: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    columns = []
    for column in table.columns:
        if pa.types.is_dictionary(column.type):
            plain = pc.cast(column, column.type.value_type)
            column = pc.dictionary_encode(plain).unify_dictionaries().cast(column.type)
        columns.append(column)
    fields = [field.remove_metadata() for field in table.schema]
    return pa.table(columns, schema=pa.schema(fields))

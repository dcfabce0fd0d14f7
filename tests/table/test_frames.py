"""Tables of Polars are asked without Narwhals: the answers are those that Narwhals would give."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal

import narwhals as nw
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discreet.errors import InputError
from discreet.table.frames import frame_of, is_arrow, is_pandas, native_of, polars_of
from discreet.table.texts import as_texts, has_text

SERIES = [
    *(
        pl.Series([1, None, 3], dtype=kind)
        for kind in (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.Int128, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64)
    ),
    pl.Series([1.5, None], dtype=pl.Float32),
    pl.Series([1.5, None], dtype=pl.Float64),
    pl.Series([Decimal("1.50"), None]),
    pl.Series(["a", None]),
    pl.Series(["a", None], dtype=pl.Categorical),
    pl.Series(["a", None], dtype=pl.Enum(["b", "a"])),
    pl.Series([True, None]),
    pl.Series([date(2020, 1, 2), None]),
    pl.Series([datetime(2020, 1, 2, 3), None]),  # noqa: DTZ001
    pl.Series([time(3, 4), None]),
    pl.Series([timedelta(1), None]),
    pl.Series([timedelta(1), None])[1:],
    pl.Series([b"a", None]),
    pl.Series([b"a", None])[1:],
    pl.Series([None, None]),
    pl.Series([], dtype=pl.Null),
    pl.Series([[1], None]),
    pl.Series([[1], None])[1:],
    pl.Series([[1, 2], None], dtype=pl.Array(pl.Int64, 2)),
    pl.Series([{"a": 1}, None]),
    pl.Series([object(), None], dtype=pl.Object),
]


@pytest.mark.parametrize("series", SERIES, ids=lambda series: f"{series.dtype} {len(series)}")
def test_columns_have_a_text_form_as_narwhals_has_it(series: pl.Series) -> None:
    wrapped = nw.from_native(series, series_only=True)
    assert has_text(series) == has_text(wrapped)
    answers: list[object] = []
    for asked in (series, wrapped):
        try:
            found = as_texts(asked, "x")
            answers.append((found.kind, found.values.to_list()))
        except InputError as error:
            answers.append(str(error))
    assert answers[0] == answers[1]


def test_a_frame_is_held_as_its_library_has_it() -> None:
    plain = pl.DataFrame({"a": [1]})
    assert frame_of(plain) is plain
    assert native_of(frame_of(nw.from_native(plain))) is plain
    pandas, arrow = frame_of(pd.DataFrame({"a": [1]})), frame_of(pa.table({"a": [1]}))
    assert (is_pandas(plain), is_pandas(pandas), is_pandas(arrow)) == (False, True, False)
    assert (is_arrow(plain), is_arrow(pandas), is_arrow(arrow)) == (False, False, True)
    assert isinstance(native_of(arrow), pa.Table)
    assert all(polars_of(frame).equals(plain) for frame in (plain, pandas, arrow))


def test_what_is_no_table_or_has_a_name_twice_is_refused() -> None:
    with pytest.raises(TypeError):
        frame_of([1, 2])
    with pytest.raises(InputError, match="the same name"):
        frame_of(pd.DataFrame([[1, 2]], columns=["a", "a"]))

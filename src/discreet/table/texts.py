"""Columns of any kind of table as texts: what is counted is what can be told apart in the release.

Two cells with the same text must be the same to whoever gets the release. Where a column could hold values
that differ although their texts do not (a pandas column of mixed Python objects, NaN beside null), it is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

import polars as pl

from discreet.errors import InputError
from discreet.table.by_name import nameless
from discreet.table.frames import Cells, Frame, column_of, is_arrow, is_pandas

_TEXTS = (pl.String, pl.Categorical, pl.Enum)
_WITH_TEXT = (*_TEXTS, pl.Boolean, pl.Date, pl.Datetime, pl.Time, pl.Object)
"""Types of Polars, besides numbers, whose values have a text form; objects may."""
_PLAIN_OBJECTS = {str, int, float, bool, date, Decimal}
"""Types of Python objects whose values differ exactly when their texts do; one of them in a column, not several."""


@dataclass(frozen=True)
class Texts:
    """A column as texts (null where there is no value) and the kind of values it held."""

    values: pl.Series
    kind: str


def has_text(series: Cells) -> bool:
    """Whether the values of a column have a text form (nested, binary and the like have none)."""
    return _has_text_type(series) and _is_plain(series)


def as_texts(series: Cells, name: str) -> Texts:
    """Return a column of any kind of table as texts."""
    if not _is_plain(series):
        raise _mixed(name)
    if not _has_text_type(series):
        raise InputError(f"column {name!r} holds {series.dtype}, which has no text form; only plain values can be used")
    try:
        if (printed := _long_numbers(series)) is not None:
            return printed
        values = nameless(column_of(series))
        if values.dtype.is_float():
            values = _nan_is_missing(values, name)
        kind = "text" if isinstance(values.dtype, _TEXTS) or values.dtype == pl.Null else str(values.dtype)
        return Texts(values.cast(pl.String), kind)
    except InputError:
        raise
    except ModuleNotFoundError as error:
        raise InputError(f"reading this kind of table needs {error.name}; install discreet[pandas]") from None
    except (Exception, pl.exceptions.PanicException):
        raise _mixed(name) from None


def differences(ours: Cells, theirs: Cells) -> pl.Series:
    """Return where two columns without a text form differ."""
    try:
        mine, source = nameless(column_of(ours)), nameless(column_of(theirs))
        if mine.dtype != source.dtype:
            return pl.repeat(True, len(mine), eager=True)
        return ~mine.eq_missing(source)
    except (Exception, pl.exceptions.PanicException):  # kinds that only their own library knows
        pairs = zip(ours.to_list(), theirs.to_list(), strict=True)
        return pl.Series([one is not other and repr(one) != repr(other) for one, other in pairs], dtype=pl.Boolean)


def printed(series: Cells) -> pl.Series:
    """Return how each value of a column without a text form prints: enough to look for its like, not to compare it."""
    return pl.Series([repr(value) for value in series.to_list()], dtype=pl.String)


def like(frame: Frame, name: str, texts: pl.Series) -> Any:
    """Return texts as a column of the same kind of table as `frame`."""
    texts = texts.alias(name)
    if isinstance(frame, pl.DataFrame):
        return texts
    import narwhals as nw

    native: Any = texts
    if is_pandas(frame):
        native = texts.to_pandas()
        native.index = frame.to_native().index
    elif is_arrow(frame):
        import pyarrow as pa

        native = pa.chunked_array([texts.to_arrow().cast(pa.string())])
    return nw.from_native(native, series_only=True).alias(name)


def _mixed(name: str) -> InputError:
    return InputError(f"column {name!r} mixes kinds of values; make it all text first")


def _has_text_type(series: Cells) -> bool:
    if isinstance(series, pl.Series):
        return _is_known(series.dtype) or (_is_unknown(series.dtype) and series.null_count() == len(series))
    import narwhals as nw

    kind = series.dtype
    if isinstance(kind, nw.Unknown) and series.null_count() == len(series):
        return True  # a column without any value has no type of its own
    return not kind.is_nested() and not isinstance(kind, (nw.Binary, nw.Duration, nw.Unknown))


def _is_known(kind: pl.DataType) -> bool:
    """Whether values of this type of Polars have a text form."""
    return kind.is_numeric() or isinstance(kind, _WITH_TEXT)


def _is_unknown(kind: pl.DataType) -> bool:
    """Whether it is not known if values of this type have a text form: of none, or of somebody's own type."""
    return not kind.is_nested() and not isinstance(kind, pl.Binary | pl.Duration)


def _is_plain(series: Cells) -> bool:
    """Whether no two values that differ have the same text: always, but for pandas columns of Python objects."""
    if isinstance(series, pl.Series) or not is_pandas(series):
        return True
    native = series.to_native()
    values = native.cat.categories.to_series() if hasattr(native, "cat") else native
    if values.dtype != object:
        return True
    kinds = set(map(type, values.dropna()))
    # Decimals in a list of categories would be made texts by Arrow, to which 1.0 and 1.00 are one.
    return len(kinds) <= 1 and kinds <= (_PLAIN_OBJECTS - {Decimal} if hasattr(native, "cat") else _PLAIN_OBJECTS)


def _long_numbers(series: Cells) -> Texts | None:
    """Return decimals, and integers beyond 64 bits, in pandas columns of Python objects by their own texts."""
    if isinstance(series, pl.Series) or not is_pandas(series) or series.to_native().dtype != object:
        return None
    import narwhals as nw

    native = series.to_native()
    kinds = set(map(type, native.dropna()))
    long = kinds == {int} and not native.dropna().between(-(2**63), 2**63 - 1).all()
    if kinds != {Decimal} and not long:
        return None
    printed = nw.from_native(native.map(str, na_action="ignore"), series_only=True)
    return Texts(nameless(printed.to_polars()).cast(pl.String), "Decimal" if kinds == {Decimal} else "Int")


def _nan_is_missing(values: pl.Series, name: str) -> pl.Series:
    if not values.is_nan().any():
        return values
    if values.null_count():
        raise InputError(f"column {name!r} has both NaN and null; make them one, for they could be told apart")
    return values.fill_nan(None)

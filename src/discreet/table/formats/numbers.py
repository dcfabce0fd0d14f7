"""Numbers as people write them: whole ones without a point, so that what a program keeps as a float reads `1`."""

from __future__ import annotations

from datetime import time

import polars as pl

WHOLE = 1e15
"""Whole numbers below this are written out; a float holds each of them exactly."""


def number_texts(values: pl.Series) -> pl.Series:
    """Return the texts of floats; what is no number is missing.

    >>> number_texts(pl.Series([1.0, 2.5, None, float("nan")])).to_list()
    ['1', '2.5', None, None]
    """
    values = values.fill_nan(None)
    whole = (values == values.round(0)) & (values.abs() < WHOLE)
    digits = pl.when(pl.col("whole")).then(pl.col("value")).otherwise(0.0).cast(pl.Int64).cast(pl.String)
    told = pl.when(pl.col("whole")).then(digits).otherwise(pl.col("value").cast(pl.String))
    return pl.DataFrame({"value": values, "whole": whole}).select(told.alias(values.name)).to_series()


def as_numbers(texts: pl.Series) -> pl.Series | None:
    """Return the floats that texts are, where `number_texts` gives every text back; None where one is no such number.

    >>> as_numbers(pl.Series(["1", "2.5", None])).to_list(), as_numbers(pl.Series(["007", "1"]))
    ([1.0, 2.5, None], None)
    """
    sample = texts.head(1000).cast(pl.Float64, strict=False)
    if sample.null_count() > texts.head(1000).null_count():
        return None
    values = texts.cast(pl.Float64, strict=False)
    if values.null_count() != texts.null_count() or values.null_count() == len(values) or not values.is_finite().all():
        return None
    return values if number_texts(values).eq_missing(texts).all() else None


def moment_texts(moments: pl.Series) -> pl.Series:
    """Return points in time as ISO: as dates where no cell of the column has a time of day.

    >>> moments = pl.Series(["2020-01-02 00:00", "2020-01-02 10:30"]).str.to_datetime()
    >>> moment_texts(moments).to_list()
    ['2020-01-02 00:00:00', '2020-01-02 10:30:00']
    """
    if moments.dtype == pl.Date or (moments.dt.time() == time(0)).all():
        return moments.cast(pl.Date).cast(pl.String)
    whole = (moments.dt.microsecond() == 0).all()
    return moments.dt.strftime("%Y-%m-%d %H:%M:%S" if whole else "%Y-%m-%d %H:%M:%S%.6f")

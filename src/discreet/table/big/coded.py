"""Counting and fetching by streaming Polars with codes instead of texts: a tenth of the memory.

Texts become codes by a list of those that occur (`Enum`), and the codes of all columns one number. Polars cannot stream
`replace_strict`, so texts are looked up by codes here, some rows at a time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import polars as pl

from discreet.table.encode import Ints, smallest

LARGEST_KEY = 2**62
ERROR = 1.1
"""How far a number of different values may be off where it is only estimated."""

Collect = Callable[[pl.LazyFrame], pl.DataFrame]


def domains(texts: pl.LazyFrame, rows: int, most: int, collect: Collect) -> list[pl.Series] | None:
    """Return the texts that occur in each column, in code-point order; None where one has more than `most`."""
    names = texts.collect_schema().names()
    if rows > most:
        about = collect(texts.select(pl.col(name).approx_n_unique() for name in names)).row(0)
        if max(about, default=0) > ERROR * most:
            return None
    found = [collect(texts.select(pl.col(name).unique())).to_series().drop_nulls().sort() for name in names]
    return None if any(len(values) > most for values in found) else found


def counted(texts: pl.LazyFrame, rows: int, most: int, collect: Collect) -> pl.DataFrame | None:
    """Return the different combinations of texts, as Enums, with their number as `rows`; None for more than `most`.

    Where there may be more, they are estimated first: no more than `most` of them are ever held, give or take a tenth.
    """
    values = domains(texts, rows, most, collect)
    if values is None:
        return None
    names = texts.collect_schema().names()
    parts = _parts([len(column) + 1 for column in values])
    codes = [
        pl.col(name).cast(pl.Enum(column)).to_physical().cast(pl.Int64).fill_null(len(column))
        for name, column in zip(names, values, strict=True)
    ]
    keys = {f"key {at}": _packed(codes, values, part).alias(f"key {at}") for at, part in enumerate(parts)}
    if min(rows, math.prod(len(column) + 1 for column in values)) > most:
        whole = pl.struct(list(keys.values())).hash() if len(keys) > 1 else keys["key 0"]
        if collect(texts.select(whole.approx_n_unique())).item() > ERROR * most:
            return None
    found = collect(texts.select(**keys).group_by(list(keys)).agg(pl.len().cast(pl.Int64).alias("rows")))
    if found.height > most:
        return None
    cells: list[pl.Series] = []
    for key, part in zip(keys, parts, strict=True):
        cells += _unpacked(found.get_column(key), [values[at] for at in part])
        found = found.drop(key)
    return pl.DataFrame([cell.alias(name) for cell, name in zip(cells, names, strict=True)]).with_columns(found)


def _parts(sizes: Sequence[int]) -> list[range]:
    """Divide columns into runs whose codes fit into one number each."""
    parts, start, bound = [], 0, 1
    for at, size in enumerate(sizes):
        if bound * size > LARGEST_KEY:
            parts.append(range(start, at))
            start, bound = at, 1
        bound *= size
    return [*parts, range(start, len(sizes))]


def _packed(codes: Sequence[pl.Expr], values: Sequence[pl.Series], part: range) -> pl.Expr:
    key = codes[part.start]
    for at in part[1:]:
        key = key * (len(values[at]) + 1) + codes[at]
    return key


def _unpacked(keys: pl.Series, values: Sequence[pl.Series]) -> list[pl.Series]:
    """Return the columns whose codes were put into one number, the last of them in its smallest places."""
    found: list[pl.Series] = []
    for column in reversed(values):
        codes = (keys % (len(column) + 1)).to_numpy()
        keys = keys // (len(column) + 1)
        if len(column):
            cells = pl.Series(codes.astype(smallest(len(column) + 1)))
            found.append(cells.set(cells == len(column), None).cat.to(pl.Enum(column)))
        else:
            found.append(pl.Series([None], dtype=pl.String).new_from_index(0, len(codes)))
    return found[::-1]


def mapped(cells: pl.Expr, old: pl.Series, new: pl.Series, default: pl.Expr) -> pl.Expr:
    """Return something else for some texts, null among them, and a default for the rest."""
    known = old.is_not_null()
    found = default
    if known.any():
        codes = cells.cast(pl.Enum(old.filter(known)), strict=False).to_physical()
        told = codes.map_batches(partial(_gathered, new.filter(known)), return_dtype=new.dtype, is_elementwise=True)
        found = pl.when(codes.is_null()).then(default).otherwise(told)
    if known.all():
        return found
    of_null = new.filter(~known).item()
    return pl.when(cells.is_null()).then(pl.lit(of_null, new.dtype)).otherwise(found)


def placed(places: pl.Expr, old: pl.Series, new: pl.Series, default: pl.Expr) -> pl.Expr:
    """Return something else for some places (ascending), and a default for the rest."""
    found = places.map_batches(partial(_found, old), return_dtype=pl.UInt32, is_elementwise=True)
    told = found.map_batches(partial(_gathered, new), return_dtype=new.dtype, is_elementwise=True)
    return pl.when(found.is_null()).then(default).otherwise(told)


def among(places: pl.Expr, some: Ints) -> pl.Expr:
    """Return whether places are among some (ascending)."""
    return places.map_batches(
        partial(_found, pl.Series(some)), return_dtype=pl.UInt32, is_elementwise=True
    ).is_not_null()


def _gathered(new: pl.Series, codes: pl.Series) -> pl.Series:
    return new.gather(codes.cast(pl.UInt32))


def _found(old: pl.Series, places: pl.Series) -> pl.Series:
    """Return where each place stands among some; null where it does not."""
    have, wanted = old.to_numpy(), places.to_numpy()
    at = np.minimum(np.searchsorted(have, wanted), max(len(have) - 1, 0))
    here = have[at] == wanted if len(have) else np.zeros(len(wanted), dtype=np.bool_)
    return pl.Series(at.astype(np.uint32)).set(pl.Series(~here), None)

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

from discreet.encoded import Combinations, Ints
from discreet.table.by_name import by_name
from discreet.table.stores.keys import Keys
from discreet.table.stores.packing import ERROR, Packing

Collect = Callable[[pl.LazyFrame], pl.DataFrame]


def domains(texts: pl.LazyFrame, rows: int, most: int, collect: Collect) -> list[tuple[str | None, ...]] | None:
    """Return the texts that occur in each column, in code-point order; None where one has more than `most`."""
    names = texts.collect_schema().names()
    if rows > most:
        about = collect(texts.select(by_name(name).approx_n_unique() for name in names)).row(0)
        if max(about, default=0) > ERROR * most:
            return None
    found = [collect(texts.select(by_name(name).unique())).to_series().sort(nulls_last=False) for name in names]
    return None if any(len(values) > most for values in found) else [tuple(values.to_list()) for values in found]


def counted(
    texts: pl.LazyFrame, columns: Sequence[str], rows: int, most: int, collect: Collect, name: str
) -> Combinations | None:
    """Return the different combinations of texts, the columns under other names; None where there are more than `most`.

    Where there may be more, they are estimated first: no more than `most` of them are ever held, give or take a tenth.
    """
    values = domains(texts, rows, most, collect)
    if values is None:
        return None
    packing = Packing(columns, values)
    codes = []
    for place, column in enumerate(texts.collect_schema().names()):
        known = pl.Series(packing.known(place), dtype=pl.String)
        codes.append((by_name(column).cast(pl.Enum(known)).to_physical().cast(pl.Int64) + 1).fill_null(0))
    keys = {f"key {at}": number for at, number in enumerate(packing.numbers(codes))}
    if min(rows, math.prod(map(len, values))) > most:
        whole = (
            pl.struct([number.alias(key) for key, number in keys.items()]).hash() if len(keys) > 1 else keys["key 0"]
        )
        if collect(texts.select(whole.approx_n_unique())).item() > ERROR * most:
            return None
    found = collect(texts.select(**keys).group_by(list(keys)).agg(pl.len().cast(pl.Int64).alias("rows")))
    if found.height > most:
        return None
    numbers = [found.get_column(key).to_numpy() for key in keys]
    return packing.read(numbers, found.get_column("rows").to_numpy(), name)


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


def key_of(keys: Keys, cell: Callable[[str], pl.Expr]) -> pl.Expr:
    """Return the key of each row; null where a text is in no combination."""
    places = []
    for masked in keys.masks.columns:
        values = pl.Series(masked.values, dtype=pl.String)
        numbers = pl.Series(range(len(values)), dtype=pl.Int64)
        places.append(mapped(cell(masked.column), values, numbers, pl.lit(None, pl.Int64)))
    if keys.steps is None:
        return pl.concat_str(places, separator=" ")
    weighed = [place * step for place, step in zip(places, keys.steps, strict=True)]
    return sum(weighed[1:], start=weighed[0])


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

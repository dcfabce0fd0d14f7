"""Single columns of a large table, fetched row by row as codes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.encoded import Encoded, Ints, smallest
from discreet.table.by_name import nameless
from discreet.table.stores.cells import texts_of
from discreet.table.stores.files import changed
from discreet.table.stores.store import Store

if TYPE_CHECKING:
    from discreet.table.stores.engine import BigEngine


def fetched(store: Store, column: str, domain: tuple[str | None, ...], rows: int, name: str) -> Encoded:
    """Return a column as codes of its values; refuse a table (called `name`) that has come to have others."""
    known = pl.Enum([value for value in domain if value is not None])
    codes = np.empty(rows, dtype=smallest(max(len(domain), 1)))
    offset, at = int(None in domain), 0
    for part in store.parts([column]):
        texts = texts_of(nameless(part.to_series()))
        try:
            physical = texts.cast(known).to_physical().cast(pl.Int64)
        except pl.exceptions.InvalidOperationError:
            raise changed(name) from None
        codes[at : at + len(texts)] = (physical + offset).fill_null(0).to_numpy()
        at += len(texts)
    if at != rows:
        raise changed(name)
    return Encoded(domain, codes)


def fetched_texts(table: BigEngine, column: str) -> pl.Series:
    """Return a column as texts, row by row; refused where too many would have to be fetched."""
    table.refuse_strange([column])
    table.refuse_rows(1)
    parts = [texts_of(nameless(part.to_series())) for part in table.store.parts([column])]
    texts = pl.concat([pl.Series([], dtype=pl.String), *parts])
    if len(texts) != table.rows:
        raise changed(table.name)
    return texts


def hashes(store: Store, column: str) -> Ints:
    """Return a number for each value of a column without texts: enough to look for its like."""
    found = [nameless(part.to_series()).hash(seed=0).to_numpy() for part in store.parts([column])]
    return np.concatenate([np.zeros(0, dtype=np.uint64), *found]).astype(np.int64)


def as_one(one: Encoded, other: Encoded) -> tuple[Ints, Ints]:
    """Return two columns as codes that are equal where the values are."""
    place = {value: at for at, value in enumerate(dict.fromkeys([*one.domain, *other.domain]))}
    mine, theirs = (
        np.array([place[value] for value in found.domain], dtype=np.int64)[found.codes] for found in (one, other)
    )
    return mine, theirs

"""How a release is made by streaming Polars: what is told of columns, which rows are masked, the cells."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.encoded import Ints
from discreet.table.by_name import by_name
from discreet.table.row_lottery import PLAIN, taken
from discreet.table.stores.keys import Keys
from discreet.table.stores.store import Making
from discreet.table.stores.stream import coded

if TYPE_CHECKING:
    from discreet.table.stores.stream.store import StreamStore


class StreamSteps:
    """How a release is made, step by step: what is told of columns, which rows are masked, the cells."""

    def __init__(self, store: StreamStore, making: Making) -> None:
        self.store, self.making = store, making
        self.place, frame = store.placed()
        self.masked, self.key = store.free_name("masked"), store.free_name("key")
        masks = making.masks
        mapped_ = [name for name in making.maps if making.becomes_text(name) or masks is not None]
        self.texts = {name: store.free_name(f"told {at}") for at, name in enumerate(mapped_)}
        frame = frame.with_columns(self._mapped(name).alias(alias) for name, alias in self.texts.items())
        found = [
            store.text(name).is_in(map_.gone.implode(), nulls_equal=True)
            for name, map_ in making.maps.items()
            if len(map_.gone)
        ]
        if masks is not None:
            keys = Keys(masks)
            frame = frame.with_columns(self._key(keys).alias(self.key))
            if len(keys.whole):
                found.append(by_name(self.key).is_in(keys.whole.implode()).fill_null(False))
            if len(keys.partly):
                found.append(coded.among(by_name(self.place), np.sort(self._drawn(keys, frame))))
        flag = pl.any_horizontal(found) if found else pl.lit(False)
        self.told = frame.with_columns(flag.alias(self.masked))

    def _mapped(self, column: str) -> pl.Expr:
        """Return what the map makes of a column."""
        text, table = self.store.text(column), self.making.maps[column].table
        table = table.filter(pl.col("value").ne_missing(pl.col("text")))
        return coded.mapped(text, table.get_column("value"), table.get_column("text"), text)

    def _text(self, column: str) -> pl.Expr:
        """Return what is told of a column, before rows are masked."""
        return by_name(self.texts[column]) if column in self.texts else self.store.text(column)

    def _key(self, keys: Keys) -> pl.Expr:
        """Return the key of each row; null where a text is in no masked combination."""
        return coded.key_of(keys, lambda column: self._edited(column, self._text(column)))

    def _edited(self, column: str, cells: pl.Expr) -> pl.Expr:
        """Return a column with its edits."""
        if column not in self.making.edits:
            return cells
        edits = self.making.edits[column]
        return coded.placed(by_name(self.place), edits.get_column("place"), edits.get_column("text"), cells)

    def _drawn(self, keys: Keys, frame: pl.LazyFrame) -> Ints:
        """Return the places of the rows that the lot takes of some combinations."""
        store = self.store
        texts = [name for name in self.making.columns if store.kinds[name] in PLAIN]
        held = [store.text(name).alias(f"{at}") for at, name in enumerate(texts)]
        some = frame.filter(by_name(self.key).is_in(keys.partly.implode()).fill_null(False))
        found = store.collect(some.select(by_name(self.place).alias("place"), by_name(self.key).alias("key"), *held))
        columns = [found.get_column(f"{at}") for at in range(len(texts))]
        chosen = taken(columns, keys.numbers(found.get_column("key")), keys.wanted, keys.masks.salt)
        return found.get_column("place").to_numpy()[chosen].astype(np.int64)

    def released(self, column: str) -> pl.Expr:
        """Return what is released of a column."""
        making = self.making
        if not making.becomes_text(column):
            return plain(by_name(column), self.store.schema[column])
        cells = self._text(column)
        if making.marks(column):
            cells = pl.when(by_name(self.masked)).then(pl.lit(making.marker, pl.String)).otherwise(cells)
        return self._edited(column, cells)


def plain(cells: pl.Expr, kind: pl.DataType) -> pl.Expr:
    """Return a column without a list of categories, which may name values that no released row has."""
    return cells.cast(pl.String) if isinstance(kind, (pl.Categorical, pl.Enum)) else cells

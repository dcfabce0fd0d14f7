"""How a release is made by DuckDB: what is told, which rows are masked, the cells; one query inside the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from discreet.encoded import Ints
from discreet.table.row_lottery import PLAIN, taken
from discreet.table.stores.cells import texts_of
from discreet.table.stores.duck.session import Session, literal
from discreet.table.stores.keys import Keys
from discreet.table.stores.packing import FEW, LONGEST
from discreet.table.stores.store import Making, Map

if TYPE_CHECKING:
    from discreet.table.stores.duck.store import DuckStore

MOST_STEPS = 256
"""Where there are more values, they are looked up by so many comparisons at most."""
MOST_BITS = 2**24
"""Keys below this are looked up in a string of bits."""


class NumberedMap:
    """What a map makes of a column: the number of what is told of each cell, and lists of what the numbers stand for.

    The numbers are looked up by the texts of the cells, in a list or, where there are many, by a few steps: values with
    the same text stand side by side then.
    """

    def __init__(self, session: Session, cell: str, map_: Map) -> None:
        self.session = session
        told = map_.table.select("text", "gone").unique(maintain_order=True).with_row_index("number", 1)
        self.texts, self.gone = told.get_column("text"), told.get_column("gone")
        numbered = map_.table.join(told, on=["text", "gone"], how="left", nulls_equal=True, maintain_order="left")
        known = numbered.filter(pl.col("value").is_not_null()).sort("number")
        of_null = numbered.filter(pl.col("value").is_null()).get_column("number")
        place = session.place(cell, known.get_column("value"))
        if len(known) <= LONGEST or len(told) > MOST_STEPS:
            numbers = known.get_column("number").cast(pl.Int64)
            number = f"list_extract({session.listed(numbers)}, {place})"
        else:
            runs = known.get_column("number").rle().struct.unnest()
            ends = runs.get_column("len").cum_sum().to_list()[:-1]
            step = " + ".join(["1", *(f"CAST({place} > {end} AS BIGINT)" for end in ends)])
            number = f"list_extract({session.listed(runs.get_column('value').cast(pl.Int64))}, {step})"
        self.number = f"coalesce({number}, {of_null.item()})" if len(of_null) else number

    def text(self, number: str) -> str:
        """Return the text of a number."""
        return f"list_extract({self.session.listed(self.texts)}, {number})"

    def is_gone(self, number: str) -> str:
        """Return whether rows with a number are masked."""
        return f"list_extract({self.session.listed(self.gone)}, {number})"

    def among(self, number: str, values: Sequence[str | None]) -> str:
        """Return the place among some texts of what is told; null where it is not there."""
        place = {value: at for at, value in enumerate(values)}
        places = pl.Series([place.get(text) for text in self.texts], dtype=pl.Int64)
        return f"list_extract({self.session.listed(places)}, {number})"


class DuckSteps:
    """How a release is made, by one query inside the other: what is told, which rows are masked, the cells."""

    def __init__(self, store: DuckStore, making: Making, *, writes: bool = False) -> None:
        self.store, self.making, self.session = store, making, store.session
        masks = making.masks
        changing = [name for name in making.maps if making.becomes_text(name) or len(making.maps[name].gone)]
        changing += [name for name in (masks.names if masks is not None else ()) if name in making.maps]
        self.maps = {
            name: NumberedMap(self.session, store.text(name), making.maps[name]) for name in dict.fromkeys(changing)
        }
        same = self._same() if writes else {}
        cells = [store.cell(name) for name in store.columns]
        self.keys = None if masks is None else Keys(masks)
        placed = bool(making.edits) or making.drops or (self.keys is not None and len(self.keys.partly) > 0)
        source = store.placed() if placed else f"(SELECT {', '.join(cells)} FROM {store.source})"
        numbers = [f"{told.number} AS {self._number(name)}" for name, told in (self.maps | same).items()]
        self.told = f"SELECT {', '.join(['*', *numbers])} FROM {source}"
        flags = [f"({told.is_gone(self._number(name))})" for name, told in self.maps.items() if told.gone.any()]
        if masks is not None:
            flags.append(f"({self._mask()})")
        self.masks = bool(flags)
        self.told = f"SELECT *, {' OR '.join(flags) or 'false'} AS m FROM ({self.told})"
        self.kept = self._only()
        self.few = self._few(same) if writes else {}
        """What stands for the texts of columns with few of them, by number; the marker is the last one."""

    def _same(self) -> dict[str, NumberedMap]:
        """Return the columns of texts that do not change and have few of them, as if each became itself."""
        making, same = self.making, {}
        for name in making.columns:
            if making.becomes_text(name) or name in self.maps:
                continue
            values = self.store.few_values(name)
            if values is not None and len(values):
                nothing = pl.DataFrame({"value": values, "text": values}).with_columns(gone=pl.lit(False))
                same[name] = NumberedMap(self.session, self.store.text(name), Map(nothing))
        return same

    def _only(self) -> str:
        """Return the rows that are released."""
        making = self.making
        where = ["NOT m"] if making.removes else []
        if making.left_out is not None:
            bits = self.session.bits(making.left_out, self.store.rows)
            where.append(f"get_bit({bits}, CAST(r AS INTEGER)) = 0")
        return f"(SELECT * FROM ({self.told}){' WHERE ' + ' AND '.join(where) if where else ''})"

    def _few(self, same: dict[str, NumberedMap]) -> dict[str, str]:
        """Return the texts of columns that have few of them, but only those that are released: others stay secret."""
        released = {name: told for name, told in self.maps.items() if self.making.becomes_text(name)}
        few = {
            name: told
            for name, told in (released | same).items()
            if len(told.texts) <= FEW and name not in self.making.edits
        }
        if not few:
            return {}
        used: Sequence[int | None] = [-1] * len(few)
        marked = 0
        if self.masks or self.making.drops:
            asked = []
            for name in few:
                shown = "NOT m" if self.making.marks(name) else "true"
                asked.append(f"bit_or(CAST(1 AS BIGINT) << {self._number(name)}) FILTER (WHERE {shown})")
            asked.append("count(*) FILTER (WHERE m)")
            *used, marked = self.session.run(f"SELECT {', '.join(asked)} FROM {self.kept}")[0]
        found = {}
        for (name, told), bits in zip(few.items(), used, strict=True):
            texts = [text if (bits or 0) >> number & 1 else None for number, text in enumerate(told.texts, 1)]
            texts.append(self.making.marker if marked and self.making.marks(name) else None)
            if any(text is not None for text in texts):
                found[name] = self.session.typed(pl.Series(texts, dtype=pl.String))
        return found

    def _number(self, column: str) -> str:
        return f"x{self.store.columns.index(column)}"

    def _text(self, column: str) -> str:
        """Return what the maps make of a column."""
        return self.maps[column].text(self._number(column)) if column in self.maps else self.store.text(column)

    def _edited(self, column: str, cell: str) -> str:
        if column not in self.making.edits:
            return cell
        edits = self.making.edits[column]
        places = edits.get_column("place")
        found = self.session.lookup("CAST(r AS VARCHAR)", places.cast(pl.String), edits.get_column("text"), cell)
        bits = self.session.bits(places.to_numpy(), self.store.rows)  # few rows are looked up
        return f"CASE WHEN get_bit({bits}, CAST(r AS INTEGER)) = 1 THEN {found} ELSE {cell} END"

    def _mask(self) -> str:
        """Return whether a row is masked as one of a combination; its key is made first."""
        keys = self.keys
        assert keys is not None
        places = [f"({self._place(masked.column, masked.values)})" for masked in keys.masks.columns]
        if keys.steps is None:
            key = " || ' ' || ".join(places)
        else:
            key = " + ".join(f"{place} * {step}" for place, step in zip(places, keys.steps, strict=True))
        self.told = f"SELECT *, {key} AS k FROM ({self.told})"
        found = [self._has(keys.whole)] if len(keys.whole) else []
        if len(keys.partly):
            drawn = self.session.bits(self._drawn(self._has(keys.partly)), self.store.rows)
            found.append(f"get_bit({drawn}, CAST(r AS INTEGER)) = 1")
        return " OR ".join(f"({flag})" for flag in found)

    def _has(self, keys: pl.Series) -> str:
        """Return whether the key of a row is among some."""
        assert self.keys is not None
        if self.keys.bound <= MOST_BITS:
            bits = self.session.bits(keys.to_numpy().astype(np.int64), self.keys.bound)
            return f"(k IS NOT NULL AND get_bit({bits}, CAST(k AS INTEGER)) = 1)"
        return f"TRY_CAST(CAST(k AS VARCHAR) AS {self.session.enum(keys.cast(pl.String))}) IS NOT NULL"

    def _place(self, column: str, values: Sequence[str | None]) -> str:
        """Return the place of what is told of a column among the texts of masked combinations."""
        if column in self.maps and column not in self.making.edits:
            return self.maps[column].among(self._number(column), values)
        cell = self._edited(column, self._text(column))
        known = pl.Series([value for value in values if value is not None], dtype=pl.String)
        numbers = pl.Series([at for at, value in enumerate(values) if value is not None], dtype=pl.Int64)
        of_null = values.index(None) if None in values else "NULL"
        if not len(known):
            return f"CASE WHEN {cell} IS NULL THEN {of_null} END"
        return f"CASE WHEN {cell} IS NULL THEN {of_null} ELSE {self.session.lookup(cell, known, numbers, 'NULL')} END"

    def _drawn(self, is_some: str) -> Ints:
        """Return the places of the rows that the lot takes of some combinations."""
        keys, store = self.keys, self.store
        assert keys is not None
        held = [store.cell(name) for name in self.making.columns]
        found = self.session.fetch(f"SELECT {', '.join(['r', 'k', *held])} FROM ({self.told}) WHERE {is_some}")
        found = found.sort("r")  # equal rows are numbered as they stand
        named = zip(self.making.columns, held, strict=True)
        columns = [texts_of(found.get_column(cell)) for name, cell in named if store.kinds[name] in PLAIN]
        chosen = taken(columns, keys.numbers(found.get_column("k")), keys.wanted, keys.masks.salt)
        return found.get_column("r").to_numpy()[chosen].astype(np.int64)

    def released(self) -> list[str]:
        """Return what is released of each column."""
        return [self._released(name) for name in self.making.columns]

    def _released(self, column: str) -> str:
        if column in self.few:
            number = self._number(column)
            if self.making.marks(column):
                number = f"CASE WHEN m THEN {len(self.maps[column].texts) + 1} ELSE {number} END"
            return f"list_extract({self.few[column]}, {number})"
        if not self.making.becomes_text(column):
            return self.store.cell(column)
        cell = self._text(column)
        if self.making.marks(column):
            cell = f"CASE WHEN m THEN {literal(self.making.marker)} ELSE {cell} END"
        return self._edited(column, cell)

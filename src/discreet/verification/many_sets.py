"""Many sets of known columns, counted on texts that are read once for all sets.

Guarantee: groups and rows are those that the engine counts set by set; combinations of texts are put together here, by
whole numbers. Where only rows count, it is first said in which set the smallest group stands, and only that is counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from discreet.encoded import Ints
from discreet.table.engine import Engine, Recount

FEWEST_SETS, MOST_ROWS = 8, 2_000_000
"""Fewer sets are counted one by one; so are those of a table that is held elsewhere, or too large to be held twice."""
_SPARSE = 16
"""Places that there may be for each combination; where a set has more, its combinations are sorted."""
_LARGEST = 2**62


def serves(table: Engine, sets: Sequence[Sequence[str]]) -> bool:
    """Whether the texts of all sets together are read at once."""
    return len(sets) >= FEWEST_SETS and table.row_wise and 0 < table.rows <= MOST_ROWS


class ReadOnce:
    """A table of which some columns were read: groups on any of them are counted without the table."""

    def __init__(self, table: Engine, columns: Sequence[str]) -> None:
        self.table = table
        columns = tuple(dict.fromkeys(columns))
        found = table.recount(columns, None, (), ())
        self.rows_of = found.rows
        self.texts = dict(zip(columns, found.texts.iter_columns(), strict=True))
        self.codes = {
            name: texts.rank("dense").fill_null(0).to_numpy().astype(np.int64) for name, texts in self.texts.items()
        }
        self.widths = {name: int(of.max(initial=0)) + 1 for name, of in self.codes.items()}

    def __getattr__(self, name: str) -> Any:
        """Return what the table has."""
        return getattr(self.table, name)

    def smallest_in(self, sets: Sequence[tuple[str, ...]]) -> int:
        """Return the place of the first of the sets on which a group is as small as on none of the others."""
        best, fewest = 0, self.table.rows + 1
        for place, names in enumerate(sets):
            key, room = self._key(names)
            groups = _sums(key, self.rows_of, room)
            rows = int(groups[groups > 0].min())
            if rows < fewest:
                best, fewest = place, rows
            if fewest == 1:
                break
        return best

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> Recount:
        """Count the groups of rows with equal texts on `given`, as an engine does."""
        if not given or not all(name in self.codes for name in [*given, *([] if column is None else [column])]):
            return self.table.recount(given, column, values, hidden)
        _, first, which = np.unique(self._key(given)[0], return_index=True, return_inverse=True)
        which, rows = which.reshape(-1), self.rows_of
        hits = np.zeros((len(first), len(values)), dtype=np.int64)
        unknown = np.zeros(len(first), dtype=np.int64)
        if column is not None:
            texts = self.texts[column]
            for place, value in enumerate(values):
                has = texts.eq_missing(pl.Series([value], dtype=pl.String)).to_numpy()
                hits[:, place] = _sums(which[has], rows[has], len(first))
            silent = texts.is_in(list(hidden), nulls_equal=True).to_numpy()
            unknown = _sums(which[silent], rows[silent], len(first))
        told = pl.DataFrame([self.texts[name][first].alias(f"given {place}") for place, name in enumerate(given)])
        return Recount(told, _sums(which, rows, len(first)), hits, unknown)

    def _key(self, names: Sequence[str]) -> tuple[Ints, int]:
        """Return a number for each combination, equal where the texts of some columns are, and what is above all."""
        many = len(self.rows_of)
        key, room = np.zeros(many, dtype=np.int64), 1
        for name in names:
            if room > _LARGEST // self.widths[name]:
                key, room = _dense(key)
            key, room = key * self.widths[name] + self.codes[name], room * self.widths[name]
        return (key, room) if room <= _SPARSE * many + 1_000 else _dense(key)


def _dense(key: Ints) -> tuple[Ints, int]:
    found, which = np.unique(key, return_inverse=True)
    return which.reshape(-1).astype(np.int64), len(found)


def _sums(which: npt.NDArray[Any], rows: Ints, many: int) -> Ints:
    """Return the sums of the rows of each group: whole numbers below 2**53, which floats hold exactly."""
    return np.bincount(which, weights=rows, minlength=many).astype(np.int64)

"""The engine for large tables: counts are fetched, everything else happens where the rows live.

What is fetched: the distinct combinations of the columns that the policy counts with (`MOST_COMBINATIONS` at most) and,
where single cells are protected or a release is attacked, single columns as codes (`MOST_CODES` in all). More is
refused before it is fetched.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.errors import InputError
from discreet.table.big.store import Store
from discreet.table.encode import Combinations, Encoded, Ints, encode
from discreet.table.form import Form

MOST_COMBINATIONS = 20_000_000
MOST_CODES = 400_000_000
PLAIN = ("text", "Boolean", "Date", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64")
"""Kinds of columns whose texts are the same everywhere."""


class BigEngine:
    """A table that lives in a store."""

    def __init__(
        self,
        store: Store,
        form: Form | None = None,
        *,
        dropped: int = 0,
        numbers: Ints | None = None,
        base: BigEngine | None = None,
    ) -> None:
        self.store, self.form, self.dropped = store, form or Form(), dropped
        self._numbers, self._base = numbers, base
        self._counted: dict[tuple[str, ...], Combinations] = {}
        self._codes: dict[str, Encoded] = {}
        self.suppressed = self.removed = self.unseen = 0

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in order."""
        return self.store.columns

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.store.rows

    def kind(self, column: str) -> str:
        """Return the kind of values of a column: text, or the name of their type."""
        return self.store.kinds[column]

    def has_text(self, column: str) -> bool:
        """Whether the values of a column have the same text on every engine."""
        return self.kind(column) in PLAIN

    def _refuse_strange(self, columns: Sequence[str]) -> None:
        for column in columns:
            if not self.has_text(column):
                raise InputError(
                    f"column {column!r} holds {self.kind(column)}, whose texts differ from engine to engine; make it "
                    "text first, or use the local engine"
                )

    def count(self, columns: Sequence[str]) -> Combinations:
        """Return the distinct combinations of the columns with their counts, for the planner."""
        key = tuple(columns)
        if key not in self._counted:
            self._refuse_strange(key)
            self._counted[key] = combinations(self.store.count(key), key, self.rows)
        return self._counted[key]

    def encoded(self, column: str) -> Encoded:
        """Return a column as codes, row by row; refused where too many would have to be fetched."""
        if column not in self._codes:
            self._refuse_strange([column])
            if (len(self._codes) + 1) * self.rows > MOST_CODES:
                raise InputError(
                    f"this needs single rows: {len(self._codes) + 1} columns of {self.rows:,} rows are more than the "
                    f"{MOST_CODES:,} cells that are fetched from an engine; protect fewer rows, or ask for less"
                )
            self._codes[column] = encode(self.store.texts(column))
        return self._codes[column]

    def numbers(self) -> Ints:
        """Return the row number of the input (from 1) of each row."""
        return np.arange(1, self.rows + 1) if self._numbers is None else self._numbers

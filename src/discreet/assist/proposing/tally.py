"""The different values of a column, with their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.common.values import as_text
from discreet.errors import InputError
from discreet.policy import FileOptions
from discreet.policy.places import column_hint

if TYPE_CHECKING:
    from discreet.table.source import Table


@dataclass(frozen=True)
class ValueTally:
    """The different values of a column in code-point order, with their rows; cells without a value are counted.

    Those that stand for a missing value (`missing`) are left out.
    """

    column: str
    values: tuple[str, ...]
    rows: tuple[int, ...]
    blank: int = 0
    missing: frozenset[str] = frozenset()

    @property
    def total(self) -> int:
        """Number of rows that have a value."""
        return sum(self.rows)


def count_values(
    table: Table, column: str, missing: Sequence[object] = (), file: FileOptions | None = None
) -> ValueTally:
    """Return the different values of a column of a table with their rows, without those that stand for none."""
    import polars as pl  # not for whoever has counted already

    from discreet.table.source import open_source

    source = open_source(table, file or FileOptions())
    if column not in source.columns:
        hint = column_hint(column, source.columns) or f" among the {len(source.columns)}; has it a header line?"
        raise InputError(f"the table has no column {column!r}{hint}")
    texts = source.texts(column)
    absent = frozenset(texts_of(missing, "missing"))
    counted = pl.DataFrame({"value": texts}).drop_nulls().group_by("value").len().sort("value")
    gone = counted["value"].is_in(["", *absent])
    blank = texts.null_count() + int(counted.filter(counted["value"] == "")["len"].sum())
    kept = counted.filter(~gone)
    return ValueTally(column, tuple(kept["value"].to_list()), tuple(kept["len"].to_list()), blank, absent)


def texts_of(values: Sequence[object], name: str) -> list[str]:
    """Return values as the texts they have in a table; None, which has none, is left out."""
    try:
        texts = [as_text(value) for value in values]
    except ValueError:
        raise InputError(f"{name}: write texts or numbers") from None
    return [text for text in texts if isinstance(text, str)]

"""A table in memory whose groups are counted by codes instead of texts: for what is told of it, not for promises.

Equal texts have equal codes, so the groups are the same. Who verifies a release counts its texts.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
import polars as pl

from discreet.encoded import Combinations, Ints, keys
from discreet.table.engine import Recount
from discreet.table.local import LocalEngine


class CountedByCodes(LocalEngine):
    """The same table; what was read and encoded of it is shared."""

    def __init__(self, table: LocalEngine) -> None:
        vars(self).update(vars(table))

    def recount(
        self, given: Sequence[str], column: str | None, values: Sequence[str | None], hidden: Sequence[str | None]
    ) -> Recount:
        """Count the groups of rows with equal codes on `given`, from the combinations of these and the column.

        Combinations stand in the order of their codes: those of a group one after the other.
        """
        counted = self.count([*given, *([] if column is None else [column])])
        sizes = [len(counted.domain(name)) for name in given]
        key, _ = keys([counted.code(name) for name in given], sizes, len(counted.counts))
        starts = np.flatnonzero(np.diff(key, prepend=-1)) if given else np.zeros(1, dtype=np.int64)
        texts = {
            f"given {place}": pl.Series(counted.domain(name), dtype=pl.String).gather(counted.code(name)[starts])
            for place, name in enumerate(given)
        }
        hits = np.empty((len(starts), len(values)), dtype=np.int64)
        for place, value in enumerate(values):
            hits[:, place] = _sums(_rows_with(counted, column, [value]), starts)
        hiding = _sums(_rows_with(counted, column, hidden), starts)
        return Recount(pl.DataFrame(texts), _sums(counted.counts, starts), hits, hiding)


def _rows_with(counted: Combinations, column: str | None, texts: Collection[str | None]) -> Ints:
    """Return how many rows of each combination have one of some texts in a column."""
    if column is None:
        return np.zeros_like(counted.counts)
    marks = np.array([text in texts for text in counted.domain(column)], dtype=np.bool_)
    return np.where(marks[counted.code(column)], counted.counts, 0)


def _sums(rows: Ints, starts: Ints) -> Ints:
    """Return the sums of rows from each start to the next."""
    return np.add.reduceat(rows, starts) if len(rows) else np.zeros_like(starts)

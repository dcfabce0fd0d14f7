"""Counting with large tables: counts are taken where the rows live, or follow from others that were taken already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.encoded import Combinations
from discreet.errors import InputError
from discreet.table.stores import counts
from discreet.table.stores.files import changed

if TYPE_CHECKING:
    from discreet.table.stores.engine import BigEngine

MOST_NAMES = 1_000_000
"""Different values of an identifier that are counted."""


class Counting:
    """What was counted of one table."""

    def __init__(self) -> None:
        self._counted: dict[tuple[str, ...], Combinations] = {}

    def count(self, table: BigEngine, columns: tuple[str, ...]) -> Combinations:
        """Return the distinct combinations of the columns with their counts."""
        if columns not in self._counted:
            known = self.known(columns)
            self._counted[columns] = known if known is not None else _count(table, columns)
        return self._counted[columns]

    def known(self, columns: tuple[str, ...]) -> Combinations | None:
        """Return counts that follow from others that were taken already."""
        wider = [key for key in self._counted if set(columns) <= set(key)]
        if not wider:
            return None
        return counts.projected(self._counted[min(wider, key=lambda key: len(self._counted[key].counts))], columns)


def _count(table: BigEngine, columns: tuple[str, ...]) -> Combinations:
    if _follows(table, columns):
        making = table.making
        assert table.counts_from is not None
        assert making is not None
        gone = [name for name, map_ in making.maps.items() if len(map_.gone) and name not in columns]
        of_base = table.counts_from.count((*columns, *gone))
        return counts.released(of_base, columns, making.maps, making.marker, removes=making.removes)
    table.refuse_strange(columns)
    most = table.limits.combinations
    counted = table.store.count(columns, most)
    if counted is None:
        raise InputError(
            f"{table.name}: the columns that the policy counts with have more than {most:,} different combinations, "
            f"{table.limits.why(most)}name fewer columns, or make some coarser"
        )
    if int(counted.counts.sum()) != table.rows:
        raise changed(table.name)
    return counted


def _follows(table: BigEngine, columns: Sequence[str]) -> bool:
    """Whether counts on some columns follow from those of the base and the maps, before any row is masked."""
    making = table.making
    if table.base is None or making is None:
        return False
    return making.masks is None and making.left_out is None and not set(making.edits) & set(columns)


def occurring(table: BigEngine, column: str) -> tuple[str | None, ...]:
    """Return the values of a column of the rows that are there, whatever a plan would make of those of its base."""
    if table.base is None:
        return table.count([column]).domains[0]
    most = table.limits.combinations
    found = table.store.count([column], most)
    if found is None:
        raise InputError(
            f"column {column!r} has more than {most:,} different values, {table.limits.why(most)}make it coarser"
        )
    return found.domains[0]


def named(table: BigEngine, column: str, missing: Sequence[str | None]) -> tuple[int, int] | None:
    """Return how many rows have a value in a column, and how many different ones; None where these are many."""
    most = min(MOST_NAMES, table.limits.combinations)
    counted = table.store.count([column], most) if table.has_text(column) else None
    if counted is None:
        return None
    told = np.array([text is not None and text not in missing for text in counted.domain(column)], dtype=np.bool_)
    rows = counted.rows(column)[told]
    return int(rows.sum()), len(rows)

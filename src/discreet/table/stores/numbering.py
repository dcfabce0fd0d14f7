"""Row numbers of large tables: which row of the input each row is, as far back as tables were made of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from discreet.encoded import Ints
from discreet.table.row_numbers import no_such_row, places_of_numbers

if TYPE_CHECKING:
    from discreet.table.stores.engine import BigEngine


def all_numbers(table: BigEngine) -> Ints:
    """Return the row number of the input (from 1) of each row."""
    places = None if table.is_whole() else table.store.places()
    if table.base is None:
        return np.arange(1, table.rows + 1)
    of_base = table.base.numbers()
    return of_base if places is None else of_base[places]


def numbers_at(rows: Ints, table: BigEngine) -> Ints:
    """Return the numbers of some rows (from 0, ascending); 0 where rows have none."""
    if not table.is_ordered():
        return np.zeros_like(rows)
    if table.known_numbers is not None:
        return table.known_numbers[rows]
    places = rows if table.is_whole() else table.store.places_at(rows)
    return places + 1 if table.base is None else numbers_at(places, table.base)


def places_of(numbers: Sequence[int], table: BigEngine) -> Ints:
    """Return where the rows with these numbers (ascending) of the input stand."""
    table.refuse_unordered()
    if table.base is not None or table.known_numbers is not None:
        return places_of_numbers(numbers, table.numbers())
    wanted = np.asarray(numbers, dtype=np.int64)
    if len(wanted) and (wanted[0] < 1 or wanted[-1] > table.rows):
        raise no_such_row()
    return wanted - 1

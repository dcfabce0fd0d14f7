"""From counted combinations to masks, and from masks to the rows that they mean."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from discreet.encoded import Combinations, Encoded, Ints, places_among
from discreet.plan.masks import ALL, Masked, Masks
from discreet.table.row_lottery import Flags, taken
from discreet.table.row_numbers import no_such_rows


def masks_of(counted: Combinations, rows: Ints, salt: str) -> Masks | None:
    """Return so many rows of each combination as masks; None where there are none at all.

    >>> found = Combinations(("job",), ((None, "cook"),), (np.array([0, 1], dtype=np.uint8),), np.array([5, 7]))
    >>> masks_of(found, np.array([0, 7]), "").to_dict()
    {'columns': [{'column': 'job', 'values': ('cook',), 'of_combination': '0'}], 'rows': '-1', 'salt': ''}
    """
    here = np.flatnonzero(rows)
    if not len(here):
        return None
    whole = rows[here] == counted.counts[here]
    columns = []
    for name, domain, codes in zip(counted.columns, counted.domains, counted.codes, strict=True):
        occurring, places = np.unique(codes[here], return_inverse=True)
        columns.append(Masked(name, tuple(domain[code] for code in occurring.tolist()), tuple(places.tolist())))
    numbers = np.where(whole, ALL, rows[here])
    return Masks(tuple(columns), tuple(numbers.tolist()), "" if whole.all() else salt)


def mask_of(masks: Masks, encoded: Callable[[str], Encoded], rows: int) -> Ints:
    """Return for each row or combination of a table the place of its combination among the masks; -1 for none."""
    mine, theirs, sizes = [], [], []
    for masked in masks.columns:
        column = encoded(masked.column)
        places = {value: place for place, value in enumerate(column.domain)}
        found = np.array([places.get(value, len(places)) for value in masked.values], dtype=np.int64)
        mine.append(column.codes)
        theirs.append(found[np.array(masked.of_combination, dtype=np.int64)])
        sizes.append(len(places) + 1)
    return places_among(mine, theirs, sizes, rows, len(masks.rows))


def masked_rows(
    masks: Masks, encoded: Callable[[str], Encoded], rows: int, texts: Callable[[Ints], Sequence[pl.Series]]
) -> Flags:
    """Say which rows of a recoded table are meant.

    `texts` gives the source's texts of the rows at some places, column by column.

    Raises
    ------
    InputError
        When the table does not have so many rows of a combination: it is not the one the masks were made for.
    """
    mask = mask_of(masks, encoded, rows)
    wanted = np.array(masks.rows, dtype=np.int64)
    if (np.bincount(mask + 1, minlength=len(wanted) + 1)[1:] < np.abs(wanted)).any():
        raise no_such_rows()
    meant = np.append(wanted == ALL, False)[mask]
    some = np.flatnonzero(np.append(wanted != ALL, False)[mask])
    if len(some):
        meant[some] = taken(texts(some), mask[some], np.maximum(wanted, 0), masks.salt)
    return np.asarray(meant, dtype=np.bool_)

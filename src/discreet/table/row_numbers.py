"""Rows by the numbers that they have in the input, from 1."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from discreet.encoded import Ints
from discreet.errors import InputError


def places_of_numbers(numbers: Sequence[int] | Ints, have: Ints) -> Ints:
    """Return where the rows with some numbers stand among those that a table has (ascending).

    >>> places_of_numbers([4, 7], np.array([2, 4, 7])).tolist()
    [1, 2]

    Raises
    ------
    InputError
        When the table has no row with one of the numbers: it is not the one that the plan was made for.
    """
    wanted = np.asarray(numbers, dtype=np.int64)
    found = np.searchsorted(have, wanted)
    if len(wanted) and (found.max() >= len(have) or (have[found] != wanted).any()):
        raise no_such_row()
    return found.astype(np.int64)


def no_such_row() -> InputError:
    """Return the error that says that a plan is about a row which is not there."""
    return InputError("the plan names a row that the table does not have")


def no_such_rows() -> InputError:
    """Return the error that says that a plan is about more rows of a combination than there are."""
    return InputError("the plan names rows that the table does not have")

"""Any so many of many columns: what there is to know before a search counts in all sets of them."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

from discreet.encoded import Combinations
from discreet.policy import Policy
from discreet.policy.requirements.any_of import AnyOf, sets_of

MANY_COUNTED = 5_000_000
"""Rows times sets of known columns from which on a search takes long: a step counts the rows in all sets anew."""


def set_warnings(policy: Policy, counted: Combinations) -> Iterator[str]:
    """Yield a warning for each promise of which a search counts the rows in very many sets of columns."""
    rows = len(counted.counts)
    for given in dict.fromkeys(promise.given for promise in policy.promises()):
        sets = len(sets_of(given))
        if isinstance(given, AnyOf) and sets > 1 and sets * rows >= MANY_COUNTED:
            yield long_search(given.many, len(given) - len(given.also), sets, rows)


def long_search(many: int, of: int, sets: int, rows: int) -> str:
    """Return what there is to know of a promise over any so many of some columns.

    >>> long_search(3, 30, 4060, 2000)[:80]
    'any 3 of 30 columns are 4,060 sets, and each step of the search counts 2,000 row'
    """
    fewer = f", or write any: {many - 1} ({comb(of, many - 1):,} sets)" if many > 1 else ""
    return (
        f"any {many} of {of} columns are {sets:,} sets, and each step of the search counts {rows:,} rows in all of "
        f"them ({round(sets * rows / 1e6):,} million counts): it takes {_long(sets * rows)}; set a time limit, after "
        f"which the best release so far is taken{fewer}"
    )


def _long(counts: int) -> str:
    return "minutes" if counts < 20 * MANY_COUNTED else "hours"

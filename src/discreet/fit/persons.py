"""Rows and persons: promises about groups count rows, and a person may have many."""

from __future__ import annotations

from collections.abc import Iterator

from discreet.policy import Policy
from discreet.table.engine import Engine


def repeat_warnings(policy: Policy, source: Engine) -> Iterator[str]:
    """Yield a warning for each identifier that several rows of a table share, where a promise counts rows.

    The names of columns and counts are told, never a value. Where an engine has too many values to count, none is.
    """
    nouns = list(dict.fromkeys(promise.noun for promise in policy.promises()))
    if not nouns:
        return
    nouns.sort(key=lambda noun: noun[0] != noun[1])  # the letters first
    several = " and ".join([", ".join(noun for _, noun in nouns[:-1]), nouns[-1][1]])
    counts = f"{nouns[0][0]} counts" if len(nouns) == 1 else f"{several} count"
    for name in policy.identifiers:
        found = source.named(name, policy.missing_values)
        if found is not None and found[1] < found[0]:
            yield repeated(name, *found, counts)


def repeated(name: str, rows: int, different: int, counts: str = "k counts") -> str:
    """Return what there is to know of an identifier that several rows share; `counts` says which promise counts rows.

    >>> repeated("patient", 60, 6)[:56]
    '60 rows of 6 patient: k counts rows, and all rows of a g'
    """
    return (
        f"{rows} rows of {different} {name}: {counts} rows, and all rows of a group may be those of one {name}; "
        "release one row of each"
    )

"""Rows and persons: promises about groups count rows, and a person may have many."""

from __future__ import annotations

from collections.abc import Iterator

from discreet.encoded import Combinations
from discreet.errors import PolicyError
from discreet.policy import Policy
from discreet.table.engine import Engine


def repeat_warnings(policy: Policy, source: Engine) -> Iterator[str]:
    """Yield a warning for each identifier that several rows of a table share, where a promise counts rows.

    The names of columns and counts are told, never a value. Where an engine has too many values to count, none is.
    """
    if policy.unit is not None:
        return
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
        f"write unit: {name}"
    )


def known_ids(policy: Policy, counted: Combinations) -> None:
    """Refuse a table in which it is not known of some rows whose they are."""
    assert policy.unit is not None
    name = policy.unit.id
    rows = counted.rows(name).tolist()
    nobodys = sum(
        number
        for value, number in zip(counted.domain(name), rows, strict=True)
        if value is None or value in policy.missing_values
    )
    if nobodys:
        have = "1 row has" if nobodys == 1 else f"{nobodys} rows have"
        message = (
            f"{have} no {name!r}, and nobody knows whose they are; fill it in, or leave such rows out with "
            "missing: {rows: drop}"
        )
        raise PolicyError([policy.problem(("unit",), message)])

"""What hidden cells tell by being hidden, in words: what is refused, and what to write instead. No value is told.

Who reads a release sees which cells are hidden. If these are all cells with one value, to be hidden is to have it,
whatever a classifier makes of the rest.
"""

from __future__ import annotations

from fractions import Fraction

from discreet.common.shares import percent
from discreet.errors import TellingCells
from discreet.policy import Policy

INSTEAD = "hide other values beside them with decoys (such as decoys: 50%), or write tells: warn"


def refuse_own_values(policy: Policy) -> None:
    """Refuse cells that are chosen by their own value with nothing hidden beside them; no table is needed for that."""
    found = [
        (index, str(policy.problem(("protect", index, "where"), by_own_value(made.column))))
        for index, made in policy.cells()
        if made.by_own_value and made.tells == "refuse" and not made.decoys
    ]
    if found:
        raise TellingCells(found)


def by_own_value(column: str) -> str:
    """Say that cells are chosen by what is in them."""
    return (
        f"names {column!r}, the column of the cells themselves: whoever knows how they were chosen knows what is "
        f"hidden; choose them by rows, ids or other columns, {INSTEAD}"
    )


def all_have_it(column: str, cells: int) -> str:
    """Say that hidden cells have one value that is told nowhere any more."""
    which = "the hidden cell" if cells == 1 else f"all {cells} hidden cells"
    have = "has a value" if cells == 1 else "have one value"
    return f"{which} of {column!r} {have} that no released row has any more: to be hidden is to have it"


def too_much_alike(column: str, alike: int, cells: int, most: Fraction) -> str:
    """Say that there are too few other values among hidden cells."""
    return (
        f"of {cells} hidden cells of {column!r} {alike} have a confidential value, more than the {percent(most)} that "
        "decoys are to leave"
    )


def better_than_anybody(column: str, alike: int, cells: int, common: int, known: int) -> str:
    """Say that hidden cells tell more of themselves than is known of anybody."""
    return (
        f"of {cells} hidden cells of {column!r} {alike} have the same value, which tells more of them than what is "
        f"known of anybody (the commonest value has {common} of all {known} cells)"
    )

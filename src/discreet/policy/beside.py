"""Columns that go out as they are, beside those that are recoded: what they tell of a target already counts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from discreet.errors import Problem
from discreet.policy.places import Path

if TYPE_CHECKING:
    from discreet.policy.model import Policy


def beside(policy: Policy) -> frozenset[str]:
    """Return the columns that some use counts with as they are."""
    return frozenset(column for goal in policy.goals for column in goal.beside or ())


def beside_persons(policy: Policy) -> str | None:
    """What is asked for beside persons, who have no one row to be guessed by."""
    if policy.unit is not None and beside(policy):
        return "use: 'beside' judges single rows, and with 'unit' persons count; take 'beside' out"
    return None


def not_beside(policy: Policy, changed: set[str], edited: set[str]) -> Iterator[Problem]:
    """Yield why a column of `beside` does not go out as it is, or is nothing to reckon with; or why a target is not."""
    protected = policy.sensitive | {cell.column for _, cell in policy.cells()}
    for number, use in enumerate(policy.uses):
        here: Path = ("use", number) if isinstance(policy.use, tuple) else ("use",)
        reckons = any(path[0] == "beside" for path, _ in use.mentions())
        for path, name in use.mentions():
            if reckons and path == (use.name,) and name in protected:
                told = (
                    f"{name!r} is protected, and 'beside' would bring rows together by what other columns leave open "
                    "of it; take another target, or take 'beside' out"
                )
                yield policy.problem((*here, *path), told)
            if path[0] == "beside" and (why := _why_not(policy, name, changed, edited)):
                yield policy.problem((*here, *path), f"{name!r} {why}; take it out of 'beside'")


def _why_not(policy: Policy, name: str, changed: set[str], edited: set[str]) -> str | None:
    if name in policy.targets:
        return "is to be predicted itself"
    if name in policy.sensitive:
        return "is sensitive: what is recoded would tell of it"
    if name in changed:
        return "is recoded, so it does not go out as it is: it counts anyway"
    return "may lose single cells, so it does not go out as it is" if name in edited else None

"""What the owner should know of how a release was made: searches that were ended, and what a seed makes repeatable."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from discreet.plan.plan import Plan
from discreet.plan.removal import Removal


def gap_warnings(removal: Sequence[Removal]) -> Iterator[str]:
    """Yield where an exact search ended before it was proven best."""
    for each in removal:
        if each.gap:
            some = "1 cell" if each.gap == 1 else f"{each.gap} cells"
            yield (
                f"protect[{each.requirement}]: method: exact was ended by the time limit: at most {some} more than "
                "needed may be hidden"
            )


def seed_warnings(plan: Plan, drawn: int) -> Iterator[str]:
    """Yield what a given seed makes repeatable; that one was given is said in any case."""
    if plan.sampled is None and not drawn and not plan.cells and not plan.policy.shuffle:
        yield "a seed was given, though nothing was drawn by chance; releases are made without one"
    if plan.sampled is not None:
        yield "whoever knows the seed can tell which rows were drawn for the sample"
    if drawn:
        one, several = ("row", "rows") if plan.policy.unit is None else ("person", "persons")
        rows = f"1 {one} was" if drawn == 1 else f"{drawn} {several} were"
        yield f"{rows} suppressed by a lot that whoever knows the seed can repeat"
    if plan.policy.shuffle:
        yield "whoever knows the seed can put the rows back into their order"
    if plan.cells:
        yield "whoever knows the seed can tell which guesses were drawn for the confidential cells"

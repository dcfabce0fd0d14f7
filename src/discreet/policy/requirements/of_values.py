"""What promises about the values of one column have in common: l-diversity of every kind, and t-closeness."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
from pydantic import model_validator

from discreet.encoded import Ints
from discreet.policy.places import Path
from discreet.policy.requirements.base import Flags, GroupPromise, GroupRequirement
from discreet.policy.requirements.seen import Value, lines_for


class DifferentValues(GroupPromise):
    """A promise that counts each value of a column by itself: l-diversity."""

    noun: ClassVar[tuple[str, str]] = ("l", "l")
    value: ClassVar[None] = None
    whole: ClassVar[bool] = False

    if TYPE_CHECKING:

        @property
        def column(self) -> str:
            """The sensitive column."""

        @property
        def lines(self) -> tuple[tuple[Value, ...], ...]:
            """The different values of the table, where it is at hand."""

    def notes(self, values: Sequence[Value], known: Flags) -> Iterator[str]:
        """Yield that a cell without a value counts as one, unless the policy says what it is."""
        if any(not value and counts for value, counts in zip(values, known.tolist(), strict=True)):
            cells = f"empty cells of {self.column!r} count as a value of their own for l"
            yield f'{cells}; if they stand for missing values, write missing: {{values: [""], rows: unknown}}'

    def leaves_open(self) -> tuple[str, ...]:
        """Return that values may mean nearly the same."""
        return (
            f"values of {self.column} that mean nearly the same: they count as different",
            f"whoever knows the method: that so much is hidden of some people may tell which {self.column} they have",
        )

    def marks(self, values: Sequence[Value], known: Flags) -> Flags:
        """Return each value that tells something on a line of its own."""
        return lines_for(self.lines, values) & known


class OfColumn(GroupRequirement):
    """An item of `protect` about the column `of`, for whoever knows the columns `over`."""

    hint: ClassVar[str] = "with 'of' and 'over'"
    needs: ClassVar[dict[str, str]] = {"of": "is missing; write the sensitive column, such as of: Illness"}

    if TYPE_CHECKING:
        of: str
        over: tuple[str, ...]

    @model_validator(mode="after")
    def _not_its_own_column(self) -> Self:
        if self.of in self.over:
            raise ValueError(f"over: {self.of!r} cannot be both known and sensitive; take it out of over")
        return self

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that an adversary may know."""
        return self.over

    @property
    def sensitive(self) -> str:
        """The column whose values are counted."""
        return self.of

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield each column that it names, with its place."""
        yield ("of",), self.of
        for place, column in enumerate(self.over):
            yield ("over", place), column


def mixed(keeps: Callable[[np.ndarray], bool], tallies: Ints, all_tallies: Ints, most: int) -> int:
    """Return about how many rows, as the others are, a group needs until it `keeps` a promise; `most` if none do."""
    others = all_tallies - tallies
    share = others / max(others.sum(), 1)
    if keeps(tallies.astype(np.float64)):
        return 0
    more = 1
    while more < most and not keeps(tallies + more * share):
        more *= 2
    return min(more, most)

"""Recursive (c, l)-diversity (Machanavajjhala et al.): the commonest value is not too common beside the rare ones.

With the values of a group sorted by how common they are, the commonest has fewer than c times as many rows as all but
the l - 1 commonest together. The rows of the commonest ones of a union are at most those of both groups, so a union
keeps it. The figure is m / (m + r), with m rows of the commonest value and r of those beyond the l - 1 commonest; it
must be below c / (c + 1). Rows whose value is hidden or unknown count nowhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.encoded import Ints
from discreet.policy.requirements.amounts import amount_text, read_amount
from discreet.policy.requirements.any_of import in_short, in_words
from discreet.policy.requirements.base import GroupWords, WorstGroup
from discreet.policy.requirements.of_values import DifferentValues, mixed
from discreet.policy.requirements.seen import Value

MOST_ROWS = 2**33
"""More rows than any table has here: no two figures are nearer than one over this number and the denominator of c."""


def ratio_of(limit: Fraction) -> Fraction:
    """Return the c of a limit on the figure; limits here are a little below c / (c + 1)."""
    near = limit.limit_denominator(10**7)
    return (near / (1 - near)).limit_denominator(10**6)


def below_ratio(c: Fraction) -> Fraction:
    """Return a limit just below c / (c + 1): at most it is every figure that is below, and no other."""
    figure = c / (c + 1)
    return figure - Fraction(1, 2 * figure.denominator * MOST_ROWS)


@dataclass(frozen=True)
class RecursiveDiversity(DifferentValues):
    """Of who looks alike on `given` the commonest value of `column` is below `c` times the rarer ones together."""

    kind: ClassVar[str] = "recursive-l-diversity"
    called: ClassVar[str] = "recursive l-diversity"
    measure: ClassVar[str] = "recursive"
    threshold: ClassVar[str] = "c"
    holds_at_one: ClassVar[bool] = False
    thresholds: ClassVar[tuple[Fraction, ...] | None] = tuple(
        below_ratio(Fraction(c)) for c in ("1/4", "1/2", "3/4", "1", "3/2", "2", "5/2", "3", "4", "5", "7", "10", "20")
    )
    strict: ClassVar[bool] = True
    words: ClassVar[GroupWords] = GroupWords(
        name="recursive",
        public=("promise of recursive l-diversity", "promises of recursive l-diversity"),
        title="The commonest value of every group is at most {} the rarer ones",
        broken="The commonest value of a group is {} the rarer ones: more than was promised",
        axis="share of the commonest value beside the rarer ones, in the worst group",
        caption="The commonest value beside the rarer ones, in the worst group of each promise",
        column="Promise",
        group="Share of the commonest value beside the rarer ones",
        above="in groups where it is {} or more",
        figure="Commonest beside the rarer ones",
    )

    index: int
    given: tuple[str, ...]
    column: str
    l: int  # noqa: E741 - as the field calls it
    c: Fraction
    lines: tuple[tuple[Value, ...], ...] = field(default=(), compare=False, repr=False)

    @property
    def at_most(self) -> Fraction:
        """Just below c / (c + 1)."""
        return below_ratio(self.c)

    @property
    def stated(self) -> Fraction:
        """c / (c + 1), which no figure may reach."""
        return self.c / (self.c + 1)

    @property
    def about(self) -> tuple[str, str, int]:
        """The commonest value of a column beside those beyond the l - 1 commonest."""
        return self.kind, self.column, self.l

    @property
    def needs_rows(self) -> int:
        """There must be l different values, and a row has one."""
        return self.l

    def numbers(self, at_most: Fraction, total: int) -> Sequence[int]:
        """Return how many values are the commonest."""
        del at_most, total
        return [self.l - 1]

    def figure(self, rows: Ints, tallies: Ints) -> tuple[Ints, Ints]:
        """Return the rows of the commonest value, and these with those of the rarer ones."""
        del rows
        if not len(tallies):
            return np.zeros(tallies.shape[1], dtype=np.int64), np.ones(tallies.shape[1], dtype=np.int64)
        ordered = -np.sort(-tallies, axis=0)
        most, rarer = ordered[0], ordered[self.l - 1 :].sum(axis=0)
        return most, np.maximum(most + rarer, 1)

    def lacking(self, rows: Ints, tallies: Ints, most: int) -> Ints:
        """Return how many rows with rarer values each group lacks at least."""
        del rows
        above, below = self.figure(tallies.sum(axis=0), tallies)
        rarer = np.where(above > 0, below - above, 0)
        wanted = above.astype(object) * self.c.denominator // self.c.numerator + 1  # more than most / c
        return np.where(above > 0, np.minimum(np.maximum(wanted - rarer, 0), most), 0).astype(np.int64)

    def lacking_by_lot(self, rows: int, tallies: Ints, all_rows: int, all_tallies: Ints, most: int) -> int:
        """Return about how many rows a group lacks where the others are as usual."""
        del rows, all_rows

        def keeps(mix: np.ndarray) -> bool:
            ordered = -np.sort(-mix)
            return bool(not ordered.sum() or ordered[0] < float(self.c) * ordered[self.l - 1 :].sum())

        return mixed(keeps, tallies, all_tallies, most)

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        commonest = "the commonest" if self.l == 2 else f"the {self.l - 1} commonest"
        left = f"less than {amount_text(self.c)} times as common as all beyond {commonest} together"
        return (
            f"Whoever knows {in_words(self.given)} and sees the release finds no value of "
            f"{self.column} that is not {left}."
        )

    def cannot_be_kept(self, least: Fraction) -> str:
        """Return what an owner needs to know where no release keeps it: how common the commonest is at best."""
        if least == 1:
            return f"cannot be kept: with everything hidden a group has fewer than {self.l} values; ask for a smaller l"
        times = f"the commonest value is {self.shown(least)} the rarer ones"
        return f"cannot be kept: with everything hidden {times}; ask for a larger c, or a smaller l"

    def would_break(self, above: int, below: int) -> str:
        """Return how a group breaks it."""
        return f"a group with {above} rows of one value of {self.column} beside {below - above} of rarer ones"

    @classmethod
    def found(cls, worst: WorstGroup) -> str:
        """Return in words how common the commonest value of the worst group is."""
        if worst.share == 1:
            return "the worst group has too few values"
        return f"the commonest value of the worst group is {cls.shown(worst.share)} the rarer ones"

    @classmethod
    def stands(cls, worst: WorstGroup) -> str:
        """Return the same in short."""
        return f"commonest value: {cls.shown(worst.share)} the rarer ones"

    @classmethod
    def allows(cls, limit: Fraction) -> str:
        """Return how common the commonest value must not be."""
        return f"below {amount_text(ratio_of(limit))} times"

    @classmethod
    def shown(cls, figure: float | Fraction) -> str:
        """Return how many times as common as the rarer ones the commonest is."""
        if figure >= 1:
            return "any number of times"
        return f"{float(figure / (1 - figure)):.2f}".rstrip("0").rstrip(".") + " times"

    @classmethod
    def read_limit(cls, text: object) -> Fraction:
        """Return the limit that a c stands for."""
        found = read_amount(text)
        if not found:
            raise ValueError("write a c above 0")
        return below_ratio(found)

    @classmethod
    def limit_text(cls, limit: Fraction) -> str:
        """Return the c that a limit stands for."""
        return f"c = {amount_text(ratio_of(limit))}" if limit < 1 else "no c"

    def __str__(self) -> str:
        rarer = "rarer values" if self.l == 2 else f"values beyond the {self.l - 1} commonest"
        return f"{in_short(self.given)}: {self.column} below {amount_text(self.c)} times the {rarer}"

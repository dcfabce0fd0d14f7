"""Privacy templates (Wang, Fung, Yu): nobody who looks up a group may be too sure of a property.

In every group the share of rows with the property is at most a limit; the share in a union of groups is a mean of
theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.common.shares import percent, short_percent
from discreet.encoded import Ints
from discreet.policy.requirements.any_of import in_short, in_words
from discreet.policy.requirements.base import Flags, GroupPromise, GroupWords, WorstGroup
from discreet.policy.requirements.seen import SeenOf


@dataclass(frozen=True)
class Inference(GroupPromise):
    """One template with one property: who looks alike on `given` must not be known to have it too surely."""

    kind: ClassVar[str] = "template"
    noun: ClassVar[tuple[str, str]] = ("a template", "templates")
    called: ClassVar[str] = "a template"
    measure: ClassVar[str] = "share"
    template: ClassVar[bool] = True
    words: ClassVar[GroupWords] = GroupWords(
        name="confidence",
        public=("limit on what can be inferred of a group", "limits on what can be inferred of groups"),
        title="Nobody can be surer than {} of a protected value",
        broken="A protected value can be inferred with {}: above its limit",
        axis="confidence in the worst group",
        caption="Confidence in the worst group of each template",
        column="Template",
        group="Confidence in the group",
        above="in groups above {}",
        hits="With the value",
    )

    index: int
    given: tuple[str, ...]
    column: str
    value: str | None
    at_most: Fraction
    whole: ClassVar[bool] = False

    @property
    def about(self) -> tuple[str, str | None]:
        """The sensitive property: column and value."""
        return self.column, self.value

    def marks(self, values: Sequence[str | None], known: Flags) -> Flags:
        """Return which value is the one that must not be inferred."""
        del known
        return np.array([[value == self.value for value in values]], dtype=np.bool_)

    def of_property(self, given: tuple[str, ...], column: str, value: str, seen: SeenOf | None) -> GroupPromise:
        """Return the template of a value that says who has the property."""
        del seen
        return Inference(self.index, given, column, value, self.at_most)

    def figure(self, rows: Ints, tallies: Ints) -> tuple[Ints, Ints]:
        """Return the rows with the property, and those of which it is known."""
        hits: Ints = tallies[0]
        return hits, np.maximum(rows, 1)

    def lacking(self, rows: Ints, tallies: Ints, most: int) -> Ints:
        """Return how many rows without the property each group lacks."""
        hits, limit = tallies[0], self.at_most
        if not limit:
            return np.where(hits > 0, most, 0)
        exact = -(-hits.astype(object) * limit.denominator // limit.numerator)  # ceil(hits / limit), by integers
        return np.asarray(np.minimum(np.maximum(exact - rows, 0), most), dtype=np.int64)

    def lacking_by_lot(self, rows: int, tallies: Ints, all_rows: int, all_tallies: Ints, most: int) -> int:
        """Return about how many rows a group lacks where the others have the property as often as is usual."""
        here, limit = int(tallies[0]), self.at_most
        if here * limit.denominator <= limit.numerator * rows:
            return 0
        usual = Fraction(int(all_tallies[0]) - here, max(all_rows - rows, 1))
        return most if usual >= limit else int(-((limit * rows - here) // (limit - usual)))

    def helping(self, rows: Ints, tallies: Ints) -> Ints:
        """Return the rows without the property."""
        without: Ints = rows - tallies[0]
        return without

    def inferences(self) -> tuple[Inference, ...]:
        """Return itself."""
        return (self,)

    def sought(self) -> tuple[str | None, ...]:
        """Return the value."""
        return (self.value,)

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        value = "missing" if self.value is None else self.value
        sure = f"cannot be more than {percent(self.at_most)} sure that {self.column} is {value}"
        return f"Whoever knows {in_words(self.given)} and sees the release {sure}."

    def cannot_be_kept(self, least: Fraction) -> str:
        """Return what an owner needs to know where no release keeps it: the least share possible."""
        return (
            f"cannot be kept: with everything hidden it is still {least} ({percent(least)}); allow at least that much"
        )

    def would_break(self, above: int, below: int) -> str:
        """Return how a group with this share breaks it."""
        rows = "1 row" if below == 1 else f"{below} rows"
        return f"{above} of {rows}, {percent(Fraction(above, below or 1))} > {percent(self.at_most)}"

    @classmethod
    def found(cls, worst: WorstGroup) -> str:
        """Return in words how sure one can be in the worst group."""
        rows = worst.rows - worst.hidden
        among = f"{rows} known rows" if worst.hidden else "1 row" if rows == 1 else f"{rows} rows"
        return f"{worst.hits} of {among}, {worst.share} ({percent(worst.share)})"

    @classmethod
    def stands(cls, worst: WorstGroup) -> str:
        """Return the same in short."""
        rows = worst.rows - worst.hidden
        among = f"{rows:,} known rows" if worst.hidden else "1 row" if rows == 1 else f"{rows:,} rows"
        return f"{short_percent(worst.share)} ({worst.hits:,} of {among})"

    @classmethod
    def allows(cls, limit: Fraction) -> str:
        """Return the largest share allowed."""
        return short_percent(limit)

    def __str__(self) -> str:
        value = "a missing value" if self.value is None else self.value
        return f"{in_short(self.given)} -> {self.column} = {value}, at most {percent(self.at_most)}"

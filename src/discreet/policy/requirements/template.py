"""Privacy templates (Wang, Fung, Yu): nobody who looks up a group may be too sure of a property.

In every group the share of rows with the property is at most a limit; the share in a union of groups is a mean of
theirs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from pydantic import BeforeValidator, Field, field_serializer, field_validator, model_validator

from discreet.common.registry import listed
from discreet.common.shares import Share, percent, short_percent
from discreet.encoded import Ints
from discreet.policy.part import VALUES, Frozen, Text
from discreet.policy.places import Path
from discreet.policy.requirements.base import (
    Flags,
    GroupPromise,
    GroupRequirement,
    GroupWords,
    KnownColumns,
    ValuesOf,
    WorstGroup,
)


@dataclass(frozen=True)
class Inference(GroupPromise):
    """One template with one property: who looks alike on `given` must not be known to have it too surely."""

    kind: ClassVar[str] = "template"
    noun: ClassVar[tuple[str, str]] = ("a template", "templates")
    called: ClassVar[str] = "a template"
    measure: ClassVar[str] = "share"
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

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        value = "missing" if self.value is None else self.value
        sure = f"cannot be more than {percent(self.at_most)} sure that {self.column} is {value}"
        return f"Whoever knows the {listed(self.given, 'and')} of a person and sees the release {sure}."

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
        return f"{', '.join(self.given)} -> {self.column} = {value}, at most {percent(self.at_most)}"


def _as_values(value: object) -> object:
    if isinstance(value, Mapping):
        return {
            column: tuple(values) if isinstance(values, (list, tuple)) else (values,)
            for column, values in value.items()
        }
    return value


class Template(GroupRequirement):
    """Who shares the `given` columns must not be known to have a property with more than `at_most` confidence.

    Parameters
    ----------
    given
        The columns an adversary may know.
    infer
        One sensitive column and the value (or the values, one template each) that must not be inferred.
    at_most
        The largest confidence allowed: `"75%"`, `"0.75"`, `"3/4"` or `Fraction(3, 4)`.

    Examples
    --------
    >>> template = Template(given=["Job", "Country"], infer={"Bankruptcy": "Discharged"}, at_most="75%")
    >>> print(*template.promises(0))
    Job, Country -> Bankruptcy = Discharged, at most 75%
    """

    tag: ClassVar[str] = "infer"
    hint: ClassVar[str] = "with 'given' and 'at_most'"
    needs: ClassVar[dict[str, str]] = {
        "at_most": "is missing; write the largest share allowed, such as 75%",
        "given": "is missing; write the columns an adversary may know, such as [Job, Country]",
    }
    made: ClassVar[type[GroupPromise]] = Inference

    infer: Annotated[Mapping[str, tuple[Text, ...]], BeforeValidator(_as_values)] = Field(
        json_schema_extra={
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": VALUES,
        }
    )
    given: KnownColumns
    at_most: Share

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            given: Sequence[str],
            infer: Mapping[str, str | int | float | bool | Sequence[str | int | float | bool | None] | None],
            at_most: str | float | Fraction,
        ) -> None: ...

    @field_validator("infer")
    @classmethod
    def _one_column(cls, infer: Mapping[str, tuple[str | None, ...]]) -> Mapping[str, tuple[str | None, ...]]:
        if len(infer) != 1:
            raise ValueError("name exactly one sensitive column; write one item of protect for each")
        (values,) = infer.values()
        if not values:
            raise ValueError("name at least one value that must not be inferred")
        if len(set(values)) < len(values):
            raise ValueError("a value is listed twice")
        return Frozen(infer)

    @model_validator(mode="after")
    def _not_its_own_column(self) -> Template:
        if self.column in self.given:
            raise ValueError(f"given: {self.column!r} cannot be both known and inferred; take it out of given")
        return self

    @field_serializer("infer")
    def _short(self, infer: Mapping[str, tuple[str | None, ...]]) -> dict[str, Any]:
        return {column: values[0] if len(values) == 1 else list(values) for column, values in infer.items()}

    @property
    def column(self) -> str:
        """The sensitive column."""
        return next(iter(self.infer))

    @property
    def known(self) -> tuple[str, ...]:
        """The columns that an adversary may know."""
        return self.given

    @property
    def sensitive(self) -> str:
        """The column of which a value must not be inferred."""
        return self.column

    @property
    def values(self) -> tuple[str | None, ...]:
        """The sensitive values."""
        return self.infer[self.column]

    def promises(self, index: int, values: ValuesOf | None = None) -> Iterator[Inference]:
        """Yield one template per value; `index` is the position of this requirement in `protect`."""
        del values
        for value in self.values:
            yield Inference(index, self.given, self.column, value, self.at_most)

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield each column that it names, with its place."""
        yield ("infer", self.column), self.column
        for place, column in enumerate(self.given):
            yield ("given", place), column

    def with_limit(self, limit: Fraction) -> Self:
        """Return the same requirement with another largest confidence."""
        return self.model_copy(update={"at_most": limit})

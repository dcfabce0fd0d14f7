"""The promises a policy can make. A new requirement is one class here and one line in `Requirement`.

A group requirement holds for every group of rows that look alike on some columns. It yields promises of one
form: in every group the share of something is at most a limit. Merging whole groups never breaks such a
promise when the share of the merged group is at most the larger of the two (which is what the group methods
rest on):

- `Template` (Wang, Fung, Yu): the share of rows with the sensitive property; a mean of the two shares.
- `KAnonymity` (Iyengar; Samarati, Sweeney): one person among the rows, 1/size; smaller than both.

A cell requirement (`Confidential`) holds for single cells; it yields no such promises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    field_serializer,
    field_validator,
    model_validator,
)

from discreet.common.shares import Share, percent
from discreet.policy.confidential import Confidential
from discreet.policy.mistakes import TAGGED
from discreet.policy.part import VALUES, Frozen, Part, Text, Whole
from discreet.policy.places import Path


@dataclass(frozen=True)
class Inference:
    """One template with one property: who looks alike on `given` must not be known to have it too surely."""

    kind: ClassVar[str] = "template"

    index: int
    given: tuple[str, ...]
    column: str
    value: str | None
    at_most: Fraction

    @property
    def property(self) -> tuple[str, str | None]:
        """The sensitive property: column and value."""
        return self.column, self.value

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        value = "missing" if self.value is None else self.value
        sure = f"cannot be more than {percent(self.at_most)} sure that {self.column} is {value}"
        return f"Whoever knows the {_listed(self.given)} of a person and sees the release {sure}."

    def cannot_be_kept(self, least: Fraction) -> str:
        """Return what an owner needs to know where no release keeps it: the least share possible."""
        return (
            f"cannot be kept: with everything hidden it is still {least} ({percent(least)}); allow at least that much"
        )

    def __str__(self) -> str:
        value = "a missing value" if self.value is None else self.value
        return f"{', '.join(self.given)} -> {self.column} = {value}, at most {percent(self.at_most)}"


@dataclass(frozen=True)
class Crowd:
    """One promise of k-anonymity: who looks alike on `given` is one of at least `k`, by share at most 1/k."""

    kind: ClassVar[str] = "k-anonymity"
    column: ClassVar[None] = None

    index: int
    given: tuple[str, ...]
    k: int
    whole: bool = False
    """Whether the rows of the whole table count, of which a sample is released."""

    @property
    def at_most(self) -> Fraction:
        """The largest share that one person may be of a group."""
        return Fraction(1, self.k)

    @property
    def property(self) -> None:
        """No sensitive property: what must not be known is who it is."""
        return

    def in_words(self) -> str:
        """Return the promise as a sentence."""
        rows = f"at least {self.k} rows{' of the whole table' if self.whole else ''} that could be theirs"
        unless = ", unless they know that the person is in the sample" if self.whole else ""
        return f"Whoever knows the {_listed(self.given)} of a person finds {rows}{unless}."

    def cannot_be_kept(self, least: Fraction) -> str:
        """Return what an owner needs to know where no release keeps it: the largest smallest group."""
        rows = least.denominator
        return f"cannot be kept: with everything hidden the smallest group has {rows} row{'s' if rows > 1 else ''}"

    def __str__(self) -> str:
        return f"{', '.join(self.given)}: at least {self.k} rows alike{' in the whole table' if self.whole else ''}"


GroupPromise: TypeAlias = Inference | Crowd
"""In every group of rows alike on `given`, the share of `property` is at most `at_most`."""


def _listed(columns: Sequence[str]) -> str:
    return " and ".join(filter(None, [", ".join(columns[:-1]), columns[-1]]))


def _known_columns(columns: tuple[str, ...]) -> tuple[str, ...]:
    if not columns:
        raise ValueError("name at least one column that an adversary may know")
    if len(set(columns)) < len(columns):
        raise ValueError("a column is listed twice")
    return columns


KnownColumns = Annotated[
    tuple[str, ...],
    AfterValidator(_known_columns),
    Field(json_schema_extra={"minItems": 1, "uniqueItems": True}),
]


def _as_values(value: object) -> object:
    if isinstance(value, Mapping):
        return {
            column: tuple(values) if isinstance(values, (list, tuple)) else (values,)
            for column, values in value.items()
        }
    return value


class Template(Part):
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
    def values(self) -> tuple[str | None, ...]:
        """The sensitive values."""
        return self.infer[self.column]

    def promises(self, index: int) -> Iterator[Inference]:
        """Yield one template per value; `index` is the position of this requirement in `protect`."""
        for value in self.values:
            yield Inference(index, self.given, self.column, value, self.at_most)

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield each column that it names, with its place."""
        yield ("infer", self.column), self.column
        for place, column in enumerate(self.given):
            yield ("given", place), column


class KAnonymity(Part):
    """Every combination of released values on the columns `over` is shared by at least `k` rows.

    Parameters
    ----------
    k
        The least number of rows that look alike.
    over
        The columns an adversary may know.

    Examples
    --------
    >>> print(*KAnonymity(k=10, over=["age", "sex"]).promises(0))
    age, sex: at least 10 rows alike
    """

    k: Whole = Field(ge=1, description="the least number of rows that look alike")
    over: KnownColumns

    if TYPE_CHECKING:

        def __init__(self, *, k: int, over: Sequence[str]) -> None: ...

    def promises(self, index: int) -> Iterator[Crowd]:
        """Yield the promise; `index` is the position of this requirement in `protect`."""
        yield Crowd(index, self.over, self.k)

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield each column that it names, with its place."""
        for place, column in enumerate(self.over):
            yield ("over", place), column


TAGGED_REQUIREMENTS: dict[str, type[Part]] = {"infer": Template, "k": KAnonymity, "column": Confidential}
"""The field that tells what kind of requirement an item of `protect` is."""
TAGGED.update(TAGGED_REQUIREMENTS)


def _kind(value: Any) -> str | None:
    if isinstance(value, Mapping):
        tags = [tag for tag in TAGGED_REQUIREMENTS if tag in value]
        return tags[0] if len(tags) == 1 else None
    return next((tag for tag, kind in TAGGED_REQUIREMENTS.items() if isinstance(value, kind)), None)


Requirement = Annotated[
    Annotated[Template, Tag("infer")] | Annotated[KAnonymity, Tag("k")] | Annotated[Confidential, Tag("column")],
    Discriminator(
        _kind,
        custom_error_type="requirement",
        custom_error_message="a requirement has one of 'infer' (with 'given' and 'at_most'), 'k' (with 'over') and "
        "'column' (with 'rows', 'ids' or 'where')",
    ),
]

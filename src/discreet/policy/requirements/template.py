"""Privacy templates as a policy writes them: what must not be inferred, by whom, and how surely at most.

What is inferred is a value (or several, one template each), or one of the kinds of `value_kinds`: any value, any but
some, the absence of one, a number nearly known. The limit is a share, or so many times what is usual (`times`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import BeforeValidator, Field, field_serializer, field_validator, model_validator

from discreet.common.values import as_text
from discreet.policy.part import VALUES, Frozen
from discreet.policy.places import Path
from discreet.policy.requirements.absence import Absence
from discreet.policy.requirements.any_value import AnyValue
from discreet.policy.requirements.base import GroupPromise, GroupRequirement, KnownColumns
from discreet.policy.requirements.seen import SeenColumn, SeenOf, Value
from discreet.policy.requirements.template_promise import Inference
from discreet.policy.requirements.times import Limit, OneValue, Times, TimesUsual
from discreet.policy.requirements.value_kinds import VALUE_KINDS, ValueKind
from discreet.policy.requirements.within import Window

Inferred = tuple[Value, ...] | ValueKind
"""The values that must not be inferred, or what kind of them."""
_KINDS = "any: true, any_but: [VALUE], not: VALUE or within: 10000"


def _as_inferred(value: object) -> object:
    """Return what must not be inferred of each column: values as texts, or one of the kinds."""
    if not isinstance(value, Mapping):
        return value
    return {column: _inferred_of(inferred) for column, inferred in value.items()}


def _inferred_of(value: object) -> object:
    if isinstance(value, ValueKind):
        return value
    if isinstance(value, Mapping):
        tags = [tag for tag in VALUE_KINDS if tag in value]
        if len(tags) != 1 or len(value) != 1:
            raise ValueError(f"write a value, a list of values, or one of {_KINDS}")
        return VALUE_KINDS[tags[0]].model_validate(dict(value))
    some = value if isinstance(value, (list, tuple)) else (value,)
    return tuple(as_text(one) for one in some)


def _schema() -> dict[str, Any]:
    kinds = [
        {"type": "object", "required": [tag], "additionalProperties": False, "properties": {tag: said}}
        for tag, said in (
            ("any", {"enum": [True, "true"]}),
            ("any_but", VALUES),
            ("not", VALUES["anyOf"][0]),
            ("within", {"type": ["string", "number"]}),
        )
    ]
    return {"anyOf": [*VALUES["anyOf"], *kinds]}


class Template(GroupRequirement):
    """Who shares the `given` columns must not be known to have a property with more than `at_most` confidence.

    Parameters
    ----------
    given
        The columns an adversary may know.
    infer
        One sensitive column and the value (or the values, one template each) that must not be inferred; or `Any()`,
        `AnyBut([...])`, `Not(value)`, `Within(width)`.
    at_most
        The largest confidence allowed: `"75%"`, `"0.75"`, `"3/4"` or `Fraction(3, 4)`; or `"2x"`: twice what is usual
        in the release.

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
    makes: ClassVar[tuple[type[GroupPromise], ...]] = (Inference, AnyValue, Absence, Window, TimesUsual)

    infer: Annotated[Mapping[str, Any], BeforeValidator(_as_inferred)] = Field(
        json_schema_extra={
            "minProperties": 1,
            "maxProperties": 1,
            "additionalProperties": _schema(),
        }
    )
    given: KnownColumns
    at_most: Limit

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            given: Sequence[str],
            infer: Mapping[
                str, str | int | float | bool | Sequence[str | int | float | bool | None] | ValueKind | None
            ],
            at_most: str | float | Fraction,
        ) -> None: ...

    @classmethod
    def is_meant(cls, said: Mapping[str, Any]) -> bool:
        """Whether an item of `protect` is one of these."""
        return cls.tag in said and said[cls.tag] != "membership"

    @field_validator("infer")
    @classmethod
    def _one_column(cls, infer: Mapping[str, Inferred]) -> Mapping[str, Inferred]:
        if len(infer) != 1:
            raise ValueError("name exactly one sensitive column; write one item of protect for each")
        (values,) = infer.values()
        if isinstance(values, ValueKind):
            return Frozen(infer)
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
    def _short(self, infer: Mapping[str, Inferred]) -> dict[str, Any]:
        ((column, values),) = infer.items()
        if isinstance(values, ValueKind):
            return {column: values.plain()}
        return {column: values[0] if len(values) == 1 else list(values)}

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
    def values(self) -> tuple[Value, ...]:
        """The sensitive values, where they are named."""
        values: Inferred = self.infer[self.column]
        return () if isinstance(values, ValueKind) else values

    @property
    def kinds(self) -> tuple[ValueKind, ...]:
        """What must not be inferred: each value by itself, or what is said instead."""
        values: Inferred = self.infer[self.column]
        return (values,) if isinstance(values, ValueKind) else tuple(OneValue(value) for value in values)

    @property
    def kind_made(self) -> type[GroupPromise]:
        """The kind of promise that this one makes."""
        return TimesUsual if isinstance(self.at_most, Times) else self.kinds[0].made

    def named(self) -> tuple[Value, ...]:
        """Return the values that it names."""
        return tuple(value for kind in self.kinds for value in kind.named())

    @property
    def reads(self) -> frozenset[str]:
        """What it needs to know of the sensitive column."""
        return frozenset(what for kind in self.kinds for what in kind.reads)

    def promises(self, index: int, seen: SeenOf | None = None) -> Iterator[GroupPromise]:
        """Yield one template per value; `index` is the position of this requirement in `protect`."""
        column = None if seen is None else seen(self.column)
        for kind in self.kinds:
            if isinstance(self.at_most, Times):
                yield self.at_most.promise(index, self.given, self.column, kind, column)
            elif column is None:
                yield kind.unbound(index, self.given, self.column, self.at_most)
            else:
                yield kind.promise(index, self.given, self.column, self.at_most, kind.parts(column))

    def mentions(self) -> Iterator[tuple[Path, str]]:
        """Yield each column that it names, with its place."""
        yield ("infer", self.column), self.column
        for place, column in enumerate(self.given):
            yield ("given", place), column

    def problems(self, column: SeenColumn) -> Iterator[tuple[Path, str]]:
        """Yield what does not fit the sensitive column of a table."""
        for kind in self.kinds:
            for path, message in kind.problems(self.column, column):
                yield ("infer", self.column, *path), message

    def with_limit(self, limit: Fraction) -> Self:
        """Return the same requirement with another largest confidence."""
        return self.model_copy(update={"at_most": Times(limit) if isinstance(self.at_most, Times) else limit})

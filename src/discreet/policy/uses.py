"""What a release is for. A new use is one class here and one line in `Use`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    Tag,
    model_serializer,
    model_validator,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from discreet.policy.matrices import Amounts, Weight, write_amount
from discreet.policy.mistakes import LIST, ONE, TAGGED
from discreet.policy.part import Part

Inputs = Annotated[tuple[str, ...] | None, Field(description="the columns it is predicted from; all when absent")]


def _refuse_target(inputs: tuple[str, ...] | None, target: str) -> None:
    if inputs is None:
        return
    if not inputs or len(set(inputs)) < len(inputs):
        raise ValueError("inputs: name at least one column, each once")
    if target in inputs:
        raise ValueError(f"inputs: {target!r} is what is to be predicted; take it out")


class _Goal(Part):
    """A use that may stand in a list of uses with a weight."""

    weight: Weight = Field(default=Fraction(1), description="how much it counts in a list of uses")

    @model_validator(mode="after")
    def _weighs_something(self) -> Self:
        if not self.weight:
            raise ValueError("weight: must be more than 0; take the use out instead")
        return self

    @model_serializer(mode="wrap")
    def _only_what_differs(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out defaults: most uses are said in one word."""
        said: dict[str, Any] = plain(self)
        usual = {field.alias or name: field.default for name, field in type(self).model_fields.items()}
        own = {field.alias or name: getattr(self, name) for name, field in type(self).model_fields.items()}
        return {name: value for name, value in said.items() if own.get(name) != usual.get(name)}


class Classify(_Goal):
    """The release is for predicting `target` from the other columns.

    Examples
    --------
    >>> Classify("Rating").target
    'Rating'
    """

    positional: ClassVar[tuple[str, ...]] = ("target",)
    target: str = Field(alias="classify", description="the column to be predicted")
    inputs: Inputs = None
    costs: Amounts = Field(
        default=None, description="what it costs to take a class for another: a CSV file, or {TRUE: {TAKEN: 2.5}}"
    )
    suppressed: Literal["one", "group", "dearest"] = Field(
        default="one",
        description="what a suppressed row costs: one mistake (1), as a row of one group of all suppressed rows, or "
        "the dearest mistake about its class",
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            target: str,
            *,
            inputs: Sequence[str] | None = ...,
            costs: Mapping[str, Mapping[str, object]] | str | PurePath | None = ...,
            suppressed: Literal["one", "group", "dearest"] = ...,
            weight: object = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _inputs_fit(self) -> Classify:
        _refuse_target(self.inputs, self.target)
        return self


class Regress(_Goal):
    """The release is for predicting the number in `target` from the other columns.

    Examples
    --------
    >>> Regress("income", inputs=["age"]).inputs
    ('age',)
    """

    positional: ClassVar[tuple[str, ...]] = ("target",)
    target: str = Field(alias="regress", description="the column of numbers to be predicted")
    inputs: Inputs = None
    by: Literal["variance", "median"] = Field(
        default="variance",
        description="variance: squared distances from the mean of a group count; median: distances from its median",
    )
    suppressed: Literal["all", "group"] = Field(
        default="all",
        description="how suppressed rows count: measured from the centre of all rows, or as one group",
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            target: str,
            *,
            inputs: Sequence[str] | None = ...,
            by: Literal["variance", "median"] = ...,
            suppressed: Literal["all", "group"] = ...,
            weight: object = ...,
        ) -> None: ...

    @model_validator(mode="after")
    def _inputs_fit(self) -> Regress:
        _refuse_target(self.inputs, self.target)
        return self


class Counts(Part):
    """The release is for counting: as few hidden cells as can be."""

    name: ClassVar[str] = "counts"

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: object) -> object:
        return {} if value == cls.name else value

    @model_serializer
    def _to_name(self) -> str:
        return self.name

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"const": cls.name, "description": (cls.__doc__ or "").splitlines()[0]}


class General(_Goal):
    """The release is for anything: the least loss of detail (LM), each column by its weight."""

    name: ClassVar[str] = "general"

    if TYPE_CHECKING:

        def __init__(self, *, weight: object = ...) -> None: ...

    @model_validator(mode="before")
    @classmethod
    def _from_name(cls, value: object) -> object:
        if value == cls.name:
            return {}
        if isinstance(value, Mapping) and "general" in value:
            if value["general"] not in (True, None, "true"):
                raise ValueError("general: write {general: true, weight: 2}, or just general")
            return {name: said for name, said in value.items() if name != "general"}
        return value

    @model_serializer
    def _to_name(self) -> str | dict[str, object]:
        return self.name if self.weight == 1 else {"general": True, "weight": write_amount(self.weight)}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        weighted = {
            "type": "object",
            "properties": {"general": {"const": True}, "weight": {"type": ["number", "string"]}},
            "required": ["general"],
            "additionalProperties": False,
        }
        return {"anyOf": [{"const": cls.name}, weighted], "description": (cls.__doc__ or "").splitlines()[0]}


TAGGED_USES: dict[str, type[Part]] = {
    "classify": Classify,
    "regress": Regress,
    "counts": Counts,
    "general": General,
}
"""The word that tells which use is meant."""
TAGGED.update(TAGGED_USES)


def _kind(value: Any) -> str | None:
    if isinstance(value, Mapping):
        tags = [tag for tag in ("classify", "regress", "general") if tag in value]
        return tags[0] if len(tags) == 1 else None
    if isinstance(value, str):
        return value if value in ("counts", "general") else None
    return next((tag for tag, kind in TAGGED_USES.items() if isinstance(value, kind)), None)


Use = Annotated[
    Annotated[Classify, Tag("classify")]
    | Annotated[Regress, Tag("regress")]
    | Annotated[Counts, Tag("counts")]
    | Annotated[General, Tag("general")],
    Discriminator(
        _kind,
        custom_error_type="use",
        custom_error_message="write {classify: COLUMN}, {regress: COLUMN}, counts or general",
    ),
]


def _some_uses(uses: tuple[Any, ...]) -> tuple[Any, ...]:
    if not uses:
        raise ValueError("is an empty list; write {classify: COLUMN}, {regress: COLUMN}, counts or general")
    if any(isinstance(use, Counts) for use in uses) and len(uses) > 1:
        raise ValueError("counts stands alone; write general in a list")
    told = [(type(use), getattr(use, "target", None)) for use in uses]
    if len(set(told)) < len(told):
        raise ValueError("the same use stands there twice; write it once, with a weight")
    return uses


Uses = Annotated[
    Annotated[Use, Tag(ONE)] | Annotated[tuple[Use, ...], AfterValidator(_some_uses), Tag(LIST)],
    Discriminator(lambda value: LIST if isinstance(value, (list, tuple)) else ONE),
]
"""One use, or a list of them whose measures are added up by their weights."""

"""What a release is for. A new use is one class here and one line in `Use`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Discriminator, Field, GetJsonSchemaHandler, Tag, model_serializer, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from discreet.policy.part import Part

Inputs = Annotated[tuple[str, ...] | None, Field(description="the columns it is predicted from; all when absent")]


def _refuse_target(inputs: tuple[str, ...] | None, target: str) -> None:
    if inputs is None:
        return
    if not inputs or len(set(inputs)) < len(inputs):
        raise ValueError("inputs: name at least one column, each once")
    if target in inputs:
        raise ValueError(f"inputs: {target!r} is what is to be predicted; take it out")


class Classify(Part):
    """The release is for predicting `target` from the other columns.

    Examples
    --------
    >>> Classify("Rating").target
    'Rating'
    """

    positional: ClassVar[tuple[str, ...]] = ("target",)
    target: str = Field(alias="classify", description="the column to be predicted")
    inputs: Inputs = None

    if TYPE_CHECKING:

        def __init__(self, target: str, *, inputs: Sequence[str] | None = ...) -> None: ...

    @model_validator(mode="after")
    def _inputs_fit(self) -> Classify:
        _refuse_target(self.inputs, self.target)
        return self


class Regress(Part):
    """The release is for predicting the number in `target` from the other columns.

    Examples
    --------
    >>> Regress("income", inputs=["age"]).inputs
    ('age',)
    """

    positional: ClassVar[tuple[str, ...]] = ("target",)
    target: str = Field(alias="regress", description="the column of numbers to be predicted")
    inputs: Inputs = None

    if TYPE_CHECKING:

        def __init__(self, target: str, *, inputs: Sequence[str] | None = ...) -> None: ...

    @model_validator(mode="after")
    def _inputs_fit(self) -> Regress:
        _refuse_target(self.inputs, self.target)
        return self


class _Named(Part):
    """A use without options, written as its bare name."""

    name: ClassVar[str]

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


class Counts(_Named):
    """The release is for counting: as few hidden cells as can be."""

    name: ClassVar[str] = "counts"


class General(_Named):
    """The release is for anything: the least loss of detail (LM), each column weighing the same."""

    name: ClassVar[str] = "general"


TAGGED_USES: dict[str, type[Part]] = {
    "classify": Classify,
    "regress": Regress,
    "counts": Counts,
    "general": General,
}
"""The word that tells which use is meant."""


def _kind(value: Any) -> str | None:
    if isinstance(value, Mapping):
        tags = [tag for tag in ("classify", "regress") if tag in value]
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

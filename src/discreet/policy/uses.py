"""What a release is for. A new use is one class here and one line in `Use`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Discriminator, Field, GetJsonSchemaHandler, Tag, model_serializer, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from discreet.policy.part import Part


class Classify(Part):
    """The release is for predicting `target` from the other columns.

    Examples
    --------
    >>> Classify("Rating").target
    'Rating'
    """

    positional: ClassVar[tuple[str, ...]] = ("target",)
    target: str = Field(alias="classify", description="the column to be predicted")

    if TYPE_CHECKING:

        def __init__(self, target: str) -> None: ...


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


TAGGED_USES: dict[str, type[Part]] = {"classify": Classify, "counts": Counts, "general": General}
"""The word that tells which use is meant."""


def _kind(value: Any) -> str | None:
    if isinstance(value, Mapping):
        return "classify" if "classify" in value else None
    if isinstance(value, str):
        return value if value in TAGGED_USES and value != "classify" else None
    return next((tag for tag, kind in TAGGED_USES.items() if isinstance(value, kind)), None)


Use = Annotated[
    Annotated[Classify, Tag("classify")] | Annotated[Counts, Tag("counts")] | Annotated[General, Tag("general")],
    Discriminator(_kind, custom_error_type="use", custom_error_message="write {classify: COLUMN}, counts or general"),
]

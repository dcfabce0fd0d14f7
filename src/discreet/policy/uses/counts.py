"""The release is for counting."""

from __future__ import annotations

from typing import ClassVar

from pydantic import GetJsonSchemaHandler, model_serializer
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from discreet.policy.uses.base import ReleaseUse


class Counts(ReleaseUse):
    """The release is for counting: as few hidden cells as can be."""

    name: ClassVar[str] = "counts"
    has_fields: ClassVar[bool] = False
    is_word: ClassVar[bool] = True
    stands_alone: ClassVar[bool] = True
    weighs_columns: ClassVar[bool] = True
    whole_cells: ClassVar[bool] = True

    @model_serializer
    def _to_word(self) -> str:
        return self.name

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"const": cls.name, "description": (cls.__doc__ or "").splitlines()[0]}

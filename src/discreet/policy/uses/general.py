"""The release is for anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, ClassVar

from pydantic import GetJsonSchemaHandler, model_serializer, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from discreet.policy.matrices import write_amount
from discreet.policy.uses.base import WeightedUse


class General(WeightedUse):
    """The release is for anything: the least loss of detail (LM), each column by its weight."""

    name: ClassVar[str] = "general"
    is_word: ClassVar[bool] = True
    weighs_columns: ClassVar[bool] = True

    if TYPE_CHECKING:

        def __init__(self, *, weight: object = ...) -> None: ...

    @model_validator(mode="before")
    @classmethod
    def _with_weight(cls, value: object) -> object:
        if isinstance(value, Mapping) and cls.name in value:
            if value[cls.name] not in (True, None, "true"):
                raise ValueError("general: write {general: true, weight: 2}, or just general")
            return {field: said for field, said in value.items() if field != cls.name}
        return value

    @model_serializer
    def _to_word(self) -> str | dict[str, object]:
        return self.name if self.weight == 1 else {self.name: True, "weight": write_amount(self.weight)}

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        weighted = {
            "type": "object",
            "properties": {cls.name: {"const": True}, "weight": {"type": ["number", "string"]}},
            "required": [cls.name],
            "additionalProperties": False,
        }
        return {"anyOf": [{"const": cls.name}, weighted], "description": (cls.__doc__ or "").splitlines()[0]}

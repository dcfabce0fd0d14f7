"""Which cells are meant: confidential ones by row numbers, ids or a condition, and those that must be published."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
    model_validator,
)

from discreet.common.text_file import read_text
from discreet.errors import InputError
from discreet.policy.marks import read_marks
from discreet.policy.part import VALUES, Frozen, Part, Text, Whole


def _values_or_file(schema: dict[str, Any]) -> None:
    """Say in the JSON Schema that a file may stand in the place of the values."""
    schema["properties"]["file"] = {"type": "string", "description": "a text file with one id to a line"}
    schema["required"] = ["column"]
    schema["oneOf"] = [{"required": ["values"]}, {"required": ["file"]}]


class Ids(Part):
    """Rows by the value they have in some column, written in the policy or one to a line in a file."""

    model_config = ConfigDict(json_schema_extra=_values_or_file)

    column: str = Field(description="the column with the ids; often an identifier, which is left out of the release")
    values: tuple[Text, ...] = Field(
        json_schema_extra={"items": {"type": ["string", "number", "boolean"]}, "minItems": 1},
        description="the ids; or `file`, a text file with one to a line",
    )

    @model_validator(mode="before")
    @classmethod
    def _from_file(cls, said: Any, info: ValidationInfo) -> Any:
        if not isinstance(said, Mapping) or "file" not in said:
            return said
        if "values" in said:
            raise ValueError("file: stands beside values; keep one of them")
        name = said["file"]
        if not isinstance(name, (str, FilePath)):
            raise ValueError("file: write the name of a text file with one id to a line")
        try:
            text = read_text(FilePath((info.context or {}).get("folder", FilePath())) / name, "ids")
        except InputError as error:
            raise ValueError(f"file: {error}") from None
        ids = [line.rstrip("\r") for line in text.split("\n") if line.strip()]
        return {**{key: value for key, value in said.items() if key != "file"}, "values": ids}

    @field_validator("values")
    @classmethod
    def _some(cls, values: tuple[str | None, ...]) -> tuple[str | None, ...]:
        if not values:
            raise ValueError("name at least one id")
        if None in values:
            raise ValueError("a missing value is no id")
        return tuple(dict.fromkeys(values))


def _row_numbers(rows: tuple[int, ...] | None) -> tuple[int, ...] | None:
    if rows is None:
        return None
    if not rows:
        raise ValueError("name at least one row")
    if min(rows) < 1:
        raise ValueError("rows are counted from 1")
    if len(set(rows)) < len(rows):
        raise ValueError("a row is listed twice")
    return tuple(sorted(rows))


RowNumbers = Annotated[tuple[Whole, ...] | None, AfterValidator(_row_numbers)]
"""Row numbers of the input, from 1, each once; None where rows are chosen in another way."""


class Published(Part):
    """Cells that must be released as they are: a column, or only some of its rows."""

    column: str
    rows: tuple[Whole, ...] | None = Field(
        default=None, description="row numbers of the input, from 1; all when absent"
    )


def _as_published(value: object, info: ValidationInfo) -> object:
    """Return items with names of columns and of files replaced by what they stand for."""
    if not isinstance(value, (list, tuple)):
        return value
    items: list[object] = []
    for place, item in enumerate(value):
        if isinstance(item, Mapping) and "file" in item:
            items += _marked(item, f"item {place + 1}: file", info)
        else:
            items.append({"column": item} if isinstance(item, str) else item)
    return items


def _marked(item: Mapping[str, object], where: str, info: ValidationInfo) -> list[object]:
    """Return the cells that a file lists, column by column."""
    name = item["file"]
    if len(item) > 1:
        raise ValueError(f"{where}: stands beside other fields; write {{file: ...}} as an item of its own")
    if not isinstance(name, (str, FilePath)):
        raise ValueError(f"{where}: write the name of a text file with one row,column to a line")
    try:
        cells = read_marks(FilePath((info.context or {}).get("folder", FilePath())) / name)
    except InputError as error:
        raise ValueError(f"{where}: {error}") from None
    return [{"column": column, "rows": rows} for column, rows in cells.items()]


PublishedCells = Annotated[
    tuple[Published, ...],
    BeforeValidator(_as_published),
    Field(
        json_schema_extra={
            "items": {
                "anyOf": [
                    {"type": "string"},
                    Published.model_json_schema(),
                    {
                        "type": "object",
                        "properties": {"file": {"type": "string"}},
                        "required": ["file"],
                        "additionalProperties": False,
                    },
                ]
            }
        }
    ),
]
"""Columns, cells of some rows, or files that list cells."""


def _as_condition(value: object) -> object:
    if not isinstance(value, Mapping):
        return value
    return {
        column: tuple(values) if isinstance(values, (list, tuple)) else (values,) for column, values in value.items()
    }


def _plain_condition(where: Mapping[str, tuple[str | None, ...]] | None) -> object:
    if where is None:
        return None
    return {column: values[0] if len(values) == 1 else list(values) for column, values in where.items()}


def _some_values(where: Mapping[str, tuple[str | None, ...]] | None) -> Mapping[str, Any] | None:
    if where is not None and (not where or not all(where.values())):
        raise ValueError("write at least one column and its value, such as {Name: Bob}")
    return None if where is None else Frozen(where)


Condition = Annotated[
    Mapping[str, tuple[Text, ...]] | None,
    BeforeValidator(_as_condition),
    AfterValidator(_some_values),
    PlainSerializer(_plain_condition),
    WithJsonSchema({"type": ["object", "null"], "additionalProperties": VALUES}),
]
"""Columns and the values, any of which a row must have in each of them."""


def _each_once(columns: tuple[str, ...] | None) -> tuple[str, ...] | None:
    if columns is None:
        return None
    if not columns:
        raise ValueError("name at least one column")
    if len(set(columns)) < len(columns):
        raise ValueError("a column is listed twice")
    return columns


ColumnNames = Annotated[tuple[str, ...] | None, AfterValidator(_each_once)]
"""Some columns, each once; None for all."""

"""What JSON Schemas of audits are put together from: kinds of values, objects, lists, what may be null."""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
COUNT: Schema = {"type": "integer", "minimum": 0}
SHARE: Schema = {"type": "number", "minimum": 0, "maximum": 1}
FLAG: Schema = {"type": "boolean"}
EXACT: Schema = {"type": "string", "pattern": r"^\d+(/\d+)?$"}
ANSWER: Schema = {"enum": ["holds", "broken", "not checkable", "by lot"]}


def object_of(description: str, /, **fields: Schema) -> Schema:
    """Return an object that has these fields and no others."""
    return {
        "description": description,
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def said(part: Schema, description: str) -> Schema:
    """Return a part with its description."""
    return {**part, "description": description}


def many(part: Schema, description: str) -> Schema:
    """Return a list of parts."""
    return {"type": "array", "items": part, "description": description}


def maybe(part: Schema, description: str) -> Schema:
    """Return a part that may be null."""
    return {"anyOf": [part, {"type": "null"}], "description": description}


def by_name(part: Schema, description: str) -> Schema:
    """Return an object with any names, each with such a part."""
    return {"type": "object", "additionalProperties": part, "description": description}


def ref(name: str) -> Schema:
    """Return a part that is defined elsewhere in the schema."""
    return {"$ref": f"#/$defs/{name}"}


def interval(description: str = "Its 95% interval, by Wilson's score.") -> Schema:
    """Return two shares, the lower and the upper."""
    return {"type": "array", "items": SHARE, "minItems": 2, "maxItems": 2, "description": description}

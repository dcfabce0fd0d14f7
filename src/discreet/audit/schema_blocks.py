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


def of_persons(part: Schema) -> Schema:
    """Return a part that counts rows or, where it says so, persons who have several."""
    part["properties"]["persons"] = said(FLAG, "There, and true, where persons are counted in place of rows.")
    return part


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


def secret() -> Schema:
    """Return what is told of one secret for one set of known columns."""

    def figures(which: str) -> Schema:
        return object_of(
            f"The worst group {which}; null where nothing is known of it.",
            l=maybe(COUNT, "The fewest different values (distinct l-diversity)."),
            entropy_l=maybe(NUMBER, "The fewest equally common values as uncertain (entropy l-diversity)."),
            t=maybe(EXACT, "The largest distance from the whole table (t-closeness)."),
            beta=maybe(EXACT, "How much commoner than in the whole table a value is, less 1 (β-likeness)."),
        )

    return object_of(
        "One secret for one set of known columns.",
        known=many(TEXT, "The columns that are taken for known."),
        column=said(TEXT, "The secret."),
        distance=said({"enum": ["equal", "ordered", "tree"]}, "How far values are apart for t."),
        before=figures("of the original"),
        after=figures("of the release"),
    )


def gone_persons() -> Schema:
    """Return who was suppressed, where promises are about persons with several rows."""
    return object_of(
        "How many persons were suppressed or removed, where promises are about these and it is known.",
        suppressed=said(COUNT, "Persons whose rows are hidden on all columns that may change, or are not there."),
        of=said(COUNT, "Persons that there were."),
    )

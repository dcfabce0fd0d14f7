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


def decided_blindly() -> Schema:
    """Return what the secrets decided, where decisions are blind."""
    return object_of(
        "With `decide: blind`, and where it is known: what the secrets decided.",
        k=said(COUNT, "The first k with which every promise holds."),
        refused=many(COUNT, "Those that were asked before it."),
        of=said(COUNT, "How many there were to ask."),
        bits=said(NUMBER, "What that tells at most, of all secrets together."),
    )


def together() -> Schema:
    """Return what was found on several releases about the same people, where a ledger was given."""
    promise = object_of(
        "One promise on all releases together.",
        of=many(TEXT, "The releases that promised it."),
        index=said(COUNT, "Its position in their policy."),
        kind=said(TEXT, "Its kind."),
        promise=said(TEXT, "The promise."),
        about=said(TEXT, "What was counted: persons, the values of a release, or those shown in any release."),
        answer=said(ANSWER, "The answer."),
        persons=said(COUNT, "Persons for whom it is broken."),
        excused=said(FLAG, "Whether no release mends that, and the policy wants it reported."),
    )
    persons = object_of(
        "Persons.",
        matched=said(COUNT, "Of this release, in an earlier one."),
        new=said(COUNT, "Of this release, in no earlier one."),
        left=said(COUNT, "Of earlier releases, not in this one."),
        broken=said(COUNT, "For whom some promise is broken."),
    )
    found = object_of(
        "What this release and earlier ones tell together, where a ledger was given.",
        holds=said(FLAG, "Whether every promise holds for everybody."),
        releases=many(TEXT, "The earlier releases that were counted."),
        persons=persons,
        unlinked=many(TEXT, "Releases with persons of several rows that no row key links to rows of others; if any."),
        promises=many(promise, "The answer about each promise."),
    )
    found["required"] = [name for name in found["required"] if name != "unlinked"]
    return found


def gone_persons() -> Schema:
    """Return who was suppressed, where promises are about persons with several rows."""
    return object_of(
        "How many persons were suppressed or removed, where promises are about these and it is known.",
        suppressed=said(COUNT, "Persons whose rows are hidden on all columns that may change, or are not there."),
        of=said(COUNT, "Persons that there were."),
    )


def rehearsal() -> Schema:
    """Return what learners that know the method of blind protection get right on rows without confidential cells."""
    learner = object_of(
        "A learner that knows the method.",
        learner=said(TEXT, "Its name; `on blocks`: it reads stars as the values that they may stand for."),
        right=said(ref("rate"), "How often it is right."),
        limit=said(SHARE, "The mean limit of the values that it guesses."),
        surest=said(ref("rate"), "How often about the fifth of the cells of which it is surest."),
        surest_limit=said(SHARE, "The mean limit there."),
        passes=said(FLAG, "Whether it is right more often than a limit, beyond chance."),
    )
    return object_of(
        "The rehearsal of one confidential column.",
        column=said(TEXT, "The column."),
        rows=said(COUNT, "Rows without confidential cells that were protected as if they had one."),
        hidden=said(NUMBER, "Predictors that are hidden in such a row, on average."),
        predictors=said(COUNT, "Predictors that it has."),
        commonest=said(SHARE, "The share of the commonest value."),
        limits=many(SHARE, "The smallest and the largest limit of a value."),
        margin=maybe(TEXT, "The margin, where the rehearsal chose it."),
        learners=many(learner, "Who tried."),
    )

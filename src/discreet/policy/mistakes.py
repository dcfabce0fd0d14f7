"""From what the model found wrong to what a person should read: place, mistake, fix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel, ValidationError

from discreet.errors import Problem
from discreet.policy.places import Path, PolicySource, did_you_mean

ONE, LIST = "one use", "several uses"
"""How the model tells one use from a list of them; nobody reads that."""
TAGGED: dict[str, type[BaseModel]] = {}
"""The parts that are told apart by a field: requirements and uses, each of which says so where it stands."""
PARTS: dict[type[BaseModel], Callable[[str], type[BaseModel] | None]] = {}
"""Which part stands under which field of a part, where that is not told by a field of its own."""
_PLAIN = {
    "string_type": "write a text",
    "int_parsing": "write a whole number",
    "int_parsing_size": "write a smaller whole number",
    "int_type": "write a whole number",
    "int_from_float": "write a whole number",
    "float_parsing": "write a number",
    "float_type": "write a number",
    "bool_parsing": "write true or false",
    "bool_type": "write true or false",
    "tuple_type": "write a list, such as [Job, Country]",
    "dict_type": "write fields and values, such as {Bankruptcy: Discharged}",
    "mapping_type": "write fields and values, such as {Bankruptcy: Discharged}",
    "model_type": "write fields and values, such as {role: other}",
    "string_too_short": "write at least one character",
}


_LIKE: dict[str | int, str] = {
    "missing": '{values: ["?"], rows: drop}',
    "file": '{separator: ";"}',
    "disclosure": "{disclose: always}",
    "genetic": "{iterations: 100000}",
    "suppress": "{limit: 5%}",
    "release": "{sample: 10%}",
}
MISSING: dict[str | int, str] = {
    "rows": "is missing; write rows: drop, value or unknown",
    "sample": "is missing; write the share of the rows to release, such as 10%",
}
"""What to say of a field that is missing; requirements say it of theirs."""


def problems_of(error: ValidationError, model: type[Any], source: PolicySource) -> list[Problem]:
    """Return every mistake of a policy (or of one part of it) in the order of the file."""
    problems: list[Problem] = []
    for detail in error.errors(include_url=False, include_input=False):
        path, holder = _walk(detail["loc"], model)
        context = detail.get("ctx", {})
        kind = detail["type"]
        if kind == "extra_forbidden":
            known = _field_names(holder)
            word = str(path[-1])
            message = f"unknown field {word!r}" + (did_you_mean(word, known) or f"; known are {', '.join(known)}")
        elif kind == "missing":
            message = MISSING.get(path[-1], "is missing; add it")
        elif kind == "model_type" and path and path[0] in _LIKE:
            message = f"write fields and values, such as {_LIKE[path[0]]}"
        elif kind == "greater_than_equal":
            message = "write a number that is not negative" if not context["ge"] else f"write {context['ge']} or more"
        elif kind == "less_than_equal":
            message = f"write {context['le']} or less"
        elif kind == "literal_error":
            message = f"write one of {context['expected']}"
        elif kind == "value_error":
            path, message = _own_words(path, str(context["error"]))
        else:
            message = _PLAIN.get(kind, detail["msg"])
        problem = source.problem(path, message)
        if problem not in problems:
            problems.append(problem)
    return sorted(problems, key=lambda problem: problem.line or 0)


def _own_words(path: Path, message: str) -> tuple[Path, str]:
    """A check over several fields says `field: message`; put the field where it belongs."""
    first, colon, rest = message.partition(": ")
    return ((*path, first), rest) if colon and first.isidentifier() else (path, message)


def _walk(location: tuple[int | str, ...], model: type[Any]) -> tuple[Path, type[Any] | None]:
    """Return the path as the owner wrote it (without the model's union tags) and the part that holds its end."""
    path: list[str | int] = []
    holder: type[Any] | None = model
    at: type[Any] | None = model
    expects_tag = False
    for step in location:
        if expects_tag and isinstance(step, str) and step in TAGGED:
            at, expects_tag = TAGGED[step], False
            continue
        if path and path[0] == "file" and step in ("bool", "tuple[str, ...]"):
            continue
        if path == ["use"] and step in (ONE, LIST):
            continue
        path.append(step)
        holder = at
        expects_tag = step == "use" or (isinstance(step, int) and path[0] in ("protect", "use") and len(path) == 2)
        at = _part_at(at, step)
    return tuple(path), holder


def _part_at(model: type[Any] | None, step: int | str) -> type[Any] | None:
    """Return the part of a policy that stands under field `step`, if it is one."""
    return PARTS[model](str(step)) if model in PARTS else None


def _field_names(model: type[Any] | None) -> list[str]:
    if model is None:
        return []
    return [field.alias or name for name, field in model.model_fields.items()]

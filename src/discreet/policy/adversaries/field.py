"""An item of `against` in a policy: one of all adversaries there are, by its word or with options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import BeforeValidator, GetJsonSchemaHandler, InstanceOf, PlainSerializer
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from discreet.errors import PolicyError
from discreet.policy.adversaries.base import ADVERSARIES, Adversary
from discreet.policy.places import did_you_mean


def _as_adversary(value: object) -> object:
    if isinstance(value, Adversary):
        return value
    name: object
    options: object = {}
    known, example = ADVERSARIES.names(), "{naive_bayes: {laplace: 1}}"
    if isinstance(value, str):
        name = value
    elif isinstance(value, Mapping) and len(value) == 1:
        name, options = next(iter(value.items()))
    else:
        raise ValueError(f"write {', '.join(known[:2])}, or an adversary with options such as {example}")
    if not isinstance(name, str) or name not in known:
        raise ValueError(
            f"unknown adversary {name!r}{did_you_mean(str(name), known) or '; known: ' + ', '.join(known)}"
        )
    if options is None:
        options = {}
    if not isinstance(options, Mapping):
        raise ValueError(f"{name}: write options and values, such as {example}")
    try:
        return ADVERSARIES[name].named(name, options)
    except PolicyError as error:
        raise ValueError(f"{name}: {error.problems[0]}") from None
    except TypeError:
        raise ValueError(f"{name}: an option is a word") from None


def who_tries() -> str:
    """Return what may be written, for people."""
    *first, last = dict.fromkeys(kind.described() for kind in ADVERSARIES)
    return f"who tries: {', '.join(first)}, or {last}"


def _plain_adversary(adversary: Adversary) -> object:
    options = adversary.options()
    return {adversary.name: options} if options else adversary.name


class _AnyAdversary:
    """What may be written, as JSON Schema: made when it is asked for, of the adversaries there are then."""

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        kinds = {name: ADVERSARIES[name] for name in ADVERSARIES.names()}
        return {
            "anyOf": [
                {"enum": [name for name, kind in kinds.items() if not kind.needs_options()]},
                {
                    "type": "object",
                    "properties": {name: kind.options_schema() for name, kind in kinds.items()},
                    "additionalProperties": False,
                    "minProperties": 1,
                    "maxProperties": 1,
                },
            ]
        }


AdversaryField = Annotated[
    InstanceOf[Adversary], BeforeValidator(_as_adversary), PlainSerializer(_plain_adversary), _AnyAdversary()
]

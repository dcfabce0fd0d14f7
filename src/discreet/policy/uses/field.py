"""The field `use` of a policy: one of all uses there are, or a list of them; how people are told of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, GetCoreSchemaHandler, Tag
from pydantic_core import CoreSchema

from discreet.common.registry import listed
from discreet.policy.mistakes import LIST, ONE
from discreet.policy.uses.base import USES, ReleaseUse


def _ways() -> str:
    return f"write {listed([kind.written() for kind in USES])}"


def _kind(value: Any) -> str | None:
    if isinstance(value, Mapping):
        tags = [kind.name for kind in USES if kind.has_fields and kind.name in value]
        return tags[0] if len(tags) == 1 else None
    if isinstance(value, str):
        return value if value in USES and USES[value].is_word else None
    return next((kind.name for kind in USES if isinstance(value, kind)), None)


class _AnyUse:
    """Tells Pydantic, whenever it builds the policy, that any use of the registry may stand here."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        kinds = [Annotated[kind, Tag(kind.name)] for kind in USES]
        told = Discriminator(_kind, custom_error_type="use", custom_error_message=_ways())
        return handler.generate_schema(Annotated[reduce(or_, kinds), told])


Use = Annotated[ReleaseUse, _AnyUse()]


def _some_uses(uses: tuple[ReleaseUse, ...]) -> tuple[ReleaseUse, ...]:
    if not uses:
        raise ValueError(f"is an empty list; {_ways()}")
    if len(uses) > 1 and (alone := next((use for use in uses if use.stands_alone), None)):
        raise ValueError(f"{alone.name} stands alone; write {listed(detailed(in_list=True))} in a list")
    told = [(type(use), use.same) for use in uses]
    if len(set(told)) < len(told):
        raise ValueError("the same use stands there twice; write it once, with a weight")
    return uses


Uses = Annotated[
    Annotated[Use, Tag(ONE)] | Annotated[tuple[Use, ...], AfterValidator(_some_uses), Tag(LIST)],
    Discriminator(lambda value: LIST if isinstance(value, (list, tuple)) else ONE),
]
"""One use, or a list of them whose measures are added up by their weights."""


def detailed(*, in_list: bool = False) -> list[str]:
    """Return the words for uses that ask for detail, those that may stand in a list first (or only these)."""
    kinds = sorted((kind for kind in USES if kind.weighs_columns), key=lambda kind: kind.stands_alone)
    return [kind.written() for kind in kinds if not (in_list and kind.stands_alone)]


def beneficial() -> str:
    """Return how uses are written of which disclosure can tell what does not help them."""
    return listed([kind.written() for kind in USES if kind.knows_benefit])

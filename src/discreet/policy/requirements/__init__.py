"""The promises a policy can make: one module a requirement, each with a line here.

A group requirement holds for every group of rows that look alike on some columns (`base.py` says what it must answer).
A cell requirement (`Confidential`) holds for single cells; it yields no such promises.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from pydantic import Discriminator, GetCoreSchemaHandler, Tag
from pydantic_core import CoreSchema

from discreet.common.registry import Registry, listed
from discreet.policy.confidential import Confidential
from discreet.policy.mistakes import MISSING, TAGGED
from discreet.policy.part import Part
from discreet.policy.requirements.base import GroupPromise, GroupRequirement
from discreet.policy.requirements.k_anonymity import Crowd, KAnonymity
from discreet.policy.requirements.l_diversity import LDiversity
from discreet.policy.requirements.membership import Membership
from discreet.policy.requirements.t_closeness import TCloseness
from discreet.policy.requirements.template import Template
from discreet.policy.requirements.template_promise import Inference

REQUIREMENTS: Registry[type[GroupRequirement] | type[Confidential]] = Registry("requirement")
"""The kinds of requirements by the field that tells which is meant."""
PROMISES: dict[str, type[GroupPromise]] = {}
"""The kinds of promises about groups by their names in plans and audits."""


def register(requirement: type[GroupRequirement] | type[Confidential]) -> None:
    """Let policies have a further kind of requirement, from now on."""
    kinds = (requirement.makes or (requirement.made,)) if issubclass(requirement, GroupRequirement) else ()
    for made in kinds:
        if PROMISES.get(made.kind, made) is not made:  # verification would count it as the other one
            raise ValueError(f"there is another kind of promise {made.kind!r} already; give {made.__name__} its own")
    REQUIREMENTS.add(requirement.tag, requirement)
    TAGGED[requirement.tag] = requirement
    if issubclass(requirement, GroupRequirement):
        PROMISES.update({made.kind: made for made in kinds})
        for field, message in requirement.needs.items():
            MISSING.setdefault(field, message)


def unregister(requirement: type[GroupRequirement]) -> None:
    """Let policies have a kind of requirement no longer; its promises stay known, for what is written already."""
    del TAGGED[requirement.tag]
    REQUIREMENTS.remove(requirement.tag)


for _requirement in (
    Template,
    KAnonymity,
    LDiversity,
    TCloseness,
    Membership,
    Confidential,
):  # in the order in which people are told of them
    register(_requirement)


def _kind(value: Any) -> str | None:
    if isinstance(value, Mapping):
        tags = [kind.tag for kind in REQUIREMENTS if kind.is_meant(value)]
        return tags[0] if len(tags) == 1 else None
    return next((kind.tag for kind in REQUIREMENTS if isinstance(value, kind)), None)


class _AnyRequirement:
    """Tells Pydantic, whenever it builds the policy, that any requirement of the registry may stand here."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        kinds = [Annotated[kind, Tag(kind.tag)] for kind in REQUIREMENTS]
        ways = listed([f"'{kind.written or kind.tag}' ({kind.hint})" for kind in REQUIREMENTS], "and")
        message = f"a requirement has one of {ways}"
        told = Discriminator(_kind, custom_error_type="requirement", custom_error_message=message)
        return handler.generate_schema(Annotated[reduce(or_, kinds), told])


if TYPE_CHECKING:
    Requirement: TypeAlias = GroupRequirement | Confidential
else:
    Requirement = Annotated[Part, _AnyRequirement()]

__all__ = [
    "PROMISES",
    "REQUIREMENTS",
    "Crowd",
    "GroupPromise",
    "GroupRequirement",
    "Inference",
    "KAnonymity",
    "LDiversity",
    "Membership",
    "Requirement",
    "TCloseness",
    "Template",
    "register",
    "unregister",
]

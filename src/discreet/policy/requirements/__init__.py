"""The promises a policy can make: one file each, and a line here.

A group requirement holds for every group of rows that look alike on some columns (`base.py` says what it must answer).
A cell requirement (`Confidential`) holds for single cells; it yields no such promises.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, Union

from pydantic import Discriminator, Tag

from discreet.policy.confidential import Confidential
from discreet.policy.mistakes import MISSING, TAGGED
from discreet.policy.requirements.base import GroupPromise, GroupRequirement
from discreet.policy.requirements.k_anonymity import Crowd, KAnonymity
from discreet.policy.requirements.l_diversity import LDiversity
from discreet.policy.requirements.template import Inference, Template

REQUIREMENTS: dict[str, type[GroupRequirement] | type[Confidential]] = {}
"""The kinds of requirements by the field that tells which is meant."""
PROMISES: dict[str, type[GroupPromise]] = {}
"""The kinds of promises about groups by their names in plans and audits."""


def register(requirement: type[GroupRequirement] | type[Confidential]) -> None:
    """Let policies have a further kind of requirement."""
    REQUIREMENTS[requirement.tag] = requirement
    TAGGED[requirement.tag] = requirement
    if issubclass(requirement, GroupRequirement):
        PROMISES[requirement.made.kind] = requirement.made
        MISSING.update(requirement.needs)


for _requirement in (Template, KAnonymity, LDiversity, Confidential):
    register(_requirement)


def _kind(value: Any) -> str | None:
    if isinstance(value, Mapping):
        tags = [tag for tag in REQUIREMENTS if tag in value]
        return tags[0] if len(tags) == 1 else None
    return next((tag for tag, kind in REQUIREMENTS.items() if isinstance(value, kind)), None)


def requirement_type() -> Any:
    """Return what an item of `protect` may be, for the model: one of the kinds there are."""
    kinds = tuple(Annotated[kind, Tag(tag)] for tag, kind in REQUIREMENTS.items())
    *first, last = [f"'{tag}' ({kind.hint})" for tag, kind in REQUIREMENTS.items()]
    return Annotated[
        Union[kinds],  # noqa: UP007 - made at run time
        Discriminator(
            _kind,
            custom_error_type="requirement",
            custom_error_message=f"a requirement has one of {', '.join(first)} and {last}",
        ),
    ]


if TYPE_CHECKING:
    Requirement: TypeAlias = GroupRequirement | Confidential
else:
    Requirement = requirement_type()

__all__ = [
    "PROMISES",
    "REQUIREMENTS",
    "Crowd",
    "GroupPromise",
    "GroupRequirement",
    "Inference",
    "KAnonymity",
    "LDiversity",
    "Requirement",
    "Template",
    "register",
    "requirement_type",
]

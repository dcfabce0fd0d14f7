"""What a policy says of releases about the same people: leavers, newcomers, which columns are one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, SerializerFunctionWrapHandler, model_serializer

from discreet.policy.part import Frozen, Part

if TYPE_CHECKING:
    from discreet.policy.model import Policy

NameOfColumn = Annotated[str, Field(min_length=1)]


def _as_list(value: object) -> object:
    """Accept the name of one column alone."""
    return (value,) if isinstance(value, str) else value


class LedgerOptions(Part):
    """How promises are kept over several releases about the same people, where a ledger is given.

    Examples
    --------
    >>> LedgerOptions(leavers="remove", same={"age_group": "Age"}).hold
    False
    """

    leavers: Literal["refuse", "remove", "warn"] = Field(
        default="refuse",
        description="people of earlier releases who are not in this one, and can be told by that: refuse: nothing is "
        "released; remove: people with the same past, drawn by lot, are left out as well; warn: released, and the "
        "promise reported broken",
    )
    hold: bool = Field(
        default=False,
        description="whether new people who are too few to hide among each other are kept back for a later release",
    )
    reuse: bool = Field(
        default=True, description="whether the recoding of the last release is tried beside a new search"
    )
    same: Annotated[Mapping[NameOfColumn, NameOfColumn], AfterValidator(Frozen)] = Field(
        default_factory=Frozen, description="columns that had another name in an earlier release: the name now, then"
    )
    gone: Annotated[tuple[NameOfColumn, ...], BeforeValidator(_as_list)] = Field(
        default=(),
        description="columns of earlier releases that promises know, or that had confidential cells, and that this one "
        "no longer has, under no name",
    )
    released: Literal["refuse", "accept"] = Field(
        default="refuse",
        description="cells that are confidential in one release and shown in another: refuse: nothing is released; "
        "accept: released, and reported as broken",
    )

    @property
    def leaves_out(self) -> bool:
        """Whether people may be left out of a release for the sake of earlier ones."""
        return self.hold or self.leavers != "refuse"

    @model_serializer(mode="wrap")
    def _only_what_was_said(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out defaults."""
        said: dict[str, Any] = plain(self)
        return {name: value for name, value in said.items() if name in self.model_fields_set}


UNSAID = LedgerOptions()


def over_time(policy: Policy) -> LedgerOptions:
    """Return what a policy says of earlier releases, defaults where it says nothing."""
    return policy.ledger or UNSAID

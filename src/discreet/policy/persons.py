"""Persons with several rows: which column says whose row it is, and what somebody may know of a person."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    WithJsonSchema,
    model_serializer,
    model_validator,
)

from discreet.common.wording import in_persons
from discreet.policy.part import Part

if TYPE_CHECKING:
    from discreet.policy.model import Policy
    from discreet.policy.requirements.base import GroupPromise


class PersonUnit(Part):
    """Whose rows are whose: promises about groups speak of persons (or households), not of rows.

    Examples
    --------
    >>> PersonUnit(id="patient_id").counts_rows
    True
    """

    id: Annotated[str, StringConstraints(min_length=1)] = Field(
        description="the column that says whose row it is; it is left out of the release, or replaced by a token"
    )
    rows: Literal["known", "unknown"] = Field(
        default="known", description="whether somebody may know how many rows a person has"
    )
    knows: Literal["all_rows", "one_row"] = Field(
        default="all_rows",
        description="all_rows: somebody may know all rows of a person on the known columns; one_row: only one of them "
        "(serves k alone)",
    )

    @model_validator(mode="after")
    def _one_row_says_it(self) -> PersonUnit:
        if self.knows == "one_row" and "rows" in self.model_fields_set:
            raise ValueError("rows: whoever knows one row of a person does not know how many there are; take it out")
        return self

    @model_serializer(mode="wrap")
    def _only_what_was_said(self, plain: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out defaults."""
        said: dict[str, Any] = plain(self)
        return {name: value for name, value in said.items() if name in self.model_fields_set}

    @property
    def counts_rows(self) -> bool:
        """Whether the number of a person's rows is known."""
        return self.knows == "all_rows" and self.rows == "known"

    @property
    def one_row(self) -> bool:
        """Whether somebody knows one row of a person only."""
        return self.knows == "one_row"


def _as_unit(value: object) -> object:
    """Accept the name of the column alone."""
    if isinstance(value, str):
        return {"id": value}
    if value is not None and not isinstance(value, (Mapping, PersonUnit)):
        raise ValueError("write the column that says whose row it is, such as unit: patient_id")
    return value


_SCHEMA: dict[str, Any] = {
    "anyOf": [
        {"type": "string", "minLength": 1, "description": "the column that says whose row it is"},
        {
            "type": "object",
            "additionalProperties": False,
            "required": ["id"],
            "properties": {
                "id": {"type": "string", "minLength": 1},
                "rows": {"enum": ["known", "unknown"]},
                "knows": {"enum": ["all_rows", "one_row"]},
            },
        },
        {"type": "null"},
    ],
    "description": "the column that says whose row it is, where a person (or household) may have several",
}
OfPersons = Annotated[PersonUnit | None, BeforeValidator(_as_unit), WithJsonSchema(_SCHEMA)]
"""The column of a person's rows, with or without what is known of them."""


def number_column(columns: Sequence[str]) -> str:
    """Return what the number of a person's rows is called, beside the columns of a table.

    >>> number_column(["age", "number of rows"])
    'number of rows_'
    """
    return free_name("number of rows", columns)


def free_name(wanted: str, columns: Sequence[str]) -> str:
    """Return a name for a further column."""
    while wanted in columns:
        wanted += "_"
    return wanted


def worded(policy: Policy, promise: GroupPromise, text: str) -> str:
    """Return what is said of a promise: of rows or, where persons have several, of persons."""
    if policy.unit is None:
        return text
    return in_persons(text, [*promise.given, promise.column or "", promise.value or ""])


def beyond_persons(policy: Policy) -> str | None:
    """What a policy asks for that does not go together with persons, in words for the owner."""
    unit = policy.unit
    for name, column in policy.columns.items():
        if column.release == "token" and (unit is None or unit.id != name):
            return f"columns: {name!r} with release: token links the rows of a person; write unit: {name} too"
    if unit is None:
        return None
    said = policy.columns.get(unit.id)
    if said is not None and said.role != "identifier":
        return f"unit: {unit.id!r} says whose row it is and does not go out as it is; write role: identifier for it"
    if not any(policy.groups()):
        return "unit: is for promises about groups, and there is none; take it out"
    if policy.is_blind:
        return (
            "unit: does not know blind protection, which looks at nothing of a row; protect the cells with against, or "
            "take the unit out"
        )
    if (beyond := _beyond_a_sample(policy)) is not None:
        return beyond
    for index, requirement in policy.groups():
        if requirement.population is not None:
            return (
                f"unit: does not know 'among' of item {index + 1} of protect, which counts rows of a population; "
                "take one of the two out, or make the table one row a person"
            )
    if unit.rows == "unknown" and policy.token is not None:
        return "unit: a token tells how many rows a person has; take rows: unknown or release: token out"
    if unit.one_row:
        return _beyond_one_row(policy)
    return None


def _beyond_a_sample(policy: Policy) -> str | None:
    """What is asked of a sample that one of persons does not serve."""
    if policy.k_on_population:
        return "unit: does not know 'k_on: population'; write k_on: sample"
    if policy.release is not None and policy.release.by:
        return "unit: persons are drawn evenly, not by strata; take release.by out"
    return None


def _beyond_one_row(policy: Policy) -> str | None:
    """What is asked for that one known row does not serve."""
    for index, requirement in policy.groups():
        if requirement.sensitive is not None:
            return f"unit: knows: one_row serves k alone, not item {index + 1} of protect; write knows: all_rows"
    if policy.is_local:
        return "unit: knows: one_row does not know recoding: local; write recoding: global"
    return None

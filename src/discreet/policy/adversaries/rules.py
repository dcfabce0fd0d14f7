"""Who mines association rules."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field, field_validator

from discreet.common.shares import Share, percent
from discreet.policy.adversaries.base import Adversary
from discreet.policy.cell_methods import AGAINST_RULES, Hideable
from discreet.policy.part import Whole

MOST_CONDITIONS = 20
"""There are rules over all subsets of the conditions."""


class Rules(Adversary):
    """An adversary who mines association rules from the release: any of the row's conditions -> its value.

    Parameters
    ----------
    min_confidence, min_support
        A rule leaks a cell when both its confidence and its support (in rows) are above these.
    conditions
        The columns that rules may use; those of `predictors` when absent.
    denominator
        Whether rows whose sensitive cell is hidden count among those that have the conditions (`all`), or are left out
        (`published`).
    prior
        What to do where a confidential value is so common that it is above `min_confidence` without any condition:
        `refuse`, or `warn`.

    Examples
    --------
    >>> Rules(min_confidence="60%").min_support
    0
    """

    names: ClassVar[tuple[str, ...]] = ("rules",)
    methods: ClassVar[tuple[str, ...]] = AGAINST_RULES
    pronoun: ClassVar[str] = "them"
    mines_rules: ClassVar[bool] = True
    min_confidence: Share = Field(description="a rule leaks a cell when its confidence is above this")
    min_support: Whole = Field(default=0, ge=0, description="and its support, in rows, is above this")
    conditions: tuple[str, ...] | None = Field(default=None, description="the columns that rules may use")
    denominator: Literal["all", "published"] = Field(
        default="all", description="whether rows with a hidden sensitive cell count among those with the conditions"
    )
    prior: Literal["refuse", "warn"] = Field(
        default="refuse", description="what to do with values that are above min_confidence without any condition"
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            min_confidence: str | float | Fraction,
            min_support: int = ...,
            conditions: Sequence[str] | None = ...,
            denominator: Literal["all", "published"] = ...,
            prior: Literal["refuse", "warn"] = ...,
        ) -> None: ...

    @field_validator("conditions")
    @classmethod
    def _few(cls, conditions: tuple[str, ...] | None) -> tuple[str, ...] | None:
        if conditions is not None and (not conditions or len(set(conditions)) < len(conditions)):
            raise ValueError("name at least one column, each once")
        if conditions is not None and len(conditions) > MOST_CONDITIONS:
            raise ValueError(too_many_conditions(len(conditions)))
        return conditions

    @property
    def name(self) -> str:
        """What it is called in a policy."""
        return "rules"

    def usual_defence(self, may_hide: tuple[Hideable, ...] | None) -> str:  # noqa: ARG002
        """Return the method against it where the policy names none."""
        return "best"

    def counts_as(self, method: str) -> str:
        """Return the method that says what one of them needs against it."""
        return "best" if method == "greedy" else method

    @property
    def own_columns(self) -> tuple[str, ...] | None:
        """The columns that it knows where it names them itself; None for the predictors."""
        return self.conditions

    @property
    def confidence(self) -> Fraction:
        """How sure it may be of a value."""
        return self.min_confidence

    def sentence(self, given: str) -> str:
        """Return what is promised against it who knows some columns."""
        conditions = given if self.conditions is None else ", ".join(self.conditions)
        rows = f" in more than {self.min_support} rows" if self.min_support else ""
        return (
            f"no rule from {conditions} of the row to its value is true{rows} with more than "
            f"{percent(self.min_confidence)} confidence"
        )


def too_many_conditions(number: int) -> str:
    """Return what to say of so many conditions."""
    return (
        f"{number} conditions make 2^{number} - 1 rules for every cell; name at most {MOST_CONDITIONS} columns, "
        "those that an adversary may know of a person"
    )

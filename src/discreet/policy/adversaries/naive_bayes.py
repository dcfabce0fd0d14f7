"""Who trains naive Bayes."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field, model_validator

from discreet.policy.adversaries.base import Adversary
from discreet.policy.cell_methods import AGAINST_BAYES, Hideable
from discreet.policy.matrices import Weight


class NaiveBayes(Adversary):
    """An adversary who trains naive Bayes on the released rows with a known class.

    Parameters
    ----------
    nulls
        What unknown values of a predictor mean in training: `count`: rows with one count in the denominator, as in the
        thesis (the usual meaning where values are deleted); `drop`: they do not; `spread`: they, and every taxonomy
        node, are spread over the values below it in proportion (the usual meaning where values are generalised).
    laplace
        Added to every count of a value; 0 for none.

    Examples
    --------
    >>> NaiveBayes(laplace=1).laplace
    Fraction(1, 1)
    """

    names: ClassVar[tuple[str, ...]] = ("naive_bayes",)
    methods: ClassVar[tuple[str, ...]] = AGAINST_BAYES
    reference: ClassVar[str | None] = "naive_bayes"
    unbounded: ClassVar[str] = "has no options as a reference of blind protection, which adds 1 to every count"
    nulls: Literal["count", "drop", "spread"] | None = Field(
        default=None,
        description="count: rows with an unknown value count in the denominator; drop: they do not; spread: they and "
        "taxonomy nodes are spread over the values below",
    )
    laplace: Weight = Field(default=Fraction(0), description="added to every count of a value")

    if TYPE_CHECKING:

        def __init__(
            self, *, nulls: Literal["count", "drop", "spread"] | None = ..., laplace: object = ...
        ) -> None: ...

    @model_validator(mode="after")
    def _adds_up(self) -> NaiveBayes:
        if self.laplace and self.nulls == "spread":
            raise ValueError("laplace: cannot be added to counts that are spread; write nulls: count or drop")
        if self.laplace.denominator > 1000 or self.laplace > 1000:
            raise ValueError("laplace: write a number up to 1000 with at most 3 decimals")
        return self

    @property
    def name(self) -> str:
        """What it is called in a policy."""
        return "naive_bayes"

    @classmethod
    def described(cls) -> str:
        """Return what people are told that may be written."""
        return f"{cls.names[0]} (default)"

    def resolved(self, change: Literal["delete", "generalise"]) -> Adversary:
        """Return it with nothing left unsaid, where cells are changed in such a way."""
        if self.nulls is not None:
            return self
        spread = change == "generalise" and not self.laplace
        return NaiveBayes(nulls="spread" if spread else "count", laplace=self.laplace)

    def usual_defence(self, may_hide: tuple[Hideable, ...] | None) -> str:
        """Return the method against it where the policy names none."""
        allowed = set(may_hide) if may_hide is not None else {"own.conditions"}
        if "own.conditions" in allowed:
            return "dropp"
        return "incp" if "others.sensitive" in allowed else "decp"

"""The release is for predicting a class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from discreet.policy.matrices import Amounts
from discreet.policy.uses.base import PredictingUse


class Classify(PredictingUse):
    """The release is for predicting `target` from the other columns.

    Examples
    --------
    >>> Classify("Rating").target
    'Rating'
    """

    name: ClassVar[str] = "classify"
    knows_benefit: ClassVar[bool] = True
    target: str = Field(alias="classify", description="the column to be predicted")
    costs: Amounts = Field(
        default=None, description="what it costs to take a class for another: a CSV file, or {TRUE: {TAKEN: 2.5}}"
    )
    suppressed: Literal["one", "group", "dearest", "beside"] = Field(
        default="one",
        description="what a suppressed row costs: one mistake (1), as a row of one group of all suppressed rows, "
        "the dearest mistake about its class, or (default with 'beside') what the guess from these columns costs",
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            target: str,
            *,
            inputs: Sequence[str] | None = ...,
            beside: Sequence[str] | None = ...,
            costs: Mapping[str, Mapping[str, object]] | str | PurePath | None = ...,
            suppressed: Literal["one", "group", "dearest", "beside"] = ...,
            weight: object = ...,
        ) -> None: ...

    def beyond_disclosure(self) -> str | None:
        """What it asks for that top-down disclosure, which never suppresses a row, cannot reckon with."""
        if self.suppressed not in ("one", "beside"):
            return f"'suppressed: {self.suppressed}'"
        return super().beyond_disclosure() if self.costs is None else "'costs'"

    def values_named(self) -> Mapping[str, frozenset[str]]:
        """Return the values of the target that it names, by the field that names them."""
        return {} if self.costs is None else {"costs": frozenset(self.costs.values_named())}

"""The release is for predicting a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from discreet.policy.uses.base import PredictingUse


class Regress(PredictingUse):
    """The release is for predicting the number in `target` from the other columns.

    Examples
    --------
    >>> Regress("income", inputs=["age"]).inputs
    ('age',)
    """

    name: ClassVar[str] = "regress"
    reads_numbers: ClassVar[bool] = True
    target: str = Field(alias="regress", description="the column of numbers to be predicted")
    by: Literal["variance", "median"] = Field(
        default="variance",
        description="variance: squared distances from the mean of a group count; median: distances from its median",
    )
    suppressed: Literal["all", "group", "beside"] = Field(
        default="all",
        description="how suppressed rows count: measured from the centre of all rows, as one group, or (default with "
        "'beside') from what is expected by these columns",
    )

    if TYPE_CHECKING:

        def __init__(
            self,
            target: str,
            *,
            inputs: Sequence[str] | None = ...,
            beside: Sequence[str] | None = ...,
            by: Literal["variance", "median"] = ...,
            suppressed: Literal["all", "group", "beside"] = ...,
            weight: object = ...,
        ) -> None: ...

    def beyond_disclosure(self) -> str | None:
        """What it asks for that top-down disclosure, which never suppresses a row, cannot reckon with."""
        if self.suppressed not in ("all", "beside"):
            return f"'suppressed: {self.suppressed}'"
        return "'by: median'" if self.by == "median" else super().beyond_disclosure()

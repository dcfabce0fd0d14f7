"""Options of the searches: top-down disclosure and the genetic one."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from discreet.policy.part import Part, Whole


class Disclosure(Part):
    """Options of top-down disclosure."""

    disclose: Literal["beneficial", "always"] | None = Field(
        default=None,
        description="beneficial: only what can help the classification (default there); always: all that is safe",
    )
    split: Literal["best_valid", "best"] = Field(
        default="best_valid",
        description="best_valid: cut a number at the best place that is safe; best: at the best place or, if that "
        "is not safe, not at all (as in the papers)",
    )


class Genetic(Part):
    """Options of the genetic search."""

    population: int = Field(default=5_000, ge=2, le=1_000_000, description="cuts that are kept at a time")
    iterations: Whole = Field(default=500_000, ge=0, description="cuts that are made from two others, one at a time")
    mutation: float = Field(default=0.002, ge=0, le=1, description="how likely each bit of a new cut is flipped")
    bias: float = Field(
        default=1.5, ge=1, le=2, description="how many times as often as the one in the middle the best cut is taken"
    )

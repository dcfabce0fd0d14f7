"""Which rows are released: all, or a sample of them; those that fit no cut masked or removed."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Literal

from pydantic import Field, field_validator

from discreet.common.shares import Share
from discreet.policy.part import Part


class Suppress(Part):
    """How many rows may be suppressed when no cut fits them, and what becomes of them."""

    limit: Share = Field(default=Fraction(1), description="the largest share of rows that may be suppressed")
    rows: Literal["mask", "remove"] = Field(
        default="mask",
        description="mask: hidden on every column that may change; remove: left out of the release",
    )


class ReleaseOptions(Part):
    """A random share of the rows is released, and where the k of k-anonymity counts.

    Examples
    --------
    >>> ReleaseOptions(sample="10%").size(25)
    2
    """

    sample: Share = Field(description="the share of the rows that is drawn and released")
    k_on: Literal["sample", "population"] = Field(
        default="sample",
        description="sample: k rows alike among those released; population: among all rows of the table, which is "
        "enough only against who does not know that a person is in the sample",
    )
    by: tuple[str, ...] = Field(
        default=(),
        description="columns by which the sample is stratified: of the rows with the same values on them each time the "
        "share is drawn, rounded down or up",
    )

    @field_validator("by", mode="before")
    @classmethod
    def _one_or_more(cls, by: object) -> object:
        return (by,) if isinstance(by, str) else by

    @field_validator("by")
    @classmethod
    def _each_once(cls, by: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(by)) < len(by):
            raise ValueError("name each column once")
        return by

    @field_validator("sample")
    @classmethod
    def _somebody(cls, share: Fraction) -> Fraction:
        if not share:
            raise ValueError("a sample has rows; write more than 0%")
        return share

    def size(self, rows: int) -> int:
        """How many of so many rows are drawn: the share, rounded down."""
        return math.floor(self.sample * rows)

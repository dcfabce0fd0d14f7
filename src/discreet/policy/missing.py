"""Which values mean that there is none, and what becomes of rows that have one."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from discreet.policy.part import Part, Text


class Missing(Part):
    """Which values mean that a value is missing, and what becomes of the rows that have one.

    A cell without any value (an unquoted blank in CSV, null elsewhere) is missing too.

    Parameters
    ----------
    values
        Texts that mean "missing".
    rows
        `"drop"`: rows with a missing value in any column are left out; `"value"`: it is a value like any other;
        `"unknown"`: a missing sensitive value counts neither for nor against its property.
    """

    values: tuple[Text, ...] = ()
    rows: Literal["drop", "value", "unknown"] = Field(
        description="drop: rows with a missing value in any column are left out; value: a value like any other; "
        "unknown: a missing sensitive value counts neither for nor against its property"
    )

    def has(self, value: str | None) -> bool:
        """Whether a value means that there is none."""
        return value is None or value in self.values

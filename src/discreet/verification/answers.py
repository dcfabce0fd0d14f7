"""What verification can say about a promise."""

from __future__ import annotations

from enum import StrEnum


class Answer(StrEnum):
    """What verification can say about a promise."""

    HOLDS = "holds"
    BROKEN = "broken"
    NOT_CHECKABLE = "not checkable"
    BY_LOT = "by lot"
    """Left to chance, as the policy allows for columns with two values: nothing is promised."""

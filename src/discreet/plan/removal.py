"""What was hidden against rules."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Removal:
    """How much of the columns that association rules use is hidden: beyond the confidential cells, and as decoys."""

    requirement: int
    hidden: int
    confidential: int
    cells: int
    """Of so many cells of the conditions and the sensitive column."""
    decoys: int = 0
    gap: int | None = None
    """How many more than needed at most, decoys aside, as proven by `method: exact`; 0: there is no better way."""

    def to_dict(self) -> dict[str, object]:
        """Return plain data; the removal rate without and with the confidential cells."""
        both = self.hidden + self.confidential
        return {
            "requirement": self.requirement,
            "hidden": self.hidden,
            "confidential": self.confidential,
            "decoys": self.decoys,
            "gap": self.gap,
            "cells": self.cells,
            "rate": self.hidden / self.cells if self.cells else 0.0,
            "rate_with_confidential": both / self.cells if self.cells else 0.0,
        }

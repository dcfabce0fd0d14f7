"""The audit: what was promised and found, before and after, and what nobody promised.

Private: it says more than the release does, and its first line says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from discreet.audit.verify import Finding, Verification
from discreet.private import private_json

WARNING = "this audit tells more than the release does. Keep it; never publish it."
NOT_COVERED = (
    "what can be inferred from several releases together",
    "an adversary with probabilistic knowledge of his own",
    "an adversary who reasons about how the method chooses what to hide",
    "what the order of the rows tells (it is that of the original)",
)


@dataclass(frozen=True)
class Audit:
    """The figures of every promise, before and after; how much is hidden; what is not covered."""

    verification: Verification
    before: Verification
    rows: int
    dropped: int
    hidden_cells: dict[str, int]
    warnings: tuple[str, ...]
    not_covered: tuple[str, ...] = NOT_COVERED

    @property
    def promises(self) -> tuple[Finding, ...]:
        """The answer about each requirement on the release."""
        return self.verification.requirements

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        promises = [
            {**after.to_dict(), "before": None if before.worst is None else before.worst.to_dict()}
            for before, after in zip(self.before.requirements, self.promises, strict=True)
        ]
        return {
            "holds": self.verification.holds,
            "requirements": promises,
            "truthful": self.verification.truthful.to_dict(),
            "rows": self.rows,
            "dropped_rows": self.dropped,
            "hidden_cells": self.hidden_cells,
            "warnings": list(self.warnings),
            "not_covered": list(self.not_covered),
        }

    def to_json(self) -> str:
        """Return the audit as JSON; its first line says that it is private."""
        return private_json(WARNING, self.to_dict())

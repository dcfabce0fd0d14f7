"""The audit: what was promised and found, before and after, and what nobody promised.

Private: it says more than the release does, and its first line says so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from discreet.audit.verify import Finding, Verification
from discreet.measure.usefulness import Usefulness
from discreet.policy import Crowd, Inference, Policy
from discreet.private import private_json

WARNING = "this audit tells more than the release does. Keep it; never publish it."


def not_covered(policy: Policy, columns: Sequence[str] | None = None) -> tuple[str, ...]:
    """Return what the promises of a policy leave open, on a table with these released columns."""
    found = []
    if columns is not None:
        known = policy.sensitive | {column for promise in policy.promises() for column in promise.given}
        others = [column for column in columns if column not in known]
        if others:
            named = ", ".join(others[:5]) + (f" and {len(others) - 5} more" if len(others) > 5 else "")
            found.append(f"whoever also knows {named} of a person")
    promises = list(policy.promises())
    crowds = [set(promise.given) for promise in promises if isinstance(promise, Crowd)]
    if not all(any(set(promise.given) <= crowd for crowd in crowds) for promise in promises):
        found.append("which row is whose: a template limits what is inferred of a group, not how small it is")
    if not policy.sensitive:
        found.append("what all rows of a group have in common: k-anonymity limits who it is, not what is inferred")
    if len({promise.property for promise in promises if isinstance(promise, Inference)}) > 1:
        found.append("several protected values taken together")
    told = [name for name, column in policy.columns.items() if column.scale is not None and not column.open_ends]
    told += [name for name, column in policy.columns.items() if column.released_form == "median" and name not in told]
    if told:
        found.append(f"the smallest and largest {', '.join(told)}: the release may tell them")
    return (*found, *ALWAYS_OPEN)


ALWAYS_OPEN = (
    "what can be inferred from several releases together",
    "an adversary with probabilistic knowledge of his own",
    "an adversary who reasons about how the method chooses what to hide",
    "what the order of the rows tells (it is that of the original)",
)


@dataclass(frozen=True, repr=False)
class Audit:
    """The figures of every promise, before and after; how much is hidden; what is not covered."""

    verification: Verification
    before: tuple[Finding, ...]
    rows: int
    dropped: int
    suppressed: int
    unseen: int
    """Of the suppressed rows those with a value that the plan has not seen."""
    hidden_cells: dict[str, int]
    coarser_cells: dict[str, int]
    """Cells with something that covers the original, such as a group or an interval."""
    detail: float | None
    """Share of the detail of the changeable columns that is released (1 - LM); None when a plan was used again."""
    bound: float | None
    """Of what the cut costs the use the share that no cut goes below: 1 when it is proven to be a best one; None when
    that is not known."""
    usefulness: Usefulness
    """The groups of the release, and what they tell of each target."""
    warnings: tuple[str, ...]
    not_covered: tuple[str, ...]

    def __repr__(self) -> str:
        return f"<Audit: rows {self.rows}, promises {len(self.promises)}; private>"

    @property
    def promises(self) -> tuple[Finding, ...]:
        """The answer about each requirement on the release."""
        return self.verification.requirements

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        promises = [
            {**after.to_dict(), "before": None if before.worst is None else before.worst.to_dict()}
            for before, after in zip(self.before, self.promises, strict=True)
        ]
        return {
            "holds": self.verification.holds,
            "requirements": promises,
            "truthful": self.verification.truthful.to_dict(),
            "rows": self.rows,
            "dropped_rows": self.dropped,
            "suppressed_rows": self.suppressed,
            "unseen_rows": self.unseen,
            "hidden_cells": self.hidden_cells,
            "coarser_cells": self.coarser_cells,
            "detail": self.detail,
            "bound": self.bound,
            "usefulness": self.usefulness.to_dict(),
            "warnings": list(self.warnings),
            "not_covered": list(self.not_covered),
        }

    def to_json(self) -> str:
        """Return the audit as JSON; its first line says that it is private."""
        return private_json(WARNING, self.to_dict())

"""The audit: what was promised and found, before and after, and what nobody promised.

Private: it says more than the release does, and its first line says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.audit.about import About, Sampled
from discreet.audit.risk import Risk
from discreet.audit.secrets import SecretRisk
from discreet.common.private import AUDIT, private_json
from discreet.plan.decided import Decided
from discreet.verification.findings import Finding, Verification

if TYPE_CHECKING:
    from discreet.attack.base import Attacked
    from discreet.audit.public import Facts
    from discreet.measure.cells import CellMeasures
    from discreet.measure.usefulness import Usefulness
    from discreet.measure.utility import Utility
    from discreet.plan.rehearsed import RehearsedColumn
    from discreet.planning.suppressed_persons import PersonCount


@dataclass(frozen=True, repr=False)
class Audit:
    """The figures of every promise, before and after; how much is hidden; what is not covered."""

    verification: Verification
    before: tuple[Finding, ...]
    rows: int
    sample: Sampled | None
    """Of how many rows these were drawn, where a sample is released."""
    dropped: int
    suppressed: int
    """Rows of the release that are hidden on all columns that may change."""
    removed: int
    """Rows that the release lacks because they do not fit."""
    drawn: int
    """Of the suppressed rows those drawn by lot."""
    unseen: int
    """Of the suppressed or removed rows those with a value that the plan has not seen."""
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
    cells: CellMeasures | None
    """What the edits for confidential cells cost; None when the policy has none."""
    warnings: tuple[str, ...]
    not_covered: tuple[str, ...]
    public: Facts
    """All that a public report may tell; a part by itself, made of nothing else that is here."""
    risk: tuple[Risk, ...] = ()
    """The groups of every promise about groups, before and after."""
    secrets: tuple[SecretRisk, ...] = ()
    """What groups tell of each secret by the figures of the field (l, t, β), before and after."""
    utility: Utility | None = None
    """What is kept of columns and pairs of them, and how well targets are learned; None unless asked for."""
    attacks: Attacked | None = None
    """What adversaries get right; None when the release was not attacked."""
    about: About | None = None
    """What the release is, for the owner's report."""
    rehearsed: tuple[RehearsedColumn, ...] = ()
    """Where cells are protected blindly: what learners that know the method get right on the other rows."""
    persons: PersonCount | None = None
    """How many persons were suppressed or removed, where persons have several rows and it is known."""
    decided: Decided | None = None
    """Which k was the first to keep every promise, where decisions are blind and it is known."""

    def __repr__(self) -> str:
        return f"<Audit: rows {self.rows}, promises {len(self.promises)}; private>"

    def _repr_html_(self) -> str:
        from discreet.audit.shown import audit_html

        return audit_html(self)

    @property
    def promises(self) -> tuple[Finding, ...]:
        """The answer about each requirement on the release."""
        return self.verification.requirements

    @property
    def all_warnings(self) -> tuple[str, ...]:
        """What the owner should know: of the release, of the attacks and of confidential cells, each once."""
        of_attacks = () if self.attacks is None else self.attacks.warnings
        of_cells = [text for finding in self.promises if finding.cells is not None for text in finding.cells.warnings]
        rehearsed = [text for each in self.rehearsed for text in each.warnings]
        return tuple(dict.fromkeys((*self.warnings, *of_attacks, *of_cells, *rehearsed)))

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
            **({} if self.verification.joint is None else {"joint": self.verification.joint.to_dict()}),
            "rows": self.rows,
            "sample": None if self.sample is None else self.sample.to_dict(),
            "dropped_rows": self.dropped,
            "suppressed_rows": self.suppressed,
            "removed_rows": self.removed,
            "drawn_rows": self.drawn,
            "unseen_rows": self.unseen,
            **({} if self.persons is None else {"persons": self.persons.to_dict()}),
            **({"rehearsal": [each.to_dict() for each in self.rehearsed]} if self.rehearsed else {}),
            "hidden_cells": self.hidden_cells,
            "coarser_cells": self.coarser_cells,
            "detail": self.detail,
            "bound": self.bound,
            **({} if self.decided is None else {"decided": self.decided.to_dict()}),
            "usefulness": self.usefulness.to_dict(),
            "cells": None if self.cells is None else self.cells.to_dict(),
            "warnings": list(self.warnings),
            "not_covered": list(self.not_covered),
            "risk": [risk.to_dict() for risk in self.risk],
            "secrets": [secret.to_dict() for secret in self.secrets],
            "utility": None if self.utility is None else self.utility.to_dict(),
            "attacks": None if self.attacks is None else self.attacks.to_dict(),
            "about": None if self.about is None else self.about.to_dict(),
        }

    def to_json(self) -> str:
        """Return the audit as JSON; its first line says that it is private."""
        return private_json(AUDIT, self.to_dict())

    def to_html(self, *, public: bool = False) -> str:
        """Return the audit as a page to be read: for the owner, or `public` without any secret."""
        from discreet.audit.report.render import owner_html, public_html

        return public_html(self.public) if public else owner_html(self)

    def to_pdf(self, *, public: bool = False) -> bytes:
        """Return that page on paper, as a PDF: made by Chromium or Chrome, where one is installed."""
        from discreet.audit.report.paper import printed

        return printed(self.to_html(public=public))

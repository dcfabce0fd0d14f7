"""A release described before anybody attacks it: its figures beside the original, what is hidden, what is left open."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from discreet.audit.about import Sampled, beside_ledger, not_covered
from discreet.audit.audit import Audit
from discreet.audit.before import Before, kept_before
from discreet.audit.public import Facts, terms
from discreet.measure.changes import changes
from discreet.measure.usefulness import Usefulness, masked_rows, usefulness
from discreet.plan.decided import Decided
from discreet.plan.removal import Removal
from discreet.policy import Policy, ReleaseOptions
from discreet.policy.bind import Bound
from discreet.table.engine import Engine
from discreet.verification.findings import Verification

if TYPE_CHECKING:
    from discreet.measure.cells import CellMeasures
    from discreet.plan.rehearsed import RehearsedColumn
    from discreet.planning.suppressed_persons import PersonCount


class HowMade(Protocol):
    """What only whoever made a release can say of it."""

    @property
    def drawn(self) -> int:
        """How many rows were suppressed by lot."""

    @property
    def removal(self) -> tuple[Removal, ...]:
        """What is hidden against association rules."""

    @property
    def detail(self) -> float | None:
        """As in the audit."""

    @property
    def bound(self) -> float | None:
        """As in the audit."""

    @property
    def rehearsed(self) -> tuple[RehearsedColumn, ...]:
        """As in the audit."""

    @property
    def persons(self) -> PersonCount | None:
        """As in the audit."""

    @property
    def decided(self) -> Decided | None:
        """As in the audit."""


def describe(
    verification: Verification,
    released: Engine,
    told: Engine,
    source: Engine,
    bound: Bound,
    warnings: tuple[str, ...],
    *,
    making: HowMade | None = None,
    matched: bool = True,
    before: Before | None = None,
    useful: Callable[[], Usefulness] | None = None,
) -> Audit:
    """Return the audit of a release that was verified, and is not attacked yet.

    Parameters
    ----------
    told
        The rows of the source that it tells of, as far as that is known.
    making
        How it was made; None if nobody says so: then what was suppressed and removed is seen on the rows alone.
    matched
        Whether it is known which row of the source each row is.
    before
        What was counted of the source while the plan was searched for.
    useful
        Gives what the release is good for, where somebody has looked already.
    """
    policy, together = bound.policy, verification.joint
    decided = None if making is None else making.decided
    hidden, coarser = changes(released, told, bound) if matched else ({}, {})
    # Of a release made elsewhere every row that it lacks counts as changed; `told` has only those that it has.
    measured = _cell_measures(released, source if making is None else told, bound) if matched else None
    if measured is not None and making is not None:
        measured = replace(measured, removal=making.removal)
    return Audit(
        verification=verification,
        before=(kept_before if before is None else before.kept)(told, policy, source),
        rows=released.rows,
        sample=None if policy.release is None else _sampled(policy.release, source, policy),
        dropped=source.dropped,
        suppressed=_seen_masked(released, bound) if making is None else released.suppressed,
        removed=_seen_lacking(released, source, bound) if making is None else released.removed,
        drawn=0 if making is None else making.drawn,
        unseen=0 if making is None else released.unseen,
        hidden_cells=hidden,
        coarser_cells=coarser,
        detail=None if making is None else making.detail,
        bound=None if making is None else making.bound,
        usefulness=usefulness(released, told, bound, made_elsewhere=making is None) if useful is None else useful(),
        cells=measured,
        warnings=warnings,
        not_covered=beside_ledger(not_covered(policy, released.columns, decided), together, policy),
        persons=None if making is None else making.persons,
        decided=decided,
        rehearsed=() if making is None else making.rehearsed,
        public=Facts(None, released.columns, released.rows, terms(bound, made=making is not None, joint=together)),
    )


def _sampled(asked: ReleaseOptions, source: Engine, policy: Policy) -> Sampled:
    """Return what share of how many rows was drawn, or of how many persons."""
    if policy.unit is None:
        return Sampled(asked, source.rows)
    persons = source.recount((policy.unit.id,), None, (), ())
    return Sampled(asked, len(persons.rows), "persons")


def _cell_measures(released: Engine, original: Engine, bound: Bound) -> CellMeasures | None:
    """Return what the edits of a release cost, where its policy has confidential cells."""
    if not any(bound.policy.cells()):
        return None
    from discreet.measure.cells import cell_measures  # loads all adversaries

    return cell_measures(released, original, bound)


def _seen_masked(released: Engine, bound: Bound) -> int:
    """Return how many rows tell nothing on any column that may change; none where such a column is missing."""
    return masked_rows(released, bound) if set(bound.changeable) <= set(released.columns) else 0


def _seen_lacking(released: Engine, source: Engine, bound: Bound) -> int:
    """Return how many rows of the source a release lacks, where it should have all of them."""
    return 0 if bound.policy.release is not None else max(source.rows - released.rows, 0)

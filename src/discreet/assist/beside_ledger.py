"""What is asked beside earlier releases about the same people before anything is made: who comes, goes and stays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction

from discreet.assist.frontier_points import Point
from discreet.common.watch import Watch
from discreet.errors import PromiseError
from discreet.ledger.note import LedgerUse
from discreet.planning.over_time import searched
from discreet.planning.prepared import PreparedJob, prepare_rows
from discreet.planning.sample_beside import drawn_beside
from discreet.planning.staying import BesideLedger, met, open_beside, who_stays
from discreet.policy import Policy
from discreet.table.source import Opening, Table
from discreet.verification.worst_groups import worst_of


@dataclass(frozen=True)
class CheckedLedger:
    """What a release of the table would meet in a ledger: numbers of persons, never who."""

    releases: tuple[str, ...]
    """The releases that would be counted with it."""
    matched: int
    new: int
    left: int
    held: int = 0
    """New persons who would be kept back."""
    left_out: int = 0
    """Persons who would be left out for the sake of earlier releases."""
    refused: str | None = None
    """Why nothing could be released."""

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {**asdict(self), "releases": list(self.releases)}


def opened_beside(table: Table, policy: Policy, opening: Opening, use: LedgerUse) -> tuple[BesideLedger, PreparedJob]:
    """Return a table that fits its policy, beside the releases before it; no ledger is made."""
    beside = open_beside(table, policy, opening, use, create=False)
    return beside, prepare_rows(beside.source, beside.policy, table)


def checked_beside(beside: BesideLedger, job: PreparedJob, *, new_persons: bool) -> CheckedLedger:
    """Return what a release of the table would meet."""
    releases = tuple(release.name for release in beside.people.past)
    if not releases:
        return CheckedLedger((), 0, met(beside)[1], 0)
    drawn, bound = drawn_beside(beside, None), job.bound
    if drawn is not beside:
        bound = prepare_rows(drawn.source, drawn.policy, "the table").bound
    beside = drawn
    try:
        staying = who_stays(beside.source, bound, beside.people, None, new_persons=new_persons)
    except PromiseError as refused:
        return CheckedLedger(releases, *met(beside), refused=str(refused))
    return CheckedLedger(releases, *met(beside), staying.held, staying.left_out)


def foreseen(
    beside: BesideLedger, policies: Mapping[Fraction, Policy], places: Sequence[int], *, new_persons: bool
) -> Iterator[Point]:
    """Yield what the policies for several thresholds would release beside earlier releases, with who stays by each."""
    people = beside.people
    for threshold, policy in policies.items():
        try:
            job = prepare_rows(beside.source, policy, "the table")
            staying = who_stays(beside.source, job.bound, people, None, new_persons=new_persons)
            if staying.table is not beside.source:
                job = prepare_rows(staying.table, policy, "the table")
            joint, made = searched(staying, job.bound, people, Watch(), None)
        except PromiseError:
            yield Point(threshold, possible=False)
            continue
        shares = [Fraction(0)]
        for number, item in enumerate(joint.items):
            if item.of == people.name and item.index in places:
                promises = list(joint.bound.policy.promises_of(number, joint.bound.seen))
                worst = worst_of(made.released, joint.bound.policy, promises[0].given, promises) if promises else []
                shares += [group.share for group in worst if group is not None]
        yield Point(threshold, True, max(shares), made.detail)

"""A release that was made beside those of a ledger: counted together with them, and what is to be recorded of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from discreet.ledger.note import LedgerNote, LedgerUse

if TYPE_CHECKING:
    import polars as pl

    from discreet.planning.carrying_out import CarriedOut
    from discreet.planning.meeting import KnownPeople
    from discreet.planning.staying import Staying
    from discreet.verification.joint import JointVerification
    from discreet.verification.with_ledger import LedgerCheck


@dataclass(frozen=True)
class OverTime:
    """A release beside those in a ledger: counted together, and what is to be recorded of it."""

    use: LedgerUse
    people: KnownPeople
    held: int = 0
    left_out: int = 0

    @classmethod
    def of(cls, use: LedgerUse, people: KnownPeople, staying: Staying) -> OverTime:
        """Return it for those who stay."""
        return cls(use, people, staying.held, staying.left_out)

    @property
    def beside(self) -> LedgerCheck:
        """The earlier releases, as verification wants them."""
        from discreet.verification.with_ledger import LedgerCheck

        people = self.people
        return LedgerCheck(people.person, people.secret, tuple(people.past), people.name, None, row_key=people.row_key)

    def checked(self, people: pl.DataFrame, made: CarriedOut) -> JointVerification:
        """Count every promise of all releases on all of them together, by code of verification alone."""
        from discreet.ledger.entry import PastRelease
        from discreet.verification.joint import check_joint

        last = PastRelease(self.people.name, made.judge.policy, tuple(made.released.columns), people)
        return check_joint(self.people.past, last)

    def note(self, made: CarriedOut) -> LedgerNote:
        """Return what the ledger is to record: what a release tells of each person, in the order of their names."""
        from discreet.ledger.entry import PERSON, ROW, in_order
        from discreet.ledger.siphash import order_of
        from discreet.planning.over_time import told_of

        people = told_of(made, self.people.person, self.people.secret, self.people.row_key)
        persons = people.get_column(PERSON)
        rows = people.get_column(ROW) if ROW in people.columns else None
        ordered = people[order_of(persons), :] if made.judge.policy.unit is None else in_order(people)
        past, secret = tuple(self.people.past), self.people.secret
        return LedgerNote(self.use, ordered, self.held, self.left_out, past, persons, rows, secret)

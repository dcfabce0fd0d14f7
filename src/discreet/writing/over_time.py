"""A release that was made beside those of a ledger: counted together with them, and what is to be recorded of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from discreet.ledger.note import LedgerNote, LedgerUse

if TYPE_CHECKING:
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

    def warnings(self, made: CarriedOut) -> tuple[str, ...]:
        """What the owner should know of a release beside those of the ledger."""
        from discreet.ledger.names import unjoined

        return tuple(unjoined(self.people.past, made.judge.policy, made.released.columns))

    def counted(self, made: CarriedOut) -> tuple[LedgerNote, JointVerification]:
        """Return what the ledger is to record of a release, and what counting it beside the earlier ones finds.

        Both rest on what verification reads: the released cells row by row, and the persons of the table in its order.
        What a plan takes itself to tell of somebody is neither recorded nor counted.
        """
        from discreet.ledger.entry import block_label, in_order
        from discreet.ledger.siphash import order_of
        from discreet.planning.over_time import told_by_stars
        from discreet.verification.joint import check_joint

        last = self.beside.told_as_made(made.released, made.judge.policy, made.source, made.medians)
        stars = [told.alias(block_label(place)) for place, told in told_by_stars(made).items()]
        people = last.people.with_columns(stars)
        persons = last.persons
        ordered = in_order(people) if last.of_rows else people[order_of(persons), :]
        past = tuple(self.people.past)
        note = LedgerNote(self.use, ordered, self.held, self.left_out, past, persons, last.rows)
        return note, check_joint(past, replace(last, people=ordered))

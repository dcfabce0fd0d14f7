"""What is said of several releases about the same people: numbers of persons, never who."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from discreet.cli.show.texts import counted
from discreet.cli.terminal import escape
from discreet.verification.answers import Answer

if TYPE_CHECKING:
    from discreet.assist.beside_ledger import CheckedLedger
    from discreet.ledger.entry import LedgerEntry
    from discreet.ledger.note import LedgerNote
    from discreet.verification.joint import JointFinding, JointVerification

_COLOURS = {Answer.HOLDS: "green", Answer.BROKEN: "red", Answer.NOT_CHECKABLE: "yellow"}


def print_joint(to: Console, joint: JointVerification | None, note: LedgerNote | None = None) -> None:
    """Say what was found on all releases together."""
    if joint is None:
        return
    to.print()
    if not joint.releases:
        unchecked = [finding.promise for finding in joint.findings if finding.answer is Answer.NOT_CHECKABLE]
        said = f"[yellow]not checkable[/]: {escape(unchecked[0])}" if unchecked else "The first release of the ledger."
        to.print(said, soft_wrap=True)
        print_joint_promises(to, [finding for finding in joint.findings if finding.answer is Answer.BROKEN])
    else:
        known = f"{joint.matched} known, {joint.new} new, {joint.left} left"
        to.print(f"Together with {escape(', '.join(joint.releases))}: persons {known}", soft_wrap=True)
        print_joint_promises(to, joint.findings)
        _print_unlinked(to, joint)
    if note is not None and note.held:
        to.print(f"Kept back for a later release: {counted(note.held, 'new person')}", soft_wrap=True)
    if note is not None and note.left_out:
        to.print(f"Left out, for those who left: {counted(note.left_out, 'person')}", soft_wrap=True)


def print_foreseen(to: Console, found: CheckedLedger) -> None:
    """Say what a release would meet in a ledger."""
    if not found.releases:
        to.print("It would be the first release of the ledger.")
        return
    known = f"{found.matched} known, {found.new} new, {found.left} left"
    to.print(f"Together with {escape(', '.join(found.releases))}: persons {known}", soft_wrap=True)
    if found.held:
        to.print(f"  would be kept back for a later release: {counted(found.held, 'new person')}", soft_wrap=True)
    if found.left_out:
        to.print(f"  would be left out: {counted(found.left_out, 'person')}", soft_wrap=True)
    if found.refused is not None:
        to.print(f"  [red]nothing could be released[/]: {escape(found.refused)}", soft_wrap=True)


def print_joint_promises(to: Console, findings: Sequence[JointFinding]) -> None:
    """Say of each promise over all releases what was found."""
    for finding in findings:
        broken = f" for {counted(finding.persons, 'person')}" if finding.persons else ""
        answer = f"[{_COLOURS[finding.answer]}]{finding.answer}{broken}[/]"
        asked = f"asked by {', '.join(finding.of)}; counted on {finding.about}"
        to.print(f"  {answer}  {escape(finding.promise)} [dim]({escape(asked)})[/]", soft_wrap=True)


def _print_unlinked(to: Console, joint: JointVerification) -> None:
    """Say where nobody linked the rows of a person."""
    if joint.unlinked:
        names = escape(", ".join(joint.unlinked))
        to.print(f"  Rows of a person are not linked across releases: no --row-key for {names}", soft_wrap=True)


def print_ledger(to: Console, name: str, entries: Sequence[LedgerEntry], joint: JointVerification | None) -> None:
    """Say which releases a ledger has, and what they promise together."""
    to.print(f"[bold]{escape(name)}[/]: {counted(len(entries), 'release')}")
    for entry in entries:
        to.print(
            f"  {escape(entry.name)}  {entry.state}  {entry.time}  {counted(entry.persons, 'person')}, "
            f"{counted(len(entry.columns), 'column')}",
            soft_wrap=True,
        )
    if joint is not None:
        to.print(f"Together, of {joint.matched + joint.new + joint.left} persons:")
        print_joint_promises(to, joint.findings)
        _print_unlinked(to, joint)

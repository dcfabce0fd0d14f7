"""How a taxonomy was made, and how it fits a column."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from discreet.assist.fitting import Fit
from discreet.assist.proposing.propose import Proposal, policy_line
from discreet.cli.show.levels import print_levels
from discreet.cli.show.texts import counted, text_of
from discreet.cli.terminal import console, escape


def print_proposal(proposal: Proposal, out: Path | None) -> None:
    """Say beside the proposed taxonomy how it was made and what to do with it."""
    to = console(remarks=True)
    where = "" if out is None else f" in [bold]{escape(str(out))}[/]"
    to.print(f"A taxonomy for {escape(proposal.column)}{where}: {escape(_made_of(proposal))}.", soft_wrap=True)
    for note in proposal.notes:
        to.print(f"- {escape(note)}", soft_wrap=True)
    to.print("Edit it, then write in the policy, under 'columns' (the file is looked for beside the policy):")
    to.print(f"  {escape(policy_line(proposal, out))}", soft_wrap=True)


def _made_of(proposal: Proposal) -> str:
    """Return the kind and the levels of a proposed taxonomy in words."""
    *others, last = [name for name, _ in proposal.steps] or [""]
    named = f"{', '.join(others)} and {last}" if others else last
    if not named:
        how = "no groups"
    elif proposal.kind == "ranges":
        how = f"numbers in ranges of {named}"
    elif proposal.kind == "balanced":
        how = f"{named} groups of about equal weight"
    elif proposal.kind == "ordered":
        how = f"{named} groups of neighbours in the order given"
    elif proposal.kind == "icd10":
        how = f"codes of ICD-10 by {named}"
    elif proposal.kind == "prefix" and last.isdigit():
        how = f"codes by their first {named} characters"
    else:
        how = f"{'dates' if proposal.kind == 'dates' else 'postcodes'} by {named}"
    return f"{how}; {proposal.taxonomy}"


def print_fit(found: Fit, file: str, *, show_values: bool) -> None:
    """Say whether a taxonomy fits a column."""
    to = console()
    verdict = "[green]fits[/]" if found.fits else "[red]does not fit[/]"
    to.print(
        f"[bold]{escape(file)}[/] {verdict} {escape(found.column)}: {escape(str(found.taxonomy))}.", soft_wrap=True
    )
    for bad, remark in _remarks(found):
        to.print(f"[{'red' if bad else 'yellow'}]{'lacking' if bad else 'remark'}[/]: {escape(remark)}", soft_wrap=True)
    if show_values and found.lacking:
        to.print(f"  {escape(', '.join(map(text_of, found.lacking)))}", soft_wrap=True)
    if show_values and found.alike:
        to.print(f"  alike: {escape(', '.join(map(text_of, found.alike)))}", soft_wrap=True)
    if (found.lacking or found.alike) and not show_values:
        to.print("[dim]Give --show-values to list them.[/]")
    if found.rows > found.blank + found.lacking_rows:
        print_levels(to, found.levels, found.rows, None, labels=show_values)


def _remarks(found: Fit) -> Iterator[tuple[bool, str]]:
    """Yield what is to be said of a taxonomy, with whether it keeps it from being used."""
    if found.lacking:
        near = f"; {found.nearly} of them only by capitals or blanks" if found.nearly else ""
        yield (
            True,
            f"{counted(len(found.lacking), 'value')} of the column ({counted(found.lacking_rows, 'row')}){near}",
        )
    if found.blank:
        yield (
            False,
            f"{counted(found.blank, 'cell')} without a value: the policy must say under 'missing' what they are",
        )
    if found.unused:
        yield False, f"{counted(found.unused, 'leaf', 'leaves')} that no row has"
    if found.single:
        yield False, f"{counted(found.single, 'group')} with one member, which is released in its place"
    if found.alike:
        yield False, f"{counted(len(found.alike), 'label')} that differ from another by capitals or blanks only"
    if found.depths[0] < found.depths[1]:
        yield False, f"values have from {found.depths[0]} to {found.depths[1]} labels above them"
    if found.marked:
        yield False, "a label other than the root is *, the usual marker: the policy needs another 'marker'"

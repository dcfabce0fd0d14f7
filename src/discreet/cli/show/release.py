"""What is said of a release: what it promises, what changed and why."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

from rich.console import Console
from rich.table import Table

from discreet.audit.audit import Audit
from discreet.cli.show.joint import print_joint
from discreet.cli.show.measures import how_far, print_cell_measures, print_usefulness
from discreet.cli.show.promises import print_promises, sensitive_columns
from discreet.cli.show.texts import listed, text_of
from discreet.cli.show.verdict import WrittenFiles, print_not_covered, print_verdict
from discreet.cli.show.why import print_why
from discreet.cli.terminal import console, escape, print_private
from discreet.common.private import private_line
from discreet.common.shares import percent
from discreet.plan.parts import Recoding
from discreet.policy import Policy
from discreet.release import Release


def print_release(
    release: Release,
    source: str,
    out: str,
    written: WrittenFiles,
    *,
    why: bool = True,
    stopped: str = "",
    against: str | None = None,
    quiet: bool = False,
) -> None:
    """Say what a release promises, what changed and why; `against` names the policy, where that is a question.

    If `quiet`, only the verdict.
    """
    to = console()
    if not quiet:
        print_private(to)
        _print_made(to, release, source, out, why=why, stopped=stopped, against=against)
        to.print()
    print_verdict(to, release.audit, out, written, against=against, quiet=quiet, own=True)


def print_next(step: str) -> None:
    """Say what would tell more."""
    console().print(f"[bold]Next[/]: {escape(step)}.", soft_wrap=True)


def release_dict(release: Release, out: str, plan: Path | None) -> dict[str, object]:
    """Return what is said of a release in JSON."""
    return {
        "private": private_line(),
        "release": str(out),
        "plan": None if plan is None else str(plan),
        "complete": release.plan.complete,
        "steps": [asdict(step) for step in release.plan.steps],
        "kept": [asdict(kept) for kept in release.plan.kept],
        "redundant": list(release.plan.redundant),
        "audit": release.audit.to_dict(),
    }


def _print_made(
    to: Console, release: Release, source: str, out: str, *, why: bool, stopped: str, against: str | None
) -> None:
    audit = release.audit
    dropped = f" ({audit.dropped} rows with a missing value left out)" if audit.dropped else ""
    policy = "" if against is None else f" against {escape(against)}"
    to.print(
        f"[bold]{escape(source)}[/] -> [bold]{escape(out)}[/]: {audit.rows} rows{dropped}, verified{policy}",
        soft_wrap=True,
    )
    to.print()
    print_promises(to, audit.promises, audit.before, sensitive_columns(release.plan.policy))
    print_joint(to, audit.verification.joint, release.note)
    if audit.sample is not None:
        crowds = any(promise.measure == "rows" for promise in release.plan.policy.promises())
        to.print(f"\nReleased is {audit.sample.in_words(crowds=crowds)}.", soft_wrap=True)
    if audit.suppressed or audit.removed:
        to.print(f"\n{_suppressed(audit)}")
    _print_changes(to, release)
    if why:
        print_why(to, release.plan)
    for each in audit.rehearsed:
        to.print(f"\nRehearsal of {escape(each.column)} on rows without confidential cells:", soft_wrap=True)
        for line in each.in_words():
            to.print(f"  {escape(line)}", soft_wrap=True)
    for line in release.plan.redundant:
        to.print(f"[dim]Not searched for separately: {escape(line)}[/]", soft_wrap=True)
    if not release.plan.complete:
        to.print(f"[yellow]Stopped {stopped}: the release is safe, but more could have been shown.[/]")
    for warning in audit.warnings:
        to.print(f"[yellow]Warning:[/] {escape(warning)}", soft_wrap=True)
    print_not_covered(to, audit.not_covered)


def _suppressed(audit: Audit) -> str:
    """Return how many rows did not fit, and why."""
    gone, total = audit.suppressed + audit.removed, audit.rows + audit.removed
    of_which = [f"{audit.unseen} for a value that the plan has not seen"] if audit.unseen else []
    persons = any(finding.worst is not None and finding.worst.persons for finding in audit.promises)
    drawn = f"{audit.drawn} {'person' if audit.drawn == 1 else 'persons'}" if persons else f"{audit.drawn}"
    of_which += [f"{drawn} drawn by lot"] if audit.drawn else []
    why = f", of which {' and '.join(of_which)}" if of_which else ""
    became = "removed" if audit.removed else "suppressed"
    if audit.persons is not None:
        of_persons = f"{audit.persons.gone} of {audit.persons.total}"
        share = percent(Fraction(audit.persons.gone, audit.persons.total))
        rows = f"{gone} of {total} rows{f', {why[2:]}' if why else ''}"
        return f"Persons {became}: {of_persons} ({share}): {rows}"
    return f"Rows {became}: {gone} of {total} ({percent(Fraction(gone, total))}){why}"


def _print_changes(to: Console, release: Release) -> None:
    audit, plan = release.audit, release.plan
    if plan.recoded:
        to.print()
        to.print(_local_changes(release) if plan.groupings else _changes(release))
        if audit.detail is not None:
            to.print(f"{audit.detail:.1%} of the detail of these columns is released.")
        if audit.bound is not None:
            to.print(f"The cut: {how_far(audit.bound)}.")
        if audit.decided is not None:
            words = audit.decided.in_words()
            to.print(f"{words[0].upper()}{words[1:]}.", soft_wrap=True)
        print_usefulness(to, audit.usefulness)
    if plan.edits:
        to.print()
        to.print(_edits(release))
    print_cell_measures(to, audit.cells)


def _edits(release: Release) -> Table:
    """Return which cells were changed one by one, by column."""
    plan = release.plan
    kind_of = dict.fromkeys(((cell.column, cell.row) for cell in plan.decoys), "decoys")
    kind_of |= dict.fromkeys(((cell.column, cell.row) for cell in plan.cells), "confidential")
    figures: dict[str, Counter[str]] = {}
    for edit in plan.edits:
        other = "others hidden" if edit.text == plan.policy.marker else "others made coarser"
        figures.setdefault(edit.column, Counter())[kind_of.get((edit.column, edit.row), other)] += 1
    coarser = any(edit.text != plan.policy.marker for edit in plan.edits)
    names = ["confidential", *(["decoys"] if plan.decoys else []), "others hidden"]
    names += ["others made coarser"] if coarser else []
    table = Table("column", *names, title="Single cells changed", title_justify="left", box=None)
    for column in plan.columns:
        if column in figures:
            told = [figures[column][name] for name in names]
            table.add_row(escape(column), *(f"{figure:,}" if figure else "none" for figure in told))
    return table


def _local_changes(release: Release) -> Table:
    """Return how many labels there are, and how much is told with them."""
    audit = release.audit
    names = ["column", "different labels", "cells as they were", "coarser", "hidden"]
    table = Table(*names, title="What changed", title_justify="left", box=None)
    for column in audit.hidden_cells:
        hidden, coarser = audit.hidden_cells[column], audit.coarser_cells[column]
        shares = [
            percent(Fraction(cells, audit.rows)) if cells else "none"
            for cells in (audit.rows - hidden - coarser, coarser, hidden)
        ]
        table.add_row(escape(column), f"{len(release.engine.count([column]).domain(column)):,}", *shares)
    return table


def _changes(release: Release) -> Table:
    """Return what becomes of the values of each column."""
    audit = release.audit
    coarser = any(release.plan.policy.column(recoding.column).coarsens for recoding in release.plan.recodings)
    names = ["column", "shown", *(["made coarser"] if coarser else []), "hidden", "cells hidden"]
    table = Table(*names, *(["coarser"] if coarser else []), title="What changed", title_justify="left", box=None)
    for recoding in release.plan.recodings:
        shown, covered, hidden = _told(recoding, release.plan.policy)
        occurring = set(release.engine.domain(recoding.column))  # all rows of the others are suppressed
        hidden += [value for value in shown if value not in occurring]
        shown, covered = ([text for text in texts if text in occurring] for texts in (shown, covered))
        hidden_cells = f"{audit.hidden_cells[recoding.column]} of {audit.rows}"
        cells = [listed([text_of(value) for value in values]) for values in (shown, covered, hidden)]
        if not coarser:
            del cells[1]
        row = [recoding.column, *cells, hidden_cells, *([str(audit.coarser_cells[recoding.column])] if coarser else [])]
        table.add_row(*map(escape, row))
    return table


def _told(recoding: Recoding, policy: Policy) -> tuple[list[str | None], list[str | None], list[str | None]]:
    """Return the values shown as they are, the texts that stand for several, and the values that are hidden."""
    taxonomy = policy.column(recoding.column).taxonomy
    nothing = {policy.marker} | (set() if taxonomy is None else {taxonomy.nodes[0].labels[-1]})
    shown: list[str | None] = list(recoding.shown)
    hidden = [value for value, text in recoding.to if value != text and text in nothing]
    covered: list[str | None] = [text for value, text in recoding.to if value != text and text not in nothing]
    for interval in recoding.intervals:
        if interval.text in nothing:
            hidden.append("every number" if policy.column(recoding.column).type == "number" else "every date")
        elif interval.low is not None and interval.low == interval.high:
            shown.append(interval.text)
        else:
            covered.append(interval.text)
    if taxonomy is not None and len(hidden) == len(recoding.to):
        hidden = ["all"]
    return shown, list(dict.fromkeys(covered)), hidden

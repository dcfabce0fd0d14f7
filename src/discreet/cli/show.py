"""What the command line prints for people: what changed, why, and what is not covered."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from rich.console import Console
from rich.table import Table

from discreet.assist.check import ABOUT_THE_TABLE, Cells, Checked
from discreet.assist.draft import Draft, taxonomy_command
from discreet.assist.fitting import Fit
from discreet.assist.frontier import WARNING, Frontier
from discreet.assist.preview import Level, Preview
from discreet.assist.proposing.propose import Proposal, policy_line
from discreet.audit.audit import Audit
from discreet.cli.terminal import console, escape
from discreet.cli.verdict import Written, answer_of, print_verdict, tells_of_people
from discreet.common.private import TELLING, private_line
from discreet.common.shares import percent
from discreet.errors import rows_listed
from discreet.measure.cells import CellMeasures
from discreet.measure.usefulness import ToldTarget, Usefulness
from discreet.plan.parts import Kept, Recoding, Step
from discreet.plan.plan import Plan
from discreet.policy import Counts, Crowd, General, Inference, Policy
from discreet.release import Release
from discreet.verification.answers import Answer
from discreet.verification.cell_answers import Against, CellsFound
from discreet.verification.findings import Finding, Verification, Worst

MOST = 12
"""Values or steps listed before the rest is only counted; the plan has them all."""

LEAST_BOUND = 0.01
"""Bounds below this say nothing."""
LONGEST = 60
"""Characters of a value that are shown."""

_COLOURS = {Answer.HOLDS: "green", Answer.BROKEN: "red", Answer.NOT_CHECKABLE: "yellow", Answer.BY_LOT: "yellow"}


def text_of(value: str | None) -> str:
    """Return a value as shown to people; a missing or blank one is named."""
    if value is None:
        return "(missing)"
    if len(value) > LONGEST:
        value = f"{value[: LONGEST - 3]}..."
    return value if value.strip() == value != "" and value.isprintable() else repr(value)


def print_release(
    release: Release,
    source: str,
    out: str,
    written: Written,
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
    print_verdict(to, release.audit, out, written, against=against, quiet=quiet)


def print_private(to: Console, warning: str = TELLING) -> None:
    """Say first that what follows is private: output is kept in logs."""
    to.print(f"[bold]{escape(private_line(warning))}[/]", soft_wrap=True)


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
    _print_promises(to, audit.promises, audit.before, sensitive_columns(release.plan.policy))
    if audit.sample is not None:
        crowds = any(isinstance(promise, Crowd) for promise in release.plan.policy.promises())
        to.print(f"\nReleased is {audit.sample.in_words(crowds=crowds)}.", soft_wrap=True)
    if audit.suppressed or audit.removed:
        to.print(f"\n{_suppressed(audit)}")
    _print_changes(to, release)
    if why:
        _print_why(to, release.plan)
    for line in release.plan.redundant:
        to.print(f"[dim]Not searched for separately: {escape(line)}[/]", soft_wrap=True)
    if not release.plan.complete:
        to.print(f"[yellow]Stopped {stopped}: the release is safe, but more could have been shown.[/]")
    for warning in audit.warnings:
        to.print(f"[yellow]Warning:[/] {escape(warning)}", soft_wrap=True)
    to.print(f"[dim]Not covered: {'; '.join(audit.not_covered)}.[/]", soft_wrap=True)


def _suppressed(audit: Audit) -> str:
    """Return how many rows did not fit, and why."""
    gone, total = audit.suppressed + audit.removed, audit.rows + audit.removed
    of_which = [f"{audit.unseen} for a value that the plan has not seen"] if audit.unseen else []
    of_which += [f"{audit.drawn} drawn by lot"] if audit.drawn else []
    why = f", of which {' and '.join(of_which)}" if of_which else ""
    became = "removed" if audit.removed else "suppressed"
    return f"Rows {became}: {gone} of {total} ({percent(Fraction(gone, total))}){why}"


def print_verification(found: Verification, name: str, *, with_original: bool, quiet: bool = False) -> None:
    """Say what verification found; if `quiet`, only the verdict."""
    to = console()
    if not quiet and tells_of_people(found):
        print_private(to)
    print_found(to, found, name, with_original=with_original, verdict_only=quiet)


def print_found(
    to: Console,
    found: Verification,
    name: str,
    *,
    with_original: bool,
    before: Sequence[Finding] | None = None,
    verdict_only: bool = False,
) -> None:
    """Say what verification found, and how it was `before`."""
    to.print(f"[bold]{escape(name)}[/]: {answer_of(found, with_original=with_original)}", soft_wrap=True)
    if verdict_only:
        return
    _print_promises(to, found.requirements, before, set())
    if found.truthful.answer is Answer.HOLDS:
        to.print("Every cell is the original, something that covers it, or hidden.")
    for problem in found.truthful.problems:
        to.print(f"[red]broken[/]: {escape(problem)}", soft_wrap=True)
    if not with_original:
        to.print("[dim]Give --original to check as well that every released cell is true.[/]")


def print_draft(draft: Draft, table: str, out: str) -> None:
    """Say what was guessed for a drafted policy."""
    to = console()
    to.print(f"A draft for [bold]{escape(table)}[/] is in [bold]{escape(out)}[/]. Guessed:", soft_wrap=True)
    for look in draft.looks:
        if look.identifier:
            to.print(f"  {escape(look.name)}: identifies people ({look.identifier}); left out", soft_wrap=True)
    known = escape(", ".join(draft.known) or "no column")
    to.print(f"  {known}: known to others; together single out {draft.unique:.0%} of the rows", soft_wrap=True)
    for look in draft.looks:
        if look.name in draft.known and look.wants_groups:
            told = (
                f"{look.name}: {look.distinct} different values; groups for them: {taxonomy_command(table, look.name)}"
            )
            to.print(f"  {escape(told)}", soft_wrap=True)
    for warning in draft.warnings:
        to.print(f"[yellow]Warning:[/] {escape(warning)}", soft_wrap=True)
    to.print("Now choose in it what must not be inferred, and see what that promises:")
    to.print(f"  discreet check {escape(out)} --table {escape(table)}", soft_wrap=True)


def print_check(result: Checked, policy: Policy) -> None:
    """Say what a policy promises and, with a table, how things stand."""
    to = console()
    if result.rows is not None:
        print_private(to, ABOUT_THE_TABLE)
    purpose = ", ".join(
        str(use.name) if isinstance(use, (Counts, General)) else f"predicting {use.target}" for use in policy.uses
    )
    to.print(f"The policy is in order. The release is for: {escape(purpose)}.", soft_wrap=True)
    if result.rows is not None:
        dropped = f", {result.dropped} more have a missing value and are left out" if result.dropped else ""
        to.print(f"The table fits it: {result.rows} rows{dropped}.")
        to.print(f"Columns that may be changed: {escape(', '.join(result.may_change) or 'none')}.", soft_wrap=True)
    _print_previews(to, result.previews)
    to.print("It promises:")
    for number, promise in enumerate(result.promises, start=1):
        to.print(f"  {number}. {escape(promise.made.in_words())}", soft_wrap=True)
        if promise.now is not None:
            kept = "kept already" if promise.now.within else "not kept by the table as it is"
            to.print(f"     now: {escape(_figure(promise.now, sensitive_columns(policy)))}: {kept}", soft_wrap=True)
            to.print(f"     rows alone in their group: {promise.now.alone} of {result.rows}", soft_wrap=True)
            if promise.least is not None and not promise.possible:
                told = promise.made.cannot_be_kept(promise.least.share)
                to.print(f"     [red]{escape(told)}[/]", soft_wrap=True)
    for number, cells in enumerate(result.cells, start=len(result.promises) + 1):
        to.print(f"  {number}. {escape(cells.made.in_words())}", soft_wrap=True)
        for line in _about_wards(cells):
            to.print(f"     {escape(line)}", soft_wrap=True)
        if cells.refused:
            to.print(f"     [red]{escape(f'cannot be kept: {cells.refused}')}[/]", soft_wrap=True)
    for warning in result.warnings:
        to.print(f"[yellow]Warning:[/] {escape(warning)}", soft_wrap=True)
    to.print(f"[dim]Not covered: {'; '.join(result.not_covered)}.[/]", soft_wrap=True)


def _about_wards(cells: Cells) -> Iterator[str]:
    """Yield how confidential cells would be protected, and what is guessed if they alone are hidden."""
    methods = ", ".join(f"{method} against {adversary.name}" for adversary, method in cells.made.defences)
    yield f"by {methods}"
    if cells.hidden is None:
        return
    for against in cells.hidden.against:
        commonest = f"{against.guessed_by_prior} have the commonest value"
        told = f"{_guessing(against)} ({commonest})"
        yield f"if only the cells themselves are hidden, {told}"
    if cells.alone:
        yield f"not edited, for another promise, the use or the role: {', '.join(cells.alone)}"


def _print_previews(to: Console, previews: Sequence[Preview]) -> None:
    """Show the columns that are released as groups or intervals at each level."""
    for preview in previews:
        to.print(f"  [bold]{escape(preview.column)}[/] ({preview.kind}), by itself:", soft_wrap=True)
        _print_levels(to, preview.levels, preview.rows, preview.k)


def _print_levels(to: Console, levels: Sequence[Level], rows: int, k: int | None, *, labels: bool = True) -> None:
    """One line for each level, cut where the terminal ends: the last column is but a sample."""
    lines = [
        ["level", "labels", "smallest group", "" if k is None else f"in groups < {k}", "such as" if labels else ""]
    ]
    for level in levels:
        more = ", ..." if level.labels > len(level.such_as) else ""
        below = f"{level.below} ({percent(Fraction(level.below, rows))})" if level.below else "none"
        lines.append(
            [
                level.name,
                f"{level.labels:,}",
                _counted(level.smallest, "row"),
                "" if k is None else below,
                ", ".join(map(text_of, level.such_as)) + more if labels else "",
            ]
        )
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for place, (name, *figures, sample) in enumerate(lines):
        told = [figure.rjust(width) for figure, width in zip(figures, widths[1:], strict=False) if width]
        line = "  ".join([f"    {name.ljust(widths[0])}", *told, sample]).rstrip()
        to.print(escape(line), style=None if place else "bold", no_wrap=True, overflow="ellipsis")


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
        _print_levels(to, found.levels, found.rows, None, labels=show_values)


def _remarks(found: Fit) -> Iterator[tuple[bool, str]]:
    """Yield what is to be said of a taxonomy, with whether it keeps it from being used."""
    if found.lacking:
        near = f"; {found.nearly} of them only by capitals or blanks" if found.nearly else ""
        yield (
            True,
            f"{_counted(len(found.lacking), 'value')} of the column ({_counted(found.lacking_rows, 'row')}){near}",
        )
    if found.blank:
        yield (
            False,
            f"{_counted(found.blank, 'cell')} without a value: the policy must say under 'missing' what they are",
        )
    if found.unused:
        yield False, f"{_counted(found.unused, 'leaf', 'leaves')} that no row has"
    if found.single:
        yield False, f"{_counted(found.single, 'group')} with one member, which is released in its place"
    if found.alike:
        yield False, f"{_counted(len(found.alike), 'label')} that differ from another by capitals or blanks only"
    if found.depths[0] < found.depths[1]:
        yield False, f"values have from {found.depths[0]} to {found.depths[1]} labels above them"
    if found.marked:
        yield False, "a label other than the root is *, the usual marker: the policy needs another 'marker'"


def _counted(count: int, noun: str, nouns: str | None = None) -> str:
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def print_frontier(found: Frontier, plot: str | None) -> None:
    """Show what is kept at each threshold."""
    to = console()
    print_private(to, WARNING)
    to.print("How much can be told at which threshold (planned, not released). Changed is the threshold of:")
    for promise in found.swept:
        to.print(f"  {escape(promise)}", soft_wrap=True)
    names = ["threshold", "smallest group" if found.sizes else "largest share", "detail kept", ""]
    names += [f"of {escape(found.target)} kept"] if found.target is not None else []
    table = Table(*names, "disclosures", box=None)
    for point in found.points:
        name = found.name_of(point.threshold) + (" (the policy's)" if point.threshold == found.own else "")
        if point.largest is None or point.detail is None:
            table.add_row(name, f"[red]{found.reason(point)}[/]")
            continue
        largest = f"{point.largest.denominator}" if found.sizes else percent(point.largest)
        bar = "█" * round(point.detail * 20)
        told = "" if point.target is None else f"{point.target:.1%}"
        target = [told] if found.target is not None else []
        steps = "" if point.steps is None else str(point.steps)
        table.add_row(name, largest, f"{point.detail:.1%}", bar, *target, steps)
    to.print()
    to.print(table)
    if plot is not None:
        to.print(f"\nThe picture is {escape(plot)}: as private as this.", soft_wrap=True)


def sensitive_columns(policy: Policy) -> set[str]:
    """Return the columns whose values are not shown, not even in a group of another promise."""
    return set(policy.sensitive)


def _print_promises(
    to: Console, after: Sequence[Finding], before: Sequence[Finding] | None, sensitive: set[str]
) -> None:
    befores = before if before is not None else [None] * len(after)
    for number, (finding, was) in enumerate(zip(after, befores, strict=True), start=1):
        colour = _COLOURS[finding.answer]
        to.print(f"  {number}. [{colour}]{finding.answer}[/]  {escape(finding.promise)}", soft_wrap=True)
        if was is not None and was.worst is not None:
            to.print(f"            before: {escape(_figure(was.worst, sensitive))}", soft_wrap=True)
        if finding.worst is not None:
            label = "now:   " if was else "worst: "
            to.print(f"            {label} {escape(_figure(finding.worst, sensitive))}", soft_wrap=True)
        if finding.reason:
            to.print(f"            {escape(finding.reason)}", soft_wrap=True)
        for line in _about_cells(finding.cells) if finding.cells is not None else ():
            to.print(f"            {escape(line)}", soft_wrap=True)


def _about_cells(found: CellsFound) -> Iterator[str]:
    """Yield what each adversary guesses, beside what is guessed with less, and which cells are not protected."""
    for against in found.against:
        beside = [f"{against.guessed_by_prior} have the commonest value"]
        if against.guessed_when_only_hidden is not None:
            beside.insert(0, f"{against.guessed_when_only_hidden} if only the cells themselves were hidden")
        yield f"{_guessing(against)} ({'; '.join(beside)})"
        if against.readings is not None:
            yield f"rules read otherwise find {_read_otherwise(against.readings)}"
    if removed := len({cell.row for cell in found.cells if cell.removed}):
        yield f"{_counted(removed, 'row')} not released"
    for answer, told in ((Answer.BROKEN, "guessed"), (Answer.BY_LOT, "guessed, and left so by lot")):
        if rows := found.rows(answer):
            yield f"{told}: {rows_listed(rows)}"
    for warning in found.warnings:
        yield f"warning: {warning}"


def _guessing(against: Against) -> str:
    does = "guesses" if against.readings is None else "lead to"
    return f"{against.adversary} {does} {against.guessed} of {against.cells}"


def _read_otherwise(readings: Mapping[str, int]) -> str:
    """Say how many cells other readers of the same release find."""
    return (
        f"{readings['all']} among all rows with the conditions, {readings['published']} among those whose cell is "
        f"told, {readings['absence']} where what is hidden is a condition too, {readings['aware']} among hidden cells"
    )


def _figure(worst: Worst, sensitive: set[str]) -> str:
    group = ", ".join(
        f"{column} = {'(not shown)' if column in sensitive else text_of(value)}"
        for column, value in worst.group.items()
    )
    unknown = f"; {worst.hidden} more hidden or unknown (at worst {worst.worst_case})" if worst.hidden else ""
    return f"{worst} where {group}{unknown}" if group else f"{worst}{unknown}"


def _print_changes(to: Console, release: Release) -> None:
    audit, plan = release.audit, release.plan
    if plan.recoded:
        to.print()
        to.print(_local_changes(release) if plan.groupings else _changes(release))
        if audit.detail is not None:
            to.print(f"{audit.detail:.1%} of the detail of these columns is released.")
        if audit.bound is not None:
            to.print(f"The cut: {how_far(audit.bound)}.")
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
        cells = [_some([text_of(value) for value in values]) for values in (shown, covered, hidden)]
        if not coarser:
            del cells[1]
        row = [recoding.column, *cells, hidden_cells, *([str(audit.coarser_cells[recoding.column])] if coarser else [])]
        table.add_row(*map(escape, row))
    return table


def how_far(bound: float) -> str:
    """Say how far the best possible cut may be from one that costs 1 if none costs less than `bound`."""
    if bound == 1:
        return "proven best"
    if bound < LEAST_BOUND:
        return "nothing is known about how far the best possible is"
    return f"at most {math.ceil(1000 * (1 / bound - 1)) / 10:.1f}% above the best possible"


def print_usefulness(to: Console, found: Usefulness) -> None:
    """Say what groups there are, and what they tell of each target."""
    if found.groups:
        to.print(
            f"{found.groups} groups of rows alike, {found.average:.1f} rows on average, at least {found.smallest}."
        )
    for told in found.targets:
        to.print(f"{escape(told.target)}: {_in_words(told)}.", soft_wrap=True)


def print_cell_measures(to: Console, found: CellMeasures | None) -> None:
    """Say what the edits for confidential cells cost."""
    if found is None:
        return
    lost = "infinite (a value is not released any more)" if found.skld == math.inf else f"{found.skld:.3g}"
    to.print(f"Cells changed: {found.dd}. Distributions: distance (SKLD) {lost}, uncertainty (SCE) {found.sce:.3g}.")
    some = f" of {found.of_pairs}" if found.pairs < found.of_pairs else ""
    to.print(
        f"Mutual information of {found.pairs}{some} pairs of columns: {found.mutual_information_change:.3g} bits "
        f"changed on average (ACMI {found.acmi:.4g}, {found.acmi_infinite} lost all of it).",
        soft_wrap=True,
    )


def _in_words(told: ToldTarget) -> str:
    if told.measure == "RM":
        return f"the groups explain {1 - told.released:.1%} of its spread ({1 - told.original:.1%} in the original)"
    if told.costs:
        beside = f"{told.original:.3g} in the original, {told.nothing:.3g} if nothing were known"
        return f"taking each row for its group's majority costs {told.released:.3g} on average ({beside})"
    beside = f"{told.original:.1%} in the original, {told.nothing:.1%} if nothing were known"
    return f"{told.released:.1%} of the rows are not of their group's majority ({beside})"


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


def _print_why(to: Console, plan: Plan) -> None:
    if plan.steps:
        table = Table(
            "",
            "disclosed",
            "score",
            "gain",
            "privacy loss",
            title="Disclosed, best first",
            title_justify="left",
            box=None,
        )
        for place, step in enumerate(plan.steps[:MOST], start=1):
            value = escape(_disclosure(step))
            table.add_row(str(place), value, *(f"{figure:.6g}" for figure in (step.score, step.gain, step.loss)))
        to.print()
        to.print(table)
        if len(plan.steps) > MOST:
            to.print(f"and {len(plan.steps) - MOST} more; the plan has them all")
    if plan.kept:
        to.print("\nNot told, or not finer, and why", style="italic")
    reasons: dict[str, list[str]] = {}
    for kept in plan.kept:
        reasons.setdefault(_reason(kept, plan.policy), []).append(f"{kept.column} = {text_of(kept.value)}")
    for reason, values in list(reasons.items())[:MOST]:
        to.print(f"  {escape(_some(values, 6))}: {escape(reason)}", soft_wrap=True)
    if len(reasons) > MOST:
        to.print(f"  and values with {len(reasons) - MOST} more reasons; the plan has them all")
    to.print()


def _disclosure(step: Step) -> str:
    """Return what a step told."""
    value = f"{step.column} = {text_of(step.value)}"
    return (
        value
        if step.kind == "disclose"
        else f"{value} into its parts"
        if step.cut is None
        else f"{value} at {step.cut}"
    )


def _reason(kept: Kept, policy: Policy) -> str:
    if kept.requirement is None:
        target = (
            f" (the hidden rows all have the same {policy.target})" if policy.target and "help" in kept.reason else ""
        )
        return kept.reason + target
    promises = list(policy.promises())
    number, promise = next(
        (place, promise)
        for place, promise in enumerate(promises, start=1)
        if promise.index == kept.requirement and (not isinstance(promise, Inference) or promise.value == kept.infers)
    )
    rows = "1 row" if kept.rows == 1 else f"{kept.rows} rows"
    cut = f" (best cut at {kept.cut})" if kept.cut is not None else ""
    if not isinstance(promise, Inference):
        return f"would break promise {number}: a group of {rows}, fewer than {promise.k}{cut}"
    share = Fraction(kept.hits or 0, kept.rows or 1)
    figure = f"{kept.hits} of {rows}, {percent(share)} > {percent(promise.at_most)}"
    return f"would break promise {number}: {figure}{cut}"


def _some(texts: Sequence[str], most: int = MOST) -> str:
    shown = ", ".join(texts[:most])
    return shown if len(texts) <= most else f"{shown} and {len(texts) - most} more"

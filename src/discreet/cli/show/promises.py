"""What was found about each promise: its worst group, and which cells are guessed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from rich.console import Console

from discreet.cli.show.joint import print_joint
from discreet.cli.show.texts import counted, text_of
from discreet.cli.show.verdict import answer_of, tells_of_people
from discreet.cli.terminal import console, escape, print_private
from discreet.errors import rows_listed
from discreet.policy import Policy
from discreet.verification.answers import Answer
from discreet.verification.findings import Finding, Verification, Worst

if TYPE_CHECKING:
    from discreet.verification.cell_answers import Against, CellsFound

_COLOURS = {Answer.HOLDS: "green", Answer.BROKEN: "red", Answer.NOT_CHECKABLE: "yellow", Answer.BY_LOT: "yellow"}


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
    print_promises(to, found.requirements, before, set())
    print_joint(to, found.joint)
    if found.truthful.answer is Answer.HOLDS:
        to.print("Every cell is the original, something that covers it, or hidden.")
    for problem in found.truthful.problems:
        to.print(f"[red]broken[/]: {escape(problem)}", soft_wrap=True)
    if not with_original:
        to.print("[dim]Give --original to check as well that every released cell is true.[/]")


def print_promises(
    to: Console, after: Sequence[Finding], before: Sequence[Finding] | None, sensitive: set[str]
) -> None:
    """Say of each promise what was found, and how it was `before`; values of `sensitive` columns are not shown."""
    befores = before if before is not None else [None] * len(after)
    for number, (finding, was) in enumerate(zip(after, befores, strict=True), start=1):
        colour = _COLOURS[finding.answer]
        to.print(f"  {number}. [{colour}]{finding.answer}[/]  {escape(finding.promise)}", soft_wrap=True)
        if was is not None and was.worst is not None:
            to.print(f"            before: {escape(worst_in_words(was.worst, sensitive))}", soft_wrap=True)
        if finding.worst is not None:
            label = "now:   " if was else "worst: "
            to.print(f"            {label} {escape(worst_in_words(finding.worst, sensitive))}", soft_wrap=True)
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
        yield f"{guessing(against)} ({'; '.join(beside)})"
        if against.readings is not None:
            yield f"rules read otherwise find {_read_otherwise(against.readings)}"
    if removed := len({cell.row for cell in found.cells if cell.removed}):
        yield f"{counted(removed, 'row')} not released"
    for answer, told in ((Answer.BROKEN, "guessed"), (Answer.BY_LOT, "guessed, and left so by lot")):
        if rows := found.rows(answer):
            yield f"{told}: {rows_listed(rows)}"
    for warning in found.warnings:
        yield f"warning: {warning}"


def guessing(against: Against) -> str:
    """Return how many cells an adversary guesses."""
    does = "guesses" if against.readings is None else "lead to"
    return f"{against.adversary} {does} {against.guessed} of {against.cells}"


def _read_otherwise(readings: Mapping[str, int]) -> str:
    """Say how many cells other readers of the same release find."""
    return (
        f"{readings['all']} among all rows with the conditions, {readings['published']} among those whose cell is "
        f"told, {readings['absence']} where what is hidden is a condition too, {readings['aware']} among hidden cells"
    )


def worst_in_words(worst: Worst, sensitive: set[str]) -> str:
    """Return the figure of the worst group, and which one it is; values of `sensitive` columns are not shown."""
    group = ", ".join(
        f"{column} = {'(not shown)' if column in sensitive else text_of(value)}"
        for column, value in worst.group.items()
    )
    unknown = f"; {worst.hidden} more hidden or unknown (at worst {worst.worst_case})" if worst.hidden else ""
    return f"{worst} where {group}{unknown}" if group else f"{worst}{unknown}"


def sensitive_columns(policy: Policy) -> set[str]:
    """Return the columns whose values are not shown, not even in a group of another promise."""
    return set(policy.sensitive)

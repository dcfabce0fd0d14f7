"""The verdict in which the output of a command ends, and all of it with --quiet: no value of the table is in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from discreet.audit.audit import Audit
from discreet.audit.report.words import attacked
from discreet.cli.terminal import escape
from discreet.common.shares import percent
from discreet.table.formats.place import Place
from discreet.verification.answers import Answer
from discreet.verification.findings import Verification

if TYPE_CHECKING:
    from discreet.attack.base import Attack
    from discreet.verification.joint import JointFinding

MOST = 8
"""Attacks named before the rest is only counted."""


@dataclass(frozen=True)
class WrittenFiles:
    """The files that a command has written, and those of them that nobody else may see."""

    files: Sequence[Place] = ()
    private: Sequence[Path] = ()

    def in_words(self) -> str:
        """Return which they are."""
        told = [f"{path}{' (private)' if path in self.private else ''}" for path in self.files]
        return f"Written: {', '.join(told)}."


def answer_of(found: Verification, *, with_original: bool) -> str:
    """Return in words, marked up, what verification found."""
    answers = {finding.answer for finding in found.requirements} | {each.answer for each in _together(found)}
    if found.holds and Answer.BY_LOT in answers:
        return "[yellow]nothing is broken, but cells are left to the lot, which promises nothing[/]"
    if found.holds:
        return "[green]every promise holds[/]"
    if answers == {Answer.HOLDS}:
        why = "it is not true to the original" if with_original else "it has a column that should have been left out"
        return f"[red]the promises hold, but {why}[/]"
    if Answer.BROKEN in answers:
        return "[red]a promise is broken[/]"
    return "[yellow]not every promise can be checked[/]"


def answer_in_plain(found: Verification, *, with_original: bool) -> str:
    """Return the same without marks."""
    return Text.from_markup(answer_of(found, with_original=with_original)).plain


def _together(found: Verification) -> Sequence[JointFinding]:
    """Return what was found on several releases together."""
    return () if found.joint is None else found.joint.findings


def passed(found: Verification, partial: bool) -> bool:
    """Whether a release passes; `partial`: also if some promise could not be checked, but none is broken."""
    together = (finding.answer for finding in _together(found))
    answers = [found.truthful.answer, *(finding.answer for finding in found.requirements), *together]
    broken = Answer.BROKEN in answers
    return found.holds or (partial and not broken)


def tells_of_people(found: Verification) -> bool:
    """Whether what verification found tells of people: which cells are guessed, or what a table not to be released has.

    Where every promise holds, everybody can count the same in the release.
    """
    answers = {found.truthful.answer, *(finding.answer for finding in found.requirements)}
    return bool(answers & {Answer.BROKEN, Answer.BY_LOT})


def print_not_covered(to: Console, not_covered: Sequence[str]) -> None:
    """Say what nobody promised, as a list."""
    to.print("[dim]Not covered:[/]")
    for what in not_covered:
        to.print(f"[dim]  - {escape(what)}[/]", soft_wrap=True)


def _suppressed(audit: Audit) -> str | None:
    """Return what is said first where more than one row in a hundred is suppressed or removed."""
    gone, rows = audit.suppressed + audit.removed, audit.rows + audit.removed
    if 100 * gone <= rows:
        return None
    became = "left out" if audit.removed else "suppressed: they tell nothing on the columns that may change"
    return f"{gone} of {rows} rows ({percent(Fraction(gone, rows))}) are {became}"


def print_verdict(
    to: Console,
    audit: Audit,
    name: str,
    written: WrittenFiles,
    *,
    against: str | None = None,
    quiet: bool = False,
    own: bool = False,
) -> None:
    """Say whether a release was verified, which attacks succeed, and what was written.

    Of one that was made just now (`own`) it is known which rows were suppressed; many are said first.
    """
    policy = "" if against is None else f" against {escape(against)}"
    made = "[bold]Verified[/]: " if audit.verification.holds else ""
    answer = answer_of(audit.verification, with_original=True)
    if own and (gone := _suppressed(audit)):
        to.print(f"[yellow]{gone}.[/]", soft_wrap=True)
    to.print(f"{made}{escape(name)}{policy}, {audit.rows} rows: {answer}.", soft_wrap=True)
    if audit.attacks is not None:
        to.print(_attacks(audit), soft_wrap=True)
    if written.files:
        to.print(escape(written.in_words()), soft_wrap=True)
    if quiet and (warnings := len(audit.all_warnings)):
        some = "1 warning" if warnings == 1 else f"{warnings} warnings"
        to.print(f"[yellow]{some}[/]: shown without --quiet.")


def _attacks(audit: Audit) -> str:
    """Return how the attacks went, and which of them succeed."""
    found, skipped = ((), ()) if audit.attacks is None else (audit.attacks.found, audit.attacks.skipped)
    leaks = [attack for attack in found if attack.leaks]
    no_time = f" (no time for {len(skipped)} more)" if skipped else ""
    if not leaks:
        return f"{attacked(audit)}{no_time}."
    more = f" and {len(leaks) - MOST} more" if len(leaks) > MOST else ""
    return f"[yellow]{attacked(audit)}[/]{no_time}: {escape('; '.join(_named(leaks[:MOST])))}{more}."


def _named(leaks: Sequence[Attack]) -> Iterator[str]:
    for attack in leaks:
        beside = attack.beside
        compared = "" if beside is None or beside.share is None else f", compared with {beside.share:.1%}"
        target = "" if attack.target is None else f" guesses {attack.target}"
        yield f"{attack.name}{target}: {attack.released.share or 0:.1%} right{compared}"

"""What the command line prints of an audit: how each attack fared beside what anybody gets right, and what is kept."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table

from discreet.attack.base import KINDS, Attack, Attacked, Kind
from discreet.audit.audit import Audit
from discreet.cli.show.measures import print_cell_measures, print_usefulness
from discreet.cli.show.promises import print_found
from discreet.cli.show.verdict import WrittenFiles, print_not_covered, print_verdict
from discreet.cli.terminal import console, escape, print_private
from discreet.common.private import AUDIT
from discreet.common.rates import Rate
from discreet.measure.learning import LearnedTarget
from discreet.measure.utility import Utility

TITLES: dict[Kind, str] = {
    "linkage": "Who is who",
    "inference": "What somebody's value is",
    "cells": "What a confidential cell is",
    "aware": "By who knows the method",
}


def print_audit(audit: Audit, name: str, written: WrittenFiles, *, quiet: bool = False) -> None:
    """Say what an audit found; if `quiet`, only the verdict."""
    to = console()
    if not quiet:
        print_private(to, AUDIT)
        _print_found(to, audit, name)
        to.print()
    print_verdict(to, audit, name, written, quiet=quiet)


def _print_found(to: Console, audit: Audit, name: str) -> None:
    print_found(to, audit.verification, name, with_original=True, before=audit.before)
    if audit.attacks is not None:
        print_attacks(to, audit.attacks)
    if audit.utility is not None:
        to.print()
        _print_utility(to, audit.utility)
    print_usefulness(to, audit.usefulness)
    print_cell_measures(to, audit.cells)
    to.print()
    warnings = [*audit.warnings, *(() if audit.attacks is None else audit.attacks.warnings)]
    for warning in warnings:
        to.print(f"[yellow]Warning:[/] {escape(warning)}", soft_wrap=True)
    print_not_covered(to, audit.not_covered)


def print_attacks(to: Console, attacked: Attacked) -> None:
    """Show the attacks, kind by kind, with their 95% intervals and beside them the baselines."""
    for kind in KINDS:
        found = [attack for attack in attacked.found if attack.kind == kind]
        if found:
            to.print()
            to.print(_table(kind, found))
    for note in attacked.notes:
        to.print(f"[dim]{escape(note[:1].upper() + note[1:])}.[/]", soft_wrap=True)
    if attacked.skipped:
        to.print(f"[yellow]No time for: {escape(', '.join(attacked.skipped))}.[/]", soft_wrap=True)


def _table(kind: Kind, found: list[Attack]) -> Table:
    """Return a line for each attack; a column only where some attack has something to say in it."""
    targets = kind != "linkage"
    shown = [
        ("baseline", [attack.baseline for attack in found]),
        ("original", [attack.original for attack in found]),
        ("only hidden", [attack.only_hidden for attack in found]),
        ("control", [attack.control for attack in found]),
        ("surest fifth", [attack.surest for attack in found]),
    ]
    shown = [(name, rates) for name, rates in shown if any(rate is not None for rate in rates)]
    names = ["attack", *(["guesses"] if targets else ["knows"]), "right", "95%", *(name for name, _ in shown), "tried"]
    table = Table(*names, title=TITLES[kind], title_justify="left", box=None)
    for place, attack in enumerate(found):
        what = attack.target or "" if targets else _knowing(attack)
        table.add_row(
            escape(attack.name),
            escape(what),
            _share(attack.released),
            _interval(attack.released),
            *(_share(rates[place]) for _, rates in shown),
            f"{attack.released.tries:,}{f' of {attack.of:,}' if attack.sampled else ''}",
        )
    return table


def _knowing(attack: Attack) -> str:
    names = ", ".join(attack.knows[:3])
    return f"{names} and {len(attack.knows) - 3} more" if len(attack.knows) > 3 else names


def _share(rate: Rate | None) -> str:
    if rate is None or rate.share is None:
        return ""
    return f"{rate.share:.1%}" if rate.share >= 0.0995 else _small(rate.share)


def _small(share: float) -> str:
    return f"{share:.2%}" if share >= 0.0001 or share == 0 else f"{share:.1e}"


def _interval(rate: Rate) -> str:
    low, high = rate.interval
    return f"{low:.1%}-{high:.1%}" if rate.tries else ""


def _print_utility(to: Console, found: Utility) -> None:
    to.print(f"Of the detail of the columns that may change {1 - found.loss:.1%} is released.")
    for line in _learned(found.learned):
        to.print(escape(line), soft_wrap=True)
    for note in found.notes:
        to.print(f"[dim]{escape(note[:1].upper() + note[1:])}.[/]", soft_wrap=True)


def _learned(found: tuple[LearnedTarget, ...]) -> Iterator[str]:
    for learned in found:
        without = ""
        if learned.without is not None:
            without = f", {learned.without:.1%} without {', '.join(learned.without_columns)}"
        score = "error" if learned.score == "error" else "explained"
        yield (
            f"{learned.target} by {learned.learner}: {score} {learned.released:.1%} from the release, "
            f"{learned.original:.1%} from the original{without}, {learned.nothing:.1%} knowing nothing"
        )

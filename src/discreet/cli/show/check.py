"""What a policy promises and, with a table, how things stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from discreet.assist.check import ABOUT_THE_TABLE, CheckedCells, CheckedPolicy
from discreet.assist.preview import Preview
from discreet.cli.show.levels import print_levels
from discreet.cli.show.promises import guessing, sensitive_columns, worst_in_words
from discreet.cli.terminal import console, escape, print_private
from discreet.policy import Policy


def print_check(result: CheckedPolicy, policy: Policy) -> None:
    """Say what a policy promises and, with a table, how things stand."""
    to = console()
    if result.rows is not None:
        print_private(to, ABOUT_THE_TABLE)
    purpose = ", ".join(use.purpose for use in policy.uses)
    to.print(f"The policy is in order. The release is for: {escape(purpose)}.", soft_wrap=True)
    if result.rows is not None:
        dropped = f", {result.dropped} more have a missing value and are left out" if result.dropped else ""
        whose = "" if result.persons is None else f" of {result.persons} persons"
        to.print(f"The table fits it: {result.rows} rows{whose}{dropped}.")
        to.print(f"Columns that may be changed: {escape(', '.join(result.may_change) or 'none')}.", soft_wrap=True)
    _print_previews(to, result.previews)
    to.print("It promises:")
    for number, promise in enumerate(result.promises, start=1):
        to.print(f"  {number}. {escape(promise.said(promise.made.in_words()))}", soft_wrap=True)
        if promise.now is not None:
            kept = "kept already" if promise.now.within else "not kept by the table as it is"
            now = worst_in_words(promise.now, sensitive_columns(policy))
            to.print(f"     now: {escape(now)}: {kept}", soft_wrap=True)
            alone = f"persons alone in their group: {promise.now.alone} of {result.persons}"
            if not promise.now.persons:
                alone = f"rows alone in their group: {promise.now.alone} of {result.rows}"
            to.print(f"     {alone}", soft_wrap=True)
            if promise.least is not None and not promise.possible:
                told = promise.said(promise.made.cannot_be_kept(promise.least.share))
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


def _about_wards(cells: CheckedCells) -> Iterator[str]:
    """Yield how confidential cells would be protected, and what is guessed if they alone are hidden."""
    methods = ", ".join(f"{method} against {adversary.name}" for adversary, method in cells.made.defences)
    yield f"by {methods}"
    if cells.hidden is None:
        return
    for against in cells.hidden.against:
        commonest = f"{against.guessed_by_prior} have the commonest value"
        told = f"{guessing(against)} ({commonest})"
        yield f"if only the cells themselves are hidden, {told}"
    if cells.alone:
        yield f"not edited, for another promise, the use or the role: {', '.join(cells.alone)}"


def _print_previews(to: Console, previews: Sequence[Preview]) -> None:
    """Show the columns that are released as groups or intervals at each level."""
    for preview in previews:
        to.print(f"  [bold]{escape(preview.column)}[/] ({preview.kind}), by itself:", soft_wrap=True)
        noun = "person" if preview.persons else "row"
        print_levels(to, preview.levels, preview.rows, preview.k, noun=noun)

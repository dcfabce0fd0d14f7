"""What a policy promises and, with a table, how things stand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from discreet.assist.check import ABOUT_THE_TABLE, CheckedCells, CheckedPolicy
from discreet.assist.preview import Preview
from discreet.cli.show.levels import print_levels
from discreet.cli.show.promises import guessing, sensitive_columns, worst_in_words
from discreet.cli.terminal import console, escape, print_private
from discreet.common.shares import short_percent
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
        to.print(f"The table fits it: {result.rows} rows{dropped}.")
        to.print(f"Columns that may be changed: {escape(', '.join(result.may_change) or 'none')}.", soft_wrap=True)
    _print_previews(to, result.previews)
    to.print("It promises:")
    for number, promise in enumerate(result.promises, start=1):
        to.print(f"  {number}. {escape(promise.said(promise.made.in_words()))}", soft_wrap=True)
        if promise.now is not None:
            kept = "kept already" if promise.now.within else "not kept by the table as it is"
            now = worst_in_words(promise.now, sensitive_columns(policy))
            to.print(f"     now: {escape(now)}: {kept}", soft_wrap=True)
            alone = f"persons alone in their group: {promise.now.alone}"
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
    if cells.made.is_blind:
        yield from _rehearsed(cells)
        return
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


def _rehearsed(cells: CheckedCells) -> Iterator[str]:
    """Yield what blind protection comes to, as far as the other rows show."""
    yield f"blind, against {', '.join(cells.made.references_used)}; blocks: {cells.made.told_blocks}"
    found = cells.rehearsed
    if found is None:
        return
    low, high = map(short_percent, found.limits)
    limits = f"limit {low}" if low == high else f"limits from {low} to {high}"
    yield f"the commonest value has {short_percent(found.commonest)} of the other rows; {limits}"
    yield (
        f"rehearsed on {found.rows} other rows: about {found.hidden:.1f} of {found.predictors} predictors hidden beside "
        "the cell"
    )
    for each in found.learners:
        low, high = map(short_percent, each.right.interval)
        yield (
            f"  {each.name}, which knows the method: right on {short_percent(each.right.share or 0.0)} ({low} to {high}), "
            f"limit {short_percent(each.limit)}; surest fifth {short_percent(each.surest.share or 0.0)}, "
            f"limit {short_percent(each.surest_limit)}"
        )


def _print_previews(to: Console, previews: Sequence[Preview]) -> None:
    """Show the columns that are released as groups or intervals at each level."""
    for preview in previews:
        to.print(f"  [bold]{escape(preview.column)}[/] ({preview.kind}), by itself:", soft_wrap=True)
        print_levels(to, preview.levels, preview.rows, preview.k)

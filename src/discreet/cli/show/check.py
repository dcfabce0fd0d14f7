"""What a policy promises and, with a table, how things stand."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from rich.console import Console

from discreet.assist.check import ABOUT_THE_TABLE, CheckedCells, CheckedPolicy
from discreet.assist.preview import Preview
from discreet.cli.show.joint import print_foreseen
from discreet.cli.show.levels import print_levels
from discreet.cli.show.promises import guessing, sensitive_columns, worst_in_words
from discreet.cli.show.texts import counted, text_of
from discreet.cli.show.verdict import print_not_covered
from discreet.cli.terminal import console, escape, print_private
from discreet.policy import Policy
from discreet.table.engine import Engine

MOST_VALUES = 50
"""Values of a column that are listed."""


def print_check(result: CheckedPolicy, policy: Policy, path: str, table: str | None) -> None:
    """Say what a policy promises and, with a table, how things stand; and what to do next."""
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
    if result.over_time is not None:
        print_foreseen(to, result.over_time)
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
    print_not_covered(to, result.not_covered)
    to.print(f"[bold]Next[/]: {escape(_next(result, path, table))}", soft_wrap=True)


def _next(result: CheckedPolicy, path: str, table: str | None) -> str:
    """Return what to do after a check."""
    if table is None:
        return f"see whether it fits your table, and what is possible: discreet check {shlex.quote(path)} --table TABLE"
    if result.over_time is not None and result.over_time.refused is not None:
        return "change what the releases before do not allow, as said above, and check again"
    if not result.possible:
        broken = [str(number) for number, promise in enumerate(result.promises, start=1) if not promise.possible]
        broken += [str(number) for number, cells in enumerate(result.cells, len(result.promises) + 1) if cells.refused]
        return f"no release can keep promise {' and '.join(broken)}: change it as said there, and check again"
    kept = not result.cells and all(promise.now is not None and promise.now.within for promise in result.promises)
    already = "the table keeps every promise as it is; ask for more, or " if kept else ""
    return f"{already}make a release: {_protect(path, table)}"


def _protect(path: str, table: str) -> str:
    return shlex.join(["discreet", "protect", table, "--policy", path, "--out", "release.csv", "--plan", "plan.json"])


def print_values(source: Engine, policy: Policy) -> None:
    """List the values of the columns that must not be inferred, the commonest first, with the rows that have each."""
    to = console()
    print_private(to, ABOUT_THE_TABLE)
    for name in sorted(policy.sensitive & set(source.columns)):
        found = source.count([name])
        values = sorted(zip(found.rows(name).tolist(), found.domain(name), strict=True), key=lambda each: -each[0])
        to.print(f"{escape(name)} has {counted(len(values), 'different value')}:", soft_wrap=True)
        for rows, value in values[:MOST_VALUES]:
            to.print(f"  {escape(text_of(value))}  ({counted(rows, 'row')})", soft_wrap=True)
        if len(values) > MOST_VALUES:
            to.print(f"  and {len(values) - MOST_VALUES} more")


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
    if cells.rehearsed is not None:
        yield from cells.rehearsed.in_words()


def _print_previews(to: Console, previews: Sequence[Preview]) -> None:
    """Show the columns that are released as groups or intervals at each level."""
    for preview in previews:
        to.print(f"  [bold]{escape(preview.column)}[/] ({preview.kind}), by itself:", soft_wrap=True)
        noun = "person" if preview.persons else "row"
        print_levels(to, preview.levels, preview.rows, preview.k, noun=noun)

"""What was guessed for a drafted policy."""

from __future__ import annotations

from discreet.assist.draft import PolicyDraft, taxonomy_command
from discreet.cli.terminal import console, escape


def print_draft(draft: PolicyDraft, table: str, out: str) -> None:
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

"""What was guessed for a drafted policy."""

from __future__ import annotations

import shlex

from discreet.assist.draft import PolicyDraft
from discreet.cli.terminal import console, escape


def print_draft(draft: PolicyDraft, table: str, out: str) -> None:
    """Say what was guessed for a drafted policy, and what to do with it."""
    to = console()
    to.print(f"A draft for [bold]{escape(table)}[/] is in [bold]{escape(out)}[/]. Guessed:", soft_wrap=True)
    for name, why in draft.identifiers.items():
        to.print(f"  {escape(name)}: identifies people ({escape(why)}); left out", soft_wrap=True)
    known = escape(", ".join(draft.known))
    to.print(f"  {known}: known to others; together single out {draft.unique:.0%} of the rows", soft_wrap=True)
    for name, why in draft.secrets.items():
        to.print(f"  {escape(name)}: must not be inferred ({escape(why)})", soft_wrap=True)
    if not draft.secrets:
        to.print(
            "[yellow]No column looks like a secret[/]: the draft promises that people look alike, not what can be "
            "inferred of them. Name what nobody may learn: --secret COLUMN.",
            soft_wrap=True,
        )
    if draft.trees:
        files = escape(", ".join(draft.trees))
        to.print(f"Groups for columns are beside it, learned from the data and private: {files}", soft_wrap=True)
    for warning in draft.warnings:
        to.print(f"[yellow]Warning:[/] {escape(warning)}", soft_wrap=True)
    to.print("It promises:")
    for number, promise in enumerate(draft.promises, start=1):
        to.print(f"  {number}. {escape(promise)}", soft_wrap=True)
    to.print("Next: read it through, change what is wrong, and see what it promises of your table:")
    to.print(f"  {escape(shlex.join(['discreet', 'check', out, '--table', table]))}", soft_wrap=True)

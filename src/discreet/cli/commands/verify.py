"""`discreet verify`: every promise counted again on a release."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.inputs import read_rules
from discreet.cli.options import (
    KeyedEngineOptions,
    OriginalLayoutOptions,
    PartialOption,
    PolicyOption,
    PrintOptions,
    ReleaseArg,
)
from discreet.cli.reporting import reporting


def verify(
    release: ReleaseArg,
    policy: PolicyOption,
    original: Annotated[
        Path | None, typer.Option("--original", help="The table it was made from, to check every cell.")
    ] = None,
    partial: PartialOption = False,
    *,
    rows: KeyedEngineOptions,
    shown: PrintOptions,
    layout: OriginalLayoutOptions,
) -> None:
    """Count every promise of the policy again on RELEASE, however it was made."""
    with reporting(shown.as_json, shown.quiet) as state:
        rules = read_rules(policy, layout)
        from discreet.cli.show.verdict import passed
        from discreet.verification.promises import verify as run

        found = run(release, rules, original, **rows.said())
        state.code = 0 if passed(found, partial) else 1
        if shown.as_json:
            print(found.to_json())
        else:
            from discreet.cli.show.promises import print_verification

            print_verification(found, str(release), with_original=original is not None, quiet=shown.quiet)

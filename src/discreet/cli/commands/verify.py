"""`discreet verify`: every promise counted again on a release."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.inputs import read_rules
from discreet.cli.options import (
    DecimalOption,
    EncodingOption,
    EngineOption,
    HeaderOption,
    JsonOption,
    KeyOption,
    MemoryOption,
    OriginalSkipOption,
    PartialOption,
    PolicyOption,
    QuietOption,
    ReleaseArg,
    SeparatorOption,
)
from discreet.cli.reporting import reporting


def verify(
    release: ReleaseArg,
    policy: PolicyOption,
    original: Annotated[
        Path | None, typer.Option("--original", help="The table it was made from, to check every cell.")
    ] = None,
    partial: PartialOption = False,
    engine: EngineOption = None,
    memory_limit: MemoryOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    separator: SeparatorOption = None,
    header: HeaderOption = None,
    encoding: EncodingOption = None,
    skip: OriginalSkipOption = None,
    decimal: DecimalOption = None,
) -> None:
    """Count every promise of the policy again on RELEASE, however it was made."""
    with reporting(as_json, quiet) as state:
        rules = read_rules(policy, separator=separator, header=header, encoding=encoding, skip=skip, decimal=decimal)
        from discreet.cli.show.verdict import passed
        from discreet.verification.promises import verify as run

        found = run(release, rules, original, engine=engine, memory_limit=memory_limit, key=key)
        state.code = 0 if passed(found, partial) else 1
        if as_json:
            print(found.to_json())
        else:
            from discreet.cli.show.promises import print_verification

            print_verification(found, str(release), with_original=original is not None, quiet=quiet)
        sys.stdout.flush()
        raise typer.Exit(state.code)

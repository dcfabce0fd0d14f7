"""`discreet check`: whether a policy is in order and fits a table."""

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
    MemoryOption,
    SeparatorOption,
    SkipOption,
)
from discreet.cli.reporting import print_json, reporting
from discreet.errors import InputError


def check(
    policy: Annotated[Path, typer.Argument(metavar="POLICY", help="Policy file (YAML or TOML).", show_default=False)],
    table: Annotated[
        Path | None, typer.Option("--table", help="Check it against this table, with its present risk.")
    ] = None,
    engine: EngineOption = None,
    memory_limit: MemoryOption = None,
    as_json: JsonOption = False,
    separator: SeparatorOption = None,
    header: HeaderOption = None,
    encoding: EncodingOption = None,
    skip: SkipOption = None,
    decimal: DecimalOption = None,
) -> None:
    """Say whether a policy is in order and what it promises; with a table, whether they fit."""
    with reporting(as_json) as state:
        rules = read_rules(policy, separator=separator, header=header, encoding=encoding, skip=skip, decimal=decimal)
        from discreet.assist.check import check_policy
        from discreet.cli.show.check import print_check
        from discreet.table.source import Opening

        if table is None and (engine is not None or memory_limit is not None):
            raise InputError("--engine and --memory-limit are for --table")
        result = check_policy(rules, table, Opening(engine, memory_limit))
        state.code = 0 if result.possible else 1
        if as_json:
            print_json(result.to_dict())
        else:
            print_check(result, rules)
        sys.stdout.flush()
        raise typer.Exit(state.code)

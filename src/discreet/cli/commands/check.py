"""`discreet check`: whether a policy is in order and fits a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.inputs import read_rules, shown_name
from discreet.cli.options import AskedLedgerOptions, EngineOptions, JsonOption, TableLayoutOptions
from discreet.cli.reporting import print_json, reporting
from discreet.errors import InputError


def check(
    policy: Annotated[Path, typer.Argument(metavar="POLICY", help="Policy file (YAML or TOML).", show_default=False)],
    table: Annotated[
        str | None, typer.Option("--table", help="Check it against this table, with its present risk.")
    ] = None,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="With --table: first list the values that must not be inferred.")
    ] = False,
    *,
    over_time: AskedLedgerOptions,
    rows: EngineOptions,
    as_json: JsonOption = False,
    layout: TableLayoutOptions,
) -> None:
    """Say whether a policy is in order and what it promises; with a table, whether they fit.

    Example:

    discreet check bank.yaml --table bank.csv
    """
    with reporting(as_json) as state:
        rules = read_rules(policy, layout)
        from discreet.assist.check import check_policy
        from discreet.cli.show.check import print_check, print_values

        if show_values and (table is None or as_json):
            raise InputError("--show-values: lists values of a table as text; give --table, and leave out --json")
        if table is None and rows != EngineOptions():
            raise InputError("--engine and --memory-limit are for --table")
        if show_values and table is not None:
            from discreet.table.source import open_table

            print_values(open_table(table, rules, opening=rows.opening()), rules)
        from discreet.ledger.note import ledger_asked

        result = check_policy(rules, table, rows.opening(), ledger_asked(rules, **over_time.said()))
        state.code = 0 if result.possible else 1
        if as_json:
            print_json(result.to_dict())
        else:
            print_check(result, rules, str(policy), None if table is None else shown_name(table))

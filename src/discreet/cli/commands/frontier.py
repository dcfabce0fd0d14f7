"""`discreet frontier`: how much can be told at which threshold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.inputs import read_rules
from discreet.cli.options import (
    AskedLedgerOptions,
    ForceOption,
    JsonOption,
    KeyedEngineOptions,
    PolicyOption,
    TableArg,
    TableLayoutOptions,
)
from discreet.cli.outputs import refuse_outputs
from discreet.cli.reporting import reporting
from discreet.errors import InputError


def frontier(
    table: TableArg,
    policy: PolicyOption,
    thresholds: Annotated[
        str | None,
        typer.Option("--thresholds", help="Shares (or k) to try, such as 20%,40%,60%; chosen when absent."),
    ] = None,
    promise: Annotated[
        int | None, typer.Option("--promise", min=1, help="Number of the promise whose threshold changes.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw it here: .html, .svg or .png (needs discreet\\[report]).")
    ] = None,
    force: ForceOption = False,
    *,
    over_time: AskedLedgerOptions,
    rows: KeyedEngineOptions,
    as_json: JsonOption = False,
    layout: TableLayoutOptions,
) -> None:
    """Show how much of TABLE can be told at which threshold, to choose one. Nothing is released.

    Example:

    discreet frontier bank.csv -p bank.yaml --thresholds 50%,75%
    """
    with reporting(as_json):
        if plot is not None:
            refuse_outputs([plot], [table, policy], force)
            _refuse_charts(plot)
        rules = read_rules(policy, layout)
        from discreet.assist.frontier import frontier as run
        from discreet.cli.show.frontier import print_frontier

        wanted = None if thresholds is None else [text.strip() for text in thresholds.split(",")]
        found = run(table, rules, wanted, promise=promise, **rows.said(), **over_time.said())
        if plot is not None:
            from discreet.assist.charts import drawn
            from discreet.writing.release import write_private

            write_private(plot, drawn(found, plot), force=force)
        if as_json:
            print(found.to_json(), end="")
        else:
            print_frontier(found, None if plot is None else str(plot))


def _refuse_charts(plot: Path) -> None:
    """Refuse at once a form of picture that cannot be drawn here."""
    from discreet.assist.charts import FORMS
    from discreet.audit.report.render import refuse_report

    if plot.suffix.lower() not in FORMS:
        raise InputError(f"{plot}: a picture ends in {', '.join(FORMS)}")
    refuse_report()

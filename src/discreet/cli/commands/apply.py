"""`discreet apply`: a kept plan carried out on new rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.inputs import read_rules, refuse_changed, shown_name, stamp_of
from discreet.cli.options import (
    ForceOption,
    KeptLedgerOptions,
    KeyedEngineOptions,
    OutOption,
    PopulationOption,
    PrintOptions,
    TableArg,
    TableLayoutOptions,
)
from discreet.cli.outputs import beside_release, refuse_outputs, refuse_release, released_files
from discreet.cli.progress import show_progress
from discreet.cli.reporting import print_json, reporting


def apply(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="A plan kept with --plan.", show_default=False)],
    table: TableArg,
    out: OutOption,
    policy: Annotated[
        Path | None,
        typer.Option("--policy", "-p", help="The owner's policy, to verify against; that of PLAN when absent."),
    ] = None,
    population: PopulationOption = None,
    force: ForceOption = False,
    *,
    over_time: KeptLedgerOptions,
    rows: KeyedEngineOptions,
    shown: PrintOptions,
    layout: TableLayoutOptions,
) -> None:
    """Carry a kept plan out on new rows of the same kind; the result is verified like any other.

    Example:

    discreet apply plan.json bank.csv -o again.csv
    """
    with reporting(shown.as_json, shown.quiet) as state:
        refuse_release(out, table, force, shown.as_json)
        from discreet.ledger.note import ledger_use
        from discreet.pipeline import apply as run
        from discreet.table.formats.place import place_of
        from discreet.writing.plan_file import read_plan
        from discreet.writing.release import write_release

        kept = read_plan(plan)
        if policy is None:
            kept, rules = replace(kept, policy=kept.policy.with_file(**layout.said())), None
        else:
            rules = read_rules(policy, layout)
        inputs: list[str | Path] = [path for path in (table, plan, policy, population) if path is not None]
        refuse_outputs(released_files(out, rules or kept.policy), inputs, force)
        before: dict[str | Path, object] = {path: stamp_of(path) for path in inputs}
        with show_progress(shown.no_progress) as say:
            use = ledger_use(rules or kept.policy, **over_time.named(out))
            release = run(kept, table, say, rows.opening(), rules, population, use)
            refuse_changed(before)
            state.release = place_of(out)
            write_release(release, out, force=force)
        from discreet.cli.show.release import print_release, release_dict

        if shown.as_json:
            print_json(
                {**release_dict(release, shown_name(out), None), "policy": None if policy is None else str(policy)}
            )
        else:
            against = "the policy in the plan" if policy is None else str(policy)
            names = shown_name(table), shown_name(out)
            with beside_release(out):
                print_release(release, *names, state.files(), why=False, against=against, quiet=shown.quiet)

"""`discreet audit`: a release attacked, whoever made it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.inputs import read_rules, refuse_changed, shown_name, stamp_of
from discreet.cli.options import (
    BesideLedgerOptions,
    ForceOption,
    KeyedEngineOptions,
    OriginalLayoutOptions,
    PartialOption,
    PlanOrderOption,
    PolicyOption,
    PopulationOption,
    PrintOptions,
    ReleaseArg,
    ReportOptions,
    SeedOption,
)
from discreet.cli.outputs import refuse_outputs, report_files
from discreet.cli.progress import show_progress
from discreet.cli.reporting import reporting


def audit(
    release: ReleaseArg,
    policy: PolicyOption,
    original: Annotated[str, typer.Option("--original", help="The table it was made from.", show_default=False)],
    *,
    files: ReportOptions,
    control: Annotated[
        str | None, typer.Option("--control", help="Rows of people who are not in the table, for comparison.")
    ] = None,
    population: PopulationOption = None,
    target: Annotated[
        list[str] | None, typer.Option("--target", help="A further column to be guessed; may be repeated.")
    ] = None,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Attack more people and train on more rows; says first how long.")
    ] = False,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", min=0, help="Seconds after which no further attack is begun.")
    ] = None,
    seed: SeedOption = None,
    plan: PlanOrderOption = None,
    partial: PartialOption = False,
    force: ForceOption = False,
    beside: BesideLedgerOptions,
    rows: KeyedEngineOptions,
    shown: PrintOptions,
    layout: OriginalLayoutOptions,
) -> None:
    """Attack RELEASE, whoever made it, and say what an adversary can still do and what it is still good for.

    Example:

    discreet audit release.csv -p bank.yaml --original bank.csv --report a.html
    """
    with reporting(shown.as_json, shown.quiet) as state:
        inputs: list[str | Path] = [
            path for path in (release, policy, original, control, population, plan) if path is not None
        ]
        before: dict[str | Path, object] = {path: stamp_of(path) for path in inputs}
        reports = report_files(files)
        refuse_outputs(reports, inputs, force)
        rules = read_rules(policy, layout)
        from discreet.audit.auditing import audit_release as run
        from discreet.cli.show.verdict import passed
        from discreet.cli.stopping import Stopper
        from discreet.writing.plan_file import read_order
        from discreet.writing.release import write_reports

        order = None if plan is None else read_order(plan)

        stopper = Stopper("the attacks so far are reported")
        with show_progress(shown.no_progress, expected=thorough and not shown.quiet) as say:
            with stopper.listening():
                found = run(
                    release,
                    rules,
                    original,
                    control=control,
                    population=population,
                    targets=target or (),
                    thorough=thorough,
                    time_limit=time_limit,
                    seed=seed,
                    order=order,
                    progress=stopper.watch(say),
                    **rows.said(),
                    **beside.said(),
                )
            refuse_changed(before)
            if reports:
                write_reports(found, reports, force=force)
        state.code = 0 if passed(found.verification, partial) else 1
        if shown.as_json:
            print(found.to_json(), end="")
        else:
            from discreet.cli.show.audit import print_audit

            written = state.files([path for path, public in reports.items() if not public])
            print_audit(found, shown_name(release), written, quiet=shown.quiet)

"""`discreet protect`: a release that keeps every promise, verified before it is written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.inputs import begin_reading, read_rules, refuse_changed, shown_name, stamp_of
from discreet.cli.options import (
    ForceOption,
    KeptLedgerOptions,
    KeyedEngineOptions,
    OutOption,
    PolicyOption,
    PrintOptions,
    ReportOptions,
    SeedOption,
    TableArg,
    TableLayoutOptions,
)
from discreet.cli.outputs import beside_release, refuse_outputs, refuse_release, released_files, report_files
from discreet.cli.progress import show_progress
from discreet.cli.reporting import print_json, reporting
from discreet.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from discreet.common.watch import Progress
    from discreet.release import Release


def protect(
    table: TableArg,
    policy: PolicyOption,
    out: OutOption,
    plan: Annotated[
        Path | None, typer.Option("--plan", help="Keep the private plan (and a manifest beside it) here.")
    ] = None,
    *,
    files: ReportOptions,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", min=0, help="Seconds after which the safe result so far is taken."),
    ] = None,
    seed: SeedOption = None,
    force: ForceOption = False,
    over_time: KeptLedgerOptions,
    rows: KeyedEngineOptions,
    shown: PrintOptions,
    layout: TableLayoutOptions,
) -> None:
    """Make a release of TABLE that keeps every promise of the policy, verified before it is written.

    Example:

    discreet protect bank.csv -p bank.yaml -o release.csv --plan plan.json
    """
    from discreet.writing.manifest import manifest_path, refuse_unwritten_names

    with reporting(shown.as_json, shown.quiet) as state:
        begin_reading(table, rows)
        refuse_release(out, table, force, shown.as_json)
        before: dict[str | Path, object] = {path: stamp_of(path) for path in (table, policy)}
        rules = read_rules(policy, layout)
        reports = report_files(files)
        _refuse_attacks(rows, reports)
        kept = [plan, manifest_path(plan)] if plan else []
        outputs = [*released_files(out, rules), *kept, *reports]
        refuse_outputs(outputs, [table, policy], force)
        if plan is not None:
            refuse_unwritten_names([table, policy, plan, out])
        from discreet.cli.next_step import JobClock, advise
        from discreet.cli.stopping import Stopper
        from discreet.pipeline import protect as run
        from discreet.table.formats.place import place_of
        from discreet.writing.release import write_release

        stopper, clock = Stopper(), JobClock()
        with show_progress(shown.no_progress) as say:
            with stopper.listening():
                release = run(
                    table,
                    rules,
                    seed=seed,
                    time_limit=time_limit,
                    progress=clock.hearing(stopper.watch(say)),
                    **rows.said(),
                    **over_time.named(out),
                )
                if reports:
                    release = _attacked(release, out, time_limit, seed, stopper.watch(say))
            refuse_changed(before)
            sources: dict[str, str | Path] = {"input": table, "policy": policy}
            state.release = place_of(out)
            write_release(release, out, force=force, plan=plan, sources=sources, reports=reports)
        from discreet.cli.show.release import print_next, print_release, release_dict

        if shown.as_json:
            print_json(release_dict(release, shown_name(out), plan))
        else:
            stopped = "by Ctrl-C" if stopper.asked else "at the time limit"
            written = state.files([*kept, *(path for path, public in reports.items() if not public)])
            with beside_release(out):
                print_release(release, shown_name(table), shown_name(out), written, stopped=stopped, quiet=shown.quiet)
                if not shown.quiet and release.note is None and (step := advise(release, shown_name(table), clock)):
                    print_next(step)


def _attacked(
    release: Release, out: str, time_limit: float | None, seed: int | None, say: Callable[[Progress], bool | None]
) -> Release:
    """Return the release with the audit that belongs into its report."""
    from discreet.audit.auditing import attacked
    from discreet.table.formats.place import place_of

    return replace(
        release, audit=attacked(release, name=place_of(out).name, time_limit=time_limit, seed=seed, progress=say)
    )


def _refuse_attacks(rows: KeyedEngineOptions, reports: Mapping[Path, bool]) -> None:
    """Refuse a report where attacks cannot look at single rows."""
    if rows.engine == "spark" and rows.key is None and reports:
        raise InputError(
            "--report: attacks look at single rows, and rows on Spark have neither numbers nor an order; name a column "
            "by which they are known with --key, leave it out, or use --engine duckdb"
        )

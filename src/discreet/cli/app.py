"""The command line. Exit codes: 0 done; 1 a promise cannot be kept or is broken; 2 bad input or interrupted.

Nothing heavy is imported before a command needs it: `discreet --help` stays quick.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from discreet.common.printable import json_text, printable
from discreet.common.private import private_line
from discreet.errors import DiscreetError, InputError
from discreet.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from discreet.cli.verdict import Written
    from discreet.common.progress import Progress
    from discreet.policy import FileOptions, Policy
    from discreet.release import Release
    from discreet.verification.findings import Verification

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Publish a table without giving its secrets away.\n\n"
    "Exit codes: 0 done; 1 a promise cannot be kept or is broken; 2 bad input.",
)

TableArg = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV or Parquet file; a folder or pattern of Parquet files; FILE#TABLE of a DuckDB database.",
        show_default=False,
    ),
]
PolicyOption = Annotated[Path, typer.Option("--policy", "-p", help="Policy file (YAML or TOML).", show_default=False)]
OutOption = Annotated[
    Path,
    typer.Option("--out", "-o", help="Where the release goes; .parquet or .csv by its name.", show_default=False),
]
ForceOption = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON document instead of text.")]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="Print the verdict only, without any value of the table: for logs.")
]
SeparatorOption = Annotated[
    str | None,
    typer.Option("--separator", help="Character between fields; 'tab' for a tab.", show_default=False),
]
HeaderOption = Annotated[
    bool | None,
    typer.Option("--header/--no-header", help="Whether the first line names the columns.", show_default=False),
]
EncodingOption = Annotated[str | None, typer.Option("--encoding", help="Encoding of the text.", show_default=False)]
DecimalOption = Annotated[
    str | None,
    typer.Option("--decimal", help="What stands before the decimals of numbers: . or ,", show_default=False),
]
SkipOption = Annotated[
    int | None, typer.Option("--skip", min=0, help="Lines to leave out at the top.", show_default=False)
]

EngineOption = Annotated[
    str | None,
    typer.Option(
        "--engine", help="What holds the rows: local, streaming, duckdb or spark; what suits TABLE when absent."
    ),
]
MemoryOption = Annotated[
    str | None,
    typer.Option("--memory-limit", help="How much memory to take, such as 2GB; 60% of the machine's when absent."),
]
KeyOption = Annotated[
    str | None,
    typer.Option("--key", help="On Spark, a column without gaps or repeats: gives the rows their order and numbers."),
]
ReportOption = Annotated[
    Path | None,
    typer.Option(
        "--report", help="Attack the release and write a report for the owner here (.html; needs discreet\\[report])."
    ),
]
PublicReportOption = Annotated[
    Path | None,
    typer.Option("--public-report", help="The same for everybody: method, promises and utility without any secret."),
]

STAGES = {
    "read": "reading",
    "count": "counting",
    "plan": "planning (the first run compiles for a moment)",
    "cells": "protecting single cells (the first run compiles for a moment)",
    "apply": "applying",
    "verify": "verifying",
    "measure": "measuring what is kept",
    "attack": "attacking",
}


@app.command()
def protect(
    table: TableArg,
    policy: PolicyOption,
    out: OutOption,
    plan: Annotated[
        Path | None, typer.Option("--plan", help="Keep the private plan (and a manifest beside it) here.")
    ] = None,
    report: ReportOption = None,
    public_report: PublicReportOption = None,
    time_limit: Annotated[
        float | None,
        typer.Option("--time-limit", min=0, help="Seconds after which the safe result so far is taken."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="For tests: makes what is drawn by lot repeatable.")
    ] = None,
    force: ForceOption = False,
    engine: EngineOption = None,
    memory_limit: MemoryOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    separator: SeparatorOption = None,
    header: HeaderOption = None,
    encoding: EncodingOption = None,
    skip: SkipOption = None,
    decimal: DecimalOption = None,
) -> None:
    """Make a release of TABLE that keeps every promise of the policy, verified before it is written."""
    from discreet.writing.manifest import manifest_path, refuse_unwritten_names

    with _reporting(as_json, quiet) as state:
        _refuse_foreign(out)
        before = {path: _stamp(path) for path in (table, policy)}
        rules = _read_policy(policy, separator=separator, header=header, encoding=encoding, skip=skip, decimal=decimal)
        reports = _reports(report, public_report)
        _refuse_attacks(engine, key, reports)
        kept = [plan, manifest_path(plan)] if plan else []
        outputs = [*_released(out, rules), *kept, *reports]
        _refuse_outputs(outputs, [table, policy], force)
        if plan is not None:
            refuse_unwritten_names([table, policy, plan, out])
        from discreet.cli.stopping import Stopper
        from discreet.pipeline import protect as run
        from discreet.writing.release import write_release

        stopper = Stopper()
        with _progress(as_json or quiet) as say:
            with stopper.listening():
                release = run(
                    table,
                    rules,
                    seed=seed,
                    time_limit=time_limit,
                    progress=stopper.watch(say),
                    engine=engine,
                    memory_limit=memory_limit,
                    key=key,
                )
                if reports:
                    release = _attacked(release, out, time_limit, seed, stopper.watch(say))
            _refuse_changed(before)
            sources = {"input": table, "policy": policy}
            state.release = out
            write_release(release, out, force=force, plan=plan, sources=sources, reports=reports)
        from discreet.cli.show import print_release

        if as_json:
            _print_json(_release_dict(release, out, plan))
        else:
            stopped = "by Ctrl-C" if stopper.asked else "at the time limit"
            written = state.files([*kept, *(path for path, public in reports.items() if not public)])
            print_release(release, str(table), str(out), written, stopped=stopped, quiet=quiet)


@app.command()
def verify(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The released table.", show_default=False)],
    policy: PolicyOption,
    original: Annotated[
        Path | None, typer.Option("--original", help="The table it was made from, to check every cell.")
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Exit with 0 although some promise could not be checked.")
    ] = False,
    engine: EngineOption = None,
    memory_limit: MemoryOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    separator: SeparatorOption = None,
    header: HeaderOption = None,
    encoding: EncodingOption = None,
    skip: Annotated[
        int | None, typer.Option("--skip", min=0, help="Lines to leave out at the top of the original.")
    ] = None,
    decimal: DecimalOption = None,
) -> None:
    """Count every promise of the policy again on RELEASE, however it was made."""
    with _reporting(as_json, quiet) as report:
        rules = _read_policy(policy, separator=separator, header=header, encoding=encoding, skip=skip, decimal=decimal)
        from discreet.verification.promises import verify as run

        found = run(release, rules, original, engine=engine, memory_limit=memory_limit, key=key)
        report.code = 0 if _passed(found, partial) else 1
        if as_json:
            print(found.to_json())
        else:
            from discreet.cli.show import print_verification

            print_verification(found, str(release), with_original=original is not None, quiet=quiet)
        sys.stdout.flush()
        raise typer.Exit(report.code)


@app.command()
def audit(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The released table.", show_default=False)],
    policy: PolicyOption,
    original: Annotated[Path, typer.Option("--original", help="The table it was made from.", show_default=False)],
    report: ReportOption = None,
    public_report: PublicReportOption = None,
    control: Annotated[
        Path | None, typer.Option("--control", help="Rows of people who are not in the table, for comparison.")
    ] = None,
    population: Annotated[
        Path | None, typer.Option("--population", help="Rows of all people among whom those of the table are.")
    ] = None,
    target: Annotated[
        list[str] | None, typer.Option("--target", help="A further column to be guessed; may be repeated.")
    ] = None,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Attack more people and train on more rows; says first how long.")
    ] = False,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", min=0, help="Seconds after which no further attack is begun.")
    ] = None,
    seed: Annotated[
        int | None, typer.Option("--seed", min=0, help="For tests: makes what is drawn by lot repeatable.")
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Exit with 0 although some promise could not be checked.")
    ] = False,
    force: ForceOption = False,
    engine: EngineOption = None,
    memory_limit: MemoryOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    separator: SeparatorOption = None,
    header: HeaderOption = None,
    encoding: EncodingOption = None,
    skip: Annotated[
        int | None, typer.Option("--skip", min=0, help="Lines to leave out at the top of the original.")
    ] = None,
    decimal: DecimalOption = None,
) -> None:
    """Attack RELEASE, whoever made it, and say what an adversary can still do and what it is still good for."""
    with _reporting(as_json, quiet) as state:
        inputs = [path for path in (release, policy, original, control, population) if path is not None]
        before = {path: _stamp(path) for path in inputs}
        reports = _reports(report, public_report)
        _refuse_outputs(reports, inputs, force)
        rules = _read_policy(policy, separator=separator, header=header, encoding=encoding, skip=skip, decimal=decimal)
        from discreet.audit.auditing import audit_release as run
        from discreet.cli.stopping import Stopper
        from discreet.writing.release import write_reports

        stopper = Stopper("the attacks so far are reported")
        with _progress(as_json or quiet, expected=thorough and not quiet) as say:
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
                    progress=stopper.watch(say),
                    engine=engine,
                    memory_limit=memory_limit,
                    key=key,
                )
            _refuse_changed(before)
            if reports:
                write_reports(found, reports, force=force)
        state.code = 0 if _passed(found.verification, partial) else 1
        if as_json:
            print(found.to_json(), end="")
        else:
            from discreet.cli.show_audit import print_audit

            written = state.files([path for path, public in reports.items() if not public])
            print_audit(found, str(release), written, quiet=quiet)
        sys.stdout.flush()
        raise typer.Exit(state.code)


@app.command()
def apply(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="A plan kept with --plan.", show_default=False)],
    table: TableArg,
    out: OutOption,
    policy: Annotated[
        Path | None,
        typer.Option("--policy", "-p", help="The owner's policy, to verify against; that of PLAN when absent."),
    ] = None,
    force: ForceOption = False,
    engine: EngineOption = None,
    memory_limit: MemoryOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
    quiet: QuietOption = False,
    separator: SeparatorOption = None,
    header: HeaderOption = None,
    encoding: EncodingOption = None,
    skip: SkipOption = None,
    decimal: DecimalOption = None,
) -> None:
    """Carry a kept plan out on new rows of the same kind; the result is verified like any other."""
    with _reporting(as_json, quiet) as report:
        _refuse_foreign(out)
        from discreet.pipeline import apply as run
        from discreet.table.source import Opening
        from discreet.writing.plan_file import read_plan
        from discreet.writing.release import write_release

        kept = read_plan(plan)
        file = {"separator": separator, "header": header, "encoding": encoding, "skip": skip, "decimal": decimal}
        if policy is None:
            kept, rules = replace(kept, policy=kept.policy.with_file(**file)), None
        else:
            rules = _read_policy(policy, **file)
        inputs = [path for path in (table, plan, policy) if path is not None]
        _refuse_outputs(_released(out, rules or kept.policy), inputs, force)
        before = {path: _stamp(path) for path in inputs}
        with _progress(as_json or quiet) as say:
            release = run(kept, table, say, Opening(engine, memory_limit, key), rules)
            _refuse_changed(before)
            report.release = out
            write_release(release, out, force=force)
        from discreet.cli.show import print_release

        if as_json:
            _print_json({**_release_dict(release, out, None), "policy": None if policy is None else str(policy)})
        else:
            against = "the policy in the plan" if policy is None else str(policy)
            print_release(release, str(table), str(out), report.files(), why=False, against=against, quiet=quiet)


@app.command()
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
    with _reporting(as_json) as report:
        rules = _read_policy(policy, separator=separator, header=header, encoding=encoding, skip=skip, decimal=decimal)
        from discreet.assist.check import check_policy
        from discreet.cli.show import print_check
        from discreet.table.source import Opening

        if table is None and (engine is not None or memory_limit is not None):
            raise InputError("--engine and --memory-limit are for --table")
        result = check_policy(rules, table, Opening(engine, memory_limit))
        report.code = 0 if result.possible else 1
        if as_json:
            _print_json(result.to_dict())
        else:
            print_check(result, rules)
        sys.stdout.flush()
        raise typer.Exit(report.code)


@app.command()
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
    engine: EngineOption = None,
    memory_limit: MemoryOption = None,
    key: KeyOption = None,
    as_json: JsonOption = False,
    separator: SeparatorOption = None,
    header: HeaderOption = None,
    encoding: EncodingOption = None,
    skip: SkipOption = None,
    decimal: DecimalOption = None,
) -> None:
    """Show how much of TABLE can be told at which threshold, to choose one. Nothing is released."""
    with _reporting(as_json):
        if plot is not None:
            _refuse_outputs([plot], [table, policy], force)
            _refuse_charts(plot)
        rules = _read_policy(policy, separator=separator, header=header, encoding=encoding, skip=skip, decimal=decimal)
        from discreet.assist.frontier import frontier as run
        from discreet.cli.show import print_frontier

        wanted = None if thresholds is None else [text.strip() for text in thresholds.split(",")]
        found = run(table, rules, wanted, promise=promise, engine=engine, memory_limit=memory_limit, key=key)
        if plot is not None:
            from discreet.assist.charts import drawn
            from discreet.writing.release import write_private

            write_private(plot, drawn(found, plot), force=force)
        if as_json:
            print(found.to_json(), end="")
        else:
            print_frontier(found, None if plot is None else str(plot))


@app.command()
def init(
    table: TableArg,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the draft here instead of showing it.")] = None,
    force: ForceOption = False,
    separator: SeparatorOption = None,
    header: HeaderOption = None,
    encoding: EncodingOption = None,
    skip: SkipOption = None,
    decimal: DecimalOption = None,
) -> None:
    """Draft a commented policy for TABLE and say what was guessed; the choice of secrets is left to you."""
    with _reporting():
        if out is not None:
            _refuse_outputs([out], [table], force)
        from discreet.assist.draft import draft_policy

        options = _file_options(separator=separator, header=header, encoding=encoding, skip=skip, decimal=decimal)
        draft = draft_policy(table, options)
        if out is None:
            _print_file(draft.text)
            return
        from discreet.cli.show import print_draft
        from discreet.common.staging import Staging

        with Staging(force=force) as staging:
            with staging.open(out) as file:
                file.write(draft.text.encode())
            staging.commit(last=out)
        print_draft(draft, str(table), str(out))


@app.command()
def taxonomy(
    table: TableArg,
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="The column.", show_default=False)],
    kind: Annotated[
        str | None,
        typer.Option("--kind", help="auto, ranges, dates, prefix or balanced; auto, what fits, when absent."),
    ] = None,
    levels: Annotated[
        int | None, typer.Option("--levels", min=1, help="Levels of groups between the values and the root.")
    ] = None,
    steps: Annotated[
        str | None,
        typer.Option("--steps", help="The levels themselves: 5,10,20 or month,year or (characters kept) 3,2."),
    ] = None,
    root: Annotated[str | None, typer.Option("--root", help="The label for all values; * when absent.")] = None,
    missing: Annotated[
        list[str] | None,
        typer.Option("--missing", help="A value that stands for a missing value, and is left out; may be repeated."),
    ] = None,
    fill: Annotated[
        bool | None,
        typer.Option("--fill/--no-fill", help="Whether to list numbers and days that do not occur, too.  [yes]"),
    ] = None,
    date_format: Annotated[
        str | None, typer.Option("--date-format", help="How dates are written, such as %d.%m.%Y.")
    ] = None,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write it here instead of showing it.")] = None,
    check: Annotated[
        Path | None, typer.Option("--check", help="Propose nothing: check this taxonomy against the column.")
    ] = None,
    show_values: Annotated[
        bool, typer.Option("--show-values", help="With --check: list the values that it lacks, and sample labels.")
    ] = False,
    force: ForceOption = False,
    as_json: JsonOption = False,
    separator: SeparatorOption = None,
    header: HeaderOption = None,
    encoding: EncodingOption = None,
    skip: SkipOption = None,
) -> None:
    """Propose a taxonomy for a COLUMN of TABLE, learned from its values, to be edited; or check one that exists."""
    with _reporting(as_json) as report:
        options = {"kind": kind, "levels": levels, "steps": steps, "root": root, "fill": fill}
        options["date-format"] = date_format
        file = _file_options(separator=separator, header=header, encoding=encoding, skip=skip)
        if check is not None:
            _refuse_with_check({**options, "out": out, "force": force or None})
            _check_taxonomy(report, check, table, column, missing or [], file, show_values=show_values)
        elif show_values:
            raise InputError("--show-values: is for --check")
        if out is not None:
            _refuse_outputs([out], [table], force)
        from discreet.assist.proposing.propose import propose
        from discreet.assist.proposing.tally import count_values
        from discreet.cli.show import print_proposal

        proposal = propose(
            count_values(table, column, missing or [], file),
            kind or "auto",
            levels=levels,
            steps=None if steps is None else steps.split(","),
            root=root,
            fill=fill is not False,
            date_format=date_format,
        )
        if out is not None:
            proposal.taxonomy.write(out, force=force)
        if as_json:
            _print_json(proposal.to_dict(out))
            return
        if out is None:
            _print_file(proposal.taxonomy.to_csv())
        print_proposal(proposal, out)


def _refuse_with_check(options: dict[str, object]) -> None:
    """Refuse options that say how to propose when nothing is proposed."""
    said = [f"--{name}" for name, value in options.items() if value is not None]
    if said:
        raise InputError(f"{', '.join(said)}: with --check nothing is proposed; leave it out")


def _check_taxonomy(
    report: _Report,
    path: Path,
    table: Path,
    column: str,
    missing: list[str],
    file: FileOptions,
    *,
    show_values: bool,
) -> NoReturn:
    """Say how a taxonomy fits a column; exit with 1 if a policy could not use it."""
    from discreet.assist.fitting import fit
    from discreet.assist.proposing.tally import count_values
    from discreet.cli.show import print_fit
    from discreet.columns.taxonomy import read_taxonomy

    found = fit(read_taxonomy(path), count_values(table, column, missing, file))
    report.code = 0 if found.fits else 1
    if report.as_json:
        _print_json(found.to_dict(values=show_values))
    else:
        print_fit(found, str(path), show_values=show_values)
    sys.stdout.flush()
    raise typer.Exit(report.code)


@app.command()
def schema(
    audit: Annotated[bool, typer.Option("--audit", help="That of audits, as --json prints them, instead.")] = False,
) -> None:
    """Print the JSON Schema of policies, for editors that complete and check them."""
    with _reporting():
        from discreet.audit.schema import audit_schema
        from discreet.policy.schema import policy_schema

        _print_json(audit_schema() if audit else policy_schema())


@app.command()
def demo(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="Leave the files here, to play with.", show_default=False),
    ] = None,
) -> None:
    """Show the main job on a small bank table: what changes, and why."""
    with _reporting():
        from discreet.cli.demo import run

        run(folder)


def _version(value: bool) -> None:
    if value:
        print(f"discreet {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def main() -> NoReturn:
    """Run the command line."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a value that the terminal cannot show is no reason to fail
    try:
        app()
    except SystemExit as stop:
        # Typer's own code for Ctrl-C while it reads the options or ends the program; ours is 2.
        sys.exit(2 if stop.code == 130 else stop.code)
    sys.exit(0)


@dataclass
class _Report:
    """What is so far true of a command, for the case that it goes wrong."""

    as_json: bool
    release: Path | None = None
    """Where the release goes: a file of this name is verified before it is written."""
    code: int = 0
    """The exit code if nothing but printing fails."""
    named: list[Path] = field(default_factory=list)

    @property
    def written(self) -> list[Path]:
        """The files that have their names (a demonstration takes its own away again)."""
        return [path for path in self.named if path.exists()]

    def files(self, private: Sequence[Path] = ()) -> Written:
        """Return the files that were written, and which of them are private."""
        from discreet.cli.verdict import Written

        return Written(sorted(self.written, key=lambda path: path != self.release), private)

    def state(self) -> str:
        """Return in words which files were written."""
        others = [str(path) for path in self.written if path != self.release]
        listed = " and ".join(filter(None, [", ".join(others[:-1]), *others[-1:]]))
        if self.release in self.written:
            return f"{self.release} was written and is verified" + (f", with {listed}" if listed else "")
        return f"{listed} {'were' if len(others) > 1 else 'was'} written" if others else "nothing was written"

    def stop(self, before: str, kind: str, after: str = "") -> NoReturn:
        """Fail for a reason that tells nothing of what is written, and say that as well."""
        self.fail(f"{before}; {self.state()}{after}", 2, kind, {"written": [str(path) for path in self.written]})

    def fail(self, message: str, code: int, kind: str, details: dict[str, object]) -> NoReturn:
        with contextlib.suppress(OSError):
            if self.as_json:
                _print_json({"error": {"kind": kind, "message": message, "exit_code": code, **details}})
            for line in message.split("\n"):
                print(f"error: {printable(line)}", file=sys.stderr)
        raise typer.Exit(code)


@contextlib.contextmanager
def _reporting(as_json: bool = False, quiet: bool = False) -> Iterator[_Report]:
    """Turn every error into a message and an exit code; never show a value or a trace of one."""
    from discreet.cli.terminal import Notes
    from discreet.common.staging import telling

    report = _Report(as_json)
    notes = logging.StreamHandler(sys.stderr)
    notes.setFormatter(Notes())
    logging.getLogger("discreet").addHandler(notes)
    logging.getLogger("discreet").setLevel(logging.INFO)
    try:
        if as_json and quiet:
            raise InputError("--quiet: is for text; leave out --quiet or --json")
        with telling(report.named.extend):
            yield report
        sys.stdout.flush()
    except (typer.Exit, typer.Abort):
        raise
    except DiscreetError as error:
        report.fail(str(error), error.exit_code, type(error).__name__, error.details())
    except KeyboardInterrupt:
        report.stop("interrupted", "Interrupted")
    except MemoryError:
        report.stop("not enough memory for this table", "MemoryError")
    except BrokenPipeError:  # whoever read the output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(report.code) from None
    except Exception as error:
        if os.environ.get("DISCREET_DEBUG"):
            raise
        if isinstance(error, OSError) and isinstance(error.filename, str):
            report.stop(f"{error.filename}: cannot be used ({error.strerror or 'failed'})", "OSError")
        if isinstance(error, OSError):
            report.stop(f"the result could not be printed ({error.strerror or 'failed'})", "OSError")
        kind = type(error).__name__
        report.stop(
            f"internal error ({kind})",
            kind,
            ". This is a mistake in discreet, please report it. DISCREET_DEBUG=1 shows the trace, which may contain "
            "values of your table.",
        )
    finally:
        logging.getLogger("discreet").removeHandler(notes)


def _print_json(document: object) -> None:
    print(json_text(document))


def _print_file(text: str) -> None:
    """Print what becomes a file: in UTF-8 even where the terminal shows less."""
    if sys.stdout.isatty():
        print(printable(text, lines=True), end="", flush=True)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()


def _read_policy(path: Path, **file: object) -> Policy:
    from discreet.policy import read_policy

    return read_policy(path).with_file(**file)


def _file_options(**said: object) -> FileOptions:
    from discreet.policy import FileOptions

    return FileOptions(**{name: value for name, value in said.items() if value is not None})


def _released(out: Path, policy: Policy) -> list[Path]:
    """Return the files of a release: the table and, with medians or beside an old release with some, intervals."""
    from discreet.columns.medians import map_path, stale_map

    medians = any(column.released_form == "median" for column in policy.columns.values())
    return [out, map_path(out)] if medians or stale_map(out) else [out]


def _refuse_outputs(outputs: Iterable[Path], inputs: list[Path], force: bool) -> None:
    """Refuse at once what could only fail, or harm, at the end."""
    from discreet.common.staging import refuse_unwritable
    from discreet.table.stores.files import watched

    others = [file for path in inputs for file in watched(path)]
    folders = [path for path in inputs if os.path.isdir(path)]  # noqa: PTH112 - no error for a name no file can have
    for path in outputs:
        refuse_unwritable(path, force=True)
        if any(path.resolve().is_relative_to(folder.resolve()) for folder in folders):
            raise InputError(f"{path}: is inside the folder of the table; put it elsewhere")
        if any(_same_file(path, other) for other in others):
            raise InputError(f"{path}: is also another file of this command; give it a name of its own")
        others.append(path)
        refuse_unwritable(path, force=force)


def _passed(found: Verification, partial: bool) -> bool:
    """Whether a release passes; `partial`: also if some promise could not be checked, but none is broken."""
    from discreet.verification.answers import Answer

    answers = [found.truthful.answer, *(finding.answer for finding in found.requirements)]
    broken = Answer.BROKEN in answers
    return found.holds or (partial and not broken)


def _reports(report: Path | None, public: Path | None) -> dict[Path, bool]:
    """Return the reports to be written, each with whether everybody may see it; refuse at once what cannot be."""
    wanted = {path: is_public for path, is_public in ((report, False), (public, True)) if path is not None}
    if report is not None and report == public:
        raise InputError(f"{report}: is also another file of this command; give it a name of its own")
    for path in wanted:
        if path.suffix.lower() not in (".html", ".htm"):
            raise InputError(f"{path}: a report ends in .html")
    if wanted:
        from discreet.audit.report.render import refuse_report

        refuse_report()
    return wanted


def _attacked(
    release: Release, out: Path, time_limit: float | None, seed: int | None, say: Callable[[Progress], bool | None]
) -> Release:
    """Return the release with the audit that belongs into its report."""
    from discreet.audit.auditing import attacked

    return replace(release, audit=attacked(release, name=out.name, time_limit=time_limit, seed=seed, progress=say))


def _refuse_charts(plot: Path) -> None:
    """Refuse at once a form of picture that cannot be drawn here."""

    from discreet.assist.charts import FORMS
    from discreet.audit.report.render import refuse_report

    if plot.suffix.lower() not in FORMS:
        raise InputError(f"{plot}: a picture ends in {', '.join(FORMS)}")
    refuse_report()


def _refuse_attacks(engine: str | None, key: str | None, reports: Mapping[Path, bool]) -> None:
    """Refuse a report where attacks cannot look at single rows."""
    if engine == "spark" and key is None and reports:
        raise InputError(
            "--report: attacks look at single rows, and rows on Spark have neither numbers nor an order; name a column "
            "by which they are known with --key, leave it out, or use --engine duckdb"
        )


def _refuse_foreign(out: Path) -> None:
    from discreet.table.formats.form import refuse_foreign

    refuse_foreign(out)


def _same_file(one: Path, other: Path) -> bool:
    try:
        return one.resolve() == other.resolve() or one.samefile(other)
    except (OSError, ValueError, RuntimeError):
        return False  # one of them does not exist yet, or cannot: reading or writing it says so


def _stamp(path: Path) -> object:
    """Return what tells that a table or another file was not written to meanwhile."""
    from discreet.table.stores.files import stamp, watched

    return [(file, stamp(file)) for file in watched(path)]


def _refuse_changed(before: dict[Path, object]) -> None:
    from discreet.table.stores.files import changed

    for path, stamp in before.items():
        if _stamp(path) != stamp:
            raise changed(str(path))


def _release_dict(release: Release, out: Path, plan: Path | None) -> dict[str, object]:
    from dataclasses import asdict

    return {
        "private": private_line(),
        "release": str(out),
        "plan": None if plan is None else str(plan),
        "complete": release.plan.complete,
        "steps": [asdict(step) for step in release.plan.steps],
        "kept": [asdict(kept) for kept in release.plan.kept],
        "redundant": list(release.plan.redundant),
        "audit": release.audit.to_dict(),
    }


def _say_expected(progress: Progress) -> None:
    """Say once how long all attacks take."""
    if progress.stage == "attack" and progress.expected is not None and not (progress.disclosed or progress.seconds):
        minutes, seconds = divmod(round(progress.expected), 60)
        about = f"{minutes} min {seconds} s" if minutes else f"{seconds} s"
        print(f"{progress.left} attacks, about {about} (Ctrl-C leaves out the rest)", file=sys.stderr, flush=True)


@contextlib.contextmanager
def _progress(quiet: bool, *, expected: bool = False) -> Iterator[Callable[[Progress], None] | None]:
    """Show progress on a terminal; nothing when the output is piped or JSON, but how long it takes if `expected`."""
    if quiet or not sys.stderr.isatty():
        yield _say_expected if expected else None
        return
    from rich.console import Console

    from discreet.cli.show import how_far

    with Console(stderr=True).status("starting") as status:

        def say(progress: Progress) -> None:
            detail = ""
            if expected:
                _say_expected(progress)
            if progress.stage in ("cells", "attack") and progress.left:
                detail = f": {progress.disclosed} done, {progress.left} left"
            elif progress.left:
                detail = f": {progress.disclosed} done, {progress.left} to try, {progress.detail:.0%} of the detail"
                if progress.bound is not None:
                    detail = f": {progress.disclosed} sets of cuts looked at, {progress.left} to look at"
                    detail += f"; {how_far(progress.bound)}, {progress.detail:.0%} of the detail"
                detail += f" shown, {progress.seconds:.0f} s (Ctrl-C takes what there is)"
            status.update(f"{STAGES[progress.stage]}{detail}")

        yield say

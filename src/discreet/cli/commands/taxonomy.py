"""`discreet taxonomy`: a taxonomy proposed for a column, or checked against it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from discreet.cli.inputs import file_options
from discreet.cli.options import ForceOption, JsonOption, LayoutOptions, TableArg
from discreet.cli.outputs import refuse_outputs
from discreet.cli.reporting import CommandState, print_file, print_json, reporting
from discreet.errors import InputError

if TYPE_CHECKING:
    from discreet.policy import FileOptions


def taxonomy(
    table: TableArg,
    column: Annotated[str, typer.Argument(metavar="COLUMN", help="The column.", show_default=False)],
    kind: Annotated[
        str | None,
        typer.Option(
            "--kind", help="auto, ranges, dates, prefix, icd10, ordered or balanced; auto, what fits, when absent."
        ),
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
    order: Annotated[
        str | None, typer.Option("--order", help="The values from first to last: low,medium,high.")
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
    *,
    layout: LayoutOptions,
) -> None:
    """Propose a taxonomy for a COLUMN of TABLE, learned from its values, to be edited; or check one that exists.

    Example:

    discreet taxonomy bank.csv Job --out job.csv
    """
    with reporting(as_json) as state:
        options = {"kind": kind, "levels": levels, "steps": steps, "root": root, "fill": fill}
        options |= {"date-format": date_format, "order": order}
        file = file_options(layout)
        if check is not None:
            _refuse_with_check({**options, "out": out, "force": force or None})
            _check_taxonomy(state, check, table, column, missing or [], file, show_values=show_values)
            return
        if show_values:
            raise InputError("--show-values: is for --check")
        if out is not None:
            refuse_outputs([out], [table], force)
        from discreet.assist.proposing.propose import propose
        from discreet.assist.proposing.tally import count_values
        from discreet.cli.show.taxonomy import print_proposal

        proposal = propose(
            count_values(table, column, missing or [], file),
            kind or "auto",
            levels=levels,
            steps=None if steps is None else steps.split(","),
            root=root,
            fill=fill is not False,
            date_format=date_format,
            order=None if order is None else [value.strip() for value in order.split(",")],
        )
        if out is not None:
            proposal.taxonomy.write(out, force=force)
        if as_json:
            print_json(proposal.to_dict(out))
            return
        if out is None:
            print_file(proposal.taxonomy.to_csv())
        print_proposal(proposal, out)


def _refuse_with_check(options: dict[str, object]) -> None:
    """Refuse options that say how to propose when nothing is proposed."""
    said = [f"--{name}" for name, value in options.items() if value is not None]
    if said:
        raise InputError(f"{', '.join(said)}: with --check nothing is proposed; leave it out")


def _check_taxonomy(
    state: CommandState,
    path: Path,
    table: str,
    column: str,
    missing: list[str],
    file: FileOptions,
    *,
    show_values: bool,
) -> None:
    """Say how a taxonomy fits a column; the exit code is 1 if a policy could not use it."""
    from discreet.assist.fitting import fit
    from discreet.assist.proposing.tally import count_values
    from discreet.cli.show.taxonomy import print_fit
    from discreet.columns.taxonomy import read_taxonomy

    found = fit(read_taxonomy(path), count_values(table, column, missing, file))
    state.code = 0 if found.fits else 1
    if state.as_json:
        print_json(found.to_dict(values=show_values))
    else:
        print_fit(found, str(path), show_values=show_values)

"""`discreet init`: a policy drafted for a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.inputs import file_options, shown_name
from discreet.cli.options import ForceOption, TableArg, TableLayoutOptions
from discreet.cli.outputs import refuse_outputs
from discreet.cli.reporting import print_file, reporting


def init(
    table: TableArg,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", help="Write the draft here; beside it groups for columns, and a schema for editors."
        ),
    ] = None,
    secret: Annotated[
        list[str] | None,
        typer.Option("--secret", help="A column that nobody may infer, or COLUMN=VALUE; may be repeated."),
    ] = None,
    known: Annotated[
        list[str] | None,
        typer.Option("--known", help="A column that somebody may know of a person; may be repeated."),
    ] = None,
    identifier: Annotated[
        list[str] | None,
        typer.Option("--identifier", help="A further column that names people, and is left out; may be repeated."),
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option("--preset", help="Who gets the release: open-data (the strictest), research or internal."),
    ] = None,
    order: Annotated[
        list[str] | None,
        typer.Option("--order", help="The values of a column from first to last: COLUMN=low,medium,high."),
    ] = None,
    force: ForceOption = False,
    *,
    layout: TableLayoutOptions,
) -> None:
    """Draft a commented policy for TABLE that passes check as it is; on a terminal, ask what is not said.

    Example:

    discreet init bank.csv --out first.yaml --secret Bankruptcy=Discharged
    """
    with reporting():
        if out is not None:
            refuse_outputs([out], [table], force)
        from discreet.assist.draft import DraftChoices, DraftJob
        from discreet.cli.asking import ask_choices, hear, may_ask

        said = DraftChoices(secret or None, known or None, identifier or None, preset, tuple(order or ()))
        job = DraftJob(table, file_options(layout))
        if may_ask():
            said = ask_choices(job.looks, said, job.parts, hear)
        draft = job.draft(said, beside=None if out is None else out.stem)
        if out is None:
            print_file(draft.text)
            return
        from discreet.cli.outputs import schema_beside
        from discreet.cli.show.draft import print_draft
        from discreet.common.staging import Staging

        trees = {out.parent / name: tree for name, tree in draft.trees.items()}
        refuse_outputs([out, *trees], [table], force)
        header, schema = schema_beside(out, force)
        with Staging(force=force) as staging:
            for path, text in schema.items():
                with staging.open(path) as file:
                    file.write(text.encode())
            for path, tree in trees.items():
                with staging.open(path, private=True) as file:
                    file.write(tree.to_csv().encode())
            with staging.open(out) as file:
                file.write((header + draft.text).encode())
            staging.commit(last=out)
        print_draft(draft, shown_name(table), str(out))

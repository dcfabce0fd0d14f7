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
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Write the draft here instead of showing it.")] = None,
    force: ForceOption = False,
    *,
    layout: TableLayoutOptions,
) -> None:
    """Draft a commented policy for TABLE and say what was guessed; the choice of secrets is left to you."""
    with reporting():
        if out is not None:
            refuse_outputs([out], [table], force)
        from discreet.assist.draft import draft_policy

        draft = draft_policy(table, file_options(layout))
        if out is None:
            print_file(draft.text)
            return
        from discreet.cli.show.draft import print_draft
        from discreet.common.staging import Staging

        with Staging(force=force) as staging:
            with staging.open(out) as file:
                file.write(draft.text.encode())
            staging.commit(last=out)
        print_draft(draft, shown_name(table), str(out))

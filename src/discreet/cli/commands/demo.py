"""`discreet demo`: the main job on a small bank table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.reporting import reporting


def demo(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="FOLDER", help="Leave the files here, to play with.", show_default=False),
    ] = None,
) -> None:
    """Show the main job on a small bank table: what changes, and why.

    Example:

    discreet demo play
    """
    with reporting():
        from discreet.cli.demo import run

        run(folder)

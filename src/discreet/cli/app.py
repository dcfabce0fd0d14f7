"""The command line. Exit codes: 0 done; 1 a promise cannot be kept or is broken; 2 bad input or interrupted.

Nothing heavy is imported before a command needs it: `discreet --help` stays quick.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from discreet.cli.commands.apply import apply
from discreet.cli.commands.audit import audit
from discreet.cli.commands.check import check
from discreet.cli.commands.demo import demo
from discreet.cli.commands.frontier import frontier
from discreet.cli.commands.init import init
from discreet.cli.commands.protect import protect
from discreet.cli.commands.schema import schema
from discreet.cli.commands.taxonomy import taxonomy
from discreet.cli.commands.verify import verify
from discreet.cli.options import spread
from discreet.common.own_program import be_own_program
from discreet.version import __version__

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    help="Publish a table without giving its secrets away.\n\n"
    "Exit codes: 0 done; 1 a promise cannot be kept or is broken; 2 bad input.",
)

for command in (protect, verify, audit, apply, check, frontier, init, taxonomy, schema, demo):
    app.command()(spread(command))


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
    be_own_program()
    gc.set_threshold(200_000, 20, 20)  # what a start makes stays: looking through it again and again is in vain
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

"""`discreet app`: the whole way in a browser, on this machine."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

from discreet.cli.reporting import reporting
from discreet.errors import InputError

NEEDS = ("starlette", "jinja2", "uvicorn")


def app(
    table: Annotated[
        str | None, typer.Argument(metavar="[TABLE]", help="A table to begin with.", show_default=False)
    ] = None,
    policy: Annotated[
        Path | None, typer.Option("--policy", "-p", help="A policy to begin with; drafted when absent.")
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option("--folder", help="Where tables may be; the current folder when absent."),
    ] = None,
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="The port; a free one when absent.")] = 0,
    host: Annotated[str, typer.Option("--host", help="The address it listens at.")] = "127.0.0.1",
    i_know: Annotated[
        bool, typer.Option("--i-know", help="With --host: that others may reach it, and nothing is encrypted.")
    ] = False,
    idle: Annotated[
        float | None, typer.Option("--idle", min=0, help="Minutes without a request after which it ends itself.")
    ] = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address only.")] = False,
    resume: Annotated[bool, typer.Option("--resume", help="Take up the last sitting in this folder.")] = False,
) -> None:
    """Open the app: from a table to a release, in a browser on this machine. Ctrl-C ends it.

    Example:

    discreet app bank.csv -p bank.yaml
    """
    with reporting():
        if missing := [name for name in NEEDS if find_spec(name) is None]:
            raise InputError(f"the app needs {' and '.join(missing)}; install discreet[app]")
        served = import_module("discreet.app.serve")
        options = served.AppOptions(
            table, policy, folder, port, host, i_know, idle, browser=not no_browser, resume=resume
        )
        served.run(options, lambda line: print(line, flush=True))

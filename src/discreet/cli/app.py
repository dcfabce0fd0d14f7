"""The command line. Exit codes: 0 done; 1 a promise cannot be kept or is broken; 2 bad input or interrupted.

Nothing heavy is imported before a command needs it, and no command but the one that was asked for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from discreet.cli.options import spread
from discreet.version import __version__

if TYPE_CHECKING:
    app: typer.Typer

COMMANDS = (
    "protect", "verify", "audit", "apply", "check", "frontier", "init", "taxonomy", "schema", "demo", "verify-all",
    "app", "doctor", "ledger",
)  # fmt: skip
_PLAIN = ("app", "doctor")
"""They load no table before they look whether that can be done, and have no options in sets."""
"""The commands in the order of the help: a module each, which has a function of that name, or a group of commands."""


def __getattr__(name: str) -> typer.Typer:
    if name != "app":
        raise AttributeError(name)
    globals()["app"] = found = command_line(COMMANDS)
    return found


def command_line(names: Sequence[str]) -> typer.Typer:
    """Return the command line with these commands."""
    found = typer.Typer(
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        help="Publish a table without giving its secrets away.\n\n"
        "Exit codes: 0 done; 1 a promise cannot be kept or is broken; 2 bad input.",
    )
    for name in names:
        called = name.replace("-", "_")
        module = import_module(f"discreet.cli.commands.{called}")
        if name == "ledger":
            found.add_typer(module.ledger_app, name=name)
        else:
            command = vars(module)[called]
            found.command(name=name)(command if name in _PLAIN else spread(command))
    found.callback()(_options)
    return found


def _version(value: bool) -> None:
    if value:
        print(f"discreet {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    pass


def asked_of(words: Sequence[str]) -> Sequence[str]:
    """Return the commands that words of a command line need: one, or all for help and for what is no command.

    >>> asked_of(["protect", "--help"])
    ('protect',)
    >>> asked_of(["--help"]) == asked_of(["protec"]) == COMMANDS
    True
    """
    return (words[0],) if words and words[0] in COMMANDS else COMMANDS


def main() -> NoReturn:
    """Run the command line."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by the caller
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a value that the terminal cannot show is no reason to fail
    try:
        command_line(asked_of(sys.argv[1:]))()
    except SystemExit as stop:
        if stop.code != 130:
            raise
        # Typer's own code for Ctrl-C while it reads the options or ends the program, of which it says nothing.
        print("error: interrupted", file=sys.stderr)
        sys.exit(2)
    sys.exit(0)

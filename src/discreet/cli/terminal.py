"""The one place where text for people goes out: nothing that stands in a table or a policy steers the terminal."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from typing import Any

from rich import markup
from rich.console import Console
from rich.text import Text

from discreet.common.printable import printable
from discreet.common.private import TELLING, private_line


class _Console(Console):
    """A console that shows control characters escaped, and leaves a closed pipe to the command line."""

    def render_str(self, text: str, **options: Any) -> Text:
        """Return a text as it is shown: every one passes here, cells of tables and titles too."""
        return super().render_str(printable(text, lines=True), **options)

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def console(*, remarks: bool = False) -> Console:
    """Return the console for results, or for remarks beside them; wide and without colour when it is not a terminal."""
    to = sys.stderr if remarks else sys.stdout
    return _Console(highlight=False, emoji=False, width=None if to.isatty() else 140, stderr=remarks)


def escape(text: str) -> str:
    r"""Return a text of others as it stands in markup: no tag of it counts, and it stays on its line.

    >>> print(escape("[red]a\nb"))
    \[red]a\nb
    """
    return markup.escape(printable(text))


def print_private(to: Console, warning: str = TELLING) -> None:
    """Say first that what follows is private: output is kept in logs."""
    to.print(f"[bold]{escape(private_line(warning))}[/]", soft_wrap=True)


class Notes(logging.Formatter):
    """What the library notes in its log, for a terminal; `shown` makes a line of whoever else reads along harmless."""

    def __init__(self, shown: Callable[[str], str] | None = None) -> None:
        super().__init__()
        self._shown = shown

    def format(self, record: logging.LogRecord) -> str:
        """Return a note."""
        text = super().format(record)
        if self._shown is None:
            return printable(text, lines=True)
        return "\n".join(map(self._shown, text.split("\n")))

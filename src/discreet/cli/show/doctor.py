"""What is said of an installation."""

from __future__ import annotations

from collections.abc import Sequence

from discreet.assist.health.base import Examined, Health
from discreet.cli.terminal import console, escape
from discreet.version import __version__

_COLOURS = {Health.OK: "green", Health.ABSENT: "dim", Health.DOUBTFUL: "yellow", Health.BROKEN: "red"}
WIDTH = max(len(health) for health in Health)


def print_health(parts: Sequence[Examined]) -> None:
    """Say how every part is, what to do about those that are not in order, and whether the whole works."""
    to = console()
    wide = max(len(part.name) for part in parts)
    before = ""
    for part in parts:
        if part.part != before:
            to.print(f"[bold]{escape(part.part)}[/]")
            before = part.part
        colour = _COLOURS[part.health]
        line = f"{escape(f'{part.name:{wide}}')}  {escape(part.found)}"
        to.print(f"  [{colour}]{part.health:{WIDTH}}[/]  {line}", soft_wrap=True)
        if part.advice:
            to.print(f"  {'':{WIDTH}}  {'':{wide}}  [dim]{escape(part.advice)}[/]", soft_wrap=True)
    broken = [part.name for part in parts if part.health is Health.BROKEN]
    if broken:
        to.print(f"discreet {__version__} [red]does not work here[/]: {escape(', '.join(broken))}.", soft_wrap=True)
    else:
        to.print(f"discreet {__version__} [green]works here[/].")

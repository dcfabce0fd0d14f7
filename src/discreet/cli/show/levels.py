"""The levels of a column that is released as groups or intervals, a line each."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rich.console import Console

from discreet.assist.preview import PreviewLevel
from discreet.cli.show.texts import counted, text_of
from discreet.cli.terminal import escape
from discreet.common.shares import percent


def print_levels(
    to: Console, levels: Sequence[PreviewLevel], rows: int, k: int | None, *, labels: bool = True, noun: str = "row"
) -> None:
    """One line for each level, cut where the terminal ends: the last column is but a sample."""
    lines = [
        ["level", "labels", "smallest group", "" if k is None else f"in groups < {k}", "such as" if labels else ""]
    ]
    for level in levels:
        more = ", ..." if level.labels > len(level.such_as) else ""
        below = f"{level.below} ({percent(Fraction(level.below, rows))})" if level.below else "none"
        lines.append(
            [
                level.name,
                f"{level.labels:,}",
                counted(level.smallest, noun),
                "" if k is None else below,
                ", ".join(map(text_of, level.such_as)) + more if labels else "",
            ]
        )
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for place, (name, *figures, sample) in enumerate(lines):
        told = [figure.rjust(width) for figure, width in zip(figures, widths[1:], strict=False) if width]
        line = "  ".join([f"    {name.ljust(widths[0])}", *told, sample]).rstrip()
        to.print(escape(line), style=None if place else "bold", no_wrap=True, overflow="ellipsis")

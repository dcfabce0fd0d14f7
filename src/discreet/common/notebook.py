"""What notebooks show of a result: a verdict, lines and tables as HTML. Every text is escaped; no script."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Literal

Level = Literal["good", "look", "bad"]
_SIGNS: dict[Level, tuple[str, str]] = {"good": ("✓", "#0b7a75"), "look": ("!", "#b26a00"), "bad": ("✕", "#c0392b")}
_CELL = "text-align:left;vertical-align:top;padding:.25em .9em .25em 0;white-space:normal;max-width:28em"


def card(level: Level, verdict: str, parts: Iterable[str], *, private: str | None = None) -> str:
    """Return a result as HTML: its verdict, `parts` made by the functions below, and whether it is private."""
    sign, colour = _SIGNS[level]
    told = "".join(part for part in parts if part)
    kept = "" if private is None else f'<p style="margin:.5em 0 0;opacity:.75;font-size:.9em">{escape(private)}</p>'
    return (
        f'<div style="border-left:.3em solid {colour};padding:.2em 0 .2em .9em;max-width:60em;overflow-x:auto;'
        f'overflow-wrap:break-word">'
        f'<p style="margin:0 0 .4em"><b><span style="color:{colour}">{sign}</span> {escape(verdict)}</b></p>'
        f"{told}{kept}</div>"
    )


def line(text: str) -> str:
    """Return a paragraph.

    >>> print(line("a < b"))
    <p style="margin:0 0 .4em">a &lt; b</p>
    """
    return f'<p style="margin:0 0 .4em">{escape(text)}</p>'


def rows(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """Return a table; nothing where it has no rows."""
    lines = ["".join(f'<td style="{_CELL}">{escape(text)}</td>' for text in row) for row in body]
    if not lines:
        return ""
    heads = "".join(f'<th style="{_CELL}">{escape(text)}</th>' for text in head)
    told = "".join(f"<tr>{each}</tr>" for each in lines)
    return f'<table style="margin:.2em 0 .5em"><thead><tr>{heads}</tr></thead><tbody>{told}</tbody></table>'


def items(title: str, texts: Sequence[str]) -> str:
    """Return a list that is shown when asked for; nothing where it is empty."""
    if not texts:
        return ""
    told = "".join(f"<li>{escape(text)}</li>" for text in texts)
    return f'<details><summary>{escape(title)}</summary><ul style="margin:.2em 0">{told}</ul></details>'

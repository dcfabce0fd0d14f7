"""Released sets of values taken apart, by code of verification alone."""

from __future__ import annotations

import re

_ITEM = re.compile(r'"((?:[^"]|"")*)"|((?:(?! )[^,{}"]+(?<! ))?)', re.DOTALL)
"""A value in a set: in quotes, or without anything that could be misread."""


def set_members(text: str | None, least: int = 2) -> frozenset[str | None]:
    """Return the values of a released set, two or more (or `least`); nothing when the text is no set.

    `{a, "b, c", , ""}`: a value in quotes (doubled within) may have anything in it, nothing at all is a missing value.
    """
    if text is None or not (text.startswith("{") and text.endswith("}")):
        return frozenset()
    found: list[str | None] = []
    at, end = 1, len(text) - 1
    while True:
        item = _ITEM.match(text, at, end)
        if item is None:
            return frozenset()
        quoted, plain = item.groups()
        found.append(quoted.replace('""', '"') if quoted is not None else plain or None)
        at = item.end()
        if at == end:
            break
        if not text.startswith(", ", at, end):
            return frozenset()
        at += 2
    members = frozenset(found)
    return members if len(found) == len(members) >= least else frozenset()

"""How a set of values is written where groups of rows are released with one."""

from __future__ import annotations

from collections.abc import Sequence

_SPECIAL = frozenset(',{}"')


def set_text(values: Sequence[str | None]) -> str:
    """Return the text of a set: the values in braces, quoted where they could be misread, a missing one as nothing.

    >>> print(set_text(["cook", "clerk, part-time", None, ""]))
    {cook, "clerk, part-time", , ""}
    """
    return "{" + ", ".join(map(_written, values)) + "}"


def _written(value: str | None) -> str:
    if value is None:
        return ""
    if value == "" or value != value.strip() or not _SPECIAL.isdisjoint(value):
        return '"' + value.replace('"', '""') + '"'
    return value

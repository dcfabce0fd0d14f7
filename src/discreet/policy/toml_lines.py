"""The line of each field in a TOML file, which the standard library's reader does not tell.

Good for error messages only: it looks at table headers and at keys at the start of a line, so a field
inside an inline table has the line of that table.
"""

from __future__ import annotations

import re

from discreet.policy.places import Path

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*=""")
_NAME = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")


def toml_lines(text: str) -> dict[Path, int]:
    """Return the line (from 1) of every table and key.

    >>> toml_lines('[[protect]]\\nat_most = "75%"')[("protect", 0, "at_most")]
    2
    """
    lines: dict[Path, int] = {(): 1}
    seen: dict[Path, int] = {}
    prefix: Path = ()
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            prefix = _names(header[2])
            if header[1] == "[[":
                seen[prefix] = seen.get(prefix, -1) + 1
                lines.setdefault(prefix, number)
                prefix = (*prefix, seen[prefix])
            lines.setdefault(prefix, number)
        elif key := _KEY.match(line):
            path: Path = prefix
            for name in _names(key[1]):
                path = (*path, name)
                lines.setdefault(path, number)
    return lines


def _names(text: str) -> Path:
    return tuple(name.strip("\"'") for name in _NAME.findall(text))

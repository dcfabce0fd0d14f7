"""Places in a policy: the path of a field, the line where it stands, and what may have been meant."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from pathlib import Path as FilePath

from discreet.errors import Problem

Path = tuple[str | int, ...]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return "; did you mean 'Job'?" for the nearest known word, or nothing."""
    folded = {name.casefold().strip(): name for name in known}
    near = difflib.get_close_matches(word.casefold().strip(), list(folded), n=1, cutoff=0.65)
    return f"; did you mean {folded[near[0]]!r}?" if near else ""


def column_hint(word: str, columns: Collection[str], named: Iterable[str] = ()) -> str:
    """Return the same for a column of a table, if its columns are names for certain.

    Without a header line they are the values of the first row, which no message may tell. They are names if half of
    the columns that a policy has `named` are among them; else only one is told that the word says itself, but for
    capitals and blanks.
    """
    wanted = {name.casefold().strip() for name in named}
    found = wanted.intersection(name.casefold().strip() for name in columns)
    if found and 2 * len(found) >= len(wanted):
        return did_you_mean(word, columns)
    return did_you_mean(word, [name for name in columns if name.casefold().strip() == word.casefold().strip()])


def field_name(path: Path) -> str:
    """Return a path as people write it: protect[0].given[1]."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


@dataclass(frozen=True)
class PolicySource:
    """Where a policy was written: the file and the line of every field."""

    file: str | None = field(default=None, compare=False)
    lines: dict[Path, int] = field(default_factory=dict, compare=False)

    @property
    def folder(self) -> FilePath:
        """Where files that the policy names are looked for."""
        return FilePath(self.file).parent if self.file is not None else FilePath()

    def problem(self, path: Path, message: str) -> Problem:
        """Return the problem at `path`, or at the nearest field around it that has a line."""
        near = path
        while near and near not in self.lines:
            near = near[:-1]
        return Problem(field_name(path), message, self.file, self.lines.get(near))

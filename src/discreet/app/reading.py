"""A policy as it is read for the screens: in order, or with its mistakes, each at its line."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from discreet.app.folder import OpenFolder
from discreet.app.journal import Entry
from discreet.app.policy_text import Unread, data_of, line_of
from discreet.errors import DiscreetError, PolicyError
from discreet.policy import Policy, read_policy
from discreet.policy.places import Path, field_name

FILES = ("taxonomy", "file", "among", "costs", "distances")
"""Fields that may name a file."""


@dataclass(frozen=True)
class Mistake:
    """One mistake, with the words of the command line."""

    message: str
    field: str = ""
    line: int | None = None

    @property
    def words(self) -> str:
        """What is said of it."""
        return f"{self.field}: {self.message}" if self.field else self.message


@dataclass(frozen=True)
class PolicyReading:
    """What a policy says, and what is wrong with it."""

    policy: Policy | None
    mistakes: tuple[Mistake, ...]
    data: dict[str, Any]

    @property
    def is_empty(self) -> bool:
        """Whether nothing is written yet."""
        return not self.data and self.policy is None


def read_entry(entry: Entry, folder: OpenFolder) -> PolicyReading:
    """Read the policy of a state."""
    try:
        data = data_of(entry.text)
    except Unread:
        data = {}
    if not entry.text.strip():
        return PolicyReading(None, (), {})
    strays = [
        Mistake(
            "is outside the folder of the app; put the file beside the policy, and give its name",
            field_name(path),
            line_of(entry.text, path),
        )
        for path, name in files_named(data)
        if _strays(entry, folder, name)
    ]
    if strays:
        return PolicyReading(None, tuple(strays), data)
    try:
        return PolicyReading(read_policy(entry.policy), (), data)
    except PolicyError as error:
        found = tuple(Mistake(_plain(p.message, entry), p.field, p.line) for p in error.problems)
        return PolicyReading(None, found, data)
    except DiscreetError as error:
        return PolicyReading(None, (Mistake(_plain(str(error), entry)),), data)


def _plain(message: str, entry: Entry) -> str:
    """Return a message without the path of the private folder."""
    return message.replace(f"{entry.path}/", "")


def files_named(value: object, path: Path = ()) -> Iterator[tuple[Path, str]]:
    """Yield the places of a policy that name files, with the names."""
    if isinstance(value, dict):
        for name, each in value.items():
            if name in FILES and isinstance(each, str) and "://" not in each:
                yield (*path, name), each
            yield from files_named(each, (*path, name))
    elif isinstance(value, list):
        for place, each in enumerate(value):
            yield from files_named(each, (*path, place))


def _strays(entry: Entry, folder: OpenFolder, name: str) -> bool:
    try:
        real = (entry.path / name).resolve()
    except (OSError, ValueError, RuntimeError):
        return True
    return not (
        real.is_relative_to(entry.path.resolve()) or (real.is_relative_to(folder.path) and name.startswith("/"))
    )

"""What is found about a part of an installation."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path


class Health(StrEnum):
    """How a part of an installation is."""

    OK = "ok"
    ABSENT = "absent"
    """Not installed, and not needed unless somebody wants it."""
    DOUBTFUL = "doubtful"
    """It works, but not as well as it could."""
    BROKEN = "broken"
    """Without it nothing works."""


@dataclass(frozen=True)
class Examined:
    """One part: what was found, and what to do where something is amiss."""

    part: str
    name: str
    health: Health
    found: str
    advice: str = ""

    def to_dict(self) -> dict[str, str]:
        """Return plain data."""
        return {**asdict(self), "health": str(self.health)}


def from_home(path: str | Path) -> str:
    """Return a path without the name of whose home it is in: it may be shown to others."""
    home, path = Path.home(), Path(path)
    return f"~/{path.relative_to(home).as_posix()}" if path.is_relative_to(home) else str(path)

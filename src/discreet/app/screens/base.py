"""What a screen is: a sentence on what is decided here, what it shows, its live parts, and what its forms do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.responses import Response

from discreet.app.desk import Desk
from discreet.app.forms import FormSaid
from discreet.errors import InputError

Query = Mapping[str, str]
"""What stands behind the question mark of an address."""
View = Callable[[Desk, Query], Mapping[str, Any]]
"""Returns what the template is filled with."""
Action = Callable[[Desk, FormSaid], str | None]
"""Does what a form asks; returns where to go next (a path), or None to stay. Raises `DiscreetError` to refuse."""


UNSAVED = " unsaved"
"""The name under which a view finds a text that was sent and not taken; no address can have it."""


class UnsavedText(InputError):
    """A text that was sent and not taken: it is shown again, so that nothing that was written is lost."""

    def __init__(self, message: str, text: str) -> None:
        self.text = text
        super().__init__(message)


def nothing(desk: Desk, query: Query) -> Mapping[str, Any]:
    """Fill a template with nothing of its own."""
    del desk, query
    return {}


@dataclass(frozen=True)
class LivePart:
    """A part of a screen that is drawn anew when something has happened."""

    view: View
    """Fills the template SCREEN_PART.html."""
    on: tuple[str, ...]
    """What it waits for: `figure:NAME`, `job`, `progress`, `state`."""


@dataclass(frozen=True)
class Screen:
    """One screen: its template is NAME.html."""

    name: str
    title: str
    asks: str
    """What is decided here, in one plain sentence."""
    view: View = nothing
    actions: Mapping[str, Action] = field(default_factory=dict)
    parts: Mapping[str, LivePart] = field(default_factory=dict)
    needs: Callable[[Desk], str | None] = lambda _: None
    """Says why the screen cannot be used yet, if it cannot."""
    downloads: Mapping[str, Callable[[Desk, Query], Response]] = field(default_factory=dict)
    """Files to be taken away, by the path behind the screen's own (`{name}` in it is told to the function)."""
    scripts: tuple[str, ...] = ()
    """Modules in static/ that it needs besides live.js."""


def needs_table(desk: Desk) -> str | None:
    """Say that a table must be opened first."""
    if desk.now.table is None:
        return "Open a table first."
    return None if desk.table_now() is not None else "The table is not there any more; open it again."


def needs_policy(desk: Desk) -> str | None:
    """Say that there must be a policy in order first."""
    if said := needs_table(desk):
        return said
    if desk.reading.is_empty:
        return "The policy is being drafted."
    return None if desk.reading.policy is not None else "The policy has mistakes; mend them under Promises first."

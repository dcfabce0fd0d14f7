"""From a screen to HTML: every text is escaped, nothing is inline, and each live part can be drawn by itself."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import jinja2
from markupsafe import Markup

from discreet.app.desk import Desk
from discreet.app.drawing import drawn
from discreet.app.guard import Entrance
from discreet.app.screens import SCREENS
from discreet.app.screens.base import LivePart, Query, Screen
from discreet.app.work.figures import LiveFigure
from discreet.version import __version__

MOST_SHOWN = 200
"""Characters of a cell that are shown."""


class Pages:
    """Draws screens."""

    def __init__(self, desk: Desk, entrance: Entrance) -> None:
        self._desk = desk
        self._environment = jinja2.Environment(
            loader=jinja2.ChoiceLoader(
                [jinja2.PackageLoader("discreet.app"), jinja2.PackageLoader("discreet.audit.report", "style")]
            ),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._environment.filters.update(cell=cell, number=number, share=share, seconds=seconds)
        self._environment.globals.update(
            screens=SCREENS, token=lambda: entrance.form, state_of=state_of, version=__version__, chart=drawn
        )

    def screen(self, screen: Screen, query: Query, problems: tuple[str, ...] = ()) -> str:
        """Return a whole page."""
        desk = self._desk
        blocked = screen.needs(desk)
        found = {} if blocked else dict(screen.view(desk, query))
        return self._environment.get_template(f"{screen.name}.html").render(
            **self._common(screen, query), problems=problems, blocked=blocked, **found
        )

    def part(self, screen: Screen, name: str, query: Query) -> str:
        """Return a live part by itself."""
        part = screen.parts[name]
        return self._environment.get_template(f"{screen.name}_{name}.html").render(
            **self._common(screen, query), **part.view(self._desk, query)
        )

    def _common(self, screen: Screen, query: Query) -> dict[str, Any]:
        desk = self._desk
        return {
            "screen": screen,
            "desk": desk,
            "now": desk.now,
            "query": query,
            "live": partial(self._wrapped, screen, query),
        }

    def _wrapped(self, screen: Screen, query: Query, name: str) -> Markup:
        """Return a live part with what tells the script when to draw it anew."""
        part: LivePart = screen.parts[name]
        inner = Markup(self.part(screen, name, query))
        return Markup('<div class="live" id="live-{0}-{1}" data-live="/{0}/live/{1}" data-on="{2}">{3}</div>').format(
            screen.name, name, " ".join(part.on), inner
        )


def cell(value: str | None) -> Markup:
    """Return a cell of a table: what is missing or blank is named, what is long is cut."""
    if value is None:
        return Markup('<span class="none">missing</span>')
    if not value.strip():
        return Markup('<span class="none">{}</span>').format("empty" if not value else "blank")
    shown = value if len(value) <= MOST_SHOWN else f"{value[:MOST_SHOWN]}…"
    return Markup("{}").format(shown if shown.isprintable() else repr(shown)[1:-1])


def number(value: float | None) -> str:
    """Return a number as people read it.

    >>> number(12345)
    '12,345'
    """
    return "–" if value is None else f"{value:,}"


def share(value: float | None, digits: int = 0) -> str:
    """Return a share as a percentage.

    >>> share(0.256)
    '26%'
    """
    return "–" if value is None else f"{value:.{digits}%}"


def seconds(value: float) -> str:
    """Return how long something takes.

    >>> seconds(75.2)
    '1 min 15 s'
    """
    minutes, rest = divmod(round(value), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def state_of(figure: LiveFigure) -> Mapping[str, str]:
    """Return in words whether a figure is current, and the class that shows it."""
    if figure.state == "current":
        return {"name": "current", "words": "current"}
    if figure.state == "part":
        rest = "from a sample; the whole table" if figure.value.get("sample") else "so far; the rest"
        return {"name": "coming", "words": f"figures {rest} is being reckoned"}
    if figure.state == "waiting":
        return {"name": "coming", "words": "being reckoned" + ("; below is how it was before" if figure.stale else "")}
    if figure.state == "failed":
        return {"name": "failed", "words": "cannot be reckoned"}
    return {"name": "none", "words": "how it was before" if figure.stale else "not reckoned yet"}

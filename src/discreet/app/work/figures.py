"""Live figures: reckoned beside the server, begun anew when what they depend on changes, and never waited for.

Each says whether it is current. One process reckons them one after the other; what has become stale while it was being
reckoned is cancelled by ending that process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from discreet.app.work.helper import Helper


@dataclass(frozen=True)
class Wanted:
    """What a figure is reckoned from: when `key` is another, it has changed; `said` is given to the task."""

    key: Hashable
    said: Mapping[str, Any]


@dataclass(frozen=True)
class FigureKind:
    """A kind of figure: its name, the task that reckons it, and what it is reckoned from (None: not possible now)."""

    name: str
    task: str
    """`module:function` in `discreet.app.work`."""
    wants: Callable[[Any], Wanted | None]
    """Asked with the desk."""
    done: Callable[[Any, Any], None] | None = None
    """Told the desk and the value when it is there."""


@dataclass
class LiveFigure:
    """A figure as it stands."""

    key: Hashable = None
    value: Any = None
    state: str = "none"
    """none: cannot be reckoned now; waiting; part: the value is a first one; current; failed."""
    failure: dict[str, Any] | None = None
    stale: bool = False
    """Whether the value is that of an earlier policy."""

    @property
    def is_current(self) -> bool:
        """Whether it is what would be reckoned now."""
        return self.state == "current"

    @property
    def is_coming(self) -> bool:
        """Whether it is being reckoned."""
        return self.state in ("waiting", "part")


@dataclass
class LiveFigures:
    """All live figures."""

    kinds: Sequence[FigureKind]
    desk: Any
    tell: Callable[[str], None]
    """Told the name of a figure that has changed."""
    _figures: dict[str, LiveFigure] = field(default_factory=dict)
    _wanted: set[str] = field(default_factory=set)
    _lock: threading.RLock = field(default_factory=threading.RLock)
    _helper: Helper | None = None
    _busy: tuple[str, Hashable] | None = None
    _paused: bool = False
    _ended: bool = False

    def get(self, name: str) -> LiveFigure:
        """Return a figure as it stands, and reckon it from now on."""
        with self._lock:
            new = name not in self._wanted
            self._wanted.add(name)
            if new:
                self._renew(name)
                self._next()
            return self._figures.setdefault(name, LiveFigure())

    def warm_up(self) -> None:
        """Start the process ahead: it takes a second to load what it needs."""
        with self._lock:
            if not self._ended and not self._paused and self._helper is None:
                self._helper = Helper()
                self._begin("warm", "", "table:warm", {})

    def refresh(self) -> None:
        """Look what has changed; what is stale is cancelled and begun anew."""
        with self._lock:
            for name in self._order():
                self._renew(name)
            if self._busy is not None and self._busy[0] in self._figures:
                name, key = self._busy
                if self._figures[name].key != key:
                    self._cancel()
            self._next()

    def pause(self) -> None:
        """Give way to a job: the process ends, and its memory with it."""
        with self._lock:
            self._paused = True
            self._cancel()

    def go_on(self) -> None:
        """Reckon again."""
        with self._lock:
            self._paused = False
        self.refresh()

    def end(self) -> None:
        """End for good."""
        with self._lock:
            self._ended = True
            self._cancel()

    def _order(self) -> list[str]:
        return [kind.name for kind in self.kinds if kind.name in self._wanted]

    def _kind(self, name: str) -> FigureKind:
        return next(kind for kind in self.kinds if kind.name == name)

    def _renew(self, name: str) -> None:
        """Compare what a figure would be reckoned from with what it was."""
        figure = self._figures.setdefault(name, LiveFigure())
        wanted = self._kind(name).wants(self.desk)
        if wanted is None:
            if figure.state != "none":
                figure.state, figure.stale, figure.key = "none", figure.value is not None, None
                self.tell(name)
        elif wanted.key != figure.key:
            figure.key, figure.state, figure.failure = wanted.key, "waiting", None
            figure.stale = figure.value is not None
            self.tell(name)

    def _cancel(self) -> None:
        self._busy = None
        if self._helper is not None:
            self._helper.end()
            self._helper = None

    def _next(self) -> None:
        """Begin with the first figure that waits, if nothing is being reckoned."""
        if self._busy is not None or self._paused or self._ended:
            return
        for name in self._order():
            figure = self._figures[name]
            wanted = self._kind(name).wants(self.desk) if figure.state == "waiting" else None
            if wanted is not None:
                self._begin(name, wanted.key, self._kind(name).task, wanted.said)
                return

    def _begin(self, name: str, key: Hashable, task: str, said: Mapping[str, Any]) -> None:
        self._helper = self._helper or Helper()
        self._busy = name, key
        helper = self._helper
        helper.do(task, said, lambda kind, value: self._heard(helper, name, key, kind, value))

    def _heard(self, helper: Helper, name: str, key: Hashable, kind: str, value: Any) -> None:
        done = None
        with self._lock:
            if self._helper is not helper:
                return  # of a process that was ended on purpose
            figure = self._figures.get(name)
            if kind == "ended":
                self._helper = None
                kind, value = "failed", {"kind": "Ended", "message": GONE, "problems": []}
            if figure is not None and figure.key == key:
                if kind == "failed":
                    figure.state, figure.failure, figure.value, figure.stale = "failed", value, None, False
                else:
                    figure.state = "part" if kind == "part" else "current"
                    figure.value, figure.stale = value, False
                    done = self._kind(name).done if kind == "done" else None
            if kind in ("done", "failed"):
                self._busy = None
        if done is not None:
            done(self.desk, value)
        if name != "warm":
            self.tell(name)
        with self._lock:
            self._next()


GONE = "the process that reckons this has ended; perhaps there was not enough memory"

"""A task's way to speak, for tests that run it here instead of in a process of its own."""

from __future__ import annotations

from typing import Any

from discreet.app.work.child import Talk


class Heard(Talk):
    """Keeps what a task tells."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, Any]] = []

    def tell(self, kind: str, value: object) -> None:
        """Keep it."""
        self.heard.append((kind, value))

    @property
    def stopped(self) -> bool:
        """Nobody stops it."""
        return False

    def go_on(self) -> None:
        """Nothing to forget."""

"""What has changed, told to every open page at once: server-sent events."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import AsyncIterator
from typing import Any

MOST_LISTENERS = 20
BEAT = 15.0
"""Seconds after which a page is told that the server is still there."""


class EventHub:
    """Tells pages what has changed; anybody may tell it, from any thread."""

    def __init__(self) -> None:
        self._listeners: dict[asyncio.Queue[str | None], asyncio.AbstractEventLoop] = {}
        self._lock = threading.Lock()
        self._ended = False

    def tell(self, event: str, **said: Any) -> None:
        """Tell all pages of something: `figure`, `state`, `job`, `progress`."""
        self._send(f"event: {event}\ndata: {json.dumps(said)}\n\n")

    def end(self) -> None:
        """Let all pages go."""
        self._ended = True
        self._send(None)

    def _send(self, text: str | None) -> None:
        with self._lock:
            listeners = list(self._listeners.items())
        for queue, loop in listeners:
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(_put, queue, text)

    async def listen(self, hello: dict[str, Any]) -> AsyncIterator[str]:
        """Yield events for one page."""
        queue: asyncio.Queue[str | None] = asyncio.Queue(maxsize=200)
        with self._lock:
            if len(self._listeners) >= MOST_LISTENERS:  # a page that was forgotten makes way
                oldest = next(iter(self._listeners))
                del self._listeners[oldest]
                _put(oldest, None)
            self._listeners[queue] = asyncio.get_running_loop()
        try:
            yield f"event: hello\ndata: {json.dumps(hello)}\n\n"
            while not self._ended:
                try:
                    text = await asyncio.wait_for(queue.get(), BEAT)
                except TimeoutError:
                    yield ": still here\n\n"
                    continue
                if text is None:
                    return
                yield text
        finally:
            with self._lock:
                self._listeners.pop(queue, None)


def _put(queue: asyncio.Queue[str | None], text: str | None) -> None:
    if queue.full():  # whoever is so slow hears the latest only
        queue.get_nowait()
    queue.put_nowait(text)

"""Chromium without a window, driven over a pipe by its DevTools protocol: no further package, no port."""

from __future__ import annotations

import base64
import contextlib
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REQUIRE_ALL

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
)
PATIENCE = 120.0
"""Seconds; a loaded machine may be slow."""


def find_chromium() -> str:
    """The path of Chromium; where there is none, the test is skipped (or fails, if nothing may be skipped)."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        reason = "no Chromium was found"
        if REQUIRE_ALL:
            pytest.fail(reason)
        pytest.skip(reason)
    return found


class Browser:
    """One browser; speaks and listens in messages that end with a null byte."""

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back = to, back
        self._read = b""
        self._last = 0
        self.events: list[dict[str, Any]] = []

    def call(self, method: str, session: str | None = None, /, **params: object) -> dict[str, Any]:
        """Ask for something, and wait for the answer; what is told meanwhile is kept in `events`."""
        self._last += 1
        message: dict[str, object] = {"id": self._last, "method": method, "params": params}
        if session is not None:
            message["sessionId"] = session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self._to, text) :]
        until = time.monotonic() + PATIENCE
        while True:
            answer = self._next(until)
            if answer.get("id") == self._last:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result
            self.events.append(answer)

    def wait_for(self, method: str) -> dict[str, Any]:
        """Wait until something is told."""
        until = time.monotonic() + PATIENCE
        while True:
            for at, event in enumerate(self.events):
                if event.get("method") == method:
                    return self.events.pop(at)
            self.events.append(self._next(until))

    def _next(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._read:
            if not select.select([self._back], [], [], max(until - time.monotonic(), 0))[0]:
                raise TimeoutError("Chromium does not answer")
            found = os.read(self._back, 1 << 20)
            if not found:
                raise RuntimeError("Chromium has ended")
            self._read += found
        message, _, self._read = self._read.partition(b"\0")
        told: dict[str, Any] = json.loads(message)
        return told

    def open(self, path: Path, width: int, height: int = 900, *, dark: bool = False, script: bool = True) -> Tab:
        """Open a file as a page that is so many pixels wide, and wait until it is loaded."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, target, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable", session)
        self.call(
            "Emulation.setDeviceMetricsOverride", session, width=width, height=height, deviceScaleFactor=1, mobile=False
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", session, features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", session, value=not script)
        self.events.clear()
        self.call("Page.navigate", session, url=path.resolve().as_uri())
        tab.remember(self.wait_for("Page.loadEventFired"))
        return tab


class Tab:
    """One page."""

    def __init__(self, browser: Browser, target: str, session: str) -> None:
        self._browser, self._target, self._session = browser, target, session
        self._told: list[dict[str, Any]] = []

    def call(self, method: str, **params: object) -> dict[str, Any]:
        """Ask the page for something."""
        return self._browser.call(method, self._session, **params)

    def remember(self, event: dict[str, Any]) -> None:
        """Keep an event that was waited for."""
        self._told.append(event)

    @property
    def events(self) -> list[dict[str, Any]]:
        """All that this page has told."""
        return [*self._told, *(one for one in self._browser.events if one.get("sessionId") == self._session)]

    def value(self, expression: str) -> Any:
        """What an expression is in the page; promises are waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def wait_until(self, expression: str) -> None:
        """Wait until an expression is true in the page."""
        until = time.monotonic() + PATIENCE
        while not self.value(expression):
            if time.monotonic() > until:
                raise TimeoutError(expression)
            time.sleep(0.1)

    def problems(self) -> list[str]:
        """Errors and warnings of the console, and exceptions."""
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            elif event["method"] == "Runtime.consoleAPICalled" and params["type"] in ("error", "warning", "assert"):
                found.append(str(params["args"]))
            elif event["method"] == "Log.entryAdded" and params["entry"]["level"] in ("error", "warning"):
                found.append(params["entry"]["text"])
        return found

    def requests(self) -> list[str]:
        """The addresses that the page asked for."""
        sent = [event for event in self.events if event["method"] == "Network.requestWillBeSent"]
        return [event["params"]["request"]["url"] for event in sent]

    def screenshot(self) -> bytes:
        """The whole page as a PNG."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        taken = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)
        return base64.b64decode(taken["data"])

    def printed(self) -> bytes:
        """The page as a PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True, preferCSSPageSize=True)["data"])

    def close(self) -> None:
        """Close the page."""
        self._browser.call("Target.closeTarget", targetId=self._target)


def _await_end(process: int) -> None:
    """Give Chromium time to end by itself, and so to clean up after its helpers."""
    until = time.monotonic() + 10
    while os.waitpid(process, os.WNOHANG) == (0, 0) and time.monotonic() < until:
        time.sleep(0.05)


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium with an empty profile; it ends with the block."""
    program = find_chromium()
    profile = tempfile.mkdtemp(prefix="discreet-chromium-")
    ends: list[int] = []
    for made in (*os.pipe(), *os.pipe()):  # above 9, so that none is overwritten when they become 3 and 4
        ends.append(fcntl.fcntl(made, fcntl.F_DUPFD_CLOEXEC, 10))
        os.close(made)
    hears, to, back, says = ends
    with open(os.devnull, "r+b") as nothing:  # noqa: PTH123 - a descriptor is wanted
        actions = [(os.POSIX_SPAWN_DUP2, nothing.fileno(), n) for n in (0, 1, 2)]
        actions += [(os.POSIX_SPAWN_DUP2, hears, 3), (os.POSIX_SPAWN_DUP2, says, 4)]
        words = [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"]
        process = os.posix_spawn(program, words, os.environ, file_actions=actions, setpgroup=0)
    os.close(hears)
    os.close(says)
    try:
        browser = Browser(to, back)
        yield browser
        with contextlib.suppress(RuntimeError, TimeoutError, OSError):
            browser.call("Browser.close")
        _await_end(process)
    finally:
        os.close(to)
        os.close(back)
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process, 0)
        shutil.rmtree(profile, ignore_errors=True)

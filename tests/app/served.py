"""The app for tests: a desk on a folder of its own, asked as a browser asks."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the app is not installed (discreet[app])")
pytest.importorskip("httpx2", reason="the client for tests is not installed")

from starlette.testclient import TestClient

from discreet.app.desk import Desk
from discreet.app.folder import OpenFolder
from discreet.app.guard import Entrance
from discreet.app.sitting import Sitting
from discreet.app.web import WebApp

PORT = 8123
HERE = f"http://127.0.0.1:{PORT}"
OWN = {"origin": HERE, "sec-fetch-site": "same-origin"}
PATIENCE = 120.0
"""Seconds; a loaded machine may be slow."""


class Served:
    """The app, and a browser that may be let in."""

    def __init__(self, folder: Path, *, resume: bool = False, most_upload: int = 1_000_000) -> None:
        self.desk = Desk(Sitting.begin(OpenFolder.of(folder), resume=resume))
        self.entrance = Entrance.at("127.0.0.1", PORT)
        self.web = WebApp(self.desk, self.entrance, most_upload)
        self.client = TestClient(self.web.made(), base_url=HERE, follow_redirects=False)

    def enter(self) -> Served:
        """Open the address that was printed."""
        answer = self.client.get("/open", params={"token": self.entrance.token or ""})
        assert answer.status_code == 200
        return self

    def post(self, path: str, /, **fields: str | list[str]) -> int:
        """Send a form as a page of ours does; return the code."""
        return self.answer(path, **fields)[0]

    def answer(self, path: str, /, **fields: str | list[str]) -> tuple[int, str]:
        """Send a form as a page of ours does; return the code, and the text or where it leads."""
        answer = self.client.post(path, data={"token": self.entrance.form, **fields}, headers=OWN)
        return answer.status_code, answer.headers.get("location", "") or answer.text

    def page(self, path: str) -> str:
        """Return a page."""
        answer = self.client.get(path, headers={"sec-fetch-site": "same-origin"})
        assert answer.status_code == 200, answer.text
        return answer.text

    def words(self, path: str) -> str:
        """Return what a page says, without tags and blanks."""
        return " ".join(re.sub(r"<[^>]+>", " ", self.page(path)).split())


@contextlib.contextmanager
def served(
    folder: Path, *, resume: bool = False, crash: bool = False, most_upload: int = 1_000_000
) -> Iterator[Served]:
    """Serve a folder for a while; with `crash` it ends without a chance to clean up."""
    app = Served(folder, resume=resume, most_upload=most_upload)
    try:
        yield app
    finally:
        if crash:
            app.desk.jobs.end()
            app.desk.figures.end()
            app.desk.sitting.close()
        else:
            app.desk.end()


def wait(until: Callable[[], object]) -> None:
    """Wait until something is so."""
    end = time.monotonic() + PATIENCE
    while not until():
        assert time.monotonic() < end, "nothing has come of it"
        time.sleep(0.02)

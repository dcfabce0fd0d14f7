"""The app in a real browser: started as a program, driven by Playwright's Python package, looked at by axe-core."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.browser import find_chromium
from tests.conftest import REQUIRE_ALL

PATIENCE = 120_000
"""Milliseconds; a loaded machine may be slow."""
SERIOUS = ("serious", "critical")


def launched() -> Iterator[Any]:
    """Start Chromium for a module; say why where that cannot be."""
    if not REQUIRE_ALL:
        pytest.importorskip("playwright", reason="Playwright's Python package is not installed")
        pytest.importorskip("starlette", reason="the app is not installed (discreet[app])")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=["--no-sandbox"])
        yield browser
        browser.close()


def axe_source() -> str | None:
    """axe-core, where somebody has installed it: in the folder DISCREET_AXE, as `npm install axe-core` leaves it."""
    folder = os.environ.get("DISCREET_AXE")
    if not folder:
        return None
    places = (Path(folder) / "axe.min.js", Path(folder) / "node_modules" / "axe-core" / "axe.min.js")
    return next(path for path in places if path.is_file()).read_text("utf-8")


class Visitor:
    """A page of the browser, and what it asked for and complained of."""

    def __init__(self, browser: Any, address: str, width: int = 1280, scheme: str = "light") -> None:
        self.address = address
        self.root = address.split("/open")[0]
        self.context = browser.new_context(
            viewport={"width": width, "height": 860},
            color_scheme=scheme,
            reduced_motion="reduce",
            accept_downloads=True,
        )
        self.outside: list[str] = []
        self.complaints: list[str] = []
        self.page = self.another()
        self.page.goto(address)
        self.page.wait_for_url("**/table")

    def another(self) -> Any:
        """Open another tab."""
        page = self.context.new_page()
        page.set_default_timeout(PATIENCE)
        page.on("request", self._asked)
        page.on("console", lambda told: self.complaints.append(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", self._asked_back)
        return page

    def _asked(self, request: Any) -> None:
        if urlsplit(request.url).netloc not in (urlsplit(self.root).netloc, ""):
            self.outside.append(request.url)

    def _asked_back(self, dialog: Any) -> None:
        self.complaints.append("a dialog")
        dialog.dismiss()

    def go(self, screen: str) -> None:
        """Open a screen by its address."""
        self.page.goto(f"{self.root}/{screen}")

    def look(self, width: int, scheme: str) -> None:
        """Look at the page as it is in another window, by day or by night."""
        self.page.set_viewport_size({"width": width, "height": 860})
        self.page.emulate_media(color_scheme=scheme)

    def wider_than_the_window(self) -> bool:
        """Whether one would have to scroll sideways."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth"))

    def seriously_wrong(self, axe: str) -> list[str]:
        """What axe-core finds that is serious."""
        self.page.evaluate(f"{axe}; 0")
        found = self.page.evaluate("axe.run(document, {resultTypes: ['violations']}).then(JSON.stringify)")
        return [
            f"{each['id']}: {each['nodes'][0]['html'][:200]} ({each['nodes'][0].get('failureSummary', '')[:300]})"
            for each in json.loads(found)["violations"]
            if each["impact"] in SERIOUS
        ]

    def tab_to(self, selector: str, most: int = 120) -> None:
        """Press Tab until something has the focus."""
        self.page.wait_for_selector(selector)
        for _ in range(most):
            if self.page.evaluate(f"document.activeElement.matches({json.dumps(selector)})"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{selector} cannot be reached by keyboard")

    def press(self, selector: str, key: str = "Enter") -> None:
        """Go to something by keyboard, and press a key there."""
        self.tab_to(selector)
        self.page.keyboard.press(key)

    def close(self) -> None:
        """Leave."""
        self.context.close()


def bank_in(folder: Path) -> Path:
    """Put the bank example into a folder."""
    from tools.pictures import DEMO

    for name in ("bank.csv", "bank.yaml"):
        shutil.copy(DEMO / name, folder)
    return folder

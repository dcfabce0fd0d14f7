"""A report on paper: the page as a PDF, made by Chromium where it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from discreet.errors import InputError

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--headless",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
    "--no-pdf-header-footer",
    "--virtual-time-budget=20000",
)
PATIENCE = 120
"""Seconds."""
NONE = (
    "a PDF is made by Chromium or Chrome, and none was found; install one, or write the page (to_html) and print it "
    "from a browser"
)


def printed(page: str) -> bytes:
    """Return a page as a PDF; raise `InputError` where there is no browser to print it.

    The page is written to a folder that its owner alone can read, and which is gone afterwards; nothing is loaded.
    """
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        raise InputError(NONE)
    with tempfile.TemporaryDirectory(prefix="discreet-", ignore_cleanup_errors=True) as folder:
        source, made = Path(folder) / "report.html", Path(folder) / "report.pdf"
        source.write_text(page, encoding="utf-8", errors="replace")
        sandbox = (
            ["--no-sandbox"] if getattr(os, "geteuid", lambda: 1)() == 0 else []
        )  # Chromium refuses to run as root with it
        words = [program, *FLAGS, *sandbox, f"--user-data-dir={folder}/profile", f"--print-to-pdf={made}"]
        try:
            subprocess.run([*words, source.as_uri()], check=True, capture_output=True, timeout=PATIENCE)
            return made.read_bytes()
        except (OSError, subprocess.SubprocessError):
            raise InputError(
                f"{Path(program).name} could not print the page; write it (to_html) and print it from a browser"
            ) from None

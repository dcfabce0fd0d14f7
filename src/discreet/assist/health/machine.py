"""The machine: processors, memory, folders that must be writable, and programs that some jobs start."""

from __future__ import annotations

import contextlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from discreet.assist.health.base import Examined, Health, from_home

MACHINE, PROGRAMS = "machine", "programs"
LEAST_JAVA = 17
PATIENCE = 20
"""Seconds that a program may take to say its version."""
SMALL = 1 << 30


def system() -> Examined:
    """Return what kind of machine it is."""
    processors = os.cpu_count() or 1
    found = f"{platform.system()} {platform.machine()}, {processors} processor{'s' * (processors > 1)}"
    return Examined(MACHINE, "system", Health.OK, found)


def memory() -> Examined:
    """Return how much memory there is, and what a job takes of it."""
    from discreet.table.machine import NO_LIMIT, machine, memory_for_a_job
    from discreet.table.memory import shown

    whole = machine()
    if whole == NO_LIMIT:
        return Examined(
            MACHINE, "memory", Health.DOUBTFUL, "the system does not say", "say --memory-limit for large tables"
        )
    found = f"{shown(whole)}, of which a job takes up to {shown(memory_for_a_job())}"
    if (free := _available()) is not None:
        found += f"; {shown(free)} free now"
    if whole < SMALL:
        return Examined(MACHINE, "memory", Health.DOUBTFUL, found, "for large tables take --engine streaming or duckdb")
    return Examined(MACHINE, "memory", Health.OK, found)


def _available() -> int | None:
    """Return the memory that is free now, where the system says."""
    with contextlib.suppress(OSError):
        found = re.search(r"^MemAvailable:\s+(\d+) kB", Path("/proc/meminfo").read_text(encoding="ascii"), re.MULTILINE)
        return int(found[1]) << 10 if found else None
    return None


def scratch() -> Examined:
    """Return whether there is room for scratch files: large tables, databases and pipes need it."""
    from discreet.table.memory import shown

    advice = "let TMPDIR name a folder on a disk with room"
    try:
        folder = tempfile.gettempdir()
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"discreet")
        free = shutil.disk_usage(folder).free
    except OSError as error:
        found = f"cannot be written ({error.strerror or 'no folder'})"
        return Examined(MACHINE, "scratch files", Health.DOUBTFUL, found, advice)
    found = f"{from_home(folder)}, {shown(free)} free"
    return Examined(
        MACHINE, "scratch files", Health.OK if free >= SMALL else Health.DOUBTFUL, found, advice * (free < SMALL)
    )


def kernels() -> Examined:
    """Return where compiled loops are kept, and how many are."""
    package = Path(__file__).parents[2]
    own = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(own)] if own else [package, Path.home() / ".cache" / "numba"]
    kept = sum(1 for place in places if place.is_dir() for _ in place.rglob("*.nbi"))
    where = next((place for place in places if _may_write(place)), None)
    if where is None:
        found, advice = "no place can be written: loops are compiled in every run", "let NUMBA_CACHE_DIR name a folder"
        return Examined(MACHINE, "compiled loops", Health.DOUBTFUL, found, advice)
    return Examined(MACHINE, "compiled loops", Health.OK, f"{kept} kept; new ones go to {from_home(where)}")


def _may_write(place: Path) -> bool:
    """Whether files can be made in a folder, or in the first one above it that there is."""
    there = next((folder for folder in (place, *place.parents) if folder.exists()), None)
    return there is not None and there.is_dir() and os.access(there, os.W_OK)


def output() -> Examined:
    """Return whether every value can be printed."""
    encoding = (getattr(sys.stdout, "encoding", None) or "unknown").lower()
    if encoding.replace("-", "") == "utf8":
        return Examined(MACHINE, "output", Health.OK, "UTF-8")
    advice = "values that it cannot show are printed as '?'; set PYTHONUTF8=1 (files are UTF-8 anyway)"
    return Examined(MACHINE, "output", Health.DOUBTFUL, encoding, advice)


def java() -> Examined:
    """Return whether Spark can be started here."""
    home = os.environ.get("JAVA_HOME")
    own = Path(home, "bin", "java") if home else None
    program = str(own) if own is not None and own.exists() else shutil.which("java")
    advice = f"for Spark on this machine: install Java {LEAST_JAVA} or newer"
    if program is None:
        return Examined(PROGRAMS, "Java", Health.ABSENT, "not found", advice)
    found = re.search(r'version "(\d+)[^"]*"', _said(program, "-version"))
    if found is None:
        return Examined(PROGRAMS, "Java", Health.DOUBTFUL, "does not say its version", advice)
    new = int(found[1]) >= LEAST_JAVA
    return Examined(PROGRAMS, "Java", Health.OK if new else Health.DOUBTFUL, found[1], "" if new else advice)


def browser() -> Examined:
    """Return whether reports can be printed."""
    from discreet.audit.report.paper import BROWSERS

    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        advice = "for reports as PDF: install Chromium or Chrome"
        return Examined(PROGRAMS, "Chromium", Health.ABSENT, "not found", advice)
    found = re.search(r"\d+(\.\d+)+", _said(program, "--version"))
    return Examined(PROGRAMS, "Chromium", Health.OK, f"{Path(program).name} {found[0] if found else ''}".strip())


def _said(program: str, option: str) -> str:
    """Return what a program says; nothing where it cannot be started, or takes too long."""
    try:
        done = subprocess.run([program, option], capture_output=True, timeout=PATIENCE, check=False)
    except (OSError, subprocess.SubprocessError):
        return ""
    return (done.stdout + done.stderr).decode("utf-8", "replace")

"""Environments for programs of others, from the package index; kept where DISCREET_RECIPES names a place."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

BIN = "Scripts" if sys.platform == "win32" else "bin"


@cache
def _folder() -> Path:
    kept = os.environ.get("DISCREET_RECIPES")
    return Path(kept) if kept else Path(tempfile.mkdtemp(prefix="discreet-recipes-"))


def environment(name: str, *packages: str) -> Path:
    """The folder of programs of an environment with these packages; made where there is none yet."""
    place = _folder() / name
    ready = place / ("ready " + " ".join(packages).replace("/", "_"))
    if not ready.exists():
        uv = shutil.which("uv")
        if uv is not None:
            subprocess.run([uv, "venv", "--quiet", "--clear", str(place)], check=True)
            install = [uv, "pip", "install", "--quiet", "--python", str(place / BIN / "python")]
        else:
            subprocess.run([sys.executable, "-m", "venv", "--clear", str(place)], check=True)
            install = [str(place / BIN / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, *packages], check=True)
        ready.touch()
    return place / BIN


def started(words: list[str], folder: Path, *programs: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run something that finds these programs, and the discreet that is tested, on its PATH."""
    paths = [*map(str, programs), str(Path(sys.executable).parent), os.environ["PATH"]]
    environment = {**os.environ, "PATH": os.pathsep.join(paths), **more}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # else every start compiles all of it
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)

"""Compiled loops kept on disk: what an older version has kept does no harm."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

BEFORE = """
from typing import NamedTuple
import numpy as np
from discreet.common.compiled import kernel

class Pair(NamedTuple):
    one: np.ndarray
    two: np.ndarray

@kernel
def added(pair):
    return pair.one[0] + pair.two[0]

print(added(Pair(np.ones(1), np.ones(1))))
"""


@pytest.mark.process
def test_loops_of_an_older_version_are_compiled_anew(tmp_path: Path) -> None:
    """Whose classes have other names since: the file stands where it stood, so Numba finds what was kept for it."""
    path = tmp_path / "loops.py"
    for text in (BEFORE, BEFORE, BEFORE.replace("Pair", "Two")):
        path.write_text(text, encoding="utf-8")
        run = [sys.executable, "-c", "import loops"]
        found = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (found.stdout, found.returncode) == ("2.0\n", 0), found.stderr
    assert len([*(tmp_path / "__pycache__").glob("*.nbi")]) == 1


CALLED = """
from discreet.common.compiled import helper

@helper
def called(x):
    return x + 1
"""
CALLER = """
from discreet.common.compiled import kernel
from called import called

@kernel
def caller(x):
    return called(x)
"""


@pytest.mark.process
def test_loops_are_compiled_anew_when_what_is_compiled_into_them_changes(tmp_path: Path) -> None:
    """Another file, which Numba does not look at: what is kept would go on with the old loop."""
    (tmp_path / "caller.py").write_text(CALLER, encoding="utf-8")
    for text, says in ((CALLED, "2"), (CALLED.replace("+ 1", "+ 10"), "11")):
        (tmp_path / "called.py").write_text(text, encoding="utf-8")
        run = [sys.executable, "-c", "from caller import caller; print(caller(1))"]
        found = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (found.stdout.strip(), found.returncode) == (says, 0), found.stderr

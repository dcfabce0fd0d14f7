"""bench/app.py: every figure of the app on a small table, each beside its mark."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytest.importorskip("starlette", reason="the app is not installed (discreet[app])")
pytestmark = [pytest.mark.bench, pytest.mark.nightly, pytest.mark.xdist_group("app")]


def test_every_figure_stands_beside_its_mark(data_dir: Path) -> None:
    assert data_dir.is_dir()
    command = [sys.executable, str(ROOT / "bench" / "app.py"), "--rows", "2000", "--policy", "templates", "--parts"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = re.findall(r"^ *(\S.*?) +([\d.-]+)  mark ([\d.]+): (?:kept|MISSED)$", done.stdout, re.MULTILINE)
    assert [mark for _, _, mark in found] == ["2", "1", "100", "1.1", "4"]
    assert all(float(figure) > 0 for what, figure, _ in found if "memory" not in what)

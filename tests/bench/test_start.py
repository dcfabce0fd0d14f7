"""bench/start.py: what it prints of one small job, cold and warm, and of the loops that are compiled."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.bench


def test_a_small_job_cold_and_warm_beside_the_floor() -> None:
    command = [sys.executable, str(ROOT / "bench" / "start.py"), "--tables", "small", "--kinds", "templates"]
    done = subprocess.run([*command, "--repeat", "1", "--kernels"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("floor: import numpy")
    figures = {state: float(cpu) for state, cpu in re.findall(r"(cold|warm) now\s+([\d.]+) CPU", done.stdout)}
    assert figures.keys() == {"cold", "warm"}
    assert min(figures.values()) > 0
    assert "RELEASES DIFFER" not in done.stdout
    assert "0.00 s together" in done.stdout  # so small a job compiles nothing

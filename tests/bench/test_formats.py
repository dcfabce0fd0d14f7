"""bench/formats.py on little data: both readings of a kind give the whole table, and the ratios are printed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT
from tests.profiles import NIGHTLY

pytestmark = pytest.mark.bench
KINDS = ["csv", "xlsx"] if not NIGHTLY else ["csv", "csv.gz", "jsonl", "xlsx", "sqlite", "sav"]
"""One of each way to read; all kinds are read in the tests of formats."""


def test_kinds_are_read_beside_their_library() -> None:
    for name in ("fastexcel", "pyreadstat"):
        pytest.importorskip(name, reason=f"the benchmark of formats needs {name}")
    command = [sys.executable, str(ROOT / "bench" / "formats.py"), "--rows", "500", "--repeat", "1", "--kind", *KINDS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["kind"] for line in lines] == KINDS
    assert all(line["time"] > 0 and line["memory"] > 0 for line in lines)

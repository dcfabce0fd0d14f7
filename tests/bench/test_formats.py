"""bench/formats.py on little data: both readings of every kind give the whole table, and the ratios are printed."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.bench
KINDS = [
    "csv",
    "csv.gz",
    "csv.bz2",
    "csv.xz",
    "csv.zip",
    "parquet",
    "jsonl",
    "feather",
    "xlsx",
    "sqlite",
    "sav",
    "dta",
    "xpt",
]


def test_every_kind_is_read_beside_its_library() -> None:
    for name in ("fastexcel", "pyreadstat"):
        pytest.importorskip(name, reason=f"the benchmark of formats needs {name}")
    command = [sys.executable, str(ROOT / "bench" / "formats.py"), "--rows", "500", "--repeat", "1", "--kind", *KINDS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["kind"] for line in lines] == KINDS
    assert all(line["time"] > 0 and line["memory"] > 0 for line in lines)

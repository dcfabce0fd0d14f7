"""Tests are collected, and skipped where they must be, with what `make setup` installs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.process

WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyspark", "py4j", "grpc", "grpc_status", "zstandard"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""


@pytest.mark.process
def test_everything_is_collected_without_spark(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    places = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"],
        cwd=ROOT, env={**os.environ, "PYTHONPATH": os.pathsep.join(places)}, capture_output=True, text=True,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-2000:]
    assert "test_spark.py" in found.stdout

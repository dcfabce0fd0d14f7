"""Tests are collected, and skipped where they must be, with what `make setup` installs; none is left out by mistake."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.not_again import READ, WRITTEN
from tests.profiles import in_short

WITHOUT = """
import sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("pyspark", "py4j", "grpc", "grpc_status", "zstandard"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""


def as_ever() -> dict[str, str]:
    """The environment, without what `.ci/run` says about tests that are not run again."""
    return {name: value for name, value in os.environ.items() if name not in (WRITTEN, READ)}


@pytest.mark.nightly  # the first half of .ci/run shows it
@pytest.mark.process
def test_everything_is_collected_without_spark(tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(WITHOUT)
    places = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    options = "-q -p no:cacheprovider -p no:xdist -o addopts=--strict-markers"  # no doctests: those need nothing more
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", *options.split()],
        cwd=ROOT, env={**as_ever(), "PYTHONPATH": os.pathsep.join(places)}, capture_output=True, text=True,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout[-2000:]
    assert "test_spark.py" in found.stdout


THREE = """
import pytest

@pytest.mark.parametrize("which", ["one", "two@spark"])
def test_passes(which):
    pass

def test_is_skipped():
    pytest.skip("something is absent")

def test_fails_in_the_end(request):
    request.addfinalizer(lambda: 1 / 0)
"""


@pytest.mark.process
@pytest.mark.parametrize("processes", in_short([["-n", "2", "--dist", "loadgroup"], []]))
def test_only_what_passed_is_not_run_again(processes: list[str], tmp_path: Path) -> None:
    """What was skipped where a part is absent is run where it is not."""
    (tmp_path / "test_three.py").write_text(THREE)
    (tmp_path / "conftest.py").write_text("from tests.conftest import pytest_configure\n")
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *processes, "test_three.py"]
    environment = {**as_ever(), "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])}
    said = []
    for name in (WRITTEN, READ):
        changed = {**environment, name: str(tmp_path / "passed")}
        said.append(subprocess.run(words, cwd=tmp_path, env=changed, capture_output=True, text=True, check=False))
    named = sorted((tmp_path / "passed").read_text().splitlines())
    assert named == ["test_three.py::test_passes[one]", "test_three.py::test_passes[two@spark]"], said[0].stdout
    assert "3 passed, 1 skipped, 1 error" in said[0].stdout
    assert "1 passed, 1 skipped" in said[1].stdout

"""The folder of benches: each says what it is, and the index has them all."""

from __future__ import annotations

import re
import runpy
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))

BENCHES = sorted((ROOT / "bench").glob("*.py"))
INDEX = (ROOT / "bench" / "README.md").read_text(encoding="utf-8")


@pytest.mark.bench
@pytest.mark.parametrize("path", BENCHES, ids=lambda path: path.name)
def test_every_bench_says_what_it_is(
    path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In this process, so that what they import is loaded once."""
    monkeypatch.setattr(sys, "argv", [str(path), "--help"])
    try:
        runpy.run_path(str(path), run_name="__main__")
    except SystemExit as end:
        assert end.code in (0, None)
    printed = capsys.readouterr()
    assert len(printed.out.strip()) > 40
    assert printed.err == ""


def test_the_index_has_every_bench_and_no_other() -> None:
    assert {path.name for path in BENCHES} == {*re.findall(r"`([a-z0-9_]+\.py)`", INDEX)}

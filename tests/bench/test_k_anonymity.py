"""The benchmarks of k-anonymity count what they say they count."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import discreet as d
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))

from k_anonymity import GOLDEN, SIZES, Published, Settings, adult, beside, misjudged, policy
from reuse import Bench, again, error, moved, numbers, parts

pytestmark = pytest.mark.bench


def test_folds_share_out_the_rows() -> None:
    seen = []
    for train, test in parts(103, 10):
        assert len(test) in (10, 11)
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(103))
        seen += test.tolist()
    assert sorted(seen) == list(range(103))


def test_errors_are_shares_of_all_rows() -> None:
    """A column that tells everything, and one that tells nothing."""
    table = pl.DataFrame({"x": ["a", "b"] * 50, "income": ["1", "2"] * 50})
    assert error(table, "C4.5", 10) == 0
    assert error(table.with_columns(x=pl.lit("a"), income=pl.Series(["1"] * 80 + ["2"] * 20)), "C4.5", 10) == 20


def test_cuts_of_numbers_begin_at_the_same_numbers() -> None:
    before, now = np.array([1, 3, 5, 7]), np.array([0, 2, 4, 5, 8, 9])
    assert again(np.array([0, 0, 2, 2]), before, now).tolist() == [0, 0, 0, 3, 3, 3]
    assert again(np.array([0, 1, 1, 3]), before, now).tolist() == [0, 0, 2, 2, 4, 4]
    assert numbers(pl.Series(["10", "9", "10"])).tolist() == [9, 10]


def test_the_best_known_stand_beside() -> None:
    assert beside(0.5, "CM", "genetic", 500).split() == ["0.18613", "+0.31387"]
    assert not beside(0.5, "CM", "genetic", 7).strip()
    assert len(SIZES) == 9


def test_both_measures_are_those_of_the_release(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where k rows or more are suppressed, our own rule and the published one are the same (and so is the best cut)."""
    monkeypatch.setenv("DISCREET_DATA", str(data_dir))
    golden = json.loads(GOLDEN.read_text())
    table = adult(golden["columns"])
    assert len(table) == 30_162
    published = Published(table, golden, 100)
    found = published.best("coordinate", "LM", Settings())[0]
    release = d.protect(table, policy(golden, 100, "LM"), seed=0)
    assert release.audit.suppressed == found.gone >= 100
    assert 1 - (release.audit.detail or 0) == pytest.approx(found.lm, abs=1e-3)  # ends without rows are not told
    assert misjudged(release, golden) == pytest.approx(found.cm)
    used = moved(found, Bench(golden, table, table, "coordinate", Settings()), published)
    assert (used.lm, used.cm, used.gone) == (found.lm, found.cm, found.gone)

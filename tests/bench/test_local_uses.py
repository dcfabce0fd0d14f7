"""bench/local_uses.py: what groups tell of hours is counted as the audit counts it."""

from __future__ import annotations

import sys

import polars as pl
import pytest

import discreet as d
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))

from local_uses import HOURS, spread, unexplained

pytestmark = pytest.mark.bench

SEEN = pl.DataFrame({"a": ["x", "x", "y", "y", "*"], HOURS: ["0", "10", "20", "20", "50"]})  # the mean of all is 20


def test_rows_are_measured_from_the_mean_of_their_group_and_suppressed_ones_from_that_of_all() -> None:
    found, groups = spread(SEEN, ["a"])
    assert found == pytest.approx((25 + 25 + 900) / (400 + 100 + 900))
    assert groups == 2


def test_rows_that_were_not_seen_are_measured_from_the_means_of_those_that_were() -> None:
    behind = pl.DataFrame({"a": ["x", "z", "*"], HOURS: ["15", "30", "30"]})  # their own mean is 25
    found = unexplained(pl.concat([SEEN, behind]), len(SEEN), ["a"])
    assert found == pytest.approx((100 + 100 + 100) / (100 + 25 + 25))


def test_the_audit_counts_the_same() -> None:
    table = pl.DataFrame({"a": [str(n % 13) for n in range(90)], HOURS: [str(n * n % 37) for n in range(90)]})
    rules = d.Policy(
        use=d.Regress(HOURS), protect=[d.KAnonymity(k=4, over=["a"])], columns={"a": d.Column(type="number")},
        recoding="local",
    )  # fmt: skip
    release = d.protect(table, rules)
    assert isinstance(release.table, pl.DataFrame)
    (told,) = release.audit.usefulness.targets
    assert told.measure == "RM"
    assert told.released == pytest.approx(spread(release.table, ["a"])[0])

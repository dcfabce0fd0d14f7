"""The bench of wide tables makes the tables that it says it makes, and tells what is refused."""

from __future__ import annotations

import sys

import pytest

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))

from wide import job, line, names, policy, table

pytestmark = pytest.mark.bench


def test_tables_are_as_wide_as_they_should_be() -> None:
    made = table(9, 50)
    assert made.columns == [*names(9), "class", "secret"]
    assert made.equals(table(9, 50))
    assert policy(9, 5, "any-2").promises is not None


@pytest.mark.parametrize("way", ["coordinate", "disclosure", "local", "any-2"])
def test_every_way_makes_a_release(way: str) -> None:
    found = job(6, 120, 3, way, limit=2)
    assert 0 <= found["detail"] <= 1
    assert "refused" not in line(6, way, found)


def test_too_many_sets_are_refused_beforehand() -> None:
    found = job(60, 50, 3, "any-4")
    assert "any: 4 of 60 columns are 487,635 sets, more than 5,000" in found["refused"]
    assert "refused" in line(60, "any-4", found)

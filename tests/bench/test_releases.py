"""The benchmark of several releases: three years of made-up people, with and without a ledger."""

from __future__ import annotations

import sys

import polars as pl
import pytest

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))

from releases import KNOWN, SECRET, large, run, timed, yearly

pytestmark = pytest.mark.bench


def people(number: int) -> pl.DataFrame:
    """Return made-up people with the columns of the benchmark."""
    values = {"age": ["22", "37", "58"], "workclass": ["a", "b"], "sex": ["f", "m"], "race": ["x", "y"]}
    columns = {name: [some[who * (3 + place) // 7 % len(some)] for who in range(number)]
               for place, (name, some) in enumerate(values.items())}  # fmt: skip
    assert list(columns) == KNOWN
    secret = [">50K" if who % 4 == 0 else "<=50K" for who in range(number)]
    return pl.DataFrame({**columns, SECRET: secret, "id": [f"p{who}" for who in range(number)]})


def test_years_have_new_gone_and_changed_people() -> None:
    first, second, third = yearly(people(600), 1)
    assert [first.height, second.height, third.height] == [500, 525, 549]
    new = second.join(first, on="id", how="anti")
    assert new.height == 50
    assert first.join(second, on="id", how="anti").height == 25
    both = first.join(second, on="id")
    changed = both.filter((pl.col("age") != pl.col("age_right")) | (pl.col("workclass") != pl.col("workclass_right")))
    assert 0 < changed.height <= 52


@pytest.mark.parametrize("leavers", ["remove", "warn"])
def test_nobody_who_stays_is_below_k_with_a_ledger(leavers: str) -> None:
    tables = yearly(people(300), 1)
    without = list(run(tables, 4, None, None, 1))
    kept = list(run(tables, 4, leavers, None, 1))
    assert without[-1].stay > 0
    assert [year.stay for year in kept] == [0, 0, 0]
    assert (kept[-1].joint.broken == 0) == (leavers == "remove")
    assert str(kept[-1]).startswith(f"2025 leavers: {leavers}")


def test_times_are_printed_beside_those_without(capsys: pytest.CaptureFixture[str]) -> None:
    assert large(200, 1, 0).drop("town").equals(large(200, 1, 2).drop("town"))
    timed(400, 2, None, 1)
    assert "release 2: 400 persons" in capsys.readouterr().out

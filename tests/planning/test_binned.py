"""Numbers and dates that only guesses of confidential cells know are released by the intervals between their ends."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.plan.plan import Plan
from tests.table.engines import ALL, outcome

ENDS = [20, 40, 65, 200]
LABELS = ["<20", "[20-39]", "[40-64]", "[65-199]", ">=200"]
RULES: dict[str, Any] = {"rules": {"min_confidence": "50%"}}


def people(rows: int = 80) -> pl.DataFrame:
    """Illness depends on age and town."""
    draw = Random(3)
    ages = [draw.choice([18, 25, 31, 38, 44, 52, 63, 70, 81]) for _ in range(rows)]
    towns = [draw.choice("xyz") for _ in range(rows)]
    ill = ["flu" if draw.random() < 0.3 else ["cold", "ulcer", "gout"][age * 3 // 90] for age in ages]
    return pl.DataFrame({"age": [str(age) for age in ages], "town": towns, "ill": ill})


def label(age: str) -> str:
    return LABELS[sum(int(age) >= end for end in ENDS)]


def policy(against: Any = "naive_bayes", *, binned: bool = True, **more: Any) -> d.Policy:
    said: dict[str, Any] = {"column": "ill", "rows": [1, 2, 3, 5], "on_failure": "remove", "against": [against]}
    cells = d.Confidential(predictors=["age", "town"], **said | more)
    columns: dict[str, Any] = {"age": {"type": "number", "ends": ENDS}} if binned else {}
    return d.Policy(protect=[cells], columns=columns)


@pytest.mark.parametrize("knows", ["original", "released"])
@pytest.mark.parametrize("against", ["naive_bayes", "id3", RULES])
def test_it_is_as_if_the_intervals_were_the_values(against: Any, knows: str) -> None:
    """The release is the one of a table that had the intervals in place of the numbers."""
    table = people()
    release = d.protect(table, policy(against, knows=knows), seed=1)
    same = table.with_columns(age=pl.Series([label(age) for age in table["age"]]))
    wanted = d.protect(same, policy(against, binned=False, knows=knows), seed=1)
    out: Any = release.table
    assert out.equals(wanted.table)
    assert set(out["age"]) <= {*LABELS, "*"}
    assert d.verify(out, policy(against, knows=knows), original=table).holds
    assert release.audit.cells == wanted.audit.cells


def test_another_interval_is_not_true() -> None:
    table = people()
    out: Any = d.protect(table, policy(), seed=1).table
    wrong = out.with_columns(age=pl.lit(">=200"))
    assert not d.verify(wrong, policy(), original=table).holds


def test_plan_and_recodings() -> None:
    table = people()
    release = d.protect(table, policy(), seed=1)
    (recoding,) = release.plan.recodings
    assert (recoding.column, list(recoding.released)) == ("age", LABELS)
    assert Plan.from_json(release.plan.to_json()).recodings == release.plan.recodings


@pytest.mark.parametrize(
    ("said", "released"),
    [
        ({"type": "date", "ends": ["2024-02-01", "2025-01-01"]}, {"<2024-02-01", "[2024-02-01 to 2024-12-31]"}),
        ({"type": "date", "ends": ["2024-02-01"], "labels": ["old", "new"]}, {"old", "new"}),
        ({"type": "date", "ends": ["2024-02-01"], "form": "median"}, {"2024-01-25", "2024-02-22"}),
    ],
)
def test_dates_labels_and_medians(said: dict[str, Any], released: set[str]) -> None:
    days = [f"2024-0{n % 2 + 1}-{n % 28 + 1:02} 12:30" for n in range(80)]
    table = people().with_columns(age=pl.Series(days))
    rules = policy(rows=[1, 3, 5], on_failure="fail").model_copy(update={"columns": {"age": d.Column(**said)}})
    release = d.protect(table, rules, seed=1)
    out: Any = release.table
    told = set(out["age"]) - {"*"}
    assert len(told) == len(released)
    if said.get("form") != "median":
        assert told == released
    assert d.verify(out, rules, original=table, intervals=release.intervals or None).holds


def test_what_is_no_number_is_told() -> None:
    table = people().with_columns(age=pl.lit("old"))
    with pytest.raises(d.PolicyError, match="columns.age.type: 1 of the 1 different values of the column is no number"):
        d.protect(table, policy())


@pytest.mark.parametrize("recoding", ["global", "local"])
def test_beside_a_group_requirement(recoding: str) -> None:
    """The town is recoded by a search (or by groups of rows), the age by its ends."""
    table = people()
    crowd = d.KAnonymity(k=5, over=["town"])
    rules = d.Policy(protect=[crowd, *policy().protect], columns=policy().columns, recoding=recoding)  # type: ignore[arg-type]
    release = d.protect(table, rules, seed=1)
    out: Any = release.table
    assert set(out["age"]) <= {*LABELS, "*"}
    assert d.verify(out, rules, original=table).holds
    again = Plan.from_json(release.plan.to_json())
    assert again.recodings == release.plan.recodings
    audit = d.audit_release(out, rules, original=table)
    assert audit.verification.holds


@pytest.mark.parametrize("engine", ALL)
def test_every_engine(engine: str, tmp_path: Path) -> None:
    table = people(40).with_row_index("id")
    table.write_parquet(tmp_path / "t.parquet")
    wanted = outcome(tmp_path / "t.parquet", policy(), "local")
    found = outcome(tmp_path / "t.parquet", policy(), engine, key="id")
    assert wanted.refusal is None
    assert found.rows == (wanted.in_any_order() if engine == "spark" else wanted).rows

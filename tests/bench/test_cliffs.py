"""bench/cliffs.py: its made tables are what it says, and its lines tell what was measured."""

from __future__ import annotations

import sys

import polars as pl
import pytest

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))

from cliffs import (
    CLASSES,
    DISCLOSED,
    LOCAL_CLASSES,
    LOCAL_TEMPLATE,
    LOCAL_WIDE,
    NOISE,
    NUMBERS,
    PLAIN,
    cases,
    classes,
    line,
    misjudged,
    noise,
    numbers,
    plain,
    protected,
    wide,
)

pytestmark = pytest.mark.bench


def test_tables_are_as_wide_as_they_should_be() -> None:
    made = numbers(500)
    assert made["pay"].n_unique() == 500
    assert made.equals(numbers(500))
    assert plain(600)["town"].n_unique() == 140
    assert wide(500).drop("secret").is_unique().sum() > 490
    assert noise(500).drop("class", "secret").equals(made)
    assert classes(3_000, 10)["class"].n_unique() == 10
    assert classes(3_000, 5_000)["class"].n_unique() > 1_000


@pytest.mark.parametrize(
    ("table", "rules"),
    [
        (numbers(60), NUMBERS),
        (plain(60), PLAIN),
        (classes(60, 5), CLASSES),
        (classes(60, 5), DISCLOSED),
        (noise(60), NOISE),
        (classes(60, 5).drop("class"), LOCAL_TEMPLATE),
        (classes(60, 5), LOCAL_CLASSES),
        (wide(60), LOCAL_WIDE),
    ],
    ids=["numbers", "plain", "classes", "disclosed", "noise", "local-template", "local-classes", "local-wide"],
)
def test_made_tables_are_released(table: object, rules: dict[str, object]) -> None:
    answer = protected(table, rules, 0.5)  # type: ignore[arg-type]
    assert answer.words.startswith("detail 0.")
    assert len(answer.stamp) == 64
    assert ("misjudged" in answer.words) == ("use" in rules)


def test_misjudged_rows_are_those_of_no_majority() -> None:
    made = classes(40, 3)
    assert misjudged(made.rename({"class": "own"}).with_columns(pl.col("own").alias("class")), ["own"], "class") == 0
    most = made["class"].value_counts()["count"].max()
    assert isinstance(most, int)
    assert misjudged(made.with_columns(pl.lit("1").alias("age")), ["age"], "class") == 1 - most / 40


def test_a_line_has_medians_beside_the_goal() -> None:
    runs = [{"cpu": cpu, "wall": 2.0, "peak": 100.0, "words": "detail 0.5"} for cpu in (1.0, 4.0, 9.0)]
    said = line("numbers", "now", runs)
    assert said.split()[:5] == ["numbers", "now", "4.0", "2.0", "100"]
    assert said.endswith(f"{cases()['numbers'].goal}; detail 0.5")

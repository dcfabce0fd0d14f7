"""The parts of bench/evaluation.py: its learner, its baseline, its counts, and its end when there are no data."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from tests.conftest import ROOT
from tests.jobs import bank, bank_policy

sys.path.insert(0, str(ROOT / "bench"))

from bottom_up import Search, bottom_up
from c45 import Tree, expected_errors
from claims import verdict
from learners import encode, ranked
from paper_data import BENCHMARKS, inferences_above

pytestmark = pytest.mark.bench

WEATHER = """sunny hot high no no; sunny hot high yes no; overcast hot high no yes; rainy mild high no yes;
rainy cool normal no yes; rainy cool normal yes no; overcast cool normal yes yes; sunny mild high no no;
sunny cool normal no yes; rainy mild normal no yes; sunny mild normal yes yes; overcast mild high yes yes;
overcast hot normal no yes; rainy mild high yes no"""


def weather() -> pl.DataFrame:
    lines = [line.split() for line in WEATHER.split(";")]
    return pl.DataFrame(lines, schema=["outlook", "temperature", "humidity", "windy", "play"], orient="row")


def test_c45_grows_the_textbook_tree() -> None:
    """Quinlan's weather table: outlook, below sunny humidity, below rainy windy; all 14 rows right."""
    data = encode(weather(), "play")
    tree = Tree(data.codes, data.classes, data.sizes)
    overcast, rainy, sunny = tree.root.branches
    assert (tree.root.column, sunny.column, rainy.column, overcast.branches) == (0, 2, 3, [])
    assert (tree.predict(data.codes) == data.classes).all()
    assert ranked(weather(), "play", 1) == ["outlook"]


def test_c45_makes_a_leaf_of_columns_that_do_not_help() -> None:
    rng = np.random.default_rng(1)
    codes, classes = rng.integers(0, 4, (200, 3)), (rng.random(200) < 0.2).astype(np.intp)
    assert Tree(codes, classes, np.array([4, 4, 4])).root.branches == []


@pytest.mark.parametrize(("rows", "wrong", "limit"), [(6, 0, 0.206), (9, 0, 0.143), (1, 0, 0.750), (16, 1, 0.157)])
def test_the_pessimistic_error_is_quinlans(rows: int, wrong: int, limit: float) -> None:
    """The worked values of his book; its binomial limit is approximated where something is wrong."""
    assert expected_errors(rows, wrong) / rows == pytest.approx(limit, abs=0.0006 if wrong == 0 else 0.005)


def test_bottom_up_keeps_the_promise_of_the_bank() -> None:
    release = bottom_up(bank(), ["Job", "Country"], [("Bankruptcy", "Discharged")], "Rating", 75)
    assert d.verify(release, bank_policy(), original=bank()).holds
    assert bottom_up(bank(), ["Job", "Country"], [("Bankruptcy", "Discharged")], "Rating", 100).equals(bank())
    with pytest.raises(ValueError, match="hiding everything"):
        bottom_up(bank(), ["Job", "Country"], [("Bankruptcy", "Discharged")], "Rating", 5)


@given(st.integers(0, 2**32), st.integers(1, 99))
def test_bottom_up_foresees_what_each_candidate_removes(seed: int, threshold: int) -> None:
    """In every state met on the way, for every candidate."""
    rng = np.random.default_rng(seed)
    codes, hits, classes = rng.integers(0, 4, (30, 3)), rng.integers(0, 2, (30, 2)), rng.integers(0, 2, 30)
    chosen: list[tuple[int, list[int]]] = []

    def state(more: list[tuple[int, list[int]]]) -> Search:
        search = Search(codes, hits, classes, threshold)
        for column, values in more:
            search.hide(column, values)
        return search

    for _ in range(4):
        now = state(chosen)
        candidates = now.candidates()
        if not len(candidates.column):
            break
        for place, removed in enumerate(candidates.removed):
            values = [int(v) for v in (candidates.first[place], candidates.second[place]) if v >= 0]
            after = state([*chosen, (int(candidates.column[place]), values)])
            assert now.violations().sum() - after.violations().sum() == removed >= 0
        best = candidates.best()
        values = [int(v) for v in (candidates.first[best], candidates.second[best]) if v >= 0]
        chosen.append((int(candidates.column[best]), values))


@pytest.mark.parametrize("name", ["crx", "german", "adult"])
def test_the_numbers_of_inferences_are_the_papers(name: str, data_dir: Path) -> None:
    """Those of Adult belong to other columns than the text names; the counts for the text's are known too."""
    benchmark = BENCHMARKS[name]()
    for reading, (known, sensitive, printed) in benchmark.inferences.items():
        expected = (1992, 1238, 640, 537, 494) if "as the text" in reading else printed
        assert inferences_above(benchmark.table, known, sensitive) == expected


def test_verdicts() -> None:
    assert [verdict(15.43, 15.4), verdict(15.9, 15.4), verdict(15.91, 15.4)] == ["same", "near", "differs"]
    assert [verdict(0.216, 0.22), verdict(36.4, 36)] == ["same", "same"]


def test_the_evaluation_says_why_it_cannot_run(tmp_path: Path) -> None:
    script = ROOT / "bench" / "evaluation.py"
    result = subprocess.run(
        [sys.executable, str(script), "--quick"],
        env={"DISCREET_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stderr.startswith("skipped: no crx-split/crx.data")
    assert result.stdout == ""

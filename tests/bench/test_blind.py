"""The parts of bench/blind.py: recipes, one draw of each way on little data, its marks, and its end without data."""

from __future__ import annotations

import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))

import blind_data
from blind import LEARNERS, WAYS, Judged, Way, looked, looking_line, one_draw, tail, way_line
from blind_data import BlindData, guess, naive_bayes

pytestmark = pytest.mark.bench


def small(rows: int = 90) -> BlindData:
    """Two columns that tell the last one, and one that does not."""
    rng = np.random.default_rng(4)
    last = rng.integers(0, 3, rows)
    first, second = (np.where(rng.random(rows) < 0.3, rng.integers(0, 3, rows), last) for _ in range(2))
    columns = [[f"{'uvw'[place]}" for place in column] for column in (first, second, rng.integers(0, 2, rows), last)]
    return BlindData("small", "Small", ("a", "b", "c", "d"), tuple(zip(*columns, strict=True)), (0, 1, 3))


def test_cells_are_drawn_one_to_a_row_and_known() -> None:
    data = small()
    cells = data.cells(20, 1)
    assert cells == data.cells(20, 1) != data.cells(20, 2)
    assert len({row for row, _ in cells}) == 20
    assert {column for _, column in cells} <= set(data.sensitive)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.name)
def test_a_draw_is_guessed_by_all_learners(way: Way, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("blind.guess", bayes_only)
    judged = one_draw(small(), way, 12, 1)
    assert set(judged.right) == set(LEARNERS)
    assert all(len(kept[name]) == 12 for kept in (judged.right, judged.sure, judged.limit) for name in LEARNERS)
    expected = {"hide only": {0}, "row left out": {3}}.get(way.name, {0, 1, 2, 3})
    assert set(judged.hidden) <= expected
    if way.name == "row left out":
        assert all(judged.bare)
    line = way_line(way, judged, 12)
    assert line[0] == way.name
    assert (line[7] == "held") == way.blind or line[7]


def bayes_only(_name: str, *said: np.ndarray) -> np.ndarray:
    """Guess by naive Bayes, whoever is asked: little time is spent."""
    return naive_bayes(*said)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["Bayes", "tree", "logistic", "forest", "nearest", "boosting"])
def test_learners_give_probabilities(name: str) -> None:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 3, (60, 2))
    likely = guess(name, rows, np.array([3, 3]), rows[:, 0], 4, rows[:9])
    assert likely.shape == (9, 4)
    assert likely.sum(axis=1) == pytest.approx(1)
    assert (likely.argmax(axis=1) == rows[:9, 0]).mean() > 0.8 or name == "boosting"


def test_marks_ask_for_more_than_chance_explains() -> None:
    judged = Judged()
    for place in range(50):
        judged.add("lucky", float(place % 2 == 0), 0.1, 0.5)
        judged.add("sure of some", float(place < 10), 0.9 if place < 10 else 0.1, 0.5)
    assert judged.passing(surest=False) == []
    assert judged.passing(surest=True) == ["sure of some"]
    assert judged.best(surest=True) == ("sure of some", 1.0, 0.5)
    assert judged.surest("sure of some").tolist() == list(range(10))
    assert tail(10, 10, 0.5) == pytest.approx(0.5**10)
    assert tail(0, 10, 0.5) == 1


def test_methods_that_look_are_read_by_who_knows_them() -> None:
    found = looked(small(60), "DROPP", 6, 1)
    assert {len(figures) for figures in found.values()} == {6}
    assert looking_line("DROPP", found)[0] == "DROPP"


def test_limits_are_of_each_value() -> None:
    limits = WAYS[1].limits([Fraction(96, 100), Fraction(4, 100), Fraction(1, 2)])
    assert limits.tolist() == [0.98, 0.5, 0.55]


def test_the_recipe_of_adult(data_dir: Path) -> None:
    data = blind_data.adult()
    assert (len(data.rows), len(data.names), data.sensitive) == (2_600, 11, (1, 2, 3, 4, 5))
    assert {row[9] for row in data.rows} == {"United-States", "Mexico", "other"}
    assert max(int(row[8]) for row in data.rows) == 6


def test_without_data_it_ends_in_words(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "bench" / "blind.py"), "--data", "wbc"]
    environment = {**os.environ, "DISCREET_DATA": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert "no breast-cancer-wisconsin.data" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr

"""The parts of bench/attacks.py: one trial of each method, its figures, and its end when there are no data."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.bench.test_cells import small
from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))

from attacks import line, one_trial, percent
from cells_trials import Bench

pytestmark = pytest.mark.bench

METHODS = ("DECP", "INCP", "DROPP", "HID3")


@pytest.mark.parametrize("method", [*METHODS, *(f"{method}-G" for method in METHODS)])
def test_trials_leave_the_table_fresh_and_who_knows_the_method_guesses_more(method: str) -> None:
    data = small()
    bench = Bench(data, general=method.endswith("-G"))
    before = bench.table.frame.codes.copy()
    cells = data.cells(12, np.random.default_rng(1))
    trials = [one_trial(bench, method, *cell, chance) for cell, chance in zip(cells, bench.chances(12, 1), strict=True)]
    assert (bench.table.frame.codes == before).all()
    kept = [trial for trial in trials if not trial.blank]
    assert sum(trial.aware for trial in kept) >= sum(trial.plain for trial in kept)
    if method == "DECP":
        assert all(trial.aware == 1 for trial in trials if trial.changed)
    figures = line(method, trials)
    assert figures[0] == method
    assert figures[4] == str(sum(trial.changed for trial in trials))


def test_figures_have_intervals() -> None:
    assert percent([1.0, 0.0]) == "50.0 (9-91)"
    assert percent([]) == "-"


def test_without_data_it_ends_in_words(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "bench" / "attacks.py"), "--data", "wbc"]
    environment = {**os.environ, "DISCREET_DATA": str(tmp_path)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert "no breast-cancer-wisconsin.data" in done.stdout + done.stderr
    assert "Traceback" not in done.stderr

"""The parts of bench/cells.py: fresh tables, what is counted, its claims, and its end when there are no data."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))

from cells import said, saved
from cells_data import SUCCESS, TIMES, Data, car, wbc
from cells_speed import policy
from cells_trees import WAYS, tree_run
from cells_trials import CLASSIFIERS, Bench, Many, Tally, as_seen, numbered, same_rows, same_value
from discreet.measure.cells import CellMeasures
from discreet.method.cells.trees import from_nested

pytestmark = pytest.mark.bench

VALUES = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10")


def small(rows: int = 60) -> Data:
    """Two columns of ten values in groups, one of two values that tells much of the first."""
    rng = np.random.default_rng(4)
    first, second = rng.integers(0, 10, (2, rows))
    texts = [[VALUES[place] for place in column] for column in (first, (first + second // 5) % 10)]
    groups = (VALUES[:3], VALUES[3:6], VALUES[6:])
    columns = (*map(tuple, texts), tuple("ab"[place // 5] for place in first))
    return Data("small", "Small", columns, (VALUES, VALUES, ("a", "b")), (groups, groups, ()))


@pytest.mark.parametrize("general", [False, True])
@pytest.mark.parametrize("method", ["DECP", "INCP", "DROPP", "HID3", "HID3+DECP", "hide"])
def test_a_trial_holds_and_leaves_the_table_fresh(method: str, general: bool) -> None:
    bench = Bench(small(), general=general)
    before = bench.table.frame.codes.copy()
    counts = bench.table.frame.up.copy()
    name = "+".join(f"{part}-G" for part in method.split("+")) if general else method
    held = 0
    for (row, column), chance in zip(small().cells(30, np.random.default_rng(1)), bench.chances(30, 1), strict=True):
        with bench.fresh() as table:
            if bench.protect(name, row, column, chance):
                assert table.node(column, row) != bench.actual(row, column)
                if method in ("DECP", "INCP", "DROPP", "HID3+DECP"):
                    assert not bench.guessed_by_bayes(row, column)
                if method.startswith("HID3"):
                    assert not bench.guessed_by_tree(row, column)
                held += 1
        assert (bench.table.frame.codes == before).all()
        assert (bench.table.frame.up == counts).all()
    assert held


def test_measures_of_a_table_as_it_was_and_with_a_row_deleted() -> None:
    bench = Bench(small(), general=True)
    found = bench.measures()
    assert (found.dd, found.skld, found.acmi, found.sce >= 0) == (0, 0.0, 1.0, True)
    bench.delete(3)
    assert bench.measures().dd == 3


def test_cells_are_those_that_are_asked_for() -> None:
    data = small()
    rng = np.random.default_rng(2)
    assert data.confidential == (0, 1)
    assert {column for _, column in data.cells(50, rng)} == {0, 1}
    assert sorted(row for row, _ in data.one_of_each_row(rng)) == list(range(60))
    alike = same_value(data, 5, rng)
    assert len({(data.columns[column][row], column) for row, column in alike}) == 1
    assert len(set(alike)) == 5
    assert len({row for row, _ in same_rows(data, 10, rng)}) == 5  # two columns: two cells of each row


def test_a_deleted_row_is_a_failure_unless_said() -> None:
    tally = Tally(cells=10, deleted=4, changed=50)
    tally.guessed["ID3"] = 1
    assert tally.success("ID3") == 50.0
    assert tally.success("ID3", deleted=True) == 90.0
    assert tally.average == 5.0


def test_numbers_for_a_learner() -> None:
    tree = as_seen(from_nested({"A": {"a": {}, "b": {}}, "c": {}}))
    assert tree.domain == ("a", "b", "c")
    assert numbered(tree, "integer")[:, 0].tolist() == [0, 1.5, 1, 2, 3]
    assert numbered(tree, "one-hot").tolist()[:2] == [[0, 0, 0], [0.5, 0.5, 0]]


def test_what_the_thesis_says_is_held_against_the_figures() -> None:
    base = CellMeasures(1, 1.0, 1.0, 0, 0.0, 1.0, 3, 3, 3)
    last = {
        method: [replace(base, dd=size, skld=float(size), acmi=float(size), sce=float(size))]
        for size, method in enumerate(["HID3", "DROPP", "INCP", "DECP"])
    }
    assert [line[-1] for line in said(last, list(last))] == ["holds"] * 4
    last["HID3"] = [replace(base, dd=9)]
    assert said(last, list(last))[0][1:] == ["DROPP < INCP < DECP < HID3", "differs"]


def test_what_is_saved() -> None:
    pairs = [(Many(100, 2, 1), Many(40, 0, 0)), (Many(300, 4, 0), Many(60, 1, 3))]
    assert saved(pairs, 10) == ["10", "200", "50", "75", "3.0", "0.5", "0.5", "1.5"]


def test_the_printed_tables_are_whole() -> None:
    for name in TIMES:
        assert TIMES[name].keys() == SUCCESS[name].keys()
        assert {len(figures) for figures in SUCCESS[name].values()} == {len(CLASSIFIERS) - 1}


def test_jobs_name_the_adversary_of_their_method() -> None:
    for method, name in (("hid3", "id3"), ("dropp", "naive_bayes")):
        (requirement,) = policy(method, [1]).protect
        assert name in str(requirement)


def test_the_data_are_the_thesiss(data_dir: Path) -> None:
    """Table 5.1: instances, attributes, unknowns."""
    assert data_dir.is_dir()
    for data, shape in ((wbc(), (699, 10, 16)), (car(), (1728, 7, 0))):
        unknown = sum(value is None for column in data.columns for value in column)
        assert (data.rows, len(data.columns), unknown) == shape


def test_it_says_why_it_cannot_run(tmp_path: Path) -> None:
    result = subprocess.run(
        [sys.executable, str(ROOT / "bench" / "cells.py")],
        env={**os.environ, "DISCREET_DATA": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 1
    assert result.stderr.startswith("skipped: no breast-cancer-wisconsin.data")
    assert result.stdout == ""


@pytest.mark.parametrize("tree", ["decision_tree", "c45"])
def test_hid3_beside_greedy_on_other_trees(tree: str) -> None:
    pytest.importorskip("sklearn")
    found = {way: tree_run(small(), tree, way, 12, 1) for way in WAYS}
    assert {tally.cells for tally in found.values()} == {12}
    for way in ("HID3", "greedy", "HID3-G"):  # what is not given up holds
        assert found[way].held + found[way].given_up == 12
    assert found["hide"].held == 12 - found["hide"].needed
    assert found["HID3"].given_up <= found["greedy"].given_up

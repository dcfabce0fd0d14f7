"""The least CM that the benchmark proves is that of all cuts, tried one by one."""

from __future__ import annotations

import json
import sys
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT

sys.path.insert(0, str(ROOT / "bench"))

from k_anonymity import GOLDEN, adult
from least import Facts, Ints, Least, Tree
from tests.profiles import FEW

pytestmark = pytest.mark.bench

DEEP = ["Any", [["Left", ["a", "b"]], ["Right", ["c", "d", "e"]], "f"]]
FLAT = ["Any", ["x", "y", "z"]]


def intervals(codes: Ints) -> list[Ints]:
    """Return the interval of each row, for every way to cut the numbers."""
    places = range(1, int(codes.max()) + 1)
    cuts = (cut for size in range(len(places) + 1) for cut in combinations(places, size))
    return [np.searchsorted(np.array(cut, dtype=np.int64), codes, side="right") for cut in cuts]


def right(facts: Facts, k: int) -> int:
    """Return the most rows that a cut judges right: every cut is tried."""
    parts = [[tree.inside[cut].argmax(axis=0)[tree.codes] for cut in tree.cuts()] for tree in facts.trees]
    kinds = int(facts.classes.max()) + 1
    most = 0
    for labels in product(*parts, intervals(facts.rough), intervals(facts.fine)):
        group = np.unique(np.column_stack(labels), axis=0, return_inverse=True)[1].ravel()
        counts = np.bincount(group * kinds + facts.classes, minlength=kinds * (int(group.max()) + 1))
        table = counts.reshape(-1, kinds)
        most = max(most, int(table.max(axis=1)[table.sum(axis=1) >= k].sum()))
    return most


def drawn(seed: int, rows: int, kinds: int) -> Facts:
    """Return a random table whose classes have something to do with its columns."""
    rng = np.random.default_rng(seed)
    trees = [
        Tree.of(DEEP, rng.choice(list("abcdef"), rows).tolist()),
        Tree.of(FLAT, rng.choice(list("xyz"), rows).tolist()),
    ]
    rough, fine = rng.integers(0, 3, rows), rng.integers(0, 4, rows)
    rough[trees[1].codes < 2] = rng.integers(0, 2)  # cells without some numbers
    rough[0], fine[0] = 2, 3
    odd = rng.random(rows) < 0.3
    classes = np.where(odd, rng.integers(0, kinds, rows), (trees[0].codes * fine + rough) % kinds)
    classes[0] = kinds - 1
    return Facts(trees, rough, fine, classes)


def test_all_cuts_of_a_tree() -> None:
    tree = Tree.of(DEEP, ["a", "f", "e"])
    assert tree.codes.tolist() == [0, 5, 4]
    assert sorted(len(cut) for cut in tree.cuts()) == [1, 3, 4, 5, 6]
    for cut in tree.cuts():
        assert (tree.inside[cut].sum(axis=0) == 1).all()


@FEW
@given(seed=st.integers(0, 10**6), rows=st.integers(1, 60), kinds=st.integers(1, 3), k=st.integers(1, 12))
def test_no_cut_misjudges_fewer_rows(seed: int, rows: int, kinds: int, k: int) -> None:
    """Whatever is known before: nothing, one row less than the most, or the most."""
    facts = drawn(seed, rows, kinds)
    most = right(facts, k)
    for known in {0, max(most - 1, 0), most}:
        assert Least(facts, k, known).prove() == most


@pytest.mark.nightly
def test_the_least_of_adult(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The best cut known for k = 250 is a best one: from below it is found, and nothing is above it."""
    monkeypatch.setenv("DISCREET_DATA", str(data_dir))
    golden = json.loads(GOLDEN.read_text())
    facts = Facts.of(adult(golden["columns"]), golden)
    known = next(case for case in golden["cases"] if case["name"] == "best found, cm" and case["k"] == 250)
    rows = len(facts.classes)
    proof = Least(facts, 250, rows - round(known["cm"] * rows) - 1)
    assert rows - proof.prove() == round(known["cm"] * rows) == 5_478
    assert 0 < proof.settled < proof.sets

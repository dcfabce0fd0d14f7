"""A forest that is grown the quick way, beside that of scikit-learn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.adversary import forest, learners
from discreet.adversary.forest import QuickForest, random_forest
from tests.profiles import FEW

sklearn_ensemble = pytest.importorskip("sklearn.ensemble")
sparse = pytest.importorskip("scipy.sparse")


@given(
    st.integers(0, 10_000),
    st.integers(2, 60),
    st.integers(1, 12),
    st.sampled_from(["bits", "shares", "numbers"]),
    st.integers(1, 3),
    st.booleans(),
)
def test_its_trees_are_those_of_the_library(
    seed: int, rows: int, width: int, kind: str, least: int, wide: bool
) -> None:
    draws = np.random.default_rng(seed)
    table = draws.random((rows, width))
    if kind == "numbers":
        table = (table - 0.5) * (draws.random((rows, width)) < 0.7)
    else:
        table = (table < 0.4) / (1.0 if kind == "bits" else draws.integers(1, 4, (rows, width)))
    classes = draws.integers(0, 4, rows)
    numbers, asked = sparse.csr_matrix(table), sparse.csr_matrix(table[::-1])
    theirs = sklearn_ensemble.RandomForestClassifier(n_estimators=5, min_samples_leaf=least, random_state=seed)
    theirs.fit(numbers, classes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(forest, "_MOST_NUMBERS", 0 if wide else forest._MOST_NUMBERS)
        ours = QuickForest(seed, 5, least).fit(numbers, classes)
        assert np.array_equal(ours.classes_, theirs.classes_)
        assert np.array_equal(ours.predict_proba(asked), theirs.predict_proba(asked))
        assert np.array_equal(ours.predict(asked), theirs.predict(asked))


def test_another_version_grows_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forest, "TRIED", set())
    found = random_forest(3, trees=7, least=2)
    assert isinstance(found, sklearn_ensemble.RandomForestClassifier)
    assert (found.n_estimators, found.min_samples_leaf, found.random_state) == (7, 2, 3)


def test_this_version_was_tried() -> None:
    assert isinstance(random_forest(3), QuickForest)


@pytest.mark.slow
@FEW
@given(st.integers(0, 10_000), st.integers(20, 200), st.sampled_from([1, 3, 400]))
def test_boosting_with_few_bins_is_the_same(seed: int, rows: int, different: int) -> None:
    draws = np.random.default_rng(seed)
    table: Any = (draws.random((rows, 6)) < 0.5) / draws.integers(1, different + 1, (rows, 6))
    classes = draws.integers(0, 3, rows)
    theirs = learners.LEARNERS["gradient_boosting"](rows).fit(table, classes)
    found = learners.fitted("gradient_boosting", sparse.csr_matrix(table), classes, 3)
    assert np.array_equal(found(sparse.csr_matrix(table))[:, theirs.classes_], theirs.predict_proba(table))

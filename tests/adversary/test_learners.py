"""Library learners see the release as numbers; what is missing is said."""

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.adversary import learners
from discreet.adversary.base import Guesses
from discreet.adversary.learners import LEARNERS, LibraryGuesser, fitted, quietly
from discreet.adversary.make import make
from discreet.adversary.view import View
from discreet.errors import InputError
from discreet.policy.adversaries import Learner
from tests.adversary.releases import one, policy_for, view_of
from tests.adversary.strategies import Nested, flat, written
from tests.profiles import FEW

pytest.importorskip("sklearn")


def plain_view(*, hidden: int = 1, extra: int = 0) -> View:
    """x = a: u, x = b: v, x = c: w, fifteen rows each; the last rows hide their class."""
    rows: list[list[str | None]] = [[x, y, "m" if place % 2 else "n"] for place in range(15 + extra)
                                    for x, y in (("a", "u"), ("b", "v"), ("c", "w"))]  # fmt: skip
    rows += [["b", None, "m"] for _ in range(hidden)]
    return view_of(rows, policy_for(3, [len(rows) - 1], 1, [0, 2], {}), [*rows[:3]])


def last(name: str, view: View) -> Guesses:
    return make(Learner(name=name)).train(view).guess(view.lines(one(view.rows - 1)))


@pytest.mark.parametrize("name", LEARNERS)
def test_learns_a_plain_rule(name: str) -> None:
    found = last(name, plain_view(extra=15))
    assert found.values == ("u", "v", "w")
    assert found.best.tolist() == [[False, True, False]]
    assert found.weights.sum() == pytest.approx(1)
    assert make(Learner(name=name)).name == name


@pytest.mark.parametrize("name", LEARNERS)
def test_the_same_every_time(name: str) -> None:
    assert (last(name, plain_view()).weights == last(name, plain_view()).weights).all()


@pytest.mark.parametrize("name", LEARNERS)
def test_hardly_anything_to_learn_from(name: str) -> None:
    only_one = view_of([["a", "u"], ["b", "u"], ["a", None]], policy_for(2, [2], 1, [0], {}), [["a", "u"], ["b", "v"]])
    found = LibraryGuesser(name).train(only_one).guess(only_one.lines(one(2)))
    assert found.best.tolist() == [[True, False]]
    nothing = view_of([["a", None], ["b", None]], policy_for(2, [0], 1, [0], {}), [["a", "u"], ["b", "v"]])
    found = LibraryGuesser(name).train(nothing).guess(nothing.lines(one(0)))
    assert found.best.all()
    assert not found.weights.any()
    two = view_of([["a", "u"], ["b", "v"], ["a", None]], policy_for(2, [2], 1, [0], {}))
    assert LibraryGuesser(name).train(two).guess(two.lines(one(2))).weights.sum() == pytest.approx(1)


def test_unknown_is_nothing_and_a_group_is_shared() -> None:
    tree: Nested = {"A": flat("ab"), "c": {}}
    columns = {"c0": {"taxonomy": written(tree)}}
    rows: list[list[str | None]] = [["a", "u"], ["A", "v"], [None, "u"], ["c", None]]
    view = view_of(rows, policy_for(2, [3], 1, [0], columns), [*rows, ["c", "w"]])
    encoded = LibraryGuesser("logistic_regression").train(view).encoded(view.lines(np.arange(4)).nodes).toarray()
    assert encoded.tolist() == [[1, 0, 0], [0.5, 0.5, 0], [0, 0, 0], [0, 0, 1]]


def test_only_values_below_a_rough_class_are_candidates() -> None:
    tree: Nested = {"A": flat("ab"), "c": {}}
    rows = [["x", letter] for letter in "cccccccccaabA"]
    view = view_of(rows, policy_for(2, [12], 1, [0], {"c1": {"taxonomy": written(tree)}}))
    found = last("decision_tree", view)
    assert found.values == ("a", "b", "c")
    assert found.best.tolist() == [[True, False, False]]
    assert found.weights[0, 2] == 0


def test_at_most_so_many_rows_train() -> None:
    trained = LibraryGuesser("k_nearest", 7).train(plain_view())
    assert len(trained._some(np.arange(40))) == 7
    assert (trained._some(np.arange(40)) == trained._some(np.arange(40))).all()
    assert len(trained._some(np.arange(5))) == 5


@pytest.mark.parametrize("name", LEARNERS)
def test_where_no_predictor_has_any_value_the_commonest_class_is_guessed(name: str) -> None:
    rows: list[list[str | None]] = [[None, "u"], [None, "v"], [None, "v"], [None, None]]
    view = view_of(rows, policy_for(2, [3], 1, [0], {}))
    guesses = LibraryGuesser(name).train(view).guess(view.lines(one(3)))
    assert guesses.weights.tolist() == [[pytest.approx(1 / 3), pytest.approx(2 / 3)]]


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    absent: Any = None
    monkeypatch.setitem(sys.modules, "sklearn", absent)
    with pytest.raises(InputError, match=r"random_forest needs scikit-learn; install discreet\[attacks\]"):
        LibraryGuesser("random_forest").train(plain_view())


@FEW
@given(st.integers(30, 90), st.integers(2, 60), st.integers(0, 3), st.integers(0, 2**32 - 1))
def test_boosted_trees_lose_nothing_where_columns_are_left_out_by_which_they_cannot_split(
    rows: int, many: int, numbers: int, seed: int
) -> None:
    from scipy import sparse

    chance = np.random.default_rng(seed)
    values = np.eye(many)[chance.integers(0, many, rows)] * chance.choice([1.0, 0.5], (rows, 1))
    encoded = sparse.csr_matrix(np.hstack([values, chance.integers(0, 9, (rows, numbers)) / 9]))
    classes = chance.integers(0, 3, rows)
    learner = LEARNERS["gradient_boosting"](rows)
    with quietly():
        learner.fit(encoded.toarray(), classes)
        whole = np.zeros((rows, 4))
        whole[:, learner.classes_] = learner.predict_proba(encoded.toarray())
    assert (fitted("gradient_boosting", encoded, classes, 4)(encoded) == whole).all()


@pytest.mark.parametrize("name", sorted(LEARNERS))
def test_a_quick_audit_grows_fewer_trees_where_many_rows_train(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []

    def make(rows: int) -> Any:
        made.append(whole(rows))
        return made[-1]

    from scipy import sparse  # comes with scikit-learn

    whole = LEARNERS[name]
    monkeypatch.setitem(LEARNERS, name, make)
    draw = np.random.default_rng(1)
    classes = draw.integers(0, 2, 30)
    numbers = sparse.csr_matrix(np.column_stack([classes, draw.integers(0, 2, (30, 2))]).astype(float))
    sizes = [size for size in ("trees", "n_estimators", "max_iter", "learning_rate") if hasattr(whole(30), size)]
    for least, quick in ((29, True), (29, False), (30, True)):
        monkeypatch.setattr(learners, "QUICK_FROM", least)
        monkeypatch.setattr(learners, "QUICK_TREES", 2)
        monkeypatch.setattr(learners, "QUICK_ROUNDS", 2)
        probabilities = fitted(name, numbers, classes, 2, quick=quick)
        assert probabilities(numbers).shape == (30, 2)
    quick_one, others = made[0], made[1:]
    plain = {size: getattr(whole(30), size) for size in sizes}
    assert all({size: getattr(other, size) for size in sizes} == plain for other in others)
    if name == "random_forest":
        assert {getattr(quick_one, size) for size in sizes} == {2}
    elif name == "gradient_boosting":
        assert quick_one.max_iter == 2
        assert quick_one.max_iter * quick_one.learning_rate == pytest.approx(plain["max_iter"] * plain["learning_rate"])
    else:
        assert {size: getattr(quick_one, size) for size in sizes} == plain

"""A Bayesian network guesses as its slow definition does, and sees what naive Bayes cannot."""

import numpy as np
import pytest
from hypothesis import given

from discreet.adversary.base import Guesses
from discreet.adversary.bayesian_network import NetworkGuesser
from discreet.adversary.make import make
from discreet.adversary.naive_bayes import NaiveBayesGuesser
from discreet.adversary.view import View
from discreet.policy.adversaries import BayesianNetwork
from tests.adversary.releases import one, policy_for, view_of
from tests.adversary.strategies import Case, plain_cases, rough_cases, written
from tests.adversary.test_naive_bayes import everything, same
from tests.reference.cells_model import Taxonomy
from tests.reference.learners import network, tree


def view_of_case(case: Case) -> View:
    columns = {f"c{place}": {"taxonomy": written(shape)} for place, shape in enumerate(case.trees)}
    policy = policy_for(len(case.trees), [case.row], case.column, case.predictors, columns)
    return view_of(case.table, policy, everything(case))


def as_defined(case: Case) -> None:
    view = view_of_case(case)
    trained = NetworkGuesser().train(view)
    training = [row for row in case.table if row[case.column] in case.domains[case.column]]
    above = tree(training, case.column, case.predictors)
    assert [None if place < 0 else place for place in trained.depends_on] == [above[at] for at in sorted(above)]
    trees = [Taxonomy(shape) for shape in case.trees]
    expected = network(case.table, case.row, case.column, case.predictors, trees, case.domains[case.column])
    same(trained.guess(view.lines(one(case.row))), expected)


@pytest.mark.slow
@given(plain_cases())
def test_counts_as_the_reference(case: Case) -> None:
    as_defined(case)


@given(rough_cases())
def test_groups_count_what_is_below_them(case: Case) -> None:
    as_defined(case)


def two_columns_that_tell_together() -> View:
    """The class is whether two columns agree: each of them alone tells nothing."""
    rows: list[list[str | None]] = [[x, y, "same" if x == y else "other"] for _ in range(8) for x in "ab" for y in "ab"]
    return view_of([*rows, ["a", "a", None]], policy_for(3, [len(rows)], 2, [0, 1], {}))


def test_sees_what_columns_tell_together() -> None:
    view = two_columns_that_tell_together()
    asked = view.lines(one(view.rows - 1))
    blind = NaiveBayesGuesser().train(view).guess(asked)
    found = make(BayesianNetwork()).train(view).guess(asked)
    assert blind.best.all()
    assert found.best.tolist() == [[value == "same" for value in found.values]]


def test_many_lines_are_guessed_as_each_alone() -> None:
    view = two_columns_that_tell_together()
    trained = NetworkGuesser().train(view)
    together = trained.guess(view.lines(np.arange(view.rows)))
    alone = [trained.guess(view.lines(one(place))) for place in range(view.rows)]
    assert (together.weights == np.concatenate([guesses.weights for guesses in alone])).all()
    assert (together.best == np.concatenate([guesses.best for guesses in alone])).all()


@pytest.mark.parametrize("rows", [[], [["a", "u"]]])
def test_nothing_to_learn_from(rows: list[list[str | None]]) -> None:
    view = view_of([*rows, ["a", None]], policy_for(2, [len(rows)], 1, [0], {}), [["a", "u"], ["b", "v"]])
    found: Guesses = NetworkGuesser().train(view).guess(view.lines(one(len(rows))))
    assert found.best.tolist() == [[True, not rows]]
    empty = NetworkGuesser().train(view).guess(view.lines(np.empty(0, dtype=np.int64)))
    assert empty.weights.shape == (0, 2)

"""Naive Bayes guesses as the slow reference and the worked examples of the thesis do."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.adversary.base import Guesses
from discreet.adversary.naive_bayes import NaiveBayesGuesser
from discreet.adversary.products import Products
from tests.adversary.releases import Table, one, policy_for, view_of
from tests.adversary.strategies import Case, plain_cases, rough_cases, written
from tests.conftest import load_golden
from tests.reference.cells_golden import CASES, TINY
from tests.reference.cells_model import Probabilities, Taxonomy, naive_bayes, spread_bayes


def everything(case: Case) -> Table:
    """An original in which every value of every domain occurs."""
    domains = case.domains
    longest = max(map(len, domains))
    return [*case.table, *([domain[min(place, len(domain) - 1)] for domain in domains] for place in range(longest))]


def guess(case: Case, *, taxonomic: bool = False, **options: Any) -> Guesses:
    taxonomic = taxonomic or options.get("nulls") == "spread"
    columns = {f"c{place}": {"taxonomy": written(tree)} for place, tree in enumerate(case.trees)} if taxonomic else {}
    policy = policy_for(len(case.trees), [case.row], case.column, case.predictors, columns)
    view = view_of(case.table, policy, everything(case))
    return NaiveBayesGuesser(**options).train(view).guess(view.lines(one(case.row)))


def same(guesses: Guesses, p: Probabilities) -> None:
    """The best guesses are exactly those of the probabilities, the weights nearly their shares."""
    top = max(p.values())
    assert [value for value, best in zip(guesses.values, guesses.best[0], strict=True) if best] == [
        value for value in p if p[value] == top
    ]
    total = sum(p.values())
    shares = [float(p[str(value)] / total) if value in p and total else 0.0 for value in guesses.values]
    assert np.allclose(guesses.weights[0], shares, rtol=1e-12, atol=0) or len(p) == 1


def smoothed(case: Case, laplace: Fraction, *, drop: bool) -> Probabilities:
    """The definition, counted anew for every number."""
    domains, row = case.domains, case.table[case.row]
    trees = [Taxonomy(tree) for tree in case.trees]
    training = [other for other in case.table if other[case.column] in domains[case.column]]
    p: Probabilities = {}
    for value in trees[case.column].leaves(row[case.column]):
        mine = [other for other in training if other[case.column] == value]
        below = len(training) + laplace * len(domains[case.column])
        p[value] = (len(mine) + laplace) / below if below else Fraction(0)
        for place in case.predictors:
            if row[place] is None:
                continue
            counted = [other for other in mine if other[place] is not None] if drop else mine
            below = len(counted) + laplace * len(domains[place])
            hits = sum(trees[place].covers(row[place], other[place]) for other in mine)
            p[value] *= (hits + laplace) / below if below else Fraction(0)
    return p


@given(plain_cases())
def test_counts_as_the_reference(case: Case) -> None:
    table = [list(row) for row in case.table]
    domain = case.domains[case.column]
    expected = naive_bayes(table, case.row, case.column, case.predictors, domain)
    same(guess(case), expected)
    assert smoothed(case, Fraction(0), drop=False) == expected


@given(plain_cases(), st.booleans(), st.sampled_from(["0", "1", "1/2", "3/1000"]))
def test_smooths_and_drops_as_defined(case: Case, drop: bool, laplace: str) -> None:
    guesses = guess(case, nulls="drop" if drop else "count", laplace=Fraction(laplace))
    same(guesses, smoothed(case, Fraction(laplace), drop=drop))


@given(rough_cases(), st.booleans(), st.sampled_from(["0", "1", "1/2"]))
def test_counts_groups_as_defined(case: Case, drop: bool, laplace: str) -> None:
    guesses = guess(case, taxonomic=True, nulls="drop" if drop else "count", laplace=Fraction(laplace))
    same(guesses, smoothed(case, Fraction(laplace), drop=drop))


@given(rough_cases())
def test_spreads_as_the_reference(case: Case) -> None:
    table = [list(row) for row in case.table]
    taxonomies = [Taxonomy(tree) for tree in case.trees]
    level = case.table[case.row][case.column]
    model = spread_bayes(table, case.row, case.column, case.predictors, taxonomies, level)
    same(guess(case, nulls="spread"), model.p)


@given(rough_cases())
def test_many_cells_at_once_each_without_its_own_row(case: Case) -> None:
    table = [list(row) for row in case.table]
    taxonomies = [Taxonomy(tree) for tree in case.trees]
    columns = {f"c{place}": {"taxonomy": written(tree)} for place, tree in enumerate(case.trees)}
    policy = policy_for(len(case.trees), [case.row], case.column, case.predictors, columns)
    view = view_of(case.table, policy, everything(case))
    rough = [place for place, row in enumerate(table) if row[case.column] not in case.domains[case.column]]
    together = NaiveBayesGuesser(nulls="spread").train(view).guess(view.lines(np.array(rough)))
    for line, place in enumerate(rough):
        level = table[place][case.column]
        model = spread_bayes(table, place, case.column, case.predictors, taxonomies, level)
        same(together.at(one(line)), model.p)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["seed"]))
def test_golden_tables(case: Any) -> None:
    table = [list(row) for row in case["D"]]
    table[case["i"]][case["j"]] = None
    trees = [TINY["taxonomy"]] * (len(table[0]) - 1) + [TINY["class_taxonomy"]]
    found = guess(Case(table, case["i"], case["j"], case["predictors"], trees))
    same(found, {value: Fraction(p) for value, p in case["nb"].items()})


@pytest.mark.parametrize("name", ["ex2", "ex3", "ex4"])
def test_worked_examples_of_deletion(name: str) -> None:
    golden = load_golden("suppress_ex2_5.json")
    columns, predictors = golden["cols"], [golden["cols"].index(column) for column in golden["predictors"]]
    trees: list[Any] = [
        {value: {} for value in golden["domains"].get(column, sorted({row[place] for row in golden["table11"]}))}
        for place, column in enumerate(columns)
    ]
    trees[-1] = {value: {} for value in sorted(golden["domains"]["Diagnosis"])}
    before = [list(row) for row in golden["table11"]]
    before[1][-1] = None
    for table, p in ((before, "p0"), (golden[name]["published"], "p1")):
        found = guess(Case(table, 1, len(columns) - 1, predictors, trees))
        same(found, {value: Fraction(golden[name][p][value]) for value in sorted(golden[name][p])})


def test_a_near_tie_is_decided_by_whole_numbers() -> None:
    large = 2**52
    products = Products(1, 3)
    for _ in range(4):
        products.times([[large, large - 1, large]], [[large - 1, large - 2, large - 1]])
    products.times([[1, 1, 0]], [[1, 1, 1]])
    among = np.ones((1, 3), dtype=np.bool_)
    assert products.scaled(among)[0, 0] / products.scaled(among)[0, 1] == pytest.approx(1, abs=1e-15)
    assert products.best(among).tolist() == [[False, True, False]]  # (n-1)/(n-2) is more than n/(n-1)


def test_many_small_factors_do_not_vanish() -> None:
    products = Products(1, 2)
    for _ in range(500):
        products.times([[1, 1]], [[1_000_000, 1_000_000]])
    products.times([[2, 3]], [[1, 1]])
    among = np.ones((1, 2), dtype=np.bool_)
    assert products.best(among).tolist() == [[False, True]]
    products.times([[3, 2]], [[1, 1]])
    assert products.best(among).tolist() == [[True, True]]


def test_where_all_are_impossible_none_is_better() -> None:
    case = Case([["a", None], ["b", "u"], ["b", "v"]], 0, 1, [0], [{"a": {}, "b": {}}, {"u": {}, "v": {}}])
    found = guess(case)
    assert found.best.all()
    assert not found.weights.any()
    assert found.exposes(np.array([0])).tolist() == [False]
    assert found.exposes(np.array([0]), strict=True).tolist() == [True]


def test_blocks_of_lines_give_what_all_at_once_do(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = [(letter, other, value) for letter in "abc" for other in "xyz" for value in "uvw"] * 2
    rows: list[list[str | None]] = [
        [letter, other, None if place % 5 == 0 else value] for place, (letter, other, value) in enumerate(letters)
    ]
    policy = policy_for(3, [0], 2, [0, 1], {})
    view = view_of(rows, policy)
    lines = view.lines(np.arange(len(rows)))
    whole = NaiveBayesGuesser().train(view).guess(lines)
    monkeypatch.setattr("discreet.adversary.base._MOST_NUMBERS", 1)
    parts = NaiveBayesGuesser().train(view).guess(lines)
    assert (whole.best == parts.best).all()
    assert (whole.weights == parts.weights).all()


def test_no_cells_no_guesses() -> None:
    policy = policy_for(2, [0], 1, [0], {})
    view = view_of([["a", None], ["b", "u"], ["b", "v"]], policy)
    assert NaiveBayesGuesser().train(view).guess(view.lines(np.empty(0, dtype=np.int64))).best.shape == (0, 2)

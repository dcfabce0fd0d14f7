"""The tree guesses as the slow reference does, at ties too."""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.adversary.base import Guesses
from discreet.adversary.id3 import Id3Guesser, sign_of
from tests.adversary.releases import one, policy_for, view_of
from tests.adversary.strategies import Case, plain_cases, rough_cases, written
from tests.adversary.test_naive_bayes import everything
from tests.reference.cells_golden import CASES, TINY
from tests.reference.cells_model import Taxonomy
from tests.reference.cells_tree import classify, covering, id3, id3_g


def guess(case: Case, *, taxonomic: bool = False, leaves_out: bool = False) -> Guesses:
    columns = {f"c{place}": {"taxonomy": written(tree)} for place, tree in enumerate(case.trees)} if taxonomic else {}
    policy = policy_for(len(case.trees), [case.row], case.column, case.predictors, columns)
    view = view_of(case.table, policy, everything(case))
    return Id3Guesser(leaves_out).train(view).guess(view.lines(one(case.row)))


def guessed(guesses: Guesses, line: int = 0) -> str | None:
    (place,) = np.flatnonzero(guesses.best[line])
    return guesses.values[place]


@given(plain_cases())
def test_predicts_as_the_reference(case: Case) -> None:
    table = [list(row) for row in case.table]
    tree = id3(table, case.row, case.column, case.predictors, case.domains)
    guesses = guess(case)
    assert guessed(guesses) == classify(tree, table[case.row])
    assert guesses.weights.sum() == pytest.approx(1) or not guesses.weights.any()
    assert guesses.weights[guesses.best].max() == guesses.weights.max()


@given(rough_cases(), st.booleans())
def test_predicts_groups_as_the_reference(case: Case, leaves_out: bool) -> None:
    table = [list(row) for row in case.table]
    taxonomies = [Taxonomy(tree) for tree in case.trees]
    level = table[case.row][case.column]
    tree = id3_g(table, case.row, case.column, case.predictors, taxonomies, level, leaves_out)
    found = guess(case, taxonomic=True, leaves_out=leaves_out)
    assert guessed(found) == classify(tree, table[case.row], covering(taxonomies))


@given(plain_cases())
def test_all_hidden_cells_share_one_tree(case: Case) -> None:
    hidden = [place for place, row in enumerate(case.table) if row[case.column] is None]
    policy = policy_for(len(case.trees), [case.row], case.column, case.predictors, {})
    view = view_of(case.table, policy, everything(case))
    together = Id3Guesser().train(view).guess(view.lines(np.array(hidden)))
    for line, place in enumerate(hidden):
        alone = Id3Guesser().train(view).guess(view.lines(one(place)))
        assert guessed(together, line) == guessed(alone)
        assert (together.weights[line] == alone.weights[0]).all()


@given(rough_cases(), st.booleans())
def test_no_row_trains_its_own_tree(case: Case, leaves_out: bool) -> None:
    table = [list(row) for row in case.table]
    taxonomies = [Taxonomy(tree) for tree in case.trees]
    columns = {f"c{place}": {"taxonomy": written(tree)} for place, tree in enumerate(case.trees)}
    policy = policy_for(len(case.trees), [case.row], case.column, case.predictors, columns)
    view = view_of(case.table, policy, everything(case))
    rough = [place for place, row in enumerate(table) if row[case.column] not in case.domains[case.column]]
    together = Id3Guesser(leaves_out).train(view).guess(view.lines(np.array(rough)))
    for line, place in enumerate(rough):
        tree = id3_g(table, place, case.column, case.predictors, taxonomies, table[place][case.column], leaves_out)
        assert guessed(together, line) == classify(tree, table[place], covering(taxonomies))


def _walk(tree: Any, row: Sequence[str]) -> str:
    while isinstance(tree, dict):
        ((column, branches),) = tree.items()
        tree = branches[row[int(column)]]
    return str(tree)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["seed"]))
def test_golden_trees(case: Any) -> None:
    table = [list(row) for row in case["D"]]
    table[case["i"]][case["j"]] = None
    trees = [TINY["taxonomy"]] * (len(table[0]) - 1) + [TINY["class_taxonomy"]]
    whole = {tuple(row) for row in case["D"] if None not in row}
    for row in sorted(whole):  # every way down the tree that some row could take
        table[case["i"]] = [*row[:-1], None]
        found = guess(Case(table, case["i"], case["j"], case["predictors"], trees))
        assert guessed(found) == _walk(case["id3_tree"], row)


@given(st.dictionaries(st.integers(1, 30), st.integers(-3, 3), max_size=6))
def test_signs_are_exact(terms: dict[int, int]) -> None:
    above = prod(n ** (n * times) for n, times in terms.items() if times > 0)
    below = prod(n ** (-n * times) for n, times in terms.items() if times < 0)
    sign = (above > below) - (above < below)
    assert sign_of(Counter(terms)) == sign
    assert isinstance(Fraction(above, below), Fraction)


def test_signs_of_large_counts_that_floats_cannot_tell() -> None:
    n = 2**20
    # 2n log 2n = 2n log n + 2n, so one of 2n equals two of n and n of 2 (each 2 log 2 = 2)
    assert sign_of(Counter({2 * n: 1, n: -2, 2: -n})) == 0
    assert sign_of(Counter({2 * n: 1, n: -2, 2: -n + 1})) == 1
    assert sign_of(Counter({2 * n: 1, n: -2, 2: -n, 3: 12, 4: -7})) == 1  # 36 log 3 is a little more than 56
    assert 36 * np.log2(3) - 56 > 0


def test_equal_gains_go_to_the_first_predictor() -> None:
    # both columns part the classes alike, by other counts; the row goes another way in each
    rows = [["a", "x", "u"], ["a", "x", "v"], ["a", "x", "u"], ["b", "y", "v"], ["b", "y", "u"], ["b", "y", "v"]]
    table: list[list[Any]] = [*rows, ["a", "y", None]]
    trees: list[Any] = [{"a": {}, "b": {}}, {"x": {}, "y": {}}, {"u": {}, "v": {}}]
    assert guessed(guess(Case(table, 6, 2, [0], trees))) == "u"
    assert guessed(guess(Case(table, 6, 2, [1], trees))) == "v"
    for predictors in ([0, 1], [1, 0]):
        case = Case(table, 6, 2, predictors, trees)
        tree = id3(table, 6, 2, predictors, case.domains)
        assert guessed(guess(case)) == classify(tree, table[6])


def test_no_row_with_a_class_the_first_value() -> None:
    case = Case([["a", None], ["b", None]], 0, 1, [0], [{"a": {}, "b": {}}, {"u": {}, "v": {}}])
    found = guess(case)
    assert guessed(found) == "u"
    assert not found.weights.any()

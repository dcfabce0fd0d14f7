"""Methods and verification count apart and must come to the same answers: what one calls safe, the other does."""

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discreet.adversary.base import Trained
from discreet.adversary.make import readings
from discreet.adversary.naive_bayes import NaiveBayesGuesser
from discreet.adversary.view import View
from discreet.method.cells import kernels
from discreet.method.cells.hid3 import Trees
from discreet.method.cells.table import Bayes, CellTable
from discreet.method.cells.trees import coded, from_nested
from discreet.policy.adversaries import Id3
from tests.adversary.releases import one, policy_for, view_of
from tests.adversary.strategies import Case, plain_cases, rough_cases, written
from tests.adversary.test_naive_bayes import everything

cases = st.one_of(plain_cases(), rough_cases())


def table_of(case: Case) -> CellTable:
    trees = [from_nested(tree) for tree in case.trees]
    columns = [coded([row[place] for row in case.table], tree, [None]) for place, tree in enumerate(trees)]
    return CellTable(columns, trees, [case.column])


def exposed(case: Case, train: Callable[[View], Sequence[Trained]], *, strict: bool) -> dict[int, bool]:
    """By verification: for each candidate, whether it would be exposed if it were the true value."""
    columns = {f"c{place}": {"taxonomy": written(tree)} for place, tree in enumerate(case.trees)}
    policy = policy_for(len(case.trees), [case.row], case.column, case.predictors, columns)
    view = view_of(case.table, policy, everything(case))
    lines = view.lines(one(case.row))
    tree = view.classes.tree
    found = [trained.guess(lines) for trained in train(view)]
    candidates = range(int(tree.first[lines.levels[0]]), int(tree.stop[lines.levels[0]]))
    return {
        place: any(bool(guesses.exposes(np.array([place]), strict=strict)[0]) for guesses in found)
        for place in candidates
    }


@given(cases, st.sampled_from(["count", "drop", "spread"]), st.sampled_from(["0", "1", "1/3"]), st.booleans())
def test_naive_bayes(case: Case, nulls: str, laplace: str, strict: bool) -> None:
    added = Fraction(0) if nulls == "spread" else Fraction(laplace)
    adversary = NaiveBayesGuesser(nulls, added)
    table = table_of(case)
    guesser = table.guesser(case.column, case.predictors, Bayes(nulls, added, strict=strict))
    leaves = table.trees[case.column].leaves + table.first[case.column]
    for place, is_exposed in exposed(case, lambda view: [adversary.train(view)], strict=strict).items():
        found = kernels.all_best(table.frame, guesser, one(case.row), np.array([leaves[place]], dtype=np.int64))
        assert bool(found[0]) is is_exposed


@given(cases)
def test_id3(case: Case) -> None:
    trees = Trees(table_of(case))
    found = exposed(case, lambda view: readings(Id3(), view), strict=False)
    first = min(found)
    guessed = {
        first + tree.guess(trees.table, case.row) for tree in trees.trees(case.column, case.row, tuple(case.predictors))
    }
    assert guessed == {place for place in found if found[place]}

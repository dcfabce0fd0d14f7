"""The surest fifth: which cells are in it, ties at its edge, and that every rate of confidential cells has it."""

from __future__ import annotations

from itertools import permutations
from statistics import mean

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.common.rates import Rate
from discreet.common.surest import surest_fifth
from tests.attack.test_cells import attacked, hiding_only, patients, policy


@given(st.lists(st.tuples(st.sampled_from([0.25, 0.5, 1.0]), st.sampled_from([0.0, 0.5, 1.0])), min_size=1, max_size=6))
def test_ties_at_the_edge_are_drawn_from(cells: list[tuple[float, float]]) -> None:
    tries = 1 if len(cells) <= 5 else 2
    orders = [sorted(order, key=lambda cell: -cell[0])[:tries] for order in permutations(cells)]
    expected = mean(sum(right for _, right in order) for order in orders)
    sure, right = np.array(cells).T
    found = surest_fifth(sure, right)
    assert found is not None
    assert found.right == pytest.approx(expected)
    assert found.tries == tries


def test_nothing_asked_nothing_sure() -> None:
    assert surest_fifth(np.array([]), np.array([])) is None


def test_what_differs_by_rounding_only_is_equally_sure() -> None:
    sure = np.array([0.1 + 0.2, 0.3, 0.0, 0.0, 0.0])
    assert surest_fifth(sure, np.array([1.0, 0, 0, 0, 0])) == Rate(0.5, 1)


def test_all_adversaries_of_cells_have_it() -> None:
    found = attacked(hiding_only(patients(300, 0)))
    for attack in found.values():
        assert attack.surest is not None
        assert attack.surest.tries == 8
        assert attack.surest == attack.surest_only_hidden, attack.name
        assert attack.to_dict()["surest"] == attack.surest.to_dict()
    best = found["naive_bayes laplace"]
    assert ((best.surest and best.surest.share) or 0) >= (best.released.share or 0)


def test_who_knows_the_method_is_surest_of_what_was_changed() -> None:
    """DECP changes rows of the true value only: of these cells he is certain, and right."""
    made = policy([3], against=["naive_bayes"], method="decp")
    found = d.protect(patients(300, 3), made, seed=0).attack(seed=0).attacks
    assert found is not None
    aware = next(attack for attack in found.found if attack.name == "refill_naive_bayes")
    assert aware.surest == Rate(1.0, 1)
    assert aware.surest_only_hidden is not None
    rest = [
        attack for attack in found.found if attack.kind in ("linkage", "inference") or attack.name == "hidden_means"
    ]
    assert rest
    assert all(attack.surest is None and attack.to_dict()["surest"] is None for attack in rest)

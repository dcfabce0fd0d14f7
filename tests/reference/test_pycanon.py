"""The references of diversity, closeness and likeness beside the figures of pycanon, on tables without hidden cells."""

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.reference.closeness import Close
from tests.reference.promise_cuts import effective_values, worst_figure
from tests.reference.promises import (
    PLAIN,
    Diverse,
    Infer,
    alike,
    diverse,
    each_row,
    kept,
    known_values,
    recursive_figure,
)

pytestmark = pytest.mark.reference

CASES: list[dict[str, Any]] = json.loads((Path(__file__).parents[1] / "golden" / "pycanon.json").read_text("utf-8"))
KNOWN = ("a", "b")


def rows_of(case: dict[str, Any]) -> list[tuple[dict[str, str], ...]]:
    """The rows of a table, each a person of its own."""
    columns = case["table"]
    return [(dict(zip(columns, row, strict=True)),) for row in zip(*columns.values(), strict=True)]


def counts_of(case: dict[str, Any]) -> list[list[int]]:
    """How often each value occurs, group by group."""
    groups = alike(each_row(person[0] for person in rows_of(case)), KNOWN).values()
    return [list(known_values(group, "s", PLAIN).values()) for group in groups]


@pytest.mark.parametrize("case", CASES)
def test_the_figures_are_those_of_pycanon(case: dict[str, Any]) -> None:
    whole = each_row(person[0] for person in rows_of(case))
    assert worst_figure(whole, Diverse(KNOWN, "s", Fraction(1)), PLAIN) == case["l"]
    assert math.isclose(float(_worst(whole, Close(KNOWN, "s", Fraction(1)))), case["t_equal"], abs_tol=1e-12)
    if case["t_ordered"] is not None:
        found = _worst(whole, Close(KNOWN, "n", Fraction(1), "ordered"))
        assert math.isclose(float(found), case["t_ordered"], abs_tol=1e-12)
    likeness = _worst(whole, Infer(KNOWN, "s", times=Fraction(2)))
    assert math.isclose(float(likeness) - 1, case["beta"], abs_tol=1e-12)


def _worst(whole: Any, promise: Close | Infer) -> Fraction:
    found = worst_figure(whole, promise, PLAIN)
    assert isinstance(found, Fraction)
    return found


@pytest.mark.parametrize("case", CASES)
def test_entropy_is_that_of_pycanon_but_for_its_floats(case: dict[str, Any]) -> None:
    whole = each_row(person[0] for person in rows_of(case))
    exact = max(least for least in range(1, 7) if kept(whole, Diverse(KNOWN, "s", Fraction(least), "entropy")))
    if exact != case["entropy"]:
        assert exact == case["entropy"] + 1
        # where it says less, the values of the worst group are exactly as diverse as `exact` equally frequent ones
        worst = min(counts_of(case), key=effective_values)
        assert diverse(worst, exact, "entropy")
        assert not diverse(worst, Fraction(exact) + Fraction(1, 10**9), "entropy")


def test_pycanon_falls_short_where_values_are_equally_frequent() -> None:
    """It is we who are right: three values with one row each are exactly 3-diverse."""
    case = CASES[-2]
    assert counts_of(case) == [[1, 1, 1], [1, 1, 1]]
    assert diverse([1, 1, 1], 3, "entropy")
    assert case["entropy"] == 2


@pytest.mark.parametrize("case", [case for case in CASES if case["recursive"] is not None])
def test_pycanon_takes_the_rarest_value_for_the_most_frequent(case: dict[str, Any]) -> None:
    """Its c is what its code says, not what the definition asks."""
    c, least = case["recursive"]
    ascending = [sorted(some) for some in counts_of(case)]
    assert c == max(some[0] // sum(some[least - 1 :]) + 1 for some in ascending)


def test_the_recursive_figure_of_pycanon_is_too_small() -> None:
    case = CASES[-1]
    assert counts_of(case) == [[5, 1]]
    assert case["recursive"] == [1, 2]
    assert recursive_figure([5, 1], 2) == 5
    assert not diverse([5, 1], 2, "recursive", Fraction(5))
    assert diverse([5, 1], 2, "recursive", Fraction(6))

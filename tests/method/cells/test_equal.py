"""Every fast method does on random tables exactly what its slow reference does: same status, same changed cells."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from tests.method.cells.fast import STATUS, Replayed
from tests.method.cells.strategies import Case, cases
from tests.reference.cells import decp, dropp, e_decp, e_dropp, incp
from tests.reference.cells_general import decp_g, dropp_g, incp_g
from tests.reference.cells_hybrid import hybrid, hybrid_g
from tests.reference.cells_many import e_decp_g, e_dropp_g
from tests.reference.cells_model import DELETED, NOT_NEEDED, SUPPRESSED, ManyResult, Result
from tests.reference.cells_tree import hid3, hid3_g

SINGLE: dict[str, tuple[Callable[..., Result], Callable[..., Result]]] = {
    "decp": (decp, decp_g),
    "incp": (incp, incp_g),
    "dropp": (dropp, dropp_g),
}


def values(case: Case) -> Any:
    """What the reference wants to know of the columns."""
    return case.taxonomies if case.rough else case.domains


def reference(case: Case, method: str) -> Result:
    run = SINGLE[method][case.rough]
    return run(
        case.table, case.i, case.j, case.predictors, values(case), case.guesses, case.chooser(), strict=case.strict
    )


@pytest.mark.parametrize("method", SINGLE)
@given(cases())
def test_a_cell_against_naive_bayes(method: str, case: Case) -> None:
    expected = reference(case, method)
    fast = case.fast()
    outcome = fast.bayes(method, case.i, case.j, case.predictors, case.bayes, case.chances[0])
    assert STATUS[outcome.status] == expected.status
    if outcome.status == "failed":  # all is taken back, and the cell is hidden
        assert fast.changed() == [(case.i, case.j, None)]
        return
    assert fast.changed() == expected.changed
    beside = {(r, c) for r, c, _ in expected.changed if (r, c) != (case.i, case.j)}
    assert {(r, c) for r, c in outcome.changes.tolist()} == beside
    if expected.rnbg is not None:
        assert outcome.guess is not None
        assert fast.trees[case.j].texts[outcome.guess][0] == expected.rnbg


@given(cases())
def test_a_cell_against_the_tree(case: Case) -> None:
    run = hid3_g if case.rough else hid3
    expected = run(case.table, case.i, case.j, case.predictors, values(case), case.chooser())
    fast = case.fast()
    outcome = fast.hid3(case.i, case.j, case.predictors, case.chances[0])
    assert STATUS[outcome.status] == expected.status
    if outcome.status == "failed":
        assert fast.changed() == [(case.i, case.j, None)]
        return
    assert fast.changed() == expected.changed


@pytest.mark.parametrize("method", SINGLE)
@given(cases())
def test_a_cell_against_both(method: str, case: Case) -> None:
    run: Callable[..., Result] = hybrid_g if case.rough else hybrid
    expected = run(
        SINGLE[method][case.rough],
        *(case.table, case.i, case.j, case.predictors, values(case), case.guesses, case.chooser(), case.strict),
    )
    fast = case.fast()
    status = STATUS[fast.hybrid(method, case.i, case.j, case.predictors, case.bayes, case.chances[0])]
    kept = (SUPPRESSED, NOT_NEEDED)
    if case.rough:  # the reference tells what naive Bayes alone needed
        assert status == expected.status or (status in kept and expected.status in kept)
    else:
        assert status == expected.status
    assert fast.changed([case.i] if status == DELETED else []) == expected.changed


@pytest.mark.slow
@given(cases())
def test_several_rows_with_one_value(case: Case) -> None:
    rows = [r for r, row in enumerate(case.table) if row[case.j] == case.actual][:5]
    chances = dict(enumerate(case.chances))
    run: Callable[..., ManyResult] = e_decp_g if case.rough else e_decp
    expected = run(
        *(case.table, rows, case.j, case.predictors, values(case)), case.guesses, Replayed(chances), case.strict
    )
    fast = case.fast()
    outcomes = fast.e_decp(rows, case.j, case.predictors, case.bayes, chances)
    assert {row: STATUS[outcome.status] for row, outcome in outcomes.items()} == expected.status
    failed = [row for row, outcome in outcomes.items() if outcome.status == "failed"]
    assert fast.changed(failed) == expected.changed


@pytest.mark.slow
@given(cases())
def test_several_cells_of_one_row(case: Case) -> None:
    columns = [c for c in (0, case.j) if case.table[case.i][c] in case.domains[c]]
    chances = dict(enumerate([*case.chances, *case.chances]))
    run: Callable[..., ManyResult] = e_dropp_g if case.rough else e_dropp
    expected = run(
        *(case.table, case.i, columns, case.predictors, values(case)), case.guesses, Replayed(chances), case.strict
    )
    fast = case.fast(columns)
    outcomes = fast.e_dropp(case.i, columns, case.predictors, case.bayes, {c: chances[c] for c in columns})
    assert {c: STATUS[outcome.status] for c, outcome in outcomes.items()} == expected.status
    failed = any(outcome.status == "failed" for outcome in outcomes.values())
    assert fast.changed([case.i] if failed else []) == expected.changed

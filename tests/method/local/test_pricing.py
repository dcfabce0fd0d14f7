"""Prices of rows give true bounds of the loss, and the cells chosen by them cost no more than before."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.common.compiled import always
from discreet.method.base.problem import CutProblem
from discreet.method.local import pricing, search, ways
from discreet.method.local.gains import cells_in_which
from discreet.method.local.lattice import MOST_VECTORS
from discreet.method.local.peeling import PeelingWatch
from discreet.method.local.price_kernels import (
    CellStates,
    PricedCells,
    PricedRows,
    PricingRoom,
    choose,
    open_and_close,
    raise_prices,
)
from discreet.method.local.pricing import cell_states, cells_of_items, pricing_room
from tests.method.local.test_search import check, problem_of
from tests.reference import pricing as slow

ITERATIONS = 12


@dataclass(frozen=True)
class Case:
    """Cells of some rows, as the loops and as the slow version have them."""

    cells: list[slow.Cell]
    sizes: list[int]
    most: list[int]
    need: int

    def arrays(self) -> tuple[PricedCells, PricedRows, CellStates, PricingRoom]:
        begin = np.append(0, np.cumsum([len(rows) for _, rows in self.cells])).astype(np.int64)
        loss = np.array([lost for lost, _ in self.cells], dtype=np.int64)
        members = np.array([row for _, rows in self.cells for row in sorted(rows)], dtype=np.uint32)
        most = np.array(self.most, dtype=np.int64)
        rows = PricedRows(np.array(self.sizes, dtype=np.int64), most // 2, most)
        cells = PricedCells(begin, loss, members)
        return cells, rows, cell_states(cells), pricing_room(len(self.sizes))


def raised(given_: tuple[PricedCells, PricedRows, CellStates, PricingRoom], need: int, rounds: int, goal: int) -> int:
    """Change the prices of rows for some rounds; return the highest bound."""
    cells, rows, states, scratch = given_
    scratch.drift[:], states.due[:] = 0, 0
    scratch.course[:] = 0, -(1 << 62), 0, 512
    bound: int = raise_prices(cells, rows, states, np.arange(len(cells.loss)), need, rounds, goal, 51, False, scratch)
    return bound


@st.composite
def cases(draw: st.DrawFn, most_rows: int, most_cells: int) -> Case:
    rows = draw(st.integers(1, most_rows))
    sizes = draw(st.lists(st.integers(1, 3), min_size=rows, max_size=rows))
    cell = st.tuples(st.integers(0, 900), st.frozensets(st.integers(0, rows - 1), min_size=1))
    cells = draw(st.lists(cell, min_size=1, max_size=most_cells))
    most = draw(st.lists(st.integers(0, 3000), min_size=rows, max_size=rows))
    return Case(cells, sizes, most, draw(st.integers(2, 5)))


@given(cases(25, 12), st.data())
def test_the_bound_of_prices_is_what_a_plain_count_says(case: Case, data: st.DataObject) -> None:
    arrays = case.arrays()
    _, rows, states, _ = arrays
    rows.price[:] = [data.draw(st.integers(0, most)) for most in case.most]
    for _ in range(5):
        wanted = slow.bound(case.cells, case.sizes, rows.price.tolist(), case.need)
        # Wherever the last row was that a cell needed, as long as it loses no more there.
        states.edge[:] = [data.draw(st.integers(0, lost)) for lost, _ in case.cells]
        assert raised(arrays, case.need, 1, max(wanted, 0) + 1000) == wanted
        assert ((rows.price >= 0) & (rows.price <= rows.most)).all()


@given(cases(25, 12), st.data())
def test_cells_are_worth_what_a_plain_count_says(case: Case, data: st.DataObject) -> None:
    cells, rows, states, scratch = case.arrays()
    for _ in range(3):
        rows.price[:] = [data.draw(st.integers(0, most)) for most in case.most]
        states.due[:], states.chosen[:] = 3, data.draw(st.integers(0, 1))
        before = rows.price.tolist(), states.share.tolist()
        raise_prices(cells, rows, states, np.arange(len(case.cells)), case.need, 1, 0, 51, True, scratch)
        assert (rows.price.tolist(), states.share.tolist()) == before
        for cell, found in zip(case.cells, states.worth.tolist(), strict=True):
            wanted = slow.worth(cell, case.sizes, rows.price.tolist(), case.need)
            if wanted is not None:
                assert found == wanted


@given(cases(25, 12), st.integers(1, 30))
def test_rounds_in_pieces_are_the_same_rounds(case: Case, rounds: int) -> None:
    one, other = case.arrays(), case.arrays()
    wanted = raised(one, case.need, rounds, 5000)
    cells, rows, states, scratch = other
    scratch.course[:] = 0, -(1 << 62), 0, 512
    for until in (rounds // 3, rounds // 2, rounds):
        found = raise_prices(
            cells, rows, states, np.arange(len(cells.loss)), case.need, until, 5000, 51, False, scratch
        )
    assert found == wanted
    assert rows.price.tolist() == one[1].price.tolist()
    assert [each.tolist() for each in states] == [each.tolist() for each in one[2]]


@given(cases(6, 4))
def test_no_prices_give_more_than_the_least_loss(case: Case) -> None:
    """Were a bound above it, cells would be chosen for what they are not worth."""
    arrays = case.arrays()
    least = slow.least_loss(case.cells, case.sizes, case.most, case.need)
    bounds = [raised(arrays, case.need, 1, least) for _ in range(ITERATIONS)]
    assert max(bounds) <= least


def test_prices_come_near_to_the_least_loss() -> None:
    """Ten rows, two cells that serve all of them best: in the end the bound is all but that."""
    case = Case([(100, frozenset(range(5))), (300, frozenset(range(5, 10))), (600, frozenset(range(10)))], [1] * 10,
                [1000] * 10, 5)  # fmt: skip
    arrays = case.arrays()
    cells, rows, states, _ = arrays
    best = raised(arrays, 5, 200, 2000)
    assert 1950 <= best <= slow.least_loss(case.cells, case.sizes, case.most, 5) == 2000
    home = np.full(10, -1, dtype=np.int64)
    assert choose(cells, rows.sizes, states, np.argsort(-states.share, kind="stable"), 5, 2, home) == 2
    assert home.tolist() == [0] * 5 + [1] * 5


@given(cases(12, 8), st.data())
def test_cells_are_chosen_in_order_where_enough_rows_lose_less(case: Case, data: st.DataObject) -> None:
    cells, rows, states, _ = case.arrays()
    order = data.draw(st.permutations(range(len(case.cells))))
    least, most = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 4))
    home = np.full(len(case.sizes), -1, dtype=np.int64)
    number = choose(cells, rows.sizes, states, np.array(order), least, most, home)
    chosen: set[int] = set()
    at: dict[int, int] = {}
    for cell in order:
        lost, members = case.cells[cell]
        gainers = [row for row in members if row not in at or case.cells[at[row]][0] > lost]
        if len(chosen) < most and sum(case.sizes[row] for row in gainers) >= least:
            chosen.add(cell)
            at.update(dict.fromkeys(gainers, cell))
    assert (number, set(np.flatnonzero(states.chosen).tolist())) == (len(chosen), chosen)
    assert home.tolist() == [at.get(row, -1) for row in range(len(case.sizes))]


@given(cases(12, 8), st.data(), st.sampled_from([5, 10, 30]))
def test_opening_and_closing_cells_never_costs_more(case: Case, data: st.DataObject, penalty: int) -> None:
    cells, rows, states, scratch = case.arrays()
    home = np.array(
        [
            data.draw(st.sampled_from([-1, *(c for c, (_, members) in enumerate(case.cells) if row in members)]))
            for row in range(len(case.sizes))
        ]
    )
    have = np.zeros(len(case.cells), dtype=np.int64)
    np.add.at(have, home[home >= 0], rows.sizes[home >= 0])
    states.chosen[:] = have > 0
    index = cells_of_items(cells, len(case.sizes))
    for row in range(len(case.sizes)):
        listed = sorted((lost, c) for c, (lost, members) in enumerate(case.cells) if row in members)
        assert index.cells[index.begin[row] : index.begin[row + 1]].tolist() == [c for _, c in listed]
    before = slow.cost(case.cells, case.sizes, case.most, case.need, penalty, home.tolist())
    changes = open_and_close(
        cells, rows, states.chosen, index, np.arange(len(case.cells)), case.need, penalty, 4, home, have,
        scratch,
    )  # fmt: skip
    after = slow.cost(case.cells, case.sizes, case.most, case.need, penalty, home.tolist())
    assert after < before if changes else after == before
    counted = np.zeros_like(have)
    np.add.at(counted, home[home >= 0], rows.sizes[home >= 0])
    assert counted.tolist() == have.tolist()
    assert all(cell < 0 or row in case.cells[cell][1] for row, cell in enumerate(home.tolist()))
    assert not have[states.chosen == 0].any()


COLUMNS = [f"c{n}" for n in range(5)]
TREE: dict[str, Any] = {
    "any": {f"h{a}": {f"q{a}{b}": [str(a * 6 + b * 3 + c) for c in range(3)] for b in range(2)} for a in range(2)}
}


def competing(rows: int, also: bool = False) -> CutProblem:
    """A table in which cells compete for rows: values of five columns, some rare; with another promise if asked."""
    rng = np.random.default_rng(5)
    table = pl.DataFrame({name: rng.zipf(1.5, rows) % 12 for name in COLUMNS}).cast(pl.String)
    table = table.with_columns(ill=pl.Series(rng.random(rows) < 0.2).cast(pl.String))
    protect: list[Any] = [d.KAnonymity(k=5, over=COLUMNS)]
    if also:
        protect.append(d.Template(infer={"ill": "true"}, given=COLUMNS, at_most="50%"))
    columns = {name: d.Column(taxonomy=TREE) for name in COLUMNS}
    return problem_of(table, d.Policy(use=d.General(), protect=protect, columns=columns))


def peeled(problem: CutProblem, monkeypatch: pytest.MonkeyPatch) -> int:
    """What is lost without prices."""
    with monkeypatch.context() as patch:
        patch.setattr(ways, "MOST_PRICED", 0)
        return search.search(problem).lost


def checked(problem: CutProblem) -> int:
    """What is lost, everything else that is promised being checked."""
    found = search.search(problem)
    check(problem, found, ["tight"] * 5, [Fraction(1)] * 5)
    return found.lost


@pytest.mark.parametrize("also", [False, True])
def test_groups_by_prices_lose_less_than_peeled_ones(also: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = competing(1000, also)
    assert checked(problem) < peeled(problem, monkeypatch)


def test_groups_by_prices_are_the_same_compiled() -> None:
    problem = competing(300)
    with always("plain"):
        one = search.search(problem)
    with always("compiled"):
        other = search.search(problem)
    assert one.lost == other.lost
    assert [each.group.tolist() for each in one.groupings] == [each.group.tolist() for each in other.groupings]


@pytest.mark.parametrize("more", [0, 10**9])
def test_whether_more_cells_are_looked_for_first_is_no_matter_of_safety(
    more: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = competing(1000)
    asked: list[int] = []

    def counted(*each: Any) -> Any:
        asked.append(1)
        return cells_in_which(*each)

    monkeypatch.setattr(pricing, "MORE", more)
    monkeypatch.setattr(pricing, "cells_in_which", counted)
    assert checked(problem) < peeled(problem, monkeypatch)
    assert len(asked) == 2


@pytest.mark.parametrize("name", ["MOST_CELLS", "MOST_MEMBERS"])
def test_where_there_are_too_many_cells_groups_stay_peeled(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    problem = competing(300)
    monkeypatch.setattr(pricing, name, 1)
    assert checked(problem) == peeled(problem, monkeypatch)


def test_whoever_ends_the_search_meanwhile_has_groups_that_are_safe() -> None:
    problem = competing(300)
    asked = 0

    def carry_on(_: PeelingWatch) -> bool:
        nonlocal asked
        asked -= 1
        return asked >= 0

    whole = search.search(problem).lost
    lost = []
    for asked in (*range(60), 200):  # noqa: B007 - `carry_on` counts it down
        found = search.search(problem, carry_on=carry_on)
        check(problem, found, ["tight"] * 5, [Fraction(1)] * 5)
        lost.append(found.lost)
    assert lost[-1] == whole < lost[0]


def test_losses_too_large_to_add_are_rounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Prices are whole numbers of larger parts then: not as good, but groups keep every promise."""
    problem = competing(300)
    monkeypatch.setattr(pricing, "LARGEST", 300 * 40)
    assert checked(problem) <= peeled(problem, monkeypatch) * 1.05


def test_many_groups_that_lack_rows_are_dealt(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = competing(1000)
    monkeypatch.setattr(pricing, "MOST_SETTLED", 0)
    assert checked(problem) < peeled(problem, monkeypatch)


@pytest.mark.parametrize("seed", [14, 27, 36, 83, 84, 143])
def test_prices_make_no_small_table_worse(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Groups that begin better may end worse, or hide more than is allowed: then those of peeling are taken."""
    rng = np.random.default_rng(seed)
    age, town = np.floor(10 ** rng.uniform(0, 4, 120)).astype(int).astype(str), rng.choice(["a", "b", "c", "d"], 120)
    policy = d.Policy(protect=[d.KAnonymity(k=20, over=["age", "town"])], columns={"age": d.Column(type="number")})
    problem = problem_of(pl.DataFrame({"age": age, "town": town}), policy)
    found = search.search(problem, most_gone=24)
    with monkeypatch.context() as patch:
        patch.setattr(ways, "MOST_PRICED", 0)
        before = search.search(problem, most_gone=24)
    assert (found.gone > 24, found.lost) <= (before.gone > 24, before.lost)


def test_no_sum_of_prices_runs_over() -> None:
    """A row that loses all there is, in as many cells as there may be, all of them worth that."""
    price, many = 4 * pricing.LARGEST, MOST_VECTORS
    case = Case([(0, frozenset([0]))] * many, [1], [2 * price], 1)
    arrays = case.arrays()
    assert raised(arrays, 1, 1, pricing.LARGEST) == price * (1 - many)
    assert arrays[1].price[0] < price


def test_prices_at_their_highest_stay_there() -> None:
    """They go up by nothing, however large a step is: it would run over."""
    case = Case([(0, frozenset([0]))], [1], [2**52], 2)
    arrays = case.arrays()
    arrays[1].price[0] = 2**52
    for _ in range(40):
        raised(arrays, 2, 1, 2**62)
        assert arrays[1].price[0] == 2**52

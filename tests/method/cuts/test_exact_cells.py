"""Exact search by cells: the best of all cuts is found, whatever columns there are, and no bound is above it."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.common.compiled import always
from discreet.method.cuts.evaluation import Cut, Evaluator
from discreet.method.cuts.every_cut import EveryCut
from discreet.method.cuts.exact import ExactWatch, Proof, search
from discreet.method.cuts.exact_cells import ByCells, serves
from discreet.method.cuts.objective import Candidate, Objective
from discreet.planning.cutting import CutPlanner
from discreet.planning.prepared import prepare
from tests.conftest import load_golden
from tests.method.cuts.test_coordinate import adult_columns
from tests.profiles import FEW
from tests.reference.test_cuts_reference import ADULT, ADULT_PLACES, adult_table

TREE = {"*": {"low": ["a", "b"], "high": ["c", {"top": ["d", "e"]}]}}
KINDS = ("plain", "tree", "number")


def job(seed: int, rows: int, kinds: tuple[str, ...], protect: str, **said: Any) -> CutPlanner:
    """Return a job on a random table whose class has something to do with its columns."""
    draw = random.Random(seed)
    names = [f"{kind}{place}" for place, kind in enumerate(kinds)]
    cells: dict[str, list[str]] = {}
    columns: dict[str, d.Column] = {}
    for name, kind in zip(names, kinds, strict=True):
        cells[name] = [draw.choice("12357" if kind == "number" else "abcde") for _ in range(rows)]
        if kind == "number":
            columns[name] = d.Column(type="number")
        elif kind == "tree":
            columns[name] = d.Column(taxonomy=TREE)
    leans = [sum(value in "abd15" for value in row) for row in zip(*cells.values(), strict=True)]
    label = [str((lean + (draw.random() < 0.3)) % 3) for lean in leans]
    label[:3] = ["0", "1", "2"]
    ill = [draw.choice(["flu", "flu", "cold", "well"]) if lean % 2 else draw.choice(["cold", "well"]) for lean in leans]
    ill[:2] = ["flu", "cold"]  # a policy may only speak of values that some row has
    promises: list[Any] = [d.KAnonymity(k=draw.randint(2, 4), over=names)] if "k" in protect else []
    if "t" in protect:
        share = draw.choice(["40%", "50%", "70%"])
        promises += [d.Template(given=names, infer={"ill": value}, at_most=share) for value in ("flu", "cold")]
    if "l" in protect:
        promises += [d.LDiversity(l=2, of="ill", over=names)]
    table = pl.DataFrame({**cells, "label": label, "ill": ill})
    return CutPlanner(prepare(table, d.Policy(protect=promises, columns=columns, search="exact", **said)).task)


def all_cuts(fast: Evaluator) -> list[Cut]:
    """Return every cut of a small problem, listed by code that bounds nothing."""
    every = EveryCut(fast, Objective(1, 1, (0,) * len(fast.problem.targets), fast.problem.total))
    return [tuple(cut) for cut in product(*every.firsts)]


def proved(planner: CutPlanner, start: Cut, sets: int | None = None) -> Proof:
    fast, objective = planner.evaluator, planner.objective
    outcome = fast.evaluate(start)

    def carry_on(far: ExactWatch) -> bool:
        assert far.bound <= far.best.cost
        return sets is None or far.nodes < sets

    first = Candidate(outcome.cut, outcome, objective.cost(outcome))
    return search(planner.problem, fast, objective, first, carry_on=carry_on, most_work=0)


USES = st.sampled_from(
    [
        d.Classify("label"),
        d.Classify("label", suppressed="dearest", costs={"0": {"1": 3}, "2": {"0": "1/2"}}),
        d.General(),
    ]
)


@pytest.mark.slow
@FEW
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(3, 24),
    kinds=st.lists(st.sampled_from(KINDS), min_size=2, max_size=3).map(tuple),
    protect=st.sampled_from(["k", "t", "kt", "l"]),
    use=USES,
    removes=st.booleans(),
    sets=st.integers(0, 4),
)
def test_no_cut_is_better(
    seed: int, rows: int, kinds: tuple[str, ...], protect: str, use: Any, removes: bool, sets: int
) -> None:
    """Each cut is tried, from the coarsest one; stopped early, the bound is no higher than the best without the lot."""
    suppress = d.Suppress(rows="remove") if removes else d.Suppress()
    planner = job(seed, rows, kinds, protect, use=use, suppress=suppress)
    fast, objective = planner.evaluator, planner.objective
    cuts = all_cuts(fast)
    outcomes = [fast.evaluate(cut) for cut in cuts]
    costs = [objective.cost(each) for each in outcomes if objective.allows(each)]
    start = cuts[seed % len(cuts)]
    proof, stopped = proved(planner, start), proved(planner, start, sets)
    if not costs:
        assert not proof.proven
        return
    assert proof.best.cost == min(costs)
    without_lot = min(
        objective.cost(fast.evaluate(cut, by_lot=False))
        for cut, each in zip(cuts, outcomes, strict=True)
        if each.gone <= objective.most_gone
    )
    assert max(proof.bound, stopped.bound) <= min(costs)
    if not any(each.short for each in outcomes):
        assert proof.proven
    if without_lot == min(costs):
        assert proof.proven
    assert stopped.bound <= proof.bound or not serves(fast, objective)


@FEW
@given(seed=st.integers(0, 10**6), kinds=st.permutations(KINDS), protect=st.sampled_from(["k", "t"]))
def test_bounds_of_cells_are_bounds(seed: int, kinds: list[str], protect: str) -> None:
    """What each set of cuts costs at least is no more than what any cut costs; loops as they stand or compiled."""
    planner = job(seed, 10, tuple(kinds), protect, use=d.Classify("label"))
    fast, objective = planner.evaluator, planner.objective
    assert serves(fast, objective)
    least = min(objective.cost(fast.evaluate(cut, by_lot=False)) for cut in all_cuts(fast))
    found: list[list[int]] = []
    for mode in ("plain", "compiled"):
        with always(mode):
            cells, bounds, settled = ByCells(fast, objective), list[int](), list[int]()

            def settle(cut: Cut, cost: int, settled: list[int] = settled) -> bool:
                assert objective.cost(fast.evaluate(cut, by_lot=False)) == cost
                settled.append(cost)
                return True

            def carry_on(bounds: list[int] = bounds, cells: ByCells = cells) -> bool:
                bounds.append(cells.bound)
                return True

            def upper(settled: list[int] = settled) -> int:
                return min([*settled, 10**18])

            assert cells.run(upper, settle, carry_on)
            assert max(bounds) <= least
            assert bounds == sorted(bounds)
            assert min(settled) == least
            found.append([*bounds, *settled])
    assert found[0] == found[1]


def test_where_it_does_not_serve() -> None:
    """Few cuts for the size of groups alone, limits on suppressed rows, and columns with too many cuts."""
    few = job(1, 12, KINDS, "k", use=d.General())
    assert not serves(few.evaluator, few.objective)
    limited = job(1, 12, KINDS, "k", use=d.Classify("label"), suppress=d.Suppress(limit="10%"))
    assert not serves(limited.evaluator, limited.objective)
    wide = pl.DataFrame(
        {"a": [str(n % 40) for n in range(80)], "b": [str(n % 30) for n in range(80)], "c": ["x", "y"] * 40}
    )
    policy = d.Policy(protect=[d.Template(given=["a", "b"], infer={"c": "x"}, at_most="60%")], search="exact")
    planner = CutPlanner(prepare(wide, policy).task)
    assert not serves(planner.evaluator, planner.objective)


def test_a_stopped_search_has_a_bound() -> None:
    """Stopped before all cells are known, the bound is that of the other search; later it only rises."""
    planner = job(5, 40, ("plain", "tree", "number"), "t", use=d.Classify("label"))
    coarsest = tuple(np.full(c.space.size, -1 if c.space.plain else 0) for c in planner.problem.columns)
    bounds = [proved(planner, coarsest, sets).bound for sets in (0, 1, 4, 10**9)]
    assert bounds == sorted(bounds)
    assert bounds[0] >= 0


@pytest.mark.nightly
def test_the_fewest_misjudged_rows_of_adult(data_dir: Path) -> None:
    """The best cut known for k = 250 misjudges fewest rows, and of all such cuts loses least."""
    golden = load_golden("ga_adult.json")
    table = adult_table(data_dir)
    frame = pl.DataFrame(table.rows, schema=list(ADULT_PLACES), orient="row")
    over = ADULT["columns"]
    policy = d.Policy(
        use=d.Classify(frame.columns[-1]),
        protect=[d.KAnonymity(k=250, over=over)],
        columns=adult_columns(golden),
        search="exact",
    )
    planner = CutPlanner(prepare(frame, policy).task)
    coarsest = tuple(np.full(c.space.size, -1 if c.space.plain else 0) for c in planner.problem.columns)
    proof = proved(planner, coarsest)
    assert proof.proven
    assert proof.best.cost // planner.objective.weights[0] == 5_478

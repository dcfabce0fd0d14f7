"""No bound is above what any real release costs: rows left out may stand beside rows of which a cut tells nothing."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import discreet as d
from discreet.common.watch import Watch
from discreet.method.base.space import Node, Space
from discreet.method.cuts.every_cut import MOST_WORK, EveryCut
from discreet.method.cuts.exact import search
from discreet.method.cuts.exact_cells import ByCells
from discreet.method.cuts.lot_costs import least_for_lots
from discreet.method.cuts.objective import Candidate, Objective
from discreet.method.cuts.untold import may_be_untold
from discreet.pipeline import _verified
from discreet.plan.search_bound import SearchBound
from discreet.planning.carrying_out import CarriedOut, carry_out
from discreet.planning.cutting import CutPlanner
from discreet.planning.prepared import PreparedJob, prepare
from tests.method.cuts.test_exact_cells import KINDS, TREE, all_cuts
from tests.profiles import FEW

MOST_CUTS = 120


def job(seed: int, rows: int, kinds: tuple[str, ...], use: Any, limit: str) -> PreparedJob:
    """Return a random table whose promises know the same columns, or each some of them."""
    draw = random.Random(seed)
    names = [f"{kind}{place}" for place, kind in enumerate(kinds)]
    cells, columns = dict[str, list[str]](), dict[str, d.Column]()
    for name, kind in zip(names, kinds, strict=True):
        cells[name] = [draw.choice("123" if kind == "number" else "abcd") for _ in range(rows)]
        if kind != "plain":
            columns[name] = d.Column(type="number") if kind == "number" else d.Column(taxonomy=TREE)
    leans = [sum(value in "ab1" for value in row) for row in zip(*cells.values(), strict=True)]
    label = [str((lean + (draw.random() < 0.3)) % 2) for lean in leans]
    ill = [draw.choice(["flu", "cold"] if lean % 2 else ["cold", "cold", "flu"]) for lean in leans]
    protect: list[Any] = []
    for _ in range(draw.randint(1, 2)):
        known = names if draw.random() < 0.5 else draw.sample(names, draw.randint(1, len(names)))
        if draw.random() < 0.4:
            protect.append(d.KAnonymity(k=draw.randint(2, 4), over=known))
        else:
            share = draw.choice(["50%", "60%", "80%"])
            protect.append(d.Template(given=known, infer={"ill": draw.choice(sorted(set(ill)))}, at_most=share))
    columns = {name: told for name, told in columns.items() if any(name in str(one) for one in protect)}
    policy = d.Policy(use=use, protect=protect, columns=columns, search="exact", suppress={"limit": limit})
    return prepare(pl.DataFrame({**cells, "label": label, "ill": ill}), policy)


def cost_of(planner: CutPlanner, found: PreparedJob, made: CarriedOut) -> float:
    """Return what a release costs: rows misjudged before all detail; counted from what it tells, and its detail."""
    release = _verified(made, Watch())
    assert release.audit.detail is not None
    rows = planner.problem.total
    cost = (1 - release.audit.detail) * planner.evaluator.units.per_row * rows * planner.objective.loss
    if planner.objective.weights:
        told = release.table
        assert isinstance(told, pl.DataFrame)
        texts = list(zip(*(told[name] for name in found.bound.changeable), strict=True))
        gone = set(made.plan.suppressed)
        groups: dict[Any, list[str]] = {}
        for number, text, label in zip(range(1, rows + 1), texts, told["label"], strict=True):
            if number not in gone:
                groups.setdefault(text, []).append(label)
        wrong = sum(len(group) - max(map(group.count, group)) for group in groups.values())
        cost += planner.objective.weights[0] * (wrong + len(gone))
    return cost


def releases(planner: CutPlanner, found: PreparedJob) -> Iterator[float]:
    """Yield what releases by all cuts cost."""
    for cut in all_cuts(planner.evaluator):
        outcome = planner.evaluator.evaluate(cut)
        plan = planner.plan(Candidate(outcome.cut, outcome, 0))
        for seed in range(2 if outcome.short else 1):
            try:
                made = carry_out(plan, found.task, found.source, Watch(), seed)
            except d.TooManySuppressed:
                continue
            yield cost_of(planner, found, made)


@pytest.mark.slow
@FEW
@given(
    seed=st.integers(0, 10**6),
    rows=st.integers(2, 14),
    kinds=st.lists(st.sampled_from(KINDS), min_size=1, max_size=3).map(tuple),
    use=st.sampled_from([d.General(), d.Classify("label")]),
    limit=st.sampled_from(["100%", "50%"]),
    most_work=st.sampled_from([0, MOST_WORK]),
)
def test_no_release_costs_less_than_the_bound(
    seed: int, rows: int, kinds: tuple[str, ...], use: Any, limit: str, most_work: int
) -> None:
    """Each cut is carried out, with its lot; so is the best one, whose bound is then a share of what it costs."""
    try:
        found = job(seed, rows, kinds, use, limit)
        planner = CutPlanner(found.task)
        every = EveryCut(planner.evaluator, Objective(1, 1, (0,) * len(planner.problem.targets), rows))
        assume(every.total <= MOST_CUTS)
        plan = planner.run(Watch())
    except (d.ImpossiblePromise, d.PolicyError):
        assume(False)
    costs = list(releases(planner, found))
    assert costs
    start = planner.evaluator.evaluate(all_cuts(planner.evaluator)[seed % every.total])
    first = Candidate(start.cut, start, planner.objective.cost(start))
    proof = search(planner.problem, planner.evaluator, planner.objective, first, most_work=most_work)
    slack = 1e-9 * max(costs) + 1e-6
    assert proof.bound <= min(costs) + slack
    for lot in range(3):
        try:
            made = carry_out(plan, found.task, found.source, Watch(), lot)
        except d.TooManySuppressed:
            continue
        assert made.plan.proof is None
        assert made.plan.bound is not None
        assert made.plan.bound * cost_of(planner, found, made) <= min(costs) * (1 + 1e-8) + slack


def test_rows_left_out_beside_hidden_ones() -> None:
    """The judge reads like the clerks where these are hidden: three rows more are not needed, as a cut was said to."""
    frame = pl.DataFrame({"job": ["cook"] * 3 + ["clerk"] * 3 + ["judge"]})
    policy = d.Policy(protect=[d.KAnonymity(k=3, over=["job"])], search="exact")
    release = d.protect(frame, policy, seed=1)
    found = prepare(frame, policy)
    planner = CutPlanner(found.task)
    best = min(releases(planner, found))
    assert best == pytest.approx(planner.evaluator.units.per_row)  # of one row
    assert release.plan.bound is not None
    assert release.plan.bound * (1 - release.plan.detail) * 7 <= 1 + 1e-9
    assert release.plan.bound < 1


def test_what_rows_beside_help() -> None:
    """Rows that may read like those left out cost nothing; with too few rows there is no release."""
    frame = pl.DataFrame({"job": ["cook"] * 3 + ["clerk"] * 2 + ["judge"]})
    planner = CutPlanner(prepare(frame, d.Policy(protect=[d.KAnonymity(k=3, over=["job"])], search="exact")).task)
    sizes = planner.problem.sizes
    gone, worth = sizes == 1, np.full(len(sizes), 10)
    nobody = np.zeros(len(sizes), dtype=np.bool_)
    assert least_for_lots(planner.problem, gone, [nobody], worth, 999) == 20
    assert least_for_lots(planner.problem, gone, [sizes == 2], worth, 999) == 0
    assert least_for_lots(planner.problem, sizes != 2, [nobody], worth, 999) == 0
    few = CutPlanner(prepare(frame, d.Policy(protect=[d.KAnonymity(k=9, over=["job"])], search="exact")).task)
    assert least_for_lots(few.problem, gone, [nobody], worth, 999) == 999


def test_which_parts_may_read_like_a_hidden_cell() -> None:
    plain = Space(3)
    assert may_be_untold(plain, np.array([0, -1, -1]), several=False).tolist() == [False, True, True]
    assert not may_be_untold(plain, np.arange(3), several=True).any()
    assert may_be_untold(plain, np.arange(3), several=False, twins=True).all()
    tree = Space(4, (Node(0, 4, (1, 2)), Node(0, 1), Node(1, 4, interval=True)), np.array([False, False, True, True]))
    assert may_be_untold(tree, np.zeros(4, dtype=int), several=False).all()
    assert may_be_untold(tree, np.array([0, 1, 1, 1]), several=False).tolist() == [False, True, True, True]
    assert not may_be_untold(tree, np.array([0, 1, 1, 3]), several=False).any()
    assert may_be_untold(tree, np.array([0, 1, 1, 3]), several=True).tolist() == [False, True, True, True]


def test_a_bound_beside_what_the_lot_costs() -> None:
    found = SearchBound(least=80, cost=100, gone=4, each=10)
    assert found.share(4) == 0.8
    assert found.share(6) == pytest.approx(80 / 120, abs=1e-9)
    assert found.share(3) == 0.8
    assert SearchBound(100, 100, 4, None).share(4) == 1.0
    assert SearchBound(100, 100, 4, None).share(5) is None
    nearly = 1 - 1e-9
    assert SearchBound(100, 100, 4, 0).share(5) == SearchBound(100, 100, 4, 0).share(3) == nearly
    assert SearchBound(-5, 100, 4, 0).share(4) == nearly


@pytest.mark.slow
def test_no_cut_is_better_beside_a_population(tmp_path: Path) -> None:
    """What people of a population may tell apart is not what a template knows: cells of all columns are no groups."""
    register, proofs = tmp_path / "register.csv", 0
    for seed in range(40):
        draw = random.Random(seed)
        people = [[draw.choice("abc"[: draw.randint(2, 3)]) for _ in "AB"] for _ in range(draw.randint(15, 40))]
        register.write_text("A,B\n" + "\n".join(map(",".join, people)) + "\n")
        rows = [(*person, draw.choice(["flu", "cold"])) for person in draw.sample(people, draw.randint(4, 12))]
        protect: list[Any] = [
            {"k": draw.randint(2, 6), "over": ["A", "B"], "among": str(register)},
            {"infer": {"ill": "cold"}, "given": draw.sample("AB", draw.randint(1, 2)), "at_most": "60%"},
        ]
        rows[0] = (*rows[0][:2], "cold")
        frame = pl.DataFrame(rows, schema=["A", "B", "ill"], orient="row")
        suppress = {"rows": draw.choice(["mask", "remove"])}
        policy = d.Policy.from_dict({"protect": protect, "search": "exact", "suppress": suppress})
        planner = CutPlanner(prepare(frame, policy).task)
        fast, objective = planner.evaluator, planner.objective
        every = [fast.evaluate(cut) for cut in all_cuts(fast)]
        allowed = [Candidate(each.cut, each, objective.cost(each)) for each in every if objective.allows(each)]
        if not allowed:
            continue
        best = min(each.cost for each in allowed)
        proof = search(planner.problem, fast, objective, allowed[-1], most_work=0)
        assert proof.best.cost == best
        assert proof.bound <= best
        proofs += proof.proven
    assert proofs > 10


def test_the_bound_of_cells_while_a_set_is_looked_at() -> None:
    """The set that is being looked at counts, too, when it is asked whether to go on."""
    found = job(3, 12, ("plain", "plain", "plain"), d.Classify("label"), "100%")
    planner = CutPlanner(found.task)
    cells = ByCells(planner.evaluator, planner.objective, 7)
    cells.queue.clear()
    cells.now = 7
    assert cells.bound == 7

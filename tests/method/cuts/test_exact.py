"""Exact search finds the best of all cuts, its bound is never above it, and it never claims a proof without one."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import discreet as d
from discreet.cli.show.measures import how_far
from discreet.common.watch import Watch
from discreet.method.cuts.bits import cuts_of
from discreet.method.cuts.coordinate import cut_of
from discreet.method.cuts.evaluation import Cut, Evaluator
from discreet.method.cuts.every_cut import MOST_WORK
from discreet.method.cuts.exact import ExactWatch, Proof, search
from discreet.method.cuts.exact_frame import NEVER
from discreet.method.cuts.objective import Candidate, Objective
from discreet.method.cuts.untold import several_sets, surely_left_out
from discreet.pipeline import _verified
from discreet.planning.carrying_out import carry_out
from discreet.planning.cutting import CutPlanner
from discreet.planning.objectives import objectives
from discreet.planning.prepared import prepare
from tests.conftest import load_golden
from tests.jobs import Job, mixed_jobs
from tests.method.cuts.test_coordinate import adult_columns, evaluator, reference
from tests.reference import cuts as slow
from tests.reference.test_cuts_reference import ADULT, adult_table

MOST_CUTS = 300


def all_cuts(job: Job, fast: Evaluator) -> list[Cut]:
    """Every cut there is, as the slow version lists them."""
    table, _ = reference(job)
    columns = fast.problem.columns
    cuts = cuts_of([column.space for column in columns], [column.pinned for column in columns])
    found: list[Cut] = []
    for cut in table.cuts():
        found.append(cut_of(np.array(table.bits(cut), dtype=np.uint8), cuts))
        assume(len(found) <= MOST_CUTS)
    return found


def prove(fast: Evaluator, objective: Objective, start: Cut, nodes: int | None = None, most_work: int = 0) -> Proof:
    """Search from some cut, as long as so many sets of cuts, or cut by cut."""
    outcome = fast.evaluate(start)

    def carry_on(far: ExactWatch) -> bool:
        assert far.bound <= far.best.cost
        assert far.nodes <= 10 * MOST_CUTS, "it does not end"
        return nodes is None or far.nodes < nodes

    first = Candidate(start, outcome, objective.cost(outcome))
    return search(fast.problem, fast, objective, first, carry_on=carry_on, most_work=most_work)


def at_first(fast: Evaluator, objective: Objective, cut: Cut) -> int:
    """What a cut costs when only rows are left out of groups that break a promise at first; NEVER if these are many."""
    outcome = fast.evaluate(cut, by_lot=False)
    if several_sets(fast):
        anywhere = [np.ones(len(fast.problem.sizes), dtype=np.bool_) for _ in fast.problem.tables]
        outcome = fast.without(cut, surely_left_out(fast, cut, anywhere))
    return objective.cost(outcome) if outcome.gone <= objective.most_gone else NEVER


def luckiest(fast: Evaluator, objective: Objective, cut: Cut) -> int:
    """What a cut costs when the lot draws the rows that have lost most and have not the property they are to hide."""
    cost = objective.cost(fast.evaluate(cut, by_lot=False))
    outcome = fast.evaluate(cut)
    problem = fast.problem
    if any(objective.weights) or not outcome.short:
        return cost
    losses = fast.losses(outcome.cut)
    rows = [
        (row, sum(int(losses[fast.offsets[c] + codes[row]]) for c, codes in enumerate(problem.codes)))
        for row in range(len(problem.sizes))
    ]
    most = 0
    for table in problem.tables:
        for one in table.limits:
            person, limit = one.measure == "rows", one.at_most
            hits = table.sizes if person else table.hits[one.first]
            drawn = 0
            for number in set(table.fixed[outcome.left_out].tolist()):
                gone = outcome.left_out & (table.fixed == number)
                has, size = 1 if person else int(hits[gone].sum()), int(table.sizes[gone].sum())
                spare = sorted(
                    objective.gone - objective.loss * lost
                    for row, lost in rows
                    if table.fixed[row] == number and not outcome.left_out[row]
                    for _ in range(int(table.sizes[row]) - (0 if person else int(hits[row])))
                )
                while has > limit * size:
                    if not spare:
                        return NEVER
                    drawn += spare.pop(0)
                    size += 1
            most = max(most, drawn)
    return cost + most


@pytest.mark.slow
@given(mixed_jobs(most_rows=12, search="coordinate"), st.data())
def test_the_best_of_all_cuts_is_found_and_no_bound_is_above_it(job: Job, data: st.DataObject) -> None:
    """Whatever is asked: uses, promises, several sets of known columns, a limit; by the paper's rule and by ours."""
    fast = evaluator(
        job,
        few_may_pass=data.draw(st.booleans()),
        hides_outermost=data.draw(st.booleans()),
        whole=isinstance(job.policy.use, d.Counts),
    )
    cuts = all_cuts(job, fast)
    objective = objectives(fast, job.policy, data.draw(st.sampled_from([len(job.rows), len(job.rows) // 2])))[1]
    allowed = [cut for cut in cuts if objective.allows(fast.evaluate(cut))]
    costs = [objective.cost(fast.evaluate(cut)) for cut in allowed]
    start = data.draw(st.sampled_from(cuts))
    most_work = data.draw(st.sampled_from([0, MOST_WORK]))
    proof = prove(fast, objective, start, most_work=most_work)
    stopped = prove(fast, objective, start, data.draw(st.integers(0, 12)), most_work)
    if not allowed:
        assert not proof.proven
        assert not stopped.proven
        return
    assert proof.best.cost == min(costs) == objective.cost(fast.evaluate(proof.best.cut))
    assert objective.allows(proof.best.outcome)
    assert stopped.best.cost >= min(costs) or not objective.allows(stopped.best.outcome)
    assert not stopped.proven or stopped.best.cost == min(costs)
    least = min(luckiest(fast, objective, cut) for cut in allowed)
    assert proof.bound <= least
    assert stopped.bound <= least
    if min(at_first(fast, objective, cut) for cut in cuts) == proof.best.cost:
        assert proof.proven


@pytest.mark.slow
@given(mixed_jobs(most_rows=9, search="coordinate"), st.sampled_from([0, MOST_WORK]))
def test_the_proof_agrees_with_the_slow_version(job: Job, most_work: int) -> None:
    """The least loss of detail by the paper's rule, counted by code that shares nothing with the search."""
    fast = evaluator(job, few_may_pass=True)
    cuts = all_cuts(job, fast)
    table, wanted = reference(job)
    assume(table.changeable)
    objective = Objective(1, fast.units.per_row, (0,) * len(fast.problem.targets), len(job.rows))
    proof = prove(fast, objective, cuts[0], most_work=most_work)
    found = slow.best_cuts(table, wanted, slow.lm, "paper")
    assert found is not None
    assert proof.proven
    assert Fraction(proof.bound, fast.units.per_row * len(job.rows)) == found[0]


@given(mixed_jobs(most_rows=14, search="coordinate"), st.integers(0, 100))
def test_every_release_is_verified_and_says_how_far_the_best_may_be(job: Job, seed: int) -> None:
    """Whatever is asked together; stopped after a while, so that large spaces take no longer."""
    policy = job.policy.model_copy(update={"search": "exact"})
    bounds: list[float] = []

    def watch(progress: d.Progress) -> bool:
        bounds.extend([] if progress.bound is None else [progress.bound])
        return len(bounds) < 20

    try:
        release = d.protect(job.frame, policy, seed=seed, progress=watch)
    except d.ImpossiblePromise:
        return
    assert release.audit.verification.holds
    assert all(0 <= bound < 1 for bound in bounds)
    assert release.audit.bound == release.plan.bound
    assert release.plan.bound is None or 0 <= release.plan.bound <= 1
    assert d.Plan.from_json(release.plan.to_json()) == release.plan
    assert release.plan.apply(job.frame).plan.bound is None


def town() -> pl.DataFrame:
    ages = [21, 22, 25, 25, 31, 33, 38, 40, 41, 47, 52, 58, 60, 66, 71, 72]
    towns = ["Oslo", "Oslo", "Rome", "Bari", "Rome", "Oslo", "Turku", "Rome"]
    return pl.DataFrame({"age": [str(age) for age in ages], "town": towns * 2})


def town_policy(**said: Any) -> d.Policy:
    tree = {"*": {"North": ["Oslo", "Turku"], "South": ["Bari", "Rome"]}}
    columns = {"age": d.Column(type="number"), "town": d.Column(taxonomy=tree)}
    return d.Policy(protect=[d.KAnonymity(k=3, over=["age", "town"])], columns=columns, search="exact", **said)


def test_a_stopped_search_says_how_far_the_best_may_be() -> None:
    stopped = d.protect(town(), town_policy(), time_limit=0)
    assert not stopped.plan.complete
    assert stopped.plan.bound is not None
    assert 0 <= stopped.plan.bound < 1
    whole = d.protect(town(), town_policy())
    assert whole.plan.complete
    assert whole.plan.bound == 1.0
    assert stopped.plan.bound * (1 - stopped.plan.detail) <= 1 - whole.plan.detail + 1e-9


def few_rows(seed: int) -> tuple[pl.DataFrame, d.Policy]:
    """Four columns of four values each: 32,768 cuts and more, and few rows."""
    draw = random.Random(seed)
    rows = draw.choice([8, 10, 12, 14])
    table = pl.DataFrame({column: [draw.choice("abcd") for _ in range(rows)] for column in "ABCDS"})
    templates = [
        d.Template(given=list("ABCD"), infer={"S": "a"}, at_most="60%"),
        d.Template(given=list("AB"), infer={"S": "b"}, at_most="50%"),
    ]
    return table, d.Policy(protect=templates, search="exact")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 3, 8])
def test_a_small_space_is_proven_with_templates_too(seed: int) -> None:
    release = d.protect(*few_rows(seed), seed=0)
    assert release.plan.complete
    assert release.plan.bound == 1.0


@pytest.mark.slow
def test_no_proof_where_a_lucky_draw_would_beat_the_best() -> None:
    """A cut that needs rows drawn by lot keeps more detail in one draw of some: the bound says as much."""
    table, policy = few_rows(14)
    release = d.protect(table, policy, seed=0)
    assert release.plan.complete
    assert release.plan.bound is not None
    job = prepare(table, policy)
    planner = CutPlanner(job.task)
    cut = tuple(map(np.array, ([0, -1, -1, 3], [-1, 1, -1, -1], [0, 1, -1], [0, 1, 2, -1])))  # shown codes
    outcome = planner.evaluator.evaluate(cut)
    plan = planner.plan(Candidate(outcome.cut, outcome, planner.objective.cost(outcome)))
    lucky = max(
        _verified(carry_out(plan, job.task, job.source, Watch(), seed), Watch()).audit.detail or 0.0
        for seed in range(12)
    )
    assert lucky > release.plan.detail
    assert 1 - lucky >= release.plan.bound * (1 - release.plan.detail) - 1e-9


@pytest.mark.slow
def test_with_templates_the_bound_rises_as_sets_of_cuts_are_looked_at() -> None:
    """A group that is too sure when little is decided loses rows in every cut of the set."""
    table, policy = few_rows(1)
    fast = CutPlanner(prepare(table, policy).task)
    coarsest = tuple(np.full(column.space.size, -1) for column in fast.problem.columns)
    start = fast.evaluator.evaluate(coarsest)
    bounds: list[int] = []

    def watch(far: ExactWatch) -> bool:
        bounds.append(far.bound)
        return far.nodes < 400

    first = Candidate(coarsest, start, fast.objective.cost(start))
    search(fast.problem, fast.evaluator, fast.objective, first, carry_on=watch, most_work=0)
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1]


def test_the_bound_of_a_plan_is_a_share() -> None:
    plan = d.protect(town(), town_policy()).plan
    for bad in (1.5, -0.1, True, "1", [1]):
        text = plan.to_json().replace('"bound": 1.0', f'"bound": {json.dumps(bad)}')
        assert text != plan.to_json()
        with pytest.raises(d.InputError, match="not a whole plan"):
            d.Plan.from_json(text)
    body = json.loads(plan.to_json())
    del body["bound"]  # a plan from before there were bounds
    assert d.Plan.from_json(json.dumps(body)) == replace(plan, bound=None)


def test_bounds_in_words() -> None:
    assert how_far(1.0) == "proven best"
    assert how_far(0.999999999) == "at most 0.1% above the best possible"
    assert how_far(1 / 1.0321) == "at most 3.3% above the best possible"
    assert "nothing is known" in how_far(0.0)


def test_what_is_said_where_rows_are_drawn_by_lot() -> None:
    """One row does not fit, two more are drawn to hide it among: the bound is a share of what all that costs."""
    frame = pl.DataFrame({"job": ["cook"] * 6 + ["clerk"] * 6 + ["judge"]})
    policy = d.Policy(protect=[d.KAnonymity(k=3, over=["job"])], search="exact", suppress={"limit": "50%"})
    release = d.protect(frame, policy, seed=1)
    assert release.audit.suppressed == 3
    assert release.plan.bound == pytest.approx(1 / 3)  # hidden cooks, and the judge beside them: one row is suppressed
    numbers = frame.with_columns(pay=pl.Series([str(n % 4) for n in range(13)]))
    policy = policy.model_copy(update={"use": d.Regress("pay")})
    drawn = d.protect(numbers, policy, seed=1)
    assert (drawn.plan.bound is None) == (drawn.audit.suppressed > 1)  # a row may cost less when it is left out


def test_options_and_frontier_fit_the_search() -> None:
    assert town_policy(suppress={"limit": "10%"}).method == "exact"
    with pytest.raises(d.PolicyError, match="disclosure: is an option of 'search: disclosure'"):
        town_policy(disclosure={"split": "best"})
    points = d.frontier(town(), town_policy(), ["2", "4"]).points
    assert [point.possible for point in points] == [True, True]


@pytest.mark.slow
def test_adult_is_proven(data_dir: Path) -> None:
    """The whole of the search on real data: the least loss of detail with at least 2,000 rows in each group."""
    table = adult_table(data_dir)
    golden = load_golden("ga_adult.json")
    frame = pl.DataFrame([row[: len(ADULT["columns"])] for row in table.rows], schema=ADULT["columns"], orient="row")
    policy = d.Policy(
        protect=[d.KAnonymity(k=2000, over=ADULT["columns"])], columns=adult_columns(golden), search="exact"
    )
    release = d.protect(frame, policy)
    assert release.plan.bound == 1.0
    coordinate = d.protect(frame, policy.model_copy(update={"search": "coordinate"}))
    assert release.plan.detail >= coordinate.plan.detail

"""Cuts are evaluated as the slow version does, and coordinate search finds good ones that keep every promise."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.common.watch import Watch
from discreet.method.cuts import column_steps, evaluation
from discreet.method.cuts.bits import cuts_of
from discreet.method.cuts.column_steps import ColumnSteps
from discreet.method.cuts.coordinate import CoordinateWatch, cut_of, search
from discreet.method.cuts.evaluation import Evaluator
from discreet.method.cuts.objective import Objective
from discreet.planning import cutting
from discreet.planning.prepared import prepare
from discreet.planning.problem import cut_problem
from discreet.policy import Inference
from tests.conftest import load_golden
from tests.jobs import Job, mixed_jobs
from tests.method.disclosure.test_search import _kind as kind_of
from tests.profiles import in_short
from tests.reference import cuts as slow
from tests.reference import disclosure as promises
from tests.reference.test_cuts_reference import ADULT, adult_table


def reference(job: Job) -> tuple[slow.Table, list[promises.Requirement]]:
    policy = job.policy
    wanted: list[promises.Requirement] = [
        promises.Template(p.given, p.column, p.value, p.at_most)
        if isinstance(p, Inference)
        else promises.KAnonymity(p.given, p.least_rows)
        for p in policy.promises()
    ]
    changeable = prepare(job.frame, policy).bound.changeable
    kinds = {name: kind_of(column) for name, column in policy.columns.items()}
    missing = frozenset({None, *(policy.missing.values if policy.missing is not None else ())})
    return slow.Table(tuple(job.columns), tuple(job.rows), changeable, kinds, missing), wanted


def costs_of(goal: d.Classify, job: Job) -> slow.Costs | None:
    if goal.costs is None:
        return None
    values = {row[job.columns.index(goal.target)] for row in job.rows}
    return {one: {other: goal.costs.cost(one, other) for other in values} for one in values}


def evaluator(job: Job, **options: Any) -> Evaluator:
    task = prepare(job.frame, job.policy).task
    return Evaluator(cut_problem(task.bound, task.columns, list(job.policy.promises()), task.counted), **options)


@given(mixed_jobs(most_rows=14, search="coordinate"), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_a_cut_is_evaluated_as_the_slow_version_does(job: Job, seed: int, density: float) -> None:
    table, wanted = reference(job)
    fast = evaluator(job, few_may_pass=True)
    columns = fast.problem.columns
    cuts = cuts_of([column.space for column in columns], [column.pinned for column in columns])
    bits = cuts.random(density, np.random.default_rng(seed))
    outcome = fast.evaluate(cut_of(bits, cuts))
    expected = slow.evaluate(table, table.cut(tuple(bits.tolist())), wanted, "paper")
    assert outcome.gone == len(expected.suppressed)
    if table.changeable:
        lost = Fraction(outcome.lost + outcome.gone * fast.units.per_row, fast.units.per_row * len(job.rows))
        assert lost == slow.lm(expected)
    for goal, target, kept, dropped in zip(
        job.policy.goals, fast.problem.targets, outcome.kept, outcome.dropped, strict=True
    ):
        if goal.inputs is not None:
            continue
        found = Fraction(kept + dropped, target.whole)
        if isinstance(goal, d.Regress):
            assert goal.suppressed != "beside"
            assert float(found) == pytest.approx(
                float(slow.rm(expected, goal.target, by=goal.by, suppressed=goal.suppressed)), rel=1e-9, abs=1e-9
            )
        else:
            assert isinstance(goal, d.Classify)
            assert goal.suppressed != "beside"
            assert found == slow.cm(expected, "class", costs=costs_of(goal, job), suppressed=goal.suppressed)


@pytest.mark.slow
@given(mixed_jobs(most_rows=8, search="coordinate"))
def test_never_better_than_the_best_of_all_cuts_and_often_as_good(job: Job) -> None:
    """By the paper's rule; with one set of known columns and a few kicks the best of all is found."""
    table, wanted = reference(job)
    fast = evaluator(job, few_may_pass=True)
    total = len(job.rows)
    if not table.changeable or len(list(islice(table.cuts(), 401))) > 400:
        return
    found = search(
        fast.problem,
        fast,
        Objective(1, fast.units.per_row, (0,) * len(fast.problem.targets), total),
        kicks=30,
        rng=np.random.default_rng(1),
    )
    lost = Fraction(found.outcome.lost + found.outcome.gone * fast.units.per_row, fast.units.per_row * total)
    least = min(slow.lm(slow.evaluate(table, cut, wanted, "paper")) for cut in table.cuts())
    assert lost >= least
    if len(fast.problem.tables) == 1 and not any(column.space.plain for column in fast.problem.columns):
        assert lost == least


@given(mixed_jobs(search="coordinate"))
def test_what_is_remembered_changes_nothing(job: Job) -> None:
    """Best cuts of a column beside the same cuts of others, and what cuts came to."""
    found = []
    for most in (column_steps.MOST_KEPT, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(column_steps, "MOST_KEPT", most)
            patch.setattr(column_steps, "FEW_ROWS", 0)
            fast = evaluator(job, hides_outermost=True)
            weights = (2,) * len(fast.problem.targets)
            objective = Objective(1, fast.units.per_row, weights, len(job.rows), len(job.rows))
            best = search(fast.problem, fast, objective, kicks=8, rng=np.random.default_rng(1))
        found.append((best.cost, [firsts.tolist() for firsts in best.cut], best.outcome.left_out.tolist()))
    assert found[0] == found[1]


@given(mixed_jobs(search="coordinate"), st.integers(0, 100))
def test_every_release_is_verified_and_can_be_made_again(job: Job, seed: int) -> None:
    """Whatever is asked together: k, templates, several sets of columns, columns that never change."""
    try:
        release = d.protect(job.frame, job.policy, seed=seed)
    except d.ImpossiblePromise as impossible:
        assert impossible.least
        return
    assert release.audit.verification.holds
    assert release.audit.verification.truthful.answer is d.Answer.HOLDS
    again = d.protect(job.frame, job.policy, seed=seed)
    assert again.table.equals(release.table)  # type: ignore[attr-defined]
    marked = [release.table[name] == "*" for name in prepare(job.frame, job.policy).bound.changeable]  # type: ignore[index]
    for number in release.plan.suppressed:
        assert all(cells[number - 1] for cells in marked)
    plan = d.Plan.from_json(release.plan.to_json())
    assert plan == release.plan
    assert plan.apply(job.frame).audit.verification.holds


def test_rows_left_over_are_never_fewer_than_k() -> None:
    """One odd row: masked alone it would stand out, so others, drawn by lot, keep it company."""
    table = pl.DataFrame({"age": ["30"] * 20 + ["99"], "ill": ["no"] * 21})
    policy = d.Policy(protect=[d.KAnonymity(k=4, over=["age"])], columns={"age": d.Column(type="number")})
    seen = set()
    for _ in range(8):
        release = d.protect(table, policy)
        assert len(release.plan.suppressed) in (0, 4)
        seen.add(release.plan.suppressed)
        assert not any("lot" in warning for warning in release.audit.warnings)
    assert len(seen) > 1 or seen == {()}  # by lot
    fixed = [d.protect(table, policy, seed=3) for _ in range(2)]
    assert fixed[0].plan == fixed[1].plan
    if fixed[0].plan.suppressed:
        assert "can repeat" in fixed[0].audit.warnings[-1]


def test_left_over_rows_rich_in_the_property_are_diluted() -> None:
    """Masked rows keep templates too."""
    towns = ["a"] * 30 + ["b", "c", "d"]
    table = pl.DataFrame({"town": towns, "ill": ["no"] * 25 + ["yes"] * 5 + ["yes"] * 3})
    policy = d.Policy(
        protect=[
            d.KAnonymity(k=3, over=["town"]),
            d.Template(given=["town"], infer={"ill": "yes"}, at_most="50%"),
        ]
    )
    release = d.protect(table, policy)
    assert release.audit.verification.holds


@pytest.mark.parametrize(("limit", "most"), [("0%", 0), ("10%", 3), ("100%", 33)])
def test_no_more_rows_are_suppressed_than_allowed(limit: str, most: int) -> None:
    rng = np.random.default_rng(0)
    table = pl.DataFrame({name: [str(n) for n in rng.integers(0, 9, 33)] for name in ("a", "b")})
    number = d.Column(type="number")
    policy = d.Policy(
        protect=[d.KAnonymity(k=3, over=["a", "b"])], columns={"a": number, "b": number}, suppress={"limit": limit}
    )
    release = d.protect(table, policy)
    assert len(release.plan.suppressed) <= most
    assert release.audit.suppressed == len(release.plan.suppressed)


def test_new_rows_may_need_more_suppression_than_allowed() -> None:
    table = pl.DataFrame({"age": [str(n // 5) for n in range(50)]})
    policy = d.Policy(
        protect=[d.KAnonymity(k=5, over=["age"])], columns={"age": d.Column(type="number")}, suppress={"limit": "10%"}
    )
    plan = d.protect(table, policy).plan
    with pytest.raises(d.TooManySuppressed, match="of 12 rows would have to be suppressed, more than 10%"):
        plan.apply(pl.DataFrame({"age": ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "0", "1"]}))


@pytest.mark.parametrize(
    ("said", "message"),
    [
        (
            {"search": "disclosure", "suppress": {"limit": "5%"}},
            "suppress: is an option of 'search: coordinate' or 'search: genetic' or 'search: exact'",
        ),
        ({"disclosure": {"split": "best"}}, "disclosure: is an option of 'search: disclosure'"),
        ({"search": "disclosure", "use": d.Regress("x", by="median")}, "search: disclosure does not know 'by: median'"),
        ({"search": "disclosure", "use": ["general", d.Regress("x")]}, "search: disclosure does not know several uses"),
        ({"search": "disclosure", "use": d.Classify("x", costs={"a": {"b": 2}})}, "does not know 'costs'"),
        ({"search": "disclosure", "use": d.Classify("x", suppressed="group")}, "does not know 'suppressed: group'"),
        ({"suppress": {"limit": "150%"}}, "suppress.limit"),
        ({"search": "luck"}, "search: write one of 'disclosure', 'coordinate', 'genetic' or 'exact'"),
    ],
)
def test_options_fit_the_search(said: dict[str, Any], message: str) -> None:
    with pytest.raises(d.PolicyError) as error:
        d.Policy(protect=[d.KAnonymity(k=2, over=["a"])], **said)
    assert message in str(error.value)


def test_the_search_fits_what_is_asked() -> None:
    k, template = d.KAnonymity(k=2, over=["a"]), d.Template(given=["a"], infer={"b": "x"}, at_most="50%")
    assert d.Policy(protect=[template]).method == "disclosure"
    assert d.Policy(protect=[template, k]).method == "coordinate"
    assert d.Policy(protect=[k], use=d.Regress("y")).method == "coordinate"
    assert d.Policy(protect=[template], use=d.Regress("y")).method == "disclosure"
    assert d.Policy(protect=[template], use=d.Regress("y", by="median")).method == "coordinate"
    assert d.Policy(protect=[k], search="disclosure").method == "disclosure"


BEST = {10: 0.21584, 25: 0.26664, 50: 0.31716, 100: 0.36918, 250: 0.43647, 500: 0.49003}


def adult_evaluator(k: int, data_dir: Path) -> Evaluator:
    """Adult under the published conditions."""
    table = adult_table(data_dir)
    frame = pl.DataFrame([row[: len(ADULT["columns"])] for row in table.rows], schema=ADULT["columns"], orient="row")
    columns = adult_columns(load_golden("ga_adult.json"))
    policy = d.Policy(protect=[d.KAnonymity(k=k, over=ADULT["columns"])], columns=columns)
    task = prepare(frame, policy).task
    problem = cut_problem(task.bound, task.columns, list(policy.promises()), task.counted)
    return Evaluator(problem, few_may_pass=True)


@pytest.mark.slow
@pytest.mark.parametrize("k", in_short([10, 250, 25, 500], shown=2))
def test_adult_is_as_good_as_the_best_known(k: int, data_dir: Path) -> None:
    """LM of the published search, by the paper's rule."""
    fast = adult_evaluator(k, data_dir)
    objective = Objective(1, fast.units.per_row, (), fast.problem.total)
    found = search(fast.problem, fast, objective, kicks=60, rng=np.random.default_rng(0))
    lost = fast.units.share(found.outcome.lost + found.outcome.gone * fast.units.per_row, fast.problem.total)
    assert lost <= BEST[k] + 0.000005


@pytest.mark.parametrize("k", [25, 250])
def test_the_cut_of_the_golden_file_is_evaluated_as_it_says(k: int, data_dir: Path) -> None:
    fast = adult_evaluator(k, data_dir)
    cases = load_golden("ga_adult.json")["cases"]
    best = next(case for case in cases if case["name"] == "best found, lm" and case["k"] == k)
    cuts = cuts_of([column.space for column in fast.problem.columns])
    outcome = fast.evaluate(cut_of(np.array([int(bit) for bit in best["bits"]], dtype=np.uint8), cuts))
    exact = Fraction(outcome.lost + outcome.gone * fast.units.per_row, fast.units.per_row * fast.problem.total)
    assert exact == Fraction(best["lm_exact"])
    assert outcome.gone == best["suppressed"]


def adult_columns(golden: dict[str, Any]) -> dict[str, d.Column]:
    def tree(node: Any) -> Any:
        return {node[0]: [tree(child) if isinstance(child, list) else child for child in node[1]]}

    numbers = {name: d.Column(type="number") for name in ("age", "education")}
    return {**{name: d.Column(taxonomy=tree(node)) for name, node in golden["trees"].items()}, **numbers}


def test_the_golden_file_is_the_one_of_the_reference() -> None:
    assert json.dumps(load_golden("ga_adult.json")["bits_per_column"]) == json.dumps([71, 7, 15, 6, 13, 4, 1, 40])


@given(mixed_jobs(most_rows=16, search="coordinate"), st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_steps_of_one_column_cost_what_the_whole_cut_costs(job: Job, seed: int, density: float) -> None:
    """Where one set of columns is known: what a kernel says of a flip is what evaluating the cut says."""
    from discreet.method.cuts.column_steps import ColumnSteps
    from discreet.method.cuts.context_kernels import flip_costs

    fast = evaluator(job, few_may_pass=True)
    columns = fast.problem.columns
    if len(fast.problem.tables) != 1 or len(fast.problem.tables[0].columns) != len(columns):
        return
    if fast.problem.tables[0].fixed.any() or any(goal.inputs is not None for goal in job.policy.goals):
        return
    if any(target.own_group for target in fast.problem.targets):
        return
    cuts = cuts_of([column.space for column in columns], [column.pinned for column in columns])
    cut = cut_of(cuts.random(density, np.random.default_rng(seed)), cuts)
    objective = Objective(3, 3 * fast.units.per_row, (5,) * len(fast.problem.targets), len(job.rows))
    maker = ColumnSteps(fast.problem, fast).contexts
    for place, column in enumerate(columns):
        if not column.space.plain:
            continue
        contexts = maker.of(cut, place)
        hidden = cut[place] < 0
        units = fast.units.columns[place].nodes
        still = int(hidden.sum())
        losses = np.array([units[min(max(still - 1 + step, 0), len(units) - 1)] for step in (-1, 0, 1)])
        cost = np.zeros(column.space.size + 1, dtype=np.int64)
        flip_costs(
            contexts.start, contexts.groups, contexts.codes, hidden, contexts.sizes, contexts.fields,
            maker.dropped(contexts, objective), contexts.others, contexts.hits, maker.limits,
            objective.loss, fast.shape, np.array(objective.weights, dtype=np.int64), losses, cost,
            *maker.sums(), *maker.sums(),
        )  # fmt: skip
        for value in range(-1, column.space.size):
            other = hidden.copy()
            if value >= 0:
                other[value] = not other[value]
            firsts = np.where(other, -1, np.arange(column.space.size))
            changed = (*cut[:place], firsts, *cut[place + 1 :])
            assert cost[value] == objective.cost(fast.evaluate(changed)), value


def test_new_rows_that_cannot_keep_a_promise_are_refused() -> None:
    """Even with every row masked there are too few of them."""
    table = pl.DataFrame({"age": [str(n // 5) for n in range(50)]})
    policy = d.Policy(protect=[d.KAnonymity(k=5, over=["age"])], columns={"age": d.Column(type="number")})
    plan = d.protect(table, policy).plan
    with pytest.raises(d.BrokenPromise, match="the smallest group has 3 rows"):
        plan.apply(table.head(3))


def test_what_only_suppressed_rows_have_is_not_told() -> None:
    """93 is suppressed: its neighbours are 66 and more, not 66 to 92."""
    ages = ["30"] * 9 + ["66"] * 3 + ["70"] * 3 + ["93"] + ["1"] * 4
    towns = ["a"] * 15 + ["b"] + ["c"] * 4
    table = pl.DataFrame({"age": ages, "town": towns})
    tree = {"*": ["a", "b", "c"]}
    policy = d.Policy(
        protect=[d.KAnonymity(k=3, over=["age", "town"])],
        columns={"age": d.Column(type="number"), "town": d.Column(taxonomy=tree)},
    )
    release = d.protect(table, policy, seed=1)
    assert 16 in release.plan.suppressed
    told = " ".join(release.table["age"].to_list())  # type: ignore[index]
    assert "93" not in told
    assert "92" not in told


def test_the_detail_counts_rows_drawn_by_lot() -> None:
    table = pl.DataFrame({"age": ["30"] * 20 + ["99"]})
    policy = d.Policy(protect=[d.KAnonymity(k=4, over=["age"])], columns={"age": d.Column(type="number")})
    release = d.protect(table, policy, seed=2)
    if release.plan.suppressed:
        assert release.audit.detail == pytest.approx(17 / 21)
        assert release.plan.detail == release.audit.detail


def test_a_limit_is_kept_whatever_the_lot_says() -> None:
    table = pl.DataFrame({"age": ["1"] * 4 + ["2"] * 4 + ["3"] * 4 + ["9"]})
    policy = d.Policy(
        protect=[d.KAnonymity(k=4, over=["age"])], columns={"age": d.Column(type="number")}, suppress={"limit": "35%"}
    )
    for seed in range(6):
        release = d.protect(table, policy, seed=seed)
        assert release.audit.suppressed <= 4


def test_unseen_rows_count_towards_the_limit() -> None:
    table = pl.DataFrame({"town": ["a"] * 10 + ["b"] * 10})
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["town"])], suppress={"limit": "10%"})
    plan = d.protect(table, policy).plan
    with pytest.raises(d.TooManySuppressed):
        plan.apply(pl.DataFrame({"town": ["a"] * 6 + ["x"] * 4}))


def test_weights_of_any_size() -> None:
    table = pl.DataFrame({"a": list("112233"), "b": list("ppqqrr")})
    columns = {"a": d.Column(type="number", weight="9" * 90), "b": d.Column(weight="1/" + "9" * 80)}
    release = d.protect(table, d.Policy(protect=[d.KAnonymity(k=2, over=["a", "b"])], columns=columns))
    assert release.audit.detail == 1


def _any_of_five() -> tuple[Evaluator, Objective]:
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({name: rng.choice(list("pqrst"), 60) for name in "abcde"})
    policy = d.Policy.from_dict({"protect": [{"k": 4, "over": {"any": 2, "of": list("abcde")}}]})
    task = prepare(frame, policy).task
    problem = cut_problem(task.bound, task.columns, list(task.bound.each_promise), task.counted)
    return Evaluator(problem), Objective(1, 100, (), 60)


def test_a_search_asks_before_every_step_and_ends_with_what_it_has() -> None:
    judge, objective = _any_of_five()
    asked: list[int] = []

    def four_times(far: CoordinateWatch) -> bool:
        asked.append(far.kicks)
        return len(asked) <= 4

    best = search(judge.problem, judge, objective, kicks=50, rng=np.random.default_rng(0), carry_on=four_times)
    assert asked == [0] * 5 + [1]  # before the descent, before each of its steps, and before the next one
    assert objective.allows(best.outcome)
    assert best.cost == objective.cost(judge.evaluate(best.cut))


def test_time_that_is_over_within_an_evaluation_leaves_the_cut_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    judge, objective = _any_of_five()
    assert len(judge.problem.tables) == 10
    judge.many = None  # set after set
    begin = tuple(np.full(column.space.size, -1) for column in judge.problem.columns)
    monkeypatch.setattr(evaluation, "ASKED_AFTER", 0)
    asked: list[bool] = []

    def once() -> bool:
        asked.append(True)
        return len(asked) == 1

    found = ColumnSteps(judge.problem, judge).descend(begin, objective, range(5), once)
    assert len(asked) == 2
    assert all(map(np.array_equal, found.cut, begin))
    assert judge.may_go_on()  # nobody is asked any more
    judge.evaluate(begin)


class Ticking(Watch):
    """A watch on which a second goes by whenever somebody looks at it."""

    looked = 0

    @property
    def _seconds(self) -> float:
        self.looked += 1
        return float(self.looked)


@pytest.mark.parametrize(("seconds", "least", "most"), [(0.0, 36, 44), (1e9, 16, 24)])
def test_time_is_left_for_what_comes_after_the_search(
    seconds: float, least: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cutting, "SECONDS_A_COUNT", seconds)
    rng = np.random.default_rng(5)
    frame = pl.DataFrame({name: rng.choice(list("pqrst"), 60) for name in "abcde"})
    policy = d.Policy.from_dict({"protect": [{"k": 4, "over": {"any": 2, "of": list("abcde")}}]})
    watch = Ticking(time_limit=40)
    _, complete = cutting.CutPlanner(prepare(frame, policy).task).search(watch)
    assert not complete
    assert least <= watch.looked <= most

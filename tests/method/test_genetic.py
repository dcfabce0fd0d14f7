"""GENITOR: its steps are those of `Cuts`, its fast evaluation is the general one, and what it finds is valid."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import discreet as d
from discreet.grouping import cut_problem
from discreet.method import genetic
from discreet.method.coordinate import Candidate, Objective, bits_of, cut_of
from discreet.method.cuts import Bits, Cuts, genitor_rank
from discreet.method.evaluation import Evaluator
from discreet.method.genetic import Genitor, Watch, draw, number_of_cuts, ranks, search
from discreet.method.genetic_kernels import cross, mutate
from discreet.pipeline import prepare
from tests.conftest import load_golden
from tests.jobs import TREE, Job, mixed_jobs
from tests.method.test_coordinate import BEST, adult_columns, evaluator, reference
from tests.method.test_cuts import SEEDS, fast_of
from tests.reference import cuts as slow
from tests.reference.test_cuts_reference import ADULT, adult_table, columns

VALUES: dict[str, list[str | None]] = {
    "job": ["p", "q", "r", None],
    "town": ["oslo", "turku", "espoo", "rome", "bari", None],
    "age": ["7", "18", "30", "100", None],
    "day": ["2023-12-31", "2024-01-01", "2024-03-01"],
    "class": ["1", "2", "3"],
}


@st.composite
def k_jobs(draw: st.DrawFn, most_rows: int = 20) -> Job:
    """Tables and policies that the fast evaluation covers: k rows on the known columns, all of them inputs."""
    rows = draw(st.lists(st.tuples(*map(st.sampled_from, VALUES.values())), min_size=1, max_size=most_rows))
    known = draw(st.lists(st.sampled_from(["job", "town", "age", "day"]), min_size=1, unique=True))
    if all(row[2] is None for row in rows):
        known = [name for name in known if name != "age"] or ["job"]
    ends = draw(st.sampled_from([None, ["0", "18", "20.5", "25"]]))
    kinds = {
        "town": d.Column(taxonomy=TREE),
        "age": d.Column(type="number", ends=ends),
        "day": d.Column(type="date"),
    }
    uses: list[d.Classify | d.General] = [d.Classify("class"), d.General()]
    policy = d.Policy(
        use=draw(st.sampled_from(uses)),
        protect=[d.KAnonymity(k=draw(st.integers(1, 5)), over=known)],
        columns={name: column for name, column in kinds.items() if name in known},
        missing=d.Missing(rows="value"),
    )
    return Job(list(VALUES), rows, policy)


def objective_of(fast: Evaluator, aim: str, most_gone: int | None = None) -> Objective:
    total, row = fast.problem.total, fast.units.per_row
    most = total if most_gone is None else most_gone
    return {
        "LM": Objective(1, 0, row, most),
        "CM": Objective(0, 1, 1, most),
        "both": Objective(1, row * total + 1, row * total + 1 + row, most),
    }[aim]


AIMS = st.sampled_from(["LM", "CM", "both"])


def quick_of(fast: Evaluator, objective: Objective) -> genetic.Quick:
    return Genitor(fast.problem, fast, objective, population=2, rng=np.random.default_rng(0)).quick


def assert_equal(quick: genetic.Quick, fast: Evaluator, objective: Objective, bits: Bits) -> None:
    outcome = fast.evaluate(cut_of(bits, quick.cuts))
    found = quick.outcome(bits)
    assert found is not None
    lost, wrong, gone, short = found
    assert (lost, gone, short) == (outcome.lost, outcome.gone, outcome.short)
    if objective.wrong:
        assert wrong == outcome.wrong


def switches(bits: Bits, cuts: Cuts) -> Bits:
    return np.ascontiguousarray(bits[..., cuts.order[cuts.begins]])


# The steps


@settings(max_examples=200)
@given(st.lists(columns(), min_size=1, max_size=3), SEEDS, st.data())
def test_children_are_those_of_cuts(some: list[slow.Column], seed: int, data: st.DataObject) -> None:
    cuts = fast_of(some)
    if not len(cuts.parent):
        return
    rng = np.random.default_rng(seed)
    one, other = cuts.random(rng.random(2), rng)
    start, stop = sorted(data.draw(st.tuples(st.integers(0, cuts.length), st.integers(0, cuts.length))))
    flips = np.array(data.draw(st.lists(st.integers(0, cuts.length - 1), max_size=3)), dtype=np.int64)
    strings = genetic._strings(cuts)
    child = np.zeros(len(cuts.parent), dtype=np.uint8)
    cross(switches(one, cuts), switches(other, cuts), start, stop, strings, np.zeros(len(child), dtype=np.int64), child)
    expected = cuts.cross(one, other, start, stop)
    assert genetic._bits(child, cuts).tolist() == expected.tolist()
    hit = np.zeros(len(child), dtype=np.bool_)
    mutate(flips, strings, hit, child)
    drawn = np.zeros(cuts.length, dtype=np.bool_)
    drawn[flips] = True
    assert genetic._bits(child, cuts).tolist() == cuts._flipped(expected, drawn).tolist()
    assert not hit.any()


def test_ranks_are_those_of_genitor() -> None:
    for case in load_golden("ga_paper_numbers.json")["genitor_rank"]:
        assert ranks(np.array([case["u"]]), case["size"], case["bias"]).tolist() == [case["rank"]]


@given(st.lists(st.floats(0, 1, exclude_max=True), min_size=1), st.integers(1, 10**6), st.floats(1, 2))
def test_ranks_are_the_same_one_by_one(some: list[float], size: int, bias: float) -> None:
    assert ranks(np.array(some), size, bias).tolist() == [genitor_rank(u, size, bias) for u in some]


@given(st.integers(1, 50), st.integers(2, 6), st.integers(1, 9), st.floats(0, 1), SEEDS)
def test_what_is_drawn(some: int, size: int, length: int, mutation: float, seed: int) -> None:
    chunk = draw(some, size, length, mutation, 1.5, np.random.default_rng(seed))
    assert chunk.pairs.shape == chunk.spans.shape == (2, some)
    assert ((chunk.pairs >= 0) & (chunk.pairs < size)).all()
    assert (chunk.pairs[0] != chunk.pairs[1]).all()
    if length > 1:  # both parents give something
        assert (chunk.spans[0] < chunk.spans[1]).all()
        assert ((chunk.spans >= 0) & (chunk.spans < length)).all()
    assert len(chunk.begins) == some + 1
    assert (chunk.begins[0], chunk.begins[-1]) == (0, len(chunk.flips))
    for begin, end in zip(chunk.begins, chunk.begins[1:], strict=False):
        assert sorted(set(chunk.flips[begin:end].tolist())) == chunk.flips[begin:end].tolist()
    assert ((chunk.flips >= 0) & (chunk.flips < length)).all()


@pytest.mark.parametrize("mutation", [0, 1e-300, 0.002, 0.3, 1])
def test_bits_are_flipped_as_often_as_said(mutation: float) -> None:
    chunk = draw(4000, 2, 157, mutation, 1.5, np.random.default_rng(0))
    often = len(chunk.flips) / (4000 * 157)
    assert often == mutation or abs(often - mutation) < 4 * np.sqrt(mutation / (4000 * 157))


@given(k_jobs(most_rows=8))
def test_cuts_are_counted(job: Job) -> None:
    table, _ = reference(job)
    fast = evaluator(job)
    cuts = Genitor(fast.problem, fast, objective_of(fast, "LM"), rng=np.random.default_rng(0)).cuts
    assert number_of_cuts(cuts) == sum(1 for _ in table.cuts())


# The fast evaluation


@settings(max_examples=300)
@given(k_jobs(), AIMS, st.booleans(), SEEDS)
def test_the_fast_evaluation_is_the_general_one(job: Job, aim: str, few_may_pass: bool, seed: int) -> None:
    fast = evaluator(job, few_may_pass=few_may_pass)
    objective = objective_of(fast, aim)
    quick = quick_of(fast, objective)
    assert quick.covers
    rng = np.random.default_rng(seed)
    strings = quick.cuts.random(rng.random(8), rng)
    for bits in strings:
        assert_equal(quick, fast, objective, bits)
    quick.narrow(switches(strings[:3], quick.cuts))
    assert len(quick.few.counts) <= len(quick.every.counts)
    for bits in strings:
        assert_equal(quick, fast, objective, bits)
        assert_equal(quick, fast, objective, strings[0] & bits)


@settings(max_examples=100)
@given(mixed_jobs(search="coordinate"), AIMS, SEEDS)
def test_wherever_the_fast_evaluation_covers_a_problem_it_is_right(job: Job, aim: str, seed: int) -> None:
    fast = evaluator(job)
    objective = objective_of(fast, aim)
    quick = quick_of(fast, objective)
    if quick.covers:
        rng = np.random.default_rng(seed)
        for bits in quick.cuts.random(rng.random(4), rng):
            assert_equal(quick, fast, objective, bits)


def numbers(rows: int, columns: int, values: int, classes: int, seed: int) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    cells = {f"c{place}": rng.integers(0, values, rows).astype(str) for place in range(columns)}
    return pl.DataFrame({**cells, "class": rng.integers(0, classes, rows).astype(str)})


def numbers_evaluator(table: pl.DataFrame, k: int) -> Evaluator:
    known = [name for name in table.columns if name != "class"]
    policy = d.Policy(
        use=d.Classify("class"),
        protect=[d.KAnonymity(k=k, over=known)],
        columns={name: d.Column(type="number") for name in known},
    )
    task = prepare(table, policy).task
    return Evaluator(cut_problem(task.bound, task.columns, list(policy.promises()), task.counted))


@pytest.mark.parametrize("classes", [1, 2, 40])
@pytest.mark.parametrize("direct", [4, 2**20])
def test_many_classes_and_large_keys(classes: int, direct: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Classes that do not fit in one integer, and keys that are no places."""
    monkeypatch.setattr(genetic, "DIRECT", direct)
    fast = numbers_evaluator(numbers(300, 3, 9, classes, 1), 3)
    objective = objective_of(fast, "both")
    quick = quick_of(fast, objective)
    assert quick.covers
    assert (quick.aims.words > 1) == (classes == 40)
    rng = np.random.default_rng(0)
    for bits in quick.cuts.random(rng.random(40), rng):
        assert_equal(quick, fast, objective, bits)


def test_keys_that_are_too_large_are_left_to_the_general_evaluation() -> None:
    fast = numbers_evaluator(numbers(100, 13, 60, 2, 2), 2)
    objective = objective_of(fast, "LM")
    herd = Genitor(fast.problem, fast, objective, population=20, rng=np.random.default_rng(0))
    assert herd.quick.covers
    assert herd.quick.outcome(np.ones(herd.cuts.length, dtype=np.uint8)) is None
    assert list(herd.run(200))[-1] == 200
    assert herd.costs.tolist() == [costs_of(fast, objective, bits, herd) for bits in herd.members()]


# The search


def costs_of(fast: Evaluator, objective: Objective, bits: Bits, herd: Genitor) -> int:
    outcome = fast.evaluate(cut_of(bits, herd.cuts))
    if objective.allows(outcome):
        return objective.cost(outcome)
    return herd.quick.aims.too_many + outcome.gone + outcome.short - objective.most_gone


ANY_JOBS = st.one_of(k_jobs(), mixed_jobs(search="coordinate"))


@settings(max_examples=100)
@given(ANY_JOBS, AIMS, SEEDS, st.sampled_from([0.002, 0.1]), st.integers(0, 20))
def test_all_members_are_valid_and_different(job: Job, aim: str, seed: int, mutation: float, most_gone: int) -> None:
    """Their costs are those of the general evaluation, in order; those that leave out too many rows come last."""
    fast = evaluator(job)
    objective = objective_of(fast, aim, most_gone)
    rng = np.random.default_rng(seed)
    herd = Genitor(fast.problem, fast, objective, population=30, mutation=mutation, rng=rng)
    best: list[int] = []
    distinct: list[int] = []
    for _ in herd.run(300):
        best.append(int(herd.costs[0]))
        distinct.append(herd.distinct)
        members, costs = herd.members(), herd.costs
        assert herd.cuts.is_valid(members)
        assert len({bits.tobytes() for bits in members}) == len(members) == len(costs)
        assert costs.tolist() == [costs_of(fast, objective, bits, herd) for bits in members]
        assert (np.diff(costs) >= 0).all()
    assert best == sorted(best, reverse=True)
    assert distinct == sorted(distinct)
    assert distinct[-1] <= herd.everything
    found = herd.best()
    assert herd.cuts.is_valid(bits_of(found.cut, herd.cuts.spaces))
    assert found.cost == objective.cost(found.outcome)


@settings(max_examples=40)
@given(ANY_JOBS, AIMS, SEEDS)
def test_a_seed_repeats_exactly(job: Job, aim: str, seed: int) -> None:
    def run() -> tuple[list[list[int]], list[tuple[int, int, int]]]:
        fast = evaluator(job)
        seen: list[tuple[int, int, int]] = []

        def watch(far: Watch) -> bool:
            seen.append((far.iterations, far.best.cost, far.distinct))
            return True

        rng = np.random.default_rng(seed)
        found = search(fast.problem, fast, objective_of(fast, aim), population=40, iterations=500, rng=rng,
                       carry_on=watch)  # fmt: skip
        return [firsts.tolist() for firsts in found.cut], seen

    assert run() == run()


@settings(max_examples=80)
@given(
    st.one_of(k_jobs(most_rows=10), mixed_jobs(most_rows=8, search="coordinate")), SEEDS, st.sampled_from([1, 4, 99])
)
def test_never_better_than_the_best_of_all_cuts_and_as_good_in_the_end(job: Job, seed: int, part: int) -> None:
    """By the paper's rule, with and without a limit on the rows left out."""
    table, wanted = reference(job)
    fast = evaluator(job, few_may_pass=True)
    if not table.changeable or number_of_cuts(quick_of(fast, objective_of(fast, "LM")).cuts) > 400:
        return
    total = len(job.rows)
    most = total // part
    objective = objective_of(fast, "LM", most)
    for iterations in (0, 20, 20_000):
        rng = np.random.default_rng(seed)
        found = search(fast.problem, fast, objective, population=20, iterations=iterations, mutation=0.2, rng=rng)
        least = slow.best_cuts(table, wanted, slow.lm, "paper", limit=Fraction(most, total))
        if least is None:
            assert not objective.allows(found.outcome)
            continue
        row = fast.units.per_row
        lost = Fraction(found.outcome.lost + found.outcome.gone * row, row * total)
        assert not objective.allows(found.outcome) or lost >= least[0]
    if least is not None:
        assert lost == least[0]


@settings(max_examples=60)
@given(ANY_JOBS, SEEDS)
def test_few_cuts_take_few_iterations(job: Job, seed: int) -> None:
    """The paper's settings suit 157 bits; a small table needs no such numbers, and once all is seen it is over."""
    fast = evaluator(job)
    seen: list[Watch] = []

    def watch(far: Watch) -> bool:
        seen.append(far)
        return far.iterations < 2_000  # enough for this test

    search(fast.problem, fast, objective_of(fast, "LM"), rng=np.random.default_rng(seed), carry_on=watch)
    herd = Genitor(fast.problem, fast, objective_of(fast, "LM"), rng=np.random.default_rng(seed))
    assert len(herd.herd.order) <= min(5000, max(2, herd.everything // 4))
    if herd.everything < 20:
        assert seen[-1].iterations < 2_000


def small_search(carry_on: Callable[[Watch], bool], **options: Any) -> tuple[Evaluator, Candidate]:
    fast = numbers_evaluator(numbers(200, 4, 12, 2, 3), 5)
    rng = np.random.default_rng(0)
    return fast, search(fast.problem, fast, objective_of(fast, "LM"), rng=rng, carry_on=carry_on, **options)


def test_the_search_can_be_stopped_at_any_time() -> None:
    """With the best so far: at first that is the coarsest cut."""
    fast, found = small_search(lambda _: False)
    assert all(not firsts.any() for firsts in found.cut)
    costs = [found.cost]
    for stop in (1, 4_000, 12_000):
        seen: list[int] = []
        _, found = small_search(lambda far, stop=stop, seen=seen: seen.append(far.iterations) or far.iterations < stop)  # type: ignore[misc]
        assert stop <= seen[-1] < stop + 4_000
        assert found.cost == fast_cost(fast, found)
        costs.append(found.cost)
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] < costs[0]


def fast_cost(fast: Evaluator, found: Candidate) -> int:
    return objective_of(fast, "LM").cost(fast.evaluate(found.cut))


def test_a_full_memo_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(genetic, "CHUNK", 100)

    def run() -> tuple[list[int], list[list[int]], int]:
        fast = numbers_evaluator(numbers(100, 4, 12, 2, 4), 3)
        rng = np.random.default_rng(0)
        herd = Genitor(fast.problem, fast, objective_of(fast, "both"), population=50, rng=rng)
        assert list(herd.run(3_000))[-1] == 3_000
        return herd.costs.tolist(), herd.members().tolist(), herd.distinct

    one = run()
    monkeypatch.setattr(genetic, "MOST_REMEMBERED", 60)
    other = run()
    assert one[:2] == other[:2]
    assert one[2] <= other[2]


def test_work_is_done_in_small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """However long an evaluation takes, the search soon asks; what it finds is the same."""
    _, found = small_search(lambda _: True, population=50, iterations=3_000)
    seen: list[int] = []
    monkeypatch.setattr(genetic, "WORK", 3_000)
    _, again = small_search(lambda far: not seen.append(far.iterations), population=50, iterations=3_000)  # type: ignore[func-returns-value]
    assert len(seen) > 50
    assert seen == sorted(seen)
    assert seen[-1] == 3_000
    assert [firsts.tolist() for firsts in found.cut] == [firsts.tolist() for firsts in again.cut]


def test_the_end_is_as_in_the_figures() -> None:
    """The best improves fast at first, then slowly; different strings go on to grow."""
    seen: list[Watch] = []
    small_search(lambda far: not seen.append(far), iterations=20_000)  # type: ignore[func-returns-value]
    assert seen[0].iterations == 0
    assert seen[-1].iterations == 20_000
    bred = [far for far in seen if far.iterations > 0]
    assert bred[-1].distinct > bred[0].distinct
    assert seen[-1].best.cost < seen[0].best.cost


@pytest.mark.parametrize("options", [{"population": 1}, {"mutation": 1.5}, {"bias": 0.5}, {"bias": 2.5}])
def test_bad_settings(options: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        small_search(lambda _: True, **options)


def test_costs_that_do_not_fit() -> None:
    fast = numbers_evaluator(numbers(20, 1, 3, 2, 0), 2)
    with pytest.raises(ValueError, match="too large"):
        search(fast.problem, fast, Objective(1, 0, 2**60, 20), rng=np.random.default_rng(0))


# Adult


@pytest.fixture(scope="module")
def adult(data_dir: Path) -> Callable[[int], Evaluator]:
    table = adult_table(data_dir)
    frame = pl.DataFrame(list(table.rows), schema=list(table.names), orient="row")

    def of(k: int) -> Evaluator:
        policy = d.Policy(
            use=d.Classify("salary"),
            protect=[d.KAnonymity(k=k, over=ADULT["columns"])],
            columns=adult_columns(ADULT),
        )
        task = prepare(frame, policy).task
        problem = cut_problem(task.bound, task.columns, list(policy.promises()), task.counted)
        return Evaluator(problem, few_may_pass=True)

    return of


@pytest.mark.parametrize("k", sorted({case["k"] for case in ADULT["cases"]}))
def test_adult_is_evaluated_as_in_the_golden_file(k: int, adult: Callable[[int], Evaluator]) -> None:
    fast = adult(k)
    objective = objective_of(fast, "both")
    quick = quick_of(fast, objective)
    assert quick.covers
    row, total = fast.units.per_row, fast.problem.total
    for case in (case for case in ADULT["cases"] if case["k"] == k):
        found = quick.outcome(np.array([int(bit) for bit in case["bits"]], dtype=np.uint8))
        assert found is not None
        lost, wrong, gone, _ = found
        assert gone == case["suppressed"]
        assert Fraction(lost + gone * row, row * total) == Fraction(case["lm_exact"])
        assert Fraction(wrong + gone, total) == Fraction(case["cm_exact"])
    rng = np.random.default_rng(k)
    strings = quick.cuts.random(rng.random(12), rng)
    for bits in strings:
        assert_equal(quick, fast, objective, bits)
    quick.narrow(switches(strings[:2] & strings[2], quick.cuts))
    for bits in strings[:2] & strings[2]:
        assert_equal(quick, fast, objective, bits)


@pytest.mark.parametrize("aim", ["LM", "CM"])
def test_adult_with_few_iterations(aim: str, adult: Callable[[int], Evaluator]) -> None:
    """A fiftieth of the paper's run is within a few percent of the best known."""
    fast = adult(250)
    objective = objective_of(fast, aim)
    found = search(fast.problem, fast, objective, population=400, iterations=16_000, rng=np.random.default_rng(0))
    row, total = fast.units.per_row, fast.problem.total
    if aim == "LM":
        assert BEST[250] - 0.0005 <= (found.outcome.lost + found.outcome.gone * row) / (row * total) <= BEST[250] * 1.05
    else:
        assert (found.outcome.wrong + found.outcome.gone) / total <= 0.1927

"""The quick evaluation of strings is the general one, on random tables and on Adult."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.method.cuts import quick as module
from discreet.method.cuts.bits import Bits, Cuts, cuts_of
from discreet.method.cuts.coordinate import cut_of
from discreet.method.cuts.evaluation import Evaluator
from discreet.method.cuts.objective import Objective
from discreet.method.cuts.quick import Quick
from discreet.planning.prepared import prepare
from discreet.planning.problem import cut_problem
from tests.jobs import TREE, Job, mixed_jobs
from tests.method.cuts.test_bits import SEEDS
from tests.method.cuts.test_coordinate import adult_columns, evaluator
from tests.profiles import size
from tests.reference.test_cuts_reference import ADULT, adult_table

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
        "age": d.Column(type="number", ends=ends, open_ends=draw(st.booleans())),
        "day": d.Column(type="date", open_ends=draw(st.booleans())),
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
    targets = len(fast.problem.targets)
    if aim == "both" and any(target.most * (row * total + 1) > 2**58 for target in fast.problem.targets):
        aim = "CM"  # a spread is in too small units to come before all detail
    return {
        "LM": Objective(1, row, (0,) * targets, most),
        "CM": Objective(0, 0 if targets else 1, (1,) * targets, most),
        "both": Objective(1, row, (row * total + 1,) * targets, most),
    }[aim]


AIMS = st.sampled_from(["LM", "CM", "both"])


def quick_of(fast: Evaluator, objective: Objective) -> Quick:
    columns = fast.problem.columns
    cuts = cuts_of([column.space for column in columns], [column.pinned for column in columns])
    return Quick(fast.problem, fast, objective, cuts)


def assert_equal(quick: Quick, fast: Evaluator, objective: Objective, bits: Bits) -> None:
    outcome = fast.evaluate(cut_of(bits, quick.cuts))
    found = quick.outcome(bits)
    assert found is not None
    lost, wrong, gone, short = found
    assert (lost, gone, short) == (outcome.lost, outcome.gone, outcome.short)
    if any(objective.weights):
        assert (wrong,) == outcome.kept


def switches(bits: Bits, cuts: Cuts) -> Bits:
    return np.ascontiguousarray(bits[..., cuts.order[cuts.begins]])


@given(k_jobs(), AIMS, st.booleans(), st.booleans(), SEEDS)
def test_the_quick_evaluation_is_the_general_one(
    job: Job, aim: str, few_may_pass: bool, hides_outermost: bool, seed: int
) -> None:
    fast = evaluator(job, few_may_pass=few_may_pass, hides_outermost=hides_outermost)
    objective = objective_of(fast, aim)
    quick = quick_of(fast, objective)
    assert quick.covers
    rng = np.random.default_rng(seed)
    strings = quick.cuts.random(rng.random(8), rng)
    for bits in strings:
        assert_equal(quick, fast, objective, bits)
    quick.narrow(switches(strings[:3], quick.cuts))
    assert len(quick.tables.few.counts) <= len(quick.tables.every.counts)
    for bits in strings:
        assert_equal(quick, fast, objective, bits)
        assert_equal(quick, fast, objective, strings[0] & bits)


@given(mixed_jobs(search="coordinate"), AIMS, SEEDS)
def test_wherever_the_quick_evaluation_covers_a_problem_it_is_right(job: Job, aim: str, seed: int) -> None:
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
    monkeypatch.setattr(module, "DIRECT", direct)
    fast = numbers_evaluator(numbers(300, 3, 9, classes, 1), 3)
    objective = objective_of(fast, "both")
    quick = quick_of(fast, objective)
    assert quick.covers
    assert (quick.tables.aims.words > 1) == (classes == 40)
    rng = np.random.default_rng(0)
    for bits in quick.cuts.random(rng.random(40), rng):
        assert_equal(quick, fast, objective, bits)


def test_keys_that_are_too_large() -> None:
    """Their strings are left to the general evaluation."""
    fast = numbers_evaluator(numbers(100, 13, 60, 2, 2), 2)
    quick = quick_of(fast, objective_of(fast, "LM"))
    assert quick.covers
    assert quick.outcome(np.ones(quick.cuts.length, dtype=np.uint8)) is None
    assert_equal(quick, fast, objective_of(fast, "LM"), np.zeros(quick.cuts.length, dtype=np.uint8))


def test_what_it_does_not_cover() -> None:
    """Shares to keep, several sets of known columns, columns that are no inputs, no columns at all."""
    frame = pl.DataFrame({"a": ["x", "y"], "b": ["x", "y"], "ill": ["yes", "no"], "class": ["1", "2"]})

    def covered(*protect: d.Template | d.KAnonymity, inputs: list[str] | None = None, aim: str = "CM") -> bool:
        policy = d.Policy(use=d.Classify("class", inputs=inputs), protect=protect, search="coordinate")
        task = prepare(frame, policy).task
        fast = Evaluator(cut_problem(task.bound, task.columns, list(policy.promises()), task.counted))
        return module.covers(fast.problem, objective_of(fast, aim))

    k = d.KAnonymity(k=2, over=["a", "b"])
    assert covered(k)
    assert covered(k, d.KAnonymity(k=1, over=["b", "a"]))
    assert not covered(k, d.KAnonymity(k=2, over=["a"]), d.KAnonymity(k=3, over=["b"]))
    assert not covered(k, d.Template(given=["a", "b"], infer={"ill": "yes"}, at_most="50%"))
    assert not covered(k, inputs=["a"])
    assert covered(k, inputs=["a"], aim="LM")
    assert not covered(d.KAnonymity(k=2, over=["a", "b", "class"]))
    assert not covered(d.KAnonymity(k=1, over=["class"]))


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
    strings = quick.cuts.random(rng.random(size(4, nightly=12)), rng)
    for bits in strings:
        assert_equal(quick, fast, objective, bits)
    quick.narrow(switches(strings[:2] & strings[2], quick.cuts))
    for bits in strings[:2] & strings[2]:
        assert_equal(quick, fast, objective, bits)

"""Targets with very many classes: what is counted by pairs comes to what is counted by a field for each class."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.common.compiled import always
from discreet.method.base import class_pairs
from discreet.method.base.class_pairs import joined, pairs_of
from discreet.method.base.measure_kernels import ROWS, SHARE
from discreet.method.base.targets import PairShape
from discreet.method.cuts.bits import cuts_of
from discreet.method.cuts.column_steps import ColumnSteps
from discreet.method.cuts.contexts import Contexts
from discreet.method.cuts.coordinate import cut_of
from discreet.method.cuts.evaluation import Evaluator
from discreet.method.cuts.objective import Objective
from discreet.method.cuts.pair_targets import PairTargets
from discreet.planning import problem as planning_problem
from discreet.planning.prepared import prepare
from discreet.planning.problem import cut_problem
from tests.jobs import Job, by, mixed_jobs
from tests.profiles import FEW, VERY_MANY

ONE, DEAR, OWN = (d.Classify("class", suppressed=each) for each in ("one", "dearest", "group"))
BOTH = [OWN, d.Classify("pay", inputs=["age", "town"], weight="0.5"), d.Regress("pay")]
PAIRS = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6), st.integers(0, 3)), max_size=12)


@given(PAIRS, st.lists(st.integers(0, 4)), st.integers(0, 3))
def test_pairs_are_a_table_without_zeros(counted: list[tuple[int, int, int]], some: list[int], more: int) -> None:
    table = np.zeros((5, 7), dtype=np.int64)
    for row, one, count in counted:
        table[row, one] += count
    parts = np.array(counted, dtype=np.int64).reshape(-1, 3)
    pairs = pairs_of(parts[:, 0], parts[:, 1].astype(np.uint8), parts[:, 2], 5, 7)
    assert (pairs.counts > 0).all()
    np.testing.assert_array_equal(pairs.table(), table)
    np.testing.assert_array_equal(pairs.of_all(), table.sum(axis=0))
    np.testing.assert_array_equal(pairs.added(np.arange(7)), table @ np.arange(7))
    rows = np.array(some, dtype=np.int64)
    np.testing.assert_array_equal(pairs.of_rows(rows).table(), table[rows])
    padded = np.concatenate([table, np.zeros((more, 7), dtype=np.int64)])
    np.testing.assert_array_equal(pairs.with_more(more).table(), padded)
    np.testing.assert_array_equal(joined([pairs, pairs]).table(), np.concatenate([table, table], axis=1))


def _evaluators(job: Job, use: Any, **options: Any) -> tuple[Evaluator, Evaluator]:
    """One that counts fields, and one that counts pairs."""
    task = prepare(job.frame, d.Policy.model_validate({**dict(job.policy), "use": use})).task
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for most in (100, 0):
            patch.setattr(class_pairs, "MOST_FIELDS", most)
            problem = cut_problem(task.bound, task.columns, list(task.bound.promises), task.counted)
            found.append(Evaluator(problem, **options))
    fields, pairs = found
    assert fields.pairs is None
    assert pairs.pairs is not None
    return fields, pairs


@given(
    mixed_jobs(search="coordinate"), st.sampled_from([ONE, DEAR, OWN, BOTH]), st.integers(0, 2**32 - 1), st.floats(0, 1)
)
def test_pairs_cost_what_fields_cost(job: Job, use: Any, seed: int, density: float) -> None:
    """Whole cuts, and what each node, interval or shown value of a column would cost beside a cut of the others."""
    fields, pairs = _evaluators(job, use, few_may_pass=bool(seed % 2), hides_outermost=True)
    columns = fields.problem.columns
    cuts = cuts_of([column.space for column in columns], [column.pinned for column in columns])
    rng = np.random.default_rng(seed)
    cut = cut_of(cuts.random(density, rng), cuts)
    one, other = (each.evaluate(cut) for each in (fields, pairs))
    assert (one.lost, one.kept, one.dropped, one.gone, one.short) == (
        other.lost, other.kept, other.dropped, other.gone, other.short
    )  # fmt: skip
    weights = tuple(int(weight) for weight in rng.integers(1, 50, len(fields.problem.targets)))
    objective = Objective(3, 7, weights, len(job.rows), fields.problem.total)
    both = [ColumnSteps(evaluator.problem, evaluator) for evaluator in (fields, pairs)]
    for place, column in enumerate(columns):
        seen = []
        for steps in both:
            contexts = steps.contexts.of(cut, place)
            if column.space.plain:
                flipping = steps._flipping(contexts, place, objective)
                seen.append(flipping(cut[place] < 0).tolist())
                continue
            own = steps.columns[place]
            costs: list[Any] = own._nodes(steps.contexts, place, contexts, objective)
            if own.interval is not None:
                at = steps.evaluator.units.columns[place].positions
                costs.append(own._path(steps.contexts, contexts, objective, at))
            seen.append(costs)
        assert seen[0] == seen[1]


@VERY_MANY
@given(st.integers(0, 2**32 - 1), st.integers(1, 2))
def test_intervals_cost_by_pairs_what_their_rows_cost_one_by_one(seed: int, targets: int) -> None:
    """Contexts with classes that one row has, and others that several have; k and a share; codes outside the range."""
    rng = np.random.default_rng(seed)
    size, first, stop = int(rng.integers(2, 12)), 1, int(rng.integers(2, 8))
    contexts = [np.flatnonzero(rng.random(9) < 0.6) for _ in range(int(rng.integers(1, 5)))]
    start = np.cumsum([0, *map(len, contexts)])
    code = np.concatenate(contexts).astype(np.int32)
    table = rng.integers(1, 3, (len(code), size)) * (rng.random((len(code), size)) < 0.3)
    rows, which = np.nonzero(table)
    pairs = pairs_of(rows, which, table[rows, which], len(code), size)
    sizes = table.sum(axis=1) + rng.integers(0, 2, len(code))
    hits = rng.integers(0, 3, (1, len(code)))
    limits = np.array([[1, int(rng.integers(1, 9)), ROWS, 0, 0], [1, 2, SHARE, 0, 1]][: int(rng.integers(1, 3))])
    target, weights = np.sort(rng.integers(0, targets, size)), rng.integers(1, 9, targets)
    shape = PairShape(pairs, np.searchsorted(target, np.arange(targets + 1)), target, np.zeros(size, dtype=np.int64))
    based = np.zeros((stop - first + 1,) * 2, dtype=np.int64)
    made = Contexts(len(contexts), start, start, code, sizes, table[:, :0], hits, pairs)
    PairTargets(shape).add_intervals(made, first, stop, limits, weights, based)
    summed = based.cumsum(axis=0).cumsum(axis=1)
    for low in range(first, stop):
        for high in range(low, stop):
            cost = 0
            for begin, end in pairwise(start.tolist()):
                own = [row for row in range(begin, end) if low <= code[row] <= high]
                n, hit = sizes[own].sum(), hits[0, own].sum()
                if not own or 0 < n * limits[0, 0] < limits[0, 1] or (len(limits) > 1 and 2 * hit > n):
                    continue
                for one in range(targets):
                    counts = table[own][:, target == one].sum(axis=0)
                    cost += int(weights[one] * (counts.sum() - counts.max(initial=0)))
            assert summed[low - first, high - first] == cost, (low, high)


@FEW
@given(
    mixed_jobs(search="coordinate"),
    st.sampled_from([ONE, OWN, BOTH]),
    st.sampled_from(["coordinate", "genetic", "exact"]),
)
def test_releases_are_the_same_by_pairs(job: Job, use: Any, search: str) -> None:
    """Whichever search it is; an exact one counts fields in any case."""
    policy = d.Policy.model_validate({**dict(job.policy), "use": use, **by(search)})
    found = []
    with pytest.MonkeyPatch.context() as patch:
        for most in (100, 0):
            patch.setattr(class_pairs, "MOST_FIELDS", most)
            try:
                release = d.protect(job.frame, policy, seed=1)
            except d.ImpossiblePromise as impossible:
                found.append(str(impossible))
            else:
                assert isinstance(release.table, pl.DataFrame)
                found.append(release.table.write_csv() + release.plan.to_json())
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("said", "refused", "instead"),
    [
        ({"search": "exact"}, "search: an exact search counts", {"search": "coordinate"}),
        ({"recoding": "local"}, "recoding: local recoding counts", {"recoding": "global"}),
    ],
)
@pytest.mark.parametrize("asked", ["check", "protect", "persons", "sample"])
def test_a_table_of_classes_that_there_is_no_room_for_is_refused(
    said: dict[str, str], refused: str, instead: dict[str, str], asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of thousands of classes: exactly where it would not fit, before it is made; other searches need none."""
    monkeypatch.setattr(class_pairs, "MOST_FIELDS", 3)
    table = pl.DataFrame({
        "who": [str(n) for n in range(12)], "town": ["a", "b", "c"] * 4, "class": [str(n // 3) for n in range(12)],
        "job": ["x", "y"] * 6,
    })  # fmt: skip
    rules: dict[str, Any] = {
        "use": {"classify": "class"},
        "protect": [{"k": 2, "over": ["town"]}],
        "columns": {"who": {"role": "identifier"}},
        **said,
    }
    rows, classes = 3, 4
    if asked == "persons":
        rules |= {"unit": "who"}
    if asked == "sample":
        rules |= {"release": {"sample": "90%"}}

    def made(policy: dict[str, Any]) -> None:
        if asked == "check":
            d.check(policy, table)
        else:
            d.protect(table, policy, seed=1)

    monkeypatch.setattr(planning_problem, "MOST_IN_A_TABLE", rows * classes)
    made(rules)
    monkeypatch.setattr(planning_problem, "MOST_IN_A_TABLE", rows * classes - 1)
    with pytest.raises(d.PolicyError) as caught:
        made(rules)
    (option, value), *_ = instead.items()
    assert re.search(
        f"{refused} .* 4 classes in 3 rows .* 11 numbers .*; write {option}: {value}$", str(caught.value), re.MULTILINE
    )
    made({**rules, **instead})
    made({**rules, "use": "general"})
    if said.get("recoding") == "local":  # counts what is predicted from columns that it groups by
        made({**rules, "use": {"classify": "class", "inputs": ["job"]}})


@pytest.mark.slow
def test_loops_over_pairs_are_the_same_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(class_pairs, "MOST_FIELDS", 0)
    rng = np.random.default_rng(1)
    table = pl.DataFrame({
        "age": rng.integers(18, 40, 200).astype(str), "town": rng.choice(list("abcd"), 200),
        "tree": rng.choice(["oslo", "turku", "rome"], 200), "class": rng.integers(0, 30, 200).astype(str),
    })  # fmt: skip
    taxonomy = {"any": {"north": ["oslo", "turku"], "south": ["rome"]}}
    policy = {
        "use": {"classify": "class"},
        "columns": {"age": {"type": "number"}, "tree": {"taxonomy": taxonomy}},
        "protect": [{"k": 3, "over": ["age", "town", "tree"]}],
        "search": "coordinate",
    }
    found = []
    for mode in ("plain", "compiled"):
        with always(mode):
            release = d.protect(table, policy, seed=1)
            assert isinstance(release.table, pl.DataFrame)
            found.append((release.table.rows(), release.plan.to_json()))
    assert found[0] == found[1]

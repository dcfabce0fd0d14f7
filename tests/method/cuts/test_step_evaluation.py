"""Cuts of one column are evaluated from contexts as from all rows, and intervals cost what a slow sum says."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import discreet as d
from discreet.method.base import class_pairs
from discreet.method.base.measure_kernels import MEASURES, ROWS, SHARE
from discreet.method.cuts import column_cuts, packed_columns
from discreet.method.cuts.bits import cuts_of
from discreet.method.cuts.column_steps import ColumnSteps
from discreet.method.cuts.context_kernels import interval_costs
from discreet.method.cuts.contexts import PlainLimits, plain_limits
from discreet.method.cuts.coordinate import cut_of, search
from discreet.method.cuts.evaluation import CutOutcome, Evaluator
from discreet.method.cuts.objective import Objective
from discreet.method.cuts.packed_columns import PackedColumns, packed
from discreet.method.cuts.plain_context_kernels import plain_interval_costs
from discreet.method.cuts.step_evaluation import StepEvaluator, serves
from discreet.planning.prepared import prepare
from discreet.planning.problem import cut_problem
from tests.jobs import Job, mixed_jobs
from tests.method.cuts.test_coordinate import evaluator
from tests.method.cuts.test_outermost import tiny_jobs


def figures(outcome: CutOutcome) -> tuple[Any, ...]:
    """Return all that is said of a cut."""
    cut = [firsts.tolist() for firsts in outcome.cut]
    told = outcome.lost, outcome.kept, outcome.dropped, outcome.gone, outcome.short
    return *told, cut, outcome.left_out.tolist()


def one_set_of_columns(rng: np.random.Generator, blocks: int, use: Any = None) -> Evaluator:
    """Return a problem with one set of columns for k and a template: a number, a tree, two plain columns."""
    rows = int(rng.integers(1, 60))
    frame = pl.DataFrame({
        "age": [str(n) for n in rng.integers(0, max(3 * blocks // 2, 4), rows)],
        "town": rng.choice(["rome", "bari", "oslo", "turku"], rows),
        "job": rng.choice(list("pqrs"), rows),
        "sex": rng.choice(list("mf"), rows),
        "ill": ["yes", *rng.choice(["yes", "no", "no"], rows - 1)],
        "class": rng.choice(list("123"), rows),
    })  # fmt: skip
    known = ["age", "town", "job", "sex"]
    ends = [None, [2], [1, 3, 4]][int(rng.integers(3))]
    if max(map(int, frame["age"])) < 5:
        ends = None
    policy = d.Policy.from_dict({
        "use": use or [{"classify": "class"}, "general"][int(rng.integers(2))],
        "columns": {
            "age": {"type": "number"} if ends is None else {"type": "number", "ends": ends},
            "town": {"taxonomy": {"any": {"north": ["oslo", "turku"], "south": ["rome", "bari"]}}},
        },
        "protect": [
            {"k": int(rng.integers(1, 5)), "over": known},
            {"infer": {"ill": "yes"}, "given": known, "at_most": f"{int(rng.integers(20, 100))}%"},
        ],
        "search": "coordinate",
    })  # fmt: skip
    task = prepare(frame, policy).task
    problem = cut_problem(task.bound, task.columns, list(task.bound.each_promise), task.counted)
    return Evaluator(problem, hides_outermost=bool(rng.integers(2)), few_may_pass=bool(rng.integers(2)))


@given(st.integers(0, 2**32 - 1), st.sampled_from([4, 256]), st.floats(0, 1), st.sampled_from([64, 0]))
def test_a_cut_comes_to_the_same_from_contexts_as_from_all_rows(
    seed: int, blocks: int, density: float, most_fields: int
) -> None:
    """Of a number with few and with too many places to cut, a tree, plain columns; classes by fields and by pairs."""
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(class_pairs, "MOST_FIELDS", most_fields)
        patch.setattr(column_cuts, "MOST_BLOCKS", blocks)
        patch.setattr(column_cuts, "FEW_BLOCKS", max(blocks // 2, 2))
        fast = one_set_of_columns(rng, blocks)
        assert serves(fast)
        steps = ColumnSteps(fast.problem, fast)
        spaces = [column.searched() for column in steps.columns]
        cuts = cuts_of(spaces, [column.pinned for column in fast.problem.columns])
        for _ in range(3):
            cut = cut_of(cuts.random(density, rng), cuts)
            for place in rng.permutation(len(cut)).tolist():
                steps._contexts_of(cut, place)
                assert steps.beside.seen(cut, place) is not None
                for other in (cut, cut_of(cuts.random(rng.random(), rng), cuts)):
                    changed = (*cut[:place], other[place], *cut[place + 1 :])
                    assert figures(steps.beside.evaluate(changed, place)) == figures(fast.evaluate(changed))


def test_contexts_of_another_cut_or_column_are_not_taken() -> None:
    fast = one_set_of_columns(np.random.default_rng(7), 256)
    steps = ColumnSteps(fast.problem, fast)
    cut = tuple(np.full(column.space.size, -1 if column.space.plain else 0) for column in fast.problem.columns)
    steps._contexts_of(cut, 0)
    assert steps.beside.seen(cut, 0) is not None
    assert steps.beside.seen(cut, 1) is None
    assert steps.beside.seen((cut[0], *(firsts.copy() for firsts in cut[1:])), 0) is None
    assert steps.beside.seen((cut[0].copy(), *cut[1:]), 0) is not None  # how it is cut itself does not matter
    steps.look_around(cut)
    assert steps.beside.seen(cut, 0) is None


def test_of_some_contexts_no_cut_is_evaluated() -> None:
    """What they say is a guess."""
    fast = one_set_of_columns(np.random.default_rng(7), 256)
    steps = ColumnSteps(fast.problem, fast)
    cut = tuple(np.arange(column.space.size) for column in fast.problem.columns)
    contexts = steps.contexts.of(cut, 0)
    beside = StepEvaluator(fast)
    beside.see(cut, 0, contexts._replace(rows=None), steps.columns[0].standing(steps.contexts.widths[0]))
    assert beside.seen(cut, 0) is None


@given(st.one_of(mixed_jobs(search="coordinate"), tiny_jobs()), st.sampled_from([64, 0]))
def test_a_search_finds_the_same_by_all_rows(job: Job, most_fields: int) -> None:
    """Also with several sets of columns and with columns that never change, which contexts do not serve; and slowly."""
    found = []
    for by_contexts in (True, False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(class_pairs, "MOST_FIELDS", most_fields)
            if not by_contexts:
                patch.setattr("discreet.method.cuts.step_evaluation.serves", lambda _: False)
                patch.setattr("discreet.method.cuts.contexts.plain_limits", lambda _: None)
                patch.setattr("discreet.method.cuts.evaluation.packed", lambda _: None)
            fast = evaluator(job, hides_outermost=True)
            objective = Objective(1, fast.units.per_row, (2,) * len(fast.problem.targets), len(job.rows), len(job.rows))
            best = search(fast.problem, fast, objective, kicks=8, rng=np.random.default_rng(1))
        found.append((best.cost, figures(best.outcome)))
    assert found[0] == found[1]


@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_intervals_cost_what_their_rows_cost_one_by_one(seed: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    fast = one_set_of_columns(rng, 256)
    steps = ColumnSteps(fast.problem, fast)
    columns = fast.problem.columns
    cuts = cuts_of([column.space for column in columns], [column.pinned for column in columns])
    cut = cut_of(cuts.random(density, rng), cuts)
    objective = Objective(3, 7, tuple(5 for _ in fast.problem.targets), 100, fast.problem.total)
    place = next(place for place, column in enumerate(steps.columns) if column.interval is not None)
    column, maker = steps.columns[place], steps.contexts
    contexts = maker.of(cut, place)
    first, blocks = columns[place].space.nodes[column.interval or 0].first, len(column.begins)
    told: dict[str, Any] = {}
    kernels = {"interval_costs": interval_costs, "plain_interval_costs": plain_interval_costs}

    def hearing(name: str) -> Callable[..., None]:
        names = inspect.signature(kernels[name].py_func).parameters

        def heard(*arguments: Any) -> None:
            told.update(zip(names, arguments, strict=True))
            kernels[name](*arguments)

        return heard

    with pytest.MonkeyPatch.context() as patch:
        for name in kernels:
            patch.setattr(column_cuts, name, hearing(name))
        column._path(maker, contexts, objective, fast.units.columns[place].positions)
    assert ("under" in told) == (maker.plain is not None)
    assert maker.plain is None or not fast.problem.targets
    kept, based = (told[name].cumsum(axis=0).cumsum(axis=1)[:-1, :-1] for name in ("kept", "based"))
    dropped = maker.dropped(contexts, objective)
    limits = fast.problem.tables[0].limits
    for low in range(blocks):
        for high in range(low, blocks):
            rows, cost = 0, 0
            for context in range(contexts.groups):
                own = [
                    at
                    for at in range(contexts.start[context], contexts.start[context + 1])
                    if first + low <= contexts.codes[at] <= first + high
                ]
                if not own:
                    continue
                size, hits = contexts.sizes[own].sum(), contexts.hits[:, own].sum(axis=1)
                figure = [
                    limit.figures(np.array([size]), limit.own(hits).reshape(-1, 1))[0] > limit.at_most
                    for limit in limits
                ]
                if any(figure):
                    cost += int(dropped[own].sum())
                    continue
                rows += int(size)
                cost += int(objective.loss * size * contexts.others[context])
                for weight, (begin, stop) in zip(
                    objective.weights, zip(fast.shape.begins, fast.shape.begins[1:], strict=False), strict=True
                ):
                    sums = contexts.fields[own, begin:stop].sum(axis=0)
                    cost += weight * int(sums.sum() - sums.max())
            assert (kept[low, high], based[low, high]) == (rows, cost), (low, high)


@given(st.integers(0, 2**32 - 1), st.floats(0, 1))
def test_plain_limits_say_of_nodes_and_intervals_what_any_limits_say(seed: int, density: float) -> None:
    rng = np.random.default_rng(seed)
    fast = one_set_of_columns(rng, 256, use="general")
    steps, columns = ColumnSteps(fast.problem, fast), fast.problem.columns
    cuts = cuts_of([column.space for column in columns], [column.pinned for column in columns])
    cut = cut_of(cuts.random(density, rng), cuts)
    objective = Objective(3, 7, (), 100, fast.problem.total)
    maker = steps.contexts
    assume(maker.plain is not None)  # a table has as many rows as k asks for
    for place, column in enumerate(steps.columns):
        if columns[place].space.plain:
            continue
        found = []
        for plain in (maker.plain, None):
            maker.plain = plain
            contexts = maker.of(cut, place)
            costs: list[Any] = column._nodes(maker, place, contexts, objective)
            if column.interval is not None:
                costs.append(column._path(maker, contexts, objective, fast.units.columns[place].positions))
            found.append(costs)
        maker.plain = plain_limits(maker.limits)
        assert found[0] == found[1]


def test_which_limits_are_plain() -> None:
    """Rows and one share; of several k the largest. Nothing else, and no rows that no group can have."""
    k2, k5, half, third = [1, 2, ROWS, 0, 0], [1, 5, ROWS, 0, 0], [1, 2, SHARE, 0, 1], [1, 3, SHARE, 1, 2]

    def plain(*lines: list[int]) -> PlainLimits | None:
        return plain_limits(np.array(lines, dtype=np.int64).reshape(-1, 5))

    assert plain() == (0, 0, 0, -1)
    assert plain(k2, k5) == (5, 0, 0, -1)
    assert plain([2, 5, ROWS, 0, 0]) == (3, 0, 0, -1)  # 2/5 is less than 1/2
    assert plain(k2, third) == (2, 1, 3, 1)
    assert plain(half, third) is None
    assert plain([0, 1, ROWS, 0, 0]) is None
    assert plain(k2, [1, 2, MEASURES["different"], 0, 1]) is None


@given(st.integers(0, 2**32 - 1))
def test_packed_columns_give_rows_the_same_groups_and_numbers(seed: int) -> None:
    rng = np.random.default_rng(seed)
    fast = one_set_of_columns(rng, int(rng.integers(4, 3000)))
    packs = PackedColumns(fast.problem)
    cuts = cuts_of([column.space for column in fast.problem.columns], [c.pinned for c in fast.problem.columns])
    parts = fast.parts(cut_of(cuts.random(rng.random(), rng), cuts))
    columns = np.sort(rng.permutation(len(fast.every))[: int(rng.integers(len(fast.every) + 1))])
    fixed = rng.integers(0, 3, len(fast.problem.sizes))
    found = []
    for own in (packs, None):
        fast.packs = own
        found.append((fast.group(columns, parts, fixed), fast.ids.tolist()))
    assert found[0] == found[1]


def test_columns_that_no_key_holds_are_not_packed(monkeypatch: pytest.MonkeyPatch) -> None:
    """They are grouped a few at a time; many rows are not packed either."""
    fast = one_set_of_columns(np.random.default_rng(7), 256)
    assert packed(fast.problem) is not None
    parts = fast.parts(tuple(np.arange(column.space.size) for column in fast.problem.columns))
    groups, ids = fast.group(fast.every, parts, fast.nothing), fast.ids.copy()
    monkeypatch.setattr(packed_columns, "LARGEST_KEY", 3)
    assert packed(fast.problem).group(  # type: ignore[union-attr]
        fast.every, parts.numbers, fast.offsets, parts.widths, fast.nothing, 1, fast.key, fast.ids, fast.table,
        fast.places,
    ) is None  # fmt: skip
    assert fast.group(fast.every, parts, fast.nothing) == groups
    assert fast.ids.tolist() == ids.tolist()
    monkeypatch.setattr(packed_columns, "MOST_ROWS", 3)
    assert packed(fast.problem) is None

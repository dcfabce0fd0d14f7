"""What a release is good for, beside the slow version."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.measure.usefulness import MOST_SQUARED, Usefulness, _squares
from tests.jobs import Job, mixed_jobs
from tests.method.cuts.test_coordinate import costs_of, reference
from tests.reference import cuts as slow


def slow_view(job: Job, release: d.Release, inputs: Sequence[str] | None = None) -> slow.Evaluation:
    """The release as the slow version sees it: looks as released, masked rows suppressed; groups on the inputs."""
    table, _ = reference(job)
    frame = release.table
    assert isinstance(frame, pl.DataFrame)
    looks = looks_of(frame, table.changeable)
    masked = {row for row, look in enumerate(looks) if look and all(text == "*" for text in look)}
    masked = masked if release.audit.suppressed else set()
    looks = looks_of(frame, [name for name in table.changeable if inputs is None or name in inputs])
    losses = tuple((Fraction(0),) * len(table.changeable) for _ in looks)
    return slow.Evaluation(table, looks, losses, masked, frozenset(), frozenset(), frozenset())


def plain_view(job: Job, columns: Sequence[str]) -> slow.Evaluation:
    """The table as it is, with groups on some columns, and nobody suppressed."""
    table, _ = reference(job)
    losses = tuple((Fraction(0),) * len(table.changeable) for _ in job.rows)
    return slow.Evaluation(table, looks_of(job.frame, columns), losses, set(), frozenset(), frozenset(), frozenset())


def looks_of(frame: pl.DataFrame, columns: Sequence[str]) -> tuple[tuple[str | None, ...], ...]:
    return tuple(zip(*(frame[name].to_list() for name in columns), strict=True)) or ((),) * len(frame)


def slow_measure(job: Job, goal: d.Classify | d.Regress, view: slow.Evaluation) -> float:
    assert goal.suppressed != "beside"
    if isinstance(goal, d.Regress):
        return float(slow.rm(view, goal.target, by=goal.by, suppressed=goal.suppressed))
    return float(slow.cm(view, goal.target, costs=costs_of(goal, job), suppressed=goal.suppressed))


@pytest.mark.slow
@pytest.mark.parametrize("search", ["coordinate", "local"])
@given(job=mixed_jobs(search="coordinate"))
def test_equals_the_slow_version(search: str, job: Job) -> None:
    policy = job.policy
    if search == "local":
        policy = policy.model_copy(update={"search": None, "recoding": "local"})
    try:
        release = d.protect(job.frame, policy, seed=1)
    except d.ImpossiblePromise:
        return
    view = slow_view(job, release)
    found = release.audit.usefulness
    sizes = Counter(view.looks).values()  # suppressed rows that still stand in the table are a group, too
    assert (found.groups, found.smallest) == (len(sizes), min(sizes, default=0))
    assert found.average == pytest.approx(sum(sizes) / max(len(sizes), 1))
    assert found.discernibility == slow.discernibility(view)
    for goal, told in zip(job.policy.goals, found.targets, strict=True):
        assert isinstance(goal, (d.Classify, d.Regress))
        seen = [name for name in view.table.changeable if goal.inputs is None or name in goal.inputs]
        expected = slow_measure(job, goal, slow_view(job, release, goal.inputs))
        assert told.released == pytest.approx(expected, abs=1e-9)
        assert told.original == pytest.approx(slow_measure(job, goal, plain_view(job, seen)), abs=1e-9)
        assert told.nothing == pytest.approx(slow_measure(job, goal, plain_view(job, ())), abs=1e-9)
        if isinstance(goal, d.Regress) or goal.costs is None:
            assert told.original <= told.nothing + 1e-9


def test_the_audit_says_what_the_release_is_good_for() -> None:
    table = pl.DataFrame({"age": ["1", "2", "8", "9"] * 3, "sick": ["no", "no", "yes", "yes"] * 3})
    policy = d.Policy(
        use=d.Classify("sick"), protect=[d.KAnonymity(k=6, over=["age"])], columns={"age": d.Column(type="number")}
    )
    found = d.protect(table, policy).audit.usefulness
    assert (found.groups, found.smallest, found.average, found.discernibility) == (2, 6, 6.0, 72)
    (told,) = found.targets
    assert (told.target, told.measure, told.released, told.original, told.nothing) == ("sick", "CM", 0.0, 0.0, 0.5)


def ages(policy: Mapping[str, object], **columns: list[str]) -> Usefulness:
    """What a release of these columns is good for."""
    return d.protect(pl.DataFrame(columns), d.Policy.from_dict(policy)).audit.usefulness


@pytest.mark.parametrize("rows", ["mask", "remove"])
def test_a_cut_that_hides_everything_suppresses_no_row(rows: str) -> None:
    policy = {"use": {"classify": "sick"}, "protect": [{"k": 4, "over": ["job"]}], "suppress": {"rows": rows}}
    found = ages(policy, job=list("abcd"), sick=["no", "no", "no", "yes"])
    assert (found.groups, found.smallest, found.discernibility) == (1, 4, 16)
    assert found.targets[0].released == found.targets[0].nothing == 0.25


@pytest.mark.parametrize("by", ["variance", "median"])
@pytest.mark.parametrize(
    "income",
    [
        ["1e300", "1e300", "-1e300", "-1e300"],
        ["3e-300", "3e-300", "1e-300", "1e-300"],
        [str(10**200), str(10**200), str(10**200 + 1), str(10**200 + 1)],
    ],
)
def test_the_spread_of_huge_tiny_and_near_numbers(income: list[str], by: str) -> None:
    policy = {
        "use": {"regress": "income", "by": by},
        "protect": [{"k": 2, "over": ["age"]}],
        "columns": {"age": {"type": "number"}},
    }
    (told,) = ages(policy, age=["1", "2", "8", "9"], income=income).targets
    assert told.released == told.original == 0
    assert told.nothing == pytest.approx(1)


def test_the_dearest_mistake_about_the_only_class_costs_nothing() -> None:
    policy = {
        "use": {"classify": "sick", "suppressed": "dearest"},
        "protect": [{"k": 2, "over": ["job"]}],
        "suppress": {"rows": "remove"},
    }
    assert ages(policy, job=["a", "a", "b"], sick=["no", "no", "no"]).targets[0].released == 0.0


@given(st.lists(st.integers(0, 2**40), max_size=20))
def test_squares_are_summed_exactly_however_large(sizes: list[int]) -> None:
    assert _squares(np.array(sizes, dtype=np.int64)) == sum(size**2 for size in sizes)


def test_squares_of_as_many_rows_as_just_fit() -> None:
    most = MOST_SQUARED - 1
    assert _squares(np.array([most], dtype=np.int64)) == most**2
    assert _squares(np.array([most, 1], dtype=np.int64)) == most**2 + 1
    assert _squares(np.array([2**32, 2**32], dtype=np.int64)) == 2**65

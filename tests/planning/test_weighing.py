"""Columns that go out as they are (`beside`): rows weigh by them, whichever way they are counted, or it is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.planning.prepared import prepare
from discreet.planning.problem import cut_problem
from discreet.planning.weighing import weighed
from tests.reference import beside as slow

JOBS = ["cook", "nurse", "pilot", "poet"]


@st.composite
def tables(draw: st.DrawFn) -> pl.DataFrame:
    row = st.tuples(
        st.sampled_from(JOBS), st.sampled_from(["1", "2", "3"]), st.sampled_from("xy"), st.sampled_from("01234")
    )
    rows = draw(st.lists(row, min_size=2, max_size=25))
    return pl.DataFrame(rows, schema=["job", "hours", "gain", "pay"], orient="row")


def policy(use: Any, **more: Any) -> d.Policy:
    return d.Policy.from_dict({"use": use, "protect": [{"k": 2, "over": ["job"]}], **more})


@given(tables(), st.booleans())
def test_targets_weigh_rows_as_the_slow_version_does(table: pl.DataFrame, ordered: bool) -> None:
    """The fields of the search are the sums of the weights of the rows of each class (or number) in each job."""
    kind = "regress" if ordered else "classify"
    task = prepare(table, policy({kind: "pay", "beside": ["hours", "gain"]})).task
    goal = task.bound.policy.goals[0]
    counted = weighed(task.bound, goal, task.counted)
    numbers = sorted(table["pay"].unique())
    rows = len(table)
    part = {value: place for place, value in enumerate(numbers)}
    if ordered:
        ends = []
        for value in numbers:
            first = int((table["pay"] < value).sum())
            ends.append((first * 8 // rows, (first + int((table["pay"] == value).sum()) - 1) * 8 // rows))
        part = {value: sorted(set(ends)).index(end) for value, end in zip(numbers, ends, strict=True)}
    hours, gains = sorted(table["hours"].unique()), sorted(table["gain"].unique())
    said = [
        (part[pay], (hours.index(hour), gains.index(gain)), (JOBS.index(job), hour, gain, pay))
        for job, hour, gain, pay in table.rows()
    ]
    names = sorted({each[2] for each in said})
    slowly = slow.weights(
        [(one, parts, names.index(which)) for one, parts, which in said],
        len(set(part.values())), [len(hours), len(gains)], ordered=ordered,
    )  # fmt: skip
    expected: dict[Any, int] = {}
    for (_, _, which), weight in zip(said, slowly, strict=True):
        expected[which] = expected.get(which, 0) + weight
    codes = [[counted.domain(name)[code] for code in counted.code(name)] for name in ("job", "hours", "gain", "pay")]
    found = {
        (JOBS.index(str(job)), hour, gain, pay): int(n)
        for job, hour, gain, pay, n in zip(*codes, counted.counts, strict=True)
    }
    assert found == expected
    if not ordered:
        problem = cut_problem(task.bound, task.columns, task.bound.promises, task.counted)
        fields = problem.targets[0].fields
        assert fields.sum() == sum(slowly)
        assert problem.sizes.sum() == rows  # promises count rows


def big(rows: int = 400) -> pl.DataFrame:
    rng = np.random.default_rng(0)
    hours, job = rng.integers(0, 60, rows), rng.integers(0, 4, rows)
    rich = (hours > 45) | ((job == 2) & (rng.random(rows) < 0.8))
    columns = {
        "job": [JOBS[one] for one in job], "age": rng.integers(20, 60, rows).astype(str), "hours": hours.astype(str),
        "pay": np.where(rich, "much", "little"), "sum": (hours * 3 + job * 40).astype(str),
    }  # fmt: skip
    return pl.DataFrame(columns)


COLUMNS: dict[str, dict[str, Any]] = {"age": {"type": "number"}, "hours": {"type": "number"}}


@pytest.mark.parametrize("use", [{"classify": "pay"}, {"regress": "sum"}, {"regress": "sum", "by": "median"}])
@pytest.mark.parametrize("search", ["coordinate", "genetic"])
def test_releases_do_not_depend_on_the_order_of_rows(use: dict[str, Any], search: str) -> None:
    rules: dict[str, Any] = {
        "use": {**use, "beside": ["hours"]}, "protect": [{"k": 5, "over": ["job", "age"]}], "columns": COLUMNS,
        "search": search, **({"genetic": {"population": 20, "iterations": 50}} if search == "genetic" else {}),
    }  # fmt: skip
    table = big()
    first = d.protect(table, d.Policy.from_dict(rules), seed=0)
    again = d.protect(table.reverse(), d.Policy.from_dict(rules), seed=0)
    assert first.audit.verification.holds
    assert first.plan.recodings == again.plan.recodings
    assert isinstance(first.table, pl.DataFrame)
    assert first.table["hours"].to_list() == table["hours"].to_list()


@pytest.mark.parametrize("engine", ["streaming", "duckdb"])
def test_engines_make_the_same_release(engine: str, tmp_path: Any) -> None:
    table = big()
    path = tmp_path / "t.csv"
    table.write_csv(path)
    rules = policy({"classify": "pay", "beside": ["hours"]}, columns=COLUMNS | {"sum": {"role": "other"}})
    one, other = d.protect(path, rules, seed=0), d.protect(path, rules, seed=0, engine=engine)
    assert one.plan.recodings == other.plan.recodings


def test_what_is_refused() -> None:
    table = big(40)
    refused: list[tuple[Any, dict[str, Any], str]] = [
        ({"classify": "pay", "beside": ["pay"]}, {}, "'pay' is what is to be predicted"),
        ({"classify": "pay", "beside": []}, {}, "name at least one column, each once"),
        ({"classify": "pay", "beside": ["hours", "hours"]}, {}, "name at least one column, each once"),
        ({"classify": "pay", "beside": ["job"]}, {}, "'job' is recoded, so it does not go out as it is"),
        ({"classify": "pay", "beside": ["wage"]}, {}, "no column 'wage'"),
        ({"classify": "pay", "beside": ["hours"]}, {"columns": {"hours": {"role": "identifier"}}}, "role identifier"),
        ([{"classify": "pay", "beside": ["sum"]}, {"regress": "sum"}], {}, "is to be predicted itself"),
        ({"classify": "pay", "beside": ["hours"]}, {"search": "disclosure"}, "disclosure does not know 'beside'"),
        ({"classify": "pay", "beside": ["hours"]}, {"recoding": "local"}, "not for predicting"),
        ({"classify": "pay", "beside": ["hours"]}, {"unit": "age"}, "'beside' weighs rows"),
    ]
    for use, more, message in refused:
        with pytest.raises(d.PolicyError, match=message):
            d.protect(table, policy(use, **more))
    secret = {"infer": {"hours": "7"}, "given": ["job"], "at_most": "90%"}
    with pytest.raises(d.PolicyError, match="'hours' is sensitive"):
        d.protect(table, d.Policy.from_dict({"use": {"classify": "pay", "beside": ["hours"]}, "protect": [secret]}))
    cells = {"column": "sum", "rows": [1], "predictors": ["hours"], "against": ["naive_bayes"]}
    with pytest.raises(d.PolicyError, match="'hours' may lose single cells"):
        d.protect(table, d.Policy.from_dict({"use": {"classify": "pay", "beside": ["hours"]}, "protect": [cells]}))


def test_it_may_go_out_on_purpose_and_is_named_in_no_warning() -> None:
    rules = policy(
        {"classify": "pay", "beside": ["hours"]}, columns={"hours": {"role": "other"}, "sum": {"role": "other"}}
    )
    release = d.protect(big(40).drop("age"), rules, seed=0)
    assert not [warning for warning in release.audit.warnings if "hours" in warning]
    typed = policy({"classify": "pay", "beside": ["hours"]}, columns={"hours": {"type": "number"}})
    assert not [warning for warning in d.protect(big(40), typed, seed=0).audit.warnings if "hours" in warning]


def test_it_is_written_as_it_was_read() -> None:
    rules = policy({"classify": "pay", "beside": ["hours"]})
    assert d.Policy.from_dict(rules.to_dict()) == rules
    assert rules.use == d.Classify("pay", beside=["hours"])


def test_a_share_of_the_rows_and_several_uses() -> None:
    uses = [{"classify": "pay", "beside": ["hours"]}, {"regress": "sum", "weight": 2}, "general"]
    rules = d.Policy.from_dict(
        {"use": uses, "protect": [{"k": 5, "over": ["job", "age"]}], "columns": COLUMNS, "search_on": "50%"}
    )
    assert d.protect(big(), rules, seed=0).audit.verification.holds

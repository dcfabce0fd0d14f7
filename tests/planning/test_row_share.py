"""A search on a share of the rows: its cut keeps every promise on all of them, and is nearly as good."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import discreet as d
from discreet.cli.app import app
from discreet.common.watch import Watch
from discreet.method.base.space import Node, Places, Space
from discreet.planning.cutting import CutPlanner
from discreet.planning.prepared import prepare
from discreet.planning.problem import cut_problem
from discreet.planning.row_share import seen_only, thinned
from discreet.policy.requirements.k_anonymity import scaled_k
from tests.conftest import load_golden
from tests.jobs import Job, mixed_jobs
from tests.method.cuts.test_coordinate import adult_columns
from tests.profiles import in_short


def searching_on(job: Job, share: Fraction, rows: str = "mask") -> Job:
    changed = {"search_on": share, "suppress": d.Suppress.model_validate({"rows": rows})}
    return Job(job.columns, job.rows, job.policy.model_copy(update=changed))


@given(
    mixed_jobs(search="coordinate"),
    st.sampled_from([Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(1)]),
    st.sampled_from(["mask", "remove"]),
)
def test_every_promise_holds_on_all_rows(job: Job, share: Fraction, rows: str) -> None:
    job = searching_on(job, share, rows)
    try:
        release = d.protect(job.frame, job.policy, seed=1)
    except d.ImpossiblePromise:
        return
    except d.TooManySuppressed:
        assert rows == "remove"
        return
    found = d.verify(release.table, job.policy, original=job.frame)
    assert found.truthful.answer is d.Answer.HOLDS
    assert all(finding.answer is not d.Answer.BROKEN for finding in found.requirements)
    assert release.audit.rows + release.audit.removed == len(job.rows)
    assert d.Plan.from_json(release.plan.to_json()) == release.plan


@given(mixed_jobs(search="coordinate"), st.integers(1, 20))
def test_the_share_is_drawn_from_the_rows_and_nothing_else_changes(job: Job, part: int) -> None:
    task = prepare(job.frame, job.policy).task
    share = Fraction(part, 20)
    few = thinned(task, share)
    assert int(few.counted.counts.sum()) == -(-len(job.rows) * part // 20)
    assert few.counted.domains == task.counted.domains
    assert few.columns is task.columns
    before = dict(zip(zip(*task.counted.codes, strict=True), task.counted.counts, strict=True))
    for codes, count in zip(zip(*few.counted.codes, strict=True), few.counted.counts, strict=True):
        assert 0 < count <= before[codes]
    for small, large in zip(few.bound.policy.protect, job.policy.protect, strict=True):
        if isinstance(large, d.KAnonymity):
            assert isinstance(small, d.KAnonymity)
            assert small.k == scaled_k(large.k, share)
        else:
            assert small == large


@pytest.mark.parametrize(("k", "share", "expected"), [(1, "1/10", 1), (2, "1/10", 2), (25, "1/10", 3), (30, "1/10", 3)])
def test_k_scales_with_the_share(k: int, share: str, expected: int) -> None:
    assert scaled_k(k, Fraction(share)) == expected


def test_values_that_were_not_drawn_are_not_told_apart() -> None:
    table = pl.DataFrame({"age": ["1", "2", "3", "4", "5", "6"], "job": list("abcdef")})
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["age", "job"])], columns={"age": d.Column(type="number")})
    task = prepare(table, policy).task
    counts = np.array([0, 3, 0, 0, 2, 0])
    counted = task.counted
    kept = counts > 0
    few = type(counted)(counted.columns, counted.domains, tuple(c[kept] for c in counted.codes), counts[kept])
    problem = seen_only(cut_problem(task.bound, task.columns, list(policy.promises()), few))
    age, job = problem.columns
    assert np.flatnonzero(age.space.cuts).tolist() == [2]  # 1, 2 | 3, 4, 5, 6: each part has a drawn row
    assert job.pinned.tolist() == [True, False, True, True, False, True]


def test_intervals_at_given_ends_begin_with_a_drawn_row_in_them() -> None:
    from discreet.method.base.problem import ColumnCounts
    from discreet.planning.row_share import _seen_only

    def cuts(rows: list[int], allowed: list[int]) -> list[int]:
        space = Space(
            len(rows),
            (Node(0, len(rows), share=Fraction(1), interval=True),),
            np.isin(np.arange(len(rows)), allowed),
            Places(tuple(range(len(rows))), len(rows)),
        )
        counts = np.array(rows)
        found = _seen_only(ColumnCounts(space, counts, counts.reshape(-1, 1), np.zeros(len(rows), dtype=np.bool_)))
        return np.flatnonzero(found.space.cuts).tolist()

    assert cuts([1, 1, 1, 1], [1, 3]) == [1, 3]
    assert cuts([0, 0, 1, 1], [1, 3]) == [3]
    assert cuts([1, 1, 0, 0], [1, 2]) == [1]
    assert cuts([1, 0, 0, 1], [1, 2, 3]) == [1]
    assert cuts([0, 0, 0, 0], [1, 2, 3]) == []


def test_a_whole_value_of_the_table_is_not_lost_for_want_of_a_drawn_row() -> None:
    """Two hundred ages with 50 rows each and a share that has not seen all: hardly a row is suppressed."""
    table = pl.DataFrame({"age": [str(number // 50) for number in range(10_000)]})
    policy = d.Policy(
        protect=[d.KAnonymity(k=20, over=["age"])], columns={"age": d.Column(type="number")}, search_on="1%"
    )
    release = d.protect(table, policy)
    assert release.audit.suppressed == 0
    assert any("'search_on' is small for k = 20" in warning for warning in release.audit.warnings)
    assert not d.protect(table, policy.model_copy(update={"search_on": Fraction(1, 20)})).audit.warnings


def test_a_limit_is_kept_by_a_search_on_all_rows() -> None:
    """Whatever the share makes believe: with no row to suppress, the way out looks at the whole table."""
    rng = np.random.default_rng(2)
    table = pl.DataFrame(
        {"age": pl.Series(rng.integers(0, 60, 300)).cast(pl.String), "job": rng.choice(list("abc"), 300)}
    )
    policy = d.Policy(
        protect=[d.KAnonymity(k=8, over=["age", "job"])],
        columns={"age": d.Column(type="number")},
        search_on="5%",
        suppress={"limit": "0%"},
    )
    assert d.protect(table, policy).audit.suppressed == 0


@pytest.mark.parametrize("rows", ["mask", "remove"])
@pytest.mark.parametrize("seed", range(4))
def test_where_the_share_goes_beyond_the_limit_all_rows_are_searched_on(seed: int, rows: str) -> None:
    rng = np.random.default_rng(seed)
    table = pl.DataFrame(
        {"age": pl.Series(rng.integers(0, 30, 20)).cast(pl.String), "job": rng.choice(list("abcd"), 20)}
    )
    policy = d.Policy(
        protect=[d.KAnonymity(k=5, over=["age", "job"])],
        columns={"age": d.Column(type="number")},
        search_on="20%",
        suppress={"limit": "5%", "rows": rows},
    )
    audit = d.protect(table, policy).audit
    assert audit.suppressed + audit.removed <= 1


@pytest.mark.parametrize("by", ["variance", "median"])
def test_a_share_in_which_every_target_is_missing(by: str) -> None:
    table = pl.DataFrame({"job": list("aabb") * 10, "pay": ["7", *[None] * 39]})
    policy = d.Policy(
        use={"regress": "pay", "by": by},
        protect=[d.KAnonymity(k=2, over=["job"])],
        missing={"values": [], "rows": "value"},
        search_on="5%",
    )
    assert d.protect(table, policy).audit.detail == 1


@pytest.mark.slow
@pytest.mark.parametrize("k", in_short([10, 100]))
def test_adult_is_nearly_as_good_as_with_all_rows(k: int, data_dir: Path) -> None:
    from tests.reference.test_cuts_reference import ADULT, ADULT_PLACES

    golden = load_golden("ga_adult.json")
    assert golden == ADULT
    lines = (data_dir / "adult.data").read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.split(",")] for line in lines if line and "?" not in line]
    for row in cells:
        row[ADULT_PLACES["education"]] = str(17 - int(row[ADULT_PLACES["education"]]))
    rows = [[row[place] for place in ADULT_PLACES.values()] for row in cells]
    table = pl.DataFrame(rows, schema=list(ADULT_PLACES), orient="row")
    names = list(golden["columns"])
    policy = d.Policy(
        protect=[d.KAnonymity(k=k, over=names)],
        columns={**adult_columns(golden), "salary": d.Column(role="other")},
    )
    full = d.protect(table, policy, seed=0).audit.detail
    few = d.protect(table, policy.model_copy(update={"search_on": Fraction(1, 5)}), seed=0).audit.detail
    assert full is not None
    assert few is not None
    assert few > full - 0.01


def test_the_search_sees_only_the_share() -> None:
    table = pl.DataFrame({"age": [str(number % 50) for number in range(1000)]})
    policy = d.Policy(protect=[d.KAnonymity(k=20, over=["age"])], columns={"age": d.Column(type="number")})
    looked: list[int] = []

    class Watching(CutPlanner):
        def _best(self, watch: Watch, *, prove: bool = True) -> Any:
            looked.append(self.problem.total)
            return super()._best(watch, prove=prove)

    task = prepare(table, policy.model_copy(update={"search_on": Fraction(1, 10)})).task
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("discreet.planning.cutting.CutPlanner", Watching)
        Watching(task).search(Watch())
        Watching(task, 0).search(Watch())
    assert looked == [100, 1000]


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"search_on": "0%"}, "search_on: a search needs rows; write more than 0%"),
        ({"search_on": 10}, "search_on: 10 is more than everybody"),
        ({"search_on": True}, "search_on: not a share"),
        ({"search_on": "10%", "search": "disclosure"}, "search_on: is for searches over cuts"),
    ],
)
def test_mistakes(said: dict[str, Any], message: str) -> None:
    with pytest.raises(d.PolicyError) as error:
        d.Policy.from_dict({"protect": [{"k": 3, "over": ["age"]}], **said})
    assert message in str(error.value)


@pytest.mark.slow
def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import jsonschema
    import yaml

    from discreet.policy.schema import policy_schema

    monkeypatch.chdir(tmp_path)
    pl.DataFrame({"age": [str(number % 50) for number in range(1000)]}).write_csv("t.csv")
    text = "protect: [{k: 20, over: [age]}]\ncolumns: {age: {type: number}}\nsearch_on: 10%\n"
    Path("p.yaml").write_text(text)
    jsonschema.validate(yaml.safe_load(text), policy_schema())
    result = CliRunner().invoke(app, ["protect", "t.csv", "-p", "p.yaml", "-o", "r.csv"])
    assert result.exit_code == 0, result.output
    assert CliRunner().invoke(app, ["verify", "r.csv", "-p", "p.yaml", "--original", "t.csv"]).exit_code == 0
    frontier = CliRunner().invoke(app, ["frontier", "t.csv", "-p", "p.yaml", "--thresholds", "20,40"])
    assert frontier.exit_code == 0, frontier.output

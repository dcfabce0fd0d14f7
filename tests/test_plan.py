"""Plans survive JSON, say that they are private, and serve again on new rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given

import discreet as d
from tests.jobs import Job, bank, bank_policy, jobs


def test_json_says_at_once_that_it_is_private() -> None:
    plan = d.protect(bank(), bank_policy()).plan
    text = plan.to_json()
    assert "PRIVATE" in text.splitlines()[0]
    document = json.loads(text)
    assert document["discreet"] == d.__version__
    assert document["policy"] == bank_policy().to_dict()
    assert document["steps"][0] == {
        "column": "Job",
        "value": "Cook",
        "kind": "disclose",
        "score": pytest.approx(0.267234, abs=1e-6),
        "gain": pytest.approx(0.278369, abs=1e-6),
        "loss": pytest.approx(1 / 24),
        "cut": None,
    }


@given(jobs())
def test_json_and_back(job: Job) -> None:
    try:
        plan = d.protect(job.frame, job.policy).plan
    except d.ImpossiblePromise:
        return
    assert d.Plan.from_json(plan.to_json()) == plan


def test_rows_and_edits_survive_json() -> None:
    recoding = d.Recoding("a", ((None, None), ("x", "x"), ("y", "*")))
    plan = d.Plan(bank_policy(), ("a",), (recoding,), suppressed=(3,), edits=(d.Edit(1, "a", "*"),))
    assert d.Plan.from_json(plan.to_json()) == plan


@given(jobs())
def test_applying_a_plan_to_its_own_table_gives_the_release(job: Job) -> None:
    try:
        release = d.protect(job.frame, job.policy)
    except d.ImpossiblePromise:
        return
    again: Any = release.plan.apply(job.frame)
    assert again.table.equals(release.table)


def test_new_rows_with_unseen_values_are_suppressed() -> None:
    plan = d.protect(bank(), bank_policy()).plan
    new = pl.concat([bank(), bank()[:2].with_columns(pl.lit("Pilot").alias("Job"))])
    out: Any = plan.apply(new).table
    assert out[-1, "Job"] == "*"
    assert out[-1, "Country"] == "*"  # the whole row is masked, not only the unseen value
    assert out[-1, "Child"] == "No"


def test_new_rows_that_break_the_promise_are_not_released() -> None:
    plan = d.protect(bank(), bank_policy()).plan
    cooks = bank()[:4].with_columns(pl.lit("Discharged").alias("Bankruptcy"))
    with pytest.raises(d.BrokenPromise, match="protect\\[0\\].*broken, worst 4 of 4 rows"):
        plan.apply(cooks)


def test_new_rows_must_hold_the_same_kinds_of_values(tmp_path: Path) -> None:
    """True in a text file and true in a dataframe have different texts: a plan for one is not for the other."""
    (tmp_path / "old.csv").write_text("job,ill\na,True\na,False\nb,False\n")
    policy = d.Policy(protect=[d.Template(given=["job"], infer={"ill": "True"}, at_most="50%")])
    plan = d.protect(tmp_path / "old.csv", policy).plan
    with pytest.raises(d.InputError, match="column 'ill' holds Boolean, but text when the plan was made"):
        plan.apply(pl.DataFrame({"job": ["a", "a"], "ill": [True, True]}))
    assert plan.apply(pl.DataFrame({"job": ["a", "a"], "ill": ["False", "False"]}))  # none of them ill: fine


@pytest.mark.parametrize(
    "change",
    [
        {"columns": "Job"},
        {"columns": ["Job", None]},
        {"recodings": [{"column": "Nope", "to": []}]},
        {"recodings": [{"column": "Job", "to": [["a"]]}]},
        {"recodings": [{"column": "Job", "to": "abc"}]},
        {"recodings": [{"column": "Job", "to": [[1, "*"]]}]},
        {"recodings": [{"column": "Job", "to": []}] * 2},
        {"recodings": [5]},
        {"redundant": [5]},
        {"kinds": []},
        {"edits": [{"row": 1, "column": "Nope", "text": "x"}]},
        {"suppressed": ["x"]},
        {"steps": [{"colour": 1}]},
    ],
)
def test_damaged_plans_are_refused(change: dict[str, object]) -> None:
    document = json.loads(d.protect(bank(), bank_policy()).plan.to_json())
    with pytest.raises(d.InputError, match="not a whole plan"):
        d.Plan.from_json(json.dumps(document | change))


def test_new_rows_must_have_the_same_columns() -> None:
    plan = d.protect(bank(), bank_policy()).plan
    with pytest.raises(d.InputError, match="does not have the columns"):
        plan.apply(bank().drop("Child"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not valid JSON"),
        ("[]", "not a plan written by discreet"),
        ('{"form": 99}', "has form 99"),
        ('{"form": 2}', "not a whole plan"),
        ('{"form": 2, "policy": {"protect": []}}', "nothing to protect"),
    ],
)
def test_what_is_not_a_plan(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "plan.json"
    path.write_text(text)
    with pytest.raises(d.InputError, match=f"plan.json: .*{message}"):
        d.read_plan(path)


def test_no_plan_at_all(tmp_path: Path) -> None:
    for path in (tmp_path / "absent.json", tmp_path):
        with pytest.raises(d.InputError, match=str(path)):
            d.read_plan(path)
    (tmp_path / "latin.json").write_bytes(b"\xe9")
    with pytest.raises(d.InputError, match="not UTF-8"):
        d.read_plan(tmp_path / "latin.json")


def named_and_counted(release: d.Release) -> None:
    """Check that a plan names just the rows that its audit counts, and makes the same release of them again."""
    plan, audit = release.plan, release.audit
    removes = plan.policy.suppress.rows == "remove"
    told = plan.suppressed if plan.sampled is None else tuple(sorted({*plan.suppressed} & {*plan.sampled}))
    assert len(told) == (audit.removed - len(plan.removed) if removes else audit.suppressed)
    again = release.source.apply(plan)
    assert (again.suppressed, again.removed, again.unseen) == (audit.suppressed, audit.removed, audit.unseen)
    assert again.native().equals(release.table)  # type: ignore[attr-defined]
    assert d.Plan.from_json(plan.to_json()) == plan
    if removes:
        assert {*release.engine.numbers().tolist()} == {*(plan.sampled or release.source.numbers().tolist())} - {
            *plan.suppressed,
            *plan.removed,
        }
    else:
        rows = dict(zip(release.engine.numbers().tolist(), release.engine.native().rows(named=True), strict=True))  # type: ignore[attr-defined]
        assert all(rows[number][column] == "*" for number in told for column in plan.recoded)


IN_SAMPLE, IN_POPULATION = ({"sample": "50%", "k_on": where} for where in ("sample", "population"))


@pytest.mark.parametrize(
    ("options", "release"),
    [
        *(({"search": "coordinate", "suppress": {"rows": rows}}, release)
          for rows in ("mask", "remove") for release in (None, IN_SAMPLE, IN_POPULATION)),
        *(({"recoding": "local", "suppress": {"rows": rows}}, release)
          for rows in ("mask", "remove") for release in (None, IN_SAMPLE)),
        ({"search": "disclosure"}, None),
    ],
)  # fmt: skip
def test_a_plan_names_all_rows_that_are_suppressed(options: dict[str, Any], release: dict[str, str] | None) -> None:
    """Those without company, those in groups that tell nothing, and on new rows those with unseen values."""
    table = pl.DataFrame({"a": list("ppppppppqqqqqqqqxyzu"), "b": list("11112222111122223333")})
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["a", "b"])], release=release, **options)
    made = d.protect(table, policy, seed=1)
    named_and_counted(made)
    new = pl.DataFrame({"a": list("ppppppppppqqqqqqvp"), "b": list("111122222111112219")})
    applied = made.plan.apply(new)
    named_and_counted(applied)
    assert applied.audit.unseen or release


@pytest.mark.parametrize(("rows", "gone"), [("mask", (1, 4)), ("remove", (1, 4))])
def test_rows_of_groups_that_tell_nothing_are_named(rows: Any, gone: tuple[int, ...]) -> None:
    table = pl.DataFrame({"a": ["x", "p", "p", "y", "p"]})
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["a"])], recoding="local", suppress=d.Suppress(rows=rows))
    release = d.protect(table, policy)
    assert release.plan.suppressed == gone
    assert (release.audit.suppressed, release.audit.removed) == ((2, 0) if rows == "mask" else (0, 2))

"""Fail closed: every job ends in a clear error or in a release that verification accepts."""

from __future__ import annotations

import json
import threading
from fractions import Fraction
from typing import Any

import polars as pl
import pytest
from hypothesis import given

import discreet as d
from discreet.verification.answers import Answer
from discreet.verification.findings import Finding, Truth, Verification
from tests.jobs import Job, bank, bank_policy, jobs, two_templates


@given(jobs())
def test_a_clear_error_or_a_verified_release(job: Job) -> None:
    try:
        release = d.protect(job.frame, job.policy)
    except d.ImpossiblePromise as answer:
        assert answer.least
        for inference, share in answer.least:
            assert share > inference.at_most
        return
    assert d.verify(release.table, job.policy, original=job.frame).holds


def test_the_paper_s_table_2() -> None:
    out: Any = d.protect(bank(), bank_policy()).table
    counted = out.group_by(out.columns).len().rows()
    assert set(counted) == {
        ("Cook", "US", "No", "Current", "B", 4),
        ("Artist", "France", "No", "Current", "G", 1),
        ("Artist", "France", "No", "Current", "B", 3),
        ("Doctor", "US", "Yes", "Never", "G", 4),
        ("Doctor", "US", "Yes", "Never", "B", 2),
        ("*", "*", "No", "Discharged", "G", 5),
        ("*", "*", "No", "Never", "G", 5),
    }


def test_an_impossible_promise_names_the_least_possible_confidence() -> None:
    with pytest.raises(d.ImpossiblePromise, match="with everything hidden it is still 5/24") as answer:
        d.protect(bank(), bank_policy("20%"))
    assert [share for _, share in answer.value.least] == [Fraction(5, 24)]
    d.protect(bank(), bank_policy("5/24"))  # exactly that much can be kept


def test_nothing_is_released_when_verification_says_no(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the method were wrong."""
    no = Verification((Finding(0, "template", "x", Answer.BROKEN),), Truth(Answer.HOLDS))
    monkeypatch.setattr("discreet.pipeline.check", lambda *_, **__: no)
    with pytest.raises(d.BrokenPromise, match="protect\\[0\\]: x: broken") as error:
        d.protect(bank(), bank_policy())
    assert error.value.verification is no


def test_a_method_that_shows_too_much_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan that discloses everything does not get past verification."""
    from discreet import pipeline

    everything = d.Plan(
        bank_policy(),
        tuple(bank().columns),
        tuple(d.Recoding(c, tuple((v, v) for v in sorted(bank()[c].unique()))) for c in ("Job", "Country")),
    )
    monkeypatch.setattr(pipeline, "find_plan", lambda *_, **__: everything)
    with pytest.raises(d.BrokenPromise, match="4 of 5 rows"):
        d.protect(bank(), bank_policy())


def test_the_audit_has_before_and_after_and_says_that_it_is_private() -> None:
    policy = two_templates("75%").model_copy(update={"columns": {}})
    audit = d.protect(bank().with_columns(pl.lit("x").alias("Note")), policy).audit
    assert "PRIVATE" in audit.to_json().splitlines()[0]
    document = json.loads(audit.to_json())
    assert document["holds"] is True
    assert document["requirements"][0]["before"]["share"] == "4/5"
    assert Fraction(document["requirements"][0]["worst"]["share"]) <= Fraction(3, 4)
    assert document["rows"] == 24
    assert "'Note'" in document["warnings"][0]
    assert document["not_covered"]


def test_values_that_do_not_occur_are_told_without_naming_others() -> None:
    policy = d.Policy(protect=[d.Template(given=["Job"], infer={"Bankruptcy": ["Dischargd", "Never"]}, at_most="1/2")])
    with pytest.raises(d.PolicyError) as error:
        d.protect(bank(), policy)
    assert [str(p) for p in error.value.problems] == [
        (
            "protect[0].infer.Bankruptcy: no row has 'Bankruptcy' = 'Dischargd'; check the spelling, see which there "
            "are (`discreet check POLICY --table TABLE --show-values`), or write {any: true} for whichever it is"
        )
    ]


def test_progress_tells_every_stage_in_order() -> None:
    seen: list[d.Progress] = []
    d.protect(bank(), bank_policy(), progress=seen.append)
    stages = list(dict.fromkeys(progress.stage for progress in seen))
    assert stages == ["read", "count", "plan", "apply", "verify"]
    assert [p.disclosed for p in seen if p.left] == [0, 1, 2, 3, 4]


@pytest.mark.slow
def test_two_jobs_at_once_do_not_mix() -> None:
    alone = {h: d.protect(bank(), bank_policy(h)).plan.to_json() for h in ("75%", "50%", "40%", "30%")}
    together: dict[str, str] = {}

    def work(h: str) -> None:
        for _ in range(5):
            together[h] = d.protect(bank(), bank_policy(h)).plan.to_json()

    threads = [threading.Thread(target=work, args=(h,)) for h in alone]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert together == alone


def test_names_are_exported_once_and_load_on_demand() -> None:
    assert sorted(d.__all__) == sorted(set(d.__all__))
    for name in d.__all__:
        assert getattr(d, name) is not None
    assert callable(d.protect)
    with pytest.raises(AttributeError):
        d.nothing  # noqa: B018


def test_nothing_is_kept_between_two_jobs() -> None:
    first = d.protect(bank(), bank_policy("50%"))
    d.protect(bank().with_columns(pl.col("Job").replace("Cook", "Baker")), two_templates("60%"))
    again = d.protect(bank(), bank_policy("50%"))
    assert again.plan.to_json() == first.plan.to_json()
    assert again.audit.to_json() == first.audit.to_json()


def test_a_number_that_is_written_otherwise_is_offered() -> None:
    """Only the very number that the owner wrote: no other value of the table is shown."""
    table = pl.DataFrame({"ward": ["a", "b", "a", "b"], "days": [0.0, 2.5, 31.5, 4.0]})

    def refusal(rules: d.Policy) -> str:
        with pytest.raises(d.PolicyError) as refused:
            d.protect(table, rules)
        return str(refused.value)

    def inferred(value: str | int) -> d.Policy:
        return d.Policy(protect=[d.Template(given=["ward"], infer={"days": value}, at_most="50%")])

    assert "no row has 'days' = '0'; the same number is written '0.0' in the table: write that" in refusal(inferred(0))
    for value in ("3", "31", "nil"):
        told = refusal(inferred(value))
        assert "so write the value as 1.0" in told
        assert "31.5" not in told
    cells = d.Confidential(column="ward", where={"days": "4"}, against=["naive_bayes"])
    told = refusal(d.Policy(protect=[cells]))
    assert "no row meets this condition; 'days' = '4' is written '4.0' in the table: write that" in told
    costs = {"0": {"2.5": 3}}
    rules = d.Policy(use=d.Classify("days", costs=costs), protect=[d.KAnonymity(k=2, over=["ward"])])
    assert "no row has 'days' = '0'; the same number is written '0.0'" in refusal(rules)

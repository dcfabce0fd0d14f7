"""The next step and its gain are what would come out, and no promise is asked for that cannot be tried."""

from __future__ import annotations

import random

import polars as pl
import pytest

import discreet as d
from discreet.assist import advice
from discreet.assist.advice import next_step


def people(rows: int = 80) -> pl.DataFrame:
    draw = random.Random(3)
    return pl.DataFrame(
        {
            "age": [str(draw.randrange(20, 60)) for _ in range(rows)],
            "town": [draw.choice("abcdef") for _ in range(rows)],
            "ill": [draw.choice(["flu", "cold", "gout"]) for _ in range(rows)],
        }
    )


AGE = {"age": d.Column(type="number")}


def test_local_recoding_keeps_what_it_is_said_to_keep() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=6, over=["age", "town"])], columns=AGE)
    release = d.protect(people(), policy, seed=1)
    said = next_step(release)
    local = d.protect(people(), policy.model_copy(update={"recoding": "local"}))
    assert local.audit.detail is not None
    assert release.audit.detail is not None
    assert said is not None
    assert f"local recoding keeps {local.audit.detail:.0%} of the detail instead of {release.audit.detail:.0%}" in said
    assert said.endswith("write recoding: local")


def test_which_promise_binds_and_which_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "_local_is_quick", lambda _: False)
    template = d.Template(given=["town"], infer={"ill": d.Any()}, at_most="99%")
    policy = d.Policy(protect=[d.KAnonymity(k=15, over=["age", "town"]), template], columns=AGE)
    release = d.protect(people(), policy, seed=1)
    said = next_step(release)
    assert said is not None
    assert said.startswith("promise 1 (k-anonymity) binds: without it 100% of the detail would be told instead of ")
    assert "promise 2 (template) costs nothing" in said


def test_where_nothing_is_lost_or_nothing_can_be_tried_nothing_is_said() -> None:
    whole = d.protect(people(), d.Policy(protect=[d.KAnonymity(k=1, over=["town"])]))
    assert next_step(whole) is None
    cell = d.Confidential(column="ill", rows=[1], predictors=["town"], against=["id3"])
    assert next_step(d.protect(people(), d.Policy(protect=[cell]), seed=1)) is None
    sample = d.Policy(protect=[d.KAnonymity(k=3, over=["town"])], release=d.ReleaseOptions(sample="50%"))
    assert next_step(d.protect(people(), sample, seed=1)) is None


def test_a_release_is_not_changed_by_advice() -> None:
    policy = d.Policy(protect=[d.KAnonymity(k=6, over=["age", "town"])], columns=AGE)
    release = d.protect(people(), policy, seed=1)
    before = release.table, release.plan.to_json()
    next_step(release)
    assert isinstance(before[0], pl.DataFrame)
    assert before[0].equals(release.table)  # type: ignore[arg-type]
    assert before[1] == release.plan.to_json()

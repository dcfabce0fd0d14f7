"""Policies about groups need counts only: an engine that refuses to show its rows makes the same release."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast
from unittest import mock

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet as d
from discreet.plan.masks import ALL
from discreet.table.engine import Engine
from discreet.table.local import LocalEngine
from discreet.table.source import open_table
from tests.jobs import Job, bank, bank_policy, jobs, mixed_jobs
from tests.profiles import FEW
from tests.table.counts_only import AskedForRowsError, CountsOnly


@contextmanager
def counting_only() -> Iterator[None]:
    """For a while, every table is held by an engine that refuses to show its rows."""

    def opened(*words: Any, **more: Any) -> Engine:
        return CountsOnly(cast(LocalEngine, open_table(*words, **more)))

    with (
        mock.patch("discreet.pipeline.open_table", opened),
        mock.patch("discreet.planning.prepared.open_table", opened),
    ):
        yield


def assert_same(job: Job, seed: int) -> None:
    """The release, its audit and the plan are the same with and without row numbers, but for how the plan says it."""
    try:
        expected = d.protect(job.frame, job.policy, seed=seed)
    except d.ImpossiblePromise:
        with counting_only(), pytest.raises(d.ImpossiblePromise):
            d.protect(job.frame, job.policy, seed=seed)
        return
    with counting_only():
        found = d.protect(job.frame, job.policy, seed=seed)
        again = found.plan.apply(job.frame)
    assert found.audit.verification.holds
    assert again.audit.verification.holds
    assert found.table.equals(expected.table)  # type: ignore[attr-defined]
    assert found.audit.to_dict() == expected.audit.to_dict()
    assert replace(found.plan, masks=None) == replace(expected.plan, suppressed=())
    assert (found.plan.masks is None) == (not expected.plan.suppressed)
    assert d.Plan.from_json(found.plan.to_json()) == found.plan
    local: Any = open_table(job.frame, job.policy).apply(found.plan)
    assert local.native().equals(expected.table)


@pytest.mark.slow
@given(mixed_jobs(search="coordinate"), st.integers(0, 9))
def test_cuts_by_coordinate_search(job: Job, seed: int) -> None:
    assert_same(job, seed)


@FEW
@given(mixed_jobs(search="genetic"), st.integers(0, 9))
def test_cuts_by_genetic_search(job: Job, seed: int) -> None:
    assert_same(job, seed)


@FEW
@given(st.one_of(mixed_jobs(search="disclosure"), jobs()))
def test_templates_and_k_by_disclosure(job: Job) -> None:
    assert_same(job, 1)


ODD = pl.DataFrame({"age": ["30"] * 12 + ["31"] * 12 + ["99"], "name": [*"aabbcdeefghijklmnopqqqqqr"]})
K4 = d.Policy(protect=[d.KAnonymity(k=4, over=["age"])], columns={"age": d.Column(type="number")})


def test_rows_drawn_by_lot() -> None:
    """The odd row and three others; which ones does not depend on who holds the rows."""
    for seed in range(8):
        expected = d.protect(ODD, K4, seed=seed)
        with counting_only():
            found = d.protect(ODD, K4, seed=seed)
        assert found.audit.drawn == 3
        assert found.table.equals(expected.table)  # type: ignore[attr-defined]
        masks = found.plan.masks
        assert masks is not None
        assert sum(number for number in masks.rows if number != ALL) == 3
        assert masks.names == ("age",)


def test_unseen_values_on_new_rows() -> None:
    """The stranger is masked at once; three others, drawn by lot, keep it company."""
    towns = pl.DataFrame({"town": ["a"] * 10 + ["b"] * 10})
    plan = d.protect(towns, d.Policy(protect=[d.KAnonymity(k=4, over=["town"])])).plan
    with counting_only():
        found = plan.apply(pl.DataFrame({"town": ["a"] * 9 + ["b"] * 9 + ["x"]}))
    assert found.audit.verification.holds
    assert (found.audit.unseen, found.audit.drawn, found.audit.suppressed) == (1, 3, 4)
    assert found.plan.masks is not None
    assert sum(found.plan.masks.rows) == 2  # the stranger's combination as a whole, three rows of the others


def test_what_still_needs_rows() -> None:
    """Verification puts the rows side by side where some are missing."""
    policy = K4.model_copy(update={"suppress": d.Suppress(rows="remove")})
    with counting_only(), pytest.raises(AskedForRowsError):
        d.protect(ODD, policy, seed=1)


def masked_plan() -> d.Plan:
    """A plan of an engine whose rows have no numbers."""
    with counting_only():
        return d.protect(ODD, K4, seed=1).plan


def test_masks_are_for_the_rows_they_were_made_for() -> None:
    """Another table does not have these rows: it is refused, not released with fewer rows masked."""
    plan = masked_plan()
    assert open_table(ODD, K4).apply(plan).suppressed == 4
    for other in (ODD.filter(pl.col("age") != "99"), ODD.filter(pl.col("age") == "99")):
        with pytest.raises(d.InputError, match="the plan names rows that the table does not have"):
            open_table(other, K4).apply(plan)
    assert plan.for_new_rows().masks is None


@pytest.mark.parametrize(
    "change",
    [
        {"columns": []},
        {"columns": [{"column": "nope", "values": ["99"], "of_combination": "0"}], "rows": "-1", "salt": ""},
        {"columns": [{"column": "age", "values": ["99"], "of_combination": "1"}], "rows": "-1", "salt": ""},
        {"columns": [{"column": "age", "values": ["99", "99"], "of_combination": "0"}], "rows": "-1", "salt": ""},
        {"columns": [{"column": "age", "values": ["99"], "of_combination": "0 0"}], "rows": "-1 -1", "salt": ""},
        {"columns": [{"column": "age", "values": ["99"], "of_combination": ""}], "rows": "", "salt": ""},
        {"columns": [{"column": "age", "values": ["99"], "of_combination": [0]}], "rows": "-1", "salt": ""},
        {"columns": [{"column": "age", "values": [99], "of_combination": "0"}], "rows": "-1", "salt": ""},
        {"rows": "0 0 0"},
        {"salt": ""},
        {"salt": "XYZ"},
        {"salt": None},
    ],
)
def test_damaged_masks_are_refused(change: dict[str, object]) -> None:
    document = json.loads(masked_plan().to_json())
    damaged = {**document, "masks": {**document["masks"], **change}}
    with pytest.raises(d.InputError, match="not a whole plan"):
        d.Plan.from_json(json.dumps(damaged))


def test_a_file_is_written_and_read_back(tmp_path: Any) -> None:
    with counting_only():
        release = d.protect(bank(), bank_policy())
    release.write(tmp_path / "release.csv")
    assert (tmp_path / "release.csv").exists()

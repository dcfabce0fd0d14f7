"""Reasons are codes: their wording stands in a plan's JSON and leads back to the code."""

from __future__ import annotations

import json

import pytest

import discreet as d
from discreet.plan.reasons import KeptReason
from tests.conftest import ROOT
from tests.jobs import bank, bank_policy


def test_the_wording_is_what_plans_have_always_said() -> None:
    assert {reason.name: reason.value for reason in KeptReason} == {
        "NO_BENEFIT": "would not help the use",
        "NO_INPUT": "is no input of the use",
        "STOPPED": "the search was stopped before",
        "BREAKS": "would break a promise",
        "MARKER": "is the marker already",
    }


def test_a_plan_that_is_read_has_the_codes() -> None:
    made = d.protect(bank(), bank_policy()).plan
    read = d.Plan.from_json(made.to_json())
    old = d.Plan.from_json((ROOT / "tests" / "golden" / "plan_form5_bank.json").read_text(encoding="utf-8"))
    for plan in (made, read, old):
        assert {kept.reason for kept in plan.kept} == {KeptReason.NO_BENEFIT, KeptReason.BREAKS}
        assert all(isinstance(kept.reason, KeptReason) for kept in plan.kept)
    assert read.kept == made.kept


def test_a_reason_that_nobody_gave_is_refused() -> None:
    document = json.loads(d.protect(bank(), bank_policy()).plan.to_json())
    document["kept"][0]["reason"] = "would help nobody"
    with pytest.raises(d.InputError, match="not a whole plan"):
        d.Plan.from_json(json.dumps(document))

"""Rehearsal of blind protection: on the rest only, with limits beside every rate."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import discreet as d
from discreet.assist.check import check_policy
from discreet.attack.rehearsal import Rehearsal, rehearsed
from discreet.planning.blind import BlindPlanning
from discreet.table.source import open_table
from tests.blind_tables import policy, table, with_cells


def planning(frame: pl.DataFrame, asked: d.Policy) -> BlindPlanning:
    source = open_table(frame, asked)
    return BlindPlanning(source, source, asked)


@pytest.fixture(autouse=True)
def _no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.attack.rehearsal.has_library", lambda: False)


def test_the_rehearsal_looks_at_the_other_rows_only() -> None:
    frame, draw = table(), random.Random(1)
    other = frame
    for name in frame.columns:
        other = with_cells(other, name, {row: draw.choice(frame[name].to_list()) for row in (3, 11, 40, 77, 123, 200)})
    found, again = rehearsed(planning(frame, policy())), rehearsed(planning(other, policy()))
    assert found["ill"].to_dict() == again["ill"].to_dict()
    assert found["ill"].rows == 234
    assert [each.name for each in found["ill"].learners] == ["naive_bayes", "nearest"]
    assert all(each.surest.tries == 47 for each in found["ill"].learners)


def test_less_is_hidden_where_more_is_allowed() -> None:
    frame = table()
    strict, lax = (rehearsed(planning(frame, policy(at_most=share)))["ill"].hidden for share in ("45%", "90%"))
    assert strict > lax


def test_a_learner_that_passes_its_limit_is_told_of_with_the_remedy() -> None:
    rehearsal = Rehearsal(planning(table(), policy()), "ill")
    chances = [[1.0 if value == true else 0.0 for value in range(3)] for true in rehearsal.true]
    found = rehearsal.judged("seer", np.array(chances), rehearsal.true, 1)
    assert found.passes
    assert found.right.share == 1
    shown = rehearsed(planning(table(), policy()))["ill"]
    assert "blocks: none" in next(iter(replace(shown, learners=(found,)).warnings))
    assert not list(shown.warnings)


def test_check_says_limits_and_what_will_be_hidden(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    table().write_csv(path)
    found = check_policy(policy(), path)
    (cells,) = found.cells
    assert cells.rehearsed is not None
    assert cells.rehearsed.predictors == 4
    assert cells.rehearsed.limits[0] == 0.5
    assert cells.to_dict()["methods"] == {"naive_bayes": "blind", "count": "blind"}


def test_the_audit_has_the_aware_adversary_with_the_limit_beside() -> None:
    frame = table()
    release = d.protect(frame, policy())
    audit = release.attack(seed=1)
    assert audit.attacks is not None
    aware = [attack for attack in audit.attacks.found if attack.name.startswith("blind ")]
    assert {attack.name for attack in aware} == {"blind naive_bayes", "blind nearest"}
    assert all(attack.figures["limit"] and attack.surest is not None for attack in aware)
    assert all(attack.released.tries == 6 for attack in aware)

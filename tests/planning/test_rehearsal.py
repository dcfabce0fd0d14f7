"""Rehearsal of blind protection: on the rest only, with limits beside every rate."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import discreet as d
from discreet.assist.check import check_policy
from discreet.audit.schema import audit_schema
from discreet.cli.app import app
from discreet.common.rates import Rate
from discreet.common.shares import percent
from discreet.plan.rehearsed import LearnerRate
from discreet.planning.blind import BlindPlanning
from discreet.planning.rehearsal import Rehearsal, rehearsed, settled
from discreet.policy.blind import MARGINS
from discreet.table.source import open_table
from tests.blind_tables import policy, table, with_cells


def planning(frame: pl.DataFrame, asked: d.Policy) -> BlindPlanning:
    source = open_table(frame, asked)
    return BlindPlanning(source, source, asked)


@pytest.fixture(autouse=True)
def _no_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("discreet.planning.rehearsal.has_library", lambda: False)


def test_the_rehearsal_looks_at_the_other_rows_only() -> None:
    frame, draw = table(), random.Random(1)
    other = frame
    for name in frame.columns:
        other = with_cells(other, name, {row: draw.choice(frame[name].to_list()) for row in (3, 11, 40, 77, 123, 200)})
    found, again = rehearsed(planning(frame, policy())), rehearsed(planning(other, policy()))
    assert found["ill"].to_dict() == again["ill"].to_dict()
    assert found["ill"].rows == 234
    assert [each.name for each in found["ill"].learners] == ["naive_bayes", "nearest", "naive_bayes on blocks"]
    assert all(each.surest.tries == 47 for each in found["ill"].learners)


def test_numbers_are_near_each_other_by_the_other_rows_alone() -> None:
    draw = random.Random(2)
    frame = table().with_columns(age=pl.Series([str(draw.randrange(100)) for _ in range(len(table()))]))
    seen = []
    for text in ("50", "1000000000", "1e400"):
        rehearsal = Rehearsal(planning(with_cells(frame, "age", {3: text}), policy()), "ill")
        seen.append(rehearsal.shown(rehearsal.rows, rehearsal.told).numbers)
    assert np.isfinite(seen[0]).any()
    assert all(np.array_equal(each, seen[0], equal_nan=True) for each in seen)


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


def test_check_points_from_the_older_methods_to_the_blind_one_without_a_table() -> None:
    old = d.Policy(protect=[d.Confidential(column="ill", rows=[1], against=["naive_bayes"])])
    (warning,) = check_policy(old).warnings
    assert "at_most: 50%" in warning
    assert "docs/blind.md" in warning
    assert check_policy(policy()).warnings == ()


def test_both_rates_are_printed_with_their_intervals_and_limits() -> None:
    shown = rehearsed(planning(table(), policy()))["ill"]
    seer = LearnerRate("seer", Rate(30, 100), 0.5, Rate(12, 20), 0.55, passes=False)
    *_, line = replace(shown, learners=(seer,)).in_words()
    assert "right on 30% (21.9% to 39.6%), limit 50%; surest fifth 60% (38.7% to 78.1%), limit 55%" in line


@pytest.mark.slow
def test_the_audit_has_the_aware_adversary_with_the_limit_beside() -> None:
    frame = table()
    release = d.protect(frame, policy())
    audit = release.attack(seed=1)
    assert audit.attacks is not None
    aware = [attack for attack in audit.attacks.found if attack.name.startswith("blind ")]
    assert {attack.name for attack in aware} == {"blind naive_bayes", "blind nearest", "blind naive_bayes on blocks"}
    assert all(attack.figures["limit"] and attack.surest is not None for attack in aware)
    assert all(attack.released.tries == 6 for attack in aware)


@pytest.mark.slow
def test_plan_audit_report_and_what_is_printed_have_the_rehearsal(tmp_path: Path) -> None:
    table().write_csv(tmp_path / "t.csv")
    (tmp_path / "p.yaml").write_text("protect:\n- {column: ill, rows: [3, 11, 40], at_most: 50%}\n")
    plan = tmp_path / "plan.json"
    said = ["protect", str(tmp_path / "t.csv"), "--policy", str(tmp_path / "p.yaml"), "--out", str(tmp_path / "o.csv")]
    printed = CliRunner().invoke(app, [*said, "--plan", str(plan)])
    assert printed.exit_code == 0, printed.output
    assert "which knows the method" in printed.output
    (kept,) = d.Plan.from_json(plan.read_text()).rehearsed
    assert kept.column == "ill"
    release = d.protect(table(), policy())
    assert release.plan.rehearsed == release.audit.rehearsed
    found = json.loads(release.audit.to_json())
    jsonschema.validate(found, audit_schema())
    assert found["rehearsal"][0]["learners"][0]["limit"] == 0.5
    assert "Rehearsal of ill" in release.audit.to_html()
    assert not d.protect(table(), policy(rehearse=False)).plan.rehearsed


@pytest.mark.slow
def test_a_margin_is_chosen_by_the_other_rows_alone() -> None:
    frame, asked = table(), policy(margin="rehearsed")
    release = d.protect(frame, asked)
    other = with_cells(frame, "ill", dict.fromkeys((3, 11, 40, 77, 123, 200), "never seen"))
    again = d.protect(other, asked)
    assert isinstance(release.table, pl.DataFrame)
    assert isinstance(again.table, pl.DataFrame)
    assert release.table.write_csv() == again.table.write_csv()
    assert release.statement is not None
    assert again.statement is not None
    assert release.statement.to_json() == again.statement.to_json()
    assert release.audit.rehearsed == again.audit.rehearsed
    ((_, margin),) = release.statement.rows[0].limits[0]
    assert release.audit.rehearsed[0].margin == percent(margin)
    assert d.verify(release.table, asked, frame, statement=release.statement).holds
    another = replace(release.statement, rows=tuple(
        replace(each, limits=(((each.limits[0][0][0], Fraction(1, 3)),),)) for each in release.statement.rows
    ))  # fmt: skip
    assert not d.verify(release.table, asked, frame, statement=another).holds


@pytest.mark.slow
def test_the_largest_margin_is_chosen_with_which_nobody_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    first = planning(table(), policy(margin="rehearsed"))
    assert settled(first).margin_of("ill") == MARGINS[0]
    judged = Rehearsal.judged

    def strict(self: Rehearsal, *rest: Any) -> LearnerRate:
        found = judged(self, *rest)
        return replace(found, passes=self.planning.margin_of("ill") > Fraction(1, 20))

    monkeypatch.setattr(Rehearsal, "judged", strict)
    assert settled(first).margin_of("ill") == Fraction(1, 20)
    monkeypatch.setattr(Rehearsal, "judged", lambda *rest: replace(judged(*rest), passes=True))
    assert settled(first).margin_of("ill") == 0


@pytest.mark.slow
def test_who_reads_a_release_finds_the_blocks_that_its_stars_tell() -> None:
    frame = table()
    for blocks in ("starred", "told"):
        asked = policy(blocks=blocks)
        release = d.protect(frame, asked)
        assert isinstance(release.table, pl.DataFrame)
        seen = planning(release.table, asked).replayed().tell()
        known = planning(frame, asked).walked.tell()
        found, wanted = ({row: each.facts for each in told for row in each.rows} for told in (seen, known))
        assert found == wanted

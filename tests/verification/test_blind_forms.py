"""Method statements of several forms: files of earlier versions are verified and replayed by the rule of their time."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.attack.blind import planned_as
from discreet.audit import auditing
from discreet.compare.scene import Scene
from discreet.plan.blind_statement import GROWING, LEAVING, BlindStatement, read_statement
from discreet.planning.blind import BlindPlanning
from discreet.table.source import open_table
from tests.blind_tables import policy, table
from tests.conftest import ROOT

KEPT = json.loads((ROOT / "tests" / "golden" / "blind_form1.json").read_text())
ROWS = tuple(range(3, 40))
POLICY = policy(blocks="told", rehearse=False, rows=ROWS)


def earlier() -> pl.DataFrame:
    """Return a release that an earlier version made."""
    rows = table(2).rows()
    rows[2:39] = [tuple(row) for row in KEPT["rows"]]
    return pl.DataFrame(rows, schema=table().columns, orient="row")


def stated(**other: Any) -> BlindStatement:
    return replace(read_statement(KEPT["statement"]), **other)


def test_a_release_of_an_earlier_version_is_verified_by_the_rule_of_its_time(tmp_path: Path) -> None:
    assert stated().rule == GROWING
    for original in (None, table(2)):
        assert d.verify(earlier(), POLICY, original, statement=KEPT["statement"]).holds
        assert not d.verify(earlier(), POLICY, original, statement=stated(rule=LEAVING)).holds
    earlier().write_csv(tmp_path / "out.csv")
    (tmp_path / "out.csv.method.json").write_text(json.dumps(KEPT["statement"]))
    assert d.verify(tmp_path / "out.csv", POLICY).holds


def test_what_is_made_now_is_told_more_and_says_by_which_rule() -> None:
    release = d.protect(table(2), POLICY)
    assert isinstance(release.table, pl.DataFrame)
    assert release.statement is not None
    said = release.statement.to_dict()
    assert (said["form"], said["rule"]) == (2, LEAVING)
    assert read_statement(json.loads(release.statement.to_json())) == release.statement
    assert not release.table.equals(earlier())
    assert not d.verify(release.table, POLICY, statement=replace(release.statement, rule=GROWING)).holds
    again = read_statement(stated().to_dict())  # written anew: the later form, by the earlier rule
    assert again == stated()
    assert d.verify(earlier(), POLICY, statement=again).holds


def test_who_knows_the_method_replays_a_release_by_the_rule_of_its_time() -> None:
    released, original = open_table(earlier(), POLICY), open_table(table(2), POLICY)
    facts = {}
    for rule in (GROWING, LEAVING):
        planning = BlindPlanning(released, original, POLICY, rule=rule)
        facts[rule] = {row: dict(each.facts) for each in planning.replayed().tell() for row in each.rows}
        texts = planning.block_texts()
        written = {
            (row, place): texts[place].text(fact)
            for row, told in facts[rule].items()
            for place, fact in told.items()
            if not isinstance(fact, int)
        }
        as_released = {at: earlier()[planning.columns[at[1]]][at[0]] for at in written}
        assert (written == as_released) == (rule == GROWING)


def test_audits_and_attacks_take_the_rule_that_stands_beside_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenes: list[Scene] = []

    def noted(found: Any, scene: Scene, *_: Any, **__: Any) -> Any:
        scenes.append(scene)
        return found

    monkeypatch.setattr(auditing, "_deepened", noted)
    monkeypatch.setattr(auditing, "attack", lambda scene, *_: scenes.append(scene))
    earlier().write_csv(tmp_path / "out.csv")
    (tmp_path / "out.csv.method.json").write_text(json.dumps(KEPT["statement"]))
    assert d.audit_release(tmp_path / "out.csv", POLICY, table(2), seed=1).verification.holds
    d.attack_release(tmp_path / "out.csv", POLICY, table(2), seed=1)
    assert [planned_as(scene).rule for scene in scenes] == [GROWING, GROWING]
    assert planned_as(replace(scenes[0], block_rule=LEAVING)).rule == LEAVING


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"form": 4}, "does not read"),
        ({"form": 2, "rule": "shrinking"}, "does not read"),
        ({"form": 2}, "a part is missing"),
        ({"form": 1, "rule": LEAVING}, None),
    ],
)
def test_rules_that_are_not_known_are_refused(change: dict[str, Any], why: str | None) -> None:
    said = {**KEPT["statement"], **change}
    if why is None:
        assert read_statement(said).rule == GROWING
        return
    with pytest.raises(d.InputError, match=why):
        read_statement(said)

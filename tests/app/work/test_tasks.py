"""What tasks tell, run here: the frontier point by point, promises as sentences, tables larger than memory."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the app is not installed (discreet[app])")

from discreet.app.charts import frontier_svg
from discreet.app.desk import names_of
from discreet.app.work import policy, release
from discreet.assist.check import check_policy
from discreet.assist.frontier import frontier, frontier_as_it_comes
from discreet.policy import read_policy
from tests.app.talking import Heard
from tests.commands import DEMO

BANK, RULES = DEMO / "bank.csv", DEMO / "bank.yaml"


def test_the_frontier_comes_point_by_point() -> None:
    talk = Heard()
    last = policy.frontiers(talk, str(BANK), "", {}, str(RULES))
    parts = [value for kind, value in talk.heard if kind == "part"]
    whole = frontier(BANK, RULES)
    assert [len(part["points"]) for part in parts] == list(range(1, len(whole.points)))
    for part in parts:
        assert part["points"] == last["points"][: len(part["points"])], "no point changes afterwards"
        assert [*(point["name"] for point in part["points"]), *part["coming"]] == [
            point["name"] for point in last["points"]
        ], "each has its place from the beginning"
        assert str(frontier_svg(part["points"], part["coming"])).count("<circle") == len(part["points"])
    assert last["coming"] == []
    assert [point["detail"] for point in last["points"]] == [point.detail for point in whole.points]


def test_what_comes_ends_in_the_frontier() -> None:
    *_, last = frontier_as_it_comes(BANK, RULES, ["75%", "40%"])
    assert last == frontier(BANK, RULES, ["75%", "40%"])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copy(BANK, tmp_path)
    made = tmp_path / "made"
    made.mkdir()
    shutil.copy(RULES, made / names_of("bank.csv")["policy"])
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("large", [False, True])
def test_promises_are_sentences_and_large_tables_are_streamed(
    folder: Path, monkeypatch: pytest.MonkeyPatch, large: bool
) -> None:
    if large:
        monkeypatch.setattr("discreet.table.source.needed", lambda *_, **__: 1 << 60)
    talk = Heard()
    done = release.make(talk, str(folder), "bank.csv", names_of("bank.csv"), str(folder / "made"), None, None)
    made = next(value for kind, value in talk.heard if kind == "made")
    words = [promise.to_dict()["words"] for promise in check_policy(read_policy(RULES), table=BANK).promises]
    assert [each["words"] for each in made["promises"]] == words
    assert (made["sides"] is None) == large, "rows stand beside each other where they are in memory"
    assert "bank-release.csv" in done["files"]

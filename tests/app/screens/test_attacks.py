"""Attacks and Compare: made from the parts of the report; a remedy is one edit of the policy."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.app.served import Served, served

from discreet.app.policy_text import data_of  # isort: skip
from discreet.app.remedying import offers
from discreet.app.work.attack_page import attack_page
from discreet.app.work.jobs import MadeRelease
from discreet.audit.report import render
from discreet.audit.report.ink import ACCENT, GRID, INK, MUTED, SOFT
from discreet.audit.report.remedies import Remedy
from tests.audit.audits import nasty, rich
from tests.audit.report.test_report import NASTY

pytestmark = pytest.mark.xdist_group("app")

POLICY = """protect:
  - {k: 5, over: [age, sex]}  # alike
  - {infer: {ill: flu}, given: [age], at_most: 75%}
  - {column: ill, where: {name: Bob}, against: [naive_bayes]}
"""


def told(**said: Any) -> dict[str, Any]:
    return {"words": "", "change": None, "requirement": None, "target": None, "knows": [], "adversary": "", **said}


@pytest.mark.parametrize(
    ("said", "place", "value"),
    [
        ({"change": "larger_k", "knows": ["age"]}, ("protect", 0, "k"), "10"),
        ({"change": "stricter", "requirement": 1}, ("protect", 1, "at_most"), "60%"),
        ({"change": "against", "requirement": 2, "adversary": "random_forest"}, ("protect", 2, "against"), None),
        ({"change": "decoys", "requirement": 2}, ("protect", 2, "decoys"), "50%"),
        ({"change": "promise", "target": "pay", "knows": ["age"]}, ("protect", 3, "at_most"), "50%"),
        ({"change": "larger_k", "knows": ["town"]}, ("protect", 3, "k"), "5"),
    ],
)
def test_a_remedy_is_one_edit(said: dict[str, Any], place: tuple[Any, ...], value: str | None) -> None:
    first = offers(told(**said), POLICY)[0]
    text = first.edit(POLICY)
    assert "# alike" in text
    found: Any = data_of(text)
    for step in place:
        found = found[step]
    assert found == (value or ["naive_bayes", "random_forest"])
    assert (
        data_of(POLICY)["protect"][: 3 if place[1] == 3 else 0] == data_of(text)["protect"][: 3 if place[1] == 3 else 0]
    )


def test_a_promise_may_count_with_more() -> None:
    said = offers(told(change="stricter", requirement=1, knows=["age", "sex"]), POLICY)
    assert [offer.words for offer in said] == [
        "Lower at_most of promise 2 from 75% to 60%",
        "Let promise 2 count with all that may be known: age, sex",
    ]
    assert data_of(said[1].edit(POLICY))["protect"][1]["given"] == ["age", "sex"]


@pytest.mark.parametrize(
    "said",
    [
        None,
        {},
        {"change": "stricter"},
        {"change": "stricter", "requirement": 9},
        {"change": "against", "requirement": 2, "adversary": "naive_bayes"},
        {"change": "against", "requirement": 2, "adversary": "rules"},
        {"change": "promise"},
    ],
)
def test_nothing_is_offered_that_cannot_be_done(said: dict[str, Any] | None) -> None:
    assert not offers(None if said is None else told(**said), POLICY)


TABLE = "age,sex,ill\n" + "".join(f"{20 + n % 3},{'mf'[n % 2]},{('flu', 'cold', 'cold')[n % 3]}\n" for n in range(12))
SMALL = "protect:\n  - {k: 2, over: [age, sex]}\n  - {infer: {ill: flu}, given: [age], at_most: 75%}\n"


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Served]:
    (tmp_path / "people.csv").write_text(TABLE)
    (tmp_path / "policy.yaml").write_text(SMALL)
    with served(tmp_path) as found:
        found.enter()
        found.desk.take_policy(tmp_path / "policy.yaml")
        found.desk.open_table("people.csv")
        yield found


def made(app: Served, page: dict[str, Any], number: int = 1, detail: float = 0.5) -> MadeRelease:
    """A release as a job leaves it, without the minutes that it takes."""
    table, names = (
        app.desk.table_now(),
        {"policy": "p.yaml", "release": "r.csv", "plan": "plan.json", "report": "r.html"},
    )
    assert table is not None
    path = app.desk.sitting.path / "releases" / f"{number:06}"
    (path / "app").mkdir(parents=True)
    (path / "p.yaml").write_text(app.desk.now.text)
    (path / "app" / "attacks.json").write_text(json.dumps(page))
    shown = {
        "detail": detail, "rows": 12, "suppressed": 0, "removed": 0, "shuffled": False, "sides": None, "holds": True,
        "promises": [{"promise": f"age {NASTY}", "answer": "holds", "now": None, "before": None, "reason": None}],
        "columns": [{"name": "age", "left_out": False, "hidden": 3, "coarser": 1, "kept": 8}],
        "usefulness": {"groups": 4, "average": 3.0},
    }  # fmt: skip
    job = MadeRelease(number, path, "people.csv", names, state="done", made=shown, leaks=page["leaks"])
    job.digest = str((table.key, app.desk.policy_digest()))
    app.desk.jobs._jobs[number] = job
    return job


def with_remedy(remedy: Remedy) -> dict[str, Any]:
    page = attack_page(rich())
    page["to_do"][0]["steps"][0]["remedy"] = {**vars(remedy), "knows": list(remedy.knows)}
    return json.loads(json.dumps(page))  # type: ignore[no-any-return]


@pytest.mark.slow
def test_the_page_has_the_words_of_the_report(app: Served) -> None:
    made(app, attack_page(rich()))
    said, report = app.words("/attacks"), rich().to_html()
    page = attack_page(rich())
    for block in page["to_do"]:
        for step in block.get("steps", ()):
            assert str(render_text(step["to_do"])) in report
            assert str(render_text(step["to_do"])) in said
    assert page["verdict"] in said
    assert page["verdict"] in report


def render_text(text: str) -> str:
    from markupsafe import escape

    return " ".join(str(escape(text)).split())


def test_one_click_changes_the_policy_and_goes_to_promises(app: Served) -> None:
    made(app, with_remedy(Remedy("", "stricter", 1, "ill", ("age",), "x")))
    assert "Lower at_most of promise 2 from 75% to 60%" in app.page("/attacks")
    assert app.answer("/attacks/apply", n="1", offer="0.0") == (303, "/promises")
    assert "at_most: 60%" in app.desk.now.text
    code, said = app.answer("/attacks/apply", n="1", offer="0.0")
    assert code == 422, "the policy is another now"
    assert "make another one" in said
    app.desk.undo()
    assert app.desk.now.text == SMALL


def test_a_remedy_that_the_policy_refuses_changes_nothing(app: Served) -> None:
    made(app, with_remedy(Remedy("", "decoys", 0, None, (), "x")))
    code, said = app.answer("/attacks/apply", n="1", offer="0.0")
    assert code == 422
    assert "does not allow" in said
    assert app.desk.now.text == SMALL
    assert app.desk.reading.policy is not None


def test_missing_learners_are_said(app: Served) -> None:
    page = attack_page(rich())
    made(app, {**page, "learners": False})
    assert "scikit-learn" in app.words("/attacks")


def test_hostile_texts_of_attacks_stay_texts(app: Served) -> None:
    made(app, attack_page(nasty(NASTY)))
    page = app.page("/attacks") + app.page("/compare")
    assert NASTY not in page
    assert "<script>" not in page.replace('<script type="module"', "")


def test_releases_stand_side_by_side(app: Served) -> None:
    page = attack_page(rich())
    made(app, page)
    app.desk.edit("another k", lambda text: text.replace("k: 2", "k: 3"))
    made(app, {**page, "leaks": 0}, 2, 0.25)
    said = app.words("/compare")
    assert "Release 1" in said
    assert "50.0% ★ the best 25.0%" in said
    assert "gone: protect: {k: 2, over: [age, sex]}" in said
    assert "new: protect: {k: 3, over: [age, sex]}" in said
    assert app.answer("/compare/take", n="1") == (303, "/promises")
    assert app.desk.now.text == SMALL


def test_reports_and_app_share_one_style(app: Served) -> None:
    look = app.client.get("/static/look.css").text
    assert look in rich().to_html()
    for colour in (ACCENT, GRID, INK, MUTED, SOFT):
        assert colour in look
    own = app.client.get("/static/app.css").text + app.client.get("/static/screens.css").text
    assert "#" not in own.replace("&#", ""), "colours are said in look.css alone"
    assert "prefers-color-scheme" not in own + render._text("page.css")

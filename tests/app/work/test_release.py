"""From a table to published files: jobs in a process of their own, stopped in every stage, seen by every tab."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import time
from pathlib import Path

import pytest

from discreet.app.work.jobs import MadeRelease
from tests.app.served import Served, served, wait
from tests.commands import DEMO

pytestmark = [pytest.mark.xdist_group("app"), pytest.mark.slow]

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "{{ 7 * 7 }}{% raw %}",
    "=cmd|' /C calc'!A0",
    "\u202eevil\u0000\u0007",
    "../../etc/passwd",
    "a: b # c",
    "'; DROP TABLE x; --",
]


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    for name in ("bank.csv", "bank.yaml"):
        shutil.copy(DEMO / name, tmp_path)
    return tmp_path


def opened(app: Served, table: str = "bank.csv", policy: str | None = "bank.yaml") -> Served:
    app.enter()
    if policy is not None:
        app.desk.take_policy(app.desk.folder.path / policy)
    app.desk.open_table(table)
    return app


def latest(app: Served) -> MadeRelease:
    job = app.desk.jobs.latest
    assert job is not None
    return job


def test_the_files_equal_those_of_the_command(bank: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    from typer.testing import CliRunner

    from discreet.cli.app import app as commands

    with served(bank) as app:
        opened(app)
        assert app.post("/release/make") == 303
        assert app.post("/release/make") == 422, "one job at a time"
        wait(lambda: not latest(app).is_running)
        assert latest(app).state == "done", latest(app).failure
        words = app.words("/release?why=15.0")
        assert "verified, every promise holds" in words
        assert "Row 15, Job: Trader is released as *" in words
        assert app.post("/publish/write", n="1", folder="") == 303
        assert app.post("/publish/write", n="1", folder="") == 422, "nothing is replaced unless asked"
        assert app.post("/publish/write", n="1", folder="", force="yes") == 303
        page = app.page("/publish")
        command = page.partition('id="command">')[2].partition("</pre>")[0]
        assert "discreet protect bank.csv --policy bank-policy.yaml" in command
        for name in latest(app).files:
            answer = app.client.get(f"/publish/1/{name}")
            assert answer.content == (bank / name).read_bytes()
            assert answer.headers["content-disposition"].startswith("attachment")
        assert app.client.get("/publish/1/app%2Fjob.json").status_code == 404
        assert app.client.get("/publish/1/..%2F..%2Flock").status_code == 404
    assert oct((bank / "bank-plan.json").stat().st_mode)[-3:] == "600"
    again = tmp_path_factory.mktemp("again")
    for name in ("bank.csv", "bank-policy.yaml"):
        shutil.copy(bank / name, again)
    before = Path.cwd()
    os.chdir(again)
    try:
        result = CliRunner().invoke(commands, shlex.split(command)[1:])
    finally:
        os.chdir(before)
    assert result.exit_code == 0, result.output
    made = sorted(path.name for path in again.iterdir())
    assert made == sorted(path.name for path in bank.iterdir() if path.is_file() and path.name != "bank.yaml")
    for name in ("bank-release.csv", "bank-plan.json", "bank-policy.yaml"):
        assert (again / name).read_bytes() == (bank / name).read_bytes(), name
    ours, theirs = (json.loads((folder / "bank-plan.manifest.json").read_text()) for folder in (bank, again))
    assert {**ours, "time": ""} == {**theirs, "time": ""}


def test_a_release_that_cannot_be_is_said_as_on_the_command_line(bank: Path) -> None:
    with served(bank) as app:
        opened(app)
        app.desk.write("too strict", (bank / "bank.yaml").read_text().replace("75%", "1%"))
        app.post("/release/make")
        wait(lambda: not latest(app).is_running)
        assert latest(app).state == "failed"
        assert "at_most" in app.words("/release") or "at least" in app.words("/release")
        assert not [path for path in latest(app).path.iterdir() if "release" in path.name]


def wide(path: Path, rows: int = 4000) -> None:
    """Write a table that takes a while."""
    import random

    draw = random.Random(0)
    lines = ["a,b,c,d,e,secret"]
    for _ in range(rows):
        cells = [draw.randrange(40), draw.randrange(40), draw.randrange(30), draw.randrange(20), draw.randrange(20)]
        lines.append(",".join(map(str, [*cells, draw.choice(["x", "y", "z"])])))
    path.write_text("\n".join(lines) + "\n")
    policy = (
        "protect:\n  - infer: {secret: {any: true}}\n    given: [a, b, c, d, e]\n    at_most: 60%\nsearch: genetic\n"
    )
    path.with_suffix(".yaml").write_text(policy + "genetic: {iterations: 100000000}\n")


def test_stopped_while_planning_takes_what_is_safe(tmp_path: Path) -> None:
    wide(tmp_path / "wide.csv", 600)
    with served(tmp_path) as app:
        opened(app, "wide.csv", "wide.yaml")
        app.post("/release/make")
        wait(lambda: latest(app).progress.get("stage") == "plan" and latest(app).progress["seconds"] > 0)
        for screen in ("table", "columns", "promises", "release", "publish"):
            begun = time.monotonic()
            app.page(f"/{screen}")
            assert time.monotonic() - begun < 60, "no request waits for a job"
        assert "Stop and take what is safe so far" in app.words("/release")
        app.post("/release/stop")
        wait(lambda: latest(app).state != "making")
        assert latest(app).made is not None, latest(app).failure
        app.post("/release/stop")
        wait(lambda: not latest(app).is_running)
        assert latest(app).state == "done", latest(app).failure
        assert latest(app).stopped
        assert "The search was stopped" in app.words("/release")


def test_cancelled_in_every_stage_nothing_is_left(tmp_path: Path) -> None:
    wide(tmp_path / "wide.csv", 600)
    with served(tmp_path) as app:
        opened(app, "wide.csv", "wide.yaml")

        def attacking() -> bool:
            if "plan" in str(latest(app).progress) and not latest(app).stopping:
                app.post("/release/stop")
            return latest(app).state == "attacking"

        stages = (lambda: True, lambda: bool(latest(app).progress), lambda: "plan" in str(latest(app).progress))
        for reached in (*stages, attacking):
            app.post("/release/make")
            wait(reached)
            process = app.desk.jobs._helper
            app.post("/release/cancel")
            assert latest(app).state == "cancelled"
            assert process is not None
            assert not process._process.is_alive()
            left = sorted(path.name for path in latest(app).path.rglob("*") if path.is_file())
            assert left == ["job.json", "wide-policy.yaml"]
        assert app.post("/publish/write", n=str(latest(app).number), folder="") == 422


def test_the_server_ends_and_its_processes_with_it(tmp_path: Path) -> None:
    wide(tmp_path / "wide.csv", 600)
    with served(tmp_path) as app:
        opened(app, "wide.csv", "wide.yaml")
        app.post("/release/make")
        wait(lambda: bool(latest(app).progress))
        process = app.desk.jobs._helper
    assert process is not None
    assert not process._process.is_alive()
    with served(tmp_path, resume=True) as again:
        again.enter()
        assert latest(again).state == "failed"
        assert "the app ended before" in again.words("/release")


def test_a_process_ends_when_the_server_is_gone(tmp_path: Path) -> None:
    """However the server ends: its end of the pipe is closed, and that ends the process."""
    from discreet.app.work.helper import Helper

    helper = Helper()
    helper._pipe.close()
    wait(lambda: not helper._process.is_alive())


def test_two_tabs_see_the_same_and_lose_nothing(bank: Path) -> None:
    with served(bank) as app:
        opened(app)
        at = str(app.desk.now.number)
        text = app.desk.now.text
        assert app.post("/promises/threshold", place="0", field="at_most", number="60") == 303
        code, page = app.answer("/promises/write", text=text + "# mine\n", at=at)
        assert code == 422
        assert "# mine" in page, "what was written is still there"
        assert "at_most: 60%" in app.desk.now.text, "and what was done elsewhere too"
        assert app.post("/promises/write", text=text + "# mine\n", at=str(app.desk.now.number)) == 303
        assert app.desk.now.text.endswith("# mine\n")


def test_mistakes_stand_at_their_line_with_the_words_of_the_command_line(bank: Path) -> None:
    from discreet.errors import PolicyError
    from discreet.policy import read_policy

    wrong = (bank / "bank.yaml").read_text().replace("at_most: 75%", "at_most: lots\n    nonsense: 1")
    (bank / "wrong.yaml").write_text(wrong)
    with pytest.raises(PolicyError) as caught:
        read_policy(bank / "wrong.yaml")
    with served(bank) as app:
        opened(app)
        app.post("/promises/write", text=wrong, at=str(app.desk.now.number))
        assert app.desk.now.text == wrong, "it is kept as it was written"
        found = [(mistake.line, mistake.field, mistake.message) for mistake in app.desk.reading.mistakes]
        assert found == [(each.line, each.field, each.message) for each in caught.value.problems]
        page = app.words("/promises")
        for mistake in app.desk.reading.mistakes:
            assert f"policy.yaml:{mistake.line}" in page
        assert "mend them" in app.words("/release")
        assert app.post("/release/make") == 422
        app.desk.undo()
        assert app.desk.reading.policy is not None


def test_hostile_names_and_cells_are_only_texts(tmp_path: Path) -> None:
    import csv

    rows = [[HOSTILE[(row + place) % 4] for place in range(3)] for row in range(30)]
    with (tmp_path / "odd <b>&.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([[HOSTILE[0], HOSTILE[1], HOSTILE[2]], *rows])
    with served(tmp_path) as app:
        opened(app, "odd <b>&.csv", None)
        app.desk.figure("looked")
        app.desk.figure("drafted")
        text = f"protect:\n  - k: 2\n    over: [{json.dumps(HOSTILE[0])}]\n"
        app.desk.write("mine", text)
        wait(lambda: app.desk.figure("opened").is_current)
        for to in ("secret", "identifier", "known", "harmless"):
            app.post("/columns/move", column=HOSTILE[1], to=to)
        app.post("/release/make")
        wait(lambda: not latest(app).is_running)
        assert latest(app).state == "done", latest(app).failure
        for screen in ("table", "columns", "groups", "promises", "release", "attacks", "compare", "publish"):
            page = app.page(f"/{screen}")
            assert "<script>alert" not in page
            assert "<img src=x" not in page
            assert "<b>&" not in page
            assert "49" not in page.partition("{{")[2][:20]


def test_live_figures_say_whether_they_are_current(bank: Path) -> None:
    with served(bank) as app:
        opened(app)
        wait(lambda: app.desk.figure("alone").is_current)
        wait(lambda: app.desk.figure("checked").is_current)
        assert app.desk.figure("alone").value["alone"] == 1
        assert app.desk.figure("checked").value["possible"]
        alone = app.desk.figure("alone").value
        app.post("/promises/threshold", place="0", field="at_most", number="10")
        figure = app.desk.figure("checked")
        assert figure.is_current or figure.stale or figure.is_coming
        assert app.desk.figure("alone").is_current, "nothing that it depends on has changed"
        assert app.desk.figure("alone").value is alone
        wait(lambda: app.desk.figure("checked").is_current)
        assert not app.desk.figure("checked").value["possible"]
        app.desk.write("broken", "protect: [")
        assert app.desk.figure("checked").state == "none"
        assert app.desk.figure("checked").stale
        app.desk.undo()
        wait(lambda: app.desk.figure("checked").is_current)


def test_a_file_that_changes_is_read_again(bank: Path) -> None:
    with served(bank) as app:
        opened(app)
        wait(lambda: app.desk.figure("opened").is_current)
        with (bank / "bank.csv").open("a") as file:
            file.write("Cook,US,No,Current,Bad\n")
        app.desk.figures.refresh()
        wait(lambda: app.desk.figure("opened").is_current and app.desk.figure("opened").value["rows"] == 25)


def test_thorough_attacks_cancelled_cut_off_and_to_their_end(bank: Path) -> None:
    """What was found before stays until all of it is there."""

    def found(app: Served) -> bytes:
        return (latest(app).path / "app" / "attacks.json").read_bytes()

    with served(bank) as app:
        opened(app)
        app.post("/release/make")
        wait(lambda: not latest(app).is_running)
        quick = found(app)
        assert app.post("/attacks/again", n="1") == 303
        assert app.post("/attacks/again", n="1") == 422, "one at a time"
        assert app.post("/release/make") == 422
        assert "Leave out the rest" in app.words("/attacks")
        assert app.post("/publish/write", n="1", folder="") == 303, "the release is there all the while"
        app.post("/attacks/cancel")
        assert not latest(app).errand
        assert found(app) == quick
        app.post("/attacks/again", n="1")
        wait(lambda: bool(latest(app).progress))
    with served(bank, resume=True) as app:
        app.enter()
        assert latest(app).state == "done"
        assert found(app) == quick
        assert "These attacks were quick" in app.words("/attacks")
        app.post("/attacks/again", n="1")
        wait(lambda: not latest(app).errand)
        assert latest(app).errand_failed is None
        page = json.loads(found(app))
        assert page["thorough"]
        assert latest(app).leaks == page["leaks"]
        assert "These are thorough attacks" in app.words("/attacks")
        app.post("/attacks/again", n="1")
        app.post("/attacks/stop")
        wait(lambda: not latest(app).errand)
        assert latest(app).errand_failed is None, "the rest is left out, and what was found is shown"

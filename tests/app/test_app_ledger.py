"""A ledger in the app: drafts are recorded, published and shown; what it says is what the command line says."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.app.served import Served, served, wait

from discreet.app.work.jobs import MadeRelease  # isort: skip
from discreet.errors import InputError

pytestmark = [pytest.mark.xdist_group("app"), pytest.mark.slow]

POLICY = "protect:\n  - {k: 2, over: [age, town]}\nledger: {leavers: remove, hold: true}\n"


def people(year: int) -> str:
    """40 people in four towns; four come and four go each year."""
    rows = range(4 * (year - 2023), 40 + 4 * (year - 2023))
    return "who,age,town,ill\n" + "".join(
        f"p{who},{20 + who % 4},{'ABCD'[who % 4]},{('flu', 'cold')[who // 4 % 2]}\n" for who in rows
    )


def made(app: Served, year: int, policy: str = POLICY) -> MadeRelease:
    app.desk.open_table(f"clinic-{year}.csv")
    app.desk.write("mine", policy)
    assert app.post("/release/make", ledger="clinic.ledger", person="who") == 303
    job = app.desk.jobs.latest
    assert job is not None
    wait(lambda: not job.is_running)
    assert job.state == "done", job.failure
    return job


def published(app: Served, job: MadeRelease) -> None:
    assert app.post("/publish/count", n=str(job.number)) == 303
    wait(lambda: not job.errand)


def test_drafts_are_recorded_published_and_shown(tmp_path: Path) -> None:
    from discreet import Ledger
    from discreet.cli.app import app as commands

    for year in (2023, 2024):
        (tmp_path / f"clinic-{year}.csv").write_text(people(year))
    with served(tmp_path) as app:
        app.enter()
        first = made(app, 2023, POLICY.replace("k: 2", "k: 20"))
        assert [entry.state for entry in Ledger(tmp_path / "clinic.ledger").releases()] == ["draft"]
        said = app.words("/publish")
        assert "This release is a draft in clinic.ledger" in said
        assert "--ledger clinic.ledger --person who" in said
        again = made(app, 2023)
        published(app, first)
        assert "has another draft of this name" in app.words("/publish?n=1"), "it would not be what was looked at"
        published(app, again)
        assert again.recorded == "published", again.errand_failed
        assert "This release counts" in app.words("/publish")
        second = made(app, 2024)
        words = app.words("/release")
        together = second.made["together"] if second.made else {}
        numbers = f"{together['known']} people are known from them, {together['new']} are new, {together['left']} have"
        assert f"Together with clinic-2023-release.csv: {numbers} left" in words
        assert (together["new"], together["known"] + together["left"]) == (4, 40)
        assert "Holds: age, town: at least 2 rows alike" in words
        assert app.post("/attacks/again", n=str(second.number)) == 303, "the linker knows the ledger too"
        wait(lambda: not second.errand)
        assert second.errand_failed is None
        published(app, second)
        wait(lambda: app.desk.figure("ledger").is_current and len(app.desk.figure("ledger").value["releases"]) == 2)
        said = app.words("/publish")
        assert "clinic-2023-release.csv published" in said
        assert "clinic-2024-release.csv published" in said
        line = app.page("/publish").partition('id="ledger-command">')[2].partition("</pre>")[0]
        assert app.post("/publish/write", n=str(second.number), folder="") == 303
    assert [entry.state for entry in Ledger(tmp_path / "clinic.ledger").releases()] == ["published", "published"]
    from typer.testing import CliRunner

    words_ = shlex.split(line)[1:]
    assert words_[:2] == ["ledger", "publish"]
    words_[2] = str(tmp_path / words_[2])
    assert "only a draft" in CliRunner().invoke(commands, words_).output, "the command means the same release"
    assert not any(f"p{who}" in line for who in range(50))


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"ledger": "../out", "person": "who"}, "not under the folder"),
        ({"ledger": "clinic-2023.csv", "person": "who"}, "is no ledger"),
        ({"ledger": ".", "person": "who"}, "is no ledger"),
        ({"ledger": ".discreet-app", "person": "who"}, "the app&#39;s own"),
        ({"ledger": "clinic.ledger", "person": ""}, "which one tells who somebody is"),
    ],
)
def test_a_ledger_is_a_folder_of_its_own_under_the_folder(tmp_path: Path, said: dict[str, str], why: str) -> None:
    (tmp_path / "clinic-2023.csv").write_text(people(2023))
    with served(tmp_path) as app:
        app.enter()
        app.desk.open_table("clinic-2023.csv")
        app.desk.write("mine", POLICY)
        code, page = app.answer("/release/make", **said)
        assert code == 422
        assert why in page
        assert app.desk.jobs.latest is None
        with pytest.raises(InputError):
            app.desk.jobs.get(1)

"""The audit as its user meets it: the command, the function, the reports."""

from __future__ import annotations

import json
import shutil
import stat
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner, Result

import discreet as d
from discreet.cli.app import app
from tests.commands import DEMO
from tests.jobs import bank

SECRET = "Zyzzyva"
AUDIT = ("audit", "release.csv", "-p", "bank.yaml", "--original", "bank.csv", "--seed", "1")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("bank.csv", "bank.yaml"):
        shutil.copy(DEMO / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    run("protect", "bank.csv", "-p", "bank.yaml", "-o", "release.csv")
    return tmp_path


@pytest.fixture(autouse=True)
def few_learners(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Train only one learner of the library, but where all of them are asked for."""
    if "every_kind" not in request.node.name:
        monkeypatch.setattr("discreet.attack.learning.LIBRARY", ("linear_svm",))
        monkeypatch.setattr("discreet.attack.cells.LIBRARY", ("linear_svm",))


def run(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result


@pytest.mark.slow
def test_an_audit_shows_every_kind_of_attack_beside_its_baseline(folder: Path) -> None:
    out = run(*AUDIT).stdout
    for part in (
        "release.csv: every promise holds",
        "4/5 (80%)",
        "Who is who",
        "prosecutor",
        "What somebody's value is",
        "naive_bayes",
        "random_forest",
        "By who knows the method",
        "minimality",
        "baseline",
        "control",
        "Quick: each attack tries at most 1,000 people",
        "Not covered",
    ):
        assert part in out, part


def test_both_reports_are_written_with_the_release(folder: Path) -> None:
    run(*("protect", "bank.csv", "-p", "bank.yaml", "-o", "new.csv", "--report", "r.html", "--public-report", "p.html"))
    private, public = (folder / "r.html").read_text("utf-8"), (folder / "p.html").read_text("utf-8")
    assert "PRIVATE" in private.splitlines()[0]
    assert "PRIVATE" not in public
    assert stat.S_IMODE((folder / "r.html").stat().st_mode) == 0o600
    assert "new.csv" in private
    assert (folder / "new.csv").exists()


def test_a_broken_release_is_attacked_all_the_same(folder: Path) -> None:
    shutil.copy("bank.csv", "release.csv")
    out = run(*AUDIT, "--report", "r.html", code=1).stdout
    assert "a promise is broken" in out
    assert "prosecutor" in out
    assert (folder / "r.html").exists()


def test_the_report_of_a_failed_run_is_not_written(folder: Path) -> None:
    run("protect", "bank.csv", "-p", "bank.yaml", "-o", "release.csv", "--report", "r.html", code=2)
    assert not (folder / "r.html").exists()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--report", "r.txt"), "a report ends in .html"),
        (("--report", "r.html", "--public-report", "r.html"), "is also another file of this command"),
        (("--report", "bank.csv"), "a report ends in .html"),
        (("--target", "Shoe"), "target 'Shoe' is not a column"),
        (("--control", "gone.csv"), "gone.csv"),
        (("--control", "few.csv"), "the control has no column"),
        (("--population", "few.csv"), "the population has no column"),
        (("--control", "empty.csv"), "the control has no rows"),
    ],
)
def test_what_cannot_be_is_refused_at_once(folder: Path, words: tuple[str, ...], told: str) -> None:
    (folder / "few.csv").write_text(f"Rating\n{SECRET}\n")
    (folder / "empty.csv").write_text((folder / "bank.csv").read_text().splitlines()[0] + "\n")
    result = run(*AUDIT, *words, code=2)
    assert told in result.stderr
    assert SECRET not in result.output
    assert not (folder / "r.html").exists()


def test_a_report_that_exists_stays(folder: Path) -> None:
    (folder / "r.html").write_text("mine")
    assert "--force" in run(*AUDIT, "--report", "r.html", code=2).stderr
    assert (folder / "r.html").read_text() == "mine"
    run(*AUDIT, "--report", "r.html", "--force")
    assert (folder / "r.html").read_text() != "mine"


def test_reports_need_altair(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "altair" else found(name, *rest)
    )
    assert "discreet[report]" in run(*AUDIT, "--report", "r.html", code=2).stderr


def test_without_time_every_attack_is_named_as_left_out(folder: Path) -> None:
    found = json.loads(run(*AUDIT, "--time-limit", "0", "--json").stdout)
    assert found["attacks"]["attacks"] == []
    assert "naive_bayes on Bankruptcy" in found["attacks"]["skipped"]
    assert found["holds"]
    assert "No time for" in run(*AUDIT, "--time-limit", "0").stdout


def test_a_thorough_audit_says_first_how_long_it_takes(folder: Path) -> None:
    result = run(*AUDIT, "--thorough")
    assert "attacks, about" in result.stderr
    assert "Quick:" not in result.stdout


def test_json_has_everything_and_says_that_it_is_private(folder: Path) -> None:
    out = run(*AUDIT, "--json").stdout
    assert "PRIVATE" in out.splitlines()[0]
    found = json.loads(out)
    assert {attack["kind"] for attack in found["attacks"]["attacks"]} >= {"linkage", "inference", "aware"}
    assert found["risk"][0]["worst"]["before"][0]["hits"] == 4
    assert found["utility"]["columns"]
    assert found["about"]["name"] == "release.csv"


def test_a_further_target_is_guessed(folder: Path) -> None:
    found = json.loads(run(*AUDIT, "--target", "Rating", "--json").stdout)
    assert {attack["target"] for attack in found["attacks"]["attacks"]} >= {"Bankruptcy", "Rating"}


def test_people_outside_and_everybody(folder: Path) -> None:
    found = json.loads(run(*AUDIT, "--control", "bank.csv", "--population", "bank.csv", "--json").stdout)
    attacks = {attack["name"]: attack for attack in found["attacks"]["attacks"]}
    assert "journalist" in attacks
    assert attacks["naive_bayes"]["control_by"] == "people who are not in the table"


def test_a_release_in_another_order_is_attacked_without_knowing_whose_row_is_whose() -> None:
    policy = d.read_policy(DEMO / "bank.yaml")
    released = d.protect(bank(), policy).table
    assert isinstance(released, pl.DataFrame)
    shuffled = released.sample(fraction=1, shuffle=True, seed=2)
    found = d.audit_release(shuffled, policy, bank(), seed=1)
    assert not found.verification.holds
    assert found.attacks is not None
    assert any("is not known" in note for note in found.attacks.notes)
    assert found.hidden_cells == {}


def test_those_not_drawn_for_a_sample_are_the_control() -> None:
    policy = d.read_policy(DEMO / "bank.yaml").model_copy(update={"release": d.ReleaseOptions(sample="50%")})
    found = d.protect(bank(), policy, seed=3).attack(seed=1)
    assert found.attacks is not None
    controls = {attack.control_by for attack in found.attacks.found if attack.kind == "inference" and attack.control}
    assert "people who are not in the table" in controls


def test_attacking_a_release_gives_its_audit_with_more_in_it() -> None:
    seen: list[d.Progress] = []
    release = d.protect(bank(), DEMO / "bank.yaml")
    found = release.attack(seed=1, progress=seen.append)
    assert release.audit.attacks is None
    assert found.attacks is not None
    assert found.utility is not None
    assert found.detail == release.audit.detail
    assert found.about is not None
    assert found.about.method is not None
    stages = [progress.stage for progress in seen]
    assert stages[0] == "measure"
    assert stages[-1] == "attack"
    assert seen[1].expected is not None


def test_no_further_attack_is_made_when_progress_says_so() -> None:
    found = d.protect(bank(), DEMO / "bank.yaml").attack(progress=lambda progress: progress.disclosed < 2)
    assert found.attacks is not None
    assert len(found.attacks.skipped) > 5
    assert found.attacks.found


def test_warnings_and_notes_never_name_a_value() -> None:
    table = bank().with_columns(
        pl.col("Bankruptcy").replace("Discharged", SECRET), pl.col("Job").replace("Cook", "Yclept")
    )
    policy = d.Policy(protect=[d.Template(given=["Job", "Country"], infer={"Bankruptcy": SECRET}, at_most="75%")])
    found = d.protect(table, policy).attack(seed=1)
    assert found.attacks is not None
    told = [
        *found.attacks.warnings,
        *found.attacks.notes,
        *(note for attack in found.attacks.found for note in attack.notes),
    ]
    assert not any(value in text for text in told for value in (SECRET, "Yclept"))


def test_a_confidential_row_that_may_be_another_is_not_checkable_in_an_audit_either() -> None:
    values = ["u", "u", "v", "w", "v", "w", "u", "v"]
    table = pl.DataFrame({"x": ["a", "a", "b", "a", "b", "b", "b", "a"], "ill": values})
    asked = d.Confidential(column="ill", rows=[1, 2], predictors=["x"], against=["naive_bayes"], on_failure="remove")
    policy = d.Policy(protect=[asked])
    released = table[1:].with_columns(ill=pl.Series(["*", *values[2:]]))
    expected = d.verify(released, policy, table)
    found = d.audit_release(released, policy, table, seed=1)
    assert [finding.answer for finding in expected.requirements] == [d.Answer.NOT_CHECKABLE]
    assert [finding.answer for finding in found.promises] == [d.Answer.NOT_CHECKABLE]

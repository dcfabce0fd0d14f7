"""What goes to the terminal and into logs: what is private says so, the verdict has no value, texts do no harm."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import discreet as d
from discreet.cli import app

DEMO = Path(d.__file__).parent / "demo"
VALUES = ("Trader", "Cook", "UK", "Canada", "Discharged")
PROTECT = ("protect", "bank.csv", "--policy", "bank.yaml", "--out", "release.csv")
AUDIT = ("audit", "release.csv", "-p", "bank.yaml", "--original", "bank.csv")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("bank.csv", "bank.yaml"):
        shutil.copy(DEMO / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str, code: int = 0) -> Result:
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == code, result.output
    return result


def test_output_that_tells_of_people_says_first_that_it_is_private(folder: Path) -> None:
    for words in (
        (*PROTECT, "--plan", "plan.json"),
        ("apply", "plan.json", "bank.csv", "--out", "again.csv"),
        AUDIT,
        ("check", "bank.yaml", "--table", "bank.csv"),
        ("frontier", "bank.csv", "-p", "bank.yaml", "--thresholds", "75%"),
    ):
        assert run(*words).stdout.startswith("PRIVATE: "), words
    assert run("verify", "bank.csv", "-p", "bank.yaml", code=1).stdout.startswith("PRIVATE: ")
    assert not run("verify", "release.csv", "-p", "bank.yaml").stdout.startswith("PRIVATE")  # anybody counts the same
    assert not run("check", "bank.yaml").stdout.startswith("PRIVATE")
    told = json.loads(run("check", "bank.yaml", "--table", "bank.csv", "--json").stdout)
    assert next(iter(told)) == "private"


def test_quiet_prints_a_verdict_without_values(folder: Path) -> None:
    jobs = {
        (*PROTECT, "--plan", "plan.json"): "Verified: release.csv, 24 rows: every promise holds.",
        ("apply", "plan.json", "bank.csv", "--out", "again.csv"): "Verified: again.csv against the policy in the plan",
        ("verify", "release.csv", "-p", "bank.yaml"): "release.csv: every promise holds",
        AUDIT: "Verified: release.csv, 24 rows: every promise holds.",
    }
    for words, verdict in jobs.items():
        result = run(*words, "--quiet")
        assert result.stdout.startswith(verdict)
        assert not [value for value in VALUES if value in result.output]
    broken = run("verify", "bank.csv", "-p", "bank.yaml", "-q", code=1)
    assert broken.output == "bank.csv: a promise is broken\n"
    assert "leave out --quiet or --json" in run(*PROTECT, "--force", "--quiet", "--json", code=2).stderr


def test_the_output_ends_with_the_files_written_and_the_attacks_that_succeed(folder: Path) -> None:
    options = ("--plan", "plan.json", "--report", "report.html", "--public-report", "public.html", "--seed", "1")
    lines = run(*PROTECT, *options).stdout.splitlines()
    assert lines[-3] == "Verified: release.csv, 24 rows: every promise holds."
    assert "comparison" in lines[-2]
    written, private = lines[-1], ("report.html", "plan.json", "plan.manifest.json")
    assert written.startswith("Written: release.csv, ")
    assert all(f"{name} (private)" in written for name in private)
    assert "public.html" in written
    assert "public.html (private)" not in written


def test_the_verdict_names_the_attacks_that_succeed(folder: Path) -> None:
    rows = [
        f"p{row % 100},{'yes' if (row % 100) * 37 % 101 % 2 else 'no'}" for row in range(200)
    ]  # pairs share a secret
    for name in ("bank.csv", "release.csv"):
        (folder / name).write_text("\n".join(["Job,Ill", *rows, ""]))
    (folder / "bank.yaml").write_text("protect: [{infer: {Ill: 'yes'}, given: [Job], at_most: 100%}]")
    audit = json.loads(run(*AUDIT, "--seed", "1", "--json").stdout)
    leaks = [attack for attack in audit["attacks"]["attacks"] if attack["leaks"]]
    assert leaks, "a table released as it is tells something"
    out = run(*AUDIT, "--seed", "1", "--quiet").stdout
    assert f"{len(leaks)} of {len([a for a in audit['attacks']['attacks'] if a['released']['tries']])} attacks" in out
    assert all(f"{attack['name']} guesses {attack['target']}: " in out for attack in leaks)

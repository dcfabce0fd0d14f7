"""Remarks for GitHub and GitLab: the right file and promise, never a value, and nothing that a name can add to them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.cli.annotations.base import Remark
from discreet.cli.annotations.forms import FORMS
from tests.commands import run
from tests.runner import check_report, commands

VALUES = ("Trader", "Cook", "UK", "Canada", "Discharged")
HOSTILE = [
    "a b.csv",
    "::error::x.csv",
    "a\n::error title=own::x.csv",
    "a\r::set-output name=a::b.csv",
    "##[error]own.csv",
    "100%0A::error::x.csv",
    "a,line=9,title=own.csv",
    "'\"$(touch pwned)`touch pwned`;touch pwned #.csv",
    "-rf.csv",
    "\u2028::error::\x1b[2J.csv",
]


@pytest.fixture(autouse=True)
def _nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tests may run on the machines of a service themselves."""
    for name in ("GITHUB_ACTIONS", "GITHUB_WORKSPACE", "GITLAB_CI", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)


def verify(*words: str, code: int) -> str:
    return run("verify", *words, code=code).output


@pytest.fixture
def release(folder: Path) -> Path:
    run("protect", "bank.csv", "-p", "bank.yaml", "-o", "release.csv")
    return folder / "release.csv"


def test_github_shows_the_promise_beside_the_file_and_no_value(folder: Path) -> None:
    out = verify("bank.csv", "-p", "bank.yaml", "--annotations", "github", code=1)
    (command,) = commands(out)
    assert command.name == "error"
    assert command.properties == {"file": "bank.csv", "line": "1", "title": "discreet: promise 1 is broken"}
    assert "bank.yaml, line 3: promise 1 (template: Bankruptcy, Job, Country) is broken" in command.message
    assert out.splitlines()[1:] == ["bank.csv: a promise is broken"]
    assert not [value for value in VALUES if value in out]


def test_what_holds_gets_no_remark(release: Path) -> None:
    words = ("release.csv", "-p", "bank.yaml", "--original", "bank.csv", "--annotations")
    assert verify(*words, "github", code=0) == "release.csv: every promise holds\n"
    result = run("verify", *words, "gitlab")
    assert json.loads(result.stdout) == []
    assert result.stderr == "release.csv: every promise holds\n"


def test_gitlab_gets_a_report_and_nothing_else_on_standard_output(folder: Path) -> None:
    result = run("verify", "bank.csv", "-p", "bank.yaml", "--annotations", "gitlab", code=1)
    report = json.loads(result.stdout)
    check_report(report)
    assert [(entry["check_name"], entry["location"]["path"]) for entry in report] == [("discreet/template", "bank.csv")]
    assert result.stderr == "bank.csv: a promise is broken\n"
    assert not [value for value in VALUES if value in result.output]


@pytest.mark.parametrize(
    ("sign", "first"), [("GITHUB_ACTIONS", "::error "), ("GITLAB_CI", "["), (None, "bank.csv: a promise is broken")]
)
def test_auto_goes_by_where_it_runs(
    folder: Path, monkeypatch: pytest.MonkeyPatch, sign: str | None, first: str
) -> None:
    if sign is not None:
        monkeypatch.setenv(sign, "true")
    out = run("verify", "bank.csv", "-p", "bank.yaml", "--annotations", "auto", code=1)
    assert out.stdout.startswith(first)
    assert not [value for value in VALUES if value in out.output]


def test_files_are_named_as_in_their_repository(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder.parent))
    monkeypatch.setenv("CI_PROJECT_DIR", str(folder.parent))
    wanted = f"{folder.name}/bank.csv"
    for name in ("bank.csv", "./bank.csv", str(folder / "bank.csv")):
        (command,) = commands(verify(name, "-p", "bank.yaml", "--annotations", "github", code=1))
        assert command.properties["file"] == wanted
        (entry,) = json.loads(run("verify", name, "-p", "bank.yaml", "--annotations", "gitlab", code=1).stdout)
        assert entry["location"]["path"] == wanted


def test_what_cannot_be_checked_is_an_error_or_with_partial_a_warning(folder: Path) -> None:
    (folder / "cells.yaml").write_text("protect: [{column: Bankruptcy, rows: [1], predictors: [Job]}]\n")
    words = ("bank.csv", "-p", "cells.yaml", "--annotations", "github")
    (found,) = commands(verify(*words, code=1))
    assert (found.name, found.properties["title"]) == ("error", "discreet: promise 1 cannot be checked")
    (found,) = commands(verify(*words, "--partial", code=0))
    assert found.name == "warning"


def test_an_untrue_release_and_a_column_too_many(release: Path) -> None:
    text = release.read_text()
    release.write_text(text.replace("Cook", "King"))
    words = ("release.csv", "-p", "bank.yaml", "--original", "bank.csv", "--annotations", "github")
    out = verify(*words, code=1)
    (found,) = commands(out)
    assert found.properties["title"] == "discreet: the release is not true"
    assert "King" not in out


def test_bad_input_is_a_remark_too_and_exit_codes_stay(folder: Path) -> None:
    out = verify("gone.csv", "-p", "bank.yaml", "--annotations", "github", code=2)
    (found,) = commands(out)
    assert (found.properties["file"], found.message) == ("bank.yaml", "gone.csv: there is no such file")
    report = json.loads(run("verify", "gone.csv", "-p", "gone.yaml", "--annotations", "gitlab", code=2).stdout)
    check_report(report)
    assert report[0]["check_name"] == "discreet/bad-input"
    assert "github, gitlab or auto" in verify("bank.csv", "-p", "bank.yaml", "--annotations", "jenkins", code=2)
    assert "--json" in verify("bank.csv", "-p", "bank.yaml", "--annotations", "github", "--json", code=2)


def test_an_address_with_a_password_is_not_repeated(folder: Path) -> None:
    address = "postgresql://ann:Zyzzyva@localhost/db#t"
    for form in FORMS:
        result = run("verify", address, "-p", "bank.yaml", "--annotations", form, code=2)
        assert "Zyzzyva" not in result.output


@pytest.mark.parametrize("name", HOSTILE)
def test_names_add_no_remark(folder: Path, name: str) -> None:
    """One command, about that very file; whatever else is printed, to both streams, is none."""
    shutil.copy("bank.csv", name)
    shutil.copy("bank.yaml", f"{name}.yaml")
    result = run("verify", "--annotations", "github", "-p", f"{name}.yaml", "--", name, code=1)
    (command,) = commands(result.stdout + result.stderr)
    assert command.properties == {"file": name, "line": "1", "title": "discreet: promise 1 is broken"}
    gone = run("verify", "--annotations", "github", "-p", f"{name}.yaml", "--", f"gone {name}", code=2)
    (command,) = commands(gone.stdout + gone.stderr)
    assert command.properties["title"] == "discreet cannot verify"
    report = json.loads(run("verify", "--annotations", "gitlab", "-p", f"{name}.yaml", "--", name, code=1).stdout)
    check_report(report)
    assert [entry["location"]["path"] for entry in report] == [name]
    assert not Path("pwned").exists()


@given(st.text(), st.text(), st.text())
def test_any_text_is_one_remark_and_comes_back(file: str, title: str, message: str) -> None:
    remark = Remark(f"x{file}".replace("/", "").replace("\0", ""), 3, "template", title, message)
    form = FORMS["github"]
    (command,) = commands(form.written([remark]))
    assert command.name == "error"
    assert command.properties["file"] == remark.file
    assert command.properties["line"] == "3"
    assert {*command.properties} <= {"file", "line", "title"}
    safe = form.safe(title + message)
    assert "::" not in safe
    assert "##[" not in safe
    check_report(json.loads(FORMS["gitlab"].written([remark])))


LIST = """\
- {release: release.csv, policy: bank.yaml, original: bank.csv}
- {release: bank.csv, policy: bank.yaml}
- {release: gone.csv, policy: bank.yaml}
"""


def test_a_list_of_releases(release: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names are relative to the list; what is broken counts more than what cannot be read; all are looked at."""
    (release.parent / "releases.yaml").write_text(LIST)
    monkeypatch.chdir(release.parent.parent)
    listed = f"{release.parent.name}/releases.yaml"
    result = run("verify-all", listed, code=1)
    assert [line.partition(":")[0] for line in result.stdout.splitlines()] == [
        "ok", "FAILED", "FAILED", "3 releases verified",
    ]  # fmt: skip
    assert not [value for value in VALUES if value in result.output]
    found = commands(run("verify-all", listed, "--annotations", "github", code=1).output)
    assert [command.properties["file"] for command in found] == [
        f"{release.parent.name}/bank.csv",
        f"{release.parent.name}/gone.csv",
    ]
    report = json.loads(run("verify-all", listed, "--annotations", "gitlab", code=1).stdout)
    check_report(report)
    assert len(report) == 2
    document = json.loads(run("verify-all", listed, "--json", code=1).stdout)
    assert [each["exit_code"] for each in document["releases"]] == [0, 1, 2]
    assert document["releases"][1]["promises"] == [{"index": 0, "kind": "template", "answer": "broken"}]


def test_the_default_list_and_how_it_ends(release: Path) -> None:
    listed = release.parent / "releases.yaml"
    listed.write_text("releases:\n  - {release: release.csv, policy: bank.yaml}\n")
    assert run("verify-all").stdout.endswith("1 release verified: all pass.\n")
    listed.write_text("- {release: gone.csv, policy: bank.yaml}\n")
    assert "there is no such file" in run("verify-all", code=2).stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no list of releases; write '- {release: release.csv, policy: policy.yaml}'"),
        ("- release.csv\n", "is no list of releases"),
        ("releases: release.csv\n", "is no list of releases"),
        ("- {relase: a.csv, policy: b.yaml}\n", "releases.yaml:1: releases[0].relase: unknown field 'relase'; did"),
        ("- {release: a.csv}\n", "releases.yaml:1: releases[0].policy: is missing; add it"),
        ("- {release: a.csv, policy: b.yaml, partial: perhaps}\n", "write true or false"),
        ("- [", "is not valid YAML"),
    ],
)  # fmt: skip
def test_mistakes_in_a_list(folder: Path, text: str, said: str) -> None:
    (folder / "releases.yaml").write_text(text)
    assert said in run("verify-all", code=2).stderr
    (found,) = commands(run("verify-all", "--annotations", "github", code=2).output)
    assert found.properties["file"] == "releases.yaml"


def test_no_list(folder: Path) -> None:
    assert "releases.yaml: there is no such list of releases; write" in run("verify-all", code=2).stderr
    (folder / "releases.yaml").mkdir()
    assert "is a folder" in run("verify-all", code=2).stderr

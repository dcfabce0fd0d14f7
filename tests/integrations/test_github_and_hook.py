"""The GitHub Action and the hook for pre-commit: their scripts on good and broken releases, with names of all kinds."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.annotations.test_annotations import HOSTILE, VALUES
from tests.commands import run
from tests.conftest import ROOT
from tests.runner import commands

pytestmark = [pytest.mark.process, pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")]

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
HOOKS: list[dict[str, Any]] = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
SCRIPTS = ROOT / "integrations" / "github"


@pytest.fixture
def repository(folder: Path) -> Path:
    """A repository with a release, its policy and their list."""
    run("protect", "bank.csv", "-p", "bank.yaml", "-o", "release.csv")
    (folder / "releases.yaml").write_text("- {release: release.csv, policy: bank.yaml}\n")
    return folder


def started(words: list[str], **more: str) -> subprocess.CompletedProcess[str]:
    """Run something with discreet on the PATH, as a service would."""
    environment = {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "HOME": os.environ.get("HOME", "/"),
        "GITHUB_ACTIONS": "true",
        **more,
    }
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False, errors="replace")


def step(**inputs: str) -> subprocess.CompletedProcess[str]:
    """Run the step of the action that verifies, with its inputs as the runner hands them over."""
    (verifying,) = [one for one in ACTION["runs"]["steps"] if one.get("name") == "Verify releases"]
    said = {name: inputs.get(name, what["default"]) for name, what in ACTION["inputs"].items()}
    handed = {
        name: said[value.removeprefix("${{ inputs.").removesuffix(" }}")] for name, value in verifying["env"].items()
    }
    return started([verifying["shell"], "-c", verifying["run"]], GITHUB_ACTION_PATH=str(ROOT), **handed)


def hook(**more: str) -> subprocess.CompletedProcess[str]:
    (only,) = HOOKS
    return started([*shlex.split(only["entry"]), *only["args"]], **more)


def test_no_input_is_ever_a_part_of_a_command() -> None:
    """Expressions are put into a script before a shell reads it: none may stand there."""
    for one in ACTION["runs"]["steps"]:
        assert "${{" not in one.get("run", "")
    assert ACTION["runs"]["using"] == "composite"
    assert all("shell" in one for one in ACTION["runs"]["steps"] if "run" in one)


def test_a_good_release_passes(repository: Path) -> None:
    for done in (step(), step(releases="- {release: release.csv, policy: bank.yaml}"), hook()):
        assert done.returncode == 0, done.stderr
        assert done.stdout.endswith("1 release verified: all pass.\n")
        assert commands(done.stdout + done.stderr) == []


def test_a_broken_release_fails_and_is_shown_beside_its_file(repository: Path) -> None:
    shutil.copy("bank.csv", "release.csv")
    for done in (step(), step(releases=json.dumps([{"release": "release.csv", "policy": "bank.yaml"}])), hook()):
        assert done.returncode == 1
        (command,) = commands(done.stdout + done.stderr)
        assert command.properties["file"] == "release.csv"
        assert not [value for value in VALUES if value in done.stdout + done.stderr]


def test_no_list_is_exit_code_2(repository: Path) -> None:
    Path("releases.yaml").unlink()
    for done in (step(), hook(), step(list="elsewhere.yaml"), step(releases="{")):
        assert done.returncode == 2
        assert [command.name for command in commands(done.stdout + done.stderr)] == ["error"]


def test_hostile_names_start_nothing_and_add_nothing(repository: Path) -> None:
    """In the list, as the list's own name, and of files that are broken, good and gone."""
    listed = []
    for name in HOSTILE:
        shutil.copy("bank.csv", name)
        listed += [{"release": name, "policy": "bank.yaml"}, {"release": "release.csv", "policy": f"gone {name}"}]
    text = json.dumps(listed)
    named = HOSTILE[-3].replace(".csv", ".yaml")
    Path(named).write_text(text)
    Path("releases.yaml").write_text(text)
    for done in (step(list=named), step(releases=text), hook()):
        assert done.returncode == 1
        found = commands(done.stdout + done.stderr)
        assert [command.name for command in found] == ["error"] * len(listed)
        assert {command.properties["title"] for command in found} == {
            "discreet: promise 1 is broken",
            "discreet cannot verify",
        }
        assert [command.properties["file"] for command in found][::2] == HOSTILE
    assert not Path("pwned").exists()
    done = step(list="$(touch pwned) ::error::x.yaml")
    assert (done.returncode, len(commands(done.stdout + done.stderr))) == (2, 1)
    assert not Path("pwned").exists()


@pytest.mark.parametrize("extras", ["excel;touch pwned", "$(touch pwned)", "a]x[b", "--index-url=x", "a,,b"])
def test_extras_are_names(repository: Path, extras: str) -> None:
    script = str(SCRIPTS / "install.sh")
    done = started(["bash", script], DISCREET_EXTRAS=extras, DISCREET_SOURCE=str(ROOT), RUNNER_TEMP=str(repository))
    assert done.returncode == 2
    assert [command.name for command in commands(done.stdout)] == ["error"]
    assert not (repository / "discreet").exists()
    assert not Path("pwned").exists()

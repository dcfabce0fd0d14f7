"""What is said, and what is left, when something happens while the files of a command get their names."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

import discreet as d
from discreet.cli.app import app
from discreet.common.staging import PREFIX, Staging
from discreet.policy.schema import BESIDE, TITLE
from tests.commands import DEMO

RUNNER = CliRunner()
RENAMES = ("link", "replace")


@dataclass(frozen=True)
class Command:
    words: list[str]
    outputs: list[str]
    """In the order in which they get their names."""
    json: bool = True
    force: bool = True


COMMANDS = {
    "protect": Command(
        ["protect", "bank.csv", "-p", "bank.yaml", "-o", "r.csv", "--plan", "plan.json"],
        ["plan.json", "plan.manifest.json", "r.csv"],
    ),
    "apply": Command(["apply", "kept.json", "bank.csv", "-o", "r.csv"], ["r.csv"]),
    "audit": Command(
        ["audit", "done.csv", "-p", "bank.yaml", "--original", "bank.csv", "--report", "a.html",
         "--public-report", "b.html", "--time-limit", "0"],
        ["a.html", "b.html"],
    ),
    "frontier": Command(
        ["frontier", "bank.csv", "-p", "bank.yaml", "--thresholds", "60%", "--plot", "f.svg"],
        ["f.svg"],
    ),
    "init": Command(["init", "bank.csv", "-o", "new.yaml"], ["policy.schema.json", "new.yaml"], json=False),
    "taxonomy": Command(["taxonomy", "bank.csv", "Job", "-o", "job.csv"], ["job.csv"]),
    "demo": Command(["demo", "folder"], ["folder/bank.csv", "folder/bank.yaml"], json=False, force=False),
}  # fmt: skip
NAMES = list(COMMANDS)
VERIFIED = ("protect", "apply")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A release and a plan."""
    path = tmp_path_factory.mktemp("made")
    release = d.protect(DEMO / "bank.csv", DEMO / "bank.yaml")
    release.write(path / "done.csv")
    (path / "kept.json").write_text(release.plan.to_json())
    return path


@pytest.fixture(autouse=True)
def _inputs(folder: Path, made: Path) -> None:
    for name in ("done.csv", "kept.json"):
        shutil.copy(made / name, folder)


def hooked(monkeypatch: pytest.MonkeyPatch, happens: Callable[[int, str], None]) -> None:
    """Let something happen after each call that gives a name; it gets its number (from 1) and the name."""
    calls = []
    for name in RENAMES:
        real = getattr(os, name)

        def call(*args: object, real: Callable[..., None] = real, **more: object) -> None:
            real(*args, **more)
            if not Path(str(args[1])).is_absolute():  # others, such as caches, are not meant
                calls.append(args[1])
                happens(len(calls), str(args[1]))

        monkeypatch.setattr(os, name, call)


def strays(folder: Path) -> list[str]:
    return [path.name for path in folder.rglob(f"{PREFIX}*")]


def said(command: str, outputs: list[str]) -> str:
    *others, last = outputs
    if command in VERIFIED:
        return f"{last} was written and is verified" + (f", with {' and '.join(others)}" if others else "")
    return f"{' and '.join(outputs)} {'were' if others else 'was'} written"


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("force", [False, True])
def test_an_interrupt_while_names_change(name: str, force: bool, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whenever it comes, it waits; then it is said which files are written."""
    command = COMMANDS[name]
    if force and not command.force:
        return
    if force:
        for output in command.outputs:
            (folder / output).write_text(json.dumps({"title": TITLE}) if output == BESIDE else "old")

    def interrupt(number: int, to: str) -> None:
        if number == 1 or not Path(to).name.startswith(PREFIX):
            signal.raise_signal(signal.SIGINT)

    hooked(monkeypatch, interrupt)
    words = [*command.words, *(["--force"] if force else []), *(["--json"] if command.json else [])]
    result = RUNNER.invoke(app, words)
    assert result.exit_code == 2
    assert result.stderr.splitlines()[-1] == f"error: interrupted; {said(name, command.outputs)}"
    if command.json:
        error = json.loads(result.stdout)["error"]
        assert error["message"] == f"interrupted; {said(name, command.outputs)}"
        assert error["written"] == command.outputs
    assert all((folder / output).read_bytes() != b"old" for output in command.outputs)
    assert not strays(folder)


@pytest.mark.process
@pytest.mark.parametrize("name", NAMES)
def test_an_interrupt_before_names_change_and_one_after(
    name: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = COMMANDS[name]
    real = Staging.commit

    def before(staging: Staging, *, last: Path, **more: Any) -> None:
        raise KeyboardInterrupt

    def after(staging: Staging, *, last: Path, **more: Any) -> None:
        real(staging, last=last, **more)
        if name != "demo" or last.parent.name == "folder":
            raise KeyboardInterrupt

    monkeypatch.setattr(Staging, "commit", before)
    result = RUNNER.invoke(app, command.words)
    assert (result.exit_code, result.stderr) == (2, "error: interrupted; nothing was written\n")
    assert not [output for output in command.outputs if (folder / output).exists()]
    monkeypatch.setattr(Staging, "commit", after)
    result = RUNNER.invoke(app, command.words)
    assert result.stderr.splitlines()[-1] == f"error: interrupted; {said(name, command.outputs)}"
    assert not strays(folder)


HOOKED = """
import os, signal, sys
def hooked(real):
    def call(*args, **more):
        real(*args, **more)
        if not os.path.isabs(args[1]):
            calls.append(args)
            if len(calls) == at:
                os.kill(os.getpid(), how)
    return call
at, how = int(sys.argv.pop(1)), int(sys.argv.pop(1))
calls = []
os.link, os.replace = hooked(os.link), hooked(os.replace)
from discreet.__main__ import main
main()
"""


@pytest.fixture
def old(folder: Path) -> dict[str, bytes]:
    """The files of an earlier run of `protect`."""
    found = {name: f"old {name}".encode() for name in COMMANDS["protect"].outputs}
    for name, content in found.items():
        (folder / name).write_bytes(content)
    return found


def run(folder: Path, at: int, how: signal.Signals) -> subprocess.CompletedProcess[str]:
    words = [*COMMANDS["protect"].words, "--force", "--json"]
    return subprocess.run(
        [sys.executable, "-c", HOOKED, str(at), str(int(how)), *words],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.process
@pytest.mark.parametrize("at", [1, 4])
def test_a_termination_signal_in_a_program_of_its_own(at: int, folder: Path, old: dict[str, bytes]) -> None:
    result = run(folder, at, signal.SIGTERM)
    assert result.returncode == 2
    error = json.loads(result.stdout)["error"]
    assert error["written"] == list(old)
    assert "r.csv was written and is verified" in error["message"]
    assert all((folder / name).read_bytes() != content for name, content in old.items())
    assert not strays(folder)


@pytest.mark.process
@pytest.mark.parametrize("at", [1, 2, 4, 6])
def test_killed_outright_between_names(at: int, folder: Path, old: dict[str, bytes]) -> None:
    """Each file is the old or the new one as a whole, the release last; the next run sweeps away what is left."""
    result = run(folder, at, signal.SIGKILL)
    assert result.returncode == -signal.SIGKILL
    still = [name for name, content in old.items() if (folder / name).read_bytes() == content]
    assert still == list(old)[at // 2 :]
    assert strays(folder)
    assert RUNNER.invoke(app, [*COMMANDS["protect"].words, "--force"]).exit_code == 0
    assert not strays(folder)

"""Shell completion: Typer's, by commands, options and what some of them may say."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands import run

DISCREET = Path(sys.executable).parent / "discreet"
pytestmark = [pytest.mark.process, pytest.mark.skipif(not DISCREET.exists(), reason="not installed as a program")]


def started(words: list[str], home: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": f"{DISCREET.parent}{os.pathsep}{os.environ['PATH']}", "HOME": str(home), **more}
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("discreet ver", {"verify", "verify-all"}),
        ("discreet doc", {"doctor"}),
        ("discreet verify --anno", {"--annotations"}),
        ("discreet verify --annotations git", {"github", "gitlab"}),
        ("discreet ledger pub", {"publish"}),
    ],
)
def test_words_are_completed(tmp_path: Path, typed: str, offered: set[str]) -> None:
    words = {"COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" ")), "_DISCREET_COMPLETE": "complete_bash"}
    assert {*started([str(DISCREET)], tmp_path, **words).stdout.split()} == offered


@pytest.mark.parametrize(
    "shell", ["bash", *(pytest.param(name, marks=pytest.mark.recipes) for name in ("zsh", "fish"))]
)
def test_it_is_shown_and_installed_for_a_shell(tmp_path: Path, shell: str) -> None:
    """What is shown is a script that the shell itself can read; installing writes to the home folder only."""
    if shutil.which(shell) is None:
        pytest.skip(f"no {shell}")
    # A shell replaces itself by its last command; then the one that started the tests would be found instead.
    shown = started([shell, "-c", "discreet --show-completion; true"], tmp_path, SHELL=f"/bin/{shell}")
    assert "_DISCREET_COMPLETE=complete_" in shown.stdout, shown.stderr
    (tmp_path / "script").write_text(shown.stdout)
    assert started([shell, "-n", str(tmp_path / "script")], tmp_path).returncode == 0


def test_bash_offers_commands_and_files(tmp_path: Path) -> None:
    """In a shell that has read the script: commands by us, files by the shell where we have nothing to offer."""
    if shutil.which("bash") is None:
        pytest.skip("no bash")
    (tmp_path / "bank.csv").touch()
    script = (
        'eval "$(discreet --show-completion)"\n'
        'COMP_WORDS=(discreet prot) COMP_CWORD=1\n$(complete -p discreet | sed -E "s/.*-F ([^ ]+).*/\\1/") discreet\n'
        'echo "${COMPREPLY[@]}"\ncomplete -p discreet\n'
    )
    done = started(["bash", "-c", script], tmp_path, SHELL="/bin/bash")
    assert done.stdout.splitlines()[0] == "protect", done.stderr
    assert "-o default" in done.stdout  # the shell's own names of files


def test_help_names_it() -> None:
    assert "--install-completion" in run("--help").stdout

"""The help of every command ends its description with an example, short enough for a narrow terminal, that runs."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from discreet.cli.app import app
from tests.commands import DEMO

WIDTH = 78
"""Of a line of help on a terminal with 80 columns."""
SERVES = {"app"}
"""Commands that run until they are stopped; tests/app has them."""
LEDGER = ["add", "show", "withdraw", "publish", "drop", "rekey"]
"""Its commands in an order in which each finds what it needs."""
CLINIC = "id,town,illness\n" + "".join(f"p{n},{'AB'[n % 2]},{'xyz'[n % 3]}\n" for n in range(12))


def commands() -> Iterator[tuple[str, str]]:
    """Yield every command with its help."""
    group = typer.main.get_command(app)
    for name, command in getattr(group, "commands").items():  # noqa: B009
        below = getattr(command, "commands", None)
        if below is None:
            yield name, command.help or ""
        else:
            yield from ((f"{name} {each}", inner.help or "") for each, inner in below.items())


def examples(text: str) -> list[str]:
    """Return the lines of a help's example."""
    return [line for line in text.partition("\nExample:\n")[2].splitlines() if line]


ALL = dict(commands())


@pytest.mark.parametrize("name", ALL)
def test_every_help_has_an_example(name: str) -> None:
    found = examples(ALL[name])
    assert found, f"the help of `discreet {name}` has no example"
    assert all(line.startswith(f"discreet {name} ") and len(line) <= WIDTH for line in found)
    shown = CliRunner().invoke(app, [*name.split(), "--help"], terminal_width=80).output
    assert all(line in shown for line in found)


def run(line: str) -> str:
    words = shlex.split(line)[1:]
    target = words[words.index(">") + 1] if ">" in words else None
    result = CliRunner().invoke(app, words[: words.index(">")] if target else words)
    assert result.exit_code == 0, f"{line}\n{result.output}"
    if target:
        Path(target).write_text(result.output, encoding="utf-8")
    return result.output


@pytest.mark.slow
def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In the order of the list of commands: later ones read what earlier ones wrote."""
    monkeypatch.chdir(tmp_path)
    for name in ("bank.csv", "bank.yaml"):
        shutil.copy(DEMO / name, tmp_path)
    Path("releases.yaml").write_text("- {release: release.csv, policy: bank.yaml}\n", encoding="utf-8")
    for name, text in ALL.items():
        if name not in SERVES and not name.startswith("ledger "):
            for line in examples(text):
                run(line)


@pytest.mark.slow
def test_the_examples_of_a_ledger_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(CLINIC, encoding="utf-8")
    Path("2023.csv").write_text("town,illness\n" + "*,x\n*,y\n*,z\n" * 4, encoding="utf-8")
    Path("p.yaml").write_text("protect: [{k: 3, over: [town]}]\ncolumns: {id: {role: identifier}}\n", encoding="utf-8")
    Path("ids.csv").write_text("old,new\np0,q0\n", encoding="utf-8")
    assert {f"ledger {name}" for name in LEDGER} == {name for name in ALL if name.startswith("ledger ")}
    draft = "discreet protect t.csv -p p.yaml -o 2024.csv --ledger clinic --person id --force"
    for name in LEDGER:
        if name in ("publish", "drop"):
            run(draft if name == "publish" else f"{draft} --name 2024b")
        for line in examples(ALL[f"ledger {name}"]):
            run(line.replace("2024.csv", "2024b") if name == "drop" else line)

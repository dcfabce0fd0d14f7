"""`init` on a real terminal: questions are shown, answers typed, Ctrl-C and the end of the input end it cleanly."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import discreet as d
from tests.commands import run
from tests.guide import tables

pytest.importorskip("pty", reason="there are no pseudo-terminals here")

from tests.terminal import CTRL_C, CTRL_D, OnTerminal

pytestmark = [pytest.mark.process, pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tables.write(tables.bank(60), tmp_path / "clients.csv")
    return tmp_path


def test_questions_are_answered_and_the_draft_is_in_order(folder: Path) -> None:
    terminal = OnTerminal(folder, "init", "clients.csv", "--out", "policy.yaml")
    terminal.answer("Which name people", "")
    terminal.answer("Which must nobody infer?", "Soldee")
    terminal.answer("Which must nobody infer?", "Défaut de paiement=oui")
    assert "the table has no column 'Soldee'" in terminal.shown
    terminal.answer("Which may somebody know", "Profession, Code postal")
    terminal.answer("Who gets the release?", "research")
    assert terminal.ended() == 0, terminal.shown
    text = (folder / "policy.yaml").read_text(encoding="utf-8")
    policy = d.read_policy(folder / "policy.yaml")
    assert {name for item in policy.protect for name in getattr(item, "known", ())} == {"Profession", "Code postal"}
    assert "oui" in text
    run("check", str(folder / "policy.yaml"), "--table", str(folder / "clients.csv"))


def test_backspace_mends_what_was_typed(folder: Path) -> None:
    terminal = OnTerminal(
        folder, "init", "clients.csv", "--out", "policy.yaml", "--secret", "Solde", "--known", "Profession"
    )
    terminal.answer("Which name people", "")
    terminal.answer("Who gets the release?", "internalx\x7f")
    assert terminal.ended() == 0, terminal.shown


@pytest.mark.parametrize("answered", [0, 2])
def test_ctrl_c_ends_it_and_nothing_is_written(folder: Path, answered: int) -> None:
    terminal = OnTerminal(folder, "init", "clients.csv", "--out", "policy.yaml")
    for question in ("Which name people", "Which must nobody infer?")[:answered]:
        terminal.answer(question, "")
    terminal.until("] ")
    terminal.type(CTRL_C)
    assert terminal.ended() == 2, terminal.shown
    assert "Traceback" not in terminal.shown
    assert "interrupted" in terminal.shown
    assert sorted(path.name for path in folder.iterdir()) == ["clients.csv"]


def test_the_end_of_the_input_says_what_to_write_instead(folder: Path) -> None:
    terminal = OnTerminal(folder, "init", "clients.csv", "--out", "policy.yaml")
    terminal.until("Which name people")
    terminal.until("] ")
    terminal.type(CTRL_D)
    assert terminal.ended() == 2, terminal.shown
    assert "no answer came; give --secret" in terminal.shown
    assert "Traceback" not in terminal.shown
    assert sorted(path.name for path in folder.iterdir()) == ["clients.csv"]


def test_a_draft_that_is_printed_comes_behind_the_questions(folder: Path) -> None:
    """Without --out the draft is shown; what was asked does not stand in the middle of it."""
    terminal = OnTerminal(folder, "init", "clients.csv", "--preset", "internal", "--secret", "Solde")
    terminal.answer("Which name people", "")
    terminal.answer("Which may somebody know", "-")
    terminal.until("\n")
    code = terminal.ended()
    assert code in (0, 2), terminal.shown
    assert "Traceback" not in terminal.shown

"""What `init` asks: Enter takes a guess, - takes none, and what does not fit is asked again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from discreet.assist.draft import DraftChoices, DraftJob
from discreet.cli import asking
from discreet.errors import InputError
from tests.guide import tables


def answering(*answers: str) -> tuple[Callable[[str], str], list[str]]:
    asked: list[str] = []
    left = iter(answers)

    def hear(question: str) -> str:
        asked.append(question)
        return next(left)

    return hear, asked


@pytest.fixture
def job(tmp_path: Path) -> DraftJob:
    return DraftJob(tables.write(tables.bank(60), tmp_path / "t.csv"))


def test_enter_takes_what_is_guessed(job: DraftJob) -> None:
    hear, asked = answering("", "", "", "")
    said = asking.ask_choices(job.looks, DraftChoices(), job.parts, hear)
    assert [question.split("[")[1] for question in asked] == [
        "Numéro client] ",
        "Solde, Défaut de paiement] ",
        "Année de naissance, Code postal, Profession] ",
        "open-data] ",
    ]
    assert job.draft(said).text == job.draft(DraftChoices()).text


def test_answers_are_taken_and_wrong_ones_are_asked_again(job: DraftJob, capsys: pytest.CaptureFixture[str]) -> None:
    hear, asked = answering("", "Soldee", "Défaut de paiement=oui", "Profession, Code postal", "public", "research")
    said = asking.ask_choices(job.looks, DraftChoices(), job.parts, hear)
    assert (said.secret, said.known, said.preset) == (
        ["Défaut de paiement=oui"],
        ["Profession", "Code postal"],
        "research",
    )
    assert len(asked) == 6
    shown = capsys.readouterr().out
    assert "the table has no column 'Soldee'" in shown
    assert "write one of open-data, research, internal" in shown


def test_none_is_an_answer_and_what_was_said_is_not_asked(job: DraftJob) -> None:
    hear, asked = answering("-", "-")
    said = asking.ask_choices(job.looks, DraftChoices(known=["Profession"], preset="internal"), job.parts, hear)
    assert len(asked) == 2
    parts = job.parts(said)
    assert (dict(parts.identifiers), dict(parts.secrets), parts.known) == ({}, {}, ("Profession",))


def test_nobody_is_asked_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not asking.may_ask()

    def ended(question: str) -> str:
        raise EOFError

    monkeypatch.setattr("builtins.input", ended)
    with pytest.raises(InputError, match="give --secret"):
        asking.hear("?")

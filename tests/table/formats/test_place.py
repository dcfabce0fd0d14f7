"""Addresses of databases: a password in one is refused however it is written, and shown nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest

import discreet as d
from discreet.table.formats.place import Address, place_of
from tests.commands import DEMO, run

BANK, RULES = str(DEMO / "bank.csv"), str(DEMO / "bank.yaml")
SECRETS = [
    "postgresql://u:hunter@h/d#t",
    "postgresql://u:123#45hunter@host/db#t",
    " postgresql://u:hunter@h/d#t",
    "\tPostgreSQL://u:hunter@h/d#t",
    "postgresql://u:12/hunter@host/db#t",
    "postgresql://u:12?hunter@host/db#t",
    "postgresql://u:12@hunter@host/db#t",
    "postgresql://u@host/db#t?password=hunter",
    "postgresql://host/db?PassWord=hunter#t",
    "postgresql://host/db?user=a&sslpassword=hunter#t",
    "postgresql://host/db?options=-c%20x;password=hunter#t",
    "postgresql://host/db?pass%77ord=hunter#t",
    "postgresql:u:hunter@h/d#t",
    "postgres:/u:hunter@h/d",
    "postgresql://[u:hunter@h/d?password=hunter",
    "postgresql://u:hunter@[h/d#t",
    " mysql://u:hunter@h/d",
]


@pytest.mark.parametrize("text", SECRETS)
def test_a_password_is_refused_and_not_shown(text: str) -> None:
    with pytest.raises(d.InputError) as refused:
        place_of(text)
    assert "hunter" not in str(refused.value)
    assert "hunter" not in repr(refused.value.__cause__)


@pytest.mark.parametrize("text", SECRETS[1:6])
def test_no_command_shows_it(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for told in (
        run("protect", text, "-p", RULES, "-o", "r.csv", "--plan", "plan.json", code=2),
        run("protect", BANK, "-p", RULES, "-o", text, "--plan", "plan.json", code=2),
    ):
        assert "hunter" not in told.output
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["postgresql://u:hunter@h/d#t", "postgresql:u:hunter@h/d", " postgres://h/d"])
def test_an_address_is_no_path(text: str) -> None:
    with pytest.raises(d.InputError, match="is given as a text, not as a Path") as refused:
        place_of(Path(text))
    assert "hunter" not in str(refused.value)


def test_what_has_no_password_is_taken() -> None:
    for text, shown in (
        (" postgresql://ann@db.example:5433/bank?connect_timeout=3#loans\n", "postgresql://db.example:5433/bank#loans"),
        ("postgresql://h/d#s.a%40b", "postgresql://h/d#s.a@b"),
        ("postgresql:///d?host=/run/postgresql#t", "postgresql:///d#t"),
        ("postgresql://?service=bank#password", "postgresql://#password"),
        ("postgresql://h/d?passfile=/x#t", "postgresql://h/d#t"),
    ):
        found = place_of(text)
        assert isinstance(found, Address)
        assert str(found) == shown
    assert place_of("postgresql.csv") == Path("postgresql.csv")
    assert place_of("a@b.csv") == Path("a@b.csv")

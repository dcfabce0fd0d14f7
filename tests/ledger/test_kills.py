"""A ledger whose program ends at any step of any change, and two programs that write at once."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import discreet as d
from discreet.ledger.folder import opened

ROWS = pl.DataFrame({"id": list("abcd"), "age": list("xxyy")})
LATER = pl.DataFrame({"id": list("abcd"), "age": list("xxxx")})
STAYS = pl.DataFrame({"id": list("aabbccdd"), "stay": list("12121212"), "age": list("xyxyxyxy")})
POLICY: dict[str, Any] = {"protect": [{"k": 2, "over": ["age"]}]}
OF_ROWS: dict[str, Any] = {**POLICY, "unit": "id", "columns": {"stay": {"role": "identifier"}}}
STEPS = ("open", "fsync")
MOST = 40


class Killed(BaseException):
    """The program ends here: nothing may catch it."""


@contextmanager
def ending_at(step: int, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """End the program before the step of this number: a file that is opened, written to disk, named or removed."""
    passed = [0]

    def before(done: Callable[..., Any]) -> Callable[..., Any]:
        def run(*args: Any, **named: Any) -> Any:
            if passed[0] == step:
                raise Killed
            passed[0] += 1
            return done(*args, **named)

        return run

    with monkeypatch.context() as patched:
        for name in STEPS:
            patched.setattr(os, name, before(getattr(os, name)))
        for name in ("replace", "unlink"):
            patched.setattr(Path, name, before(getattr(Path, name)))
        yield passed


def state_of(path: Path) -> list[tuple[object, ...]]:
    """Return what a ledger says, by whoever opens it next: its releases, and who is in them with which texts."""
    with opened(path) as folder:
        kept = {(one.name, one.state): folder.read(one).people for one in folder.entries}
        named = {name for one in folder.entries for name in (one.people, one.plan) if name}
        assert named <= {one.name for one in path.iterdir()}
    return [(*key, *people.rows()) for key, people in kept.items()]


def drafted(path: Path, rows: pl.DataFrame, policy: dict[str, Any], name: str, **options: Any) -> None:
    """Record a release as a draft."""
    d.protect(rows, policy, ledger=path / "ledger", person="id", **options).write(path / name)


def begun(tmp: Path, *, of_rows: bool) -> d.Ledger:
    """Return a ledger with a release that counts, and a draft."""
    options = {"row_key": "stay"} if of_rows else {}
    rows, policy = (STAYS, OF_ROWS) if of_rows else (ROWS, POLICY)
    drafted(tmp, rows, policy, "one.csv", **options)
    ledger = d.Ledger(tmp / "ledger")
    ledger.publish("one.csv")
    drafted(tmp, rows, policy, "two.csv", **options)
    return ledger


CHANGES: dict[str, Callable[[d.Ledger], object]] = {
    "publish": lambda ledger: ledger.publish("two.csv"),
    "withdraw": lambda ledger: ledger.withdraw("one.csv"),
    "drop": lambda ledger: ledger.drop("two.csv"),
    "rekey": lambda ledger: ledger.rekey({"a": "A", "b": "B"}),
    "add": lambda ledger: ledger.add(ROWS.select("age"), ROWS, POLICY, person="id", name="three"),
    "add of rows": lambda ledger: ledger.add(STAYS.select("age"), STAYS, OF_ROWS, name="three", row_key="stay"),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", list(CHANGES))
def test_whatever_ends_a_change_it_was_made_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    of_rows = change in ("add of rows", "rekey")
    seen = []
    for step in range(MOST):
        folder = tmp_path / str(step)
        folder.mkdir()
        ledger = begun(folder, of_rows=of_rows)
        before = state_of(folder / "ledger")
        with ending_at(step, monkeypatch) as passed:
            try:
                CHANGES[change](ledger)
            except Killed:
                killed = True
            else:
                killed = False
        after = state_of(folder / "ledger")
        if not killed:
            assert passed[0] <= step
            assert after != before
            break
        seen.append(after == before)
        found = ledger.check()  # it can be opened, counted and written to
        assert found is not None
        assert found.holds
        drafted(folder, *((STAYS, OF_ROWS) if of_rows else (LATER, POLICY)), "four.csv")
        assert ("four.csv", "draft") in [line[:2] for line in state_of(folder / "ledger")]
    else:
        raise AssertionError("more steps than were tried")
    assert seen
    assert seen == sorted(seen, reverse=True), "a change was made, and taken back by what came after"


WRITER = """
import sys, polars as pl, discreet as d
rows = pl.DataFrame({"id": [str(n) for n in range(300)], "age": [str(n % 7) for n in range(300)]})
release = d.protect(rows, {"protect": [{"k": 2, "over": ["age"]}]}, ledger=sys.argv[1], person="id")
print("made", flush=True)
sys.stdin.readline()
for number in range(15):
    release.write(f"{sys.argv[2]}-{number}.csv")
"""


@pytest.mark.process
def test_two_programs_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    """Each waits for the other, write by write: all thirty releases are recorded."""
    ledger = tmp_path / "ledger"
    drafted(tmp_path, ROWS, POLICY, "zero.csv")
    d.Ledger(ledger).drop("zero.csv")
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(ledger), str(tmp_path / name)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("first", "second")
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "made\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        _, said = writer.communicate(timeout=120)
        assert writer.returncode == 0, said
    names = {f"{name}-{number}.csv" for name in ("first", "second") for number in range(15)}
    entries = d.Ledger(ledger).releases()
    assert {entry.name for entry in entries} == names
    assert {entry.state for entry in entries} == {"draft"}
    kept = {path.name for path in ledger.iterdir()} - {"ledger.json", "lock", "secret"}
    assert kept == {name for entry in entries for name in (entry.people, entry.plan) if name}

"""Encodings, names and files that nobody means to give: an error in plain words, exit code 2, and nothing written."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from discreet.cli.app import app
from discreet.table.formats.dialect import MAPPED, load
from discreet.table.stores.files import Files

ENGINES = ("local", "streaming", "duckdb")
LONG = "x" * 5_000


def refused(*words: str) -> str:
    """Return what is said to a command that is refused as bad input."""
    before = sorted(Path.cwd().iterdir())
    result = CliRunner().invoke(app, list(words))
    assert result.exit_code == 2, result.output
    assert "internal error" not in result.stderr
    assert "could not be printed" not in result.stderr
    assert sorted(Path.cwd().iterdir()) == before
    return result.stderr


def protecting(table: str = "bank.csv", out: str = "release.csv", policy: str = "bank.yaml") -> list[str]:
    return ["protect", table, "--policy", policy, "--out", out]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "encoding", ["idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "hex", "rot13", "zip", "no"]
)
def test_codecs_that_are_not_for_text_files(folder: Path, encoding: str, engine: str) -> None:
    said = refused(*protecting(), "--encoding", encoding, "--engine", engine)
    assert f"bank.csv: there is no text encoding '{encoding}'; try utf-8 or latin-1" in said
    pl.read_csv(folder / "bank.csv").write_parquet(folder / "bank.parquet")
    said = refused(*protecting("bank.parquet"), "--encoding", encoding, "--engine", engine)
    assert f"there is no text encoding '{encoding}' to write in" in said


@pytest.mark.parametrize("odd", ["out", "plan", "table", "policy"])
def test_names_that_are_not_utf_8_have_no_place_in_a_manifest(folder: Path, odd: str) -> None:
    names = {"table": "bank.csv", "policy": "bank.yaml", "out": "release.csv", "plan": "plan.json"}
    stem, dot, suffix = names[odd].partition(".")
    names[odd] = f"{stem}\udcff{dot}{suffix}"
    if odd in ("table", "policy"):
        shutil.copy(os.fsencode(folder / f"{stem}.{suffix}"), os.fsencode(names[odd]))
    words = protecting(names["table"], names["out"], names["policy"])
    assert "its name is not UTF-8 text" in refused(*words, "--plan", names["plan"])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    "name", [f"{LONG}.csv", f"{LONG}*.parquet", f"{LONG}.db#bank"], ids=["file", "pattern", "database"]
)
def test_a_table_whose_name_is_too_long_for_a_file(folder: Path, name: str, engine: str) -> None:
    commands = [
        protecting(name),
        ["verify", name, "-p", "bank.yaml"],
        ["audit", "bank.csv", "-p", "bank.yaml", "--original", name],
        ["check", "bank.yaml", "--table", name],
    ]
    for words in commands:
        said = refused(*words, "--engine", engine)
        assert f"{name}: " in said
        assert "name too long" in said.lower() or "no Parquet files" in said


def change_and_set_back(path: Path) -> None:
    """Write other bytes of the same number to a file, and set its times back."""
    status = path.stat()
    with path.open("r+b") as file:
        data = file.read()
        file.seek(0)
        file.write(data.swapcase())
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert (path.stat().st_size, path.stat().st_mtime_ns) == (status.st_size, status.st_mtime_ns)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_table_that_is_changed_with_its_time_set_back_is_noticed(
    folder: Path, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from discreet.planning.find import find_plan as real

    def meanwhile(*asked: object, **said: object) -> object:
        change_and_set_back(folder / "bank.csv")
        return real(*asked, **said)  # type: ignore[arg-type]

    monkeypatch.setattr("discreet.pipeline.find_plan", meanwhile)
    assert "was changed while it was being read" in refused(*protecting(), "--engine", engine)


def test_files_that_are_read_again_are_known_by_more_than_their_time(folder: Path) -> None:
    path = folder / "bank.csv"
    path.write_bytes(path.read_bytes() * (2 * MAPPED // path.stat().st_size))
    files, text = Files.of([path]), load(path, None)
    assert not files.changed()
    assert not text.changed()
    change_and_set_back(path)
    assert files.changed()
    assert text.changed()

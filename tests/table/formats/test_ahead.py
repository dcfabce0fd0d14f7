"""A file that is read ahead is taken only where exactly that reading of that very file is wanted."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from unittest import mock

import polars as pl
import pytest

from discreet.cli import inputs
from discreet.cli.inputs import begin_at_once, begin_reading
from discreet.cli.options import EngineOptions
from discreet.errors import InputError
from discreet.table.formats import csv_reading
from discreet.table.formats import dialect as dialects
from discreet.table.formats.ahead import Ahead, OneReading
from discreet.table.formats.csv_reading import AHEAD, read_ahead, read_csv
from tests.commands import run

ROWS = 60_000
POLICY = '{"protect": [{"k": 2, "over": ["job"]}]%s}'


@pytest.fixture
def table() -> pl.DataFrame:
    place = pl.int_range(ROWS, eager=True)
    return pl.DataFrame({"job": (place % 7).cast(pl.String), "town": "a town;of " + (place % 90).cast(pl.String)})


@pytest.fixture
def path(table: pl.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(csv_reading, "LARGE", 1000)
    monkeypatch.setattr(dialects, "MAPPED", 1000)
    monkeypatch.setattr(AHEAD, "_begun", None)
    table.write_csv(tmp_path / "table.csv")
    return tmp_path / "table.csv"


class Reads:
    """How often Polars was asked to read a file, and whether by another thread."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ahead: list[bool] = []
        whole = pl.read_csv

        def read(*said: Any, **how: Any) -> pl.DataFrame:
            self.ahead.append(threading.current_thread() is not threading.main_thread())
            return whole(*said, **how)

        monkeypatch.setattr(pl, "read_csv", read)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> Reads:
    return Reads(monkeypatch)


def test_what_was_read_ahead_is_taken_once(path: Path, table: pl.DataFrame, reads: Reads) -> None:
    read_ahead(path)
    assert read_csv(path)[0].equals(table)
    assert reads.ahead == [True]
    assert read_csv(path)[0].equals(table)
    assert reads.ahead == [True, False]


@pytest.mark.parametrize("options", [{"separator": ";"}, {"header": ["x", "y"]}, {"header": False}, {"skip": 1}])
def test_another_reading_is_made_anew(options: dict[str, Any], path: Path, reads: Reads) -> None:
    wanted = read_csv(path, **options)[0] if "separator" not in options else None
    reads.ahead.clear()
    read_ahead(path)
    if wanted is None:
        with pytest.raises(InputError):  # 2 fields here and there
            read_csv(path, **options)
        return
    assert read_csv(path, **options)[0].equals(wanted)
    assert sorted(reads.ahead) == [False, True]


def test_names_in_another_order_are_another_reading(path: Path, table: pl.DataFrame) -> None:
    read_ahead(path)
    assert AHEAD._begun is not None
    AHEAD._begun[1].join()  # a file that gets shorter while it is mapped ends the process
    path_text = path.read_text("utf-8").split("\n", 1)[1]
    path.write_text("town,job\n" + path_text, "utf-8")
    assert read_csv(path)[0].columns == ["town", "job"]
    assert read_csv(path)[0].rename({"town": "job", "job": "town"}).equals(table)


def test_a_file_that_has_changed_since_is_read_anew(path: Path, table: pl.DataFrame, reads: Reads) -> None:
    read_ahead(path)
    assert AHEAD._begun is not None
    AHEAD._begun[1].join()
    other = table.with_columns(job=pl.lit("x"))
    other.write_csv(path)
    assert read_csv(path)[0].equals(other)
    assert reads.ahead == [True, False]


def test_another_file_leaves_it_as_it_is(path: Path, table: pl.DataFrame, reads: Reads, tmp_path: Path) -> None:
    table.reverse().write_csv(tmp_path / "other.csv")
    read_ahead(path)
    assert read_csv(tmp_path / "other.csv")[0].equals(table.reverse())
    assert read_csv(path)[0].equals(table)
    assert sorted(reads.ahead) == [False, True]


@pytest.mark.parametrize("wrong", ["job,town\na\nb,c,d\n", 'job,town\na,b"c\n', "job,town\na\0,b\n", ",\n1,2\n", ""])
def test_a_wrong_file_is_refused_as_always(wrong: str, path: Path) -> None:
    path.write_text(wrong * 300, "utf-8")
    with pytest.raises(InputError) as alone:
        read_csv(path)
    read_ahead(path)
    with pytest.raises(InputError) as ahead:
        read_csv(path)
    assert str(ahead.value) == str(alone.value)


def test_small_and_vast_files_packed_ones_and_folders_are_not_read_ahead(
    path: Path, tmp_path: Path, reads: Reads, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small.csv").write_text("a,b\n1,2\n", "utf-8")
    (tmp_path / "packed.csv").write_bytes(b"\x1f\x8b" + b"x" * 5000)
    for other in (tmp_path, tmp_path / "none.csv", tmp_path / "small.csv", tmp_path / "packed.csv", Path("-")):
        read_ahead(other)
    monkeypatch.setattr(csv_reading, "memory_for_a_job", lambda: path.stat().st_size)
    read_ahead(path)
    assert AHEAD._begun is None
    assert not reads.ahead


def test_what_goes_wrong_ahead_is_nothing() -> None:
    ahead, wanted = Ahead[str](), OneReading(Path("a"), 1, 2)

    def fail() -> tuple[OneReading, str]:
        raise MemoryError

    ahead.begin(wanted.path, fail)
    assert ahead.taken(wanted) is None
    other = OneReading(Path("a"), 1, 3)
    for read, found in ((lambda: None, None), (lambda: (wanted, "x"), "x"), (lambda: (other, "x"), None)):
        ahead.begin(wanted.path, read)
        assert ahead.taken(OneReading(Path("b"), 1, 2)) is None
        assert ahead.taken(wanted) == found
        assert ahead.taken(wanted) is None


@pytest.mark.parametrize(
    ("engine", "limit", "name", "begun"),
    [
        (None, None, "table.csv", True), ("local", None, "table.csv", True), (None, "2GB", "table.csv", False),
        ("streaming", None, "table.csv", False), ("duckdb", None, "t.csv", False), (None, None, "t.parquet", False),
    ],
)  # fmt: skip
def test_the_command_begins_where_the_table_will_be_in_memory(
    engine: str | None, limit: str | None, name: str, begun: bool, tmp_path: Path
) -> None:
    with mock.patch.object(csv_reading, "read_ahead") as asked:
        begin_reading(str(tmp_path / name), EngineOptions(engine, limit))
    assert asked.called is begun


@pytest.mark.parametrize(
    ("words", "begun"),
    [
        ("protect table.csv -p p.json -o r.csv", True), ("protect table.csv --engine streaming", False),
        ("protect table.csv --memory-limit=2GB", False), ("protect table.csv --help", False),
        ("protect --force table.csv", False), ("verify table.csv -p p.json", False), ("protect", False), ("", False),
        ("protect small.csv -p p.json", False), ("protect none.csv", False), ("protect table.parquet", False),
        ("protect a\0b.csv", False),
    ],
)  # fmt: skip
def test_a_table_that_comes_first_is_begun_before_the_words_are_read(
    words: str, begun: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(inputs, "LARGE", 1000)
    for name, size in (("table.csv", 1000), ("table.parquet", 1000), ("small.csv", 999)):
        Path(name).write_bytes(b"a" * size)
    with mock.patch.object(csv_reading, "read_ahead") as asked:
        begin_at_once(words.split(" ") if words else [])
    assert asked.called is begun


def test_what_is_begun_is_not_begun_again(
    path: Path, reads: Reads, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inputs, "LARGE", 1000)
    policy, out = tmp_path / "p.json", tmp_path / "r.csv"
    policy.write_text(POLICY % "", "utf-8")
    begin_at_once(["protect", str(path)])
    assert AHEAD._begun is not None
    run("protect", str(path), "-p", str(policy), "-o", str(out))
    assert reads.ahead == [True]


@pytest.mark.parametrize("file", ["", ', "file": {"separator": ","}', ', "file": {"header": false}'])
def test_the_release_is_the_same(file: str, path: Path, table: pl.DataFrame, reads: Reads, tmp_path: Path) -> None:
    policy, out = tmp_path / "p.json", tmp_path / "r.csv"
    policy.write_text((POLICY % file).replace('["job"]', '["column_1"]' if "header" in file else '["job"]'), "utf-8")
    said = ["protect", str(path), "-p", str(policy), "-o", str(out), "--seed", "1", "--force"]
    run(*said)
    assert reads.ahead[0]
    assert reads.ahead.count(False) == ("header" in file)
    first = out.read_bytes()
    with mock.patch("discreet.cli.commands.protect.begin_reading"):
        run(*said)
    assert out.read_bytes() == first


@pytest.mark.process
@pytest.mark.parametrize(
    ("place", "wrong"),
    [(0, b""), (-5, b'"'), (-5, b"\0"), (-5, b"\xff"), (-5, b"\ra"), (-3, b","), (0, b"\n\n"), (0, b"x,y,z\n")],
)
def test_a_wrong_file_ends_a_command_as_if_nothing_was_begun(place: int, wrong: bytes, tmp_path: Path) -> None:
    """Where the table comes first it is read before the command line is; where an option does, it is not."""
    lines = b"".join(b"%d,a town of %d\n" % (place % 7, place % 90) for place in range(600_000))
    at = len(lines) + place if place else 0
    (tmp_path / "t.csv").write_bytes(
        (b"" if wrong.startswith(b"x") else b"job,town\n") + lines[:at] + wrong + lines[at:]
    )
    (tmp_path / "p.json").write_text(POLICY % "", "utf-8")
    said = []
    for words in (["t.csv", "-p", "p.json"], ["-p", "p.json", "t.csv"]):
        command = [sys.executable, "-m", "discreet", "protect", *words, "-o", "r.csv", "--seed", "1"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        released = tmp_path / "r.csv"
        said.append((done.returncode, done.stderr, released.read_bytes() if released.exists() else None))
        released.unlink(missing_ok=True)
    assert said[0] == said[1]
    assert (said[0][0] == 0) == (not wrong)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["p.json", "t.csv"]

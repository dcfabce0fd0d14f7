"""How much memory a table takes is known before it is read, and what does not fit is streamed or refused."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import discreet as d
from discreet.encoded import Encoded
from discreet.errors import InputError
from discreet.table import memory
from discreet.table.memory import FetchLimits, TableSize, needed, size_of_parquet, size_of_text
from discreet.table.stores.fetching import fetched
from discreet.table.stores.store import Store

POLICY = "protect: [{k: 5, over: [a, b]}]\n"


def table(rows: int, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    texts = pl.Series(["short", "a text of more than twelve bytes", "another one that is rather long"])
    return pl.DataFrame(
        {"a": rng.integers(0, 5, rows).astype(str), "b": rng.choice(["x", "y", "z"], rows)}
        | {f"t{at}": texts.gather(rng.integers(0, 3, rows)) for at in range(2)}
        | {"f": rng.random(rows), "n": rng.integers(0, 10**6, rows), "key": rng.integers(10**14, 10**15, rows)}
    )


def _size_of_csv(path: Path) -> TableSize:
    return size_of_text(path, None)


MEASURE = """
import os, subprocess, sys
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
process.returncode = os.waitstatus_to_exitcode(status)
print(usage.ru_maxrss)
sys.exit(process.returncode)
"""
"""A small process between: the memory of the one that runs the tests would count as that of the command."""


def peak(folder: Path, *options: str) -> tuple[int, str]:
    """Run `protect` in a process of its own; return its largest memory in bytes, and what it says on stderr."""
    (folder / "p.yaml").write_text(POLICY)
    command = [sys.executable, "-m", "discreet", "protect", *options, "-p", "p.yaml", "--force"]
    found = subprocess.run([sys.executable, "-c", MEASURE, *command], cwd=folder, capture_output=True, text=True)
    assert found.returncode == 0, found.stderr
    return int(found.stdout) << (0 if sys.platform == "darwin" else 10), found.stderr


@pytest.mark.slow
@pytest.mark.parametrize("form", ["csv", "csv.gz", "parquet"])
def test_the_estimate_is_above_what_is_taken_but_not_by_far(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"t.{form}"
    frame = table(300_000)
    if form == "parquet":
        frame.write_parquet(path)
    elif form == "csv":
        frame.write_csv(path)
    else:
        path.write_bytes(gzip.compress(frame.write_csv().encode(), 1))
    taken, _ = peak(tmp_path, path.name, "-o", f"r.{form}", "--engine", "local", "--memory-limit", "16GB")
    estimated = needed([path], size_of_parquet if form == "parquet" else _size_of_csv)
    assert 0.9 * taken < estimated < 2 * taken


@pytest.mark.slow
def test_a_file_larger_than_the_memory_is_streamed_within_it(tmp_path: Path) -> None:
    """By the measured peak: allocators reserve more addresses than they use, so no limit can be set on these."""
    table(1_200_000).write_csv(tmp_path / "t.csv")
    limit = 700 << 20
    assert needed([tmp_path / "t.csv"], _size_of_csv) > 1.5 * limit
    taken, said = peak(tmp_path, "t.csv", "-o", "r.csv", "--memory-limit", "700MB")
    assert taken < limit
    assert said.splitlines()[0].startswith("t.csv: about ")
    assert said.splitlines()[0].endswith("; limit 700 MB: streamed")


def test_it_is_said_how_a_table_is_held(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    table(100).write_csv(tmp_path / "t.csv")
    policy = d.Policy(protect=[d.KAnonymity(k=5, over=["a", "b"])])
    with caplog.at_level("INFO", logger="discreet"):
        d.protect(tmp_path / "t.csv", policy, memory_limit="16GB")
        assert not caplog.messages  # nothing to think about
        d.protect(tmp_path / "t.csv", policy, memory_limit="400MB")
        d.protect(tmp_path / "t.csv", policy, memory_limit="256MB")
    assert [message.rsplit(": ", 1)[1] for message in caplog.messages] == ["held in memory"] * 2


def test_a_strange_file_is_left_to_who_reads_it(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_bytes(b"\x1f\x8bnothing")
    assert needed([tmp_path / "t.csv"], _size_of_csv) == 0
    (tmp_path / "t.csv").write_bytes(b"")
    assert needed([tmp_path / "t.csv"], _size_of_csv) < memory.PROCESS + 1000


def test_limits_follow_from_the_memory() -> None:
    assert FetchLimits().combinations == 20_000_000
    assert FetchLimits().cells == 400_000_000
    small, half = FetchLimits(2 << 30), FetchLimits(2 << 30, 0.5)
    assert small.combinations == ((2 << 30) - memory.PROCESS) // memory.COMBINATION
    assert half.cells == ((1 << 30) - memory.PROCESS) // memory.FETCHED < small.cells < 400_000_000
    assert FetchLimits(1).cells == memory.LEAST_FETCHED


@pytest.mark.slow
def test_check_refuses_what_would_not_fit(tmp_path: Path) -> None:
    """Before a row is fetched; the message says what is needed, what there is, and what to do."""
    pl.DataFrame({"a": ["x", "y", "z"] * 40_000, "b": ["u", "v"] * 60_000}).write_parquet(tmp_path / "t.parquet")
    (tmp_path / "p.yaml").write_text("protect: [{column: a, rows: [5]}]\n")
    command = [sys.executable, "-m", "discreet", "check", "p.yaml", "--table", "t.parquet", "--engine", "streaming"]
    found = subprocess.run([*command, "--memory-limit", "256MB"], cwd=tmp_path, capture_output=True, text=True)
    assert found.returncode == 2
    assert "2 columns of 120,000 rows (about 257 MB) are more than 196,608 cells" in found.stderr
    assert "memory limit of 256 MB; give more with --memory-limit" in found.stderr
    found = subprocess.run([*command, "--memory-limit", "300MB"], cwd=tmp_path, capture_output=True, text=True)
    assert found.returncode == 0
    alone = subprocess.run([*command[:5], "--engine", "duckdb"], cwd=tmp_path, capture_output=True, text=True)
    assert "--engine and --memory-limit are for --table" in alone.stderr


@pytest.mark.parametrize("engine", ["streaming", "duckdb"])
def test_only_the_needed_columns_are_fetched(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({name: rng.choice(["p", "q", "r"], 60) for name in "abcd"})
    frame.with_columns(key=pl.Series(range(60)).cast(pl.String)).write_parquet(tmp_path / "t.parquet")
    policy = d.Policy(
        columns={"key": d.Column(role="identifier")},
        protect=[
            d.Confidential(
                column="a",
                where={"key": "7"},
                against=[d.Rules(min_confidence="60%", conditions=["b"])],
            )
        ],
    )
    asked: set[str] = set()

    def watched(store: Store, column: str, *about: Any) -> Encoded:
        asked.add(column)
        return fetched(store, column, *about)

    monkeypatch.setattr("discreet.table.stores.engine.fetched", watched)
    d.protect(tmp_path / "t.parquet", policy, engine=engine, seed=1)
    assert asked == {"a", "b", "key"}


def test_a_limit_that_everything_keeps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table(50).write_parquet(tmp_path / "t.parquet")
    monkeypatch.setattr(memory, "MOST_COMBINATIONS", 3)
    with pytest.raises(InputError, match="more than 3 different combinations, the most that is ever"):
        d.protect(tmp_path / "t.parquet", d.Policy(protect=[d.KAnonymity(k=2, over=["a", "b"])]), engine="streaming")

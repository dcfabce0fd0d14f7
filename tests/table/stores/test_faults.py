"""Whatever happens to a large job: nothing is published that is not whole, and no scratch file stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import discreet as d
from discreet import pipeline
from discreet.audit import describing
from discreet.common.staging import lock
from discreet.errors import InputError
from discreet.planning.find import find_plan
from discreet.table.stores import files, opening, scratch
from tests.table.engines import LARGE
from tests.writing.test_faults import small_disk

POLICY = d.Policy(protect=[d.KAnonymity(k=5, over=["a", "b", "c"])])


def table(rows: int, seed: int = 1) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    return pl.DataFrame({name: rng.integers(0, 40, rows).astype(str) for name in "abc"}).with_columns(
        key=pl.Series(rng.integers(0, 2**60, rows)).cast(pl.String)
    )


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for scratch files that nobody else uses."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("engine", LARGE)
def test_scratch_files_are_private_and_go(engine: str, here: Path, tmp_path: Path) -> None:
    table(500).write_csv(tmp_path / "t.csv")
    release = d.protect(tmp_path / "t.csv", POLICY, engine=engine)
    (folder,) = here.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    release.write(tmp_path / "r.csv")
    del release
    assert list(here.iterdir()) == []


@pytest.mark.parametrize("engine", LARGE)
def test_a_refused_job_leaves_no_scratch_files(engine: str, here: Path, tmp_path: Path) -> None:
    table(20).write_csv(tmp_path / "t.csv")
    with pytest.raises(d.DiscreetError):
        d.protect(tmp_path / "t.csv", d.Policy(protect=[d.KAnonymity(k=50, over=["a"])]), engine=engine)
    assert list(here.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("engine", LARGE)
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_a_full_disk_for_scratch_files(engine: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    frame = table(150_000)
    path = tmp_path / f"t.{form}"
    frame.write_parquet(path) if form == "parquet" else frame.write_csv(path)
    with small_disk(tmp_path / "disk", "1m") as disk:
        monkeypatch.setattr(tempfile, "tempdir", str(disk))
        with pytest.raises(InputError, match="disk for scratch files is full"):
            d.protect(path, POLICY, engine=engine).write(tmp_path / "r.parquet")
        assert list(disk.iterdir()) == []
    assert not (tmp_path / "r.parquet").exists()


@pytest.mark.slow
def test_too_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB says so before it dies; no value of the table is in what it says."""
    monkeypatch.setattr(opening, "DUCKDB_SHARE", 1e-9)
    table(400_000).write_parquet(tmp_path / "t.parquet")
    policy = d.Policy(protect=[d.KAnonymity(k=2, over=["a", "b", "key"])])
    with small_disk(tmp_path / "disk", "4m") as disk:
        monkeypatch.setattr(tempfile, "tempdir", str(disk))
        with pytest.raises(InputError, match=r"memory limit|disk for scratch files is full"):
            d.protect(tmp_path / "t.parquet", policy, engine="duckdb")


@pytest.mark.slow
@pytest.mark.parametrize("engine", LARGE)
@pytest.mark.parametrize("when", ["planning", "verifying"])
def test_a_source_that_changes_is_noticed(
    engine: str, when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.parquet"
    table(5_000).write_parquet(path)
    where, name = (pipeline, "find_plan") if when == "planning" else (describing, "changes")
    found = getattr(where, name)

    def meanwhile(*asked: object, **said: object) -> object:
        table(5_000, seed=2).write_parquet(path)
        return found(*asked, **said)

    monkeypatch.setattr(where, name, meanwhile)
    with pytest.raises(InputError, match="was changed while it was being read; nothing was written"):
        d.protect(path, POLICY, engine=engine)


@pytest.mark.slow
@pytest.mark.parametrize("engine", LARGE)
def test_a_source_with_other_rows_is_noticed_by_its_counts(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even where its file looks the same as before."""
    path = tmp_path / "t.parquet"
    table(5_000).write_parquet(path)
    monkeypatch.setattr(files, "stamp", lambda _: (1, 1, 1))
    plan = find_plan

    def meanwhile(*asked: object, **said: object) -> object:
        table(5_000, seed=2).write_parquet(path)
        return plan(*asked, **said)  # type: ignore[arg-type]

    monkeypatch.setattr(pipeline, "find_plan", meanwhile)
    with pytest.raises(InputError, match=r"was changed|cannot be read"):
        d.protect(path, POLICY, engine=engine)


@pytest.mark.parametrize("engine", LARGE)
@pytest.mark.process
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_killed_in_the_middle(engine: str, how: signal.Signals, here: Path, tmp_path: Path) -> None:
    """Nothing is published; what a killed run leaves is swept by the next."""
    table(100_000).write_csv(tmp_path / "t.csv")
    (tmp_path / "p.yaml").write_text("protect: [{k: 5, over: [a, b, c]}]\n")
    command = [sys.executable, "-m", "discreet", "protect", "t.csv", "-p", "p.yaml", "-o", "r.csv", "--engine", engine]
    process = subprocess.Popen(
        command, cwd=tmp_path, env={**os.environ, "TMPDIR": str(here)}, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL) and None,
    )  # fmt: skip
    while not list(here.glob(f"{scratch.PREFIX}*/*.parquet")):
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(how)
    process.communicate()
    assert not (tmp_path / "r.csv").exists() or how is signal.SIGINT  # Ctrl-C while planning takes what there is
    assert bool(list(here.iterdir())) == (how is signal.SIGKILL)
    scratch.Scratch().close()
    assert list(here.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux which file a number is")
def test_a_scratch_folder_that_another_job_sweeps_away_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It began at the same moment, and saw the folder before it was locked."""
    swept: list[Path] = []

    def too_late(number: int) -> bool:
        if not swept:
            swept.append(Path(f"/proc/self/fd/{number}").resolve().parent)
            scratch.sweep(tmp_path)
        return lock(number)

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setattr(scratch, "lock", too_late)
    found = scratch.Scratch()
    assert not swept[0].exists()
    assert found.folder != swept[0]
    found.new().write_text("")
    found.close()

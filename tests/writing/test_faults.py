"""Whatever happens to a run: the old output is intact, or the new one is complete and verified."""

from __future__ import annotations

import contextlib
import random
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import discreet as d
from discreet.common.staging import PREFIX
from tests.conftest import REQUIRE_ALL
from tests.profiles import KILLS, size

pytestmark = [pytest.mark.process, pytest.mark.xdist_group("faults")]  # one table, made once

POLICY = "use: {classify: c}\nprotect: [{infer: {ill: 'yes'}, given: [a, b, d], at_most: 80%}]\n"
OLD = "the old release\n"
COMMAND = [sys.executable, "-m", "discreet"]
PROTECT = ["protect", "t.csv", "-p", "p.yaml", "-o", "r.csv", "--plan", "plan.json", "--force"]
# Says when the heavy imports are done, so that the fault comes in the middle of the work.
ANNOUNCED = """
import discreet.cli.app, discreet.cli.show.release, discreet.pipeline, discreet.writing.release
import discreet.method.disclosure.search
print("ready", flush=True)
from discreet.__main__ import main
main()
"""


def make_table(folder: Path, rows: int) -> None:
    draw = random.Random(1)
    columns = {name: [f"{name}{min(draw.randrange(40), draw.randrange(40))}" for _ in range(rows)] for name in "abd"}
    columns["c"] = [draw.choice("123") for _ in range(rows)]
    columns["ill"] = [draw.choices(["yes", "no"], [1, 4])[0] for _ in range(rows)]
    pl.DataFrame(columns).write_csv(folder / "t.csv")
    (folder / "p.yaml").write_text(POLICY)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("faults")
    make_table(path, size(20_000, nightly=60_000))
    return path


def start(folder: Path) -> subprocess.Popen[str]:
    heed = lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)  # noqa: E731
    return subprocess.Popen(
        [sys.executable, "-c", ANNOUNCED, *PROTECT],
        cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=heed,
    )  # fmt: skip


def whole_and_verified(folder: Path) -> bool:
    return d.verify(folder / "r.csv", folder / "p.yaml", original=folder / "t.csv").holds


@pytest.fixture(scope="module")
def duration(folder: Path) -> float:
    """Seconds from the end of the imports to the end of the run."""
    (folder / "r.csv").write_text(OLD)
    process = start(folder)
    assert process.stdout
    process.stdout.readline()
    begin = time.monotonic()
    process.communicate()
    took = time.monotonic() - begin  # without the look at what it left
    assert process.returncode == 0
    assert whole_and_verified(folder)
    return took


def test_killed_at_random_moments(folder: Path, duration: float) -> None:
    """Many runs (100 nightly), half of them killed with no time to react, half interrupted as by Ctrl-C."""
    draw = random.Random(1)
    seen = set()
    for run in range(KILLS):
        how = signal.SIGKILL if run % 2 else signal.SIGINT
        (folder / "r.csv").write_text(OLD)
        process = start(folder)
        assert process.stdout
        process.stdout.readline()
        time.sleep(draw.random() * duration * 1.1)
        process.send_signal(how)
        _, errors = process.communicate(timeout=60)
        now = (folder / "r.csv").read_text()
        if now == OLD:
            assert process.returncode in (-9, -2, 2), errors  # -2: before the command line could hear it
        else:
            assert whole_and_verified(folder)
        seen.add((process.returncode, now == OLD))
    assert len(seen) > 1  # some runs were stopped
    process = start(folder)
    process.communicate()
    assert process.returncode == 0
    assert not list(folder.glob(f"{PREFIX}*"))  # what the killed ones left is swept, and was never taken for a result
    assert whole_and_verified(folder)


def test_strays_are_swept_by_the_next_run(folder: Path, duration: float) -> None:
    stray = folder / f"{PREFIX}999999999.abcd.r.csv"
    stray.write_text("half a rel")
    process = start(folder)
    process.communicate()
    assert process.returncode == 0
    assert not list(folder.glob(f"{PREFIX}*"))


@contextlib.contextmanager
def small_disk(path: Path, size: str) -> Iterator[Path]:
    path.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(path)], capture_output=True, check=False
    )
    if made.returncode:
        if REQUIRE_ALL:
            pytest.fail("cannot mount a small disk; run as root")
        pytest.skip("cannot mount a small disk (not root)")
    try:
        yield path
    finally:
        subprocess.run(["umount", str(path)], check=True)


@pytest.mark.parametrize("out", ["r.csv", "r.parquet", "r.csv.gz"])
def test_a_full_disk_leaves_the_old_files(folder: Path, tmp_path: Path, out: str) -> None:
    with small_disk(tmp_path / "disk", "16k") as disk:
        (disk / out).write_text(OLD)
        words = [*COMMAND, "protect", "t.csv", "-p", "p.yaml", "-o", str(disk / out), "--force"]
        result = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
        assert result.returncode == 2, result.stderr
        assert "cannot be written" in result.stderr
        assert "No space left" in result.stderr
        assert [path.name for path in disk.iterdir()] == [out]
        assert (disk / out).read_text() == OLD


def test_a_limit_on_file_size_leaves_the_old_file(folder: Path) -> None:
    (folder / "limited.csv").write_text(OLD)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))

    words = [*COMMAND, "protect", "t.csv", "-p", "p.yaml", "-o", "limited.csv", "--force"]
    result = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False, preexec_fn=limit)
    assert result.returncode == 2, result.stderr
    assert "limited.csv: cannot be written (File too large)" in result.stderr
    assert (folder / "limited.csv").read_text() == OLD
    assert not list(folder.glob(f"{PREFIX}*.limited.csv"))


def test_two_runs_to_the_same_place_do_not_harm_each_other(folder: Path, tmp_path: Path) -> None:
    for name in ("t.csv", "p.yaml"):
        shutil.copy(folder / name, tmp_path)
    processes = [start(tmp_path) for _ in range(2)]
    for process in processes:
        process.communicate()
    assert [process.returncode for process in processes] == [0, 0]
    assert whole_and_verified(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "p.yaml",
        "plan.json",
        "plan.manifest.json",
        "r.csv",
        "t.csv",
    ]

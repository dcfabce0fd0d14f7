"""What Spark writes for itself: in scratch folders where discreet starts it, and nowhere after the job."""

from __future__ import annotations

import json
import os
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest

import discreet as d
from discreet.table.stores.scratch import LOCK, PREFIX, Scratch
from tests.conftest import ROOT
from tests.jobs import bank, bank_policy
from tests.spark import BESIDE, GROUP, require, session

SETTINGS = "spark.ui.enabled false\nspark.driver.host 127.0.0.1\nspark.driver.bindAddress 127.0.0.1\n"


def start(folder: Path, *, said: str | None = None, settings: str = "") -> subprocess.Popen[str]:
    """Start a job in a folder with one for temporary files and one for settings; it goes on when its input ends."""
    require()
    for name in ("tmp", "conf"):
        (folder / name).mkdir()
    (folder / "conf" / "spark-defaults.conf").write_text(SETTINGS + settings)
    changed = {"TMPDIR": str(folder / "tmp"), "SPARK_CONF_DIR": str(folder / "conf")}
    changed["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {name: value for name, value in os.environ.items() if name != "SPARK_LOCAL_DIRS"} | changed
    if said is not None:
        environment["SPARK_LOCAL_DIRS"] = said
    words = [sys.executable, "-m", "tests.table.stores.spark.files_job", str(folder)]
    return subprocess.Popen(
        words, cwd=folder, env=environment, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip


def middle(process: subprocess.Popen[str]) -> dict[str, Any]:
    """What the job says in the middle."""
    assert process.stdout
    found: dict[str, Any] = json.loads(process.stdout.readline())
    return found


def kept_by_spark(files: list[str]) -> list[Path]:
    return [Path(name) for name in files if "blockmgr-" in name]


@GROUP
@BESIDE
@pytest.mark.parametrize(
    ("said", "settings", "where"),
    [
        pytest.param(None, "", "tmp", id="not said"),
        pytest.param(
            "{0}/one,{0}/two",
            "spark.local.dir {0}/three\n",
            "one two",
            id="in the environment",
            marks=pytest.mark.nightly,
        ),
        pytest.param(None, "spark.local.dir {0}/three\n", "three", id="in the settings", marks=pytest.mark.nightly),
    ],
)
def test_files_of_spark_are_private_and_go(said: str | None, settings: str, where: str, tmp_path: Path) -> None:
    """They lie where Spark was told to put them, in a folder of ours."""
    said = said and said.format(tmp_path)
    with start(tmp_path, said=said, settings=settings.format(tmp_path)) as process:
        found = middle(process)
        assert found["environment"] == said
        files = kept_by_spark(found["files"])
        assert files
        assert {name.parts[0] for name in files} <= set(where.split())
        assert all(name.parts[1].startswith(PREFIX) for name in files)
        folders = {tmp_path / name.parts[0] / name.parts[1] for name in files}
        assert {stat.S_IMODE(folder.stat().st_mode) for folder in folders} == {0o700}
    assert process.returncode == 0
    assert (tmp_path / "release.parquet").exists()
    left = {path.name for path in tmp_path.iterdir()}
    assert left <= {"conf", "table.parquet", "release.parquet", "tmp", *where.split()}  # no warehouse, no metastore
    assert not [path for name in ("tmp", *where.split()) for path in (tmp_path / name).iterdir()]


@GROUP
@BESIDE
def test_files_of_a_killed_spark_are_swept_by_the_next_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with start(tmp_path) as process:
        found = middle(process)
        for number in (process.pid, found["java"]):
            os.kill(number, signal.SIGKILL)
    while Path(f"/proc/{found['java']}/fd/0").exists():  # until it is gone
        time.sleep(0.05)
    left = kept_by_spark([str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file()])
    assert left
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))
    d.protect(tmp_path / "table.parquet", bank_policy(), engine="streaming")
    assert not [path for path in (tmp_path / "tmp").rglob("*") if "blockmgr" in path.name]


@GROUP
def test_a_session_of_somebody_else_is_left_as_it_is(tmp_path: Path) -> None:
    before = dict(session().sparkContext.getConf().getAll())
    bank().write_parquet(tmp_path / "table.parquet")
    d.protect(tmp_path / "table.parquet", bank_policy(), engine="spark")
    after = dict(session().sparkContext.getConf().getAll())
    assert before.items() <= after.items()
    assert not [name for name, value in after.items() if PREFIX in value]


def test_what_could_not_be_removed_is_swept_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody still writes to a scratch folder when its job ends: it keeps its lock, by which it is found."""
    made = Scratch(tmp_path)
    (made.folder / "part").mkdir()
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "rmtree", lambda *_args, **_more: None)
        made.close()
    assert sorted(path.name for path in made.folder.iterdir()) == [LOCK, "part"]
    other = Scratch(tmp_path)
    assert list(tmp_path.iterdir()) == [other.folder]
    other.close()
    assert not list(tmp_path.iterdir())

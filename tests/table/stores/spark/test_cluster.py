"""A standalone cluster, started and stopped here: the same release, and never a wrong one when it falls apart."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import discreet as d
from tests.conftest import ROOT
from tests.jobs import bank, bank_policy
from tests.spark import BESIDE, GROUP, require

pytestmark = [GROUP, BESIDE]
PATIENCE = 120


class Cluster:
    """A master and two workers, each in a process group of its own."""

    def __init__(self, folder: Path) -> None:
        import pyspark

        self.folder = folder
        self.home = Path(pyspark.__file__).parent
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.master = f"spark://127.0.0.1:{port}"
        self.started: list[subprocess.Popen[bytes]] = []
        at = ["--host", "127.0.0.1", "--webui-port", "0"]
        self._start("master", "org.apache.spark.deploy.master.Master", [*at, "--port", str(port)])
        self._until("master", "I have been elected leader")
        for number in (1, 2):
            words = [*at, "--cores", "1", "--memory", "600m", "--work-dir", str(folder / f"work-{number}"), self.master]
            self._start(f"worker-{number}", "org.apache.spark.deploy.worker.Worker", words)
        for number in (1, 2):
            self._until(f"worker-{number}", "Successfully registered with master")

    def _start(self, name: str, what: str, words: list[str]) -> None:
        environment = {**os.environ, "SPARK_HOME": str(self.home), "SPARK_DAEMON_MEMORY": "256m"}
        with (self.folder / f"{name}.log").open("wb") as log:
            self.started.append(
                subprocess.Popen(
                    [str(self.home / "bin" / "spark-class"), what, *words],
                    env=environment, stdout=log, stderr=log, start_new_session=True,
                )
            )  # fmt: skip

    def _until(self, name: str, text: str) -> None:
        end = time.monotonic() + PATIENCE
        while text not in (self.folder / f"{name}.log").read_text(errors="replace"):
            assert time.monotonic() < end, f"{name} did not start"
            time.sleep(0.2)

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """End a process with all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()

    def kill_worker(self) -> None:
        self.kill(self.started[1])

    def kill_executor(self) -> None:
        """End what the second worker has started, not the worker itself."""
        worker, killed = self.started[2].pid, 0
        for folder in Path("/proc").iterdir():
            with contextlib.suppress(OSError, IndexError):
                group = int((folder / "stat").read_text().rpartition(")")[2].split()[2])
                if group == worker and b"ExecutorBackend" in (folder / "cmdline").read_bytes():
                    os.kill(int(folder.name), signal.SIGKILL)
                    killed += 1
        assert killed

    def stop(self) -> None:
        for process in reversed(self.started):
            self.kill(process)


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    require()
    if not Path("/proc").is_dir():
        pytest.skip("looks for processes in /proc")
    running = Cluster.__new__(Cluster)
    running.started = []
    try:
        running.__init__(tmp_path)  # type: ignore[misc]
        yield running
    finally:
        running.stop()


def test_a_cluster_that_falls_apart(cluster: Cluster, tmp_path: Path) -> None:
    """A worker is killed before rows are settled, one that has settled some after, and the session is stopped.

    Where rows are settled on storage that all workers share, the loss of one does no harm.
    """
    happenings = {
        "at worker": cluster.kill_worker,
        "at executor": cluster.kill_executor,
        "at shared": cluster.kill_executor,
    }
    environment = {**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "PYTHONWARNINGS": "ignore"}
    driver = subprocess.Popen(
        [sys.executable, "-m", "tests.table.stores.spark.cluster_job", cluster.master, str(tmp_path)],
        env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=ROOT,
        start_new_session=True,
    )  # fmt: skip
    cluster.started.append(driver)  # type: ignore[arg-type]
    assert driver.stdin is not None
    assert driver.stdout is not None
    found: dict[str, Any] = {}
    settled = 0
    for line in driver.stdout:
        if line.strip() in happenings:
            happenings.pop(line.strip())()
            driver.stdin.write("\n")
            driver.stdin.flush()
        elif line.startswith("settled"):
            settled = int(line.split()[1])
        elif line.startswith("{"):
            found = json.loads(line)
    driver.stdin.close()
    driver.stdout.close()
    assert driver.wait(timeout=PATIENCE) == 0
    assert not happenings
    print({name: one.get("error") for name, one in found.items()})  # for whoever looks at a failure
    table: Any = d.protect(bank(), bank_policy()).table
    expected = sorted(map(repr, table.rows()))
    assert found["whole"] == {"rows": expected, "written": expected}
    assert found["shared"] == found["whole"]
    assert settled
    end = time.monotonic() + PATIENCE
    while list((tmp_path / "shared").glob("*/discreet-*")):  # it holds values of the original
        assert time.monotonic() < end, "what was settled is still there"
        time.sleep(0.2)
    for name in ("worker", "executor", "stopped"):
        if "error" in found[name]:
            assert "nothing was written" in found[name]["error"]
            assert found[name]["written"] is False
        else:
            assert found[name] == {"rows": expected, "written": expected}
    assert "error" not in found["worker"]  # nothing was settled yet: the other worker does it
    assert "connection to Spark was lost" in found["stopped"]["error"]

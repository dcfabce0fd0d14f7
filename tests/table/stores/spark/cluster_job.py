"""What `test_spark_cluster` runs in a process of its own: jobs on a standalone cluster that lose parts of it.

Says `at NAME` where something shall happen to the cluster, waits for a line, and in the end what came of each job.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import polars as pl
from pyspark.sql import SparkSession

import discreet as d
from discreet.table.stores.spark.store import SparkStore
from discreet.table.stores.store import Making
from tests.jobs import bank, bank_policy
from tests.spark import SETTINGS, from_spark


def say(text: str) -> None:
    print(text, flush=True)


def happens(name: str) -> None:
    """Wait until it has."""
    say(f"at {name}")
    sys.stdin.readline()


def job(session: SparkSession, out: Path, before: Callable[[], None], after: Callable[[], None]) -> dict[str, object]:
    """Protect a table on the cluster and write the release; say what came of it."""
    table = session.createDataFrame(bank().to_arrow(compat_level=pl.CompatLevel.oldest())).repartition(4)
    make = SparkStore.make

    def made(self: SparkStore, making: Making) -> SparkStore:
        before()
        release = make(self, making)
        after()
        return release

    try:
        with mock.patch.object(SparkStore, "make", made):
            release = d.protect(table, bank_policy())
            rows = sorted(map(repr, from_spark(release.table).rows()))
            release.write(out)
    except d.InputError as error:
        return {"error": str(error), "written": out.exists()}
    return {"rows": rows, "written": sorted(map(repr, pl.read_parquet(out).rows()))}


def main(master: str, folder: Path) -> None:
    builder = SparkSession.builder.master(master).appName("discreet cluster test")
    settings = {**SETTINGS, "spark.executor.memory": "512m", "spark.executor.cores": "1", "spark.cores.max": "2"}
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()

    def nothing() -> None:
        return

    def settled() -> None:
        say(f"settled {len(list((folder / 'shared').glob('*/discreet-*/rows/*.parquet')))}")
        happens("shared")

    found = {
        "whole": job(session, folder / "whole.parquet", nothing, nothing),
        "worker": job(session, folder / "worker.parquet", lambda: happens("worker"), nothing),
        "executor": job(session, folder / "executor.parquet", nothing, lambda: happens("executor")),
    }
    session.sparkContext.setCheckpointDir((folder / "shared").as_uri())  # what spark.checkpoint.dir does at the start
    found["shared"] = job(session, folder / "shared.parquet", nothing, settled)
    found["stopped"] = job(session, folder / "stopped.parquet", session.stop, nothing)
    say(json.dumps(found))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))

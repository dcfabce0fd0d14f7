"""What `test_spark_files` runs in a process of its own: a job on Spark, which nobody has started before.

Says in the middle of it which files there are and which process Java is, and waits for a line or the end of its input.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any
from unittest import mock

from pyspark import SparkContext

import discreet as d
from discreet.table.stores.spark.store import SparkStore
from discreet.table.stores.store import Making
from tests.jobs import bank, bank_policy


def main(folder: Path) -> None:
    make = SparkStore.make

    def made(self: SparkStore, making: Making) -> SparkStore:
        release = make(self, making)
        files = [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]
        gateway: Any = SparkContext._gateway
        said = {"java": gateway.proc.pid, "files": files, "environment": os.environ.get("SPARK_LOCAL_DIRS")}
        print(json.dumps(said), flush=True)
        sys.stdin.readline()
        return release

    bank().write_parquet(folder / "table.parquet")
    with mock.patch.object(SparkStore, "make", made):
        d.protect(folder / "table.parquet", bank_policy(), engine="spark").write(folder / "release.parquet")


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Starting Spark where none runs yet: what it writes for itself goes into scratch folders, too.

While Spark sorts and joins it writes parts of tables to the disk, in files that everybody may read, and leaves them
there when it is killed. Sessions that somebody else has started are as they were made.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import weakref
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from discreet.table.stores.scratch import Scratch

ENDS_WITHIN = 10
"""Seconds that Java has at the end of the program to take away what it wrote."""
_OVER_SETTINGS = ("SPARK_LOCAL_DIRS", "SPARK_EXECUTOR_DIRS")
"""What in the environment says where Spark writes, whatever its settings say; the first for people."""


def private_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Start Java with some settings, if it does not run; return those with which Spark writes to scratch folders.

    The folders are made where Spark was told to write: by `SPARK_LOCAL_DIRS`, else by `spark.local.dir`, else where
    all temporary files go. They go when the program ends, after Java.
    """
    from pyspark import SparkConf, SparkContext

    said = os.environ.get(_OVER_SETTINGS[0])
    with _without(_OVER_SETTINGS):
        SparkContext._ensure_initialized(conf=SparkConf(loadDefaults=False).setAll(list(settings.items())))
    known: Any = SparkConf()  # with what files and the command line of Spark say
    if str(known.get("spark.master", "local")).startswith("k8s"):
        return {}  # there it is the folder of the workers, in containers of their own
    folders = _folders(said or known.get("spark.local.dir", None) or "")
    return {
        "spark.local.dir": ",".join(map(str, folders)),
        "spark.sql.warehouse.dir": (folders[0] / "warehouse").as_uri(),
        "spark.sql.catalogImplementation": "in-memory",  # no metastore, which would be a folder beside the program
    }


@cache
def _folders(said: str) -> list[Path]:
    """Return a scratch folder in each of some folders, separated by commas; in the one for temporary files if none."""
    from pyspark import SparkContext

    parents = [Path(part.strip()) for part in said.split(",") if part.strip()]
    for parent in parents:
        with contextlib.suppress(OSError):  # the scratch folder says what is wrong
            parent.mkdir(parents=True, exist_ok=True)
    made = [Scratch(parent.absolute()) for parent in parents] or [Scratch()]
    for scratch in made:
        scratch.keep()
        weakref.finalize(scratch, _end, SparkContext._gateway)  # the last ones made are called first
    return [scratch.folder for scratch in made]


def _end(gateway: Any) -> None:
    """End Java: it takes away what it wrote, and writes no more."""
    java: subprocess.Popen[bytes] | None = getattr(gateway, "proc", None)
    if java is None or java.stdin is None:
        return
    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        java.stdin.close()
        java.wait(ENDS_WITHIN)


@contextlib.contextmanager
def _without(names: tuple[str, ...]) -> Iterator[None]:
    """Take some variables out of the environment for a while."""
    before = {name: os.environ.pop(name) for name in names if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(before)

"""One session of Spark for all tests of a process, on this machine; the same program serves Spark Connect.

All tests that use them are in one group, so that one process starts Spark, once.
"""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, cast

import polars as pl
import pytest

from tests.conftest import REQUIRE_ALL

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.shuffle.partitions": "2",
    "spark.default.parallelism": "2",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.log.level": "OFF",
}
QUICKER = {
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
"""To plan again between stages, and to compile every query, takes longer than the few rows of most tests. Sparks that
tests start besides (`BESIDE`) do both, as users have it."""
# Every Java that tests start compiles quickly instead of well, and collects what is left over in one thread: each lives
# for seconds only, and half of the processor's time went into compiling. What Spark computes is the same.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")

GROUP = pytest.mark.spark
"""What marks all tests that use Spark."""
BESIDE = pytest.mark.xdist_group("spark of their own")
"""What marks those besides that start one of their own, and do not use that of the others."""
CONNECT = ("grpc", "grpc_status", "google.rpc", "zstandard")
"""What Spark Connect needs besides."""


def _absent(modules: Iterable[str]) -> list[str]:
    """The modules that are not installed."""
    return [name for name in modules if find_spec(name.partition(".")[0]) is None]


def _refuse(absent: list[str], install: str) -> None:
    if absent:
        reason = f"needs {', '.join(absent)} (install {install})"
        if REQUIRE_ALL:
            pytest.fail(reason)
        pytest.skip(reason)


def require() -> None:
    """Skip a test where there is no Spark, unless nothing may be skipped."""
    java = [] if shutil.which("java") is not None else ["java"]
    _refuse([*_absent(["pyspark", "pyarrow"]), *java], "discreet[spark] and Java")


def require_connect() -> None:
    """Skip a test where there is no Spark Connect, unless nothing may be skipped."""
    require()
    _refuse(_absent(CONNECT), "discreet[connect]")


@cache
def port() -> int:
    """Where this process serves Spark Connect."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@cache
def session() -> SparkSession:
    """The session; it ends with the process."""
    require()
    from pyspark.sql import SparkSession

    from discreet.table.stores.spark.cluster import own_interrupts

    serving = {
        "spark.plugins": "org.apache.spark.sql.connect.SparkConnectPlugin",
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port()),
    }
    builder = SparkSession.builder.master("local[2]").appName("discreet tests")
    for name, value in {**SETTINGS, **QUICKER, **({} if _absent(CONNECT) else serving)}.items():
        builder = builder.config(name, value)
    with own_interrupts():
        return builder.getOrCreate()


def remote() -> str:
    """The address of Spark Connect, served by the program of `session`."""
    require_connect()
    session()
    return f"sc://127.0.0.1:{port()}"


def new_connection() -> SparkSession:
    """A session of Spark Connect of one's own."""
    from pyspark.sql.connect.session import SparkSession as Remote

    return cast("SparkSession", Remote.builder.remote(remote()).create())


@cache
def connection() -> SparkSession:
    """A session of Spark Connect."""
    return new_connection()


def to_connect(frame: pl.DataFrame) -> DataFrame:
    """A frame of Polars as one of Spark Connect, in two parts."""
    return connection().createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest())).repartition(2)


def to_spark(frame: pl.DataFrame) -> DataFrame:
    """A frame of Polars as one of Spark, in two parts."""
    return session().createDataFrame(frame.to_arrow(compat_level=pl.CompatLevel.oldest())).repartition(2)


def from_spark(frame: object) -> pl.DataFrame:
    """All rows of a frame of Spark."""
    found = pl.from_arrow(frame.toArrow())  # type: ignore[attr-defined]
    assert isinstance(found, pl.DataFrame)
    return found


def in_any_order(frame: pl.DataFrame) -> list[str]:
    """The rows as texts, sorted."""
    return sorted(map(repr, frame.rows()))

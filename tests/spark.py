"""One session of Spark for all tests of a process, on this machine."""

from __future__ import annotations

import shutil
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING

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


def require() -> None:
    """Skip a test where there is no Spark, unless nothing may be skipped."""
    absent = [what for what in ("pyspark", "pyarrow") if find_spec(what) is None]
    if shutil.which("java") is None:
        absent.append("java")
    if absent:
        reason = f"needs {', '.join(absent)} (install discreet[spark] and Java)"
        if REQUIRE_ALL:
            pytest.fail(reason)
        pytest.skip(reason)


@cache
def session() -> SparkSession:
    """The session; it ends with the process."""
    require()
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master("local[2]").appName("discreet tests")
    for name, value in SETTINGS.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


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

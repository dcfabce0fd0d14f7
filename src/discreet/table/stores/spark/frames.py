"""Whether a table is one of Spark; without loading Spark or what serves it."""

from __future__ import annotations

import sys


def is_spark(table: object) -> bool:
    """Whether a table is a DataFrame of Spark."""
    pyspark = sys.modules.get("pyspark.sql")
    return pyspark is not None and isinstance(table, pyspark.DataFrame)
